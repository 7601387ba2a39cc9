// entry.c: from what a model proposes to an entry in the pack's text. Nothing of a reply is pasted: each part is looked at,
// and written anew as a quoted text on one line.
#include "cli/extract/draft.h"

#include "base/utf8.h"

#define ID_BYTES 60u
#define EXPRESSION_BYTES 2000u
#define SAY_BYTES 600u
#define QUOTE_BYTES 400u
#define LIST_MAX 32u
#define ERRORS_MAX 5u

// --- Reading --------------------------------------------------------------------------------------------

static bool is_plain(lg_str text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t c = lg_utf8_next(text, &at);
        if (lg_utf8_is_control(c) || lg_utf8_is_layout(c)) {
            return false;
        }
    }
    return true;
}

static bool read_text(const lg_json *entry, const char *key, size_t most, lg_str *ret, lg_buf *why)
{
    *ret = lg_str_trim(lg_json_str(lg_json_get(entry, lg_str_c(key))));
    if (ret->len > most) {
        lg_buf_addf(why, "`%s` has %zu bytes, and %zu are enough. ", key, ret->len, most);
    } else if (!is_plain(*ret)) {
        lg_buf_addf(why, "`%s` is one line of text without control characters. ", key);
    } else {
        return true;
    }
    return false;
}

static bool read_list(lg_arena *arena, const lg_json *entry, const char *key, const lg_str **ret,
                      size_t *ret_count, lg_buf *why)
{
    const lg_json *list = lg_json_get(entry, lg_str_c(key));
    size_t count = lg_json_len(list);
    lg_str *items = LG_NEW_ARRAY(arena, lg_str, count + 1);
    *ret = items;
    *ret_count = 0;
    if (!items || count > LIST_MAX) {
        lg_buf_addf(why, "`%s` has more than %u items. ", key, LIST_MAX);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = lg_str_trim(lg_json_str(lg_json_item(list, i)));
        if (items[i].len == 0 || items[i].len > 200 || !is_plain(items[i])) {
            lg_buf_addf(why, "`%s` holds what is no name or path. ", key);
            return false;
        }
    }
    *ret_count = count;
    return true;
}

static bool is_id(lg_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        bool letter = id.ptr[i] >= 'a' && id.ptr[i] <= 'z';
        if (!letter && (i == 0 || (!lg_is_digit(id.ptr[i]) && id.ptr[i] != '_'))) {
            return false;
        }
    }
    return id.len > 2 && id.len <= ID_BYTES;
}

bool draft_read_entry(lg_arena *arena, const lg_json *value, draft_entry *ret, lg_buf *why)
{
    *ret = (draft_entry){.because = LG_STR("")};
    bool fine = read_text(value, "id", ID_BYTES, &ret->id, why);
    if (fine && !is_id(ret->id)) {
        lg_buf_add_c(why,
                     "`id` is made of small letters, digits and `_`, and begins with a letter. ");
        fine = false;
    }
    fine = read_text(value, "when", EXPRESSION_BYTES, &ret->when, why) && fine;
    fine = read_text(value, "that", EXPRESSION_BYTES, &ret->that, why) && fine;
    fine = read_text(value, "say", SAY_BYTES, &ret->say, why) && fine;
    fine = read_list(arena, value, "tools", &ret->tools, &ret->tool_count, why) && fine;
    fine = read_list(arena, value, "needs", &ret->needs, &ret->need_count, why) && fine;
    lg_str otherwise = lg_json_str(lg_json_get(value, LG_STR("otherwise")));
    ret->otherwise = lg_str_eq(otherwise, LG_STR("block")) ? LG_STR("block") : LG_STR("revise");
    if (fine && (ret->that.len == 0 || ret->say.len == 0 || ret->tool_count == 0)) {
        lg_buf_add_c(why, "`tools`, `that` and `say` are needed. ");
        fine = false;
    }
    return fine;
}

// On one line, and without what a terminal obeys.
lg_str draft_because(lg_arena *arena, const lg_pack *pack, lg_str quote)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "%.*s policy: ", LG_FMT(pack->name));
    lg_str kept = lg_str_cut(lg_str_trim(quote), QUOTE_BYTES);
    bool blank = false;
    for (size_t at = 0; at < kept.len;) {
        size_t from = at;
        uint32_t c = lg_utf8_next(kept, &at);
        bool is_blank = c == ' ' || lg_utf8_is_control(c) || lg_utf8_is_layout(c);
        if (!is_blank) {
            lg_buf_add_c(&text, blank ? " " : "");
            lg_buf_add(&text, lg_str_slice(kept, from, at));
        }
        blank = is_blank;
    }
    lg_str ret =
        lg_buf_status(&text) == LG_OK ? lg_arena_str(arena, lg_buf_str(&text)) : (lg_str){NULL, 0};
    lg_buf_done(&text);
    return ret;
}

// --- Writing --------------------------------------------------------------------------------------------------

typedef struct layout {
    size_t at;        // where entries are put in
    size_t drop;      // bytes from there that go: the `{}` of no rules
    size_t indent;    // of an entry
    const char *end;  // of a line
    const char *head; // what stands before the entry
} layout;

static void add_member(lg_buf *out, const layout *l, const char *key, lg_str value)
{
    lg_buf_add_repeat(out, ' ', l->indent * 2);
    lg_buf_addf(out, "%s: ", key);
    lg_json_print_str(out, value); // a text in double quotes of YAML, too
    lg_buf_add_c(out, l->end);
}

static void add_list(lg_buf *out, const layout *l, const char *key, const lg_str *items,
                     size_t count, bool quoted)
{
    lg_buf_add_repeat(out, ' ', l->indent * 2);
    lg_buf_addf(out, "%s: [", key);
    for (size_t i = 0; i < count; i++) {
        lg_buf_add_c(out, i ? ", " : "");
        if (quoted || !is_id(items[i])) {
            lg_json_print_str(out, items[i]);
        } else {
            lg_buf_add(out, items[i]);
        }
    }
    lg_buf_addf(out, "]%s", l->end);
}

static void add_entry(lg_buf *out, const layout *l, const draft_entry *entry)
{
    lg_buf_add_repeat(out, ' ', l->indent);
    lg_buf_addf(out, "%.*s:%s", LG_FMT(entry->id), l->end);
    add_list(out, l, "tools", entry->tools, entry->tool_count, false);
    if (entry->when.len) {
        add_member(out, l, "when", entry->when);
    }
    add_member(out, l, "that", entry->that);
    if (entry->need_count) {
        add_list(out, l, "needs", entry->needs, entry->need_count, true);
    }
    lg_buf_add_repeat(out, ' ', l->indent * 2);
    lg_buf_addf(out, "otherwise: %.*s%s", LG_FMT(entry->otherwise), l->end);
    add_member(out, l, "say", entry->say);
    add_member(out, l, "because", entry->because);
}

static lg_str line_of(lg_str text, size_t at)
{
    return lg_str_slice(text, at, lg_str_line_end(text, at));
}

static size_t next_line(lg_str text, size_t at)
{
    size_t end = lg_str_line_end(text, at);
    return end < text.len ? end + 1 : text.len;
}

static size_t indent_of(lg_str line)
{
    size_t count = 0;
    while (count < line.len && line.ptr[count] == ' ') {
        count++;
    }
    return count;
}

// Behind the last line below `rules:` that is indented and says something.
static void find_end(lg_str text, size_t at, layout *l)
{
    l->at = at;
    while (at < text.len) {
        lg_str line = line_of(text, at), said = lg_str_trim(line);
        size_t indent = indent_of(line);
        if (said.len > 0 && indent == 0 && said.ptr[0] != '#') {
            break;
        }
        at = next_line(text, at);
        if (said.len > 0 && indent > 0) {
            l->indent = l->indent || said.ptr[0] == '#' ? l->indent : indent;
            l->at = at;
        }
    }
}

// Where the rules stand. False: they stand in a way that nothing is put into.
static bool find_rules(lg_str text, layout *l)
{
    *l = (layout){.at = text.len, .head = "", .end = "\n"};
    l->end = lg_str_find(text, LG_STR("\r\n")) != SIZE_MAX ? "\r\n" : "\n";
    for (size_t at = 0; at < text.len; at = next_line(text, at)) {
        lg_str line = line_of(text, at);
        if (!lg_str_starts(line, LG_STR("rules:"))) {
            continue;
        }
        lg_str rest = lg_str_trim(lg_str_slice(line, 6, line.len));
        if (lg_str_starts(rest, LG_STR("{}"))) {
            l->drop = 2;
            l->at = (size_t)(rest.ptr - text.ptr);
            l->head = l->end;
        } else if (rest.len == 0 || rest.ptr[0] == '#') {
            find_end(text, next_line(text, at), l);
        } else {
            return false;
        }
        l->indent = l->indent ? l->indent : 2;
        return true;
    }
    l->indent = 2;
    l->head = "rules:\n";
    return !lg_str_starts(lg_str_trim(text), LG_STR("{"));
}

bool draft_insert(lg_arena *arena, lg_str text, const draft_entry *entry, lg_str *ret, lg_buf *why)
{
    layout l;
    if (!find_rules(text, &l)) {
        lg_buf_add_c(why, "the pack's rules do not stand in lines of their own, below `rules:`");
        return false;
    }
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add(&out, lg_str_slice(text, 0, l.at));
    bool inside = l.at > 0 && text.ptr[l.at - 1] != '\n' && l.drop == 0;
    lg_buf_add_c(&out, inside ? l.end : "");
    lg_buf_add_c(&out, l.head[0] ? l.head : l.end);
    add_entry(&out, &l, entry);
    lg_str rest = lg_str_slice(text, l.at + l.drop, text.len);
    if (l.drop && lg_str_starts(rest, lg_str_c(l.end))) {
        rest = lg_str_slice(rest, strlen(l.end), rest.len);
    }
    lg_buf_add(&out, rest);
    *ret = lg_buf_status(&out) == LG_OK ? lg_arena_str(arena, lg_buf_str(&out)) : (lg_str){NULL, 0};
    lg_buf_done(&out);
    if (!ret->ptr) {
        lg_buf_add_c(why, "out of memory");
    }
    return ret->ptr != NULL;
}

// --- Loading ------------------------------------------------------------------------------------------------

static void say_errors(lg_buf *why, const lg_error *errors, size_t count, lg_str text)
{
    for (size_t i = 0; i < count && i < ERRORS_MAX; i++) {
        size_t at = 0;
        for (uint32_t line = 1; line < errors[i].line && at < text.len; line++) {
            at = next_line(text, at);
        }
        lg_str where = lg_str_cut(lg_str_trim(line_of(text, at)), 200);
        lg_buf_addf(why, "%s%s", i ? "; " : "", errors[i].msg);
        if (errors[i].line) {
            lg_buf_addf(why, " (at: %.*s)", LG_FMT(where));
        }
    }
}

// Is everything in the document what it was, but for one rule more?
static bool is_otherwise_same(const lg_json *now, const lg_json *before, lg_str id)
{
    const lg_json *rules = lg_json_get(now, LG_STR("rules"));
    const lg_json *old = lg_json_get(before, LG_STR("rules"));
    if (lg_json_get(old, id) || !lg_json_get(rules, id) ||
        lg_json_len(rules) != lg_json_len(old) + 1 ||
        lg_json_len(now) != lg_json_len(before) + (old ? 0 : 1)) {
        return false;
    }
    for (size_t i = 0; i < lg_json_len(before); i++) {
        const lg_json_member *member = lg_json_member_at(before, i);
        lg_str key = lg_json_key(member);
        const lg_json *other = lg_json_get(now, key);
        if (!lg_str_eq(key, LG_STR("rules")) &&
            (!other || !lg_json_identical(&member->value, other))) {
            return false;
        }
    }
    for (size_t i = 0; i < lg_json_len(old); i++) {
        const lg_json_member *member = lg_json_member_at(old, i);
        const lg_json *other = lg_json_get(rules, lg_json_key(member));
        if (!other || !lg_json_identical(&member->value, other)) {
            return false;
        }
    }
    return true;
}

lg_pack *draft_load(const drafting *d, lg_str text, lg_str before, lg_str id, lg_buf *why)
{
    lg_error errors[ERRORS_MAX];
    size_t count;
    lg_pack *pack = NULL, *old = NULL;
    if (lg_pack_load_text(text, d->path, cli_limits(), &pack, errors, ERRORS_MAX, &count) !=
        LG_OK) {
        say_errors(why, errors, count, text);
        return NULL;
    }
    if (lg_pack_load_text(before, d->path, cli_limits(), &old, errors, ERRORS_MAX, &count) !=
            LG_OK ||
        !is_otherwise_same(pack->document, old->document, id)) {
        lg_buf_add_c(why, "the entry would change more of the pack than its own rule");
        lg_pack_free(pack);
        pack = NULL;
    }
    lg_pack_free(old);
    return pack;
}
