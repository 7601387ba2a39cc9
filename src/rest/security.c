// security.c: the credentials that a document demands (OpenAPI 3.1.1 sections 4.8.27 and 4.8.30).
//
// A list of requirements, of which one has to be met; a requirement names schemes, all of which have to be. Whether a credential
// is there is what counts, unless the options say what it must be. What cannot be seen in a request (mutual TLS) and a
// scheme that nobody defines demand nothing.
#include "rest/rest_internal.h"

// --- Reading ------------------------------------------------------------------------------------

static bool place_of(lg_str in, lg_argument_place *ret)
{
    *ret = lg_str_eq(in, LG_STR("query"))    ? LG_PLACE_QUERY
           : lg_str_eq(in, LG_STR("cookie")) ? LG_PLACE_COOKIE
           : lg_str_eq(in, LG_STR("header")) ? LG_PLACE_HEADER
                                             : LG_PLACE_NONE;
    return *ret != LG_PLACE_NONE;
}

static bool credential_of(const lg_json *scheme, rest_credential *ret)
{
    lg_str type = rest_member_str(scheme, "type");
    lg_str http = rest_member_str(scheme, "scheme");
    *ret = (rest_credential){.place = LG_PLACE_HEADER, .name = LG_STR("Authorization")};
    if (lg_str_eq(type, LG_STR("apiKey"))) {
        ret->name = rest_member_str(scheme, "name");
        return place_of(rest_member_str(scheme, "in"), &ret->place) && ret->name.len;
    }
    bool basic = lg_str_eq(type, LG_STR("basic")) ||
                 (lg_str_eq(type, LG_STR("http")) && lg_str_eq_any_case(http, LG_STR("basic")));
    bool bearer = lg_str_eq(type, LG_STR("oauth2")) || lg_str_eq(type, LG_STR("openIdConnect")) ||
                  (lg_str_eq(type, LG_STR("http")) && lg_str_eq_any_case(http, LG_STR("bearer")));
    ret->scheme = basic ? "Basic" : bearer ? "Bearer" : NULL;
    return basic || bearer || lg_str_eq(type, LG_STR("http"));
}

static bool read_requirement(lg_arena *arena, const lg_json *schemes, const lg_json *names,
                             rest_requirement *ret)
{
    size_t count = lg_json_is(names, LG_JSON_OBJECT) ? lg_json_len(names) : 0;
    ret->items = LG_NEW_ARRAY(arena, rest_credential, count + 1);
    for (size_t i = 0; ret->items && i < count; i++) {
        const lg_json *scheme = lg_json_get(schemes, lg_json_key(lg_json_member_at(names, i)));
        if (scheme && credential_of(scheme, &ret->items[ret->count])) {
            ret->count++;
        }
    }
    return ret->items != NULL;
}

bool lg_rest_read_security(lg_arena *arena, const lg_rest *rest, lg_rest_operation *operation)
{
    const lg_json *list = lg_json_get(operation->tool->source, LG_STR("security"));
    list = list ? list : lg_json_get(rest->document, LG_STR("security"));
    const lg_json *schemes = rest->is_swagger
                                 ? lg_json_get(rest->document, LG_STR("securityDefinitions"))
                                 : lg_json_get(lg_json_get(rest->document, LG_STR("components")),
                                               LG_STR("securitySchemes"));
    size_t count = lg_json_is(list, LG_JSON_ARRAY) ? lg_json_len(list) : 0;
    if (count == 0 || (rest->options && rest->options->without_security)) {
        return true;
    }
    operation->requirements = LG_NEW_ARRAY(arena, rest_requirement, count);
    operation->requirement_count = operation->requirements ? count : 0;
    for (size_t i = 0; i < operation->requirement_count; i++) {
        if (!read_requirement(arena, schemes, &list->as.items[i], &operation->requirements[i])) {
            return false;
        }
    }
    return operation->requirements != NULL;
}

// --- Checking -----------------------------------------------------------------------------------

static bool find_pair(const rest_pair *pairs, size_t count, lg_str name, lg_str *ret)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(pairs[i].name, name)) {
            *ret = pairs[i].raw;
            return true;
        }
    }
    return false;
}

static int base64_digit(char c)
{
    if (lg_is_letter(c)) {
        return c >= 'a' ? c - 'a' + 26 : c - 'A';
    }
    return lg_is_digit(c) ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

// "user:password" of basic credentials; empty if they are none.
static lg_str unpack_basic(lg_arena *arena, lg_str text)
{
    char *out = lg_arena_alloc(arena, text.len / 4 * 3 + 3, 1);
    size_t len = 0;
    uint32_t bits = 0;
    uint32_t held = 0;
    for (size_t i = 0; out && i < text.len && text.ptr[i] != '='; i++) {
        int digit = base64_digit(text.ptr[i]);
        if (digit < 0) {
            return LG_STR("");
        }
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[len++] = (char)(bits >> held & 255);
        }
    }
    return lg_str_of(out ? out : "", len);
}

static bool is_right(rest_reading *r, const rest_credential *need, lg_str value)
{
    lg_str wanted = r->rest->options ? r->rest->options->credential : (lg_str){0};
    if (wanted.len == 0 || lg_str_eq(value, wanted)) {
        return value.len > 0;
    }
    if (!need->scheme || strcmp(need->scheme, "Basic") != 0) {
        return false;
    }
    lg_str pair = unpack_basic(r->arena, value);
    size_t colon = lg_str_find(pair, LG_STR(":"));
    return lg_str_eq(pair, wanted) ||
           (colon != SIZE_MAX && lg_str_eq(lg_str_slice(pair, colon + 1, pair.len), wanted));
}

static bool is_met(rest_reading *r, const rest_credential *need)
{
    lg_str value = {0};
    bool there = false;
    if (need->place == LG_PLACE_QUERY) {
        there = find_pair(r->query, r->query_count, need->name, &value);
    } else if (need->place == LG_PLACE_COOKIE) {
        there = find_pair(r->cookies, r->cookie_count, need->name, &value);
    } else {
        value = lg_rest_header(r->request, need->name);
        there = value.ptr != NULL;
    }
    if (there && need->scheme) {
        size_t len = strlen(need->scheme);
        there = value.len > len && value.ptr[len] == ' ' &&
                lg_str_eq_any_case(lg_str_slice(value, 0, len), lg_str_c(need->scheme));
        value = lg_str_trim(lg_str_slice(value, len, value.len));
    }
    if (there && need->place != LG_PLACE_HEADER) {
        rest_decoding how = need->place == LG_PLACE_QUERY ? REST_FORM : REST_LENIENT;
        there = lg_rest_decode(r->arena, value, how, &value, &r->oom);
    }
    return there && is_right(r, need, value);
}

bool lg_rest_check_security(rest_reading *r)
{
    const rest_credential *lacking = NULL;
    for (size_t i = 0; i < r->operation->requirement_count; i++) {
        const rest_requirement *requirement = &r->operation->requirements[i];
        bool all = true;
        for (size_t j = 0; all && j < requirement->count; j++) {
            all = is_met(r, &requirement->items[j]);
            lacking = all || lacking ? lacking : &requirement->items[j];
        }
        if (all) {
            return true;
        }
    }
    if (!lacking) {
        return true;
    }
    lg_str challenge = {0};
    for (size_t i = 0; i < r->operation->requirement_count && !challenge.ptr; i++) {
        const rest_requirement *requirement = &r->operation->requirements[i];
        for (size_t j = 0; j < requirement->count && !challenge.ptr; j++) {
            const char *scheme = requirement->items[j].scheme;
            challenge =
                scheme ? lg_arena_printf(r->arena, "%s realm=\"ledgergate\"", scheme) : challenge;
        }
    }
    lg_rest_trouble(r, 401,
                    "this operation asks for credentials: %s `%.*s`%s%s is missing or wrong",
                    lg_argument_place_name(lacking->place), LG_FMT(lg_str_cut(lacking->name, 80)),
                    lacking->scheme ? " with scheme " : "", lacking->scheme ? lacking->scheme : "");
    r->problem->authenticate = challenge;
    return false;
}
