// row.c: what the page knows of every conversation before one is opened: a row of the summary.
//
// A row is a list, and web/data.js has the same order. What many rows have in common stands once: names by their
// number in a list of names, and what was found by the number of its group. A group is one thing that goes wrong: all
// findings of one kind and one rule.
#include "page/page_internal.h"

#include "base/str.h"
#include "json/writer.h"

#define NAME_BYTES 256u    // longer ones are not kept in common
#define MESSAGE_BYTES 600u // of an example; the finding itself has all of it
#define FINDINGS_MAX 500u  // of a row; `findings` counts all

static const char *const evaluators[] = {
    "output",   "transition",     "forbidden_edges",      "argument_groundedness",
    "argument", "predicted_plan", "predicted_final_state"};
static const char *const severities[] = {"hint", "minor", "moderate", "severe"};
static const char *const counts[] = {"turns", "messages", "calls",
                                     "reads", "writes",   "carried_out"};
static const char *const scores[] = {"aggregate", "aggregate_once", "outcome", "process"};

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static page_severity severity_of(const lg_json *finding)
{
    lg_str name = lg_json_str(get(finding, "severity"));
    for (unsigned i = 0; i < LG_COUNT(severities); i++) {
        if (lg_str_eq(name, lg_str_c(severities[i]))) {
            return (page_severity)i;
        }
    }
    return PAGE_HINT;
}

void page_look(const lg_json *audit, page_facts *ret)
{
    const lg_json *findings = get(audit, "findings");
    *ret = (page_facts){.undecided = lg_json_len(get(audit, "undecided"))};
    for (size_t i = 0; i < lg_json_len(findings); i++) {
        ret->findings[severity_of(lg_json_item(findings, i))]++;
    }
    ret->has_pack = lg_json_is(get(audit, "pack"), LG_JSON_OBJECT);
    ret->has_reward = lg_json_double(get(audit, "reward"), &ret->reward);
    ret->has_aggregate = lg_json_double(get(get(audit, "scores"), "aggregate"), &ret->aggregate);
}

// --- What rows have in common -----------------------------------------------------------------------

// The number of a name, or the name itself; null if there is none.
static void add_name(lg_page *page, lg_json_writer *w, lg_str name)
{
    if (name.len == 0) {
        lg_jw_null(w);
        return;
    }
    uint32_t number = UINT32_MAX;
    if (name.len <= NAME_BYTES) {
        number = page_table_number(&page->names, &name, 1, page->name_count);
    }
    if (number == UINT32_MAX) {
        lg_jw_str(w, name);
        return;
    }
    if (number == page->name_count) {
        lg_buf_add_c(&page->name_list, page->name_count++ ? "," : "");
        lg_json_print_str(&page->name_list, name);
    }
    lg_jw_uint(w, number);
}

static void add_cut(lg_json_writer *w, const char *key, lg_str text)
{
    if (text.len) {
        lg_jw_key(w, key);
        lg_jw_str(w, lg_str_cut(text, MESSAGE_BYTES));
    }
    if (text.len > MESSAGE_BYTES) {
        lg_jw_member_bool(w, "cut", true);
    }
}

static void list_group(lg_page *page, const char *what, const lg_json *found)
{
    static const char *const texts[] = {"kind", "rule", "evaluator", "part", "by"};
    lg_json_writer w = {.out = &page->group_list};
    lg_buf_add_c(w.out, page->group_count++ ? "," : "");
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "what", what);
    for (unsigned i = 0; i < LG_COUNT(texts); i++) {
        lg_str text = lg_json_str(get(found, texts[i]));
        if (text.len) {
            lg_jw_member_str(&w, texts[i], text);
        }
    }
    lg_str message = lg_json_str(get(found, "message"));
    add_cut(&w, "message", message.len ? message : lg_json_str(get(found, "why")));
    lg_str suggest = lg_json_str(get(found, "suggest"));
    if (message.len <= MESSAGE_BYTES) {
        add_cut(&w, "suggest", suggest);
    }
    lg_jw_end_object(&w);
}

// The number of the group that `found` belongs to; null if there are too many groups.
static void add_group(lg_page *page, lg_json_writer *w, const char *what, const lg_json *found)
{
    const lg_str parts[] = {lg_str_c(what),
                            LG_STR("\n"),
                            lg_json_str(get(found, "kind")),
                            lg_json_str(get(found, "evaluator")),
                            lg_json_str(get(found, "part")),
                            LG_STR("\n"),
                            lg_json_str(get(found, "rule"))};
    uint32_t number = page_table_number(&page->groups, parts, LG_COUNT(parts), page->group_count);
    if (number == UINT32_MAX) {
        lg_jw_null(w);
        return;
    }
    if (number == page->group_count) {
        list_group(page, what, found);
    }
    lg_jw_uint(w, number);
}

// --- The row ----------------------------------------------------------------------------------------

static void add_value(lg_json_writer *w, const lg_json *number)
{
    if (lg_json_is_number(number)) {
        lg_jw_json(w, number);
    } else {
        lg_jw_null(w);
    }
}

static void add_numbers(lg_json_writer *w, const lg_json *object, const char *const *keys, size_t n)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        add_value(w, get(object, keys[i]));
    }
    lg_jw_end_array(w);
}

// By evaluator: the score; null where it could not run.
static void add_evaluators(lg_json_writer *w, const lg_json *audit)
{
    const lg_json *list = get(audit, "evaluators");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < LG_COUNT(evaluators); i++) {
        const lg_json *score = NULL;
        for (size_t k = 0; k < lg_json_len(list); k++) {
            const lg_json *one = lg_json_item(list, k);
            if (lg_str_eq(lg_json_str(get(one, "name")), lg_str_c(evaluators[i]))) {
                score = get(one, "score");
            }
        }
        add_value(w, score);
    }
    lg_jw_end_array(w);
}

static void add_findings(lg_page *page, lg_json_writer *w, const lg_json *audit)
{
    const lg_json *list = get(audit, "findings");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < lg_json_len(list) && i < FINDINGS_MAX; i++) {
        const lg_json *one = lg_json_item(list, i);
        const lg_json *root = get(one, "root");
        bool own = !root || lg_json_equal(root, get(one, "id"));
        lg_jw_begin_array(w);
        add_group(page, w, "found", one);
        lg_jw_uint(w, (uint64_t)severity_of(one));
        add_value(w, get(one, "turn"));
        add_value(w, get(one, "id"));
        add_name(page, w, lg_json_str(get(one, "tool")));
        if (!own) { // a symptom of another one
            add_value(w, root);
        }
        lg_jw_end_array(w);
    }
    lg_jw_end_array(w);
}

// What was not decided or not checked: its group, and its turn where it has one.
static void add_open(lg_page *page, lg_json_writer *w, const lg_json *list, const char *what)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < lg_json_len(list) && i < FINDINGS_MAX; i++) {
        const lg_json *one = lg_json_item(list, i);
        lg_jw_begin_array(w);
        add_group(page, w, what, one);
        add_value(w, get(one, "turn"));
        lg_jw_end_array(w);
    }
    lg_jw_end_array(w);
}

// The mean of the recorded checks; null if there are none.
static void add_composite(lg_json_writer *w, const lg_json *checks)
{
    double sum = 0;
    double value;
    size_t n = 0;
    for (size_t i = 0; lg_json_is(checks, LG_JSON_OBJECT) && i < lg_json_len(checks); i++) {
        const lg_json *check = &lg_json_member_at(checks, i)->value;
        if (lg_json_double(check, &value)) {
            sum += value;
            n++;
        } else if (lg_json_is(check, LG_JSON_BOOL)) {
            sum += lg_json_is_true(check) ? 1 : 0;
            n++;
        }
    }
    if (n) {
        lg_jw_double(w, sum / (double)n);
    } else {
        lg_jw_null(w);
    }
}

static void add_pack(lg_page *page, lg_json_writer *w, const lg_json *pack)
{
    lg_buf text;
    char room[256];
    lg_buf_init_in(&text, room, sizeof(room), 0);
    lg_buf_add(&text, lg_json_str(get(pack, "name")));
    lg_str version = lg_json_str(get(pack, "version"));
    lg_buf_add_c(&text, version.len ? " " : "");
    lg_buf_add(&text, version);
    if (lg_buf_status(&text) != LG_OK) {
        w->out->status = text.status;
    }
    add_name(page, w, lg_buf_str(&text));
    lg_buf_done(&text);
}

void page_row(lg_page *page, lg_buf *out, const lg_json *audit, uint32_t place, lg_str path,
              bool before)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_array(&w);
    lg_jw_str(&w, lg_json_str(get(audit, "id")));
    lg_jw_str(&w, lg_json_str(get(audit, "conversation")));
    add_name(page, &w, lg_json_str(get(audit, "file")));
    add_value(&w, get(audit, "line"));
    add_name(page, &w, lg_json_str(get(audit, "task")));
    add_value(&w, get(audit, "trial"));
    add_name(page, &w, lg_json_str(get(audit, "domain")));
    add_name(page, &w, lg_json_str(get(audit, "model")));
    add_name(page, &w, lg_json_str(get(audit, "customer")));
    add_value(&w, get(audit, "reward"));
    add_composite(&w, get(audit, "checks"));
    add_name(page, &w, lg_json_str(get(audit, "ended")));
    add_pack(page, &w, get(audit, "pack"));
    add_name(page, &w, lg_json_str(get(audit, "class")));
    add_numbers(&w, get(audit, "scores"), scores, LG_COUNT(scores));
    add_evaluators(&w, audit);
    add_numbers(&w, get(audit, "counts"), counts, LG_COUNT(counts));
    add_findings(page, &w, audit);
    lg_jw_uint(&w, lg_json_len(get(audit, "findings")));
    add_open(page, &w, get(audit, "undecided"), "undecided");
    add_open(page, &w, get(audit, "not_checked"), "not_checked");
    if (place == UINT32_MAX) {
        lg_jw_null(&w);
    } else {
        lg_jw_uint(&w, place);
    }
    lg_jw_str(&w, path);
    lg_jw_bool(&w, before);
    lg_jw_end_array(&w);
}
