// completions_end.c: a stream of chat completions that has ended: the reply that it would have been unstreamed, and what goes on
// of what was held, by the ruling.
#include "chat/completions_stream.h"

// --- The reply ----------------------------------------------------------------------------------------

static void write_call(lg_chat_stream *stream, const slot *s, size_t index, bool is_delta,
                       lg_json_writer *w)
{
    lg_jw_begin_object(w);
    if (is_delta) {
        lg_jw_member_uint(w, "index", index);
    }
    lg_jw_member_str(w, "id", s->id);
    lg_jw_member_str(w, "type",
                     s->type.len ? s->type
                     : s->custom ? LG_STR("custom")
                                 : LG_STR("function"));
    lg_jw_key(w, s->custom ? "custom" : "function");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", s->name);
    lg_jw_member_str(w, s->custom ? "input" : "arguments", lg_pieces_join(stream, &s->args));
    lg_jw_end_object(w);
    lg_grown_write(stream, &s->others, w);
    lg_jw_end_object(w);
}

static void write_legacy(lg_chat_stream *stream, const slot *s, lg_json_writer *w)
{
    lg_jw_key(w, "function_call");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", s->name);
    lg_jw_member_str(w, "arguments", lg_pieces_join(stream, &s->args));
    lg_jw_end_object(w);
}

static void write_content(lg_chat_stream *stream, const choice *c, lg_json_writer *w)
{
    lg_jw_key(w, "content");
    if (c->parts.count == 0) {
        if (c->has_content && (c->content.size_bytes || !c->slot_count)) {
            lg_jw_str(w, lg_pieces_join(stream, &c->content));
        } else {
            lg_jw_null(w);
        }
        return;
    }
    lg_jw_begin_array(w);
    for (size_t i = 0; i < c->parts.count; i++) {
        lg_jw_raw(w, c->parts.items[i]);
    }
    if (c->content.size_bytes) {
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "type", "text");
        lg_jw_member_str(w, "text", lg_pieces_join(stream, &c->content));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_message(lg_chat_stream *stream, const choice *c, lg_json_writer *w)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "role", c->role.len ? c->role : LG_STR("assistant"));
    write_content(stream, c, w);
    if (c->refusal.count) {
        lg_jw_member_str(w, "refusal", lg_pieces_join(stream, &c->refusal));
    }
    lg_grown_write(stream, &c->others, w);
    if (c->slot_count) {
        lg_jw_key(w, "tool_calls");
        lg_jw_begin_array(w);
        for (size_t i = 0; i < c->slot_count; i++) {
            write_call(stream, c->slots[i], i, false, w);
        }
        lg_jw_end_array(w);
    }
    if (c->legacy) {
        write_legacy(stream, c->legacy, w);
    }
    lg_jw_end_object(w);
}

// What a chunk of ours says of the reply. All else of the first chunk has gone on once, and may be long.
static bool is_shared(const lg_json_member *member)
{
    static const char *const keys[] = {"id", "created", "model", "system_fingerprint"};
    bool is_short = lg_json_is(&member->value, LG_JSON_INT) ||
                    (lg_json_is(&member->value, LG_JSON_STRING) && member->value.len <= 256);
    for (size_t i = 0; i < LG_COUNT(keys); i++) {
        if (lg_str_eq(lg_json_key(member), lg_str_c(keys[i]))) {
            return is_short;
        }
    }
    return false;
}

static const lg_json *parse_base(lg_chat_stream *stream, lg_str base)
{
    const lg_json *value = NULL;
    if (base.len &&
        lg_json_parse_in(&stream->frame, base, 0, base.len, NULL, &value, NULL) != LG_OK) {
        lg_stream_fail_oom(stream);
    }
    return value;
}

// Once, since the first chunk may be long and our own many.
static lg_str shared_of(lg_chat_stream *stream)
{
    state *st = stream->state;
    if (!st->shared.len) {
        const lg_json *base = parse_base(stream, st->base);
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_json_writer w = {.out = &text};
        lg_jw_begin_object(&w);
        for (size_t i = 0; i < lg_member_count(base); i++) {
            const lg_json_member *member = lg_json_member_at(base, i);
            bool is_object = lg_str_eq(lg_json_key(member), LG_STR("object"));
            if (is_object || is_shared(member)) {
                lg_jw_key_str(&w, lg_json_key(member));
                lg_jw_raw(&w, is_object ? LG_STR("null") // what it is instead is written later
                                        : lg_json_source(st->base, &member->value));
            }
        }
        lg_jw_end_object(&w);
        if (lg_buf_status(&text) != LG_OK) {
            lg_stream_fail_oom(stream);
        }
        st->shared = lg_stream_keep(stream, lg_buf_str(&text));
        lg_buf_done(&text);
    }
    return st->shared;
}

// The members that the reply (all of them) or its chunks share, into an object that has begun.
static void write_base(lg_chat_stream *stream, const char *object, bool all, lg_json_writer *w)
{
    const state *st = stream->state;
    lg_str text = all ? st->base : shared_of(stream);
    const lg_json *base = parse_base(stream, text);
    for (size_t i = 0; i < lg_member_count(base); i++) {
        const lg_json_member *member = lg_json_member_at(base, i);
        lg_str key = lg_json_key(member);
        if (lg_str_eq(key, LG_STR("object"))) {
            lg_jw_key_str(w, key);
            lg_jw_c(w, object);
        } else if (!all && stream->rounds && stream->id.len && lg_str_eq(key, LG_STR("id"))) {
            lg_jw_key_str(w, key);
            lg_jw_str(w, stream->id);
        } else if (!lg_str_eq(key, LG_STR("choices")) && !lg_str_eq(key, LG_STR("usage")) &&
                   !lg_str_eq(key, LG_STR("ledgergate"))) {
            lg_jw_key_str(w, key);
            lg_jw_raw(w, lg_json_source(text, &member->value));
        }
    }
}

static void sort(state *st)
{
    for (size_t i = 1; i < st->count; i++) {
        choice *moved = st->choices[i];
        size_t k = i;
        for (; k > 0 && st->choices[k - 1]->index > moved->index; k--) {
            st->choices[k] = st->choices[k - 1];
        }
        st->choices[k] = moved;
    }
}

void lg_completions_body(lg_chat_stream *stream, lg_buf *body)
{
    state *st = stream->state;
    lg_json_writer w = {.out = body};
    sort(st);
    lg_jw_begin_object(&w);
    write_base(stream, "chat.completion", true, &w);
    lg_jw_key(&w, "choices");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < st->count; i++) {
        const choice *c = st->choices[i];
        lg_jw_begin_object(&w);
        lg_jw_member_int(&w, "index", c->index);
        lg_jw_key(&w, "message");
        write_message(stream, c, &w);
        lg_jw_key(&w, "finish_reason");
        if (c->finish.len) {
            lg_jw_str(&w, c->finish);
        } else {
            lg_jw_null(&w);
        }
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    if (st->usage.len) {
        lg_jw_member_raw(&w, "usage", st->usage);
    }
    lg_jw_end_object(&w);
}

static const slot *slot_at(const choice *c, size_t index)
{
    return index < c->slot_count ? c->slots[index] : c->legacy;
}

// What chunks have shown and the body does not.
static void mark_signs(lg_chat_stream *stream, lg_chat_reply *reply)
{
    const state *st = stream->state;
    uint32_t missing = st->signs & ~lg_completions_signs(reply->root, "message");
    lg_chat_seen *seen =
        LG_NEW_ARRAY(stream->arena, lg_chat_seen, reply->seen_count + LG_COMPLETIONS_SIGNS);
    if (!seen) {
        lg_stream_fail_oom(stream);
        return;
    }
    lg_copy_bytes(seen, reply->seen, reply->seen_count * sizeof(*seen));
    reply->seen = seen;
    for (size_t s = 0; s < LG_COMPLETIONS_SIGNS; s++) {
        if (missing >> s & 1) {
            seen[reply->seen_count++] =
                (lg_chat_seen){.kind = LG_CHAT_ACTED, .type = lg_completions_sign(s)};
        }
    }
}

void lg_completions_mark(lg_chat_stream *stream, lg_chat_reply *reply, lg_chat_call *calls)
{
    mark_signs(stream, reply);
    const state *st = stream->state;
    size_t next = 0;
    for (size_t i = 0; i < st->count; i++) {
        size_t count = st->choices[i]->slot_count + (st->choices[i]->legacy != NULL);
        LG_DEBUG_ASSERT(reply->choices[i].call_count == count);
        for (size_t k = 0; k < count; k++, next++) {
            const slot *s = slot_at(st->choices[i], k);
            calls[next].broken = s->broken ? s->broken : calls[next].broken;
        }
    }
    LG_DEBUG_ASSERT(next == reply->call_count);
}

// --- The end --------------------------------------------------------------------------------------

typedef struct finisher {
    lg_chat_stream *stream;
    const lg_chat_ruling *ruling;
    const lg_chat_reply *reply;
    const lg_sse_event *last;       // takes the field
    const lg_sse_event *last_usage; // takes the sum
    bool *gone_choices;
    lg_buf *out;
} finisher;

static size_t order_of(const finisher *f, const lg_json *recorded)
{
    const choice *c = lg_completions_choice_of(f->stream, recorded);
    const state *st = f->stream->state;
    for (size_t i = 0; i < st->count; i++) {
        if (st->choices[i] == c) {
            return i;
        }
    }
    return 0;
}

static const lg_json *parse_held(finisher *f, const lg_sse_event *event)
{
    lg_arena_reset(&f->stream->frame);
    return lg_stream_parse(f->stream, event);
}

// Of the chunks that wait: which is last, and which is the last with a usage?
static void find_last(finisher *f)
{
    for (const lg_sse_event *e = f->stream->held; e && e->next; e = e->next) {
        const lg_json *chunk = parse_held(f, e);
        bool is_last = chunk && lg_completions_look_at(f->stream, chunk).last;
        f->last = is_last ? e : f->last;
        f->last_usage =
            is_last && lg_json_is(lg_get(chunk, "usage"), LG_JSON_OBJECT) ? e : f->last_usage;
    }
}

static bool is_end_for_calls(const lg_json *finish)
{
    return lg_text_is(finish, "tool_calls") || lg_text_is(finish, "function_call");
}

static void emit_held(finisher *f, const lg_sse_event *event, const lg_json *chunk)
{
    lg_edits edits;
    const lg_json *choices = lg_get(chunk, "choices");
    lg_edits_begin(&edits, &f->stream->frame, event->data);
    for (size_t i = 0; i < lg_list_len(choices); i++) {
        const lg_json *recorded = lg_json_item(choices, i);
        const lg_json *finish = lg_get(recorded, "finish_reason");
        size_t order = order_of(f, recorded);
        lg_completions_edit_choice(&edits, recorded, lg_completions_choice_of(f->stream, recorded),
                                   f->stream->options.hold_text &&
                                       lg_chat_drops_text(f->ruling, order));
        if (is_end_for_calls(finish) && f->reply->choices[order].call_count &&
            lg_chat_calls_left(f->reply, f->ruling, order) == 0) {
            lg_edits_string(&edits, finish, LG_STR("stop"));
        }
    }
    bool marked = event == f->last && f->ruling->field.len;
    lg_stream_edit_id(f->stream, &edits, lg_get(chunk, "id"));
    lg_member_edit changes[2] = {{"ledgergate", marked ? f->ruling->field : LG_MEMBER_GOES}};
    size_t count = 1;
    if (event == f->last_usage) {
        lg_edits_add_usage(&edits, lg_get(chunk, "usage"), f->ruling);
    } else if (event == f->last && !f->last_usage && f->ruling->earlier_count) {
        lg_str usage = lg_chat_earlier_usage(&f->stream->frame, f->ruling, &edits.failed);
        changes[count] = (lg_member_edit){"usage", usage};
        count += usage.len > 0;
    }
    lg_edits_members(&edits, chunk, changes, count);
    lg_stream_emit_edits(f->stream, event, &edits, f->out);
}

// Of texts that were held nothing has been told.
static void forget_roles(lg_chat_stream *stream)
{
    const state *st = stream->state;
    for (size_t i = 0; i < st->count && stream->options.hold_text; i++) {
        st->choices[i]->told_role = false;
    }
}

// Those that end something wait for calls; the others do not.
static void emit_all_held(finisher *f, bool last)
{
    for (const lg_sse_event *e = f->stream->held; e && e->next && f->stream->status == LG_OK;
         e = e->next) {
        const lg_json *chunk = parse_held(f, e);
        if (!chunk) {
            return;
        }
        looks seen = lg_completions_look_at(f->stream, chunk);
        bool silent = !seen.last && !seen.says && seen.calls;
        if (seen.last == last && !silent) {
            emit_held(f, e, chunk);
        }
    }
}

// A chunk of our own: one choice, with what `write` puts into its delta.
static void begin_chunk(finisher *f, int64_t index, lg_buf *text, lg_json_writer *w)
{
    lg_arena_reset(&f->stream->frame);
    lg_buf_init(text, 0);
    *w = (lg_json_writer){.out = text};
    lg_jw_begin_object(w);
    write_base(f->stream, "chat.completion.chunk", false, w);
    lg_jw_key(w, "choices");
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    lg_jw_member_int(w, "index", index);
    lg_jw_key(w, "delta");
    lg_jw_begin_object(w);
}

static void end_chunk(finisher *f, lg_buf *text, lg_json_writer *w, lg_str field)
{
    lg_jw_end_object(w);
    lg_jw_key(w, "finish_reason");
    lg_jw_null(w);
    lg_jw_end_object(w);
    lg_jw_end_array(w);
    if (field.len) {
        lg_jw_member_raw(w, "ledgergate", field);
    }
    lg_jw_end_object(w);
    if (lg_buf_status(text) != LG_OK) {
        lg_stream_fail_oom(f->stream);
    } else {
        lg_stream_write(NULL, lg_buf_str(text), f->out);
    }
    lg_buf_done(text);
}

static void emit_call(finisher *f, const choice *c, const slot *s, size_t index)
{
    lg_buf text;
    lg_json_writer w;
    begin_chunk(f, c->index, &text, &w);
    if (s == c->legacy) {
        write_legacy(f->stream, s, &w);
    } else {
        lg_jw_key(&w, "tool_calls");
        lg_jw_begin_array(&w);
        write_call(f->stream, s, index, true, &w);
        lg_jw_end_array(&w);
    }
    end_chunk(f, &text, &w, LG_STR(""));
}

static void emit_text(finisher *f, const choice *c, lg_str said)
{
    lg_buf text;
    lg_json_writer w;
    bool behind = c->had_text || c->passed_text;
    bool failed = false;
    begin_chunk(f, c->index, &text, &w);
    lg_jw_key(&w, "content");
    lg_str quoted = lg_chat_escaped(&f->stream->frame, said, &failed);
    lg_buf_addf(&text, "\"%s%.*s\"", behind ? BLANK_LINE : "", LG_FMT(quoted));
    w.need_comma = true;
    if (failed) {
        lg_stream_fail_oom(f->stream);
    }
    end_chunk(f, &text, &w, LG_STR(""));
}

static void emit_choice(finisher *f, size_t order, size_t first_call)
{
    const choice *c = ((const state *)f->stream->state)->choices[order];
    const lg_chat_choice *of_reply = &f->reply->choices[order];
    size_t index = 0;
    for (size_t i = 0; i < of_reply->call_count && f->stream->status == LG_OK; i++) {
        if (lg_chat_is_allowed(f->reply, f->ruling, first_call + i)) {
            emit_call(f, c, slot_at(c, i), index++);
        }
    }
    bool silent = lg_chat_drops_text(f->ruling, order) ||
                  (of_reply->text.len == 0 && of_reply->refusal.len == 0);
    lg_str said = lg_chat_if_nothing(f->ruling, order);
    if (index == 0 && silent && said.len) {
        emit_text(f, c, said);
    }
}

// Nothing ended and nothing was counted: there is no chunk to take the field.
static void emit_field(finisher *f)
{
    const state *st = f->stream->state;
    if (!f->last && f->ruling->field.len) {
        lg_buf text;
        lg_json_writer w;
        begin_chunk(f, st->count ? st->choices[0]->index : 0, &text, &w);
        end_chunk(f, &text, &w, f->ruling->field);
    }
}

void lg_completions_finish(lg_chat_stream *stream, const lg_chat_ruling *ruling, lg_buf *out)
{
    finisher f = {.stream = stream, .ruling = ruling, .reply = stream->reply, .out = out};
    const lg_sse_event *done = stream->held;
    size_t first_call = 0;
    find_last(&f);
    forget_roles(stream);
    emit_all_held(&f, false);
    for (size_t i = 0; i < f.reply->choice_count; i++) {
        emit_choice(&f, i, first_call);
        first_call += f.reply->choices[i].call_count;
    }
    emit_all_held(&f, true);
    emit_field(&f);
    while (done && done->next) {
        done = done->next;
    }
    if (done) {
        lg_stream_pass(done, out);
    }
}
