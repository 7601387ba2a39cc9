// describe_internal.h: what the files of this room share.
#ifndef LG_DESCRIBE_INTERNAL_H
#define LG_DESCRIBE_INTERNAL_H

#include "describe/describe.h"

#include "base/map.h"

#define DESCRIBE_UNKNOWN_MAX 32u // told of one tool

typedef struct job {
    lg_arena *arena;
    lg_str text;
    lg_description *list;
    lg_map names;    // of tools
    lg_map seen;     // name and parameters of tools
    lg_str tool;     // that is being read
    uint32_t offset; // where it stands
    size_t nodes;    // schemas that may still be made
    lg_str unknown[DESCRIBE_UNKNOWN_MAX];
    size_t unknown_count;
    bool oom;
    bool too_many;
} job;

// --- Making (make.c) ----------------------------------------------------------------------------

LG_NODISCARD lg_status describe_begin(lg_arena *arena, lg_str text, lg_describe_input input,
                                      job *ret, lg_error *reterr);
LG_NODISCARD lg_status describe_end(job *j, lg_description **ret, lg_error *reterr);

LG_PRINTF(3, 4) void describe_note(job *j, uint32_t offset, const char *format, ...);
LG_PRINTF(2, 3) void describe_unknown(job *j, const char *format, ...);

// Members of an object that is being made, in their order.
typedef struct draft {
    job *j;
    lg_json_member *members;
    size_t count, capacity;
} draft;

// Puts `key` in, or another value in its place. Takes as long as there are members.
void describe_put(draft *d, lg_str key, lg_json value);
void describe_put_c(draft *d, const char *key, const char *value);
// The same of a key that is not there.
void describe_add(draft *d, lg_str key, lg_json value);
// Begins with the members of `object`, which may be no object: then with none.
draft describe_draft_of(job *j, const lg_json *object);
lg_json describe_object(const draft *d);
lg_json describe_text(job *j, lg_str text); // a copy of it
lg_json describe_list(job *j, const lg_json *items, size_t count);
const lg_json *describe_keep(job *j, lg_json value); // NULL when out of memory

lg_json describe_type(job *j, const char *type); // {"type": type}; NULL: {}
lg_json describe_array(job *j, const lg_json *items);
lg_json describe_either(job *j, const lg_json *schemas, size_t count);
// The schema with `description`, unless it has one or is none that can have it.
lg_json describe_said(job *j, const lg_json *schema, lg_str description);
// "The file name" for `file_name`.
lg_str describe_phrase(job *j, lg_str name);

// Adds the tool with the schemas as they are put; compiles both, and leaves open what is none.
void describe_add_tool(job *j, const lg_described *tool);
bool describe_compiles(job *j, const lg_json *schema, lg_str *ret_why);
// The schema as an answer that no error is: `not` only {"error": ...}.
lg_json describe_apart(job *j, const lg_json *success);

// --- References (inline.c) ----------------------------------------------------------------------

// The schema without any `$ref`, in the words of draft 2020-12, every property with a description.
lg_json describe_inline(job *j, const lg_json *schema, const lg_json *document,
                        lg_schema_dialect dialect);

// --- Guessing (guess.c) -------------------------------------------------------------------------

// What a tool gives, by the verb and the noun of its name. An empty schema: nothing is known.
lg_json describe_guess(job *j, lg_str name, lg_str description);

// --- Docstrings and lists of parameters (docstring.c) -------------------------------------------

typedef struct doc_entry {
    lg_str name, type, text;
} doc_entry;

typedef struct doc_entries {
    doc_entry *items;
    size_t count, capacity;
} doc_entries;

typedef struct doc {
    lg_str body; // before the first section
    doc_entries params, results;
    bool says_params; // there is a section of them, which may be empty
    lg_str returns_type, returns;
} doc;

// `loose`: in words, where lists begin with bullets and types stand behind a colon.
doc describe_doc(job *j, lg_str text, bool loose);
bool describe_is_section(lg_str line);        // "Parameters:", "## Returns"
lg_str describe_squeeze(job *j, lg_str text); // runs of blanks and line ends are one blank

// --- Python (python_*.c) ------------------------------------------------------------------------

typedef enum py_kind { PY_END, PY_NAME, PY_NUMBER, PY_TEXT, PY_OP } py_kind;

typedef struct py_token {
    py_kind kind;
    bool first;      // of a logical line
    bool raw;        // a text in which `\` is itself
    uint32_t indent; // of that line
    uint32_t offset;
    lg_str text; // of a text what is between its quotes
} py_token;

typedef struct py_field {
    lg_str name;
    size_t type_at, value_at; // tokens; 0: there is none
} py_field;

typedef struct py_class {
    lg_str name;
    size_t bases_at; // the token behind `(`; 0: none
    bool is_record, is_enum, total;
    py_field *fields;
    size_t count, capacity;
    lg_str doc;
    uint32_t open; // how often it is being put in now
} py_class;

typedef struct py {
    job *j;
    const py_token
        *tokens;           // that are read: of the module, or of a type in a text. Ends with PY_END
    const py_token *whole; // of the module, where classes and aliases stand
    size_t at;
    py_class *classes;
    size_t class_count, class_capacity;
    lg_map names; // of classes and of aliases: to a py_name
    uint32_t depth;
} py;

typedef struct py_name {
    py_class *of;    // or
    size_t alias_at; // the token of its type
} py_name;

typedef struct py_parameter {
    lg_str name;
    lg_json type; // {} if there is no annotation
    bool typed, optional;
    const lg_json *value; // of the default; NULL: none that is known
} py_parameter;

typedef struct py_function {
    lg_str name;
    uint32_t offset;
    py_parameter *params;
    size_t count, capacity;
    bool any_more; // **kwargs
    bool is_cut;   // it has more parameters than are read
    bool has_signature, has_returns;
    lg_json returns;
    lg_str doc;
    bool loose; // told in words
} py_function;

// `inside`: an expression on its own, whose line ends mean nothing.
LG_NODISCARD lg_status py_lex(job *j, lg_str text, bool inside, const py_token **ret,
                              lg_error *reterr);
lg_str py_decode(job *j, const py_token *token);
static inline bool py_is(const py *p, const char *op)
{
    const py_token *t = &p->tokens[p->at];
    return (t->kind == PY_OP || t->kind == PY_NAME) && lg_str_eq(t->text, lg_str_c(op));
}
bool py_take(py *p, const char *op);
void py_skip(py *p); // an expression, up to `,`, `=`, `:`, a closing bracket or the line's end

lg_json py_type(py *p);
// A literal; NULL, and the expression skipped, if it is none.
const lg_json *py_value(py *p);
bool py_reads_parameters(py *p, py_function *f, bool is_method);
// The type in a docstring's or anyone's words.
lg_json py_type_of_words(py *p, lg_str words, bool *ret_known);
// Is `word` a type, "required", "optional" or "default ..."?
bool py_is_type_word(lg_str word);

LG_NODISCARD lg_status describe_python(job *j, lg_error *reterr);
LG_NODISCARD lg_status describe_words(job *j, lg_error *reterr);
// Adds the tool that a function is.
void describe_add_function(py *p, const py_function *f);

#endif
