// body_write.c: arguments as the body of a request: JSON, forms, parts, text.
#include "base/hash.h"
#include "rest/rest_internal.h"

static const lg_json *whole_body(const rest_sender *s, const lg_json *args)
{
    const lg_catalogue_tool *tool = s->operation->tool;
    for (size_t i = 0; i < tool->list_count; i++) {
        if (tool->list[i].place == LG_PLACE_BODY) {
            return lg_json_get(args, tool->list[i].name);
        }
    }
    return NULL;
}

static bool is_whole(const rest_sender *s)
{
    const lg_catalogue_tool *tool = s->operation->tool;
    for (size_t i = 0; i < tool->list_count; i++) {
        if (tool->list[i].place == LG_PLACE_BODY) {
            return true;
        }
    }
    return false;
}

// The members of the body, under their own names; NULL when there are none and none are needed.
static const lg_json *gather(rest_sender *s, const lg_json *args)
{
    const lg_catalogue_tool *tool = s->operation->tool;
    lg_json_member *members = LG_NEW_ARRAY(s->arena, lg_json_member, tool->list_count + 1);
    lg_json *body = LG_NEW(s->arena, lg_json);
    size_t count = 0;
    for (size_t i = 0; members && i < tool->list_count; i++) {
        const lg_json *value =
            tool->list[i].place == LG_PLACE_MEMBER ? lg_json_get(args, tool->list[i].name) : NULL;
        if (value) {
            members[count++] = lg_json_make_member(tool->list[i].key, *value);
        }
    }
    if (!members || !body || !lg_rest_object(s->arena, members, count, body)) {
        s->status = LG_ERR_OOM;
        return NULL;
    }
    return count || s->operation->body_required ? body : NULL;
}

// The parameter that says how a member of a form is written.
static rest_parameter parameter_of(const rest_sender *s, lg_str key, const lg_json *value,
                                   lg_catalogue_argument *room)
{
    const lg_rest_operation *o = s->operation;
    for (size_t i = 0; i < o->tool->list_count; i++) {
        const lg_catalogue_argument *a = &o->tool->list[i];
        if (a->place == LG_PLACE_MEMBER && lg_str_eq(a->key, key)) {
            return o->parameters[i];
        }
    }
    *room = (lg_catalogue_argument){.name = key, .key = key, .place = LG_PLACE_MEMBER};
    bool deep = value->type >= LG_JSON_ARRAY;
    return (rest_parameter){.argument = room,
                            .style = deep ? REST_DEEP : REST_FORM_STYLE,
                            .explode = true,
                            .types = REST_ANY};
}

static bool write_form(rest_sender *s, const lg_json *body)
{
    bool ok = true;
    for (size_t i = 0; ok && i < lg_json_len(body); i++) {
        const lg_json_member *member = lg_json_member_at(body, i);
        lg_catalogue_argument room;
        rest_parameter p = parameter_of(s, lg_json_key(member), &member->value, &room);
        ok = lg_rest_send_pairs(s, &p, &member->value, "&", true, &s->body);
    }
    return ok;
}

// --- Parts --------------------------------------------------------------------------------------

static void add_part(lg_buf *out, lg_str boundary, lg_str name, const lg_json *value)
{
    lg_buf_addf(out, "--%.*s\r\nContent-Disposition: form-data; name=\"", LG_FMT(boundary));
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '\r' || c == '\n') {
            lg_buf_add_c(out, c == '\r' ? "%0D" : "%0A"); // as browsers write it
        } else {
            lg_buf_add_c(out, c == '"' || c == '\\' ? "\\" : "");
            lg_buf_add_byte(out, c);
        }
    }
    lg_buf_add_byte(out, '"');
    if (value->type >= LG_JSON_ARRAY) {
        lg_buf_add_c(out, "\r\nContent-Type: application/json");
    }
    lg_buf_add_c(out, "\r\n\r\n");
    lg_rest_scalar_text(out, value);
    lg_buf_add_c(out, "\r\n");
}

static void write_parts(const lg_json *body, lg_str boundary, lg_buf *out)
{
    for (size_t i = 0; i < lg_json_len(body); i++) {
        const lg_json_member *member = lg_json_member_at(body, i);
        const lg_json *value = &member->value;
        bool list = lg_json_is(value, LG_JSON_ARRAY);
        for (size_t j = 0; list && j < lg_json_len(value); j++) {
            add_part(out, boundary, lg_json_key(member), &value->as.items[j]);
        }
        if (!list && !lg_json_is(value, LG_JSON_NULL)) {
            add_part(out, boundary, lg_json_key(member), value);
        }
    }
    lg_buf_addf(out, "--%.*s--\r\n", LG_FMT(boundary));
}

// A boundary that is not in the body: made of what the body is, so that the same body is the same bytes.
static bool write_multipart(rest_sender *s, const lg_json *body, lg_str *ret_media)
{
    char hex[65];
    lg_buf plain;
    lg_buf_init(&plain, 0);
    lg_json_print(&plain, body);
    lg_sha256_hex(lg_buf_str(&plain), hex);
    lg_buf_done(&plain);
    lg_str boundary = lg_arena_printf(s->arena, "ledgergate-%.24s", hex);
    for (uint32_t tries = 0; boundary.ptr && tries < 8; tries++) {
        lg_buf_clear(&s->body);
        write_parts(body, LG_STR(""), &s->body);
        if (lg_str_find(lg_buf_str(&s->body), boundary) == SIZE_MAX) {
            break;
        }
        boundary = lg_arena_printf(s->arena, "%.*s%u", LG_FMT(boundary), tries);
    }
    if (!boundary.ptr) {
        s->status = LG_ERR_OOM;
        return false;
    }
    lg_buf_clear(&s->body);
    write_parts(body, boundary, &s->body);
    *ret_media = lg_arena_printf(s->arena, "multipart/form-data; boundary=%.*s", LG_FMT(boundary));
    return true;
}

// --- Which ---------------------------------------------------------------------------------------

bool lg_rest_send_body(rest_sender *s, const lg_json *args)
{
    lg_str media = s->operation->tool->media;
    if (media.len == 0) {
        return true;
    }
    const lg_json *body = is_whole(s) ? whole_body(s, args) : gather(s, args);
    if (!body) {
        return s->status == LG_OK;
    }
    bool ok = true;
    switch (lg_rest_media_kind(media)) {
    case REST_MEDIA_JSON:
        lg_json_print(&s->body, body);
        break;
    case REST_MEDIA_FORM:
    case REST_MEDIA_MULTIPART:
        if (!lg_json_is(body, LG_JSON_OBJECT)) {
            return lg_rest_cannot(s, "a form is an object, and `body` is none");
        }
        ok = lg_rest_media_kind(media) == REST_MEDIA_FORM ? write_form(s, body)
                                                          : write_multipart(s, body, &media);
        break;
    case REST_MEDIA_TEXT:
    case REST_MEDIA_BYTES:
        if (!is_whole(s)) {
            return lg_rest_cannot(s, "a body of type `%.*s` has no members",
                                  LG_FMT(lg_str_cut(media, 80)));
        }
        lg_rest_scalar_text(&s->body, body);
        break;
    case REST_MEDIA_XML:
        return lg_rest_cannot(s, "a body of type `%.*s` cannot be written",
                              LG_FMT(lg_str_cut(media, 80)));
    }
    bool wild = lg_str_find(media, LG_STR("*")) != SIZE_MAX;
    return ok &&
           lg_rest_add_sent(s, LG_STR("content-type"), wild ? LG_STR("application/json") : media);
}
