// media.c: media types, and what a client accepts (RFC 9110 sections 8.3 and 12.5.1).
#include "rest/rest_internal.h"

lg_str lg_rest_bare_media(lg_str media)
{
    return lg_str_trim(lg_str_slice(media, 0, lg_str_find(media, LG_STR(";"))));
}

static bool ends_any_case(lg_str text, lg_str ending)
{
    return text.len >= ending.len &&
           lg_str_eq_any_case(lg_str_slice(text, text.len - ending.len, text.len), ending);
}

rest_media_kind lg_rest_media_kind(lg_str media)
{
    static const struct {
        const char *name;
        rest_media_kind kind;
    } known[] = {
        {"application/json", REST_MEDIA_JSON},
        {"*/*", REST_MEDIA_JSON},
        {"application/*", REST_MEDIA_JSON},
        {"application/yaml", REST_MEDIA_JSON}, // JSON is YAML
        {"application/x-www-form-urlencoded", REST_MEDIA_FORM},
        {"multipart/form-data", REST_MEDIA_MULTIPART},
        {"application/form-data",
         REST_MEDIA_MULTIPART}, // no such type is registered; this is what is meant
        {"application/xml", REST_MEDIA_XML},
        {"text/xml", REST_MEDIA_XML},
    };
    lg_str bare = lg_rest_bare_media(media);
    for (size_t i = 0; i < LG_COUNT(known); i++) {
        if (lg_str_eq_any_case(bare, lg_str_c(known[i].name))) {
            return known[i].kind;
        }
    }
    if (ends_any_case(bare, LG_STR("+json")) || ends_any_case(bare, LG_STR("+yaml"))) {
        return REST_MEDIA_JSON;
    }
    if (ends_any_case(bare, LG_STR("+xml"))) {
        return REST_MEDIA_XML;
    }
    return bare.len > 5 && lg_str_eq_any_case(lg_str_slice(bare, 0, 5), LG_STR("text/"))
               ? REST_MEDIA_TEXT
               : REST_MEDIA_BYTES;
}

bool lg_rest_media_fits(lg_str range, lg_str media)
{
    range = lg_rest_bare_media(range);
    media = lg_rest_bare_media(media);
    if (lg_str_eq(range, LG_STR("*/*")) || lg_str_eq(media, LG_STR("*/*"))) {
        return true;
    }
    if (lg_str_ends(range, LG_STR("/*"))) {
        return media.len >= range.len && lg_str_eq_any_case(lg_str_slice(range, 0, range.len - 1),
                                                            lg_str_slice(media, 0, range.len - 1));
    }
    return lg_str_eq_any_case(range, media);
}

lg_str lg_rest_media_parameter(lg_str media, lg_str name)
{
    for (size_t at = lg_str_find(media, LG_STR(";")); at < media.len;) {
        lg_str rest = lg_str_slice(media, at + 1, media.len);
        size_t next = lg_str_find(rest, LG_STR(";"));
        lg_str part = lg_str_trim(lg_str_slice(rest, 0, next));
        size_t equals = lg_str_find(part, LG_STR("="));
        if (equals != SIZE_MAX &&
            lg_str_eq_any_case(lg_str_trim(lg_str_slice(part, 0, equals)), name)) {
            lg_str value = lg_str_trim(lg_str_slice(part, equals + 1, part.len));
            bool quoted = value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"';
            return quoted ? lg_str_slice(value, 1, value.len - 1) : value;
        }
        at = next == SIZE_MAX ? media.len : at + 1 + next;
    }
    return LG_STR("");
}

// "0.5" in thousandths; what is no such number counts as 1.
static uint32_t quality(lg_str text)
{
    if (text.len == 0 || text.ptr[0] != '0') {
        return 1000;
    }
    uint32_t value = 0;
    uint32_t unit = 100;
    for (size_t i = 2; i < text.len && i < 5; i++, unit /= 10) {
        value += lg_is_digit(text.ptr[i]) ? (uint32_t)(text.ptr[i] - '0') * unit : 0;
    }
    return value;
}

// The more exact of two ranges decides, whatever their order.
static uint32_t exactness(lg_str range)
{
    range = lg_rest_bare_media(range);
    return lg_str_eq(range, LG_STR("*/*")) ? 1 : lg_str_ends(range, LG_STR("/*")) ? 2 : 3;
}

uint32_t lg_rest_accepted(lg_str accept, lg_str media)
{
    uint32_t best = 0;
    uint32_t best_exactness = 0;
    if (lg_str_trim(accept).len == 0) {
        return 1000;
    }
    for (size_t at = 0; at < accept.len;) {
        lg_str rest = lg_str_slice(accept, at, accept.len);
        size_t comma = lg_str_find(rest, LG_STR(","));
        lg_str range = lg_str_trim(lg_str_slice(rest, 0, comma));
        uint32_t exact = exactness(range);
        if (range.len && exact > best_exactness && lg_rest_media_fits(range, media)) {
            best = quality(lg_rest_media_parameter(range, LG_STR("q")));
            best_exactness = exact;
        }
        at = comma == SIZE_MAX ? accept.len : at + comma + 1;
    }
    return best;
}
