// test_respond.c: answers and problems as the document says them: status, headers, body, XML.
#include "rest_fixture.h"

#define STRING "{'type':'string'}"
#define OBJECT "{'type':'object','properties':{'n':{'type':'integer'}}}"
#define JSON(schema) "'content':{'application/json':{'schema':" schema "}}"
#define ERROR                                                                                      \
    "{'type':'object','required':['error','code'],'properties':{'code':{'type':'integer'},"        \
    "'error':{'type':'object','required':['kind','message'],'properties':{"                        \
    "'kind':{'enum':['bad']},'message':" STRING "}}}}"

static void respond(fixture *f, const char *request, lg_rest_answer answer, lg_rest_response *ret)
{
    lg_rest_call call;
    lg_rest_problem problem;
    fixture_read(f, request, &call, &problem);
    CHECK(problem.status == 0);
    CHECK(lg_rest_respond(f->rest, &f->arena, &call, &answer, ret) == LG_OK);
}

static void refuse(fixture *f, const char *request, lg_rest_response *ret)
{
    lg_rest_call call;
    lg_rest_problem problem;
    fixture_read(f, request, &call, &problem);
    CHECK(problem.status != 0);
    CHECK(lg_rest_refuse(f->rest, &f->arena, &call, &problem, ret) == LG_OK);
}

static const lg_json *value_of(fixture *f, const char *text)
{
    const lg_json *value = NULL;
    CHECK(lg_json_parse_in(&f->arena, lg_str_c(text), 0, strlen(text), NULL, &value, NULL) ==
          LG_OK);
    return value;
}

static void done_is_what_is_documented(void)
{
    static const char paths[] = "{'/a':{'get':{'responses':{'200':{" JSON(
        OBJECT) "}}}},"
                "'/made':{'get':{'responses':{'201':{" JSON(OBJECT) "},'404':{" JSON(
                    STRING) "}}}},"
                            "'/gone':{'get':{'responses':{'204':{}}}},"
                            "'/range':{'get':{'responses':{'2XX':{" JSON(
                                OBJECT) "}}}},"
                                        "'/default':{'get':{'responses':{'default':{" JSON(
                                            OBJECT) "}}}},"
                                                    "'/nothing':{'get':{'responses':{}}},"
                                                    "'/"
                                                    "text':{'get':{'responses':{'200':{'content':{'"
                                                    "text/plain':{}}}}}},"
                                                    "'/"
                                                    "away':{'get':{'responses':{'302':{'headers':{'"
                                                    "Location':{'schema':{'const':'/there'}}}}}}},"
                                                    "'/"
                                                    "headers':{'get':{'responses':{'200':{'headers'"
                                                    ":{"
                                                    "'X-Rate':{'required':true,'schema':{'const':7}"
                                                    "},'X-May':{'schema':{}},"
                                                    "'Content-Type':{'required':true,'schema':{}}}"
                                                    "," JSON(OBJECT) "}}}}}";
    static const struct {
        const char *request;
        uint32_t status;
        const char *type, *body;
    } rows[] = {
        {"GET /a", 200, "application/json", "{\"n\":1}"},
        {"HEAD /a", 200, "application/json", ""},
        {"GET /made", 201, "application/json", "{\"n\":1}"},
        {"GET /gone", 204, "", ""},
        {"GET /range", 200, "application/json", "{\"n\":1}"},
        {"GET /default", 200, "application/json", "{\"n\":1}"},
        {"GET /nothing", 200, "application/json", "{\"n\":1}"},
        {"GET /away", 302, "application/json", "{\"n\":1}"},
        {"GET /headers", 200, "application/json", "{\"n\":1}"},
    };
    fixture f;
    if (!fixture_open(&f, "", paths, NULL)) {
        return;
    }
    lg_rest_answer answer = {.value = value_of(&f, "{\"n\":1}")};
    lg_rest_response response;
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        respond(&f, rows[i].request, answer, &response);
        CHECK_MSG(response.status == rows[i].status, rows[i].request);
        CHECK_STR(fixture_header(&response, "content-type"), rows[i].type);
        CHECK_STR(response.body, rows[i].body);
    }
    CHECK_STR(fixture_header(&response, "X-Rate"), "7");
    CHECK(response.header_count == 2);
    respond(&f, "GET /away", answer, &response);
    CHECK_STR(fixture_header(&response, "Location"), "/there");
    answer.value = value_of(&f, "\"a \\\"b\\\"\"");
    respond(&f, "GET /text", answer, &response);
    CHECK_STR(fixture_header(&response, "content-type"), "text/plain");
    CHECK_STR(response.body, "a \"b\"");
    lg_arena_done(&f.arena);
}

static void what_is_accepted_chooses(void)
{
    static const char paths[] =
        "{'/a':{'get':{'responses':{'200':{'content':{'text/plain':{'schema':" STRING "},"
        "'application/json':{'schema':" STRING "},'application/xml':{'schema':" STRING "}}}}}}}";
    static const struct {
        const char *accept, *type, *body;
    } rows[] = {
        {"", "application/json", "\"x<y\""},
        {"\naccept: text/plain", "text/plain", "x<y"},
        {"\naccept: text/*;q=0.2, application/xml;q=0.9", "application/xml",
         "<?xml version=\"1.0\" encoding=\"UTF-8\"?><response>x&lt;y</response>"},
    };
    fixture f;
    if (!fixture_open(&f, "", paths, NULL)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_rest_response response;
        lg_rest_answer answer = {.value = value_of(&f, "\"x<y\"")};
        respond(&f, lg_arena_printf(&f.arena, "GET /a%s", rows[i].accept).ptr, answer, &response);
        CHECK(response.status == 200);
        CHECK_STR(fixture_header(&response, "content-type"), rows[i].type);
        CHECK_STR(response.body, rows[i].body);
    }
    lg_arena_done(&f.arena);
}

static void xml_repeats_the_name_of_a_list(void)
{
    static const char paths[] =
        "{'/x':{'get':{'responses':{'200':{'content':{'application/xml':{}}}}}}}";
    static const struct {
        const char *value, *body;
    } rows[] = {
        {"{\"a\":[1,2],\"b\":{\"c\":null,\"d\":true}}",
         "<response><a>1</a><a>2</a><b><c>null</c><d>true</d></b></response>"},
        {"[]", "<response></response>"},
        {"[1,[2]]", "<response><item>1</item><item>2</item></response>"},
        {"{\"1 x\":\"&\\u0001\"}", "<response><item>&amp;?</item></response>"},
    };
    fixture f;
    if (!fixture_open(&f, "", paths, NULL)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_rest_response response;
        lg_rest_answer answer = {.value = value_of(&f, rows[i].value)};
        respond(&f, "GET /x", answer, &response);
        size_t head = strlen("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        CHECK_STR(lg_str_slice(response.body, head, response.body.len), rows[i].body);
    }
    lg_arena_done(&f.arena);
}

// Which status a document has for what is wrong, and what it has not.
static void statuses_of_problems(void)
{
    static const char paths[] = "{'/none':{'get':{'responses':{'200':{}}}},"
                                "'/400':{'get':{'responses':{'400':{}}}},"
                                "'/both':{'get':{'responses':{'400':{},'422':{}}}},"
                                "'/4XX':{'get':{'responses':{'4XX':{}}}},"
                                "'/404':{'get':{'responses':{'404':{}}}},"
                                "'/default':{'get':{'responses':{'default':{}}}},"
                                "'/403':{'get':{'responses':{'403':{}}}}}";
    static const struct {
        const char *request;
        uint32_t invalid, absent, conflict;
    } rows[] = {
        {"GET /none", 400, 404, 409}, {"GET /400", 400, 404, 409}, {"GET /both", 422, 404, 409},
        {"GET /4XX", 422, 404, 409},  {"GET /404", 404, 404, 409}, {"GET /default", 400, 404, 409},
        {"GET /403", 400, 404, 403},
    };
    fixture f;
    if (!fixture_open(&f, "", paths, NULL)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_rest_response response;
        respond(&f, rows[i].request, (lg_rest_answer){.kind = LG_REST_INVALID}, &response);
        CHECK_MSG(response.status == rows[i].invalid, rows[i].request);
        respond(&f, rows[i].request, (lg_rest_answer){.kind = LG_REST_ABSENT}, &response);
        CHECK_MSG(response.status == rows[i].absent, rows[i].request);
        respond(&f, rows[i].request, (lg_rest_answer){.kind = LG_REST_CONFLICT}, &response);
        CHECK_MSG(response.status == rows[i].conflict, rows[i].request);
        respond(&f, rows[i].request, (lg_rest_answer){.kind = LG_REST_FAILED}, &response);
        CHECK_MSG(response.status == 500, rows[i].request);
    }
    lg_arena_done(&f.arena);
}

static void sentences_stand_where_the_document_has_a_place(void)
{
    static const char more[] = "'components':{'schemas':{'Error':" ERROR "}},";
    static const char paths[] = "{'/e':{'get':{'responses':{'4XX':{" JSON(
        "{'$ref':'#/components/schemas/Error'}") "}}}},"
                                                 "'/"
                                                 "plain':{'get':{'responses':{'404':"
                                                 "{" JSON("{'type':'object','maxProperties':"
                                                          "0}") "}}}},"
                                                                "'/"
                                                                "text':{'get':{'responses':{"
                                                                "'404':{'content':{'text/"
                                                                "plain':{}}}}}},"
                                                                "'/rfc':{'get':{}},"
                                                                "'/"
                                                                "xml':{'get':{'responses':{'"
                                                                "404':{'content':{'"
                                                                "application/"
                                                                "xml':{'schema':" ERROR "}}}}}}}";
    fixture f;
    if (!fixture_open(&f, more, paths, NULL)) {
        return;
    }
    lg_rest_response response;
    lg_rest_violation at = {.pointer = LG_STR("/n"), .message = LG_STR("too small")};
    lg_rest_answer answer = {.kind = LG_REST_ABSENT,
                             .message = LG_STR("there is none"),
                             .violations = &at,
                             .violation_count = 1};
    respond(&f, "GET /e", answer, &response);
    CHECK_STR(response.body,
              "{\"code\":404,\"error\":{\"kind\":\"bad\",\"message\":\"there is none\"}}");
    respond(&f, "GET /plain", answer, &response);
    CHECK_STR(response.body, "{}");
    respond(&f, "GET /text", answer, &response);
    CHECK_STR(response.body, "there is none");
    CHECK_STR(fixture_header(&response, "content-type"), "text/plain");
    respond(&f, "GET /xml", answer, &response);
    CHECK(lg_str_find(response.body, LG_STR("<message>there is none</message>")) != SIZE_MAX);
    respond(&f, "GET /rfc", answer, &response);
    CHECK_STR(fixture_header(&response, "content-type"), "application/problem+json");
    CHECK_STR(response.body, "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
                             "\"detail\":\"there is none\",\"violations\":[{\"pointer\":\"/n\","
                             "\"message\":\"too small\"}]}");
    lg_arena_done(&f.arena);
}

static void problems_of_requests(void)
{
    static const char more[] =
        "'components':{'securitySchemes':{'k':{'type':'http','scheme':'bearer'}}},";
    static const char paths[] = "{'/a':{'get':{'responses':{'200':{" JSON(
        STRING) "}}}},"
                "'/s':{'get':{'security':[{'k':[]}],'responses':{}}},"
                "'/a400':{'get':{'responses':{'200':{" JSON(
                    STRING) "},'400':{}}}},"
                            "'/s403':{'get':{'security':[{'k':[]}],'responses':{'403':{}}}}}";
    fixture f;
    if (!fixture_open(&f, more, paths, NULL)) {
        return;
    }
    lg_rest_response response;
    refuse(&f, "PUT /a", &response);
    CHECK(response.status == 405);
    CHECK_STR(fixture_header(&response, "allow"), "GET, HEAD");
    refuse(&f, "GET /b", &response);
    CHECK(response.status == 404);
    refuse(&f, "HEAD /b", &response);
    CHECK(response.status == 404 && response.body.len == 0);
    refuse(&f, "GET /a\naccept: image/png", &response);
    CHECK(response.status == 406);
    refuse(&f, "GET /s", &response);
    CHECK(response.status == 401);
    CHECK_STR(fixture_header(&response, "www-authenticate"), "Bearer realm=\"ledgergate\"");
    refuse(&f, "GET /s403", &response);
    CHECK(response.status == 401); // no other status says so
    refuse(&f, "GET /a400\naccept: image/png", &response);
    CHECK(response.status == 400);
    refuse(&f, "GET /%", &response);
    CHECK(response.status == 400);
    lg_arena_done(&f.arena);
}

// A value that does not fit the type that was chosen is not sent as if it did.
static void another_type_has_a_value_of_its_own(void)
{
    static const char paths[] = "{'/a':{'get':{'responses':{'200':{'content':{'application/"
                                "json':{'schema':{'type':'integer'}},"
                                "'text/csv':{'schema':{'enum':['a,b']}}}}}}}}";
    fixture f;
    if (!fixture_open(&f, "", paths, NULL)) {
        return;
    }
    lg_rest_response response;
    lg_rest_answer answer = {.value = value_of(&f, "5")};
    respond(&f, "GET /a", answer, &response);
    CHECK_STR(response.body, "5");
    respond(&f, "GET /a\naccept: text/csv", answer, &response);
    CHECK_STR(response.body, "a,b");
    answer.value = NULL;
    respond(&f, "GET /a", answer, &response);
    lg_rest_response again;
    respond(&f, "GET /a", answer, &again);
    CHECK(response.body.len > 0 && lg_str_eq(response.body, again.body));
    lg_arena_done(&f.arena);
}

// A document's text may not begin a header of its own.
static void headers_stay_one_line(void)
{
    static const char paths[] =
        "{'/a':{'get':{'responses':{'200':{'headers':{'X-A':{'required':true,'schema':{"
        "'const':'a\\r\\nx-evil: 1'}}}," JSON(
            STRING) "}}}},"
                    "'/b':{'get':{'responses':{'200':{'content':{'text/plain\\r\\nx-evil: "
                    "1':{}}}}}}}";
    fixture f;
    if (!fixture_open(&f, "", paths, NULL)) {
        return;
    }
    lg_rest_response response;
    lg_rest_answer answer = {.value = value_of(&f, "\"x\"")};
    respond(&f, "GET /a", answer, &response);
    CHECK(response.header_count == 1);
    respond(&f, "GET /b", answer, &response);
    CHECK(response.header_count == 0);
    lg_arena_done(&f.arena);
}

// Whatever is lacking, it is said, and nothing is half-made.
static void out_of_memory_is_said(void)
{
    static const char paths[] =
        "{'/e':{'get':{'responses':{'200':{" JSON(STRING) "},'404':{" JSON(ERROR) "}}}}}";
    fixture f;
    if (!fixture_open(&f, "", paths, NULL)) {
        return;
    }
    lg_rest_call call;
    lg_rest_problem problem;
    fixture_read(&f, "GET /e", &call, &problem);
    bool done = false;
    for (size_t limit = 256; !done && limit < 1u << 20; limit += limit / 2) {
        lg_arena small;
        lg_rest_response response;
        lg_rest_answer answer = {.kind = LG_REST_ABSENT, .message = LG_STR("there is none")};
        lg_arena_init(&small, limit);
        lg_status status = lg_rest_respond(f.rest, &small, &call, &answer, &response);
        done = status == LG_OK;
        CHECK(done || status == LG_ERR_OOM);
        CHECK(!done || lg_str_find(response.body, LG_STR("there is none")) != SIZE_MAX);
        lg_arena_done(&small);
    }
    CHECK(done);
    lg_arena_done(&f.arena);
}

int main(void)
{
    RUN(done_is_what_is_documented);
    RUN(what_is_accepted_chooses);
    RUN(xml_repeats_the_name_of_a_list);
    RUN(statuses_of_problems);
    RUN(sentences_stand_where_the_document_has_a_place);
    RUN(problems_of_requests);
    RUN(another_type_has_a_value_of_its_own);
    RUN(headers_stay_one_line);
    RUN(out_of_memory_is_said);
    return lg_test_done();
}
