// A message of Claude Code is recorded part by part, with what its first calls returned in between.
#include "lg_test.h"
#include "trace_dump.h"

static void add_line(lg_buf *out, const char *type, const char *id, unsigned second,
                     const char *part)
{
    lg_buf_addf(out,
                "{\"type\":\"%s\",\"sessionId\":\"s\",\"timestamp\":\"2026-03-01T10:00:%02uZ\","
                "\"message\":{\"id\":\"%s\",\"role\":\"%s\",\"content\":[%s]}}\n",
                type, second, id, type, part);
}

static void add_call(lg_buf *out, const char *message, unsigned second, const char *id)
{
    char part[128];
    snprintf(part, sizeof(part),
             "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"pay\",\"input\":{}}", id);
    add_line(out, "assistant", message, second, part);
}

static void add_result(lg_buf *out, unsigned second, const char *id)
{
    char part[128];
    snprintf(part, sizeof(part),
             "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":\"ok\"}", id);
    add_line(out, "user", "", second, part);
}

static lg_trace_set *import(const lg_buf *text)
{
    lg_trace_set *set = NULL;
    lg_error err = {0};
    if (!CHECK_MSG(lg_trace_import(lg_buf_str(text), "case", NULL, &set, &err) == LG_OK, err.msg)) {
        return NULL;
    }
    const char *broken = trace_broken_law(set);
    CHECK_MSG(!broken, broken ? broken : "");
    CHECK(set->count == 1 && set->issue_count == 0);
    return set;
}

static void calls_behind_a_result_of_their_message_were_proposed_with_the_others(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    add_call(&text, "m", 1, "a");
    add_result(&text, 2, "a");
    add_call(&text, "m", 3, "b");
    add_result(&text, 4, "b");
    lg_trace_set *set = import(&text);
    if (set && CHECK(set->traces[0].count == 4)) {
        const lg_trace_event *events = set->traces[0].events;
        CHECK(lg_trace_calls_together(&set->traces[0], 0) == 2);
        CHECK_STR(events[1].id, "b");
        CHECK(events[1].turn == events[0].turn && events[1].time.seconds == events[0].time.seconds);
        CHECK(events[0].other == 2 && events[1].other == 3);
        CHECK(events[2].turn == 1 && events[2].time.seconds == events[0].time.seconds + 1);
    }
    lg_trace_close(set);
    lg_buf_done(&text);
}

// A message in two parts, with so many others in between.
static bool is_one_turn(unsigned others)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    add_call(&text, "m", 0, "a");
    for (unsigned i = 0; i < others; i++) {
        char name[16];
        snprintf(name, sizeof(name), "o%u", i);
        add_call(&text, name, 1, name);
    }
    add_call(&text, "m", 2, "b");
    lg_trace_set *set = import(&text);
    bool one = set && lg_trace_calls_together(&set->traces[0], 0) == 2;
    CHECK(set && set->traces[0].count == others + 2);
    lg_trace_close(set);
    lg_buf_done(&text);
    return one;
}

static void so_many_messages_may_be_on_their_way_at_once(void)
{
    CHECK(is_one_turn(31));
    CHECK(!is_one_turn(32)); // then it is a message of its own
}

static void what_a_person_says_is_a_turn_of_its_own(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    add_line(&text, "user", "m", 0, "{\"type\":\"text\",\"text\":\"one\"}");
    add_line(&text, "user", "m", 1, "{\"type\":\"text\",\"text\":\"two\"}");
    lg_trace_set *set = import(&text);
    CHECK(set && set->traces[0].events[1].turn == 1);
    lg_trace_close(set);
    lg_buf_done(&text);
}

int main(void)
{
    RUN(calls_behind_a_result_of_their_message_were_proposed_with_the_others);
    RUN(so_many_messages_may_be_on_their_way_at_once);
    RUN(what_a_person_says_is_a_turn_of_its_own);
    return lg_test_done();
}
