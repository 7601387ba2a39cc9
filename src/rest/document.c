// document.c: the document as a client of this server should have it.
//
// All that it says stays. An operation that names no answer for what may go wrong gets `default`, a problem of RFC 9457; one that
// names no success gets 200. The server is this one.
#include "rest/rest_internal.h"
#include "json/writer.h"

static const char problem_schema[] =
    "{\"type\":\"object\",\"required\":[\"status\",\"detail\"],\"properties\":{"
    "\"type\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
    "\"status\":{\"type\":\"integer\"},\"detail\":{\"type\":\"string\"},"
    "\"violations\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"pointer\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"}}}}}}";

static const char *const methods[] = {"get",  "put",   "post",  "delete", "options",
                                      "head", "patch", "trace", "query"};

static bool is_method(lg_str key)
{
    for (size_t i = 0; i < LG_COUNT(methods); i++) {
        if (lg_str_eq(key, lg_str_c(methods[i]))) {
            return true;
        }
    }
    return false;
}

static void add_problem(lg_json_writer *w, bool is_swagger)
{
    lg_jw_key(w, "default");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "description", "What is wrong, as a problem (RFC 9457).");
    if (is_swagger) {
        lg_jw_member_raw(w, "schema", lg_str_c(problem_schema));
    } else {
        lg_jw_key(w, "content");
        lg_jw_begin_object(w);
        lg_jw_key(w, "application/problem+json");
        lg_jw_begin_object(w);
        lg_jw_member_raw(w, "schema", lg_str_c(problem_schema));
        lg_jw_end_object(w);
        lg_jw_end_object(w);
    }
    lg_jw_end_object(w);
}

static void add_responses(lg_json_writer *w, const lg_json *responses, bool is_swagger)
{
    bool succeeds = false;
    bool has_default = false;
    lg_jw_key(w, "responses");
    lg_jw_begin_object(w);
    for (size_t i = 0; lg_json_is(responses, LG_JSON_OBJECT) && i < lg_json_len(responses); i++) {
        const lg_json_member *member = lg_json_member_at(responses, i);
        lg_str key = lg_json_key(member);
        has_default = has_default || lg_str_eq(key, LG_STR("default"));
        succeeds = succeeds || lg_str_starts(key, LG_STR("2")) || lg_str_starts(key, LG_STR("3"));
        lg_jw_key_str(w, key);
        lg_jw_json(w, &member->value);
    }
    if (!succeeds && !has_default) {
        lg_jw_key(w, "200");
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "description", "Done.");
        lg_jw_end_object(w);
    }
    if (!has_default) {
        add_problem(w, is_swagger);
    }
    lg_jw_end_object(w);
}

static void add_operation(lg_json_writer *w, const lg_json *operation, bool is_swagger)
{
    lg_jw_begin_object(w);
    for (size_t i = 0; i < lg_json_len(operation); i++) {
        const lg_json_member *member = lg_json_member_at(operation, i);
        bool other = !lg_str_eq(lg_json_key(member), LG_STR("responses")) &&
                     !lg_str_eq(lg_json_key(member), LG_STR("servers"));
        if (other) {
            lg_jw_key_str(w, lg_json_key(member));
            lg_jw_json(w, &member->value);
        }
    }
    add_responses(w, lg_json_get(operation, LG_STR("responses")), is_swagger);
    lg_jw_end_object(w);
}

static void add_item(lg_json_writer *w, const lg_json *item, bool is_swagger)
{
    if (!lg_json_is(item, LG_JSON_OBJECT)) {
        lg_jw_json(w, item);
        return;
    }
    lg_jw_begin_object(w);
    for (size_t i = 0; i < lg_json_len(item); i++) {
        const lg_json_member *member = lg_json_member_at(item, i);
        if (lg_str_eq(lg_json_key(member), LG_STR("servers"))) {
            continue;
        }
        lg_jw_key_str(w, lg_json_key(member));
        if (is_method(lg_json_key(member)) && lg_json_is(&member->value, LG_JSON_OBJECT)) {
            add_operation(w, &member->value, is_swagger);
        } else {
            lg_jw_json(w, &member->value);
        }
    }
    lg_jw_end_object(w);
}

static void add_server(lg_json_writer *w, bool is_swagger)
{
    if (is_swagger) {
        lg_jw_member_c(w, "basePath", "/");
    } else {
        lg_jw_member_raw(w, "servers", LG_STR("[{\"url\":\"/\"}]"));
    }
}

static bool is_server(lg_str key, bool is_swagger)
{
    static const char *const words[] = {"host", "basePath", "schemes"};
    for (size_t i = 0; is_swagger && i < LG_COUNT(words); i++) {
        if (lg_str_eq(key, lg_str_c(words[i]))) {
            return true;
        }
    }
    return lg_str_eq(key, LG_STR("servers"));
}

bool lg_rest_document(const lg_rest *rest, lg_buf *out)
{
    const lg_json *document = rest->document;
    if (!document) {
        return false;
    }
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < lg_json_len(document); i++) {
        const lg_json_member *member = lg_json_member_at(document, i);
        lg_str key = lg_json_key(member);
        if (lg_str_eq(key, LG_STR("paths")) && lg_json_is(&member->value, LG_JSON_OBJECT)) {
            lg_jw_key(&w, "paths");
            lg_jw_begin_object(&w);
            for (size_t j = 0; j < lg_json_len(&member->value); j++) {
                const lg_json_member *path = lg_json_member_at(&member->value, j);
                lg_jw_key_str(&w, lg_json_key(path));
                add_item(&w, &path->value, rest->is_swagger);
            }
            lg_jw_end_object(&w);
        } else if (!is_server(key, rest->is_swagger)) {
            lg_jw_key_str(&w, key);
            lg_jw_json(&w, &member->value);
        }
    }
    add_server(&w, rest->is_swagger);
    lg_jw_end_object(&w);
    return true;
}
