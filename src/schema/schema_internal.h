// schema_internal.h: what the files of this room share.
//
// A compiled schema is a graph of nodes, one for each subschema. A node holds its keywords in
// groups; a group that no keyword needs is NULL, so that a plain `{"type": "string"}` costs one
// comparison. `$ref` is an edge like any other: the graph may have cycles, but never one that
// consumes no input.
//
//   lg_schema ---> node ---object---> properties: "date" ---> node ---string---> pattern
//                   |                 additional  ---------> node (false)
//                   `----logic------> ref, all, any, one, not, if
//
// The order of work is index.c (find every subschema and its base URI), compile.c (keywords to
// rules), quick.c (is it valid?), validate.c (walk node and instance together), report.c (say what
// went wrong).
#ifndef LG_SCHEMA_INTERNAL_H
#define LG_SCHEMA_INTERNAL_H

#include "schema/schema.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// Ceilings that no option raises. Each is tested from both sides.
#define LG_SCHEMA_DEPTH_MAX 512u // nesting of subschemas in a schema document
// Nesting of evaluations: five for each of the 256 levels a document has by default; each takes
// some 700 bytes of stack, so that a validation stays below 1 MiB.
#define LG_SCHEMA_EVAL_DEPTH_MAX 1280u
#define LG_SCHEMA_STEPS_DEFAULT 4000000u
#define LG_SCHEMA_MARK_WORDS 2048u // scratch for unevaluated* and uniqueItems: 16 KiB of stack
#define LG_SCHEMA_PATTERN_BYTES_MAX 4096u
#define LG_SCHEMA_PATTERN_HEAP_KIB 4096u // for one validation, if the stack does not suffice
#define LG_SCHEMA_URI_BYTES_MAX 4096u    // of an `$id` or `$ref` without fragment

// --- Text ---------------------------------------------------------------------------------------

// Text cut to a fixed room, with "..." when it did not fit; always ended by NUL.
typedef struct fixed_text {
    char *ptr;
    size_t cap;
    size_t len;
    bool cut;
} fixed_text;

fixed_text lg_text_in(char *room, size_t size_bytes);
void lg_text_addc(fixed_text *out, const char *text);
LG_PRINTF(2, 3) void lg_text_addf(fixed_text *out, const char *format, ...);
void lg_text_add_pointer_token(fixed_text *out, lg_str token);     // "/" and the escaped token
void lg_text_add_cut(fixed_text *out, lg_str s, size_t max_bytes); // control characters are `?`
void lg_text_add_quoted(fixed_text *out, lg_str s, size_t max_bytes);
void lg_text_add_value(fixed_text *out, const lg_json *value);   // "the string \"x\"", "12", "null"
void lg_text_add_literal(fixed_text *out, const lg_json *value); // "\"x\"", "12", "null"
void lg_text_add_types(fixed_text *out, uint32_t types);         // "a string or null"
void lg_text_end(fixed_text *out);                               // puts the "..." of a cut text

// --- Places and resources -----------------------------------------------------------------------

// Where a value stands in its document: a list of reference tokens, last one first.
typedef struct place {
    const struct place *parent; // NULL: the root of a document
    lg_str token;               // of a root: the URI, empty for the schema that is being compiled
} place;

void lg_place_print(fixed_text *out, const place *where);

// What `$schema` decides.
typedef struct dialect {
    lg_schema_dialect draft; // never LG_SCHEMA_DETECT
    bool is_2019_09;         // 2020-12 with the arrays and references of 2019-09
    bool applies;            // vocabularies: applicator,
    bool validates;          // validation,
    bool unevaluated;        // unevaluated,
    bool asserts_format;     // format-assertion
} dialect;

typedef struct node node;
typedef struct dynamic_anchor {
    lg_str name;
    const node *target;
    struct dynamic_anchor *next;
} dynamic_anchor;

// A document, or a part of one with its own `$id`.
typedef struct resource {
    lg_str uri; // absolute if anything made it so; without fragment
    const lg_json *root;
    const place *where;
    dialect dialect;
    dynamic_anchor *dynamic;
} resource;

// --- Nodes --------------------------------------------------------------------------------------

enum {
    TYPE_NULL = 1 << 0,
    TYPE_BOOLEAN = 1 << 1,
    TYPE_INTEGER = 1 << 2,
    TYPE_NUMBER = 1 << 3,
    TYPE_STRING = 1 << 4,
    TYPE_ARRAY = 1 << 5,
    TYPE_OBJECT = 1 << 6,
    TYPE_ANY = (1 << 7) - 1,
};

// A decimal, m * 10^e, with at most 64 bits of m.
typedef struct decimal {
    uint64_t mantissa;
    int64_t exponent;
} decimal;

typedef struct lg_pattern lg_pattern;
typedef bool (*format_check)(lg_str text);
typedef struct format_rule {
    const char *name;
    format_check check;
    const char *example; // completes "must be ...": "a date such as 2024-05-15"
} format_rule;

typedef struct value_rules {
    const lg_json *allowed; // the array of `enum`
    const lg_json *constant;
    uint64_t cost; // steps to compare with all of them
} value_rules;

typedef struct number_rules {
    const lg_json *minimum;
    const lg_json *maximum;
    const lg_json *above; // exclusiveMinimum
    const lg_json *below; // exclusiveMaximum
    const lg_json *multiple_of;
    decimal divisor;
} number_rules;

typedef struct string_rules {
    uint64_t length_min;
    uint64_t length_max; // UINT64_MAX: none
    const lg_pattern *pattern;
    const format_rule *format;
} string_rules;

typedef struct array_rules {
    uint64_t items_min;
    uint64_t items_max;
    bool unique;
    const node **prefix;
    size_t prefix_count;
    const node *rest; // `items`, in older drafts `additionalItems`
    const char *rest_keyword;
    const node *contains;
    uint64_t contains_min;
    uint64_t contains_max;
    bool contains_marks; // unevaluatedItems sees what `contains` matched
    const node *unevaluated;
} array_rules;

// Four words of a name, and where the middle ones begin; see names.h.
typedef struct name_words {
    uint32_t at[4];
    uint8_t second;
    uint8_t third;
} name_words;

typedef struct property {
    lg_str name;
    name_words words;
    bool required;
    uint16_t enough;             // a bit for each lg_json_type: a value of it needs no other check
    const node *schema;          // NULL: only named by `required`
    const struct property *next; // which one the schema declares after it
} property;

typedef struct pattern_property {
    const lg_pattern *pattern;
    const node *schema;
} pattern_property;

typedef struct dependency {
    lg_str name;
    const node *schema;     // dependentSchemas; or NULL
    const lg_str *required; // dependentRequired
    size_t required_count;
    const char *keyword;
} dependency;

// What is asked of every object comes first, as in a node.
typedef struct object_rules {
    uint64_t members_min;
    uint64_t members_max;
    size_t property_count;
    size_t pattern_count;
    size_t required_count;
    const node *additional;
    const property *first; // which one the schema declares first; one that no name is, if none
    const uint32_t *slots; // of properties by name, from 1; NULL: search
    uint32_t slot_mask;
    const property *properties; // sorted by length, then bytes
    const pattern_property *patterns;
    const node *names;
    const dependency *dependencies;
    size_t dependency_count;
    const node *unevaluated;
} object_rules;

typedef struct node_list {
    const node **items;
    size_t count;
} node_list;

typedef struct logic_rules {
    const node *ref;
    const node *dynamic_ref;
    lg_str dynamic_name; // not empty: look for the outermost `$dynamicAnchor` of this name
    node_list all;
    node_list any;
    node_list one;
    const node *negated;
    const node *condition;
    const node *then_branch;
    const node *else_branch;
} logic_rules;

// What a validation asks comes first, so that it lies in one line of the cache.
struct node {
    uint16_t
        admits;    // a bit for each lg_json_type whose values `types` allows without a look at them
    uint8_t types; // allowed ones; 0: any
    bool plain;    // nothing but `types`, or nothing at all, or `false`
    bool involved; // has rules that quick.c does not know
    bool forwards; // nothing but a `$ref`
    bool refuses;  // the schema `false`
    bool trivial;  // nothing to check: `true`, `{}`
    value_rules *value;
    object_rules *object;
    array_rules *array;
    string_rules *string;
    number_rules *number;
    logic_rules *logic;
    const lg_json *source;
    uintptr_t address; // of the source: the key under which the index finds the node
    const place *where;
    resource *resource;
    node *next;  // of those to compile, then of all
    uint32_t id; // from 0
};

struct lg_schema {
    const node *root;
    uint64_t steps;
    uint32_t regex_steps;
    bool quick; // no reference depends on how one came here: quick.c may answer
};

// --- Index (index.c, uri.c) ---------------------------------------------------------------------

typedef struct map_slot {
    uint64_t hash;
    lg_str key;
    void *value; // NULL: free
} map_slot;

typedef struct map {
    map_slot *slots;
    size_t capacity; // a power of two
    size_t count;
} map;

void *lg_table_get(const map *m, lg_str key);
LG_NODISCARD bool lg_table_put(lg_arena *arena, map *m, lg_str key,
                               void *value); // false: no memory

typedef struct compiler {
    lg_arena *arena;
    lg_schema_options options;
    lg_limits limits;
    lg_errors *errors;
    bool failed;
    bool oom;
    map nodes;     // address of the source -> node
    map resources; // URI -> resource
    map anchors;   // URI#name -> node
    node *to_compile;
    uint32_t node_count;
} compiler;

// Adds an error about the value at `where` + `/keyword` (NULL: at `where` itself).
LG_PRINTF(4, 5)
void lg_schema_complain(compiler *c, const place *where, const char *keyword, const char *format,
                        ...);
void lg_schema_no_memory(compiler *c);

// The node of `source`, which stands at `where` in `base`; made, with all below it, if it is new.
node *lg_index_schema(compiler *c, const lg_json *source, const place *where, resource *base);
// Registers a document under `uri` and indexes it.
node *lg_index_document(compiler *c, const lg_json *source, lg_str uri);
const place *lg_index_place(compiler *c, const place *parent, lg_str token);
const place *lg_index_place_at(compiler *c, const place *parent, size_t index);

// What `reference`, written at `where` in `base`, points to; NULL after a complaint. `ret_name`
// gets the anchor's name if it was reached by one.
node *lg_index_resolve(compiler *c, const resource *base, const place *where, const char *keyword,
                       lg_str reference, lg_str *ret_name);

// RFC 3986 section 5.2: `reference` seen from `base`. ptr is NULL when out of memory.
lg_str lg_uri_resolve(lg_arena *arena, lg_str base, lg_str reference);
lg_str lg_uri_without_fragment(lg_str uri);
lg_str lg_uri_fragment(lg_str uri); // without "#"; ptr is NULL if there is none

// --- Numbers (number.c) -------------------------------------------------------------------------

bool lg_number_is_integral(const lg_json *number);
bool lg_number_is_positive(const lg_json *number);
// False if the significant digits do not fit in 64 bits.
bool lg_number_decimal(const lg_json *number, decimal *ret);
bool lg_number_is_multiple(const lg_json *number, decimal divisor);
// A count: a non-negative integer, cut at UINT64_MAX. False for anything else.
bool lg_number_count(const lg_json *number, uint64_t *ret);

// --- Patterns (pattern.c, ecma.c) ---------------------------------------------------------------

// What the work of one step of a pattern depends on, besides the text.
typedef struct ecma_facts {
    uint32_t largest_count; // the largest n of any {n} or {n,m}: characters read as one step
    bool backreferences;    // one step may compare as much as the text is long
} ecma_facts;

// Translates a regular expression of ECMA-262 (Unicode mode, lenient about escaped punctuation) to
// one of PCRE2. `out` NULL only checks. False: `reterr` says what is wrong, and at which byte.
bool lg_ecma_translate(lg_str pattern, lg_buf *out, ecma_facts *ret_facts, lg_error *reterr);

// linear.c: patterns without a choice to come back to. NULL in `*ret`: `text`, which must be a
// valid expression, is none. False: no memory.
typedef struct linear_pattern linear_pattern;
LG_NODISCARD bool lg_linear_compile(lg_arena *arena, lg_str text, const linear_pattern **ret);
bool lg_linear_match(const linear_pattern *pattern, lg_str subject);

const lg_pattern *lg_pattern_compile(compiler *c, const place *where, const char *keyword,
                                     lg_str text);
lg_str lg_pattern_text(const lg_pattern *pattern);

// Room for what PCRE2 allocates for a usual match, on the stack of the validation: its contexts
// and the 20 KiB of backtracking points it begins with.
typedef struct pattern_run {
    void *general;
    void *match_data;
    void *match_context;
    size_t used;
    uint32_t limit; // steps of one match
    _Alignas(16) char room[24576];
} pattern_run;

typedef enum pattern_result {
    PATTERN_NO,
    PATTERN_YES,
    PATTERN_LIMIT,
} pattern_result;

static inline void lg_pattern_run_init(pattern_run *run, uint32_t limit)
{
    run->used = 0;
    run->general = NULL;
    run->match_data = NULL;
    run->match_context = NULL;
    run->limit = limit;
}
void lg_pattern_run_done(pattern_run *run);
// Takes the work from `*steps`; PATTERN_LIMIT if that or the limit of one match is used up.
pattern_result lg_pattern_match(const lg_pattern *pattern, pattern_run *run, lg_str subject,
                                uint64_t *steps);

// --- Formats (format.c, format_net.c) -----------------------------------------------------------

const format_rule *lg_format_find(lg_str name); // NULL: unknown, or known not to be supported
bool lg_format_hostname(lg_str s);
bool lg_format_email(lg_str s);
bool lg_format_idn_email(lg_str s);
bool lg_format_ipv4(lg_str s);
bool lg_format_ipv6(lg_str s);
bool lg_format_uri(lg_str s);
bool lg_format_uri_reference(lg_str s);
bool lg_format_iri(lg_str s);
bool lg_format_iri_reference(lg_str s);
bool lg_format_uri_template(lg_str s);

// --- Compilation (compile.c, keywords.c) --------------------------------------------------------

void lg_compile_node(compiler *c, node *n);

// --- Validation (validate.c, report.c) ----------------------------------------------------------

// Where the walk stands in the instance. Lives on the stack.
#define SPOT_MEMBER SIZE_MAX
#define SPOT_NAME (SIZE_MAX - 1) // the name of a member, made into a value on the stack
typedef struct spot {
    const struct spot *parent;
    const lg_json *value;
    lg_str key;   // of a member
    size_t index; // of an element, or one of the two above
} spot;

// Which members or elements of one value have been evaluated.
typedef struct marks {
    uint64_t *bits;
    size_t count;
    bool all;
} marks;

// The resources that were entered, for `$dynamicRef`.
typedef struct scope {
    const struct scope *parent;
    const resource *resource;
} scope;

typedef struct validation {
    const lg_schema *schema;
    lg_schema_report *report;      // where violations go now; NULL: only yes or no is wanted
    lg_schema_report *main_report; // the caller's; may be NULL
    uint64_t steps;                // left; a run that stopped with none has used them up
    uint32_t depth;
    bool stopped;    // a limit was hit: the result is false, whatever it looks like
    bool explaining; // inside the explanation of a choice, which explains no choices in turn
    size_t words_used;
    pattern_run patterns;
    uint64_t words[LG_SCHEMA_MARK_WORDS];
} validation;

bool lg_eval(validation *v, const node *n, const spot *at, const scope *outer, marks *seen);

// quick.c: yes, no or, if the run was stopped, nothing at all. Never reports.
bool lg_quick_check(validation *v, const lg_json *value);
LG_NODISCARD bool lg_quick_prepare(lg_arena *arena, node *n); // false: no memory

uint32_t lg_type_of_value(const lg_json *value);

bool lg_check_unique(validation *v, const node *n, const spot *at); // unique.c

// Stops the run: `why` completes "`x` ...". Returns false.
bool lg_stop(validation *v, const node *n, const spot *at, const char *why);

// Counts `steps` of work. False, and the run is stopped, when the budget is used up.
static inline bool lg_spend(validation *v, const node *n, const spot *at, uint64_t steps)
{
    if (v->steps >= steps) {
        v->steps -= steps;
        return true;
    }
    v->steps = 0;
    return lg_stop(v, n, at, "takes more steps to check than the limit allows");
}

// The words of each kind of violation. All return false; without a report they do nothing else.
typedef struct size_range {
    uint64_t min;
    uint64_t max;
} size_range;
typedef struct size_words {
    const char *min_keyword;
    const char *max_keyword;
    const char *one;
    const char *many;
} size_words;
bool lg_report_type(validation *v, const node *n, const spot *at, uint32_t types);
bool lg_report_enum(validation *v, const node *n, const spot *at);
bool lg_report_const(validation *v, const node *n, const spot *at);
bool lg_report_bound(validation *v, const node *n, const spot *at, const lg_json *bound,
                     const char *keyword, const char *words);
bool lg_report_size(validation *v, const node *n, const spot *at, size_range range, uint64_t size,
                    const size_words *words);
bool lg_report_pattern(validation *v, const node *n, const spot *at, const lg_pattern *pattern);
bool lg_report_format(validation *v, const node *n, const spot *at, const format_rule *wanted);
bool lg_report_missing(validation *v, const node *n, const spot *at, lg_str member);
bool lg_report_dependent(validation *v, const node *n, const spot *at, const dependency *d,
                         lg_str member);
bool lg_report_unknown(validation *v, const node *n, const spot *member, const char *keyword);
bool lg_report_name(validation *v, const node *n, const spot *at, const spot *name,
                    const scope *outer);
bool lg_report_surplus(validation *v, const node *n, const spot *at, size_t index,
                       const char *keyword);
bool lg_report_repeat(validation *v, const node *n, const spot *at, size_t first, size_t second);
bool lg_report_contains(validation *v, const node *n, const spot *at, uint64_t found);
bool lg_report_choice(validation *v, const node *n, const spot *at, const scope *outer,
                      const node_list *choices, const char *keyword);
bool lg_report_both(validation *v, const node *n, const spot *at, size_t first, size_t second);
bool lg_report_not(validation *v, const node *n, const spot *at);
bool lg_report_false(validation *v, const node *n, const spot *at);

#endif
