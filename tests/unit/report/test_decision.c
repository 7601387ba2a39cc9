// Decisions, findings and what is owed as JSON: the very bytes, since other programs read them.
#include "lg_test.h"

#include "report/report.h"

// What was written last.
static lg_buf out;

static lg_json_writer writer(void)
{
    lg_buf_clear(&out);
    return (lg_json_writer){.out = &out};
}

static lg_evidence order(void)
{
    return (lg_evidence){.path = LG_STR("ledger.orders[\"#W1\"].status"),
                         .value = LG_STR("\"open\""),
                         .observed = true,
                         .tool = LG_STR("get_order"),
                         .turn = 3,
                         .stale = true,
                         .stale_tool = LG_STR("close")};
}

static lg_evidence argument(void)
{
    return (lg_evidence){.path = LG_STR("args.id"), .value = LG_STR("\"#W1\"")};
}

#define ORDER                                                                                      \
    "{\"path\":\"ledger.orders[\\\"#W1\\\"].status\",\"value\":\"\\\"open\\\"\","                  \
    "\"tool\":\"get_order\",\"turn\":3,\"stale\":true}"
#define ARGUMENT "{\"path\":\"args.id\",\"value\":\"\\\"#W1\\\"\"}"

static void evidence_names_its_read(void)
{
    lg_evidence both[] = {order(), argument()};
    lg_json_writer w = writer();
    lg_report_evidence(&w, both, 2);
    CHECK_STR(lg_buf_str(&out), "[" ORDER "," ARGUMENT "]");
    w = writer();
    lg_report_evidence(&w, NULL, 0);
    CHECK_STR(lg_buf_str(&out), "[]");
}

static void an_allowed_call_is_short(void)
{
    lg_decision decision = {.gated = true,
                            .clock = LG_CLOCK_HOST,
                            .rules_evaluated = 2,
                            .rules_abstained = 1,
                            .steps = 77};
    lg_json_writer w = writer();
    lg_report_decision(&w, &decision);
    CHECK_STR(
        lg_buf_str(&out),
        "{\"verdict\":\"allow\",\"gated\":true,\"clock\":\"host\",\"rules\":[],\"evidence\":[],"
        "\"missing\":[],\"findings\":[],\"reports\":[],\"hints\":[],"
        "\"rules_evaluated\":2,\"rules_abstained\":1,\"message\":\"\"}");
}

static void a_refusal_says_all(void)
{
    lg_evidence read = argument();
    lg_missing two[] = {{LG_STR("ledger.a"), LG_STR("get_a()")},
                        {LG_STR("ledger.b"), LG_STR("get_b()")}};
    lg_missing unread = {.path = LG_STR("ledger.c")};
    lg_finding findings[] = {
        {.rule = LG_STR("seen"),
         .verdict = LG_REVISE,
         .cause = LG_CAUSE_MISSING,
         .category = LG_CATEGORY_STATE,
         .message = LG_STR("Read it."),
         .because = LG_STR("policy 1"),
         .missing = two,
         .missing_count = 2},
        {.rule = LG_STR("open"),
         .verdict = LG_BLOCK,
         .cause = LG_CAUSE_VIOLATED,
         .category = LG_CATEGORY_ENTITY,
         .message = LG_STR("It is \"closed\"."),
         .missing = &unread,
         .missing_count = 1,
         .evidence = &read,
         .evidence_count = 1},
    };
    lg_finding report = {.rule = LG_STR("polite"), .category = LG_CATEGORY_STATE};
    lg_hint hint = {.path = LG_STR("args.id"), .value = LG_STR("\"#W2\"")};
    lg_decision decision = {.verdict = LG_BLOCK,
                            .category = LG_CATEGORY_ENTITY,
                            .gated = true,
                            .clock = LG_CLOCK_EVENT,
                            .now = {1747321200, 500000000},
                            .findings = findings,
                            .finding_count = 2,
                            .reports = &report,
                            .report_count = 1,
                            .evidence = &read,
                            .evidence_count = 1,
                            .hints = &hint,
                            .hint_count = 1,
                            .rules_evaluated = 3,
                            .message = LG_STR("No.")};
    lg_json_writer w = writer();
    lg_report_decision(&w, &decision);
    CHECK_STR(
        lg_buf_str(&out),
        "{\"verdict\":\"block\",\"category\":\"entity\",\"gated\":true,\"clock\":\"event\",\"now\":"
        "\"2025-05-15T15:00:00.5Z\",\"rules\":[\"seen\","
        "\"open\"],"
        "\"evidence\":[" ARGUMENT "],\"missing\":[\"ledger.a\",\"ledger.b\",\"ledger.c\"],"
        "\"findings\":[{\"rule\":\"seen\",\"verdict\":\"revise\",\"cause\":\"missing\","
        "\"message\":\"Read it.\",\"because\":\"policy 1\",\"category\":\"state\","
        "\"read\":\"get_a()\",\"reads\":[\"get_a()\",\"get_b()\"],\"evidence\":[]},"
        "{\"rule\":\"open\",\"verdict\":\"block\",\"cause\":\"violated\","
        "\"message\":\"It is \\\"closed\\\".\",\"category\":\"entity\",\"evidence\":[" ARGUMENT
        "]}],\"reports\":[{\"rule\":\"polite\",\"verdict\":\"allow\",\"cause\":\"violated\","
        "\"message\":\"\",\"category\":\"state\",\"evidence\":[]}],"
        "\"hints\":[{\"path\":\"args.id\",\"value\":\"\\\"#W2\\\"\"}],"
        "\"rules_evaluated\":3,\"rules_abstained\":0,\"message\":\"No.\"}");
}

static void a_path_is_missing_once(void)
{
    lg_missing twice[] = {{LG_STR("ledger.a"), LG_STR("")}, {LG_STR("ledger.a"), LG_STR("")}};
    lg_missing more[] = {{LG_STR("ledger.b"), LG_STR("")}, {LG_STR("ledger.a"), LG_STR("")}};
    lg_finding findings[] = {{.missing = twice, .missing_count = 2},
                             {.missing = more, .missing_count = 2}};
    lg_decision decision = {.findings = findings, .finding_count = 2};
    lg_json_writer w = writer();
    lg_report_decision(&w, &decision);
    size_t at = lg_str_find(lg_buf_str(&out), LG_STR("\"missing\":[\"ledger.a\",\"ledger.b\"]"));
    CHECK(at != SIZE_MAX);
}

static void what_was_cut_is_told(void)
{
    lg_decision decision = {
        .clock = LG_CLOCK_HOST, .evidence_left_out = 4, .evidence_cut = true, .hints_cut = true};
    lg_json_writer w = writer();
    lg_report_decision(&w, &decision);
    CHECK_STR(
        lg_buf_str(&out),
        "{\"verdict\":\"allow\",\"gated\":false,\"clock\":\"host\",\"rules\":[],\"evidence\":[],"
        "\"evidence_left_out\":4,\"evidence_cut\":true,\"missing\":[],\"findings\":[],"
        "\"reports\":[],\"hints\":[],\"hints_cut\":true,\"rules_evaluated\":0,"
        "\"rules_abstained\":0,\"message\":\"\"}");
}

static void memory_that_ends_is_told(void)
{
    lg_decision decision = {.message = LG_STR("a message that does not fit")};
    lg_buf small;
    lg_buf_init(&small, 20);
    lg_json_writer w = {.out = &small};
    lg_report_decision(&w, &decision);
    CHECK(lg_buf_status(&small) == LG_ERR_LIMIT);
    lg_buf_done(&small);
}

static void check_members(const char *want, void (*write)(lg_json_writer *w))
{
    lg_json_writer w = writer();
    lg_jw_begin_object(&w);
    write(&w);
    lg_jw_end_object(&w);
    CHECK_STR(lg_buf_str(&out), want);
}

static void write_occurrence(lg_json_writer *w)
{
    lg_evidence events[] = {{.path = LG_STR("conversation[3]"),
                             .value = LG_STR("\"call\""),
                             .observed = true,
                             .tool = LG_STR("pay"),
                             .turn = 2},
                            {.path = LG_STR("conversation[5]"),
                             .value = LG_STR("\"message of the user\""),
                             .observed = true,
                             .turn = 4}};
    lg_finding finding = {.rule = LG_STR("once"),
                          .verdict = LG_REVISE,
                          .message = LG_STR("Twice."),
                          .evidence = events,
                          .evidence_count = 2};
    lg_report_finding_members(w, &finding);
}

static lg_obligation debt(lg_obligation_state state)
{
    return (lg_obligation){.rule = LG_STR("thank"),
                           .message = LG_STR("Say thanks."),
                           .because = LG_STR("policy 2"),
                           .tool = LG_STR("pay"),
                           .event = 5,
                           .turn = 2,
                           .state = state};
}

static void write_owed(lg_json_writer *w)
{
    lg_obligation owed = debt(LG_OWED_OPEN);
    lg_report_obligation_members(w, &owed, false);
}

static void write_unmet(lg_json_writer *w)
{
    lg_obligation owed = debt(LG_OWED_OVERDUE);
    owed.verdict = LG_REVISE;
    owed.key = LG_STR("#W1");
    lg_report_obligation_members(w, &owed, true);
}

static void write_late(lg_json_writer *w)
{
    lg_obligation owed = debt(LG_OWED_LATE);
    lg_report_obligation_members(w, &owed, true);
}

static void write_rejection(lg_json_writer *w)
{
    lg_rejection rejection = {.category = LG_CATEGORY_SEMANTIC,
                              .condition = LG_STR("right_order"),
                              .message = "Another order."};
    lg_report_rejection_members(w, &rejection);
}

static void the_conversation(void)
{
    check_members("{\"rule\":\"once\",\"verdict\":\"revise\",\"cause\":\"violated\","
                  "\"message\":\"Twice.\",\"category\":\"none\",\"evidence\":["
                  "{\"path\":\"conversation[3]\",\"value\":\"\\\"call\\\"\",\"tool\":\"pay\","
                  "\"turn\":2,\"stale\":false},{\"path\":\"conversation[5]\","
                  "\"value\":\"\\\"message of the user\\\"\",\"turn\":4,\"stale\":false}]}",
                  write_occurrence);
    check_members("{\"rule\":\"thank\",\"severity\":\"report\",\"state\":\"open\",\"tool\":\"pay\","
                  "\"event\":5,\"turn\":2,\"message\":\"Say thanks.\",\"because\":\"policy 2\"}",
                  write_owed);
    check_members("{\"rule\":\"thank\",\"severity\":\"revise\",\"state\":\"unmet\",\"key\":\"#W1\","
                  "\"tool\":\"pay\",\"event\":5,\"turn\":2,\"message\":\"Say thanks.\","
                  "\"because\":\"policy 2\"}",
                  write_unmet);
    check_members("{\"rule\":\"thank\",\"severity\":\"report\",\"state\":\"late\",\"tool\":\"pay\","
                  "\"event\":5,\"turn\":2,\"message\":\"Say thanks.\",\"because\":\"policy 2\"}",
                  write_late);
    check_members("{\"category\":\"semantic\",\"condition\":\"right_order\","
                  "\"message\":\"Another order.\"}",
                  write_rejection);
}

int main(void)
{
    lg_buf_init(&out, 0);
    RUN(evidence_names_its_read);
    RUN(an_allowed_call_is_short);
    RUN(a_refusal_says_all);
    RUN(a_path_is_missing_once);
    RUN(what_was_cut_is_told);
    RUN(memory_that_ends_is_told);
    RUN(the_conversation);
    lg_buf_done(&out);
    return lg_test_done();
}
