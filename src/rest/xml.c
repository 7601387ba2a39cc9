// xml.c: a value as XML, for responses that the document has in no other form.
//
// A member is an element, an element of a list repeats the name of the list. It is not read back, and `xml` of a schema is not
// followed: who needs its exact form has no mock here.
#include "rest/rest_internal.h"

#include "base/utf8.h"

static bool is_name(lg_str name)
{
    bool ok = name.len > 0 && (lg_is_letter(name.ptr[0]) || name.ptr[0] == '_');
    for (size_t i = 1; ok && i < name.len; i++) {
        char c = name.ptr[i];
        ok = lg_is_letter(c) || lg_is_digit(c) || c == '_' || c == '-' || c == '.';
    }
    return ok;
}

static void add_text(lg_buf *out, lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        const char *escape = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : NULL;
        bool control = (unsigned char)c < 0x20 && c != '\t' && c != '\n' && c != '\r';
        if (escape) {
            lg_buf_add_c(out, escape);
        } else {
            lg_buf_add_byte(out, control ? '?' : c);
        }
    }
}

void lg_rest_xml(lg_buf *out, const lg_json *value, lg_str name, uint32_t levels)
{
    lg_str tag = is_name(name) ? name : LG_STR("item");
    if (levels == 0) {
        return;
    }
    if (lg_json_is(value, LG_JSON_ARRAY) && levels < 64) {
        for (size_t i = 0; i < lg_json_len(value); i++) {
            lg_rest_xml(out, &value->as.items[i], name, levels - 1);
        }
        return;
    }
    lg_buf_addf(out, "<%.*s>", LG_FMT(tag));
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        for (size_t i = 0; i < lg_json_len(value); i++) {
            const lg_json_member *member = lg_json_member_at(value, i);
            lg_rest_xml(out, &member->value, lg_json_key(member), levels - 1);
        }
    } else if (lg_json_is(value, LG_JSON_ARRAY)) {
        for (size_t i = 0; i < lg_json_len(value); i++) {
            lg_rest_xml(out, &value->as.items[i], LG_STR("item"), levels - 1);
        }
    } else {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_rest_scalar_text(&text, value);
        add_text(out, lg_buf_str(&text));
        lg_buf_done(&text);
    }
    lg_buf_addf(out, "</%.*s>", LG_FMT(tag));
}
