// head.c: what an upstream says before its reply: what of it goes on to the client, and what it tells of the body.
#include "proxy/exchange_internal.h"

#include "base/str.h"

#define FIELDS_MAX 64u
#define FIELD_BYTES_MAX 8192u
#define TYPE_EVENTS "text/event-stream; charset=utf-8"

// --- Names --------------------------------------------------------------------------------------

static bool is_one_of(lg_str name, const char *const *names, size_t count)
{
    bool is = false;
    for (size_t i = 0; i < count && !is; i++) {
        is = lg_str_eq_any_case(name, lg_str_c(names[i]));
    }
    return is;
}

// Of the connection alone.
static bool stays_here(lg_str name)
{
    static const char *const names[] = {"connection",
                                        "keep-alive",
                                        "proxy-authenticate",
                                        "proxy-connection",
                                        "te",
                                        "trailer",
                                        "upgrade",
                                        "transfer-encoding",
                                        "content-length",
                                        "proxy-authorization"};
    return is_one_of(name, names, LG_COUNT(names));
}

// Of bytes, which are others behind us where they were judged.
static bool is_of_bytes(lg_str name)
{
    static const char *const names[] = {"content-encoding", "content-md5", "etag",
                                        "accept-ranges",    "digest",      "content-digest",
                                        "repr-digest",      "signature",   "signature-input"};
    return is_one_of(name, names, LG_COUNT(names));
}

static bool begins(lg_str text, lg_str prefix)
{
    return lg_str_eq_any_case(lg_str_slice(text, 0, prefix.len), prefix);
}

// What we say by them is ours alone to say.
static bool is_ours(lg_str name)
{
    return begins(name, LG_STR("x-ledgergate-"));
}

// Where a client would go on by itself, past the gate.
static bool leads_away(lg_str name)
{
    static const char *const names[] = {"location", "refresh", "alt-svc"};
    return is_one_of(name, names, LG_COUNT(names));
}

// --- What it tells of the body ------------------------------------------------------------------

bool head_is_events(const lg_http_field *fields, size_t count)
{
    size_t i = 0;
    while (i < count && !lg_str_eq_any_case(fields[i].name, LG_STR("content-type"))) {
        i++;
    }
    return i < count && begins(lg_str_trim(fields[i].value), LG_STR("text/event-stream"));
}

lg_str head_coding(const lg_http_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lg_str value = lg_str_trim(fields[i].value);
        if (lg_str_eq_any_case(fields[i].name, LG_STR("content-encoding")) && value.len &&
            !lg_str_eq_any_case(value, LG_STR("identity"))) {
            return value;
        }
    }
    return LG_STR("");
}

// --- What goes on -------------------------------------------------------------------------------

// False: out of memory. Where bytes go on as they are, so does what is said of them.
static bool copy_fields(lg_exchange *x, const lg_http_field *fields, size_t count, bool as_it_is)
{
    x->field_count = 0;
    x->fields = LG_NEW_ARRAY(&x->arena, lg_http_field, FIELDS_MAX + 1); // and the type
    for (size_t i = 0; x->fields && i < count && x->field_count < FIELDS_MAX; i++) {
        bool other = !as_it_is && is_of_bytes(fields[i].name);
        bool is_type = lg_str_eq_any_case(fields[i].name, LG_STR("content-type"));
        if (stays_here(fields[i].name) || other || is_ours(fields[i].name) ||
            (exchange_is_gated(x) && (is_type || leads_away(fields[i].name))) ||
            fields[i].name.len + fields[i].value.len > FIELD_BYTES_MAX) {
            continue;
        }
        lg_http_field *kept = &x->fields[x->field_count++];
        kept->name = lg_arena_str(&x->arena, fields[i].name);
        kept->value = lg_arena_str(&x->arena, fields[i].value);
        if (!kept->name.ptr || !kept->value.ptr) {
            return false;
        }
    }
    return x->fields != NULL;
}

// Says what the body is, which was judged or is written anew.
static void add_type(lg_exchange *x, lg_str type)
{
    LG_ASSERT(x->fields && x->field_count <= FIELDS_MAX); // there is room for one more
    x->fields[x->field_count++] = (lg_http_field){LG_STR("content-type"), type};
}

bool head_take(lg_exchange *x, uint16_t status, const lg_http_field *fields, size_t count, bool sse)
{
    x->status = status;
    if (!copy_fields(x, fields, count, !x->request || !exchange_is_gated(x))) {
        return false;
    }
    if (x->request && exchange_is_gated(x)) {
        add_type(x, sse ? LG_STR(TYPE_EVENTS) : LG_STR(EXCHANGE_JSON));
    }
    return true;
}
