// example.c: an example of the prover, for people.
//
// A counterexample is only worth something if one sees at a glance what was called, on which
// records, and what the gate said. So each of these has lines of its own, what is empty is left
// out, and a record that does not fit a line is broken up. Members that are not known here are
// printed all the same: a new kind of claim needs no change.
#include "cli/prove/answer.h"

#include "base/utf8.h"

#define LABEL_WIDTH 10u
#define LINE_WIDTH 100u

typedef struct printer {
    lg_buf *out;
    uint32_t indent;
    lg_str label; // of the next line; empty once it is written
} printer;

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

// Begins a line: the label on the first of them, blanks on those that follow.
static void begin_line(printer *p)
{
    lg_buf_add_repeat(p->out, ' ', p->indent);
    lg_buf_add(p->out, p->label);
    size_t shown = lg_utf8_count(p->label);
    lg_buf_add_repeat(p->out, ' ', shown < LABEL_WIDTH ? LABEL_WIDTH - shown : 1);
    p->label = LG_STR("");
}

// Each line of a pretty-printed value after the first is moved to where the first begins.
static void add_indented(printer *p, lg_str text, size_t more)
{
    for (size_t from = 0; from < text.len;) {
        lg_str rest = lg_str_slice(text, from, text.len);
        size_t end = lg_str_find(rest, LG_STR("\n"));
        lg_buf_add(p->out, lg_str_slice(rest, 0, end));
        if (end == SIZE_MAX) {
            return;
        }
        lg_buf_add_c(p->out, "\n");
        lg_buf_add_repeat(p->out, ' ', p->indent + LABEL_WIDTH + more);
        from += end + 1;
    }
}

// An object with as many members in a line as fit. False if one of them alone does not.
static bool fill_lines(lg_buf *out, size_t used, const lg_json *object)
{
    lg_buf part;
    bool fits = lg_json_is(object, LG_JSON_OBJECT);
    lg_buf_init(&part, 0);
    lg_buf_add_c(out, "{");
    for (size_t i = 0; i < lg_json_len(object) && fits; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_buf_clear(&part);
        lg_json_print_str(&part, lg_json_key(member));
        lg_buf_add_c(&part, ":");
        lg_json_print(&part, &member->value);
        size_t width = lg_utf8_count(lg_buf_str(&part)) + 1;
        fits = width <= LINE_WIDTH;
        lg_buf_add_c(out, i ? "," : "");
        if (used + width > LINE_WIDTH) {
            lg_buf_add_c(out, "\n    ");
            used = 4;
        }
        lg_buf_add(out, lg_buf_str(&part));
        used += width;
    }
    lg_buf_add_c(out, "}");
    lg_buf_done(&part);
    return fits;
}

static void add_json(printer *p, lg_str head, const lg_json *value)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, value);
    size_t used = lg_utf8_count(head);
    if (used + lg_utf8_count(lg_buf_str(&text)) > LINE_WIDTH) {
        lg_buf_clear(&text);
        if (!fill_lines(&text, used + 1, value)) {
            lg_buf_clear(&text);
            lg_json_print_pretty(&text, value);
        }
    }
    size_t blanks = 0;
    while (blanks < head.len && head.ptr[blanks] == ' ') {
        blanks++;
    }
    begin_line(p);
    lg_buf_add(p->out, head);
    add_indented(p, lg_buf_str(&text), blanks);
    lg_buf_add_c(p->out, "\n");
    lg_buf_done(&text);
}

// --- Records ------------------------------------------------------------------------------------

static bool is_empty(const lg_json *value)
{
    bool container = lg_json_is(value, LG_JSON_OBJECT) || lg_json_is(value, LG_JSON_ARRAY);
    return container && lg_json_len(value) == 0;
}

// Is it a map of records? Then each has a line of its own.
static bool is_map_of_records(const lg_json *value)
{
    for (size_t i = 0; i < lg_json_len(value); i++) {
        if (!lg_json_is(value, LG_JSON_OBJECT) ||
            !lg_json_is(&lg_json_member_at(value, i)->value, LG_JSON_OBJECT)) {
            return false;
        }
    }
    return lg_json_is(value, LG_JSON_OBJECT) && lg_json_len(value) > 0;
}

static bool is_same(const lg_json *a, const lg_json *b)
{
    return a && b && lg_json_equal(a, b);
}

// Beside `before` (or NULL: everything) only what is different.
static void add_group(printer *p, const lg_json_member *group, const lg_json *before)
{
    lg_str name = lg_json_key(group);
    const lg_json *value = &group->value;
    bool records = is_map_of_records(value);
    lg_buf head;
    lg_buf_init(&head, 0);
    for (size_t i = 0; i < (records ? lg_json_len(value) : 1); i++) {
        const lg_json_member *record = records ? lg_json_member_at(value, i) : NULL;
        if (is_same(record ? lg_json_get(before, lg_json_key(record)) : before,
                    record ? &record->value : value)) {
            continue;
        }
        lg_buf_clear(&head);
        lg_buf_add(&head, name);
        if (record) {
            lg_buf_add_c(&head, "[");
            lg_json_print_str(&head, lg_json_key(record));
            lg_buf_add_c(&head, "]");
        }
        lg_buf_add_c(&head, " = ");
        add_json(p, lg_buf_str(&head), record ? &record->value : value);
    }
    lg_buf_done(&head);
}

// A ledger or a state: what is there.
static void add_tree(printer *p, const lg_json *root)
{
    bool any = false;
    for (size_t i = 0; i < lg_json_len(root); i++) {
        if (!is_empty(&lg_json_member_at(root, i)->value)) {
            add_group(p, lg_json_member_at(root, i), NULL);
            any = true;
        }
    }
    if (!any) {
        begin_line(p);
        lg_buf_add_c(p->out, "empty\n");
    }
}

// What is not there any more.
static void add_removed(printer *p, const lg_json_member *group, const lg_json *after)
{
    lg_str name = lg_json_key(group);
    for (size_t i = 0; after && i < lg_json_len(&group->value); i++) {
        if (!lg_json_is(&group->value, LG_JSON_OBJECT)) {
            return;
        }
        const lg_json_member *record = lg_json_member_at(&group->value, i);
        if (!lg_json_get(after, lg_json_key(record))) {
            begin_line(p);
            lg_buf_addf(p->out, "%.*s[", LG_FMT(name));
            lg_json_print_str(p->out, lg_json_key(record));
            lg_buf_add_c(p->out, "] is gone\n");
        }
    }
}

// The state after a call, beside that before it.
static void add_changes(printer *p, const lg_json *before, const lg_json *after)
{
    size_t length = p->out->len;
    for (size_t i = 0; i < lg_json_len(after); i++) {
        const lg_json_member *group = lg_json_member_at(after, i);
        const lg_json *was = lg_json_get(before, lg_json_key(group));
        if (!is_same(was, &group->value)) {
            add_group(p, group, was);
        }
    }
    for (size_t i = 0; i < lg_json_len(before); i++) {
        const lg_json_member *group = lg_json_member_at(before, i);
        add_removed(p, group, lg_json_get(after, lg_json_key(group)));
    }
    if (p->out->len == length) {
        begin_line(p);
        lg_buf_add_c(p->out, "the same\n");
    }
}

// --- Calls --------------------------------------------------------------------------------------

static const lg_json *args_of(const lg_json *call)
{
    const lg_json *args = get(call, "args");
    return args ? args : get(call, "arguments");
}

static lg_str tool_of(const lg_json *call)
{
    const lg_json *name = get(call, "tool");
    return lg_json_str(name ? name : get(call, "name"));
}

static void add_call(printer *p, const lg_json *call, uint32_t number)
{
    lg_buf head;
    lg_buf_init(&head, 0);
    if (number) {
        lg_buf_addf(&head, "%u. ", number);
    }
    lg_buf_addf(&head, "%.*s ", LG_FMT(tool_of(call)));
    add_json(p, lg_buf_str(&head), args_of(call));
    lg_buf_done(&head);
}

static bool is_call(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_OBJECT) && tool_of(value).len > 0 && args_of(value);
}

// A list: of words in one line, else each item in lines of its own; the rest of a call below it.
static void add_rest_of_call(printer *p, const lg_json *call)
{
    static const char *const known[] = {"tool", "name", "args", "arguments"};
    for (size_t i = 0; i < lg_json_len(call); i++) {
        const lg_json_member *member = lg_json_member_at(call, i);
        bool said = is_empty(&member->value) || lg_json_is(&member->value, LG_JSON_NULL);
        for (size_t k = 0; k < LG_COUNT(known); k++) {
            said = said || lg_str_eq(lg_json_key(member), lg_str_c(known[k]));
        }
        if (said) {
            continue;
        }
        lg_buf head;
        lg_buf_init(&head, 0);
        lg_buf_addf(&head, "   %.*s: ", LG_FMT(lg_json_key(member)));
        if (lg_json_is(&member->value, LG_JSON_STRING)) {
            begin_line(p);
            lg_buf_addf(p->out, "%.*s%.*s\n", LG_FMT(lg_buf_str(&head)),
                        LG_FMT(lg_json_str(&member->value)));
        } else {
            add_json(p, lg_buf_str(&head), &member->value);
        }
        lg_buf_done(&head);
    }
}

// A new line where the next word does not fit.
static void add_words(printer *p, const lg_json *list)
{
    size_t used = 0;
    for (size_t i = 0; i < lg_json_len(list); i++) {
        lg_str word = lg_json_str(&list->as.items[i]);
        bool fits = used > 0 && used + word.len + 2 <= LINE_WIDTH;
        lg_buf_add_c(p->out, i == 0 ? "" : fits ? ", " : ",\n");
        if (!fits) {
            begin_line(p);
            used = 0;
        }
        lg_buf_add(p->out, word);
        used += word.len + 2;
    }
    lg_buf_add_c(p->out, "\n");
}

static void add_list(printer *p, const lg_json *list)
{
    bool words = true;
    for (size_t i = 0; i < lg_json_len(list); i++) {
        words = words && lg_json_is(&list->as.items[i], LG_JSON_STRING);
    }
    if (words) {
        add_words(p, list);
        return;
    }
    for (size_t i = 0; i < lg_json_len(list); i++) {
        const lg_json *item = &list->as.items[i];
        if (is_call(item)) {
            add_call(p, item, (uint32_t)i + 1);
            add_rest_of_call(p, item);
        } else {
            add_json(p, LG_STR(""), item);
        }
    }
}

// --- All of it ----------------------------------------------------------------------------------

// A ledger or a state: it is of interest even if it is empty.
static bool is_tree(lg_str key)
{
    return lg_str_eq(key, LG_STR("ledger")) || lg_str_starts(key, LG_STR("state")) ||
           lg_str_starts(key, LG_STR("before")) || lg_str_starts(key, LG_STR("after"));
}

static void add_member(printer *p, const lg_json *example, const lg_json_member *member)
{
    const lg_json *before = get(example, "state");
    lg_str key = lg_json_key(member);
    const lg_json *value = &member->value;
    p->label = key;
    if (lg_str_eq(key, LG_STR("after")) && lg_json_is(before, LG_JSON_OBJECT) &&
        lg_json_is(value, LG_JSON_OBJECT)) {
        add_changes(p, before, value);
    } else if (is_tree(key) && lg_json_is(value, LG_JSON_OBJECT)) {
        add_tree(p, value);
    } else if (is_empty(value) || lg_json_is(value, LG_JSON_NULL)) {
        return;
    } else if (is_call(value)) {
        add_call(p, value, 0);
    } else if (lg_json_is(value, LG_JSON_ARRAY)) {
        add_list(p, value);
    } else if (lg_json_is(value, LG_JSON_STRING)) {
        begin_line(p);
        lg_buf_addf(p->out, "%.*s\n", LG_FMT(lg_json_str(value)));
    } else {
        add_json(p, LG_STR(""), value);
    }
}

// What is said in the first two lines.
static bool is_head(lg_str key)
{
    static const char *const words[] = {"what", "confirmed", "tool", "args"};
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        if (lg_str_eq(key, lg_str_c(words[i]))) {
            return true;
        }
    }
    return false;
}

void prove_print_example(lg_buf *out, const lg_json *example, uint32_t indent)
{
    if (!lg_json_is(example, LG_JSON_OBJECT)) {
        return;
    }
    printer p = {.out = out, .indent = indent + 2};
    lg_str what = lg_json_str(get(example, "what"));
    lg_buf_add_repeat(out, ' ', indent);
    lg_buf_addf(out, "%.*s%s:\n", LG_FMT(what.len ? what : LG_STR("example")),
                lg_json_is_true(get(example, "confirmed")) ? ", as executed by the gate" : "");
    if (get(example, "args")) {
        p.label = tool_of(example).len ? LG_STR("call") : LG_STR("arguments");
        add_call(&p, example, 0);
    }
    for (size_t i = 0; i < lg_json_len(example); i++) {
        if (!is_head(lg_json_key(lg_json_member_at(example, i)))) {
            add_member(&p, example, lg_json_member_at(example, i));
        }
    }
}
