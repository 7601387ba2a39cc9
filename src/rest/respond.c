// respond.c: an answer as the document says it: status, headers, body.
#include "rest/rest_internal.h"
#include "json/writer.h"

// --- Parts --------------------------------------------------------------------------------------

// A document may not end a header early, and begin another.
static bool is_clean(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7F) {
            return false;
        }
    }
    return true;
}

void lg_rest_add_header(rest_writing *w, lg_str name, lg_str value)
{
    lg_rest_response *response = w->response;
    if (response->header_count < LG_REST_RESPONSE_HEADERS_MAX && is_clean(name) &&
        is_clean(value) && name.len) {
        response->headers[response->header_count++] =
            (lg_rest_field){.name = name, .value = lg_str_trim(value)};
    }
}

const lg_json *lg_rest_make(rest_writing *w, const lg_schema *schema, lg_synthesis_options how)
{
    const lg_json *value = NULL;
    if (!schema) {
        return NULL;
    }
    how.seed = w->seed;
    lg_status status = lg_schema_synthesise_compiled(w->arena, schema, &how, &value, NULL);
    w->oom = w->oom || status == LG_ERR_OOM;
    return status == LG_OK ? value : NULL;
}

void lg_rest_demanded_headers(rest_writing *w, const rest_reply *reply)
{
    for (size_t i = 0; reply && i < reply->demand_count; i++) {
        const rest_demand *demand = &reply->demands[i];
        const lg_json *value = lg_rest_make(w, demand->schema, (lg_synthesis_options){0});
        if (value) {
            lg_buf out;
            lg_str text = LG_STR("");
            lg_buf_init(&out, 0);
            lg_rest_scalar_text(&out, value);
            w->oom = !lg_rest_take(w->arena, &out, &text) || w->oom;
            lg_rest_add_header(w, demand->name, text);
        }
    }
}

const rest_media *lg_rest_choose_media(const rest_reply *reply, lg_str accept, bool *ret_none)
{
    const rest_media *best = NULL;
    uint32_t best_quality = 0;
    *ret_none = reply->media_count == 0;
    for (size_t i = 0; i < reply->media_count; i++) {
        const rest_media *media = &reply->media[i];
        uint32_t quality = lg_rest_accepted(accept, media->name) * 2;
        quality += quality && media->kind == REST_MEDIA_JSON;
        if (quality > best_quality) {
            best = media;
            best_quality = quality;
        }
    }
    return best;
}

static void add_type(rest_writing *w, const rest_media *media)
{
    bool wild = lg_str_find(media->name, LG_STR("*")) != SIZE_MAX;
    lg_rest_add_header(w, LG_STR("content-type"), wild ? LG_STR("application/json") : media->name);
}

void lg_rest_body(rest_writing *w, const rest_media *media, const lg_json *value)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    switch (media->kind) {
    case REST_MEDIA_JSON:
        lg_json_print(&out, value);
        break;
    case REST_MEDIA_XML:
        lg_buf_add_c(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        lg_rest_xml(&out, value, LG_STR("response"), 64);
        break;
    case REST_MEDIA_FORM:
    case REST_MEDIA_MULTIPART:
    case REST_MEDIA_TEXT:
    case REST_MEDIA_BYTES:
        lg_rest_scalar_text(&out, value);
        break;
    }
    add_type(w, media);
    w->oom = w->oom || !lg_rest_take(w->arena, &out, &w->response->body);
}

// RFC 9110 sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5.
void lg_rest_finish(rest_writing *w)
{
    lg_rest_response *response = w->response;
    uint32_t status = response->status;
    bool none = status == 204 || status == 205 || status == 304;
    if (none || w->call->is_head) {
        response->body = LG_STR("");
    }
    for (size_t i = 0; none && i < response->header_count; i++) {
        if (lg_str_eq(response->headers[i].name, LG_STR("content-type"))) {
            response->headers[i--] = response->headers[--response->header_count];
        }
    }
}

// --- All is well --------------------------------------------------------------------------------

static uint32_t status_of(const rest_reply *reply)
{
    return !reply || reply->code == 0 ? 200 : reply->code < 10 ? reply->code * 100 : reply->code;
}

static bool is_documented(const lg_rest_operation *o, uint32_t status)
{
    const rest_reply *reply = lg_rest_reply_for(o, status, false);
    return reply && (reply->code == status || reply->code == status / 100);
}

// The value, if it is what this media type's schema asks for; else one that is.
static const lg_json *fitting(rest_writing *w, const rest_media *media, const lg_json *value)
{
    if (value && (!media->schema || media->schema == w->call->tool->result)) {
        return value;
    }
    if (value && (!media->compiled || lg_schema_validate(media->compiled, value, NULL))) {
        return value;
    }
    return lg_rest_make(w, media->compiled, (lg_synthesis_options){0});
}

static void write_value(rest_writing *w, const rest_media *media, const lg_json *value,
                        const lg_rest_answer *answer)
{
    if (value == answer->value && answer->printed.len && media->kind == REST_MEDIA_JSON) {
        add_type(w, media);
        w->response->body = answer->printed;
    } else {
        lg_rest_body(w, media, value);
    }
}

static void write_done(rest_writing *w, const lg_rest_answer *answer)
{
    const lg_json *value = answer->value;
    uint32_t known = answer->status;
    const lg_rest_operation *o = w->call->operation;
    const rest_reply *reply = o->success == SIZE_MAX ? NULL : &o->replies[o->success];
    bool is_success = known >= 200 && known < 300;
    reply = is_success && is_documented(o, known) ? lg_rest_reply_for(o, known, false) : reply;
    w->response->status = is_success ? known : status_of(reply);
    lg_rest_demanded_headers(w, reply);
    bool none = true;
    const rest_media *media = reply ? lg_rest_choose_media(reply, w->call->accept, &none) : NULL;
    if (!media && !none) {
        lg_rest_write_problem(
            w, 406, LG_STR("what is answered here is of no type that is accepted"), NULL, 0);
        return;
    }
    static const rest_media plain = {.name = {"application/json", 16}, .kind = REST_MEDIA_JSON};
    if (!media) {
        if (value && !lg_json_is(value, LG_JSON_NULL)) {
            write_value(w, &plain, value, answer);
        }
        return;
    }
    value = fitting(w, media, value);
    if (!value && media->schema) {
        lg_rest_write_problem(
            w, 501, LG_STR("no instance of the schema of this response was found"), NULL, 0);
        return;
    }
    static const lg_json nothing = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    write_value(w, media, value ? value : &nothing, answer);
}

// --- It is not ----------------------------------------------------------------------------------

static bool has_default(const lg_rest_operation *o)
{
    for (size_t i = 0; i < o->reply_count; i++) {
        if (o->replies[i].code == 0) {
            return true;
        }
    }
    return false;
}

// The status itself, where the document leaves it open; else the nearest one that it names. What it names nothing for is said all the
// same: a wrong call that is carried out would be worse.
static uint32_t documented(const lg_rest_operation *o, uint32_t status)
{
    static const struct {
        uint32_t status, nearest[3];
    } others[] = {{400, {422, 404}}, {404, {410}},      {406, {400, 422}},
                  {413, {400, 422}}, {415, {400, 422}}, {409, {412, 423, 403}}};
    if (!o || has_default(o) || is_documented(o, status)) {
        return status;
    }
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        for (size_t j = 0; others[i].status == status && j < LG_COUNT(others[i].nearest); j++) {
            if (others[i].nearest[j] && is_documented(o, others[i].nearest[j])) {
                return others[i].nearest[j];
            }
        }
    }
    return status;
}

static uint32_t invalid_status(const lg_rest_operation *o)
{
    return o && is_documented(o, 422) ? 422 : documented(o, 400);
}

static uint32_t refused_status(const lg_rest_operation *o)
{
    static const uint32_t usual[] = {422, 400, 409, 403};
    for (size_t i = 0; o && i < LG_COUNT(usual); i++) {
        if (is_documented(o, usual[i])) {
            return usual[i];
        }
    }
    return 422;
}

// An error as a real service has answered it: its status and its body, in the form that the document gives it, if it does.
static void write_given(rest_writing *w, uint32_t status, const lg_json *value)
{
    static const rest_media plain = {.name = {"application/json", 16}, .kind = REST_MEDIA_JSON};
    static const rest_media text = {.name = {"text/plain", 10}, .kind = REST_MEDIA_TEXT};
    const rest_reply *reply = lg_rest_reply_for(w->call->operation, status, true);
    bool none = true;
    bool is_text = lg_json_is(value, LG_JSON_STRING);
    const rest_media *media = reply ? lg_rest_choose_media(reply, w->call->accept, &none) : NULL;
    bool fits = media && (media->kind == REST_MEDIA_JSON) == !is_text;
    w->response->status = status;
    lg_rest_demanded_headers(w, reply);
    if (!lg_json_is(value, LG_JSON_NULL)) {
        lg_rest_body(w, fits ? media : is_text ? &text : &plain, value);
    }
}

static uint32_t status_of_answer(const lg_rest_operation *o, const lg_rest_answer *answer)
{
    switch (answer->kind) {
    case LG_REST_DONE:
        return 200;
    case LG_REST_INVALID:
        return invalid_status(o);
    case LG_REST_ABSENT:
        return documented(o, 404);
    case LG_REST_CONFLICT:
        return documented(o, 409);
    case LG_REST_REFUSED:
        return refused_status(o);
    case LG_REST_FAILED:
        return 500;
    }
    return 500;
}

// --- The face -----------------------------------------------------------------------------------

lg_status lg_rest_respond(const lg_rest *rest, lg_arena *arena, const lg_rest_call *call,
                          const lg_rest_answer *answer, lg_rest_response *ret_response)
{
    *ret_response = (lg_rest_response){.body = {"", 0}};
    rest_writing w = {
        .arena = arena, .rest = rest, .call = call, .response = ret_response, .seed = answer->seed};
    if (answer->kind == LG_REST_DONE) {
        write_done(&w, answer);
    } else if (answer->status >= 300 && answer->value) {
        write_given(&w, answer->status, answer->value);
    } else {
        lg_rest_write_problem(&w, status_of_answer(call->operation, answer), answer->message,
                              answer->violations, answer->violation_count);
    }
    lg_rest_finish(&w);
    return w.oom ? LG_ERR_OOM : LG_OK;
}

lg_status lg_rest_refuse(const lg_rest *rest, lg_arena *arena, const lg_rest_call *call,
                         const lg_rest_problem *problem, lg_rest_response *ret_response)
{
    *ret_response = (lg_rest_response){.body = {"", 0}};
    rest_writing w = {.arena = arena, .rest = rest, .call = call, .response = ret_response};
    uint32_t status = problem->status == 422 ? invalid_status(call->operation)
                                             : documented(call->operation, problem->status);
    lg_rest_write_problem(&w, status, problem->detail, problem->violations,
                          problem->violation_count);
    if (problem->allow.len) {
        lg_rest_add_header(&w, LG_STR("allow"), problem->allow);
    }
    if (problem->authenticate.len) {
        lg_rest_add_header(&w, LG_STR("www-authenticate"), problem->authenticate);
    }
    lg_rest_finish(&w);
    return w.oom ? LG_ERR_OOM : LG_OK;
}
