// completions_stream.c: streams of chat completions.
//
//     data: {"id", "model", "choices": [{"index", "delta": {"role", "content", "tool_calls": [{"index", "id",
//            "function": {"name", "arguments"}}]}, "finish_reason"}], "usage"}
//     data: [DONE]
//
// Chunks of text pass as they came. Deltas of calls are taken out of theirs and kept; chunks that end a choice, and
// the one with the usage, wait for the ruling. In the wild a delta may have no index, or 0 for all calls, or a new id in each
// fragment: whatever cannot be told apart becomes one call that is broken, and never part of another.
#include "chat/guard.h"
#include "chat/stream.h"

typedef struct slot {
    bool has_index;
    int64_t index;
    lg_str id;
    lg_str type;
    lg_str name;
    bool custom;
    lg_pieces args;
    lg_grown_list others;
    const char *broken;
} slot;

typedef struct choice {
    int64_t index;
    lg_str role;
    bool told_role;
    bool passed_role; // it has gone on in this round
    bool had_role; // or in one before it: clients put texts of deltas together, so it goes on once
    bool passed_text; // some has gone on in this round
    bool had_text;    // or in one before it: a blank line stands between
    bool has_content;
    lg_pieces content;
    lg_pieces parts; // of a content that is a list: its elements
    lg_pieces refusal;
    lg_grown_list others;
    slot **slots;
    size_t slot_count;
    size_t slot_capacity;
    slot *legacy; // `function_call`
    lg_str finish;
} choice;

typedef struct state {
    choice **choices; // sorted by index once the stream has ended
    size_t count;
    size_t capacity;
    size_t call_count;
    lg_str base;   // the first chunk
    lg_str shared; // what our own chunks say of it; empty: not written yet
    lg_str usage;
    uint32_t
        signs; // lg_completions_signs() of all chunks: of a member that comes again, the body has the last
} state;

// What of a choice has gone on.
typedef struct told {
    int64_t index;
    bool role, text;
} told;

// Of all replies of a stream.
typedef struct lasting {
    told *choices;
    size_t count;
    size_t capacity;
} lasting;

static told *find_told(const lasting *all, int64_t index)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->choices[i].index == index) {
            return &all->choices[i];
        }
    }
    return NULL;
}

static bool keep_told(lg_chat_stream *stream, const state *before)
{
    lasting *all = stream->lasting;
    for (size_t i = 0; before && i < before->count; i++) {
        const choice *c = before->choices[i];
        told *known = find_told(all, c->index);
        if (!known) {
            told *choices = lg_arena_grow(stream->arena, all->choices, all->count, &all->capacity,
                                          sizeof(*choices));
            if (!choices) {
                return false;
            }
            all->choices = choices;
            known = &choices[all->count++];
            *known = (told){.index = c->index};
        }
        known->role = known->role || c->passed_role;
        known->text = known->text || c->passed_text;
    }
    return true;
}

lg_status lg_completions_begin(lg_chat_stream *stream)
{
    const state *before = stream->state;
    state *st = LG_NEW(stream->arena, state);
    if (!stream->lasting) {
        stream->lasting = LG_NEW(stream->arena, lasting);
    }
    if (!st || !stream->lasting || !keep_told(stream, before)) {
        return LG_ERR_OOM;
    }
    stream->state = st;
    return LG_OK;
}

// --- Collecting -----------------------------------------------------------------------------------

static choice *choice_of(lg_chat_stream *stream, const lg_json *recorded)
{
    state *st = stream->state;
    int64_t index = 0;
    const lg_json *given = lg_get(recorded, "index");
    if (lg_given(given) && (!lg_json_int(given, &index) || index < 0 || index > UINT32_MAX)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "a choice of the reply has an index that is none");
        return NULL;
    }
    for (size_t i = 0; i < st->count; i++) {
        if (st->choices[i]->index == index) {
            return st->choices[i];
        }
    }
    if (st->count >= stream->options.limits.choices) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "the reply has more than %zu choices", st->count);
        return NULL;
    }
    choice **choices =
        lg_arena_grow(stream->arena, st->choices, st->count, &st->capacity, sizeof(choice *));
    choice *added = LG_NEW(stream->arena, choice);
    if (!choices || !added) {
        lg_stream_fail_oom(stream);
        return NULL;
    }
    const told *known = find_told(stream->lasting, index);
    *added = (choice){.index = index,
                      .had_role = known && known->role,
                      .had_text = known && known->text,
                      .role = LG_STR(""),
                      .finish = LG_STR("")};
    st->choices = choices;
    choices[st->count++] = added;
    return added;
}

static slot *new_slot(lg_chat_stream *stream)
{
    state *st = stream->state;
    slot *added = LG_NEW(stream->arena, slot);
    if (st->call_count >= stream->options.limits.calls) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "the reply has more than %zu calls", st->call_count);
        return NULL;
    }
    if (!added) {
        lg_stream_fail_oom(stream);
        return NULL;
    }
    st->call_count++;
    *added = (slot){.id = LG_STR(""), .type = LG_STR(""), .name = LG_STR("")};
    return added;
}

static slot *add_slot(lg_chat_stream *stream, choice *c)
{
    slot **slots =
        lg_arena_grow(stream->arena, c->slots, c->slot_count, &c->slot_capacity, sizeof(slot *));
    slot *added = slots ? new_slot(stream) : NULL;
    if (!added) {
        lg_stream_fail_oom(stream); // or has failed already
        return NULL;
    }
    c->slots = slots;
    slots[c->slot_count++] = added;
    return added;
}

static slot *slot_by_index(const choice *c, int64_t index)
{
    for (size_t i = 0; i < c->slot_count; i++) {
        if (c->slots[i]->has_index && c->slots[i]->index == index) {
            return c->slots[i];
        }
    }
    return NULL;
}

// Of deltas without an index: that of its id; without an id, the latest.
static slot *slot_by_id(const choice *c, lg_str id)
{
    slot *last = c->slot_count ? c->slots[c->slot_count - 1] : NULL;
    if (id.len == 0 || (last && last->id.len == 0)) {
        return last;
    }
    for (size_t i = 0; i < c->slot_count; i++) {
        if (lg_str_eq(c->slots[i]->id, id)) {
            return c->slots[i];
        }
    }
    return NULL;
}

static slot *slot_of(lg_chat_stream *stream, choice *c, const lg_json *delta, lg_str id)
{
    int64_t index = 0;
    const lg_json *given = lg_get(delta, "index");
    bool has_index = lg_given(given) && lg_json_int(given, &index);
    slot *found = has_index ? slot_by_index(c, index) : slot_by_id(c, id);
    if (!found) {
        found = add_slot(stream, c);
    }
    if (found && has_index) {
        found->has_index = true;
        found->index = index;
    }
    return found;
}

// Takes a word that comes whole; a second one that is not the first makes the call none.
static void take_word(lg_chat_stream *stream, slot *s, lg_str *word, lg_str given,
                      const char *broken)
{
    if (given.len && word->len == 0) {
        *word = lg_stream_keep(stream, given);
    } else if (given.len && !lg_str_eq(*word, given)) {
        s->broken = s->broken ? s->broken : broken;
    }
}

static void take_function(lg_chat_stream *stream, slot *s, lg_str source, const lg_json *function,
                          const char *args)
{
    const lg_json *given = lg_get(function, args);
    const lg_json *name = lg_get(function, "name");
    if (!lg_json_is(function, LG_JSON_OBJECT) ||
        (lg_given(name) && !lg_json_is(name, LG_JSON_STRING))) {
        s->broken = "its name and arguments are of types that they cannot be";
    }
    take_word(stream, s, &s->name, lg_json_str(lg_get(function, "name")),
              "its deltas carry two names");
    if (!s->broken) {
        lg_pieces_add(stream, &s->args, lg_chat_text_of(source, given));
    }
}

static void take_call(lg_chat_stream *stream, choice *c, lg_str source, const lg_json *delta)
{
    lg_str id = lg_json_str(lg_get(delta, "id"));
    const lg_json *function = lg_get(delta, "function");
    const lg_json *custom = lg_get(delta, "custom");
    if (!lg_json_is(delta, LG_JSON_OBJECT)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "a call of the reply is no object");
        return;
    }
    slot *s = slot_of(stream, c, delta, id);
    if (!s) {
        return;
    }
    const lg_json *words[] = {lg_get(delta, "id"), lg_get(delta, "type")};
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        if (lg_given(words[i]) && !lg_json_is(words[i], LG_JSON_STRING)) {
            s->broken = "its id or its kind is no text";
        }
    }
    take_word(stream, s, &s->id, id, "its deltas carry two ids");
    take_word(stream, s, &s->type, lg_json_str(lg_get(delta, "type")),
              "its deltas carry two kinds");
    if (lg_given(custom)) {
        s->broken =
            lg_given(function) || (!s->custom && s->args.count) ? "it is of two kinds" : s->broken;
        s->custom = true;
        take_function(stream, s, source, custom, "input");
    } else if (lg_given(function)) {
        s->broken = s->custom ? "it is of two kinds" : s->broken;
        take_function(stream, s, source, function, "arguments");
    }
    for (size_t i = 0; i < lg_member_count(delta); i++) {
        const lg_json_member *member = lg_json_member_at(delta, i);
        lg_str key = lg_json_key(member);
        if (!lg_str_eq(key, LG_STR("index")) && !lg_str_eq(key, LG_STR("id")) &&
            !lg_str_eq(key, LG_STR("type")) && !lg_str_eq(key, LG_STR("function")) &&
            !lg_str_eq(key, LG_STR("custom"))) {
            lg_grown_add(stream, &s->others, key, source, &member->value);
        }
    }
}

static void fail_type(lg_chat_stream *stream, const char *member)
{
    lg_stream_fail(stream, LG_ERR_FORMAT, "`%s` of the reply is of a type that it cannot be",
                   member);
}

static void take_content(lg_chat_stream *stream, choice *c, lg_str source, const lg_json *content)
{
    if (lg_given(content) && !lg_json_is(content, LG_JSON_STRING) &&
        !lg_json_is(content, LG_JSON_ARRAY)) {
        fail_type(stream, "content");
    }
    c->has_content = c->has_content || lg_given(content);
    lg_pieces_add(stream, &c->content, lg_json_str(content));
    for (size_t i = 0; i < lg_list_len(content); i++) {
        lg_pieces_add(stream, &c->parts, lg_json_source(source, lg_json_item(content, i)));
    }
}

static void take_calls(lg_chat_stream *stream, choice *c, lg_str source, const lg_json *calls)
{
    if (lg_given(calls) && !lg_json_is(calls, LG_JSON_ARRAY)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "`tool_calls` of the reply is no list");
    }
    for (size_t i = 0; i < lg_list_len(calls); i++) {
        take_call(stream, c, source, lg_json_item(calls, i));
    }
}

static void take_delta(lg_chat_stream *stream, choice *c, lg_str source, const lg_json *delta)
{
    for (size_t i = 0; i < lg_member_count(delta) && stream->status == LG_OK; i++) {
        const lg_json_member *member = lg_json_member_at(delta, i);
        const lg_json *value = &member->value;
        lg_str key = lg_json_key(member);
        bool is_word = !lg_given(value) || lg_json_is(value, LG_JSON_STRING);
        if (lg_str_eq(key, LG_STR("role"))) {
            if (!is_word) {
                fail_type(stream, "role");
            }
            c->role = c->role.len ? c->role : lg_stream_keep(stream, lg_json_str(value));
        } else if (lg_str_eq(key, LG_STR("content"))) {
            take_content(stream, c, source, value);
        } else if (lg_str_eq(key, LG_STR("refusal"))) {
            if (!is_word) {
                fail_type(stream, "refusal");
            }
            lg_pieces_add(stream, &c->refusal, lg_json_str(value));
        } else if (lg_str_eq(key, LG_STR("tool_calls"))) {
            take_calls(stream, c, source, value);
        } else if (!lg_str_eq(key, LG_STR("function_call"))) {
            lg_grown_add(stream, &c->others, key, source, value);
        } else if (lg_given(value)) {
            c->legacy = c->legacy ? c->legacy : new_slot(stream);
            if (c->legacy) {
                take_function(stream, c->legacy, source, value, "arguments");
            }
        }
    }
}

static void take_choice(lg_chat_stream *stream, lg_str source, const lg_json *recorded)
{
    choice *c = choice_of(stream, recorded);
    const lg_json *delta = lg_get(recorded, "delta");
    const lg_json *finish = lg_get(recorded, "finish_reason");
    if (!c) {
        return;
    }
    if (lg_given(lg_get(recorded, "message"))) { // some end with all of it, calls included
        lg_stream_fail(stream, LG_ERR_FORMAT, "a chunk of the reply has a whole message");
        return;
    }
    if (lg_given(delta) && !lg_json_is(delta, LG_JSON_OBJECT)) {
        fail_type(stream, "delta");
        return;
    }
    if (lg_given(finish) && !lg_json_is(finish, LG_JSON_STRING)) {
        fail_type(stream, "finish_reason");
    }
    take_delta(stream, c, source, delta);
    if (lg_json_str(finish).len) {
        c->finish = lg_stream_keep(stream, lg_json_str(finish));
    }
}

// --- Passing ------------------------------------------------------------------------------------

static bool has_calls(const lg_json *delta)
{
    return lg_given(lg_get(delta, "tool_calls")) || lg_given(lg_get(delta, "function_call"));
}

typedef struct looks {
    bool calls;
    bool says; // anything but calls
    bool last; // it ends a choice, or has the usage
} looks;

static bool is_silent(const lg_json *value)
{
    return !lg_given(value) || (lg_json_is(value, LG_JSON_STRING) && value->len == 0);
}

static looks look_at(lg_chat_stream *stream, const lg_json *chunk)
{
    const lg_json *choices = lg_get(chunk, "choices");
    looks seen = {.last = lg_list_len(choices) == 0 && lg_given(lg_get(chunk, "usage"))};
    for (size_t i = 0; i < lg_list_len(choices); i++) {
        const lg_json *recorded = lg_json_item(choices, i);
        const lg_json *delta = lg_get(recorded, "delta");
        choice *c = choice_of(stream, recorded);
        seen.calls = seen.calls || has_calls(delta);
        seen.last = seen.last || lg_given(lg_get(recorded, "finish_reason"));
        for (size_t k = 0; k < lg_member_count(delta); k++) {
            const lg_json_member *member = lg_json_member_at(delta, k);
            lg_str key = lg_json_key(member);
            bool is_role = lg_str_eq(key, LG_STR("role"));
            bool is_call =
                lg_str_eq(key, LG_STR("tool_calls")) || lg_str_eq(key, LG_STR("function_call"));
            seen.says = seen.says || (is_role ? c && !c->told_role && !c->had_role
                                              : !is_call && !is_silent(&member->value));
        }
        if (c && seen.says && lg_given(lg_get(delta, "role"))) {
            c->told_role = true;
        }
    }
    return seen;
}

// Texts of several replies are one to the client.
#define BLANK_LINE "\\n\\n"

static bool says_text(const lg_json *delta)
{
    const lg_json *content = lg_get(delta, "content");
    return lg_json_is(content, LG_JSON_STRING) && content->len > 0;
}

// What a chunk is without calls, and without texts of choices that lose theirs.
static void edit_choice(lg_edits *edits, const lg_json *recorded, choice *c, bool drop_text)
{
    static const char *const texts[] = {"content", "refusal"};
    static const char *const says_too[] = LG_COMPLETIONS_SAYS_TOO;
    const lg_json *delta = lg_get(recorded, "delta");
    const lg_json *logprobs = lg_get(recorded, "logprobs");
    lg_member_edit changes[LG_COUNT(texts) + LG_COUNT(says_too) + 3];
    size_t count = 0;
    if (drop_text && lg_given(logprobs)) {
        lg_edits_value(edits, logprobs, LG_STR("null"));
    }
    if (!lg_json_is(delta, LG_JSON_OBJECT)) {
        return;
    }
    changes[count++] = (lg_member_edit){"tool_calls", LG_MEMBER_GOES};
    changes[count++] = (lg_member_edit){"function_call", LG_MEMBER_GOES};
    if (c && c->had_role) {
        changes[count++] = (lg_member_edit){"role", LG_MEMBER_GOES};
    }
    for (size_t i = 0; i < LG_COUNT(texts) && drop_text; i++) {
        changes[count++] = (lg_member_edit){texts[i], LG_MEMBER_GOES};
    }
    for (size_t i = 0; i < LG_COUNT(says_too) && drop_text; i++) {
        changes[count++] = (lg_member_edit){says_too[i], LG_MEMBER_GOES};
    }
    if (!drop_text && c && says_text(delta)) {
        if (c->had_text && !c->passed_text) {
            size_t at = lg_get(delta, "content")->offset + 1;
            lg_edits_replace(edits, at, at, LG_STR(BLANK_LINE));
        }
        c->passed_text = true;
    }
    lg_edits_members(edits, delta, changes, count);
}

static void pass_without_calls(lg_chat_stream *stream, const lg_sse_event *event,
                               const lg_json *chunk, lg_buf *out)
{
    lg_edits edits;
    const lg_json *choices = lg_get(chunk, "choices");
    lg_edits_begin(&edits, &stream->frame, event->data);
    for (size_t i = 0; i < lg_list_len(choices); i++) {
        const lg_json *recorded = lg_json_item(choices, i);
        edit_choice(&edits, recorded, choice_of(stream, recorded), false);
    }
    lg_stream_edit_id(stream, &edits, lg_get(chunk, "id"));
    lg_edits_member(&edits, chunk, "ledgergate", LG_MEMBER_GOES);
    lg_str data = lg_edits_text(&edits);
    if (edits.failed) {
        lg_stream_fail_oom(stream);
    } else {
        lg_stream_emit(event, data, out);
    }
}

// It goes on now: what of it may not be said twice?
static void note_passed(lg_chat_stream *stream, const lg_json *chunk)
{
    const lg_json *choices = lg_get(chunk, "choices");
    lg_stream_go_by(stream, lg_get(chunk, "id"));
    for (size_t i = 0; i < lg_list_len(choices); i++) {
        const lg_json *recorded = lg_json_item(choices, i);
        choice *c = choice_of(stream, recorded);
        const lg_json *delta = lg_get(recorded, "delta");
        if (c && !c->had_role && lg_given(lg_get(delta, "role"))) {
            c->passed_role = true;
        }
        if (c && !c->had_text && says_text(delta)) { // else it is edited, which says so
            c->passed_text = true;
        }
    }
}

static void take_chunk(lg_chat_stream *stream, const lg_sse_event *event, const lg_json *chunk)
{
    state *st = stream->state;
    const lg_json *choices = lg_get(chunk, "choices");
    const lg_json *usage = lg_get(chunk, "usage");
    if (lg_given(choices) && !lg_json_is(choices, LG_JSON_ARRAY)) {
        lg_stream_fail(stream, LG_ERR_FORMAT, "`choices` of the reply is no list");
    }
    if (!st->base.ptr) {
        st->base = lg_stream_keep(stream, event->data);
    }
    if (lg_json_is(usage, LG_JSON_OBJECT)) {
        st->usage = lg_stream_keep(stream, lg_json_source(event->data, usage));
    }
    for (size_t i = 0; i < lg_list_len(choices) && stream->status == LG_OK; i++) {
        if (!lg_json_is(lg_json_item(choices, i), LG_JSON_OBJECT)) {
            fail_type(stream, "choices");
            return;
        }
        take_choice(stream, event->data, lg_json_item(choices, i));
    }
}

void lg_completions_event(lg_chat_stream *stream, const lg_sse_event *came, lg_buf *out)
{
    lg_sse_event unnamed = *came; // events of this protocol have no names
    const lg_sse_event *event = &unnamed;
    unnamed.name = LG_STR("");
    if (lg_str_eq(lg_str_trim(event->data), LG_STR("[DONE]"))) {
        stream->complete = true;
        unnamed.data = LG_STR("[DONE]");
        lg_stream_hold(stream, event);
        return;
    }
    const lg_json *chunk = lg_stream_parse(stream, event);
    if (!chunk) {
        return;
    }
    if (lg_says_something(lg_get(chunk, "error"))) {
        lg_stream_tell_error(stream, event, chunk, out);
        return;
    }
    if (lg_completions_has_stray(chunk, "delta")) {
        lg_stream_fail(stream, LG_ERR_FORMAT, LG_STRAY_CALL);
        return;
    }
    take_chunk(stream, event, chunk);
    if (stream->status != LG_OK) {
        return;
    }
    ((state *)stream->state)->signs |= lg_completions_signs(chunk, "delta");
    looks seen = look_at(stream, chunk);
    if (seen.last || stream->options.hold_text) {
        lg_stream_hold(stream, event);
    } else if (seen.says || !(seen.calls || lg_get(chunk, "ledgergate"))) {
        note_passed(stream, chunk);
        if (seen.calls || stream->rounds || lg_get(chunk, "ledgergate")) {
            pass_without_calls(stream, event, chunk, out);
        } else {
            lg_stream_pass(event, out);
        }
    }
}

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
    const choice *c = choice_of(f->stream, recorded);
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
        bool is_last = chunk && look_at(f->stream, chunk).last;
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
        edit_choice(&edits, recorded, choice_of(f->stream, recorded),
                    f->stream->options.hold_text && lg_chat_drops_text(f->ruling, order));
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
    lg_str data = lg_edits_text(&edits);
    if (edits.failed) {
        lg_stream_fail_oom(f->stream);
    } else {
        lg_stream_emit(event, data, f->out);
    }
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
        looks seen = look_at(f->stream, chunk);
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
