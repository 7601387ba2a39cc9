// guard.c: what a client might take for a call where nobody here reads one.
//
// Clients read more leniently than the protocols are written. Some do not look at the case of a key (Go's encoding/json, for
// which U+017F is an s and U+212A a k besides), some know the names of several protocols, some go by what an object looks
// like. What is passed on has to be the same to all of them: so what might be a call to any is refused unless
// it is one here.
#include "chat/guard.h"

// The next letter of a key, as the most lenient reader has it: '\0' at the end.
static char next_letter(lg_str text, size_t *at, bool loose)
{
    while (loose && *at < text.len && (text.ptr[*at] == '_' || text.ptr[*at] == '-')) {
        ++*at;
    }
    if (*at >= text.len) {
        return '\0';
    }
    lg_str rest = lg_str_slice(text, *at, text.len);
    if (lg_str_starts(rest, LG_STR("\xC5\xBF"))) {
        *at += 2;
        return 's';
    }
    if (lg_str_starts(rest, LG_STR("\xE2\x84\xAA"))) {
        *at += 3;
        return 'k';
    }
    return lg_lower(text.ptr[(*at)++]);
}

// Loose: underscores and hyphens do not count.
static bool reads_as(lg_str text, const char *word, bool loose)
{
    unsigned char first = text.len ? (unsigned char)text.ptr[0] : 0;
    if (first < 0x80 && (first | 0x20) != word[0] && (!loose || (first != '_' && first != '-'))) {
        return false; // as most keys do
    }
    lg_str wanted = lg_str_c(word);
    size_t at = 0, of_word = 0;
    for (;;) {
        char c = next_letter(text, &at, loose);
        if (c != next_letter(wanted, &of_word, loose)) {
            return false;
        }
        if (c == '\0') {
            return at >= text.len;
        }
    }
}

static bool reads_as_one(lg_str text, const char *const *words, size_t count, bool loose)
{
    for (size_t i = 0; i < count; i++) {
        if (reads_as(text, words[i], loose)) {
            return true;
        }
    }
    return false;
}

// --- Calls ----------------------------------------------------------------------------------------

static bool is_key_of_calls(const lg_json_member *member)
{
    static const char *const keys[] = {"tool_calls",    "tool_call", "function_calls",
                                       "function_call", "tool_uses", "tool_use"};
    bool holds =
        (lg_json_is(&member->value, LG_JSON_ARRAY) || lg_json_is(&member->value, LG_JSON_OBJECT)) &&
        member->value.len > 0;
    bool is_piece =
        lg_json_str(&member->value).len > 0 && reads_as(lg_json_key(member), "partial_json", true);
    return is_piece || (holds && reads_as_one(lg_json_key(member), keys, LG_COUNT(keys), true));
}

static bool is_type_of_call(const lg_json *type)
{
    static const char *const types[] = {
        "function_call", "custom_tool_call", "computer_call",        "local_shell_call",
        "shell_call",    "apply_patch_call", "mcp_approval_request", "mcp_call",
        "tool_use",      "tool_call",        "server_tool_use",      "mcp_tool_use"};
    return lg_json_is(type, LG_JSON_STRING) &&
           reads_as_one(lg_json_str(type), types, LG_COUNT(types), true);
}

static bool is_read(lg_str key, const char *const *read)
{
    for (size_t i = 0; read && read[i]; i++) {
        if (lg_str_eq(key, lg_str_c(read[i]))) {
            return true;
        }
    }
    return false;
}

// By its type, by a key, or by a name beside arguments.
static bool looks_like_call(const lg_json *object, const char *const *read)
{
    bool name = false, args = false;
    for (size_t i = 0; i < lg_member_count(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_str key = lg_json_key(member);
        if (is_read(key, read)) {
            continue;
        }
        if (is_key_of_calls(member) ||
            (reads_as(key, "type", false) && is_type_of_call(&member->value))) {
            return true;
        }
        name = name || reads_as(key, "name", false) || reads_as(key, "function", false);
        args = args || reads_as(key, "arguments", false) || reads_as(key, "args", false);
    }
    return name && args;
}

// Schemas of tools have any names.
static bool is_schema(lg_str key)
{
    static const char *const keys[] = {"parameters", "input_schema", "output_schema", "schema"};
    for (size_t i = 0; i < LG_COUNT(keys); i++) {
        if (lg_str_eq(key, lg_str_c(keys[i]))) {
            return true;
        }
    }
    return false;
}

// Is something in `value`, however deep, that a client might take for a call?
static bool has_stray_call(const lg_json *value)
{
    bool stray = looks_like_call(value, NULL);
    for (size_t i = 0; i < lg_list_len(value) && !stray; i++) {
        stray = has_stray_call(lg_json_item(value, i));
    }
    for (size_t i = 0; i < lg_member_count(value) && !stray; i++) {
        const lg_json_member *member = lg_json_member_at(value, i);
        stray = !is_schema(lg_json_key(member)) && has_stray_call(&member->value);
    }
    return stray;
}

// --- Objects that are read here -----------------------------------------------------------------------

// Only case and the two letters that fold to ASCII can make one.
static bool is_misspelt(lg_str key)
{
    bool plain = true;
    for (size_t i = 0; i < key.len && plain; i++) {
        unsigned char c = (unsigned char)key.ptr[i];
        plain = c < 0x80 && (c < 'A' || c > 'Z');
    }
    if (plain) {
        return false;
    }
    static const char *const names[] = {
        "choices",       "delta",        "message",  "content",       "text",
        "role",          "refusal",      "function", "custom",        "name",
        "arguments",     "input",        "id",       "index",         "type",
        "finish_reason", "error",        "output",   "item",          "part",
        "response",      "status",       "call_id",  "partial_json",  "stop_reason",
        "action",        "output_index", "actions",  "content_block", "operation",
        "usage",         "ledgergate"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (reads_as(key, names[i], false)) {
            return !lg_str_eq(key, lg_str_c(names[i]));
        }
    }
    return false;
}

bool lg_has_stray_member(const lg_json *object, const char *const *read)
{
    bool stray =
        lg_json_is(object, LG_JSON_OBJECT) ? looks_like_call(object, read) : has_stray_call(object);
    for (size_t i = 0; i < lg_member_count(object) && !stray; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_str key = lg_json_key(member);
        stray = !is_read(key, read) &&
                (is_misspelt(key) || (!is_schema(key) && has_stray_call(&member->value)));
    }
    return stray;
}

bool lg_has_second_reading(const lg_json *call, const char *const *read, const char *args)
{
    static const char *const keys[] = {"arguments",  "args",      "input",
                                       "parameters", "function",  "action",
                                       "actions",    "operation", "custom"};
    for (size_t i = 0; i < lg_member_count(call); i++) {
        const lg_json_member *member = lg_json_member_at(call, i);
        lg_str key = lg_json_key(member);
        bool known = lg_str_eq(key, lg_str_c(args)) || is_read(key, read);
        if (!known && lg_given(&member->value) && reads_as_one(key, keys, LG_COUNT(keys), true)) {
            return true;
        }
    }
    return lg_has_stray_member(call, read);
}
