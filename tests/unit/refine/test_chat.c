// test_chat.c: refined calls as chat completions: bytes in, bytes out, whole and in events, and what is refused.
#include "refine_fixture.h"

#include "refine/chat.h"

#define GET "get_order {\"id\":\"#1\"}"
#define PAY "set_status {\"id\":\"#1\",\"status\":\"paid\"}"

typedef struct face {
    desk d;
    script s;
    lg_refine_planner planner;
    lg_checklist checklist;
    lg_refine_chat_options options;
    lg_refine_chat_reply reply;
    lg_buf out;
} face;

static void face_open(face *f, const char *const *turns, size_t count)
{
    *f = (face){.s = {.turns = turns, .count = count}};
    desk_open(&f->d, (lg_sim_options){0});
    f->planner = script_planner(&f->s);
    f->checklist = fixture_checklist(&f->d.arena, PAID);
    f->options = (lg_refine_chat_options){
        .sim = f->d.sim,
        .created = 7,
        .refine = {.planner = &f->planner, .checklist = &f->checklist, .retries = 3},
    };
    lg_buf_init(&f->out, 0);
}

#define OPEN(f, ...)                                                                               \
    static const char *const turns[] = {__VA_ARGS__};                                              \
    face_open(&(f), turns, LG_COUNT(turns))

// The answer as JSON; its text is in `out`.
static const lg_json *ask(face *f, const char *body)
{
    lg_error error = {.msg = ""};
    lg_buf_clear(&f->out);
    lg_status status = lg_refine_chat(&f->options, lg_str_c(body), &f->out, &f->reply, &error);
    CHECK_MSG(status == LG_OK, error.msg);
    bool is_json =
        status == LG_OK && lg_str_eq(lg_str_c(f->reply.type), LG_STR("application/json"));
    return is_json ? fixture_json(&f->d.arena, lg_arena_str(&f->d.arena, lg_buf_str(&f->out)).ptr)
                   : NULL;
}

static void done(face *f)
{
    lg_buf_done(&f->out);
    lg_arena_done(&f->s.seen);
    desk_close(&f->d);
}

static lg_str at(const lg_json *json, const char *pointer)
{
    return lg_json_str(lg_json_at(json, lg_str_c(pointer)));
}

#define TASK                                                                                       \
    "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be "                        \
    "kind.\"},{\"role\":\"user\",\"content\":\"Pay #1.\"}"

static void answers_with_calls(void)
{
    face f;
    OPEN(f, "set_status {\"id\":\"#2\",\"status\":\"open\"}", "= done",
         GET "\nget_order {\"id\":\"#9\"}\n" PAY, "= paid");
    const lg_json *json = ask(&f, TASK "]}");
    CHECK(f.reply.status == 200);
    CHECK_STR(at(json, "/object"), "chat.completion");
    CHECK_STR(at(json, "/choices/0/finish_reason"), "tool_calls");
    // The call that failed is not handed over.
    CHECK(lg_json_len(lg_json_at(json, LG_STR("/choices/0/message/tool_calls"))) == 2);
    CHECK_STR(at(json, "/choices/0/message/tool_calls/1/function/name"), "set_status");
    CHECK_STR(at(json, "/ledgergate/status"), "success");
    int64_t attempts = 0;
    CHECK(lg_json_int(lg_json_at(json, LG_STR("/ledgergate/attempts")), &attempts) &&
          attempts == 2);
    CHECK(lg_json_int(lg_json_at(json, LG_STR("/usage/prompt_tokens")), &attempts) &&
          attempts == 40);
    // Nothing lasts: the same request again begins where this one did.
    f.s.at = 2;
    json = ask(&f, TASK "]}");
    CHECK(lg_json_int(lg_json_at(json, LG_STR("/ledgergate/attempts")), &attempts) &&
          attempts == 1);
    f.s.at = 2;
    json = ask(&f, TASK "],\"parallel_tool_calls\":false}");
    CHECK(lg_json_len(lg_json_at(json, LG_STR("/choices/0/message/tool_calls"))) == 1);
    done(&f);
}

#define MADE                                                                                       \
    ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":"            \
    "\"function\",\"function\":"                                                                   \
    "{\"name\":\"set_status\",\"arguments\":\"{\\\"id\\\":\\\"#1\\\",\\\"status\\\":\\\"paid\\\"}" \
    "\"}}]}"

static void goes_on(void)
{
    face f;
    OPEN(f, "= It is paid.");
    // What was called already is done in the session, and is shown: there is nothing left to call.
    const lg_json *json =
        ask(&f, TASK MADE ",{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"now paid\"}]}");
    CHECK(f.reply.status == 200);
    CHECK_STR(at(json, "/choices/0/message/content"), "It is paid.");
    CHECK_STR(at(json, "/choices/0/finish_reason"), "stop");
    CHECK_STR(at(json, "/ledgergate/status"), "success");
    CHECK(has(f.s.texts[0], "now paid"));
    // A session that is named is where its calls have led; it stays there.
    lg_sim_session *session = desk_session(&f.d);
    (void)desk_call(&f.d, session, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}");
    lg_str before = desk_hash(&f.d, session);
    f.options.session = session;
    json = ask(&f, TASK "]}");
    CHECK_STR(at(json, "/ledgergate/status"), "success");
    CHECK_STR(desk_hash(&f.d, session), before.ptr);
    lg_sim_session_free(session);
    done(&f);
}

static void is_judged_by_what_the_request_says(void)
{
    face f;
    OPEN(f, GET, "= seen", PAY, "= paid");
    int64_t attempts = 0;
    f.options.refine.checklist = NULL;
    const lg_json *json = ask(&f, TASK "]}");
    CHECK_STR(at(json, "/ledgergate/status"), "unjudged"); // nobody can: once is enough
    CHECK(lg_json_int(lg_json_at(json, LG_STR("/ledgergate/attempts")), &attempts) &&
          attempts == 1);
    f.s.at = 0;
    json = ask(&f, TASK "],\"ledgergate\":{\"actions\":[{\"name\":\"set_status\",\"arguments\":{"
                        "\"id\":\"#1\"},\"compare_args\":[\"id\"]}]}}");
    CHECK_STR(at(json, "/ledgergate/status"), "success");
    CHECK(lg_json_int(lg_json_at(json, LG_STR("/ledgergate/attempts")), &attempts) &&
          attempts == 2);
    json = ask(&f, TASK "],\"ledgergate\":{\"cheklist\":[]}}");
    CHECK(f.reply.status == 400 && has(at(json, "/error/message"), "cheklist"));
    done(&f);
}

static void streams(void)
{
    face f;
    OPEN(f, PAY, "= paid");
    (void)ask(&f, TASK "],\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
    CHECK_STR(lg_str_c(f.reply.type), "text/event-stream");
    lg_str rest = lg_buf_str(&f.out);
    size_t events = 0;
    while (rest.len) {
        size_t end = lg_str_find(rest, LG_STR("\n\n"));
        lg_str event = lg_str_slice(rest, 6, end);
        CHECK(lg_str_starts(rest, LG_STR("data: ")) && end != SIZE_MAX);
        const lg_json *json = lg_str_eq(event, LG_STR("[DONE]"))
                                  ? NULL
                                  : fixture_json(&f.d.arena, lg_arena_str(&f.d.arena, event).ptr);
        CHECK(!json || lg_str_eq(at(json, "/object"), LG_STR("chat.completion.chunk")));
        if (events == 0) {
            CHECK_STR(at(json, "/choices/0/delta/tool_calls/0/function/name"), "set_status");
        } else if (events == 1) {
            CHECK_STR(at(json, "/choices/0/finish_reason"), "tool_calls");
            CHECK_STR(at(json, "/ledgergate/status"), "success");
        } else if (events == 2) {
            CHECK(lg_json_at(json, LG_STR("/usage/total_tokens")) != NULL);
        }
        events++;
        rest = lg_str_slice(rest, end + 2, rest.len);
    }
    CHECK(events == 4);
    done(&f);
}

static void knows_tools(void)
{
    static const char known[] =
        TASK "],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_order\"}}]}";
    static const char other[] = TASK
        "],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"send_mail\",\"parameters\":"
        "{\"type\":\"object\",\"properties\":{\"to\":{\"type\":\"string\"}},\"required\":[\"to\"]}}"
        "}]}";
    face f;
    OPEN(f, PAY "\n" GET, "= done", "send_mail {}", "send_mail {\"to\":\"x\"}", "= sent");
    f.options.refine.retries = 0;
    const lg_json *json = ask(&f, known);
    CHECK(lg_json_len(lg_json_at(json, LG_STR("/choices/0/message/tool_calls"))) ==
          1); // the other is not offered
    CHECK_STR(at(json, "/ledgergate/status"), "failed");
    json = ask(&f, other);
    CHECK(f.reply.status == 400 && has(at(json, "/error/message"), "send_mail"));
    f.options.allows_other_tools = true;
    f.options.refine.without_judge = true;
    f.s.at = 2;
    json = ask(&f, other);
    CHECK(f.reply.status == 200);
    CHECK_STR(at(json, "/choices/0/message/tool_calls/0/function/name"), "send_mail");
    CHECK(lg_json_len(lg_json_at(json, LG_STR("/choices/0/message/tool_calls"))) == 1);
    done(&f);
}

static void refuses(void)
{
    static const char *const bodies[] = {"",
                                         "[]",
                                         "{}",
                                         "{\"messages\":[]}",
                                         "{\"messages\":[{\"role\":\"system\",\"content\":\"x\"}]}",
                                         "{\"messages\":[{\"role\":\"king\",\"content\":\"x\"}]}",
                                         "{\"messages\":[7]}",
                                         "{\"messages\":[{\"role\":\"user\",\"content\":\" \"}]}",
                                         TASK "],\"tools\":7}",
                                         TASK "],\"tools\":[{\"type\":\"web\"}]}",
                                         TASK ",{\"role\":\"tool\",\"content\":\"x\"}]}",
                                         TASK ",{\"role\":\"assistant\",\"tool_calls\":[{}]}]}",
                                         TASK MADE "]}",
                                         TASK ",{\"role\":\"assistant\",\"tool_calls\":7}]}"};
    face f;
    OPEN(f, "!");
    for (size_t i = 0; i < LG_COUNT(bodies); i++) {
        const lg_json *json = ask(&f, bodies[i]);
        CHECK_MSG(f.reply.status == 400, bodies[i]);
        CHECK(at(json, "/error/message").len > 0);
    }
    CHECK(f.s.at == 0); // nobody was asked
    CHECK(at(ask(&f, TASK "]}"), "/error/message").len > 0 && f.reply.status == 502);
    static const char *const spent[] = {"$"};
    f.s.turns = spent;
    (void)ask(&f, TASK "]}");
    CHECK(f.reply.status == 429);
    done(&f);
}

int main(void)
{
    RUN(answers_with_calls);
    RUN(goes_on);
    RUN(is_judged_by_what_the_request_says);
    RUN(streams);
    RUN(knows_tools);
    RUN(refuses);
    return lg_test_done();
}
