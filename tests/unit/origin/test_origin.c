// What is said of single values: every verdict, kind and operation, in the forms in which people write them.
#include "origin/origin.h"

#include "lg_test.h"

typedef struct told {
    lg_origin *origin;
    lg_arena arena;
    uint32_t event;
} told;

static void begin(told *t)
{
    *t = (told){0};
    lg_arena_init(&t->arena, 0);
    CHECK(lg_origin_new(NULL, &t->origin) == LG_OK);
}

static void end(told *t)
{
    lg_origin_free(t->origin);
    lg_arena_done(&t->arena);
}

static void tell(told *t, lg_origin_kind kind, const char *text)
{
    lg_origin_source source = {.kind = kind, .event = t->event, .turn = t->event};
    t->event++;
    lg_origin_take(t->origin, source, lg_str_c(text));
}

static lg_origin_answers ask(told *t, const char *args, const char *schema)
{
    const lg_json *value = NULL;
    const lg_json *parameters = NULL;
    lg_origin_answers answers = {0};
    lg_str text = lg_str_c(args);
    CHECK(lg_json_parse_in(&t->arena, text, 0, text.len, NULL, &value, NULL) == LG_OK);
    if (schema) {
        text = lg_str_c(schema);
        CHECK(lg_json_parse_in(&t->arena, text, 0, text.len, NULL, &parameters, NULL) == LG_OK);
    }
    CHECK(lg_origin_ask(t->origin, &t->arena, value, parameters, &answers, NULL) == LG_OK);
    return answers;
}

// Of the one leaf of `args`.
static lg_origin_answer one(told *t, const char *args)
{
    lg_origin_answers answers = ask(t, args, NULL);
    CHECK(answers.count == 1);
    return answers.count ? answers.items[0] : (lg_origin_answer){0};
}

static const char *verdict(told *t, const char *args)
{
    return lg_origin_verdict_name(one(t, args).verdict);
}

typedef struct row {
    const char *text; // of the user
    const char *args;
    const char *verdict;
    const char *seen; // the bytes of the place, or of the operation's name
} row;

// clang-format off
static const row rows[] = {
    {"my order is #W1234567, thanks", "{\"order_id\":\"W1234567\"}", "seen", "W1234567"},
    {"my order is w1234567", "{\"order_id\":\"#W1234567\"}", "seen", "w1234567"},
    {"my order is W12345678", "{\"order_id\":\"#W1234567\"}", "ungrounded", NULL},
    {"it is john_smith_1234", "{\"first_name\":\"John\"}", "seen", "john"},
    {"I am Mr. Smith", "{\"last_name\":\"Smith\"}", "seen", "Smith"},
    {"I am John. My wife is a Smith.", "{\"name\":\"John Smith\"}", "computed", "joined"},
    {"I am John. My zip is 1234, Smith is my name.", "{\"user_id\":\"john_smith_1234\"}", "ungrounded", NULL},
    {"call (555) 123-4567", "{\"phone\":\"+15551234567\"}", "ungrounded", NULL},
    {"call (555) 123-4567", "{\"phone\":\"5551234567\"}", "seen", "555) 123-4567"},
    {"call 5551234567 now", "{\"phone\":\"555-123-4567\"}", "seen", "5551234567"},
    {"mail Ann.Lee@Example.com.", "{\"email\":\"ann.lee@example.com\"}", "seen", "Ann.Lee@Example.com"},
    {"mail daikisanchez1479@example.com", "{\"last_name\":\"Sanchez\"}", "computed", "part"},
    {"mail daikisanchez1479@example.com", "{\"last_name\":\"Santos\"}", "ungrounded", NULL},
    {"order 9502127", "{\"order_id\":\"#W9502127\"}", "computed", "part"},
    {"take montelukast 10mg nightly, tablets", "{\"medication\":\"Montelukast 10 mg tablet\"}", "computed", "inflected"},
    {"write to Emma Lee; bob@example.com knows", "{\"to\":[\"emma.lee@example.com\"]}", "ungrounded", NULL},
    {"36360 and again 36360", "{\"zip\":\"72720\"}", "ungrounded", NULL},
    {"it is ann-lee at example-dot-com", "{\"email\":\"ann-lee@example.com\"}", "seen", "ann-lee at example-dot-com"},
    {"it is 2024-05-24, make it one day earlier", "{\"date\":\"2024-05-23\"}", "computed", "date"},
    {"it costs $1,234.50 in all", "{\"amount\":1234.5}", "seen", "1,234.50"},
    {"it costs $1,234.50 in all", "{\"amount\":\"1234.50\"}", "seen", "1,234.50"},
    {"it costs 54.04", "{\"amount\":54}", "ungrounded", NULL},
    {"it costs 54.00.", "{\"amount\":54}", "seen", "54.00"},
    {"there are two of us", "{\"count\":2}", "seen", "two"},
    {"seats for thirty people", "{\"count\":30}", "seen", "thirty"},
    {"both of them", "{\"count\":\"2\"}", "seen", "both"},
    {"15% off", "{\"rate\":0.15}", "computed", "percentage"},
    {"15% of 200.00", "{\"tip\":30}", "computed", "percentage"},
    {"we paid 1000 and 19.5% of it is due with a fee of 5.29", "{\"amount\":200.29}", "computed", "percentage"},
    {"one is 12.30 and one 7.45", "{\"amount\":19.75}", "computed", "sum"},
    {"I had 120.55 and spent 20.50", "{\"amount\":100.05}", "computed", "difference"},
    {"each is 131.40", "{\"amount\":394.2}", "computed", "product"},
    {"nothing", "{\"amount\":394.2}", "ungrounded", NULL},
    {"on May 16, 2024", "{\"date\":\"2024-05-16\"}", "seen", "May 16"},
    {"on the 16th of May", "{\"date\":\"2024-05-16\"}", "seen", "16th of May"},
    {"on 5/16", "{\"date\":\"2024-05-16\"}", "seen", "5/16"},
    {"on May 16, 2023", "{\"date\":\"2024-05-16\"}", "ungrounded", NULL},
    {"on 2024-05-16", "{\"date\":\"05/16/2024\"}", "seen", "2024-05-16"},
    {"between May 14 and 16", "{\"date\":\"2024-05-16\"}", "computed", "date"},
    {"it is 2024-05-15; I leave tomorrow", "{\"date\":\"2024-05-16\"}", "computed", "date"},
    {"it is 2024-05-15; I leave on Friday", "{\"date\":\"2024-05-17\"}", "computed", "date"},
    {"it is 2024-05-15; I leave on Friday", "{\"date\":\"2024-05-18\"}", "ungrounded", NULL},
    {"at 4 PM please", "{\"time\":\"16:00\"}", "seen", "4 PM"},
    {"at 4pm please", "{\"time\":\"16:00\"}", "seen", "4pm"},
    {"at 16:00", "{\"time\":\"4:00 PM\"}", "seen", "16:00"},
    {"2024-05-16 at 4 pm", "{\"start\":\"2024-05-16T16:00:00\"}", "computed", "date"},
    {"2024-05-16 at 4 pm", "{\"start\":\"2024-05-16T17:00:00\"}", "ungrounded", NULL},
    {"add 12.5 and 3", "{\"expression\":\"(12.5+3)*2\"}", "ungrounded", NULL},
    {"add 12.5 and 3, twice", "{\"expression\":\"(12.5+3)*2\"}", "computed", "expression"},
    {"to New York", "{\"origin\":\"JFK\"}", "code", NULL},
    {"from JFK", "{\"origin\":\"JFK\"}", "seen", "JFK"},
    {"the cheapest Indian one", "{\"country\":\"India\"}", "computed", "inflected"},
    {"see www.eve-blog.com", "{\"url\":\"https://www.eve-blog.com\"}", "seen", "www.eve-blog.com"},
    {"hi", "{\"a\":\"\"}", "trivial", NULL},
    {"hi", "{\"a\":\"Yes\"}", "trivial", NULL},
    {"hi", "{\"a\":null}", "trivial", NULL},
    {"hi", "{\"a\":true}", "trivial", NULL},
    {"hi", "{\"a\":1}", "trivial", NULL},
    {"hi", "{\"a\":[]}", "trivial", NULL},
    {"hi", "{\"limit\":5}", "chosen", NULL},
    {"hi", "{\"service_type\":\"lost_property\"}", "chosen", NULL},
    {"hi", "{\"cabin\":\"JX42\"}", "ungrounded", NULL},
    {"at Caf\xC3\xA9 Gr\xC3\x9Cn", "{\"name\":\"cafe grun\"}", "seen", "Caf\xC3\xA9 Gr\xC3\x9Cn"},
    {"\xE6\x88\x91\xE5\x8F\xAB\xE7\x8E\x8B\xE5\xB0\x8F\xE6\x98\x8E\xE3\x80\x82", // I am called ...
     "{\"name\":\"\xE7\x8E\x8B\xE5\xB0\x8F\xE6\x98\x8E\"}", "seen", "\xE7\x8E\x8B\xE5\xB0\x8F\xE6\x98\x8E"},
    {"2024\xE5\xB9\xB4" "5\xE6\x9C\x88" "16\xE6\x97\xA5", "{\"date\":\"2024-05-16\"}", "seen",
     "5\xE6\x9C\x88" "16\xE6\x97\xA5"},
    {"\xEF\xBC\xB7\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x93\xEF\xBC\x94", "{\"id\":\"W1234\"}", "seen",
     "\xEF\xBC\xB7\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x93\xEF\xBC\x94"}, // full width
};
// clang-format on

static void forms(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        told t;
        begin(&t);
        tell(&t, LG_ORIGIN_USER, rows[i].text);
        lg_origin_answer answer = one(&t, rows[i].args);
        const char *got = lg_origin_verdict_name(answer.verdict);
        if (strcmp(got, rows[i].verdict) != 0) {
            printf("%s <- %s: %s, not %s\n", rows[i].args, rows[i].text, got, rows[i].verdict);
        }
        CHECK(strcmp(got, rows[i].verdict) == 0);
        if (answer.verdict == LG_ORIGIN_SEEN) {
            lg_str text = lg_str_c(rows[i].text);
            CHECK_STR(lg_str_slice(text, answer.place.begin, answer.place.end), rows[i].seen);
        } else if (answer.verdict == LG_ORIGIN_COMPUTED) {
            CHECK_STR(lg_str_c(lg_origin_operation_name(answer.operation)), rows[i].seen);
        }
        end(&t);
    }
}

static void sources(void)
{
    told t;
    begin(&t);
    tell(&t, LG_ORIGIN_SCHEMA, "the user's id, such as sara_doe_496 or ann_lee_12");
    tell(&t, LG_ORIGIN_PROMPT, "The time is 2024-05-15.");
    tell(&t, LG_ORIGIN_AGENT, "Shall I take ABC123?");
    tell(&t, LG_ORIGIN_USER, "Which one is that? I am ann_lee_12.");
    tell(&t, LG_ORIGIN_AGENT, "It is XYZ789.");
    tell(&t, LG_ORIGIN_USER, "Yes, please.");
    tell(&t, LG_ORIGIN_CALL, "{\"id\":\"QQQ777\"}");
    tell(&t, LG_ORIGIN_ERROR, "Error: no QQQ777; try RRR888");
    tell(&t, LG_ORIGIN_FIELD, "{\"a\": [{\"b/c\": \"TT\\u0041\\nZ55\"}]}");
    lg_origin_answer said = one(&t, "{\"x\":\"ABC123\"}");
    CHECK(said.verdict == LG_ORIGIN_UNGROUNDED && said.said && said.said_at.source.event == 2);
    CHECK_STR(said.pointer, "/x");
    CHECK(one(&t, "\"XYZ789\"").place.source.kind == LG_ORIGIN_CONFIRMED);
    CHECK_STR(lg_str_c(verdict(&t, "\"QQQ777\"")), "ungrounded");
    CHECK(one(&t, "\"RRR888\"").place.source.kind == LG_ORIGIN_ERROR);
    CHECK(one(&t, "\"sara_doe_496\"").place.source.kind == LG_ORIGIN_SCHEMA);
    CHECK(one(&t, "\"ann_lee_12\"").place.source.kind == LG_ORIGIN_USER);
    lg_origin_answer field = one(&t, "\"TTA Z55\"");
    CHECK(field.verdict == LG_ORIGIN_SEEN && field.place.source.kind == LG_ORIGIN_FIELD);
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    CHECK(lg_origin_pointer(t.origin, &field.place, &pointer));
    CHECK_STR(lg_buf_str(&pointer), "/a/0/b~1c");
    lg_buf_done(&pointer);
    end(&t);
}

static void trees(void)
{
    told t;
    begin(&t);
    tell(&t, LG_ORIGIN_USER, "Ann and Bob, economy");
    lg_origin_answers answers = ask(
        &t,
        "{\"who\":[{\"n\":\"Ann\"},{\"n\":\"Bob\"},{\"n\":\"Eve\"}],\"seats\":3,\"m\":\"fast\"}",
        "{\"properties\":{\"m\":{\"enum\":[\"fast\",\"slow\"]}}}");
    CHECK(answers.count == 5);
    if (answers.count == 5) {
        CHECK_STR(answers.items[1].pointer, "/who/1/n");
        CHECK(answers.items[1].verdict == LG_ORIGIN_SEEN);
        CHECK(answers.items[2].verdict == LG_ORIGIN_UNGROUNDED);
        CHECK_STR(answers.items[2].missing[0], "Eve");
        CHECK(answers.items[3].operation == LG_ORIGIN_COUNT);
        CHECK(answers.items[4].verdict == LG_ORIGIN_CHOSEN);
    }
    end(&t);
}

static void prose(void)
{
    told t;
    begin(&t);
    tell(&t, LG_ORIGIN_USER, "I am Ann and want order W77 cancelled, it was 12.50");
    lg_origin_answer answer =
        one(&t, "{\"summary\":\"The user Ann asks Carol to cancel W77 and W88 for "
                "$12.50 and $1,999.25 by May 3\"}");
    CHECK(answer.verdict == LG_ORIGIN_PROSE && answer.missing_count == 4);
    CHECK_STR(answer.missing[0], "Carol");
    CHECK_STR(answer.missing[1], "W88");
    CHECK_STR(answer.missing[2], "1,999.25");
    end(&t);
}

static void bounds(void)
{
    const lg_origin_limits small[] = {{.text_bytes = 20}, {.entries = 3}, {.memory_bytes = 3000}};
    for (size_t i = 0; i < 3; i++) {
        told t = {0};
        lg_arena_init(&t.arena, 0);
        CHECK(lg_origin_new(&small[i], &t.origin) == LG_OK);
        tell(&t, LG_ORIGIN_USER, "alpha beta");
        CHECK_STR(lg_str_c(verdict(&t, "\"gamma\"")), i == 2 ? "unknown" : "ungrounded");
        tell(&t, LG_ORIGIN_USER, "delta epsilon zeta");
        CHECK(!lg_origin_is_whole(t.origin));
        CHECK_STR(lg_str_c(verdict(&t, "\"gamma\"")), "unknown");
        end(&t);
    }
    lg_origin_limits steps = {.steps = 50};
    told t = {0};
    lg_arena_init(&t.arena, 0);
    CHECK(lg_origin_new(&steps, &t.origin) == LG_OK);
    char text[4000];
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = i % 2 ? ' ' : 'a';
    }
    text[sizeof(text) - 1] = '\0';
    tell(&t, LG_ORIGIN_USER, text);
    CHECK_STR(lg_str_c(verdict(&t, "\"a a a b\"")), "unknown");
    end(&t);
}

static void forks(void)
{
    told t;
    begin(&t);
    tell(&t, LG_ORIGIN_USER, "first ONE11");
    told fork = {.event = 1};
    told second = {.event = 2};
    lg_arena_init(&fork.arena, 0);
    lg_arena_init(&second.arena, 0);
    CHECK(lg_origin_fork(t.origin, &fork.origin) == LG_OK);
    tell(&t, LG_ORIGIN_USER, "then TWO22 and 17.25");
    tell(&fork, LG_ORIGIN_USER, "then THREE33");
    CHECK(lg_origin_fork(fork.origin, &second.origin) == LG_OK);
    CHECK_STR(lg_str_c(verdict(&second, "\"THREE33\"")), "seen");
    CHECK_STR(lg_str_c(verdict(&second, "\"TWO22\"")), "ungrounded");
    CHECK_STR(lg_str_c(verdict(&second, "34.5")), "ungrounded");
    CHECK_STR(lg_str_c(verdict(&t, "34.5")), "computed");
    CHECK_STR(lg_str_c(verdict(&t, "\"THREE33\"")), "ungrounded");
    lg_origin_free(t.origin);
    CHECK(one(&second, "\"ONE11\"").place.source.event == 0);
    CHECK(one(&second, "\"THREE33\"").place.source.event == 1);
    lg_origin_free(fork.origin);
    CHECK_STR(lg_str_c(verdict(&second, "\"one11\"")), "seen");
    // Forks of forks that take in nothing are no generations; those that do are, up to a bound.
    lg_status status = LG_OK;
    for (int i = 0; i < 200 && status == LG_OK; i++) {
        lg_origin *next = NULL;
        status = lg_origin_fork(second.origin, &next);
        if (status == LG_OK) {
            lg_origin_free(second.origin);
            second.origin = next;
        }
        if (i >= 100 && status == LG_OK) {
            tell(&second, LG_ORIGIN_USER, "more");
        }
        CHECK(i > 150 || status == LG_OK);
    }
    CHECK(status == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(verdict(&second, "\"one11\"")), "seen");
    lg_origin_free(second.origin);
    lg_arena_done(&t.arena);
    lg_arena_done(&fork.arena);
    lg_arena_done(&second.arena);
}

int main(void)
{
    RUN(forms);
    RUN(sources);
    RUN(trees);
    RUN(prose);
    RUN(bounds);
    RUN(forks);
    return lg_test_done();
}
