// problem.c: what is wrong, in the words of the document.
//
// Where it has a schema for the status, the body is an instance of it, with our sentence in the member that is for one; else it is a
// problem of RFC 9457. A sentence goes only where the whole stays valid.
#include "rest/rest_internal.h"
#include "json/tree.h"
#include "json/writer.h"

#define SLOTS_MAX 16u // places for a sentence that are tried
#define LEVELS_MAX 4u

static lg_str reason_of(uint32_t status)
{
    static const struct {
        uint32_t status;
        const char *reason;
    } reasons[] = {{400, "Bad Request"},
                   {401, "Unauthorized"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {406, "Not Acceptable"},
                   {409, "Conflict"},
                   {413, "Content Too Large"},
                   {415, "Unsupported Media Type"},
                   {422, "Unprocessable Content"},
                   {429, "Too Many Requests"},
                   {500, "Internal Server Error"},
                   {501, "Not Implemented"},
                   {503, "Service Unavailable"}};
    for (size_t i = 0; i < LG_COUNT(reasons); i++) {
        if (reasons[i].status == status) {
            return lg_str_c(reasons[i].reason);
        }
    }
    return LG_STR("Error");
}

static void write_plain(rest_writing *w, lg_str media, lg_str detail,
                        const lg_rest_violation *violations, size_t count)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_writer json = {.out = &out};
    lg_jw_begin_object(&json);
    lg_jw_member_c(&json, "type", "about:blank");
    lg_jw_member_str(&json, "title", reason_of(w->response->status));
    lg_jw_member_uint(&json, "status", w->response->status);
    lg_jw_member_str(&json, "detail", detail);
    if (count) {
        lg_jw_key(&json, "violations");
        lg_jw_begin_array(&json);
        for (size_t i = 0; i < count; i++) {
            lg_jw_begin_object(&json);
            lg_jw_member_str(&json, "pointer", violations[i].pointer);
            lg_jw_member_str(&json, "message", violations[i].message);
            lg_jw_end_object(&json);
        }
        lg_jw_end_array(&json);
    }
    lg_jw_end_object(&json);
    lg_rest_add_header(w, LG_STR("content-type"), media);
    w->oom = w->oom || !lg_rest_take(w->arena, &out, &w->response->body);
}

// --- A sentence in a body -----------------------------------------------------------------------

typedef struct placing {
    rest_writing *w;
    const lg_json *document;
    lg_json value; // what is put
    uint32_t type;
    const char *const *names;
    size_t name_count;
    size_t skip; // places before the one that is meant
} placing;

static bool place(placing *p, const lg_json *value, const lg_json *schema, uint32_t levels,
                  lg_json *ret);

static bool place_here(placing *p, const lg_json *object, const lg_json *schema, lg_json *ret)
{
    for (size_t i = 0; i < p->name_count; i++) {
        lg_str name = lg_str_c(p->names[i]);
        if (!lg_rest_names_member(schema, p->document, name) ||
            !(lg_rest_types(lg_rest_member(schema, p->document, name), p->document) & p->type)) {
            continue;
        }
        if (p->skip == 0) {
            return lg_tree_with_member(p->w->arena, object, name, p->value, ret) == LG_OK;
        }
        p->skip--;
    }
    return false;
}

static bool place_below(placing *p, const lg_json *object, const lg_json *schema, uint32_t levels,
                        lg_json *ret)
{
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_str key = lg_json_key(member);
        lg_json inner;
        if (member->value.type >= LG_JSON_ARRAY &&
            place(p, &member->value, lg_rest_member(schema, p->document, key), levels - 1,
                  &inner)) {
            return lg_tree_with_member(p->w->arena, object, key, inner, ret) == LG_OK;
        }
    }
    return false;
}

// Puts the value into the place that is meant. False: there is none.
static bool place(placing *p, const lg_json *value, const lg_json *schema, uint32_t levels,
                  lg_json *ret)
{
    if (!schema || levels == 0) {
        return false;
    }
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        return place_here(p, value, schema, ret) || place_below(p, value, schema, levels, ret);
    }
    lg_json inner;
    const lg_json *first = lg_json_item(value, 0);
    return first && place(p, first, lg_rest_element(schema, p->document), levels - 1, &inner) &&
           lg_tree_with_item_at(p->w->arena, value, 0, inner, ret) == LG_OK;
}

// The body with the value in the first of its places where it stays valid; else the body itself.
static lg_json with_value(placing *p, lg_json body, const lg_json *schema,
                          const lg_schema *compiled)
{
    for (size_t slot = 0; slot < SLOTS_MAX; slot++) {
        lg_json tried;
        p->skip = slot;
        if (!place(p, &body, schema, LEVELS_MAX, &tried)) {
            break;
        }
        if (lg_schema_validate(compiled, &tried, NULL)) {
            return tried;
        }
    }
    return body;
}

static bool write_by_schema(rest_writing *w, const rest_media *media, lg_str detail)
{
    static const char *const sentences[] = {
        "message", "detail",        "error_description", "description", "error",       "title",
        "reason",  "error_message", "errorMessage",      "msg",         "user_message"};
    static const char *const numbers[] = {"status", "statusCode", "status_code", "code"};
    if (!media->least) {
        return false;
    }
    placing p = {.w = w,
                 .document = w->rest->document,
                 .value = lg_json_make_str(detail),
                 .type = REST_STRING,
                 .names = sentences,
                 .name_count = LG_COUNT(sentences)};
    lg_json body = with_value(&p, *media->least, media->schema, media->compiled);
    p.value = lg_json_make_int(w->response->status);
    p.type = REST_INTEGER;
    p.names = numbers;
    p.name_count = LG_COUNT(numbers);
    body = with_value(&p, body, media->schema, media->compiled);
    lg_rest_body(w, media, &body);
    return true;
}

// --- All of it ----------------------------------------------------------------------------------

static const rest_media *media_of_error(const rest_reply *reply, lg_str accept)
{
    bool none = false;
    const rest_media *media = reply ? lg_rest_choose_media(reply, accept, &none) : NULL;
    // Who accepts nothing of it gets it all the same: an error in the wrong form says more than none.
    return media || !reply || none ? media : &reply->media[0];
}

void lg_rest_write_problem(rest_writing *w, uint32_t status, lg_str detail,
                           const lg_rest_violation *violations, size_t count)
{
    const rest_reply *reply = lg_rest_reply_for(w->call->operation, status, true);
    lg_str said = detail.len ? detail : reason_of(status);
    *w->response = (lg_rest_response){.status = status, .body = {"", 0}};
    lg_rest_demanded_headers(w, reply);
    const rest_media *media = media_of_error(reply, w->call->accept);
    if (media && media->kind == REST_MEDIA_JSON) {
        if (media->schema && write_by_schema(w, media, said)) {
            return;
        }
        bool wild = lg_str_find(media->name, LG_STR("*")) != SIZE_MAX;
        write_plain(w, wild ? LG_STR("application/problem+json") : media->name, said, violations,
                    count);
    } else if (media && media->kind == REST_MEDIA_TEXT) {
        lg_json text = lg_json_make_str(said);
        lg_rest_body(w, media, &text);
    } else if (media && media->kind == REST_MEDIA_XML && media->schema) {
        write_by_schema(w, media, said);
    } else {
        write_plain(w, LG_STR("application/problem+json"), said, violations, count);
    }
}
