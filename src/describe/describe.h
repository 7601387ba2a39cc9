// describe.h: tools that are described in words, Python or lists become one OpenAPI 3.1 document.
//
// The schema converter of Gecko (section 3.5, appendix A.7): every tool is `POST /tools/NAME` with a body that says its
// arguments and an answer that is `oneOf` of what it gives and of an error, `{"error": text}`. Nothing in the document
// refers to anything: `$ref` is put in where it stands, and what contains itself is cut with a note.
//
//     lg_description *tools;
//     if (lg_describe_read(&arena, text, NULL, &tools, &error) != LG_OK) ... // error.line, error.column
//     if (llm) lg_describe_ask(&arena, tools, llm, &error)                   // what rules could not tell
//     lg_describe_print(&out, tools, LG_STR("Shop"));
//
// Rules go first, and each part of a tool says what it came from (`lg_describe_by`). What nothing tells is said, too, and
// left open. A model is asked for the rest alone, and its answer is looked at before it is used: names that are not in the
// tool's own words and schemas that are none are findings, and the rules' version stays.
//
// All input is hostile. Python is read and never run. Depth, schemas put in and findings are bounded; the time is in
// proportion to the text and what is made of it. Everything lives in `arena` and points into `text`, which must outlive it.
#ifndef LG_DESCRIBE_H
#define LG_DESCRIBE_H

#include "catalogue/catalogue.h"
#include "catalogue/kind.h"
#include "llm/llm.h"

typedef enum lg_describe_input {
    LG_DESCRIBE_GUESS,  // by the text's shape
    LG_DESCRIBE_LIST,   // JSON: whatever a catalogue reads
    LG_DESCRIBE_PYTHON, // signatures, docstrings, classes as types
    LG_DESCRIBE_WORDS,  // names, sentences, lists of parameters
} lg_describe_input;

// "guess", "list", "python", "words".
const char *lg_describe_input_name(lg_describe_input input);

// What a part of a tool came from.
typedef enum lg_describe_by {
    LG_BY_NOTHING, // it is not known, and left open
    LG_BY_SCHEMA,
    LG_BY_SIGNATURE,
    LG_BY_DOCSTRING, // or a list of parameters in words
    LG_BY_WORDS,     // guessed by the verb and the noun of the name
    LG_BY_MODEL,
} lg_describe_by;

// "nothing", "schema", "signature", "docstring", "words", "model".
const char *lg_describe_by_name(lg_describe_by by);

typedef struct lg_described {
    lg_str name;        // of no other tool of the list
    lg_str description; // may be empty
    lg_str words;       // all that was said of it, for a model; may be empty
    uint32_t offset;    // where it begins in the text
    lg_words kind;
    const lg_json *parameters; // an object
    const lg_json *success;
    lg_describe_by parameters_by, success_by;
    const lg_str *unknown; // what was not told: "`days` has no type"
    size_t unknown_count;
} lg_described;

typedef struct lg_describe_finding {
    lg_str tool;
    uint32_t offset;
    lg_str msg; // for people: no newline, no final full stop
} lg_describe_finding;

#define LG_DESCRIBE_FINDINGS_MAX 1000u
#define LG_DESCRIBE_NODES_MAX 300000u // schemas that are made of one text; what is beyond is cut
#define LG_DESCRIBE_DEPTH_MAX 48u     // of a schema that is made
#define LG_DESCRIBE_MEMBERS_MAX 512u  // parameters of a function, members of a class

typedef struct lg_description {
    lg_describe_input input;
    lg_described *tools;
    size_t tool_count, tool_capacity;
    size_t repeated; // tools that were there already, the same in all
    lg_describe_finding *findings;
    size_t finding_count, finding_capacity;
    size_t findings_dropped; // past LG_DESCRIBE_FINDINGS_MAX
} lg_description;

typedef struct lg_describe_options {
    lg_describe_input input;
    const lg_limits *limits;
} lg_describe_options;

// Reads the tools of `text` by rules alone. Fails with LG_ERR_PARSE or LG_ERR_FORMAT (line and column; no tool at all is
// one), LG_ERR_LIMIT or LG_ERR_OOM. `options` and `reterr` may be NULL.
LG_NODISCARD lg_status lg_describe_read(lg_arena *arena, lg_str text,
                                        const lg_describe_options *options, lg_description **ret,
                                        lg_error *reterr);

// The same for tools that were read elsewhere, for example from YAML.
LG_NODISCARD lg_status lg_describe_catalogue(lg_arena *arena, const lg_catalogue *catalogue,
                                             lg_description **ret, lg_error *reterr);

// Asks `llm` what the rules could not tell: parameters that are only in prose, and what a tool gives of which there is
// only a guess. A question that fails is a finding. Fails with LG_ERR_OOM, or as lg_llm_ask_all().
LG_NODISCARD lg_status lg_describe_ask(lg_arena *arena, lg_description *tools, lg_llm *llm,
                                       lg_error *reterr);

// Appends the document as JSON. The same tools give the same bytes.
void lg_describe_print(lg_buf *out, const lg_description *tools, lg_str title);

#endif
