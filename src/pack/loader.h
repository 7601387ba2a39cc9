// loader.h: what the files of this room share while a pack is being loaded. Not for other rooms.
#ifndef LG_PACK_LOADER_H
#define LG_PACK_LOADER_H

#include "cel/tree.h"
#include "pack/pack.h"

typedef struct loader {
    lg_pack *pack;
    lg_arena *arena; // the pack's
    lg_limits limits;
    lg_errors errors;
    const lg_json *types; // the `types` object, or NULL
    struct named_type {
        const lg_cel_type *type; // NULL until it was asked for
        bool open; // being built: a reference to it now is a loop, or a recursive object
    } * named;     // one a type
    const lg_cel_env *definitions; // no names but those of `define`: the root of all others
    lg_cel_env *rule_base;         // ledger only; each rule adds its own args
    size_t remark_capacity;        // of the pack's
    bool told_of_state;            // that there is none
} loader;

// --- Errors and expressions (load.c) ------------------------------------------------------------

// Adds an error at byte `offset` of the pack.
LG_PRINTF(3, 4) void loader_error(loader *l, uint32_t offset, const char *format, ...);

// Adds a remark: the pack is sound, and its author is told.
LG_PRINTF(3, 4) void loader_remark(loader *l, uint32_t offset, const char *format, ...);

// Adds an error for each member of `object` whose key is not among the `count` allowed ones, with
// the closest of them. Also refuses what is no object: then it returns false.
bool loader_check_keys(loader *l, const lg_json *object, const char *what,
                       const char *const *allowed, size_t count);

// The member `key` if it is a string; adds an error if it is anything else. Absent: empty slice,
// and an error if `required`.
lg_str loader_string(loader *l, const lg_json *object, const char *key, bool required);

// Compiles bytes `from` to `to` of the string `scalar` as CEL; positions in errors point into the
// pack. Returns NULL after adding errors.
const lg_cel_program *loader_compile(loader *l, const lg_cel_env *env, const lg_json *scalar,
                                     size_t from, size_t to);

// Has the pack no `state`? Whatever speaks of it is one error, at the first place that does.
bool loader_lacks_state(loader *l, uint32_t offset);

// Takes over errors whose positions count from the start of `source`, bytes `from` and on of
// `scalar`.
void loader_adopt_errors(loader *l, const lg_json *scalar, size_t from, lg_str source,
                         const lg_errors *errors);

// The whole of `scalar`, which must be a string. `want`: the kind it must have (or dyn).
const lg_cel_program *loader_compile_as(loader *l, const lg_cel_env *env, const lg_json *scalar,
                                        lg_cel_kind want, const char *what);

// A schema of the pack, or the name of one of its types, compiled. NULL after adding errors.
const lg_schema *loader_schema(loader *l, const lg_json *schema, bool closed);

// --- Names (names.c) ----------------------------------------------------------------------------

// The closest of the names that were offered to one that nobody declared.
typedef struct loader_names {
    lg_str wanted;
    lg_str best; // empty: none is close
    uint32_t distance;
} loader_names;

void loader_offer(loader_names *names, lg_str name);
void loader_offer_fields(loader_names *names, const lg_cel_type *type); // of an object
// "; did you mean `orders`?", or "".
const char *loader_meant(loader *l, const loader_names *names);

// --- Types (types.c) ----------------------------------------------------------------------------

// The CEL type of values that satisfy a JSON Schema; dyn where a schema says nothing that a type
// can hold. A string is the name of one of the pack's types. Never NULL.
const lg_cel_type *loader_type(loader *l, const lg_json *schema);

// May a value of type `from` be stored where `to` is declared? Unknown (dyn) parts always may.
bool loader_assignable(const lg_cel_type *from, const lg_cel_type *to);

// Do both list the same values, or none? The type without its list.
bool loader_same_values(const lg_cel_type *a, const lg_cel_type *b);
const lg_cel_type *loader_without_values(const lg_cel_type *type);

// --- Places (places.c) --------------------------------------------------------------------------

void loader_read_ledger(loader *l, const lg_json *ledger);
void loader_read_state(loader *l, const lg_json *state);
bool loader_is_name(lg_str text); // letters, digits and `_`

// --- Targets (targets.c) ------------------------------------------------------------------------

// Reads a target among `places`, which are those of the pack. False after adding an error.
bool loader_read_target(loader *l, const lg_cel_env *env, const lg_json *scalar,
                        const lg_places *places, lg_target *target);

// Adds an error if a value of type `from` does not fit where `at` leads, which holds `to`. `holder`
// is "ledger" or "state".
void loader_check_fits(loader *l, const lg_json *at, const lg_cel_type *from, const lg_cel_type *to,
                       const char *holder);

// --- What is written out (fits.c) ---------------------------------------------------------------

// The schema of what stands at the target, of a member or an item of what `schema` describes; NULL
// if it is not known, or combined of several.
const lg_json *loader_schema_at(const loader *l, const lg_target *target);
const lg_json *loader_schema_of_item(const loader *l, const lg_json *schema);
bool loader_schema_requires(const loader *l, const lg_json *schema, lg_str name);

typedef struct loader_wanted {
    const lg_json *scalar; // the expression, for positions
    const lg_cel_type *type;
    const lg_json *schema; // or NULL: not known
    lg_str what;           // it has to fit: "`a.b`"
    bool unfinished;       // later steps add to it: something required may be absent
} loader_wanted;

// Adds an error for every part of the expression that is written out (a literal, the members of a
// record) and does not fit.
void loader_check_literals(loader *l, const lg_cel_program *program, const loader_wanted *wanted);

// --- Comparisons (never.c) ----------------------------------------------------------------------

// Tells of each text in the tree that something is compared with, by `==`, `!=` or `in [...]`.
typedef void loader_comparison(void *context, const lg_cel_node *value, const lg_cel_node *literal);
void loader_each_comparison(const lg_cel_node *tree, loader_comparison *take, void *context);

// Adds an error for every literal that a field is compared with and never is, by its schema. The
// expression begins at byte `from` of `scalar`.
void loader_check_comparisons(loader *l, const lg_json *scalar, size_t from,
                              const lg_cel_program *program);

// The schema itself, where a name or a reference stands for it; NULL if it cannot be found (fits.c).
const lg_json *loader_schema_meant(const loader *l, const lg_json *schema);

// --- What looks right and is not (lints.c) ------------------------------------------------------

// Adds remarks about a text that is no expression; about an expression, which begins at byte `from` of `scalar`;
// about a rule; about all tools.
void loader_lint_text(loader *l, const lg_json *scalar);
void loader_lint_expression(loader *l, const lg_json *scalar, size_t from,
                            const lg_cel_program *program);
void loader_lint_rule(loader *l, const lg_rule *rule, const lg_json *body);
void loader_lint_tools(loader *l);

// --- What may be absent (absences.c) ------------------------------------------------------------

// Adds a remark for each field that the rule reads although it may be absent.
void loader_remark_absences(loader *l, const lg_rule *rule, const lg_json *body);

// --- Stores (stores.c) --------------------------------------------------------------------------

void loader_read_stores(loader *l, lg_tool *tool, const lg_json *stores);

// --- Definitions (define.c) ---------------------------------------------------------------------

// Sets l->definitions, also without any.
void loader_read_definitions(loader *l, const lg_json *define);

// --- What tools do (steps.c, conditions.c) ------------------------------------------------------

void loader_read_procedures(loader *l, const lg_json *procedures);
void loader_read_settle(loader *l, const lg_json *settle);

// The keys of `body` that say what the tool does to the state, and what it answers.
void loader_read_effects(loader *l, lg_tool *tool, const lg_json *body);

// `errors`: texts of a write after which nothing has changed.
void loader_read_tool_errors(loader *l, lg_tool *tool, const lg_json *errors);

void loader_read_ensures(loader *l, lg_tool *tool, const lg_json *ensures);
void loader_read_invariants(loader *l, const lg_json *invariants);

// `stale: use` or `reread`; what `otherwise` says if there is none.
lg_stale_policy loader_read_stale(loader *l, const lg_json *body, lg_stale_policy otherwise);

// `category`: one of `first` to `last`; LG_CATEGORY_NONE if there is none.
lg_category loader_read_category(loader *l, const lg_json *body, lg_category first,
                                 lg_category last);

// --- What is shown and changed (reach.c) --------------------------------------------------------

// For each tool the paths of the state that it shows and changes, and for each invariant those of
// the ledger that it reads. Only for a pack without errors. `tools` are the pack's own.
void loader_find_reach(loader *l, lg_tool *tools);

// --- Rules (rules.c) ----------------------------------------------------------------------------

void loader_read_rules(loader *l, const lg_json *rules);

// `conversation`, after the rules (conversation.c).
void loader_read_conversation(loader *l, const lg_json *conversation);

// `requests` and `customer`, after the tools (requests.c).
void loader_read_requests(loader *l, const lg_json *requests, const lg_json *customer);

// Declares each `let` in `env` after compiling it; the bindings' slots follow one another. NULL and
// zero without `lets`. `what` is their key, for errors.
const lg_binding *loader_read_lets(loader *l, const lg_json *lets, const char *what,
                                   lg_cel_env *env, size_t *ret_count);

// --- What is said (says.c) ----------------------------------------------------------------------

// A text with placeholders.
void loader_read_template(loader *l, const lg_cel_env *env, const lg_json *scalar,
                          lg_template *ret);

// `say` and `show` of a rule whose `let`s are declared in `env`.
void loader_read_say(loader *l, lg_cel_env *env, const lg_json_member *member, lg_rule *rule);

// `offer`, for arguments of type `args`.
void loader_read_offers(loader *l, const lg_json *offers, const lg_cel_type *args, lg_rule *rule);

// `found_in` of a read.
void loader_read_found_in(loader *l, lg_tool *tool, const lg_json *found_in);

// For each tool the list of its rules, in the pack's order. `tools` are the pack's own.
void loader_index_rules(loader *l, lg_tool *tools);

#endif
