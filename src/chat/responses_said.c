// responses_said.c: what the events of a message say, and that it is what is judged.
//
// A text is told up to five times: in deltas, when it is whole, in its part, in its item, in the last event. Clients show
// any of them, so all have to be one.
#include "chat/responses.h"

typedef struct lg_told {
    int64_t content; // content_index
    lg_pieces deltas;
    bool has_whole;
    lg_str whole;
} told;

static void fail(lg_chat_stream *stream)
{
    lg_stream_fail(stream, LG_ERR_FORMAT, "a text of the reply is told in two ways");
}

static told *told_of(lg_chat_stream *stream, lg_said *said, const lg_json *value)
{
    int64_t content = 0;
    const lg_json *given = lg_get(value, "content_index");
    if (given && (!lg_json_int(given, &content) || content < 0)) {
        fail(stream);
        return NULL;
    }
    for (size_t i = 0; i < said->count; i++) {
        if (said->items[i].content == content) {
            return &said->items[i];
        }
    }
    told *items =
        lg_arena_grow(stream->arena, said->items, said->count, &said->capacity, sizeof(*items));
    if (!items || said->count >= stream->options.limits.items) {
        lg_stream_fail(stream, LG_ERR_LIMIT, "an item of the reply has more than %zu parts",
                       said->count);
        return NULL;
    }
    said->items = items;
    items[said->count] = (told){.content = content, .whole = LG_STR("")};
    return &items[said->count++];
}

static bool is_text_part(const lg_json *part)
{
    return lg_text_is(lg_get(part, "type"), "output_text") ||
           lg_text_is(lg_get(part, "type"), "text") || lg_text_is(lg_get(part, "type"), "refusal");
}

// The text of a part; NULL if it has none.
static const lg_json *text_of(const lg_json *part)
{
    bool refused = lg_text_is(lg_get(part, "type"), "refusal");
    return is_text_part(part) ? lg_get(part, refused ? "refusal" : "text") : NULL;
}

static void take_delta(lg_chat_stream *stream, lg_said *said, const lg_json *value,
                       const lg_json *text)
{
    told *t = lg_given(text) ? told_of(stream, said, value) : NULL;
    if (lg_given(text) && !lg_json_is(text, LG_JSON_STRING)) {
        fail(stream);
    } else if (t) {
        lg_pieces_add(stream, &t->deltas, lg_json_str(text));
    }
}

static void take_whole(lg_chat_stream *stream, lg_said *said, const lg_json *value,
                       const lg_json *text)
{
    told *t = lg_given(text) ? told_of(stream, said, value) : NULL;
    if (lg_given(text) && !lg_json_is(text, LG_JSON_STRING)) {
        fail(stream);
    } else if (t && t->has_whole && !lg_str_eq(t->whole, lg_json_str(text))) {
        fail(stream);
    } else if (t) {
        t->has_whole = true;
        t->whole = lg_stream_keep(stream, lg_json_str(text));
    }
}

void lg_said_take(lg_chat_stream *stream, lg_said *said, bool is_message, const lg_json *value)
{
    lg_str type = lg_json_str(lg_get(value, "type"));
    const lg_json *part = lg_get(value, "part");
    bool text = lg_str_starts(type, LG_STR("response.output_text.")) ||
                lg_str_starts(type, LG_STR("response.refusal."));
    bool of_part = lg_str_starts(type, LG_STR("response.content_part."));
    if (!is_message) {
        if (text || (of_part && is_text_part(part))) {
            lg_stream_fail(stream, LG_ERR_FORMAT, "a text in an item of the reply that is none");
        }
    } else if (of_part && lg_str_ends(type, LG_STR(".added"))) {
        take_delta(stream, said, value, text_of(part));
    } else if (of_part) {
        take_whole(stream, said, value, text_of(part));
    } else if (text) {
        take_delta(stream, said, value, lg_get(value, "delta"));
        take_whole(stream, said, value, lg_get(value, "text"));
        take_whole(stream, said, value, lg_get(value, "refusal"));
    }
}

static lg_str text_at(const lg_json *item, size_t index)
{
    return lg_json_str(text_of(lg_json_item(lg_get(item, "content"), index)));
}

bool lg_said_is(lg_chat_stream *stream, const lg_said *said, const lg_json *item)
{
    for (size_t i = 0; i < said->count; i++) {
        const told *t = &said->items[i];
        lg_str text = text_at(item, (size_t)t->content);
        if ((t->has_whole && !lg_str_eq(t->whole, text)) ||
            (t->deltas.count && !lg_str_eq(lg_pieces_join(stream, &t->deltas), text))) {
            return false;
        }
    }
    return true;
}

bool lg_said_same(const lg_json *a, const lg_json *b)
{
    const lg_json *left = lg_get(a, "content");
    const lg_json *right = lg_get(b, "content");
    if (!lg_json_is(left, LG_JSON_ARRAY) || !lg_json_is(right, LG_JSON_ARRAY)) {
        return left && right ? lg_json_equal(left, right) : left == right;
    }
    bool same = left->len == right->len;
    for (size_t i = 0; i < lg_list_len(left) && same; i++) {
        same = lg_str_eq(text_at(a, i), text_at(b, i)) &&
               is_text_part(lg_json_item(left, i)) == is_text_part(lg_json_item(right, i));
    }
    return same;
}
