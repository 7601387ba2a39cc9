// catalogue_internal.h: what the files of this room share: the reader, its sets, its complaints.
#ifndef LG_CATALOGUE_INTERNAL_H
#define LG_CATALOGUE_INTERNAL_H

#include "catalogue/catalogue.h"

#define LG_CATALOGUE_HOPS_MAX 16u         // of one reference to the next
#define LG_CATALOGUE_SCHEMA_ERRORS 8u     // told of one schema
#define LG_CATALOGUE_GATHER_DEPTH_MAX 32u // of `allOf` and `$ref` that name arguments together
#define LG_CATALOGUE_VISITS_MAX 10000u    // of schemas, to list the arguments of one tool

// --- Sets (set.c) -------------------------------------------------------------------------------

// Texts, each with the index it was put in with.
typedef struct text_set {
    struct text_slot *slots;
    size_t capacity; // a power of two, or 0
    size_t count;
} text_set;

// Puts `key` in with `index`, unless it is there: then returns the index it has. SIZE_MAX if it is
// new. Sets `*oom` when out of memory. `key` must outlive the set.
size_t lg_text_set_put(lg_arena *arena, text_set *set, lg_str key, size_t index, bool *oom);
size_t lg_text_set_find(const text_set *set, lg_str key); // its index, or SIZE_MAX

// --- The reader (read.c) ------------------------------------------------------------------------

typedef struct reader {
    lg_arena *arena;
    lg_str text;
    lg_catalogue_options options;
    lg_limits limits;
    const lg_json *root; // the document, or the line, that is being read
    lg_catalogue catalogue;
    size_t tool_capacity;
    size_t finding_capacity;
    text_set names; // of the list that is being read
    text_set told;  // kinds and places of findings: a shared schema is complained of once
    lg_str tool;    // the name of the tool that is being read
    bool oom;
    bool too_many;
} reader;

// Notes a finding about the value at `offset`, once.
LG_PRINTF(4, 5)
void lg_catalogue_complain(reader *r, lg_catalogue_kind kind, uint32_t offset, const char *format,
                           ...);

// Adds `tool`: compiles its schemas, lists its arguments, looks for whatever is wrong with it.
void lg_catalogue_add_tool(reader *r, const lg_catalogue_tool *tool);

// --- Parts --------------------------------------------------------------------------------------

// Adds the operations of the document `r->root` (openapi.c). False if it is of no known version.
bool lg_openapi_read(reader *r);

// The schema with the type words of programming languages replaced by JSON Schema's (words.c);
// `schema` itself where there are none. NULL when out of memory.
const lg_json *lg_words_normalise(reader *r, const lg_json *schema);
// Is the `type` of this schema such a word, and none of JSON Schema's?
bool lg_words_are_foreign(const lg_json *schema);

// The document with those schemas set right that break its version but are clear, each with a warning (mend.c);
// `document` itself where there are none.
const lg_json *lg_catalogue_mend(reader *r, const lg_json *document, lg_schema_dialect dialect);

// Lists the named arguments of `tool` (refer.c).
void lg_catalogue_list_arguments(reader *r, lg_catalogue_tool *tool);

// Compiles the schemas of `tool` and complains of what is wrong with it (lint.c).
void lg_catalogue_lint(reader *r, lg_catalogue_tool *tool);

// An object of `count` members that stands where `offset` says; an unset value when out of memory.
lg_json lg_catalogue_object(reader *r, lg_json_member *members, size_t count, uint32_t offset);
lg_json_member *lg_catalogue_members(reader *r, size_t count); // NULL: out of memory, and noted

#endif
