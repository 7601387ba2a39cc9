// pack.h: a pack, compiled: tools, ledger paths, path map, rules.
//
// A pack is read once from YAML or JSON, checked as a whole, and never changed. Everything an
// author can get wrong is found here, at load, with file, line and column, as many errors at once
// as the limit allows: unknown keys, unknown tools, ill-typed expressions, stores that do not fit
// their path. After loading, `that` is known to be a bool and every store to be well typed.
//
// docs/pack-format.md describes the language; lg_pack_load() is in <ledgergate/ledgergate.h>.
#ifndef LG_PACK_H
#define LG_PACK_H

#include "cel/cel.h"
#include "schema/schema.h"

#include <ledgergate/ledgergate.h>

typedef enum lg_tool_kind {
    LG_TOOL_READ,    // its result enters the ledger
    LG_TOOL_WRITE,   // changes something: gated
    LG_TOOL_GENERIC, // neither: never gated, never stored
} lg_tool_kind;

#define LG_PATH_SEGMENTS_MAX 8u

// A declared place in the ledger: `orders.*`, one segment a name, `*` for one opaque key.
typedef struct lg_ledger_path {
    lg_str text;
    lg_str segments[LG_PATH_SEGMENTS_MAX];
    uint32_t segment_count;
    const lg_cel_type *type;
    uint32_t offset; // in the pack's text
} lg_ledger_path;

// One segment of a store's target: a fixed name, or a key computed from the call.
typedef struct lg_store_segment {
    lg_str name;               // fixed; or empty
    const lg_cel_program *key; // computed; or NULL
    lg_str argument; // name if the key is exactly `args.<name>`: then a read can be suggested
} lg_store_segment;

#define LG_EACH_MAX 3u

// Where one part of a result goes. `segments` may reach below the declared path: then one field of
// the record that stands there is replaced.
typedef struct lg_store {
    const lg_cel_program *when; // or NULL
    const lg_cel_program *each[LG_EACH_MAX];
    uint32_t each_count;
    lg_store_segment segments[LG_PATH_SEGMENTS_MAX];
    uint32_t segment_count;
    const lg_ledger_path *path;
    const lg_cel_program *value;
} lg_store;

// A pattern of ledger paths that a write may change: `orders[args.order_id]`, or a whole collection.
typedef struct lg_change {
    lg_store_segment segments[LG_PATH_SEGMENTS_MAX];
    uint32_t segment_count; // a prefix: every record at or below it
} lg_change;

typedef struct lg_tool {
    lg_str name;
    lg_str description;
    lg_tool_kind kind;
    const lg_json *parameters;  // JSON Schema
    const lg_schema *arguments; // the same, compiled
    const lg_cel_type *args_type;
    const lg_cel_type *result_type;
    const lg_schema *result; // what `returns` declares, compiled; NULL: anything, or text
    bool returns_text;       // the result is bare text, not JSON
    const lg_store *stores;
    size_t store_count;
    bool declares_changes; // false for a write: it may have changed anything
    const lg_change *changes;
    size_t change_count;
    const uint32_t *rules; // indices of the rules that apply to it, in the pack's order
    size_t rule_count;
    uint32_t offset;
} lg_tool;

typedef struct lg_binding { // One `let`.
    lg_str name;
    const lg_cel_program *program;
} lg_binding;

// A text with `{expression}` placeholders: a literal, then perhaps a value, part by part.
typedef struct lg_template_part {
    lg_str literal;
    const lg_cel_program *program; // NULL: literal only
    lg_str source;                 // of the expression
} lg_template_part;

typedef struct lg_template {
    const lg_template_part *parts;
    size_t count;
} lg_template;

typedef struct lg_rule {
    lg_str id;
    const lg_binding *lets; // slots LG_SLOT_COUNT and up, in order
    size_t let_count;
    const lg_cel_program *when; // or NULL
    const lg_cel_program *that;
    const lg_str *needs; // paths whose absence is a finding; none: the rule abstains
    size_t need_count;
    lg_verdict otherwise;
    lg_template say;
    lg_str because;
    const uint32_t *tools; // indices
    size_t tool_count;
    uint32_t offset;
} lg_rule;

// Slots of the activation that rules are evaluated with.
enum { LG_SLOT_LEDGER, LG_SLOT_ARGS, LG_SLOT_NOW, LG_SLOT_TOOL, LG_SLOT_COUNT };
// Slots for `stores`. Of `changes` only the first is there.
enum { LG_STORE_SLOT_ARGS, LG_STORE_SLOT_RESULT, LG_STORE_SLOT_ITEM, LG_STORE_SLOT_COUNT };

struct lg_pack {
    lg_arena arena; // owns everything below
    const char *file;
    lg_str text;
    lg_str name;
    lg_str version;
    lg_str description;
    bool fixed_clock;
    int64_t clock_seconds;
    uint32_t clock_nanos;
    bool allow_unknown_tools;
    const lg_json *document; // the whole pack as values
    const lg_cel_type *ledger_type;
    const lg_ledger_path *paths;
    size_t path_count;
    const lg_tool *tools;
    size_t tool_count;
    const lg_rule *rules;
    size_t rule_count;
    uint32_t let_max;    // most `let`s of any rule
    const lg_json *root; // the ledger before anything was observed
    char hash[65];       // SHA-256 of the document's canonical form
};

// The tool called `name`, or NULL.
const lg_tool *lg_pack_tool(const lg_pack *pack, lg_str name);

// The declared tool whose name is closest to `name`, or NULL if none is close.
const lg_tool *lg_pack_closest_tool(const lg_pack *pack, lg_str name);

// Line and column of byte `offset` of the pack's text.
lg_position lg_pack_position(const lg_pack *pack, uint32_t offset);

const char *lg_tool_kind_name(lg_tool_kind kind); // "read", "write", "generic"

#endif
