// prefer.c: what a client would rather have (RFC 7240), with the names that Prism has given it.
//
//     Prefer: code=404, example=missing     __code=404 in the query
//     Prefer: dynamic=true; seed=7
//
// RFC 7240 separates preferences by commas and their parameters by semicolons; here both separate. Unknown ones are passed over,
// as it says; of one that is known, what cannot be is refused.
#include "rest/rest_internal.h"

static bool read_code(rest_reading *r, lg_str value)
{
    uint32_t code = 0;
    for (size_t i = 0; i < value.len && i < 4; i++) {
        code = lg_is_digit(value.ptr[i]) ? code * 10 + (uint32_t)(value.ptr[i] - '0') : 10000;
    }
    if (value.len != 3 || code < 200 || code > 599) {
        return lg_rest_trouble(r, 422,
                               "the preference `code` must be a status from 200 to 599; got `%.*s`",
                               LG_FMT(lg_str_cut(value, 40)));
    }
    r->call->prefer.code = code;
    return true;
}

static bool read_seed(rest_reading *r, lg_str value)
{
    uint64_t seed = 0;
    bool ok = value.len > 0 && value.len < 20;
    for (size_t i = 0; ok && i < value.len; i++) {
        ok = lg_is_digit(value.ptr[i]);
        seed = seed * 10 + (uint64_t)(value.ptr[i] - '0');
    }
    if (!ok) {
        return lg_rest_trouble(r, 422, "the preference `seed` must be a whole number; got `%.*s`",
                               LG_FMT(lg_str_cut(value, 40)));
    }
    r->call->prefer.has_seed = true;
    r->call->prefer.seed = seed;
    return true;
}

static bool take(rest_reading *r, lg_str name, lg_str value)
{
    lg_rest_preference *prefer = &r->call->prefer;
    if (lg_str_eq_any_case(name, LG_STR("code"))) {
        return prefer->code || read_code(r, value);
    }
    if (lg_str_eq_any_case(name, LG_STR("seed"))) {
        return prefer->has_seed || read_seed(r, value);
    }
    if (lg_str_eq_any_case(name, LG_STR("example"))) {
        prefer->example = prefer->example.len ? prefer->example : value;
    } else if (lg_str_eq_any_case(name, LG_STR("dynamic")) && !prefer->has_dynamic) {
        bool yes = lg_str_eq(value, LG_STR("true"));
        if (!yes && !lg_str_eq(value, LG_STR("false"))) {
            return lg_rest_trouble(r, 422,
                                   "the preference `dynamic` must be true or false; got `%.*s`",
                                   LG_FMT(lg_str_cut(value, 40)));
        }
        prefer->has_dynamic = true;
        prefer->dynamic = yes;
    }
    return true;
}

// One "name=value", the value perhaps in quotes.
static bool read_preference(rest_reading *r, lg_str text)
{
    size_t equals = lg_str_find(text, LG_STR("="));
    lg_str name = lg_str_trim(lg_str_slice(text, 0, equals));
    lg_str value =
        equals == SIZE_MAX ? LG_STR("") : lg_str_trim(lg_str_slice(text, equals + 1, text.len));
    if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"') {
        value = lg_str_slice(value, 1, value.len - 1);
    }
    return take(r, name, value);
}

static bool read_line(rest_reading *r, lg_str line)
{
    bool quoted = false;
    size_t from = 0;
    bool ok = true;
    for (size_t i = 0; ok && i <= line.len; i++) {
        char c = i < line.len ? line.ptr[i] : ',';
        quoted = c == '"' ? !quoted : quoted && i < line.len;
        if ((c == ',' || c == ';') && !quoted) {
            ok = read_preference(r, lg_str_slice(line, from, i));
            from = i + 1;
        }
    }
    return ok;
}

bool lg_rest_read_prefer(rest_reading *r)
{
    bool ok = true;
    for (size_t i = 0; ok && i < r->request->header_count; i++) {
        const lg_rest_field *header = &r->request->headers[i];
        if (lg_str_eq_any_case(header->name, LG_STR("prefer"))) {
            ok = read_line(r, header->value);
        }
    }
    for (size_t i = 0; ok && i < r->query_count; i++) {
        lg_str name = r->query[i].name;
        lg_str value;
        if (lg_str_starts(name, LG_STR("__"))) {
            ok = lg_rest_read_text(r, r->query[i].raw, REST_FORM, &value) &&
                 take(r, lg_str_slice(name, 2, name.len), value);
        }
    }
    return ok;
}
