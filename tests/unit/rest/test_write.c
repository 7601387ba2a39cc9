// test_write.c: calls as requests, and that what one side writes the other reads.
#include "rest_fixture.h"

#define STRING "{'type':'string'}"
#define NUMBERS "{'type':'array','items':{'type':'integer'}}"
#define PAIR "{'type':'object','properties':{'r':{'type':'integer'},'g':" STRING "}}"
#define PATH(name, more) "{'name':'" name "','in':'path','required':true," more "}"
#define QUERY(name, more) "{'name':'" name "','in':'query'," more "}"
#define BODY(media) "'requestBody':{'required':true,'content':{'" media "':{'schema':" CARD "}}}"
#define CARD                                                                                       \
    "{'type':'object','properties':{'name':" STRING ",'n':{'type':'integer'},"                     \
    "'tags':{'type':'array','items':" STRING "},"                                                  \
    "'at':{'type':'object','properties':{'zip':" STRING "}}}}"

static const char more[] = "'servers':[{'url':'https://h/v1/'}],";
static const char plain_paths[] = "'/p/{id}':{'get':{'operationId':'p','parameters':[" PATH("id", "'schema':" STRING) "," QUERY(
    "q",
    "'schema':" STRING) "]}},"
                        "'/f/{a}.{b}':{'get':{'operationId':'f','parameters':[" PATH(
                            "a",
                            "'sch"
                            "ema'"
                            ":" STRING) "," PATH("b",
                                                 "'schema':" STRING) "]}},"
                                                                     "'/"
                                                                     "j':{'post':{'"
                                                                     "operationId':'j'"
                                                                     "," BODY(
                                                                         "application/"
                                                                         "json") "}},"
                                                                                 "'/"
                                                                                 "form':{'"
                                                                                 "post':"
                                                                                 "{'"
                                                                                 "operatio"
                                                                                 "nId'"
                                                                                 ":'form'"
                                                                                 "," BODY(
                                                                                     "appl"
                                                                                     "icat"
                                                                                     "io"
                                                                                     "n/"
                                                                                     "x-"
                                                                                     "www-"
                                                                                     "form"
                                                                                     "-"
                                                                                     "urle"
                                                                                     "ncod"
                                                                                     "e"
                                                                                     "d") "}},"
                                                                                          "'/"
                                                                                          "parts"
                                                                                          "':{'"
                                                                                          "post'"
                                                                                          ":{'"
                                                                                          "opera"
                                                                                          "tionI"
                                                                                          "d':'"
                                                                                          "parts"
                                                                                          "'"
                                                                                          "," BODY(
                                                                                              "m"
                                                                                              "u"
                                                                                              "l"
                                                                                              "t"
                                                                                              "i"
                                                                                              "p"
                                                                                              "a"
                                                                                              "r"
                                                                                              "t"
                                                                                              "/"
                                                                                              "f"
                                                                                              "o"
                                                                                              "r"
                                                                                              "m"
                                                                                              "-"
                                                                                              "d"
                                                                                              "a"
                                                                                              "t"
                                                                                              "a") "}},"
                                                                                                   "'/"
                                                                                                   "text"
                                                                                                   "':{'"
                                                                                                   "put'"
                                                                                                   ":{'"
                                                                                                   "oper"
                                                                                                   "atio"
                                                                                                   "nId'"
                                                                                                   ":'"
                                                                                                   "text"
                                                                                                   "','"
                                                                                                   "requ"
                                                                                                   "estB"
                                                                                                   "ody'"
                                                                                                   ":{'"
                                                                                                   "cont"
                                                                                                   "ent'"
                                                                                                   ":{'"
                                                                                                   "text"
                                                                                                   "/pla"
                                                                                                   "in':"
                                                                                                   "{'"
                                                                                                   "sche"
                                                                                                   "ma'"
                                                                                                   ":" STRING
                                                                                                   "}}}}"
                                                                                                   "},";
static const char styled_path[] = "'/style/{l}/{m}/"
                                  "{s}':{'get':{'operationId':'style','parameters':[" PATH("l",
                                                                                           "'style'"
                                                                                           ":'"
                                                                                           "label',"
                                                                                           "'schema"
                                                                                           "'"
                                                                                           ":" NUMBERS) "," PATH("m",
                                                                                                                 "'style':'matrix','explode':true,'schema':" PAIR) "," PATH("s", "'schema':" NUMBERS) "," QUERY("e", "'schema':" NUMBERS) "," QUERY("c", "'explode':false,'schema':" NUMBERS) "," QUERY("sp", "'style':'spaceDelimited','explode':false,'"
                                                                                                                                                                                                                                                                                                              "schema':" NUMBERS) "," QUERY("pi", "'style':'"
                                                                                                                                                                                                                                                                                                                                                  "pipeDelimited"
                                                                                                                                                                                                                                                                                                                                                  "','explode':"
                                                                                                                                                                                                                                                                                                                                                  "false,'"
                                                                                                                                                                                                                                                                                                                                                  "schema'"
                                                                                                                                                                                                                                                                                                                                                  ":" NUMBERS) "," QUERY("d",
                                                                                                                                                                                                                                                                                                                                                                         "'style':'deepObject','schema':" PAIR) "," QUERY("j",
                                                                                                                                                                                                                                                                                                                                                                                                                          "'content':{'application/json':{'schema':" PAIR "}}") ","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "{'name':'X-H','in':'header','schema':" NUMBERS
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "{'name':'sid','in':'cookie','schema':" STRING
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "}]}}";

static bool open_document(fixture *f)
{
    char paths[6000];
    snprintf(paths, sizeof(paths), "{%s%s}", plain_paths, styled_path);
    return fixture_open(f, more, paths, NULL);
}

static const lg_json *parse(fixture *f, const char *text)
{
    const lg_json *value = NULL;
    CHECK(lg_json_parse_in(&f->arena, lg_str_c(text), 0, strlen(text), NULL, &value, NULL) ==
          LG_OK);
    return value;
}

static lg_status write_call(fixture *f, const char *tool, const char *args, const char *base,
                            lg_rest_sending *ret, lg_error *err)
{
    const lg_rest_operation *o = lg_rest_named(f->rest, lg_str_c(tool));
    CHECK(o != NULL);
    return lg_rest_write(o, &f->arena, lg_str_c(base), parse(f, args), ret, err);
}

static void urls(void)
{
    static const struct {
        const char *tool, *args, *base, *url;
    } rows[] = {
        {"p", "{\"id\":\"a b/c\"}", "", "https://h/v1/p/a%20b%2Fc"},
        {"p", "{\"id\":\"1\",\"q\":\"a&b=c\"}", "http://127.0.0.1:1/x/",
         "http://127.0.0.1:1/x/p/1?q=a%26b%3Dc"},
        {"p", "{\"id\":\"...\"}", "", "https://h/v1/p/..."},
        {"p", "{\"id\":\"?#\\u00e9\"}", "", "https://h/v1/p/%3F%23%C3%A9"},
        {"f", "{\"a\":\"x.y\",\"b\":\"z\"}", "", "https://h/v1/f/x%2Ey.z"},
    };
    fixture f;
    if (!open_document(&f)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_error err = {0};
        lg_rest_sending sending;
        bool ok = write_call(&f, rows[i].tool, rows[i].args, rows[i].base, &sending, &err) == LG_OK;
        if (CHECK_MSG(ok, err.msg)) {
            CHECK_STR(sending.url, rows[i].url);
            CHECK_STR(sending.method, "GET");
        }
    }
    lg_arena_done(&f.arena);
}

static void what_cannot_be_said(void)
{
    static const struct {
        const char *tool, *args, *why;
    } rows[] = {
        {"p", "{}", "`id` is part of the path, and is missing"},
        {"p", "{\"id\":\"\"}", "`id` is part of the path, and is empty"},
        {"p", "{\"id\":\"1\",\"zz\":1}", "`p` has no argument `zz`"},
        {"p", "[]", "the arguments must be an object"},
        {"p", "{\"id\":\".\"}", "a segment of the path would be `.`, which leads elsewhere"},
        {"p", "{\"id\":\"..\"}", "a segment of the path would be `..`, which leads elsewhere"},
    };
    fixture f;
    if (!open_document(&f)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_error err = {0};
        lg_rest_sending sending;
        CHECK(write_call(&f, rows[i].tool, rows[i].args, "", &sending, &err) == LG_ERR_USAGE);
        CHECK_STR(lg_str_c(err.msg), rows[i].why);
    }
    lg_arena_done(&f.arena);
}

// What was written, read again: "tool {arguments}".
static lg_str there_and_back(fixture *f, const lg_rest_sending *sending)
{
    size_t host = lg_str_find(sending->url, LG_STR("//h/"));
    lg_str target = lg_str_slice(sending->url, host + 3, sending->url.len);
    size_t mark = lg_str_find(target, LG_STR("?"));
    lg_rest_request request = {
        .method = sending->method,
        .path = lg_str_slice(target, 0, mark),
        .query = lg_str_slice(target, mark == SIZE_MAX ? target.len : mark + 1, target.len),
        .headers = sending->headers,
        .header_count = sending->header_count,
        .body = sending->body};
    lg_rest_call call;
    lg_rest_problem problem;
    CHECK(lg_rest_read(f->rest, &f->arena, &request, &call, &problem) == LG_OK);
    if (problem.status) {
        return problem.detail;
    }
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print(&out, call.args);
    lg_str told = lg_arena_str(&f->arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return told;
}

static void what_is_written_is_read(void)
{
    static const struct {
        const char *tool, *args;
    } rows[] = {
        {"p", "{\"id\":\"...\",\"q\":\"\"}"},
        {"p", "{\"id\":\"%2F/\\\\?\",\"q\":\"+ %\xe2\x82\xac\\n\"}"},
        {"f", "{\"a\":\".\",\"b\":\"..\"}"},
        {"style", "{\"l\":[1,2],\"m\":{\"r\":1,\"g\":\"x;y=z\"},\"s\":[3],\"e\":[1,2],\"c\":[3,4],"
                  "\"sp\":[5,6],\"pi\":[7,8],\"d\":{\"r\":9,\"g\":\"[]&\"},\"j\":{\"r\":0},"
                  "\"X-H\":[1,2],\"sid\":\"a; b=c\"}"},
        {"j", "{\"name\":\"a\",\"n\":1e400,\"tags\":[],\"at\":{}}"},
        {"form", "{\"name\":\"a=b&c\",\"n\":-7,\"tags\":[\"x\",\"y,z\"],\"at\":{\"zip\":\"0 1\"}}"},
        {"parts", "{\"name\":\"--\\r\\nb\",\"n\":3,\"tags\":[\"x\",\"y\"],\"at\":{\"zip\":\"1\"}}"},
        {"text", "{\"body\":\"one\\ntwo\"}"},
    };
    fixture f;
    if (!open_document(&f)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_error err = {0};
        lg_rest_sending sending;
        bool ok = write_call(&f, rows[i].tool, rows[i].args, "", &sending, &err) == LG_OK;
        if (CHECK_MSG(ok, err.msg)) {
            CHECK_STR(there_and_back(&f, &sending), rows[i].args);
        }
    }
    lg_arena_done(&f.arena);
}

static void results(void)
{
    static const struct {
        uint32_t status;
        const char *type, *body, *value;
        bool is_error;
    } rows[] = {
        {200, "application/json", "{\"a\":1}", "{\"a\":1}", false},
        {404, "application/problem+json; charset=utf-8", "{\"a\":1}", "{\"a\":1}", true},
        {200, "text/plain", "a", "\"a\"", false},
        {204, "", "", "null", false},
        {200, "application/json", " \n", "null", false},
        {500, "application/octet-stream", "\xff", "\"/w==\"", true},
    };
    fixture f;
    if (!open_document(&f)) {
        return;
    }
    const lg_rest_operation *o = lg_rest_at(f.rest, 0);
    const lg_json *value = NULL;
    lg_error err = {0};
    bool is_error = false;
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_rest_field type = {LG_STR("Content-Type"), lg_str_c(rows[i].type)};
        CHECK(lg_rest_result(o, &f.arena, rows[i].status, &type, 1, lg_str_c(rows[i].body), &value,
                             &is_error, &err) == LG_OK);
        CHECK(is_error == rows[i].is_error && lg_json_equal(value, parse(&f, rows[i].value)));
    }
    lg_rest_field type = {LG_STR("content-type"), LG_STR("application/json")};
    CHECK(lg_rest_result(o, &f.arena, 200, &type, 1, LG_STR("{"), &value, &is_error, &err) ==
          LG_ERR_PARSE);
    lg_arena_done(&f.arena);
}

static void out_of_memory_is_said(void)
{
    fixture f;
    if (!open_document(&f)) {
        return;
    }
    const lg_json *args = parse(&f, "{\"name\":\"a\",\"tags\":[\"x\",\"y\"]}");
    bool done = false;
    for (size_t limit = 64; !done && limit < 1u << 20; limit += limit / 2) {
        lg_arena small;
        lg_error err = {0};
        lg_rest_sending sending;
        lg_arena_init(&small, limit);
        lg_status status = lg_rest_write(lg_rest_named(f.rest, LG_STR("parts")), &small, LG_STR(""),
                                         args, &sending, &err);
        done = status == LG_OK;
        CHECK(done || status == LG_ERR_OOM);
        lg_arena_done(&small);
    }
    CHECK(done);
    lg_arena_done(&f.arena);
}

int main(void)
{
    RUN(urls);
    RUN(what_cannot_be_said);
    RUN(what_is_written_is_read);
    RUN(results);
    RUN(out_of_memory_is_said);
    return lg_test_done();
}
