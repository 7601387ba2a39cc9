// style_write.c: values of parameters as text, by style and explode: what style.c reads.
//
// What a style cannot say is refused where that would send something else (a comma in an element of a header's list), and
// left out where nothing says it best (an empty list, null).
#include "rest/rest_internal.h"

void lg_rest_scalar_text(lg_buf *out, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_STRING)) {
        lg_buf_add(out, lg_json_str(value));
    } else {
        lg_json_print(out, value);
    }
}

static bool is_container(const lg_json *value)
{
    return value->type >= LG_JSON_ARRAY;
}

static bool nested(rest_sender *s, const rest_parameter *p)
{
    return lg_rest_cannot(s,
                          "`%.*s` holds lists or objects that its place in the request cannot say",
                          LG_FMT(lg_str_cut(p->argument->name, 80)));
}

// Text of a scalar, escaped.
static void add_escaped(lg_buf *out, const lg_json *value, lg_str also)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_rest_scalar_text(&text, value);
    lg_rest_encode(out, lg_buf_str(&text), also);
    lg_buf_done(&text);
}

// Elements, or keys and values, with `between`, and `equals` where a member is "k=v".
static bool add_parts(rest_sender *s, const rest_parameter *p, const lg_json *value,
                      const char *between, const char *equals, lg_str also, lg_buf *out)
{
    bool is_object = lg_json_is(value, LG_JSON_OBJECT);
    for (size_t i = 0; i < lg_json_len(value); i++) {
        const lg_json_member *member = is_object ? lg_json_member_at(value, i) : NULL;
        const lg_json *item = member ? &member->value : &value->as.items[i];
        if (is_container(item) && p->argument->place == LG_PLACE_PATH) {
            return nested(s, p);
        }
        lg_buf_add_c(out, i ? between : "");
        if (member) {
            lg_rest_encode(out, lg_json_key(member), also);
            lg_buf_add_c(out, equals);
        }
        add_escaped(out, item, also);
    }
    return true;
}

// --- Paths --------------------------------------------------------------------------------------

static bool send_label(rest_sender *s, const rest_parameter *p, const lg_json *value, lg_str also)
{
    lg_str bytes = lg_arena_printf(s->arena, ".%.*s", LG_FMT(also));
    lg_buf_add_byte(&s->path, '.');
    if (!is_container(value)) {
        add_escaped(&s->path, value, bytes);
        return true;
    }
    return add_parts(s, p, value, p->explode ? "." : ",", p->explode ? "=" : ",", bytes, &s->path);
}

static bool send_matrix(rest_sender *s, const rest_parameter *p, const lg_json *value, lg_str also)
{
    bool spread = p->explode && is_container(value);
    bool is_object = lg_json_is(value, LG_JSON_OBJECT);
    lg_str name = p->argument->key;
    lg_buf_add_byte(&s->path, ';');
    if (!(spread && is_object)) {
        lg_rest_encode(&s->path, name, also);
        lg_buf_add_byte(&s->path, '=');
    }
    if (!is_container(value)) {
        add_escaped(&s->path, value, also);
        return true;
    }
    if (!spread) {
        return add_parts(s, p, value, ",", ",", also, &s->path);
    }
    lg_str between = is_object ? LG_STR(";") : lg_arena_printf(s->arena, ";%.*s=", LG_FMT(name));
    return add_parts(s, p, value, between.ptr ? between.ptr : ";", "=", also, &s->path);
}

bool lg_rest_send_simple(rest_sender *s, const rest_parameter *p, const lg_json *value, lg_str also)
{
    if (lg_json_is(value, LG_JSON_NULL) || (is_container(value) && lg_json_len(value) == 0)) {
        return lg_rest_cannot(s, "`%.*s` is part of the path, and must have a value",
                              LG_FMT(lg_str_cut(p->argument->name, 80)));
    }
    if (p->style == REST_CONTENT) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_json_print(&text, value);
        lg_rest_encode(&s->path, lg_buf_str(&text), also);
        lg_buf_done(&text);
        return true;
    }
    if (p->style == REST_LABEL) {
        return send_label(s, p, value, also);
    }
    if (p->style == REST_MATRIX) {
        return send_matrix(s, p, value, also);
    }
    if (!is_container(value)) {
        add_escaped(&s->path, value, also);
        return true;
    }
    return add_parts(s, p, value, ",", p->explode ? "=" : ",", also, &s->path);
}

// --- Headers ------------------------------------------------------------------------------------

// Nothing is escaped in a header: what cannot stand there cannot be said.
static bool add_bare(rest_sender *s, const rest_parameter *p, lg_buf *out, lg_str text,
                     const char *never)
{
    bool ok = lg_str_trim(text).len == text.len;
    for (size_t i = 0; ok && i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        ok = (c >= 0x20 || c == '\t') && c != 0x7F && !strchr(never, c);
    }
    lg_buf_add(out, text);
    return ok || lg_rest_cannot(s, "`%.*s` has characters that a header cannot hold",
                                LG_FMT(lg_str_cut(p->argument->name, 80)));
}

static bool add_bare_value(rest_sender *s, const rest_parameter *p, lg_buf *out,
                           const lg_json *value, const char *never)
{
    if (is_container(value)) {
        return nested(s, p);
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_rest_scalar_text(&text, value);
    bool ok = add_bare(s, p, out, lg_buf_str(&text), never);
    lg_buf_done(&text);
    return ok;
}

static bool add_header_parts(rest_sender *s, const rest_parameter *p, const lg_json *value,
                             lg_buf *out)
{
    bool is_object = lg_json_is(value, LG_JSON_OBJECT);
    const char *never = is_object && p->explode ? ",=" : ",";
    bool ok = true;
    for (size_t i = 0; ok && i < lg_json_len(value); i++) {
        const lg_json_member *member = is_object ? lg_json_member_at(value, i) : NULL;
        lg_buf_add_c(out, i ? "," : "");
        if (member) {
            ok = add_bare(s, p, out, lg_json_key(member), never);
            lg_buf_add_c(out, p->explode ? "=" : ",");
        }
        ok = ok && add_bare_value(s, p, out, member ? &member->value : &value->as.items[i], never);
    }
    return ok;
}

bool lg_rest_send_header(rest_sender *s, const rest_parameter *p, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_NULL) || (is_container(value) && lg_json_len(value) == 0)) {
        return true;
    }
    lg_buf out;
    lg_buf_init(&out, 0);
    bool ok = true;
    if (p->style == REST_CONTENT) {
        lg_json_print(&out, value);
    } else if (is_container(value)) {
        ok = add_header_parts(s, p, value, &out);
    } else {
        ok = add_bare_value(s, p, &out, value, "");
    }
    lg_str text = LG_STR("");
    if (!lg_rest_take(s->arena, &out, &text)) {
        s->status = LG_ERR_OOM;
        return false;
    }
    return ok && lg_rest_add_sent(s, p->argument->key, text);
}

// --- Pairs --------------------------------------------------------------------------------------

static void begin_pair(lg_buf *out, lg_str name, const char *separator)
{
    lg_buf_add_c(out, out->len ? separator : "");
    lg_rest_encode(out, name, LG_STR(""));
    lg_buf_add_byte(out, '=');
}

// a[b][0]=c, whatever stands in it; `levels` deep.
static bool add_deep(rest_sender *s, const rest_parameter *p, lg_str name, const lg_json *value,
                     const char *separator, uint32_t levels, lg_buf *out)
{
    if (levels == 0) {
        return nested(s, p);
    }
    if (!is_container(value)) {
        if (!lg_json_is(value, LG_JSON_NULL)) {
            begin_pair(out, name, separator);
            add_escaped(out, value, LG_STR(""));
        }
        return true;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < lg_json_len(value); i++) {
        const lg_json_member *member =
            lg_json_is(value, LG_JSON_OBJECT) ? lg_json_member_at(value, i) : NULL;
        lg_str key = member ? lg_json_key(member) : lg_arena_printf(s->arena, "%zu", i);
        if (memchr(key.ptr, ']', key.len) || key.len == 0) {
            return lg_rest_cannot(s, "`%.*s` has the key `%.*s`, which brackets cannot say",
                                  LG_FMT(lg_str_cut(p->argument->name, 80)),
                                  LG_FMT(lg_str_cut(key, 80)));
        }
        lg_str inner = lg_arena_printf(s->arena, "%.*s[%.*s]", LG_FMT(name), LG_FMT(key));
        if (!inner.ptr) {
            s->status = LG_ERR_OOM;
            return false;
        }
        ok = add_deep(s, p, inner, member ? &member->value : &value->as.items[i], separator,
                      levels - 1, out);
    }
    return ok;
}

static const char *joint_of(const rest_parameter *p, char *ret_byte)
{
    *ret_byte = p->style == REST_SPACE  ? ' '
                : p->style == REST_PIPE ? '|'
                : p->style == REST_TAB  ? '\t'
                                        : '\0';
    return p->style == REST_SPACE  ? "%20"
           : p->style == REST_PIPE ? "%7C"
           : p->style == REST_TAB  ? "%09"
                                   : ",";
}

// Where the separator is escaped itself, no value may have it.
static bool is_free_of(const lg_json *value, char byte)
{
    for (size_t i = 0; byte && i < lg_json_len(value); i++) {
        const lg_json_member *member =
            lg_json_is(value, LG_JSON_OBJECT) ? lg_json_member_at(value, i) : NULL;
        lg_str key = member ? lg_json_key(member) : LG_STR("");
        lg_str text = lg_json_str(member ? &member->value : &value->as.items[i]);
        if ((text.len && memchr(text.ptr, byte, text.len)) ||
            (key.len && memchr(key.ptr, byte, key.len))) {
            return false;
        }
    }
    return true;
}

static bool add_json(rest_sender *s, lg_str name, const lg_json *value, const char *separator,
                     lg_buf *out)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, value);
    begin_pair(out, name, separator);
    lg_rest_encode(out, lg_buf_str(&text), LG_STR(""));
    bool ok = lg_buf_status(&text) == LG_OK;
    lg_buf_done(&text);
    s->status = ok ? s->status : LG_ERR_OOM;
    return ok;
}

static bool add_exploded(rest_sender *s, const rest_parameter *p, const lg_json *value,
                         const char *separator, lg_buf *out)
{
    bool is_object = lg_json_is(value, LG_JSON_OBJECT);
    bool ok = true;
    for (size_t i = 0; ok && i < lg_json_len(value); i++) {
        const lg_json_member *member = is_object ? lg_json_member_at(value, i) : NULL;
        const lg_json *item = member ? &member->value : &value->as.items[i];
        lg_str name = member ? lg_json_key(member) : p->argument->key;
        if (is_container(item)) {
            ok = add_json(s, name, item, separator, out);
            continue;
        }
        begin_pair(out, name, separator);
        add_escaped(out, item, LG_STR(""));
    }
    return ok;
}

bool lg_rest_send_pairs(rest_sender *s, const rest_parameter *p, const lg_json *value,
                        const char *separator, bool as_json, lg_buf *out)
{
    lg_str name = p->argument->key;
    if (p->style == REST_CONTENT) {
        return add_json(s, name, value, separator, out);
    }
    if (lg_json_is(value, LG_JSON_NULL)) {
        return true;
    }
    if (p->style == REST_DEEP) {
        return add_deep(s, p, name, value, separator, REST_NESTING_MAX, out);
    }
    if (!is_container(value)) {
        begin_pair(out, name, separator);
        add_escaped(out, value, LG_STR(""));
        return true;
    }
    if (as_json && lg_json_is(value, LG_JSON_OBJECT)) {
        return add_json(s, name, value, separator, out);
    }
    if (p->explode) {
        return add_exploded(s, p, value, separator, out);
    }
    if (lg_json_len(value) == 0) {
        return true;
    }
    char byte = '\0';
    const char *joint = joint_of(p, &byte);
    if (!is_free_of(value, byte)) {
        return lg_rest_cannot(s, "`%.*s` has the separator of its own list in one of its values",
                              LG_FMT(lg_str_cut(p->argument->name, 80)));
    }
    begin_pair(out, name, separator);
    return add_parts(s, p, value, joint, joint, LG_STR(""), out);
}
