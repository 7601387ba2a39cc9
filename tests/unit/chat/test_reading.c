// test_reading.c: a request that is read on from what was read before is the request that is read as a whole: its values,
// events, hashes and places, whatever was written, and whatever was changed on the way.
#include "chat/chat.h"
#include "dice.h"
#include "lg_test.h"

#include <stdlib.h>

#define ROUNDS 1500u
#define TURNS 7u

// --- Conversations by seed ------------------------------------------------------------------------

static void say(dice *d, lg_buf *out)
{
    static const char *const words[] = {"Hello",
                                        "",
                                        "a \\\"quoted\\\" word",
                                        "},{\\\"role\\\":1}",
                                        "\\u00e4\\ud83d\\ude00\\n",
                                        "\xC3\xA4\xE2\x82\xAC",
                                        "]",
                                        "Error: no",
                                        "{\\\"id\\\":[1,2,{}]}"};
    lg_buf_addf(out, "\"%s %s\"", DICE_PICK(d, words), DICE_PICK(d, words));
}

static void add_content(dice *d, lg_buf *out)
{
    uint32_t form = dice_below(d, 12);
    lg_buf_add_c(out, "\"content\":");
    if (form == 0) {
        lg_buf_add_c(out, "null");
    } else if (form == 1) {
        lg_buf_add_c(out, "[{\"type\":\"text\",\"text\":");
        say(d, out);
        lg_buf_add_c(out, "},{\"type\":\"text\",\"text\":\"b\"}]");
    } else if (form == 2 && dice_one_in(d, 8)) {
        lg_buf_add_c(out, "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]");
    } else {
        say(d, out);
    }
}

// Ids that come again, that are missing, arguments that are no JSON, members that nobody knows.
static void add_call(dice *d, lg_buf *out, unsigned number)
{
    static const char *const args[] = {"\"{\\\"n\\\": 1.50}\"", "\"{}\"", "{\"n\":[1e2,true]}",
                                       "\"{broken\"", "\"{\\\"s\\\":\\\"},{\\\\\\\"x\\\"}\""};
    lg_buf_addf(out, "{\"id\":\"c%u\",\"type\":\"function\",\"function\":{\"name\":\"t%u\",",
                number, dice_below(d, 3));
    lg_buf_addf(out, "\"arguments\":%s}}", args[dice_below(d, dice_one_in(d, 10) ? 5 : 3)]);
}

static void add_message(dice *d, lg_buf *out, unsigned number)
{
    uint32_t kind = dice_below(d, 10);
    unsigned id = dice_one_in(d, 6) ? dice_below(d, number + 1) : number;
    if (kind < 4) {
        lg_buf_addf(out, "{\"role\":\"assistant\",\"tool_calls\":[");
        add_call(d, out, id);
        if (dice_one_in(d, 3)) {
            lg_buf_add_c(out, dice_one_in(d, 2) ? ", " : ",");
            add_call(d, out, dice_one_in(d, 3) ? id : id + 100);
        }
        lg_buf_add_c(out, "],");
    } else if (kind < 7) {
        lg_buf_add_c(out, "{\"role\":\"tool\",");
        if (!dice_one_in(d, 30)) {
            lg_buf_addf(out, "\"tool_call_id\":\"c%u\",", number ? id - (id > 0) : 0);
        }
    } else if (kind == 7 && dice_one_in(d, 10)) {
        lg_buf_add_c(out, "{\"role\":\"nobody\",");
    } else {
        lg_buf_addf(out, "{\"role\":\"%s\",", number ? "user" : "system");
    }
    if (dice_one_in(d, 9)) {
        lg_buf_add_c(out, "\"timestamp\":\"2024-05-15T12:00:00Z\", ");
    }
    add_content(d, out);
    lg_buf_add_c(out, dice_one_in(d, 20) ? ",\"extra\":{\"a\":[[],{}]}}" : "}");
}

static void add_gap(dice *d, lg_buf *out)
{
    static const char *const gaps[] = {",", ", ", ",\n  ", " ,"};
    lg_buf_add_c(out, DICE_PICK(d, gaps));
}

// What stands before the messages has one length or, now and then, another.
static void make_body(dice *d, lg_str messages, lg_buf *out)
{
    lg_buf_clear(out);
    lg_buf_addf(out, "{\"model\":\"m%u\",\"seed\":%u,\"messages\": [%.*s", dice_below(d, 10),
                dice_one_in(d, 12) ? 5 : 10 + dice_below(d, 90), LG_FMT(messages));
    lg_buf_add_c(out, dice_one_in(d, 4) ? " \n]" : "]");
    lg_buf_add_c(out, dice_one_in(d, 3) ? ",\"stream\":true,\"n\":2" : "");
    lg_buf_add_c(out,
                 dice_one_in(d, 3) ? ",\"tools\":[{\"type\":\"function\"},{\"type\":\"x\"}]" : "");
    lg_buf_add_c(out, dice_one_in(d, 40) ? ",\"messages\":[]}" : "}");
    if (dice_one_in(d, 8) && out->len) {
        out->ptr[dice_below(d, (uint32_t)out->len)] = DICE_PICK(d, "x\"},[");
    }
    if (dice_one_in(d, 25)) {
        out->len -= dice_below(d, (uint32_t)out->len);
    }
}

// --- What was read ----------------------------------------------------------------------------------

static void dump_value(lg_buf *out, const lg_json *value)
{
    lg_buf_addf(out, "%u@%u ", value->type, value->offset);
    for (size_t i = 0; lg_json_is(value, LG_JSON_ARRAY) && i < value->len; i++) {
        dump_value(out, lg_json_item(value, i));
    }
    for (size_t i = 0; lg_json_is(value, LG_JSON_OBJECT) && i < value->len; i++) {
        const lg_json_member *member = lg_json_member_at(value, i);
        lg_buf_addf(out, "%.*s@%u ", LG_FMT(lg_json_key(member)), member->key_offset);
        dump_value(out, &member->value);
    }
    if (value->type < LG_JSON_ARRAY) {
        lg_json_print(out, value);
    }
}

static void dump_events(lg_buf *out, const lg_chat_request *r)
{
    for (size_t i = 0; i < r->conversation->count; i++) {
        const lg_trace_event *e = &r->conversation->events[i];
        lg_buf_addf(out, "\nevent %d %d %u@%u %u %d %lld [%.*s] [%.*s] [%.*s] ", (int)e->kind,
                    (int)e->role, e->turn, e->offset, e->other, e->has_time,
                    e->has_time ? (long long)e->time.seconds : 0, LG_FMT(e->id), LG_FMT(e->tool),
                    LG_FMT(e->text));
        if (e->args) {
            dump_value(out, e->args);
        }
    }
    for (size_t i = 0; i < r->set->issue_count; i++) {
        lg_buf_addf(out, "\nissue %u %d %.*s %.*s", r->set->issues[i].offset,
                    r->set->issues[i].fatal, LG_FMT(r->set->issues[i].pointer),
                    LG_FMT(r->set->issues[i].message));
    }
}

static void dump(lg_buf *out, const lg_chat_request *r)
{
    lg_buf_clear(out);
    dump_value(out, r->root);
    lg_buf_addf(out, "\n%.*s %d %d %u %u %zu %zu %zu %d", LG_FMT(r->model), r->stream,
                r->include_usage, r->n, r->next_turn, r->conversation->left_out, r->set->left_out,
                r->set->issues_dropped, r->tools != NULL);
    for (size_t i = 0; i < r->message_count; i++) {
        const lg_chat_message *m = &r->messages[i];
        lg_buf_addf(out, "\nmessage %d %d %u %u %u %u ", (int)m->role, m->is_field, m->from, m->to,
                    m->first_event, m->event_count);
        for (size_t k = 0; k < sizeof(m->hash.bytes); k++) {
            lg_buf_addf(out, "%02x", m->hash.bytes[k]);
        }
    }
    dump_events(out, r);
    for (size_t i = 0; i < r->note_count; i++) {
        lg_buf_addf(out, "\nnote %d %.*s %u", (int)r->notes[i].kind, LG_FMT(r->notes[i].id),
                    r->notes[i].offset);
    }
}

// What goes on is the same as well, with a text and a message at any place.
static void compose(dice d, lg_buf *out, const lg_chat_request *r)
{
    lg_chat_insert inserts[] = {
        {LG_CHAT_TEXT, dice_below(&d, (uint32_t)r->message_count), LG_STR("a \"text\""), 0},
        {LG_CHAT_AFTER, dice_below(&d, (uint32_t)r->message_count), LG_STR("{\"role\":\"x\"}"), 0}};
    lg_error err;
    lg_buf_add_c(out, "\n");
    CHECK(lg_chat_compose(r, inserts, LG_COUNT(inserts), out, &err) == LG_OK);
}

// --- Reading on -------------------------------------------------------------------------------------

typedef struct run {
    dice d;
    lg_chat_reading *reading; // or NULL
    lg_buf one, other;
    unsigned read_on, kept, went_wrong;
} run;

static void compare(run *r, const lg_chat_request *on, lg_str body)
{
    lg_arena arena;
    const lg_chat_request *whole;
    lg_error err;
    lg_arena_init(&arena, 0);
    bool parsed =
        lg_chat_request_parse(&arena, LG_CHAT_COMPLETIONS, body, NULL, &whole, &err) == LG_OK;
    CHECK_MSG(parsed, "what is no request was read on");
    if (parsed) {
        dump(&r->one, on);
        dump(&r->other, whole);
        compose(r->d, &r->one, on);
        compose(r->d, &r->other, whole);
        CHECK(lg_str_eq(lg_buf_str(&r->one), lg_buf_str(&r->other)));
    }
    lg_arena_done(&arena);
}

static void turn(run *r, const lg_buf *made)
{
    static const lg_hash_key zeroes;
    char *exact = malloc(made->len ? made->len : 1); // gone afterwards, as a request's body is
    lg_str body = {exact, made->len};
    memcpy(exact, made->ptr, made->len);
    size_t list_at = lg_str_find(body, LG_STR("["));
    bool fits = r->reading && lg_chat_reading_fits(r->reading, body, list_at);
    if (!fits) {
        lg_chat_reading_free(r->reading);
        r->reading = lg_chat_reading_new(list_at < body.len ? list_at : 0, &zeroes, 0);
    }
    lg_arena arena;
    const lg_chat_request *on;
    bool more = false;
    lg_arena_init(&arena, 0);
    lg_status status = lg_chat_request_read_on(&arena, r->reading, body, NULL, &on, &more);
    if (status == LG_OK) {
        compare(r, on, body);
        r->read_on += fits;
    }
    r->went_wrong += fits && status != LG_OK;
    r->kept += more;
    if (status != LG_OK || !more) {
        lg_chat_reading_free(r->reading);
        r->reading = NULL;
    }
    lg_arena_done(&arena);
    free(exact);
}

static void reading_on_is_reading_all(void)
{
    run r = {0};
    lg_buf_init(&r.one, 0);
    lg_buf_init(&r.other, 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        lg_buf messages, body;
        unsigned number = 0;
        r.d = dice_of(round);
        lg_buf_init(&messages, 0);
        lg_buf_init(&body, 0);
        for (unsigned t = 0; t < TURNS; t++) {
            for (uint32_t i = t ? dice_below(&r.d, 4) : 1; i > 0; i--) {
                if (number) {
                    add_gap(&r.d, &messages);
                }
                add_message(&r.d, &messages, number++);
            }
            make_body(&r.d, lg_buf_str(&messages), &body);
            turn(&r, &body);
        }
        lg_buf_done(&messages);
        lg_buf_done(&body);
        lg_chat_reading_free(r.reading);
        r.reading = NULL;
    }
    lg_buf_done(&r.one);
    lg_buf_done(&r.other);
    CHECK(r.read_on > ROUNDS && r.kept > ROUNDS && r.went_wrong > ROUNDS / 20);
}

int main(void)
{
    RUN(reading_on_is_reading_all);
    return lg_test_done();
}
