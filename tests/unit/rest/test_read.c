// test_read.c: requests as calls: paths, parameters by style, bodies, credentials, preferences.
#include "rest_fixture.h"

typedef struct row {
    const char *request;
    const char *told;
} row;

static void run(const char *more, const char *paths, const lg_rest_options *options,
                const row *rows, size_t count)
{
    fixture f;
    if (!fixture_open(&f, more, paths, options)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!CHECK_STR(fixture_told(&f, rows[i].request), rows[i].told)) {
            printf("    of: %s\n", rows[i].request);
        }
    }
    lg_arena_done(&f.arena);
}

#define STRING "{\"type\":\"string\"}"
#define P(name) "{\"name\":\"" name "\",\"in\":\"path\",\"required\":true,\"schema\":" STRING "}"
#define OP(id, parameters) "{\"operationId\":\"" id "\",\"parameters\":[" parameters "]}"

static void paths_lead_to_operations(void)
{
    static const char servers[] = "\"servers\":[{\"url\":\"https://h/{v}/api/"
                                  "\",\"variables\":{\"v\":{\"default\":\"v2\"}}}],";
    static const char paths[] = "{\"/pets\":{\"get\":" OP("list", "") ",\"post\":" OP(
        "add",
        "") "},"
            "\"/pets/{id}\":{\"get\":" OP(
                "show",
                P("id")) "},"
                         "\"/pets/mine\":{\"get\":" OP(
                             "mine",
                             "") "},"
                                 "\"/pets/{id}/toys\":{\"get\":" OP(
                                     "toys",
                                     P("id")) "},"
                                              "\"/files/{name}.{format}\":{\"get\":" OP(
                                                  "file",
                                                  P("name") "," P(
                                                      "format")) "},"
                                                                 "\"/files/{a}-{b}\":{\"get\":" OP(
                                                                     "pair",
                                                                     P("a") "," P(
                                                                         "b")) "},"
                                                                               "\"/"
                                                                               "x?beta=true\":{"
                                                                               "\"get\":" OP(
                                                                                   "beta",
                                                                                   "") "},"
                                                                                       "\"/"
                                                                                       "x\":{"
                                                                                       "\"get\""
                                                                                       ":" OP(
                                                                                           "plain",
                                                                                           "") "},"
                                                                                               "\"/"
                                                                                               "now"
                                                                                               "?la"
                                                                                               "t={"
                                                                                               "lat"
                                                                                               "}\""
                                                                                               ":{"
                                                                                               "\"g"
                                                                                               "et"
                                                                                               "\""
                                                                                               ":" OP(
                                                                                                   "now",
                                                                                                   P("lat")) "}}";
    static const row rows[] = {
        {"GET /pets", "list {}"},
        {"HEAD /pets", "list {}"},
        {"POST /pets", "add {}"},
        {"PUT /pets", "405 the path is there, but not with the method PUT"},
        {"P\xe2T /pets", "405 the path is there, but not with the method P?T"},
        {"GET /v2/api/pets", "list {}"},
        {"GET /v3/api/pets", "404 the document has no path like `/v3/api/pets`"},
        {"GET /pets/", "404 the document has no path like `/pets/`"},
        {"GET /pets/7", "show {\"id\":\"7\"}"},
        {"GET /pets/a%2Fb%20c+d", "show {\"id\":\"a/b c+d\"}"},
        {"GET /pets/mine", "mine {}"},
        {"GET /pets/mine/toys", "toys {\"id\":\"mine\"}"},
        {"GET /p%65ts/mine", "mine {}"},
        {"GET /pets/%2", "400 the path is not well escaped, or no UTF-8"},
        {"GET /pets/%ff", "400 the path is not well escaped, or no UTF-8"},
        {"GET /files/a.b.json", "file {\"name\":\"a\",\"format\":\"b.json\"}"},
        {"GET /files/one-two", "pair {\"a\":\"one\",\"b\":\"two\"}"},
        {"GET /files/.json", "404 the document has no path like `/files/.json`"},
        {"GET /x", "plain {}"},
        {"GET /x?beta=true", "beta {}"},
        {"GET /x?beta=false", "plain {}"},
        {"GET /now?lat=3%2E5", "now {\"lat\":\"3.5\"}"},
        {"GET /now", "now {}"},
    };
    run(servers, paths, NULL, rows, LG_COUNT(rows));
    fixture f;
    lg_rest_call call;
    lg_rest_problem problem;
    if (fixture_open(&f, "", paths, NULL)) {
        const lg_rest_request request = {.method = LG_STR("PUT"), .path = LG_STR("/pets")};
        CHECK(lg_rest_read(f.rest, &f.arena, &request, &call, &problem) == LG_OK);
        CHECK(problem.status == 405 && !call.operation);
        CHECK_STR(problem.allow, "GET, POST, HEAD");
        lg_arena_done(&f.arena);
    }
}

#define PARAMETER(name, in, more) "{\"name\":\"" name "\",\"in\":\"" in "\"," more "}"
#define NUMBERS "\"schema\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}"
#define PAIR                                                                                       \
    "\"schema\":{\"type\":\"object\",\"properties\":{\"r\":{\"type\":\"integer\"},\"g\":" STRING   \
    "}}"

static void styles_of_paths(void)
{
    static const char paths[] = "{\"/s/{v}\":{\"get\":" OP(
        "s",
        PARAMETER(
            "v", "path",
            NUMBERS)) "},"
                      "\"/so/{v}\":{\"get\":" OP(
                          "so",
                          PARAMETER(
                              "v", "path",
                              PAIR)) "},"
                                     "\"/sx/{v}\":{\"get\":" OP(
                                         "sx",
                                         PARAMETER(
                                             "v", "path",
                                             "\"explode\":true," PAIR)) "},"
                                                                        "\"/l/{v}\":{\"get\":" OP(
                                                                            "l",
                                                                            PARAMETER(
                                                                                "v", "path",
                                                                                "\"style\":"
                                                                                "\"label\""
                                                                                "," NUMBERS)) "},"
                                                                                              "\"/"
                                                                                              "lx/"
                                                                                              "{v}"
                                                                                              "\":{"
                                                                                              "\"ge"
                                                                                              "t\""
                                                                                              ":" OP("lx",
                                                                                                     PARAMETER(
                                                                                                         "v",
                                                                                                         "path",
                                                                                                         "\"style\":\"label\",\"explode\":true," PAIR)) "},"
                                                                                                                                                        "\"/m/{v}\":{\"get\":" OP("m",
                                                                                                                                                                                  PARAMETER("v", "path", "\"style\":\"matrix\"," NUMBERS)) "},"
                                                                                                                                                                                                                                           "\"/mx/{v}\":{\"get\":" OP("mx", PARAMETER("v",
                                                                                                                                                                                                                                                                                      "path", "\"style\":\"matrix\",\"explode\":true," NUMBERS)) "},"
                                                                                                                                                                                                                                                                                                                                                 "\"/mo/{v}\":{\"get\":" OP("mo",
                                                                                                                                                                                                                                                                                                                                                                            PARAMETER(
                                                                                                                                                                                                                                                                                                                                                                                "v",
                                                                                                                                                                                                                                                                                                                                                                                "path",
                                                                                                                                                                                                                                                                                                                                                                                "\"style\":\"matrix\",\"explode\":true," PAIR)) "}}";
    static const row rows[] = {
        {"GET /s/3,4", "s {\"v\":[3,4]}"},
        {"GET /s/3", "s {\"v\":[3]}"},
        {"GET /s/3,x", "s {\"v\":[3,\"x\"]}"},
        {"GET /s/-0,1e3,2.0,-12", "s {\"v\":[0,\"1e3\",\"2.0\",-12]}"},
        {"GET /so/r,1,g,b%2Cc", "so {\"v\":{\"r\":1,\"g\":\"b,c\"}}"},
        {"GET /sx/r=1,g=b", "sx {\"v\":{\"r\":1,\"g\":\"b\"}}"},
        {"GET /l/.3,4", "l {\"v\":[3,4]}"},
        {"GET /l/.3.4", "l {\"v\":[3,4]}"},
        {"GET /lx/.r=1.g=b", "lx {\"v\":{\"r\":1,\"g\":\"b\"}}"},
        {"GET /m/;v=3,4", "m {\"v\":[3,4]}"},
        {"GET /mx/;v=3;v=4", "mx {\"v\":[3,4]}"},
        {"GET /mo/;r=1;g=b", "mo {\"v\":{\"r\":1,\"g\":\"b\"}}"},
    };
    run("", paths, NULL, rows, LG_COUNT(rows));
}

static void styles_of_queries(void)
{
    static const char paths[] = "{\"/q\":{\"get\":" OP(
        "q", PARAMETER(
                 "i", "query",
                 "\"schema\":{\"type\":\"integer\"}") "," PARAMETER("b", "query",
                                                                    "\"schema\":{\"type\":"
                                                                    "\"boolean\"}") "," PARAMETER("n",
                                                                                                  "query",
                                                                                                  "\"schema\":{\"type\":"
                                                                                                  "[\"integer\","
                                                                                                  "\"null\"]}") "," PARAMETER("a", "query", NUMBERS) "," PARAMETER("c", "query", "\"explode\":false," NUMBERS) "," PARAMETER("s", "query", "\"style\":\"spaceDelimited\",\"explode\":false," NUMBERS) "," PARAMETER("p", "query", "\"style\":\"pipeDelimited\",\"explode\":false," NUMBERS) "," PARAMETER("o", "query", "\"explode\":false," PAIR) "," PARAMETER("x",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "query",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                 PAIR) "," PARAMETER("d",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "query", "\"style\":\"deepObject\",\"explode\":true," PAIR) "," PARAMETER("j",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "query",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "\"content\":{\"application/json\":{\"schema\":{}}}")) "}}";
    static const row rows[] = {
        {"GET /q?i=9007199254740993&b=true&n=null",
         "q {\"i\":9007199254740993,\"b\":true,\"n\":null}"},
        {"GET /q?i=99999999999999999999", "q {\"i\":99999999999999999999}"},
        {"GET /q?i=x&b=1&n=", "q {\"i\":\"x\",\"b\":\"1\",\"n\":\"\"}"},
        {"GET /q?i=1&i=2", "q {\"i\":[1,2]}"},
        {"GET /q?i=07", "q {\"i\":\"07\"}"},
        {"GET /q?a=1&a=2", "q {\"a\":[1,2]}"},
        {"GET /q?a=1", "q {\"a\":[1]}"},
        {"GET /q?c=1,2", "q {\"c\":[1,2]}"},
        {"GET /q?s=1%202+3", "q {\"s\":[1,2,3]}"},
        {"GET /q?p=1%7C2%7c3", "q {\"p\":[1,2,3]}"},
        {"GET /q?p=1|2", "q {\"p\":[1,2]}"},
        {"GET /q?o=r,1,g,x+y", "q {\"o\":{\"r\":1,\"g\":\"x y\"}}"},
        {"GET /q?r=1&g=b&other=2", "q {\"x\":{\"r\":1,\"g\":\"b\"}}"},
        {"GET /q?d[r]=1&d%5Bg%5D=b", "q {\"d\":{\"r\":1,\"g\":\"b\"}}"},
        {"GET /q?j=%7B%22k%22:[1]%7D", "q {\"j\":{\"k\":[1]}}"},
        {"GET /q?j=no", "q {\"j\":\"no\"}"},
        {"GET /q?i=%zz", "400 `%zz` is not well escaped, or no UTF-8"},
        {"GET /q?unknown=1&&=", "q {}"},
    };
    run("", paths, NULL, rows, LG_COUNT(rows));
}

static void headers_and_cookies(void)
{
    static const char paths[] = "{\"/h\":{\"get\":" OP(
        "h", PARAMETER("X-Count", "header", "\"schema\":{\"type\":\"integer\"}") "," PARAMETER(
                 "X-List", "header",
                 NUMBERS) "," PARAMETER("X-Pair", "header",
                                        "\"explode\":true," PAIR) "," PARAMETER("sid", "cookie",
                                                                                "\"schema\""
                                                                                ":" STRING)) "}}";
    static const row rows[] = {
        {"GET /h\nx-count: 3\nX-LIST: 1, 2\nx-pair: r=1,g=a%20b",
         "h {\"X-Count\":3,\"X-List\":[1,2],\"X-Pair\":{\"r\":1,\"g\":\"a%20b\"}}"},
        {"GET /h\nx-list: 1\nx-list: 2", "h {\"X-List\":[1,2]}"},
        {"GET /h\ncookie: a=b; sid=x%20y; z", "h {\"sid\":\"x y\"}"},
        {"GET /h\ncookie: sid=100%", "h {\"sid\":\"100%\"}"},
    };
    run("", paths, NULL, rows, LG_COUNT(rows));
}

#define BODY(media, schema, required)                                                              \
    "\"requestBody\":{\"required\":" required ",\"content\":{\"" media "\":{\"schema\":" schema    \
    "}}}"
#define CARD                                                                                       \
    "{\"type\":\"object\",\"properties\":{\"name\":" STRING                                        \
    ",\"n\":{\"type\":\"integer\"},\"tags\":{\"type\":\"array\",\"items\":" STRING "},"            \
    "\"at\":{\"type\":\"object\",\"properties\":{\"zip\":" STRING "}}},"                           \
    "\"additionalProperties\":false}"

static void bodies(void)
{
    static const char paths[] =
        "{'/untyped':{'post':{'operationId':'untyped','requestBody':{'content':{'application/json':"
        "{'schema':{'properties':{'a':{}}}}}}}},"
        "\"/j\":{\"post\":{\"operationId\":\"j\"," BODY(
            "application/json", CARD,
            "true") "}},"
                    "\"/w\":{\"post\":{\"operationId\":\"w\"," BODY(
                        "application/json", "{\"type\":\"array\"}",
                        "false") "}},"
                                 "\"/f\":{\"post\":{\"operationId\":\"f\"," BODY(
                                     "application/x-www-form-urlencoded", CARD,
                                     "true") "}},"
                                             "\"/m\":{\"post\":{\"operationId\":\"m\"," BODY(
                                                 "multipart/form-data", CARD,
                                                 "true") "}},"
                                                         "\"/"
                                                         "t\":{\"post\":{\"operationId\":"
                                                         "\"t\"," BODY(
                                                             "text/plain", STRING,
                                                             "true") "}},"
                                                                     "\"/"
                                                                     "b\":{\"post\":{"
                                                                     "\"operationId\":"
                                                                     "\"b\"," BODY(
                                                                         "application/octet-stream",
                                                                         STRING, "true") "}}}";
    static const row rows[] = {
        {"POST /j\ncontent-type: application/json; charset=utf-8\n\n{\"name\":\"a\",\"n\":1}",
         "j {\"name\":\"a\",\"n\":1}"},
        {"POST /j\n\n{\"n\":\"1\"}", "j {\"n\":\"1\"}"},
        {"POST /j\n\n{\"nn\":1}", "422 the body may not have the member `nn`"},
        {"POST /j\n\n[]", "422 the body must be an object"},
        {"POST /j\n\nnull", "422 the body must be an object"},
        {"POST /untyped\n\nnull", "untyped {}"},
        {"POST /untyped\n\n\"x\"", "untyped {}"},
        {"POST /untyped\n\n1", "untyped {}"},
        {"POST /j", "422 the request needs a body"},
        {"POST /j\ncontent-type: text/xml\n\n<a/>",
         "415 a body of type `text/xml` is not taken here; these are: application/json"},
        {"POST /w\n\n[1]", "w {\"body\":[1]}"},
        {"POST /w", "w {}"},
        {"POST /f\ncontent-type: application/x-www-form-urlencoded\n\n"
         "name=a+b&n=2&tags=x&tags=y&at[zip]=%31",
         "f {\"name\":\"a b\",\"n\":2,\"tags\":[\"x\",\"y\"],\"at\":{\"zip\":\"1\"}}"},
        {"POST /f\ncontent-type: application/x-www-form-urlencoded\n\ntags[]=x&tags[1]=y",
         "f {\"tags\":[\"x\",\"y\"]}"},
        {"POST /f\ncontent-type: application/x-www-form-urlencoded\n\nat={\"zip\":\"1\"}",
         "f {\"at\":{\"zip\":\"1\"}}"},
        {"POST /f\ncontent-type: application/x-www-form-urlencoded\n\nzz=1",
         "422 the body may not have the member `zz`"},
        {"POST /m\ncontent-type: multipart/form-data; boundary=\"B\"\n\n"
         "--B\r\nContent-Disposition: form-data; name=\"name\"; filename=\"f.txt\"\r\n"
         "Content-Type: text/plain\r\n\r\nline\r\nline\r\n--B\r\n"
         "content-disposition: form-data; name=n\r\n\r\n7\r\n--B--\r\n",
         "m {\"name\":\"line\\r\\nline\",\"n\":7}"},
        {"POST /m\ncontent-type: multipart/form-data; boundary=B\n\n--B\r\n\r\nx\r\n--B--",
         "400 a part of the multipart body has no name: it needs the header `Content-Disposition: "
         "form-data; name=...`"},
        {"POST /m\ncontent-type: multipart/form-data; boundary=B\n\n--B\r\n",
         "400 the multipart body has no closing boundary `--B--`"},
        {"POST /m\ncontent-type: multipart/form-data\n\nx",
         "400 the Content-Type of the multipart body names no boundary"},
        {"POST /t\ncontent-type: text/plain\n\n12", "t {\"body\":\"12\"}"},
        {"POST /b\ncontent-type: application/octet-stream\n\n\xff\x01", "b {\"body\":\"/wE=\"}"},
    };
    run("", paths, NULL, rows, LG_COUNT(rows));
}

static void broken_json_has_its_place(void)
{
    fixture f;
    if (fixture_open(&f, "", "{\"/j\":{\"post\":{" BODY("application/json", CARD, "true") "}}}",
                     NULL)) {
        lg_str told = fixture_told(&f, "POST /j\n\n{\"n\":\n1,}");
        CHECK(lg_str_starts(told, LG_STR("400 the body is no JSON: line 2, column 3: ")));
        lg_arena_done(&f.arena);
    }
}

static void credentials(void)
{
    static const char more[] = "\"security\":[{\"key\":[]},{\"basic\":[],\"other\":[]}],"
                               "\"components\":{\"securitySchemes\":{"
                               "\"key\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Key\"},"
                               "\"basic\":{\"type\":\"http\",\"scheme\":\"basic\"},"
                               "\"other\":{\"type\":\"apiKey\",\"in\":\"query\",\"name\":\"k\"},"
                               "\"token\":{\"type\":\"oauth2\"}}},";
    static const char paths[] =
        "{\"/a\":{\"get\":{\"operationId\":\"a\"}},"
        "\"/free\":{\"get\":{\"operationId\":\"free\",\"security\":[]}},"
        "\"/may\":{\"get\":{\"operationId\":\"may\",\"security\":[{\"token\":[]},{}]}},"
        "\"/t\":{\"get\":{\"operationId\":\"t\",\"security\":[{\"token\":[]}]}}}";
    static const row any[] = {
        {"GET /a\nx-key: 1", "a {}"},
        {"GET /a?k=1\nauthorization: Basic dTpw", "a {}"},
        {"GET /a\nauthorization: Basic dTpw",
         "401 this operation asks for credentials: header `X-Key` is missing or wrong"},
        {"GET /free", "free {}"},
        {"GET /may", "may {}"},
        {"GET /t\nauthorization: bearer x", "t {}"},
        {"GET /t\nauthorization: Basic x", "401 this operation asks for credentials: header "
                                           "`Authorization` with scheme Bearer is missing "
                                           "or wrong"},
    };
    static const row right[] = {
        {"GET /a\nx-key: secret", "a {}"},
        {"GET /a\nx-key: other",
         "401 this operation asks for credentials: header `X-Key` is missing or wrong"},
        {"GET /a?k=secret\nauthorization: Basic dTpzZWNyZXQ=", "a {}"},
        {"GET /t\nauthorization: Bearer secret", "t {}"},
    };
    static const row none[] = {{"GET /a", "a {}"}, {"GET /t", "t {}"}};
    const lg_rest_options secret = {.credential = LG_STR("secret")};
    const lg_rest_options without = {.without_security = true};
    run(more, paths, NULL, any, LG_COUNT(any));
    run(more, paths, &secret, right, LG_COUNT(right));
    run(more, paths, &without, none, LG_COUNT(none));
}

static void preferences(void)
{
    static const struct {
        const char *request;
        uint32_t status, code;
        const char *example;
        bool dynamic;
        uint64_t seed;
    } rows[] = {
        {"GET /a\nprefer: code=404, example=x, dynamic=true, seed=7", 0, 404, "x", true, 7},
        {"GET /a\nprefer: code=404; example=\"a,b\"", 0, 404, "a,b", false, 0},
        {"GET /a\nprefer: respond-async, code=204\nprefer: example=y", 0, 204, "y", false, 0},
        {"GET /a?__code=500&__example=z%20z", 0, 500, "z z", false, 0},
        {"GET /a?__code=500\nPrefer: code=409", 0, 409, "", false, 0},
        {"GET /a\nprefer: code=100", 422, 0, "", false, 0},
        {"GET /a\nprefer: code=600", 422, 0, "", false, 0},
        {"GET /a\nprefer: code=0", 422, 0, "", false, 0},
        {"GET /a\nprefer: code=-1", 422, 0, "", false, 0},
        {"GET /a?__code=2e2", 422, 0, "", false, 0},
        {"GET /a\nprefer: dynamic=yes", 422, 0, "", false, 0},
        {"GET /a\nprefer: seed=99999999999999999999999", 422, 0, "", false, 0},
    };
    fixture f;
    if (!fixture_open(&f, "", "{\"/a\":{\"get\":{}}}", NULL)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_rest_call call;
        lg_rest_problem problem;
        fixture_read(&f, rows[i].request, &call, &problem);
        CHECK(problem.status == rows[i].status);
        if (!rows[i].status) {
            CHECK(call.prefer.code == rows[i].code && call.prefer.dynamic == rows[i].dynamic &&
                  call.prefer.seed == rows[i].seed);
            CHECK_STR(call.prefer.example, rows[i].example);
        }
    }
    lg_arena_done(&f.arena);
}

static void what_is_accepted(void)
{
    static const char paths[] = "{\"/"
                                "a\":{\"get\":{\"operationId\":\"a\",\"responses\":{\"200\":{"
                                "\"description\":\"\",\"content\":{"
                                "\"application/json\":{},\"text/plain\":{}}}}}}}";
    static const row rows[] = {
        {"GET /a\naccept: application/*;q=0.5, text/html", "a {}"},
        {"GET /a\naccept: image/png",
         "406 what is answered here is application/json, which the request does not accept"},
        {"GET /a\naccept: application/json;q=0, text/plain;q=0",
         "406 what is answered here is application/json, which the request does not accept"},
        {"GET /a\naccept: */*", "a {}"},
    };
    run("", paths, NULL, rows, LG_COUNT(rows));
}

int main(void)
{
    RUN(paths_lead_to_operations);
    RUN(styles_of_paths);
    RUN(styles_of_queries);
    RUN(headers_and_cookies);
    RUN(bodies);
    RUN(broken_json_has_its_place);
    RUN(credentials);
    RUN(preferences);
    RUN(what_is_accepted);
    return lg_test_done();
}
