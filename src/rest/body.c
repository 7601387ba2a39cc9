// body.c: the body of a request as arguments.
//
// Whichever of the documented media types it comes in, it becomes the arguments that the catalogue has made of the one that it
// likes best: members beside the parameters, or all of it as `body`.
#include "rest/rest_internal.h"

// --- Whole values -------------------------------------------------------------------------------

static size_t body_argument(const lg_rest_operation *o)
{
    for (size_t i = 0; i < o->tool->list_count; i++) {
        if (o->tool->list[i].place == LG_PLACE_BODY) {
            return i;
        }
    }
    return SIZE_MAX;
}

static const rest_parameter *member_named(const lg_rest_operation *o, lg_str key)
{
    for (size_t i = 0; i < o->tool->list_count; i++) {
        const lg_catalogue_argument *a = &o->tool->list[i];
        if (a->place == LG_PLACE_MEMBER && lg_str_eq(a->key, key)) {
            return &o->parameters[i];
        }
    }
    return NULL;
}

static bool is_read_only(const lg_rest_operation *o, lg_str key)
{
    for (size_t i = 0; i < o->body_count; i++) {
        if (o->bodies[i].schema &&
            lg_rest_names_member(o->bodies[i].schema, o->rest->document, key)) {
            return true; // the catalogue has left it out, for it is for responses
        }
    }
    return false;
}

static bool refuse_unknown(rest_reading *r, lg_str key)
{
    if (!r->operation->body_closed || member_named(r->operation, key) ||
        is_read_only(r->operation, key)) {
        return true;
    }
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    lg_json_pointer_add(&pointer, key);
    lg_str text = LG_STR("");
    r->oom = r->oom || !lg_rest_take(r->arena, &pointer, &text);
    return lg_rest_invalid(r, text, "the body may not have the member `%.*s`",
                           LG_FMT(lg_str_cut(key, 80)));
}

static bool place_members(rest_reading *r, const lg_json *object)
{
    const lg_rest_operation *o = r->operation;
    if (!lg_json_is(object, LG_JSON_OBJECT)) {
        bool may = o->body_may_be_any || (o->body_may_be_null && lg_json_is(object, LG_JSON_NULL));
        return may || lg_rest_invalid(r, LG_STR(""), "the body must be an object");
    }
    for (size_t i = 0; i < o->tool->list_count; i++) {
        const lg_catalogue_argument *a = &o->tool->list[i];
        const lg_json *value = a->place == LG_PLACE_MEMBER ? lg_json_get(object, a->key) : NULL;
        if (value) {
            r->values[i] = *value;
            r->has[i] = true;
        }
    }
    bool ok = true;
    for (size_t i = 0; ok && o->body_closed && i < lg_json_len(object); i++) {
        ok = refuse_unknown(r, lg_json_key(lg_json_member_at(object, i)));
    }
    return ok;
}

static bool place_whole(rest_reading *r, const lg_json *value)
{
    size_t whole = body_argument(r->operation);
    if (whole == SIZE_MAX) {
        return place_members(r, value);
    }
    r->values[whole] = *value;
    r->has[whole] = true;
    return true;
}

static bool read_json(rest_reading *r)
{
    const lg_json *value = NULL;
    lg_error err = {0};
    lg_str body = r->request->body;
    lg_status status = lg_json_parse_in(r->arena, body, 0, body.len, NULL, &value, &err);
    if (status == LG_ERR_OOM) {
        r->oom = true;
        return false;
    }
    if (status != LG_OK) {
        return lg_rest_trouble(r, 400, "the body is no JSON: line %u, column %u: %s", err.line,
                               err.column, err.msg);
    }
    return place_whole(r, value);
}

static bool read_bytes(rest_reading *r, bool is_text)
{
    size_t whole = body_argument(r->operation);
    lg_str text = lg_rest_text_of(r->arena, r->request->body);
    if (!text.ptr) {
        r->oom = true;
        return false;
    }
    if (whole == SIZE_MAX) {
        return lg_rest_trouble(r, 415, "a body of this type cannot be read here: send JSON");
    }
    uint32_t types = r->operation->parameters[whole].types;
    lg_json value = is_text ? lg_rest_scalar(r->arena, text, types) : lg_json_make_str(text);
    return place_whole(r, &value);
}

// --- Forms --------------------------------------------------------------------------------------

bool lg_rest_is_literal(const rest_reading *r, lg_str name)
{
    size_t whole = body_argument(r->operation);
    return member_named(r->operation, name) ||
           (whole != SIZE_MAX &&
            lg_rest_names_member(r->operation->tool->list[whole].schema, r->rest->document, name));
}

typedef struct closed_form {
    rest_reading *r;
} closed_form;

static bool visit_key(void *context, lg_str key)
{
    return refuse_unknown(((closed_form *)context)->r, key);
}

static bool place_tree(rest_reading *r, rest_tree *tree)
{
    const lg_rest_operation *o = r->operation;
    size_t whole = body_argument(o);
    if (whole != SIZE_MAX) {
        r->values[whole] = lg_rest_tree_object(tree, o->tool->list[whole].schema);
        r->has[whole] = true;
        return !r->oom;
    }
    for (size_t i = 0; i < o->tool->list_count; i++) {
        const lg_catalogue_argument *a = &o->tool->list[i];
        if (a->place == LG_PLACE_MEMBER && !r->has[i]) {
            r->has[i] = lg_rest_tree_value(tree, a->key, a->schema, &r->values[i]);
        }
    }
    closed_form form = {r};
    return !r->oom && lg_rest_tree_each(tree, visit_key, &form);
}

// A form's member whose values stand in one pair: the document says so, "a,b".
static bool read_joined(rest_reading *r, const rest_pair *pairs, size_t count)
{
    const lg_rest_operation *o = r->operation;
    bool ok = true;
    for (size_t i = 0; ok && i < o->tool->list_count; i++) {
        const rest_parameter *p = &o->parameters[i];
        bool joined = p->argument->place == LG_PLACE_MEMBER && !p->explode && p->style != REST_DEEP;
        if (joined && (p->types & REST_ARRAY)) {
            ok = lg_rest_read_named(r, p, pairs, count, REST_FORM, &r->values[i], &r->has[i]);
        }
    }
    return ok;
}

static bool read_form(rest_reading *r)
{
    rest_tree tree;
    rest_pair *pairs = NULL;
    size_t count = 0;
    bool ok = lg_rest_read_pairs(r, r->request->body, '&', REST_FORM, &pairs, &count) &&
              read_joined(r, pairs, count) && lg_rest_tree_begin(r, &tree);
    for (size_t i = 0; ok && i < count; i++) {
        lg_str text;
        ok = lg_rest_read_text(r, pairs[i].raw, REST_FORM, &text) &&
             lg_rest_tree_add(&tree, pairs[i].name, lg_rest_is_literal(r, pairs[i].name), text);
    }
    return ok && place_tree(r, &tree);
}

static bool read_parts(rest_reading *r, lg_str type)
{
    rest_tree tree;
    lg_str boundary = lg_rest_media_parameter(type, LG_STR("boundary"));
    if (boundary.len == 0) {
        return lg_rest_trouble(r, 400, "the Content-Type of the multipart body names no boundary");
    }
    return lg_rest_tree_begin(r, &tree) && lg_rest_read_multipart(r, boundary, &tree) &&
           place_tree(r, &tree);
}

// --- Which ---------------------------------------------------------------------------------------

static const rest_media *find_media(const lg_rest_operation *o, lg_str type)
{
    const rest_media *found = NULL;
    bool parts = lg_rest_media_kind(type) == REST_MEDIA_MULTIPART;
    for (size_t i = 0; i < o->body_count; i++) {
        if (lg_rest_media_fits(o->bodies[i].name, type) ||
            (parts && o->bodies[i].kind == REST_MEDIA_MULTIPART)) {
            bool exact =
                lg_str_eq_any_case(lg_rest_bare_media(o->bodies[i].name), lg_rest_bare_media(type));
            found = exact || !found ? &o->bodies[i] : found;
        }
    }
    return found;
}

static bool unsupported(rest_reading *r, lg_str type)
{
    lg_buf list;
    lg_buf_init(&list, 0);
    for (size_t i = 0; i < r->operation->body_count; i++) {
        lg_buf_addf(&list, "%s%.*s", i ? ", " : "", LG_FMT(r->operation->bodies[i].name));
    }
    lg_str names = LG_STR("");
    r->oom = r->oom || !lg_rest_take(r->arena, &list, &names);
    return lg_rest_trouble(r, 415, "a body of type `%.*s` is not taken here; these are: %.*s",
                           LG_FMT(lg_str_cut(type, 80)), LG_FMT(lg_str_cut(names, 400)));
}

bool lg_rest_read_body(rest_reading *r)
{
    const lg_rest_operation *o = r->operation;
    lg_str type = lg_rest_header(r->request, LG_STR("content-type"));
    if (o->tool->media.len == 0 || (r->request->body.len == 0 && !type.len && !o->body_required)) {
        return true; // nothing is asked for, whatever is sent
    }
    lg_str name = type.len ? type : o->tool->media;
    const rest_media *media = find_media(o, name);
    if (!media) {
        return r->request->body.len == 0 && !o->body_required ? true : unsupported(r, name);
    }
    bool is_form = media->kind == REST_MEDIA_FORM && type.len;
    if (r->request->body.len == 0 && !is_form) {
        return !o->body_required || lg_rest_invalid(r, LG_STR("/body"), "the request needs a body");
    }
    // A wildcard of the document is whatever the client says.
    rest_media_kind kind =
        lg_str_find(media->name, LG_STR("*")) == SIZE_MAX ? media->kind : lg_rest_media_kind(name);
    switch (kind) {
    case REST_MEDIA_JSON:
        return read_json(r);
    case REST_MEDIA_FORM:
        return read_form(r);
    case REST_MEDIA_MULTIPART:
        return read_parts(r, name);
    case REST_MEDIA_TEXT:
        return read_bytes(r, true);
    case REST_MEDIA_XML:
    case REST_MEDIA_BYTES:
        return read_bytes(r, false);
    }
    return false;
}
