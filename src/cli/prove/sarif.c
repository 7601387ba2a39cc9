// sarif.c: the answer as SARIF: kinds of claims are its rules, claims its results.
//
// What is refuted fails: a finding as an error, a remark as a note. What is assumed or unknown is
// `open`, which SARIF has for provers that could not tell. The example stands in the message for
// people, and whole in the properties.
#include "report/sarif.h"
#include "cli/prove/answer.h"

#include <unistd.h>

#define FOLDER_MAX 4096u

// A code host finds files by their path in the folder that was checked out.
static lg_str working_folder(char room[FOLDER_MAX])
{
    return lg_str_c(getcwd(room, FOLDER_MAX));
}

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static lg_str text(const lg_json *object, const char *key)
{
    return lg_json_str(get(object, key));
}

static bool is(const lg_json *object, const char *key, const char *word)
{
    return lg_str_eq(text(object, key), lg_str_c(word));
}

static int64_t number(const lg_json *object, const char *key)
{
    int64_t value = 0;
    return lg_json_int(get(object, key), &value) ? value : 0;
}

static void write_property(lg_sarif *s, const char *key, const lg_json *value)
{
    if (value && !lg_json_is(value, LG_JSON_NULL) &&
        !(lg_json_is(value, LG_JSON_STRING) && lg_json_str(value).len == 0)) {
        lg_jw_member_json(&s->w, key, value);
    }
}

// --- One pack -----------------------------------------------------------------------------------

static size_t kind_of(const lg_json *claim)
{
    for (int i = 0; i < LG_OBLIGATION_KINDS; i++) {
        if (is(claim, "obligation", lg_claim_word((lg_claim_kind)i))) {
            return (size_t)i;
        }
    }
    return LG_OBLIGATION_KINDS;
}

static void add_subject(lg_buf *out, const lg_json *claim)
{
    lg_str parts[] = {text(claim, "tool"), text(claim, "rule"), text(claim, "other")};
    bool any = false;
    for (size_t i = 0; i < LG_COUNT(parts); i++) {
        if (parts[i].len) {
            lg_buf_addf(out, "%s%.*s", any ? "/" : "", LG_FMT(parts[i]));
            any = true;
        }
    }
}

// "refuel_data/rule: the rule can refuse a call: refuted: no call can violate it"
static void add_message(lg_buf *out, lg_str subject, const lg_json *claim)
{
    lg_str why = text(claim, "why");
    lg_buf_addf(out, "%.*s: `%.*s` (%.*s) is %.*s", LG_FMT(subject),
                LG_FMT(text(claim, "obligation")), LG_FMT(text(claim, "claim")),
                LG_FMT(text(claim, "outcome")));
    if (why.len) {
        lg_buf_addf(out, ": %.*s", LG_FMT(why));
    }
    if (lg_json_is(get(claim, "example"), LG_JSON_OBJECT)) {
        lg_buf_add_c(out, "\n\n");
        prove_print_example(out, get(claim, "example"), 0);
    }
}

static lg_sarif_kind result_kind(const lg_json *claim)
{
    return lg_json_is_true(get(claim, "finding")) ? LG_SARIF_ERROR
           : is(claim, "outcome", "refuted")      ? LG_SARIF_NOTE
           : is(claim, "outcome", "proved")       ? LG_SARIF_PASS
                                                  : LG_SARIF_OPEN;
}

static void write_claim(lg_sarif *s, const prove_answer *answer, const lg_json *claim)
{
    static const char *const properties[] = {"outcome", "tool", "rule", "other", "why", "example"};
    lg_buf subject;
    lg_buf message;
    lg_buf identity;
    lg_buf_init(&subject, 0);
    lg_buf_init(&message, 0);
    lg_buf_init(&identity, 0);
    add_subject(&subject, claim);
    add_message(&message, lg_buf_str(&subject), claim);
    lg_buf_addf(&identity, "%.*s %.*s %.*s", LG_FMT(text(answer->root, "pack")),
                LG_FMT(text(claim, "obligation")), LG_FMT(lg_buf_str(&subject)));
    lg_sarif_result result = {.rule = kind_of(claim),
                              .kind = result_kind(claim),
                              .message = lg_buf_str(&message),
                              .path = answer->file,
                              .line = number(claim, "line"),
                              .column = number(claim, "column"),
                              .subject = lg_buf_str(&subject),
                              .identity = lg_buf_str(&identity)};
    lg_sarif_result_begin(s, &result);
    for (size_t i = 0; i < LG_COUNT(properties); i++) {
        write_property(s, properties[i], get(claim, properties[i]));
    }
    lg_sarif_result_end(s);
    lg_buf_done(&subject);
    lg_buf_done(&message);
    lg_buf_done(&identity);
}

static void write_proof(lg_buf *out, const prove_answer *answer, bool all)
{
    lg_sarif s;
    char folder[FOLDER_MAX];
    lg_sarif_rule rules[LG_OBLIGATION_KINDS];
    const lg_json *claims = get(answer->root, "obligations");
    for (int i = 0; i < LG_OBLIGATION_KINDS; i++) {
        rules[i] = (lg_sarif_rule){lg_claim_word((lg_claim_kind)i), lg_claim_text((lg_claim_kind)i),
                                   "`ledgergate prove PACK --examples` shows the cases that were "
                                   "found; docs/proofs.md says what each claim means"};
    }
    lg_sarif_begin(&s, out, working_folder(folder), rules, LG_COUNT(rules));
    for (size_t i = 0; i < lg_json_len(claims); i++) {
        const lg_json *claim = &claims->as.items[i];
        bool known = kind_of(claim) < LG_OBLIGATION_KINDS;
        if (known && (all || !is(claim, "outcome", "proved"))) {
            write_claim(&s, answer, claim);
        }
    }
    lg_sarif_end(&s);
}

// --- Two packs ----------------------------------------------------------------------------------

static const lg_sarif_rule relations[] = {
    {"equal", "no call is judged differently", NULL},
    {"stricter", "some call is judged more severely, none less", NULL},
    {"looser", "some call is judged less severely, none more", NULL},
    {"incomparable", "some call is judged more severely, and some less", NULL},
    {"unknown", "how calls are judged by the one and the other is not proved", NULL},
    {"uncompared", "this part of the packs differs, and no verdict on a single call shows how",
     NULL},
};
#define UNCOMPARED (LG_COUNT(relations) - 1)

static size_t relation_of(const lg_json *tool)
{
    for (size_t i = 0; i < UNCOMPARED; i++) {
        if (is(tool, "relation", relations[i].id)) {
            return i;
        }
    }
    return LG_RELATION_UNKNOWN;
}

static void add_example(lg_buf *out, const lg_json *example)
{
    if (lg_json_is(example, LG_JSON_OBJECT)) {
        lg_buf_add_c(out, "\n\n");
        prove_print_example(out, example, 0);
    }
}

static void add_difference(lg_buf *out, const lg_json *tool)
{
    lg_str why = text(tool, "why");
    lg_buf_addf(out, "%.*s: the new pack is %.*s%s", LG_FMT(text(tool, "tool")),
                LG_FMT(text(tool, "relation")),
                lg_json_is_true(get(tool, "proved")) ? ", proved" : ", not proved");
    if (why.len) {
        lg_buf_addf(out, ": %.*s", LG_FMT(why));
    }
    add_example(out, get(tool, "stricter"));
    add_example(out, get(tool, "looser"));
}

static lg_sarif_kind difference_kind(const lg_json *tool, uint32_t accepted)
{
    uint32_t undecided = 1u << LG_RELATION_UNKNOWN;
    return prove_tool_is_accepted(tool, 0)                      ? LG_SARIF_PASS
           : prove_tool_is_accepted(tool, accepted)             ? LG_SARIF_NOTE
           : prove_tool_is_accepted(tool, accepted | undecided) ? LG_SARIF_OPEN
                                                                : LG_SARIF_ERROR;
}

static void write_tool(lg_sarif *s, const prove_answer *answer, const lg_json *tool,
                       uint32_t accepted)
{
    static const char *const properties[] = {"relation", "proved",   "undecided",
                                             "why",      "stricter", "looser"};
    size_t relation = relation_of(tool);
    lg_buf message;
    lg_buf_init(&message, 0);
    add_difference(&message, tool);
    lg_sarif_result result = {.rule = relation,
                              .kind = difference_kind(tool, accepted),
                              .message = lg_buf_str(&message),
                              .path = is(tool, "in", "old") ? answer->old_file : answer->file,
                              .line = number(tool, "line"),
                              .column = number(tool, "column"),
                              .subject = text(tool, "tool"),
                              .identity = text(tool, "tool")};
    lg_sarif_result_begin(s, &result);
    for (size_t i = 0; i < LG_COUNT(properties); i++) {
        write_property(s, properties[i], get(tool, properties[i]));
    }
    lg_sarif_result_end(s);
    lg_buf_done(&message);
}

static void write_uncompared(lg_sarif *s, const prove_answer *answer, const lg_json *part)
{
    lg_buf message;
    lg_buf_init(&message, 0);
    lg_buf_addf(&message, "%.*s: differs, and is not compared", LG_FMT(text(part, "what")));
    lg_sarif_result result = {.rule = UNCOMPARED,
                              .kind = LG_SARIF_REVIEW,
                              .message = lg_buf_str(&message),
                              .path = is(part, "in", "old") ? answer->old_file : answer->file,
                              .line = number(part, "line"),
                              .column = number(part, "column"),
                              .subject = text(part, "what"),
                              .identity = text(part, "what")};
    lg_sarif_result_begin(s, &result);
    lg_sarif_result_end(s);
    lg_buf_done(&message);
}

static void write_difference(lg_buf *out, const prove_answer *answer, bool all, uint32_t accepted)
{
    lg_sarif s;
    char folder[FOLDER_MAX];
    const lg_json *tools = get(answer->root, "tools");
    const lg_json *parts = get(answer->root, "uncompared");
    lg_sarif_begin(&s, out, working_folder(folder), relations, LG_COUNT(relations));
    for (size_t i = 0; i < lg_json_len(tools); i++) {
        const lg_json *tool = &tools->as.items[i];
        if (all || !prove_tool_is_accepted(tool, 0)) {
            write_tool(&s, answer, tool, accepted);
        }
    }
    for (size_t i = 0; i < lg_json_len(parts); i++) {
        write_uncompared(&s, answer, &parts->as.items[i]);
    }
    lg_sarif_end(&s);
}

void prove_write_sarif(lg_buf *out, const prove_answer *answer, bool all, uint32_t accepted)
{
    if (answer->is_difference) {
        write_difference(out, answer, all, accepted);
    } else {
        write_proof(out, answer, all);
    }
}
