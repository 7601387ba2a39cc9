// completions_stream.c: streams of chat completions.
//
//     data: {"id", "model", "choices": [{"index", "delta": {"role", "content", "tool_calls": [{"index", "id",
//            "function": {"name", "arguments"}}]}, "finish_reason"}], "usage"}
//     data: [DONE]
//
// Chunks of text pass as they came. Deltas of calls are taken out of theirs and kept; chunks that end a choice, and
// the one with the usage, wait for the ruling. In the wild a delta may have no index, or 0 for all calls, or a new id in each
// fragment: whatever cannot be told apart becomes one call that is broken, and never part of another.
#include "chat/completions_stream.h"
#include "chat/guard.h"

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

choice *lg_completions_choice_of(lg_chat_stream *stream, const lg_json *recorded)
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
    choice *c = lg_completions_choice_of(stream, recorded);
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

static bool is_silent(const lg_json *value)
{
    return !lg_given(value) || (lg_json_is(value, LG_JSON_STRING) && value->len == 0);
}

looks lg_completions_look_at(lg_chat_stream *stream, const lg_json *chunk)
{
    const lg_json *choices = lg_get(chunk, "choices");
    looks seen = {.last = lg_list_len(choices) == 0 && lg_given(lg_get(chunk, "usage"))};
    for (size_t i = 0; i < lg_list_len(choices); i++) {
        const lg_json *recorded = lg_json_item(choices, i);
        const lg_json *delta = lg_get(recorded, "delta");
        choice *c = lg_completions_choice_of(stream, recorded);
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

static bool says_text(const lg_json *delta)
{
    const lg_json *content = lg_get(delta, "content");
    return lg_json_is(content, LG_JSON_STRING) && content->len > 0;
}

void lg_completions_edit_choice(lg_edits *edits, const lg_json *recorded, choice *c, bool drop_text)
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
        lg_completions_edit_choice(&edits, recorded, lg_completions_choice_of(stream, recorded),
                                   false);
    }
    lg_stream_edit_id(stream, &edits, lg_get(chunk, "id"));
    lg_edits_member(&edits, chunk, "ledgergate", LG_MEMBER_GOES);
    lg_stream_emit_edits(stream, event, &edits, out);
}

// It goes on now: what of it may not be said twice?
static void note_passed(lg_chat_stream *stream, const lg_json *chunk)
{
    const lg_json *choices = lg_get(chunk, "choices");
    lg_stream_go_by(stream, lg_get(chunk, "id"));
    for (size_t i = 0; i < lg_list_len(choices); i++) {
        const lg_json *recorded = lg_json_item(choices, i);
        choice *c = lg_completions_choice_of(stream, recorded);
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
    looks seen = lg_completions_look_at(stream, chunk);
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
