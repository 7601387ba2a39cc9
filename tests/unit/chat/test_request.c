// Requests: their messages, events and hashes, what hides more, and the bodies that are composed of them.
#include "chat/chat.h"
#include "lg_test.h"
#include "trace_dump.h"

typedef struct request_case {
    lg_chat_api api;
    const char *name;
    const char *body;
    size_t messages;
    size_t events;
    uint32_t next_turn;
} request_case;

static const request_case requests[] = {
    {LG_CHAT_COMPLETIONS, "a conversation of Completions",
     "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\","
     "\"content\":[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"image_url\",\"image_url\":{}}]},"
     "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\","
     "\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"k\\\":1}\"}},{\"id\":\"b\",\"type\":"
     "\"custom\","
     "\"custom\":{\"name\":\"run\",\"input\":\"ls\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"b\","
     "\"content\":\"x\"},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"Error: no\"},"
     "{\"role\":\"user\",\"content\":\"so?\"}],\"stream\":true,\"n\":2}",
     6, 7, 6},
    {LG_CHAT_MESSAGES, "a conversation of Messages",
     "{\"model\":\"m\",\"system\":[{\"type\":\"text\",\"text\":\"S\",\"cache_control\":{}}],"
     "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":["
     "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":"
     "\"I look\"},"
     "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"look\",\"input\":{\"k\":1}},"
     "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"pay\",\"input\":{}}]},{\"role\":\"user\","
     "\"content\":["
     "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"1\"},{\"type\":\"tool_result\","
     "\"tool_use_id\":\"b\",\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}],"
     "\"cache_control\":{\"type\":\"ephemeral\"}}]}]}",
     4, 7, 4},
    {LG_CHAT_RESPONSES, "a conversation of Responses",
     "{\"model\":\"m\",\"instructions\":\"S\",\"input\":[{\"role\":\"user\",\"content\":\"hi\"},"
     "{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[]},{\"type\":\"message\",\"role\":"
     "\"assistant\","
     "\"content\":[{\"type\":\"output_text\",\"text\":\"I look\"}]},{\"type\":\"function_call\","
     "\"call_id\":\"a\",\"name\":\"look\",\"arguments\":\"{}\"},{\"type\":\"custom_tool_call\","
     "\"call_id\":\"b\",\"name\":\"run\",\"input\":\"ls\"},{\"type\":\"function_call_output\","
     "\"call_id\":\"a\",\"output\":\"1\"},{\"type\":\"custom_tool_call_output\",\"call_id\":\"b\","
     "\"output\":[{\"type\":\"input_text\",\"text\":\"2\"}]},{\"type\":\"mcp_call\",\"id\":\"m\","
     "\"name\":"
     "\"sum\",\"arguments\":\"{}\",\"output\":\"3\"}]}",
     6, 9, 5},
    {LG_CHAT_RESPONSES, "a text alone", "{\"model\":\"m\",\"input\":\"hi\"}", 1, 1, 1},
};

static const lg_chat_request *parse(lg_arena *arena, lg_chat_api api, const char *body)
{
    const lg_chat_request *request = NULL;
    lg_error error = {0};
    if (!CHECK(lg_chat_request_parse(arena, api, lg_str_c(body), NULL, &request, &error) ==
               LG_OK)) {
        printf("    %s\n", error.msg);
    }
    return request;
}

// What a request says is what its recording says.
static void requests_are_read_as_recordings(void)
{
    static const lg_trace_format formats[] = {[LG_CHAT_COMPLETIONS] = LG_TRACE_OPENAI,
                                              [LG_CHAT_RESPONSES] = LG_TRACE_RESPONSES,
                                              [LG_CHAT_MESSAGES] = LG_TRACE_MESSAGES};
    for (size_t i = 0; i < LG_COUNT(requests); i++) {
        lg_arena arena;
        lg_trace_set *set = NULL;
        lg_trace_options options = {.format = formats[requests[i].api]};
        lg_buf dumps[2];
        lg_test_name = requests[i].name;
        lg_arena_init(&arena, 0);
        lg_buf_init(&dumps[0], 0);
        lg_buf_init(&dumps[1], 0);
        const lg_chat_request *request = parse(&arena, requests[i].api, requests[i].body);
        if (request && CHECK(lg_trace_import(lg_str_c(requests[i].body), "r", &options, &set,
                                             NULL) == LG_OK)) {
            set->traces[0].prompt = LG_STR(""); // of what is said now nobody asks for it
            trace_dump_trace(&dumps[0], &set->traces[0]);
            trace_dump_trace(&dumps[1], request->conversation);
            trace_dump_issues(&dumps[0], set);
            trace_dump_issues(&dumps[1], request->set);
            if (!CHECK(lg_str_eq(lg_buf_str(&dumps[0]), lg_buf_str(&dumps[1])))) {
                printf("%.*s%.*s", LG_FMT(lg_buf_str(&dumps[0])), LG_FMT(lg_buf_str(&dumps[1])));
            }
            CHECK(request->message_count == requests[i].messages);
            CHECK(request->next_turn == requests[i].next_turn);
            if (!CHECK(request->conversation->count == requests[i].events)) {
                printf("%.*s", LG_FMT(lg_buf_str(&dumps[1])));
            }
        }
        lg_trace_close(set);
        lg_buf_done(&dumps[0]);
        lg_buf_done(&dumps[1]);
        lg_arena_done(&arena);
    }
}

static void fields_are_read(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_chat_request *request = parse(&arena, LG_CHAT_COMPLETIONS, requests[0].body);
    CHECK(request && request->stream && request->n == 2);
    CHECK_STR(request->model, "m");
    lg_arena_done(&arena);
}

// --- Notes --------------------------------------------------------------------------------------

typedef struct note_case {
    lg_chat_api api;
    const char *body;
    const char *notes; // "kind id;..."
} note_case;

static const note_case notes[] = {
    {LG_CHAT_COMPLETIONS,
     "{\"messages\":[],\"tools\":[{\"type\":\"function\"}],\"web_search_options\":{\"a\":1}}",
     "built_in web_search_options;"},
    {LG_CHAT_COMPLETIONS, "{\"messages\":[],\"stream\":\"yes\"}", "bad_field stream;"},
    {LG_CHAT_RESPONSES,
     "{\"previous_response_id\":\"resp_9\",\"background\":true,\"conversation\":{\"id\":\"cv\"}}",
     "previous_response resp_9;conversation cv;background background;"},
    {LG_CHAT_RESPONSES,
     "{\"input\":[{\"type\":\"item_reference\",\"id\":\"i\"},{\"type\":\"compaction\",\"id\":\"c\"}"
     "],"
     "\"prompt\":{\"id\":\"p\"},\"tools\":[{\"type\":\"web_search\"},{\"type\":\"function\"},"
     "{\"type\":\"mcp\",\"require_approval\":\"never\"},{\"type\":\"mcp\",\"require_approval\":"
     "\"always\"},"
     "{\"type\":\"shell\",\"environment\":{\"type\":\"container_auto\"}},{\"type\":\"shell\"}]}",
     "prompt p;built_in web_search;built_in mcp;built_in shell;item_reference i;compaction c;"},
    {LG_CHAT_MESSAGES,
     "{\"messages\":[],\"mcp_servers\":[{\"name\":\"x\"}],\"tools\":[{\"name\":\"f\",\"input_"
     "schema\":{}},"
     "{\"type\":\"bash_20250124\",\"name\":\"bash\"},{\"type\":\"web_search_20250305\",\"name\":"
     "\"web_search\"}]}",
     "built_in mcp_servers;built_in web_search_20250305;"},
    {LG_CHAT_MESSAGES, "{\"messages\":[]}", ""},
};

static void what_hides_more_is_noted(void)
{
    for (size_t i = 0; i < LG_COUNT(notes); i++) {
        lg_arena arena;
        lg_buf text;
        lg_arena_init(&arena, 0);
        lg_buf_init(&text, 0);
        lg_test_name = notes[i].body;
        const lg_chat_request *request = parse(&arena, notes[i].api, notes[i].body);
        for (size_t k = 0; request && k < request->note_count; k++) {
            lg_buf_addf(&text, "%s %.*s;", lg_chat_note_name(request->notes[k].kind),
                        LG_FMT(request->notes[k].id));
        }
        CHECK_STR(lg_buf_str(&text), notes[i].notes);
        lg_buf_done(&text);
        lg_arena_done(&arena);
    }
}

// --- Bad input ------------------------------------------------------------------------------------

static void bad_bodies_are_told(void)
{
    static const struct {
        lg_chat_api api;
        const char *body;
        const char *message;
    } bad[] = {
        {LG_CHAT_COMPLETIONS, "{\"messages\":", "the request is no JSON: "},
        {LG_CHAT_COMPLETIONS, "[]", "the request is no JSON object"},
        {LG_CHAT_COMPLETIONS, "{}", "`messages` is missing"},
        {LG_CHAT_MESSAGES, "{\"messages\":{}}", "`messages` is not what the API wants: a list"},
        {LG_CHAT_RESPONSES, "{\"model\":\"m\"}", "`input` is missing"},
        {LG_CHAT_COMPLETIONS, "{\"messages\":[],\"messages\":[]}", "the request is no JSON: "},
    };
    for (size_t i = 0; i < LG_COUNT(bad); i++) {
        lg_arena arena;
        lg_error error = {0};
        const lg_chat_request *request = NULL;
        lg_test_name = bad[i].body;
        lg_arena_init(&arena, 0);
        CHECK(lg_chat_request_parse(&arena, bad[i].api, lg_str_c(bad[i].body), NULL, &request,
                                    &error) != LG_OK);
        if (!CHECK(strstr(error.msg, bad[i].message) == error.msg)) {
            printf("    %s\n", error.msg);
        }
        lg_arena_done(&arena);
    }
}

// --- Hashes ---------------------------------------------------------------------------------------

static const char turn_1[] = "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":"
                             "\"assistant\",\"content\":\"b\"}]}";
static const char turn_2[] = "{\"messages\":[{\"content\":\"a\", "
                             "\"role\":\"user\"},{\"role\":\"assistant\",\"content\":\"b\"},"
                             "{\"role\":\"user\",\"content\":\"c\"}]}";
static const char turn_other[] = "{\"messages\":[{\"role\":\"user\",\"content\":\"A\"},{\"role\":"
                                 "\"assistant\",\"content\":\"b\"}]}";

// Of a conversation that the upstream keeps, only results come, and each is of the call that has its id.
static void hashes_know_results_without_calls(void)
{
    static const char *const bodies[] = {
        "{\"previous_response_id\":\"r\",\"input\":[{\"type\":\"function_call_output\",\"call_id\":"
        "\"a\",\"output\":\"1\"}]}",
        "{\"previous_response_id\":\"r\",\"input\":[{\"type\":\"function_call_output\",\"call_id\":"
        "\"b\",\"output\":\"1\"}]}"};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_chat_request *a = parse(&arena, LG_CHAT_RESPONSES, bodies[0]);
    const lg_chat_request *b = parse(&arena, LG_CHAT_RESPONSES, bodies[1]);
    if (CHECK(a && b && a->message_count == 1 && b->message_count == 1)) {
        CHECK(!lg_hash_digest_eq(&a->messages[0].hash, &b->messages[0].hash));
    }
    lg_arena_done(&arena);
}

static void hashes_are_of_what_was_said(void)
{
    lg_arena arena;
    lg_hash_key key = {{1}};
    lg_chat_options keyed = {.key = &key};
    const lg_chat_request *other_key = NULL;
    lg_arena_init(&arena, 0);
    const lg_chat_request *first = parse(&arena, LG_CHAT_COMPLETIONS, turn_1);
    const lg_chat_request *second = parse(&arena, LG_CHAT_COMPLETIONS, turn_2);
    const lg_chat_request *other = parse(&arena, LG_CHAT_COMPLETIONS, turn_other);
    CHECK(lg_chat_request_parse(&arena, LG_CHAT_COMPLETIONS, lg_str_c(turn_1), &keyed, &other_key,
                                NULL) == LG_OK);
    for (size_t i = 0; i < 2 && first && second && other && other_key; i++) {
        CHECK(lg_hash_digest_eq(&first->messages[i].hash, &second->messages[i].hash));
        CHECK(!lg_hash_digest_eq(&first->messages[i].hash, &other->messages[i].hash));
        CHECK(!lg_hash_digest_eq(&first->messages[i].hash, &other_key->messages[i].hash));
    }
    CHECK(second && !lg_hash_digest_eq(&second->messages[1].hash, &second->messages[2].hash));
    lg_arena_done(&arena);
}

// --- Composing ------------------------------------------------------------------------------------

typedef struct compose_case {
    lg_chat_api api;
    const char *body;
    lg_chat_insert inserts[3];
    size_t count;
    const char *wanted;
} compose_case;

#define TEXT(at, text) PLACED(TEXT, at, text)
#define PLACED(place, at, text)                                                                    \
    {                                                                                              \
        LG_CHAT_##place, (at), {"" text, sizeof(text) - 1}, 0                                      \
    }

static const compose_case composed[] = {
    {LG_CHAT_COMPLETIONS,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}], \"x\":1.50}",
     {TEXT(0, "L\"1")},
     1,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\\n\\nL\\\"1\"}], \"x\":1.50}"},
    {LG_CHAT_COMPLETIONS,
     "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]}",
     {TEXT(0, "L"), TEXT(0, "M")},
     2,
     "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
     "{\"type\":\"text\",\"text\":\"L\\n\\nM\"}]}]}"},
    {LG_CHAT_COMPLETIONS,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":"
     "\"b\"}]}",
     {TEXT(1, "L"), PLACED(AFTER, 1, "{\"r\":1}"), PLACED(SYSTEM, 0, "S")},
     3,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\\n\\nL\"},{\"role\":\"system\",\"content\":"
     "\"S\"},"
     "{\"role\":\"assistant\",\"content\":\"b\"},{\"r\":1}]}"},
    {LG_CHAT_COMPLETIONS,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":"
     "\"b\"}]}",
     {PLACED(INSTEAD, 1, "{\"r\":1},{\"r\":2}")},
     1,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"r\":1},{\"r\":2}]}"},
    {LG_CHAT_COMPLETIONS,
     "{\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":null}]}",
     {TEXT(0, "L")},
     1,
     "{\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"L\"}]}"},
    {LG_CHAT_MESSAGES,
     "{\"system\":\"S\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
     "\"tool_use_id\":\"a\",\"cache_control\":{\"type\":\"ephemeral\"}}]}]}",
     {TEXT(1, "L")},
     1,
     "{\"system\":\"S\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
     "\"tool_use_id\":\"a\",\"cache_control\":{\"type\":\"ephemeral\"}},{\"type\":\"text\","
     "\"text\":\"L\"}]}]}"},
    {LG_CHAT_MESSAGES,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"system\":\"S\"}",
     {TEXT(0, "L")},
     1,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"a\\n\\nL\"}],\"system\":\"S\"}"},
    {LG_CHAT_RESPONSES, "{\"input\":\"a\"}", {TEXT(0, "L")}, 1, "{\"input\":\"a\\n\\nL\"}"},
    {LG_CHAT_RESPONSES,
     "{\"input\":\"a\"}",
     {TEXT(0, "L"), PLACED(AFTER, 0, "{\"r\":1}")},
     2,
     "{\"input\":[{\"role\":\"user\",\"content\":\"a\\n\\nL\"},{\"r\":1}]}"},
    {LG_CHAT_RESPONSES,
     "{\"input\":[{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"{}\"}]}",
     {TEXT(0, "L")},
     1,
     "{\"input\":[{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"{}\\n\\nL\"}]"
     "}"},
    {LG_CHAT_RESPONSES,
     "{\"instructions\":\"S\",\"input\":[{\"type\":\"computer_call_output\",\"output\":{}}]}",
     {TEXT(1, "L")},
     1,
     "{\"instructions\":\"S\",\"input\":[{\"type\":\"computer_call_output\",\"output\":{}},"
     "{\"type\":\"message\",\"role\":\"developer\",\"content\":[{\"type\":\"input_text\",\"text\":"
     "\"L\"}]}]}"},
    {LG_CHAT_RESPONSES,
     "{\"previous_response_id\":\"r1\",\"input\":\"a\"}",
     {TEXT(0, "L"), PLACED(PREVIOUS, 0, "r2")},
     2,
     "{\"previous_response_id\":\"r2\",\"input\":\"a\\n\\nL\"}"},
    {LG_CHAT_RESPONSES,
     "{\"previous_response_id\":\"r1\",\"input\":[]}",
     {PLACED(PREVIOUS, 0, "r2")},
     1,
     "{\"previous_response_id\":\"r2\",\"input\":[]}"},
    {LG_CHAT_RESPONSES,
     "{\"input\":[{\"role\":\"user\",\"content\":\"a\"}]}",
     {TEXT(0, "")},
     0,
     "{\"input\":[{\"role\":\"user\",\"content\":\"a\"}]}"},
};

// The same with texts that are escaped already.
static void check_escaped(lg_arena *arena, const lg_chat_request *request, const compose_case *c)
{
    lg_chat_insert inserts[3];
    lg_buf out;
    lg_buf_init(&out, 0);
    for (size_t i = 0; i < c->count; i++) {
        bool text = c->inserts[i].place == LG_CHAT_TEXT || c->inserts[i].place == LG_CHAT_SYSTEM;
        inserts[i] = c->inserts[i];
        lg_buf_clear(&out);
        lg_json_add_escaped(&out, inserts[i].text);
        inserts[i].plain_bytes = text ? inserts[i].text.len : 0;
        inserts[i].text = text ? lg_arena_str(arena, lg_buf_str(&out)) : inserts[i].text;
    }
    lg_buf_clear(&out);
    CHECK(lg_chat_compose(request, inserts, c->count, &out, NULL) == LG_OK);
    CHECK_STR(lg_buf_str(&out), c->wanted);
    lg_buf_done(&out);
}

static void bodies_are_composed(void)
{
    for (size_t i = 0; i < LG_COUNT(composed); i++) {
        const compose_case *c = &composed[i];
        lg_arena arena;
        lg_buf out;
        lg_test_name = c->wanted;
        lg_arena_init(&arena, 0);
        lg_buf_init(&out, 0);
        const lg_chat_request *request = parse(&arena, c->api, c->body);
        if (request) {
            CHECK(lg_chat_compose(request, c->inserts, c->count, &out, NULL) == LG_OK);
            CHECK_STR(lg_buf_str(&out), c->wanted);
            check_escaped(&arena, request, c);
        }
        lg_buf_done(&out);
        lg_arena_done(&arena);
    }
}

// --- Prefixes -------------------------------------------------------------------------------------

// One message of a conversation that grows: @ is its number.
static void add_message(lg_buf *body, lg_chat_api api, size_t i)
{
    static const char *const forms[][3] = {
        [LG_CHAT_COMPLETIONS] =
            {"{\"role\":\"user\",\"content\":\"u@\"}",
             "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c@\","
             "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}",
             "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r@\"}"},
        [LG_CHAT_RESPONSES] =
            {"{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"u@\"}]}",
             "{\"type\":\"function_call\",\"call_id\":\"c@\",\"name\":\"f\",\"arguments\":\"{}"
             "\"}",
             "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"r@\"}"},
        [LG_CHAT_MESSAGES] =
            {"{\"role\":\"user\",\"content\":\"u@\"}",
             "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"c@\","
             "\"name\":\"f\",\"input\":{}}]}",
             "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\","
             "\"content\":\"r@\"}]}"},
    };
    lg_str form = lg_str_c(forms[api][i % 3]);
    size_t at = lg_str_find(form, LG_STR("@"));
    lg_buf_add(body, lg_str_slice(form, 0, at));
    lg_buf_addf(body, "%zu", i);
    lg_buf_add(body, lg_str_slice(form, at + 1, form.len));
}

// The body of `count` messages with a block at every second one and a hidden round behind every fifth, up to where its last
// message ends.
static lg_str compose_prefix(lg_arena *arena, lg_chat_api api, size_t count)
{
    lg_buf body, out;
    lg_chat_insert inserts[32];
    size_t used = 0;
    lg_buf_init(&body, 0);
    lg_buf_init(&out, 0);
    lg_buf_addf(&body, "{\"%s\":[", api == LG_CHAT_RESPONSES ? "input" : "messages");
    for (size_t i = 0; i < count; i++) {
        lg_buf_add_c(&body, i ? "," : "");
        add_message(&body, api, i);
        if (i % 3 != 1 && i % 2 == 0) {
            inserts[used++] = (lg_chat_insert){LG_CHAT_TEXT, (uint32_t)i,
                                               lg_arena_printf(arena, "block %zu", i), 0};
        }
        if (i % 5 == 0) {
            inserts[used++] = (lg_chat_insert){LG_CHAT_AFTER, (uint32_t)i,
                                               LG_STR("{\"hidden\":1},{\"hidden\":2}"), 0};
        }
    }
    lg_buf_add_c(&body, "]}");
    lg_str kept = lg_arena_str(arena, lg_buf_str(&body));
    const lg_chat_request *request = parse(arena, api, kept.ptr);
    CHECK(request && lg_chat_compose(request, inserts, used, &out, NULL) == LG_OK);
    lg_str text = lg_arena_str(arena, lg_str_slice(lg_buf_str(&out), 0, out.len - 2));
    lg_buf_done(&body);
    lg_buf_done(&out);
    return text;
}

static void a_request_is_the_prefix_of_the_next(void)
{
    for (size_t api = 0; api < LG_CHAT_API_COUNT; api++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str before = LG_STR("");
        for (size_t count = 1; count < 16; count++) {
            lg_str now = compose_prefix(&arena, (lg_chat_api)api, count);
            if (!CHECK(lg_str_starts(now, before))) {
                printf("%.*s\n%.*s\n", LG_FMT(before), LG_FMT(now));
            }
            before = now;
        }
        lg_arena_done(&arena);
    }
}

int main(void)
{
    RUN(requests_are_read_as_recordings);
    RUN(fields_are_read);
    RUN(what_hides_more_is_noted);
    RUN(bad_bodies_are_told);
    RUN(hashes_are_of_what_was_said);
    RUN(hashes_know_results_without_calls);
    RUN(bodies_are_composed);
    RUN(a_request_is_the_prefix_of_the_next);
    return lg_test_done();
}
