// chat_lenient.h: what the most lenient of clients would call, of the bytes that were written for it.
//
// It ends lines where Unicode does, strips blanks and byte order marks, does not look at the case of keys, knows the names
// of all protocols at once, and takes for a call whatever looks like one. What it finds must be a call that was
// listed and allowed; the arguments too.
#ifndef LG_CHAT_LENIENT_H
#define LG_CHAT_LENIENT_H

#include "chat_dump.h"

#include <strings.h>

typedef struct lenient {
    lg_arena arena;
    lg_str line;
    const lg_chat_reply *reply; // NULL: nothing is allowed
    const lg_chat_ruling *ruling;
    uint64_t acted; // blocks whose arguments are of what the upstream did
    const char *broken;
} lenient;

// As the loosest reader has it: lower case, without underscores and hyphens.
static inline bool lenient_is(lg_str key, const char *word)
{
    char folded[64];
    size_t len = 0;
    for (size_t i = 0; i < key.len && len + 1 < sizeof(folded); i++) {
        bool long_s = i + 1 < key.len && memcmp(key.ptr + i, "\xC5\xBF", 2) == 0;
        bool kelvin = i + 2 < key.len && memcmp(key.ptr + i, "\xE2\x84\xAA", 3) == 0;
        if (key.ptr[i] != '_' && key.ptr[i] != '-') {
            folded[len++] = long_s ? 's' : kelvin ? 'k' : key.ptr[i];
        }
        i += long_s ? 1 : kelvin ? 2 : 0;
    }
    folded[len] = '\0';
    return strcasecmp(folded, word) == 0;
}

static inline bool lenient_is_one(lg_str key, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        if (lenient_is(key, words[i])) {
            return true;
        }
    }
    return false;
}

static inline size_t lenient_members(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_OBJECT) ? lg_json_len(value) : 0;
}

// The last member of any of these names wins.
static inline const lg_json *lenient_get(const lg_json *object, const char *const *words)
{
    const lg_json *found = NULL;
    for (size_t i = 0; i < lenient_members(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        bool given = !lg_json_is(&member->value, LG_JSON_NULL);
        found = given && lenient_is_one(lg_json_key(member), words) ? &member->value : found;
    }
    return found;
}

static const char *const lenient_name[] = {"name", NULL};
static const char *const lenient_args[] = {"arguments", "args",    "input", "action",
                                           "operation", "actions", NULL};
static const char *const lenient_type[] = {"type", NULL};

// --- What was allowed -------------------------------------------------------------------------------

static inline bool lenient_same(lg_str a, lg_str b)
{
    lg_json_doc *docs[2] = {NULL, NULL};
    bool same = lg_str_eq(a, b) || (lg_json_parse(a, NULL, &docs[0], NULL) == LG_OK &&
                                    lg_json_parse(b, NULL, &docs[1], NULL) == LG_OK &&
                                    lg_json_equal(lg_json_root(docs[0]), lg_json_root(docs[1])));
    lg_json_doc_free(docs[0]);
    lg_json_doc_free(docs[1]);
    return same;
}

static inline bool lenient_allows(const lenient *l, const lg_json *name, const lg_json *args)
{
    lg_str text = lg_json_is(args, LG_JSON_STRING) ? lg_json_str(args)
                  : args                           ? lg_json_source(l->line, args)
                                                   : LG_STR("");
    bool any = text.len == 0 || lg_str_eq(text, LG_STR("{}"));
    for (size_t i = 0; l->reply && i < l->reply->call_count; i++) {
        const lg_chat_call *call = &l->reply->calls[i];
        bool same = (!name || lg_str_eq(lg_json_str(name), call->tool)) &&
                    (any || lenient_same(text, call->args));
        if (same && l->ruling->allowed[i] && !call->cut && !call->broken) {
            return true;
        }
    }
    return false;
}

static inline void lenient_found(lenient *l, const lg_json *name, const lg_json *args)
{
    if (!lenient_allows(l, name, args)) {
        l->broken = "what a lenient client calls was listed and allowed";
    }
}

// --- Reading ----------------------------------------------------------------------------------------

static inline bool lenient_is_acted(const lg_json *object)
{
    lg_str type = lg_json_str(lg_json_get(object, LG_STR("type")));
    return lg_str_eq(type, LG_STR("server_tool_use")) || lg_str_eq(type, LG_STR("mcp_tool_use")) ||
           lg_str_eq(type, LG_STR("mcp_call"));
}

// A call in whichever form: {name, arguments}, {function: {name, arguments}}, {custom: {name, input}}.
static inline void lenient_call(lenient *l, const lg_json *call)
{
    static const char *const inner[] = {"function", "custom", NULL};
    const lg_json *of = lenient_get(call, inner);
    of = lenient_members(of) ? of : call;
    if (lenient_members(call)) {
        lenient_found(l, lenient_get(of, lenient_name), lenient_get(of, lenient_args));
    }
}

static inline void lenient_calls(lenient *l, const lg_json *calls)
{
    size_t count = lg_json_is(calls, LG_JSON_ARRAY) ? lg_json_len(calls) : 0;
    lenient_call(l, calls);
    for (size_t i = 0; i < count; i++) {
        lenient_call(l, lg_json_item(calls, i));
    }
}

// Arguments that come in pieces: here each call has one.
static inline void lenient_pieces(lenient *l, const lg_json *object)
{
    static const char *const partial[] = {"partialjson", NULL};
    static const char *const pieces[] = {"delta", "arguments", "input", NULL};
    lg_str type = lg_json_str(lg_json_get(object, LG_STR("type")));
    const lg_json *json = lenient_get(object, partial);
    bool of_args = lg_str_starts(type, LG_STR("response.function_call_arguments")) ||
                   lg_str_starts(type, LG_STR("response.custom_tool_call_input"));
    if (lg_json_str(json).len) {
        lenient_found(l, NULL, json);
    }
    if (of_args) {
        lenient_found(l, lenient_get(object, lenient_name), lenient_get(object, pieces));
    }
}

static inline void lenient_walk(lenient *l, const lg_json *value);

// Of what the upstream did, blocks are remembered by their index.
static inline bool lenient_is_of_acted(lenient *l, const lg_json *object)
{
    int64_t index = 64;
    const lg_json *given = lg_json_get(object, LG_STR("index"));
    if (!given || !lg_json_int(given, &index) || index < 0 || index > 63) {
        return false;
    }
    if (lenient_is_acted(lg_json_get(object, LG_STR("content_block")))) {
        l->acted |= UINT64_C(1) << index;
    }
    return l->acted >> index & 1 && lg_json_get(object, LG_STR("delta"));
}

static inline void lenient_object(lenient *l, const lg_json *object)
{
    static const char *const types[] = {
        "functioncall",   "customtoolcall", "computercall",       "localshellcall", "shellcall",
        "applypatchcall", "tooluse",        "mcpapprovalrequest", "toolcall",       NULL};
    static const char *const keys[] = {"toolcalls",    "toolcall", "functioncalls",
                                       "functioncall", "tooluse",  NULL};
    static const char *const skipped[] = {"parameters", "schema",     "inputschema",
                                          "arguments",  "ledgergate", NULL};
    static const char *const looks[] = {"arguments", "args", NULL};
    const lg_json *name = lenient_get(object, lenient_name);
    bool acted = lenient_is_acted(object);
    bool by_type = lenient_is_one(lg_json_str(lenient_get(object, lenient_type)), types);
    bool by_looks = name && lenient_get(object, looks) && !acted;
    if (by_type || by_looks) {
        lenient_call(l, object);
    }
    lenient_pieces(l, object);
    for (size_t i = 0; i < lenient_members(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_str key = lg_json_key(member);
        if (lenient_is_one(key, keys)) {
            lenient_calls(l, &member->value);
        } else if (!lenient_is_one(key, skipped) &&
                   !((by_type || acted) && lenient_is_one(key, lenient_args))) {
            lenient_walk(l, &member->value);
        }
    }
}

static inline void lenient_walk(lenient *l, const lg_json *value)
{
    size_t count = lg_json_is(value, LG_JSON_ARRAY) ? lg_json_len(value) : 0;
    for (size_t i = 0; i < count; i++) {
        lenient_walk(l, lg_json_item(value, i));
    }
    if (lenient_members(value) && !lenient_is_of_acted(l, value)) {
        lenient_object(l, value);
    }
}

static inline void lenient_line(lenient *l, lg_str line)
{
    const lg_json *value;
    size_t at = lg_str_find(line, LG_STR("{"));
    if (at == SIZE_MAX) {
        return;
    }
    l->line = lg_str_trim(lg_str_slice(line, at, line.len));
    lg_arena_reset(&l->arena);
    if (lg_json_parse_in(&l->arena, l->line, 0, l->line.len, NULL, &value, NULL) == LG_OK) {
        lenient_walk(l, value);
    }
}

static inline size_t lenient_line_end(lg_str text, size_t at)
{
    const unsigned char *c = (const unsigned char *)text.ptr + at;
    size_t left = text.len - at;
    if (c[0] == '\n' || (c[0] >= 0x0A && c[0] <= 0x0D) || (c[0] >= 0x1C && c[0] <= 0x1E)) {
        return 1;
    }
    if (left >= 2 && c[0] == 0xC2 && c[1] == 0x85) {
        return 2;
    }
    return left >= 3 && c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9) ? 3 : 0;
}

// The law that `text` breaks, which was written for a client, or NULL. Without `reply` no call may be in it.
static inline const char *chat_broken_by_lenient(lg_str text, const lg_chat_reply *reply,
                                                 const lg_chat_ruling *ruling)
{
    lenient l = {.reply = reply, .ruling = ruling};
    size_t from = 0;
    lg_arena_init(&l.arena, 0);
    for (size_t i = 0; i < text.len; i++) {
        size_t end = lenient_line_end(text, i);
        if (end) {
            lenient_line(&l, lg_str_slice(text, from, i));
            from = i + end;
            i = from - 1;
        }
    }
    lenient_line(&l, lg_str_slice(text, from, text.len));
    if (from) { // a body on many lines
        lenient_line(&l, text);
    }
    lg_arena_done(&l.arena);
    return l.broken;
}

#endif
