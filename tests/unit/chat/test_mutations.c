// Replies and streams in which one value is another one, or one member or line is too many: whatever is made of them,
// nothing faults, and a lenient reader of what goes on finds no call but those that were listed and allowed.
//
// One of so many mutations is tried; with an argument, all of them.
#include "chat_lenient.h"
#include "chat_samples.h"

#define EVIL_ARGS "{\\\"evil\\\":1}"
#define EVIL_TOOL                                                                                  \
    "{\"index\":0,\"id\":\"evil\",\"type\":\"function\",\"function\":{\"name\":\"evil\","          \
    "\"arguments\":\"" EVIL_ARGS "\"}}"
#define EVIL_USE "{\"type\":\"tool_use\",\"id\":\"evil\",\"name\":\"evil\",\"input\":{\"evil\":1}}"
#define EVIL_ITEM                                                                                  \
    "{\"type\":\"function_call\",\"id\":\"evil\",\"call_id\":\"evil\",\"name\":\"evil\","          \
    "\"arguments\":\"" EVIL_ARGS "\",\"status\":\"completed\"}"
#define EVIL_CHUNK "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[" EVIL_TOOL "]}}]}"

static const char *const values[] = {
    "[]",
    "{}",
    "\"\"",
    "0",
    "null",
    "true",
    "1.5",
    "99999999999999999999",
    "[1,\"a\",3]",
    "[[],{\"x\":[null]}]",
    "{\"0\":{\"x\":[1]},\"length\":1}",
    "\"x\"",
    "\"tool_use\"",
    "\"function_call\"",
    "[" EVIL_TOOL "]",
    EVIL_USE,
    "[" EVIL_USE "]",
    EVIL_ITEM,
    "[" EVIL_ITEM "]",
    "{\"0\":" EVIL_ITEM ",\"length\":1}",
    "{\"tool_calls\":[" EVIL_TOOL "]}",
    "{\"name\":\"evil\",\"arguments\":\"" EVIL_ARGS "\"}",
    "\"a\xE2\x80\xA8"
    "data: {}\xC2\x85\"",
};

static const char *const members[] = {
    "\"Tool_Calls\":[" EVIL_TOOL "]",
    "\"tool_call\xC5\xBF\":[" EVIL_TOOL "]",
    "\"toolCalls\":[" EVIL_TOOL "]",
    "\"tool_calls\":[" EVIL_TOOL "]",
    "\"tool_calls\":{\"0\":" EVIL_TOOL "}",
    "\"function_call\":{\"name\":\"evil\",\"arguments\":\"" EVIL_ARGS "\"}",
    "\"Function_Call\":{\"name\":\"evil\",\"arguments\":\"" EVIL_ARGS "\"}",
    "\"function\":{\"name\":\"evil\",\"arguments\":\"" EVIL_ARGS "\"}",
    "\"Function\":{\"name\":\"evil\",\"arguments\":\"" EVIL_ARGS "\"}",
    "\"name\":\"evil\"",
    "\"Name\":\"evil\"",
    "\"arguments\":\"" EVIL_ARGS "\"",
    "\"Arguments\":\"" EVIL_ARGS "\"",
    "\"args\":{\"evil\":1}",
    "\"input\":{\"evil\":1}",
    "\"input\":\"" EVIL_ARGS "\"",
    "\"Input\":{\"evil\":1}",
    "\"partial_json\":\"" EVIL_ARGS "\"",
    "\"action\":{\"evil\":1}",
    "\"actions\":[{\"evil\":1}]",
    "\"Type\":\"function_call\"",
    "\"type\":\"tool_use\"",
    "\"Choices\":[{\"index\":0,\"message\":{\"tool_calls\":[" EVIL_TOOL "]}}]",
    "\"message\":{\"tool_calls\":[" EVIL_TOOL "]}",
    "\"delta\":{\"tool_calls\":[" EVIL_TOOL "]}",
    "\"content_block\":" EVIL_USE,
    "\"content\":[" EVIL_USE "]",
    "\"item\":" EVIL_ITEM,
    "\"Item\":" EVIL_ITEM,
    "\"output\":[" EVIL_ITEM "]",
    "\"part\":" EVIL_ITEM,
    "\"response\":{\"output\":[" EVIL_ITEM "]}",
    "\"error\":\"\"",
    "\"error\":{\"message\":\"no\",\"tool_calls\":[" EVIL_TOOL "]}",
};

static const char *const lines[] = {
    "\xEF\xBB\xBF"
    "data: " EVIL_CHUNK "\n\n",
    " data: " EVIL_CHUNK "\n\n",
    "\tdata:" EVIL_CHUNK "\n\n",
    "Data: " EVIL_CHUNK "\n\n",
    ": " EVIL_CHUNK "\n\n",
    EVIL_CHUNK "\n\n",
    "id: a\vdata: " EVIL_CHUNK "\n\n",
    "event: \xC2\x85"
    "data: " EVIL_CHUNK "\n\n",
    "event: content_block_start\ndata: {\"type\":\"ping\",\"index\":0,\"content_block\":" EVIL_USE
    "}\n\n",
    "data: {\"type\":\"error\",\"message\":\"no\",\"item\":" EVIL_ITEM "}\n\n",
    "data: "
    "{\"error\":{\"message\":\"no\"},\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":"
    "[" EVIL_TOOL "]}}]}\n\n",
    "data: " EVIL_CHUNK "\r\r",
};

typedef struct mutator {
    const char *name;
    lg_chat_api api;
    bool is_stream;
    lg_str text;
    lg_str json; // the part of `text` that is mutated
    lg_buf room;
    size_t every;
    size_t next;
    size_t tried;
    bool failed;
} mutator;

// --- Trying ---------------------------------------------------------------------------------------------

static const char *broken_stream(const mutator *m, lg_str text)
{
    static const uint64_t masks[] = {UINT64_MAX, 0, 1};
    chat_run run;
    chat_ruling room;
    lg_chat_options options = {.hold_text = m->tried % 2};
    const lg_chat_ruling *ruling = chat_rule(&room, masks[m->tried % 3], CHAT_FIELD, "Not now.");
    size_t step = m->tried % 4 ? 0 : 1 + m->tried % 7;
    chat_run_begin(&run, m->api, &options, text, 0, step);
    chat_run_finish(&run, ruling);
    const lg_chat_reply *reply = run.status == LG_OK ? run.reply : NULL;
    const char *broken = chat_broken_by_lenient(lg_buf_str(&run.all), reply, ruling);
    if (run.status != LG_OK && !run.error.msg[0]) {
        broken = "a failure has words";
    }
    chat_run_done(&run);
    return broken;
}

static const char *broken_body(const mutator *m, lg_str text)
{
    static const uint64_t masks[] = {UINT64_MAX, 0, 1};
    chat_ruling room;
    lg_arena arena;
    lg_buf out;
    const lg_chat_reply *reply;
    const char *broken = NULL;
    const lg_chat_ruling *ruling = chat_rule(&room, masks[m->tried % 3], CHAT_FIELD, "Not now.");
    lg_arena_init(&arena, 0);
    lg_buf_init(&out, 0);
    if (lg_chat_reply_parse(&arena, m->api, text, NULL, &reply, NULL) == LG_OK &&
        lg_chat_rewrite(reply, ruling, &out, NULL) == LG_OK) {
        broken = chat_broken_by_lenient(lg_buf_str(&out), reply, ruling);
    }
    lg_buf_done(&out);
    lg_arena_done(&arena);
    return broken;
}

// `text` with `put` instead of its bytes `from` to `to`.
static void try_one(mutator *m, size_t from, size_t to, const char *put)
{
    if (m->next++ % m->every) {
        return;
    }
    lg_buf_clear(&m->room);
    lg_buf_add(&m->room, lg_str_slice(m->text, 0, from));
    lg_buf_add_c(&m->room, put);
    lg_buf_add(&m->room, lg_str_slice(m->text, to, m->text.len));
    lg_str text = lg_buf_str(&m->room);
    const char *broken = m->is_stream ? broken_stream(m, text) : broken_body(m, text);
    m->tried++;
    if (broken && !m->failed) {
        m->failed = true;
        CHECK_MSG(false, broken);
        printf("%.*s\n", LG_FMT(text));
    }
}

static void mutate(mutator *m, size_t base, const lg_json *value)
{
    size_t from = base + value->offset;
    size_t to = base + lg_json_end(m->json, value);
    bool is_object = lg_json_is(value, LG_JSON_OBJECT);
    for (size_t i = 0; i < LG_COUNT(values); i++) {
        try_one(m, from, to, values[i]);
    }
    for (size_t i = 0; i < LG_COUNT(members) && is_object; i++) {
        char put[1024];
        snprintf(put, sizeof(put), "%s%s", members[i], value->len ? "," : "");
        try_one(m, from + 1, from + 1, put);
    }
    for (size_t i = 0; i < lg_json_len(value); i++) {
        mutate(m, base, is_object ? &lg_json_member_at(value, i)->value : lg_json_item(value, i));
    }
}

static void mutate_json(mutator *m, size_t from, size_t to)
{
    lg_arena arena;
    const lg_json *value;
    lg_arena_init(&arena, 0);
    m->json = lg_str_slice(m->text, from, to);
    if (lg_json_parse_in(&arena, m->json, 0, m->json.len, NULL, &value, NULL) == LG_OK) {
        mutate(m, from, value);
    }
    lg_arena_done(&arena);
}

static void mutate_stream(mutator *m)
{
    for (size_t from = 0; from < m->text.len;) {
        size_t to = lg_str_line_end(m->text, from);
        lg_str line = lg_str_slice(m->text, from, to);
        if (lg_str_starts(line, LG_STR("data: {"))) {
            size_t end = from + lg_str_trim(line).len;
            mutate_json(m, from + 6, end);
        }
        for (size_t i = 0; i < LG_COUNT(lines) && lg_str_trim(line).len == 0; i++) {
            try_one(m, to + 1, to + 1, lines[i]);
        }
        from = to + 1;
    }
}

// The reader is lenient: it finds the calls of each sample that has some.
static void check_reader(const mutator *m)
{
    lg_arena arena;
    const lg_chat_reply *reply;
    lg_arena_init(&arena, 0);
    if (!m->is_stream &&
        CHECK(lg_chat_reply_parse(&arena, m->api, m->text, NULL, &reply, NULL) == LG_OK)) {
        const char *broken = chat_broken_by_lenient(m->text, NULL, NULL);
        CHECK((broken != NULL) == (reply->call_count > 0));
    }
    lg_arena_done(&arena);
}

static void mutate_sample(const char *file, lg_chat_api api, bool is_stream, size_t every)
{
    char path[512];
    lg_file read;
    lg_limits limits = lg_limits_resolve(NULL);
    memset(&read, 0, sizeof(read));
    snprintf(path, sizeof(path), CHAT_SAMPLES "%s", file);
    lg_test_name = file;
    if (CHECK(lg_file_read(path, &limits, &read, NULL) == LG_OK)) {
        mutator m = {.name = file, .api = api, .is_stream = is_stream, .text = read.text};
        m.every = every;
        lg_buf_init(&m.room, 0);
        check_reader(&m);
        if (is_stream) {
            mutate_stream(&m);
        } else {
            mutate_json(&m, 0, m.text.len);
        }
        CHECK(m.tried > 0);
        lg_buf_done(&m.room);
    }
    lg_file_close(&read);
}

static size_t every = 13; // prime to the number of values, so that each meets each in some sample

static void mutated_samples_hide_no_call(void)
{
    DIR *folder = opendir(CHAT_SAMPLES);
    size_t count = 0;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        lg_str name = lg_str_c(entry->d_name);
        for (size_t api = 0; api < LG_CHAT_API_COUNT; api++) {
            if (lg_str_starts(name, lg_str_c(lg_chat_api_name((lg_chat_api)api)))) {
                mutate_sample(entry->d_name, (lg_chat_api)api, lg_str_ends(name, LG_STR(".sse")),
                              every);
                count++;
            }
        }
    }
    CHECK(count >= 12);
    if (folder) {
        closedir(folder);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    every = argc > 1 ? 1 : every;
    RUN(mutated_samples_hide_no_call);
    return lg_test_done();
}
