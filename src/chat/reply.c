// reply.c: what is common to replies of all faces: reading into lists, matching calls with events, what a ruling says.
#include "chat/chat_internal.h"

#include <math.h>

#include <stdarg.h>
#include <stdio.h>

void lg_reader_fail(lg_reply_reader *reader, lg_status status, const char *format, ...)
{
    if (reader->status != LG_OK) {
        return;
    }
    va_list args;
    va_start(args, format);
    reader->status = lg_vfail_at(reader->reterr, status, (lg_position){0}, format, args);
    va_end(args);
}

static void *grow(lg_reply_reader *reader, const void *items, size_t count, size_t *capacity,
                  size_t size)
{
    void *grown =
        reader->status == LG_OK ? lg_arena_grow(reader->arena, items, count, capacity, size) : NULL;
    if (!grown && reader->status == LG_OK) {
        reader->status = lg_fail_oom(reader->reterr);
    }
    return grown;
}

// --- Adding ---------------------------------------------------------------------------------------

// What was said, the refusal apart: events hold both.
static lg_str join_text(lg_reply_reader *reader, const lg_trace *trace)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < trace->count; i++) {
        if (trace->events[i].kind == LG_EVENT_MESSAGE) {
            lg_buf_add(&text, trace->events[i].text);
        }
    }
    lg_str joined = lg_buf_status(&text) == LG_OK ? lg_arena_str(reader->arena, lg_buf_str(&text))
                                                  : (lg_str){NULL, 0};
    lg_buf_done(&text);
    if (!joined.ptr) {
        reader->status = lg_fail_oom(reader->reterr);
        return LG_STR("");
    }
    return joined;
}

lg_chat_choice *lg_reader_choice(lg_reply_reader *reader, lg_trace_format format,
                                 const lg_json *messages)
{
    lg_limits limits = {.document_bytes = reader->arena->limit_bytes};
    lg_trace_options options = {.format = format, .limits = &limits};
    const lg_trace_set *set;
    size_t count = reader->reply->choice_count;
    if (count >= reader->options.limits.choices) {
        lg_reader_fail(reader, LG_ERR_LIMIT, "the reply has more than %zu choices", count);
    }
    lg_chat_choice *choices =
        grow(reader, reader->choices, count, &reader->choice_capacity, sizeof(*choices));
    if (!choices) {
        return NULL;
    }
    reader->choices = choices;
    reader->status =
        lg_trace_read(reader->arena, reader->reply->body, messages, &options, &set, reader->reterr);
    if (reader->status != LG_OK) {
        return NULL;
    }
    LG_DEBUG_ASSERT(set->count == 1);
    reader->left_out += set->left_out;
    lg_chat_choice *choice = &choices[reader->reply->choice_count++];
    *choice = (lg_chat_choice){.index = (uint32_t)count,
                               .text = join_text(reader, &set->traces[0]),
                               .refusal = LG_STR(""),
                               .finish = LG_STR(""),
                               .events = set->traces[0].events,
                               .event_count = set->traces[0].count};
    return choice;
}

// The event of a call that is recorded at `offset`. Both go through the message in one direction.
static uint32_t event_of(const lg_chat_choice *choice, uint32_t offset)
{
    for (size_t i = 0; i < choice->event_count; i++) {
        if (choice->events[i].kind == LG_EVENT_CALL && choice->events[i].offset == offset) {
            return (uint32_t)i;
        }
    }
    return LG_NO_EVENT;
}

lg_chat_call *lg_reader_call(lg_reply_reader *reader, const lg_json *at, lg_str kind)
{
    size_t count = reader->reply->call_count;
    if (count >= reader->options.limits.calls) {
        lg_reader_fail(reader, LG_ERR_LIMIT, "the reply has more than %zu calls", count);
    }
    lg_chat_call *calls =
        grow(reader, reader->calls, count, &reader->call_capacity, sizeof(*calls));
    if (!calls) {
        return NULL;
    }
    reader->calls = calls;
    reader->reply->call_count++;
    size_t choice = reader->reply->choice_count - 1;
    uint32_t event = event_of(&reader->choices[choice], at->offset);
    reader->choices[choice].call_count++;
    calls[count] = (lg_chat_call){
        .choice = (uint32_t)choice,
        .event = event,
        .kind = kind,
        .id = LG_STR(""),
        .tool = event == LG_NO_EVENT ? LG_STR("") : reader->choices[choice].events[event].tool,
        .args = LG_STR(""),
        .broken = event == LG_NO_EVENT ? "it cannot be read" : NULL,
        .offset = at->offset,
    };
    return &calls[count];
}

void lg_reader_id(lg_reply_reader *reader, lg_chat_call *call, const lg_json *id)
{
    call->id = lg_json_str(id);
    if (lg_given(id) && !lg_json_is(id, LG_JSON_STRING)) {
        call->broken = "its id is no text";
    }
    for (const lg_chat_call *c = reader->calls; call->id.len && c < call; c++) {
        if (c->choice == call->choice && lg_str_eq(c->id, call->id)) {
            call->broken = "another call of the message has its id";
        }
    }
}

void lg_reader_seen(lg_reply_reader *reader, lg_chat_seen_kind kind, lg_str type, const lg_json *at)
{
    size_t count = reader->reply->seen_count;
    if (count >= reader->options.limits.items) {
        lg_reader_fail(reader, LG_ERR_LIMIT, "the reply has more than %zu items", count);
    }
    lg_chat_seen *seen = grow(reader, reader->seen, count, &reader->seen_capacity, sizeof(*seen));
    if (seen) {
        reader->seen = seen;
        seen[reader->reply->seen_count++] = (lg_chat_seen){kind, type, at->offset};
    }
}

lg_str lg_chat_text_of(lg_str source, const lg_json *value)
{
    if (!lg_given(value)) {
        return LG_STR("");
    }
    return lg_json_is(value, LG_JSON_STRING) ? lg_json_str(value) : lg_json_source(source, value);
}

// --- Parsing ----------------------------------------------------------------------------------------

lg_status lg_chat_reply_parse(lg_arena *arena, lg_chat_api api, lg_str body,
                              const lg_chat_options *options, const lg_chat_reply **ret_reply,
                              lg_error *reterr)
{
    lg_chat_reply *reply = LG_NEW(arena, lg_chat_reply);
    lg_reply_reader reader = {.arena = arena,
                              .reply = reply,
                              .options = lg_chat_options_resolve(options),
                              .reterr = reterr};
    if (!reply) {
        return lg_fail_oom(reterr);
    }
    reply->api = api;
    reply->body = body;
    reply->pass_unknown = reader.options.pass_unknown;
    lg_status status =
        lg_chat_parse_object(arena, body, reader.options.limits.reply_bytes,
                             reader.options.limits.json_depth, "the reply", &reply->root, reterr);
    if (status != LG_OK) {
        return status;
    }
    const lg_json *usage = lg_get(reply->root, "usage");
    reply->id = lg_json_str(lg_get(reply->root, "id"));
    reply->model = lg_json_str(lg_get(reply->root, "model"));
    reply->usage = lg_json_is(usage, LG_JSON_OBJECT) ? usage : NULL;
    lg_chat_face_of(api)->read_reply(&reader);
    if (reader.status != LG_OK) {
        return reader.status;
    }
    LG_DEBUG_ASSERT(reader.left_out >= reader.unknown);
    reply->left_out = reply->pass_unknown ? 0 : reader.left_out - reader.unknown;
    reply->choices = reader.choices;
    reply->calls = reader.calls;
    reply->seen = reader.seen;
    *ret_reply = reply;
    return LG_OK;
}

lg_event lg_chat_proposed(const lg_chat_request *request, const lg_chat_choice *choice,
                          size_t index, char id_room[LG_TRACE_ID_BYTES])
{
    lg_trace alone = {.events = choice->events, .count = choice->event_count};
    lg_event event = lg_trace_event_at(&alone, index, id_room);
    event.turn = request->next_turn;
    event.role = LG_ROLE_AGENT; // whatever it says of itself
    if (event.kind != LG_EVENT_MESSAGE) {
        const lg_trace_event *recorded = &choice->events[index];
        size_t call = recorded->kind == LG_EVENT_CALL ? index : recorded->other;
        int len = snprintf(id_room, LG_TRACE_ID_BYTES, "#%zu", request->conversation->count + call);
        event.id = lg_str_of(id_room, (size_t)len);
    }
    return event;
}

// --- Rulings ----------------------------------------------------------------------------------------

bool lg_chat_is_allowed(const lg_chat_reply *reply, const lg_chat_ruling *ruling, size_t call)
{
    const lg_chat_call *c = &reply->calls[call];
    return ruling->allowed && ruling->allowed[call] && !c->cut && !c->broken;
}

size_t lg_chat_calls_left(const lg_chat_reply *reply, const lg_chat_ruling *ruling, size_t choice)
{
    size_t left = 0;
    for (size_t i = 0; i < reply->call_count; i++) {
        left += reply->calls[i].choice == choice && lg_chat_is_allowed(reply, ruling, i);
    }
    return left;
}

bool lg_chat_drops_text(const lg_chat_ruling *ruling, size_t choice)
{
    return ruling->choices && ruling->choices[choice].drop_text;
}

lg_str lg_chat_if_nothing(const lg_chat_ruling *ruling, size_t choice)
{
    return ruling->choices && ruling->choices[choice].if_nothing.ptr
               ? ruling->choices[choice].if_nothing
               : LG_STR("");
}

static bool is_count(const lg_json *value)
{
    double number;
    return lg_json_is_number(value) && lg_json_double(value, &number) && number >= 0;
}

// Integers as long as all are and the sum is one; else doubles: what something has cost. False: nothing is added.
static bool add_up(const lg_json *value, const lg_json *const *others, size_t count, lg_json *ret)
{
    int64_t sum = 0, more;
    double sum_real = 0, real;
    bool any = false;
    bool exact = is_count(value) && lg_json_is(value, LG_JSON_INT) && lg_json_int(value, &sum);
    if (!is_count(value) || !lg_json_double(value, &sum_real)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_count(others[i]) && lg_json_double(others[i], &real)) {
            sum_real += real;
            exact = exact && lg_json_is(others[i], LG_JSON_INT) && lg_json_int(others[i], &more) &&
                    more <= INT64_MAX - sum;
            sum = exact ? sum + more : sum;
            any = true;
        }
    }
    *ret = exact ? lg_json_make_int(sum) : lg_json_make_double(sum_real);
    return any && (exact || isfinite(sum_real));
}

static void write_number(lg_edits *edits, const lg_json *value, const lg_json *number)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, number);
    if (lg_buf_status(&text) == LG_OK) {
        lg_edits_value(edits, value, lg_arena_str(edits->arena, lg_buf_str(&text)));
    }
    edits->failed = edits->failed || lg_buf_status(&text) != LG_OK;
    lg_buf_done(&text);
}

// `others` are what stands at the same place in the earlier usages; NULL where nothing does.
static void add_numbers(lg_edits *edits, const lg_json *usage, const lg_json *const *others,
                        size_t count, size_t depth)
{
    for (size_t i = 0; i < lg_member_count(usage) && depth < 4; i++) {
        const lg_json_member *member = lg_json_member_at(usage, i);
        const lg_json **inner = LG_NEW_ARRAY(edits->arena, const lg_json *, count);
        lg_json sum;
        if (!inner) {
            edits->failed = true;
            return;
        }
        for (size_t k = 0; k < count; k++) {
            inner[k] = lg_json_get(others[k], lg_json_key(member));
        }
        if (add_up(&member->value, inner, count, &sum)) {
            write_number(edits, &member->value, &sum);
        } else if (lg_json_is(&member->value, LG_JSON_OBJECT)) {
            add_numbers(edits, &member->value, inner, count, depth + 1);
        }
    }
}

void lg_edits_add_usage(lg_edits *edits, const lg_json *usage, const lg_chat_ruling *ruling)
{
    if (lg_json_is(usage, LG_JSON_OBJECT) && ruling->earlier_count) {
        add_numbers(edits, usage, ruling->earlier_usage, ruling->earlier_count, 0);
    }
}

lg_str lg_chat_earlier_usage(lg_arena *arena, const lg_chat_ruling *ruling, bool *failed)
{
    size_t last = ruling->earlier_count;
    while (last > 0 && !lg_json_is(ruling->earlier_usage[last - 1], LG_JSON_OBJECT)) {
        last--;
    }
    if (last == 0) {
        return LG_STR("");
    }
    lg_buf text;
    lg_edits edits;
    const lg_json *usage = NULL;
    lg_buf_init(&text, 0);
    lg_json_print(&text, ruling->earlier_usage[last - 1]);
    lg_str kept = lg_arena_str(arena, lg_buf_str(&text));
    bool made = lg_buf_status(&text) == LG_OK && kept.ptr &&
                lg_json_parse_in(arena, kept, 0, kept.len, NULL, &usage, NULL) == LG_OK;
    lg_buf_done(&text);
    lg_edits_begin(&edits, arena, kept);
    if (made) {
        add_numbers(&edits, usage, ruling->earlier_usage, last - 1, 0);
    }
    lg_str sum = made ? lg_edits_text(&edits) : LG_STR("");
    *failed = *failed || !made || edits.failed;
    return sum;
}

lg_status lg_chat_rewrite(const lg_chat_reply *reply, const lg_chat_ruling *ruling, lg_buf *out,
                          lg_error *reterr)
{
    lg_arena scratch;
    lg_edits edits;
    if (reply->left_out) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "the reply has %zu part%s that cannot be read, in which calls may be",
                       reply->left_out, lg_plural(reply->left_out));
    }
    if (reply->is_error) {
        lg_chat_write_error_body(reply->api, reply->body, reply->root, out);
        return lg_buf_status(out) == LG_OK ? LG_OK : lg_fail_oom(reterr);
    }
    lg_arena_init(&scratch, 0);
    lg_edits_begin(&edits, &scratch, reply->body);
    lg_chat_face_of(reply->api)->rewrite(reply, ruling, &edits);
    lg_member_edit changes[2] = {
        {"ledgergate", ruling->field.len ? ruling->field : LG_MEMBER_GOES}};
    size_t count = 1;
    if (!lg_json_is(lg_get(reply->root, "usage"), LG_JSON_OBJECT) && ruling->earlier_count) {
        lg_str usage = lg_chat_earlier_usage(&scratch, ruling, &edits.failed);
        changes[count] = (lg_member_edit){"usage", usage};
        count += usage.len > 0;
    }
    lg_edits_members(&edits, reply->root, changes, count);
    lg_status status = lg_edits_apply(&edits, out, reterr);
    lg_arena_done(&scratch);
    return status;
}

lg_status lg_chat_ask_again(const lg_chat_reply *reply, size_t choice, const lg_str *feedback,
                            size_t count, lg_buf *out, lg_error *reterr)
{
    size_t calls = choice < reply->choice_count ? reply->choices[choice].call_count : 0;
    if (choice >= reply->choice_count || count != (calls ? calls : 1)) {
        return lg_fail(reterr, LG_ERR_USAGE, "%zu answers to %zu calls", count, calls);
    }
    lg_status status = lg_chat_face_of(reply->api)->ask_again(reply, choice, feedback, out);
    status = status == LG_OK ? lg_buf_status(out) : status;
    return status == LG_OK ? LG_OK : lg_fail(reterr, status, "%s", lg_status_text(status));
}
