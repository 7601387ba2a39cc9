// face.c: the three faces, ceilings, and what is common to all parsing.
#include "chat/chat_internal.h"

const lg_chat_face *lg_chat_face_of(lg_chat_api api)
{
    static const lg_chat_face *const faces[] = {
        [LG_CHAT_COMPLETIONS] = &lg_chat_completions,
        [LG_CHAT_RESPONSES] = &lg_chat_responses,
        [LG_CHAT_MESSAGES] = &lg_chat_messages,
    };
    LG_DEBUG_ASSERT((size_t)api < LG_COUNT(faces));
    return faces[api];
}

bool lg_says_something(const lg_json *value)
{
    double number = 1;
    bool is_zero = lg_json_is_number(value) && lg_json_double(value, &number) && number == 0;
    bool is_empty = (lg_json_is(value, LG_JSON_STRING) || lg_json_is(value, LG_JSON_ARRAY) ||
                     lg_json_is(value, LG_JSON_OBJECT)) &&
                    value->len == 0;
    bool is_false = lg_json_is(value, LG_JSON_BOOL) && !lg_json_is_true(value);
    return lg_given(value) && !is_zero && !is_empty && !is_false;
}

const char *lg_chat_api_name(lg_chat_api api)
{
    return lg_chat_face_of(api)->name;
}

#define OR(value, otherwise) ((value) ? (value) : (otherwise))

lg_chat_options lg_chat_options_resolve(const lg_chat_options *options)
{
    lg_chat_options o = options ? *options : (lg_chat_options){0};
    lg_chat_limits *l = &o.limits;
    l->request_bytes = OR(l->request_bytes, (size_t)32 << 20);
    l->reply_bytes = OR(l->reply_bytes, (size_t)16 << 20);
    l->event_bytes = OR(l->event_bytes, (size_t)8 << 20);
    l->calls = OR(l->calls, 256);
    l->choices = OR(l->choices, 128);
    l->items = OR(l->items, 4096);
    l->json_depth = OR(l->json_depth, 128);
    return o;
}

lg_status lg_chat_parse_object(lg_arena *arena, lg_str text, size_t most, uint32_t depth,
                               const char *what, const lg_json **ret, lg_error *reterr)
{
    return lg_chat_parse_beside(arena, text, NULL, most, depth, what, ret, reterr);
}

lg_status lg_chat_parse_beside(lg_arena *arena, lg_str text, const lg_json_known *known,
                               size_t most, uint32_t depth, const char *what, const lg_json **ret,
                               lg_error *reterr)
{
    lg_limits limits = {.json_depth = depth,
                        .json_bytes = most,
                        .json_string_bytes = most,
                        .document_bytes = arena->limit_bytes};
    if (text.len > most) {
        return lg_fail(reterr, LG_ERR_LIMIT, "%s has %zu bytes, the limit is %zu", what, text.len,
                       most);
    }
    lg_error why;
    lg_status status = known ? lg_json_parse_beside(arena, text, known, &limits, ret, &why)
                             : lg_json_parse_in(arena, text, 0, text.len, &limits, ret, &why);
    if (status != LG_OK) {
        return lg_fail_at(reterr, status, lg_error_position(&why), "%s is no JSON: %s", what,
                          why.msg);
    }
    if (!lg_json_is(*ret, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "%s is no JSON object", what);
    }
    return LG_OK;
}
