// test_document.c: the document as served; a Swagger 2.0 document, there and back.
#include "rest_fixture.h"

static bool open_text(fixture *f, const char *text)
{
    lg_error err = {0};
    lg_arena_init(&f->arena, 0);
    bool ok = lg_catalogue_read(&f->arena, fixture_json(&f->arena, text), NULL, &f->catalogue,
                                &err) == LG_OK &&
              lg_rest_new(&f->arena, f->catalogue, NULL, &f->rest, &err) == LG_OK;
    if (!CHECK_MSG(ok, err.msg)) {
        lg_arena_done(&f->arena);
    }
    return ok;
}

static const lg_json *served(fixture *f)
{
    const lg_json *value = NULL;
    lg_buf out;
    lg_buf_init(&out, 0);
    CHECK(lg_rest_document(f->rest, &out));
    lg_str text = lg_arena_str(&f->arena, lg_buf_str(&out));
    lg_buf_done(&out);
    CHECK(lg_json_parse_in(&f->arena, text, 0, text.len, NULL, &value, NULL) == LG_OK);
    return value;
}

static const lg_json *at(const lg_json *value, const char *pointer)
{
    const lg_json *found = lg_json_at(value, lg_str_c(pointer));
    return found;
}

static void only_answers_and_the_server_are_added(void)
{
    fixture f;
    static const char text[] = "{'openapi':'3.0.0','info':{'title':'t','version':'1'},"
                               "'servers':[{'url':'https://h/v1'}],'x-own':[1,{'servers':2}],"
                               "'paths':{'/a':{'summary':'s','servers':[],'parameters':[],"
                               "'get':{'servers':[],'responses':{'200':{'description':'d'}}},"
                               "'put':{'responses':{'default':{'description':'d'}}},"
                               "'post':{'responses':{'404':{'description':'d'}}},"
                               "'delete':{}},'x-more':7}}";
    if (!open_text(&f, text)) {
        return;
    }
    const lg_json *d = served(&f);
    CHECK_STR(lg_json_str(at(d, "/servers/0/url")), "/");
    CHECK(lg_json_len(at(d, "/servers")) == 1);
    CHECK(at(d, "/x-own/1/servers") && at(d, "/paths/x-more") && at(d, "/info/title"));
    CHECK(!at(d, "/paths/~1a/servers") && !at(d, "/paths/~1a/get/servers"));
    CHECK(at(d, "/paths/~1a/summary") && at(d, "/paths/~1a/parameters"));
    CHECK_STR(lg_json_str(at(d, "/paths/~1a/get/responses/200/description")), "d");
    CHECK(at(d, "/paths/~1a/get/responses/default/content/application~1problem+json/schema"));
    CHECK_STR(lg_json_str(at(d, "/paths/~1a/put/responses/default/description")), "d");
    CHECK(lg_json_len(at(d, "/paths/~1a/put/responses")) == 1);
    CHECK(at(d, "/paths/~1a/post/responses/404") && at(d, "/paths/~1a/post/responses/200") &&
          at(d, "/paths/~1a/post/responses/default"));
    CHECK(at(d, "/paths/~1a/delete/responses/200") && at(d, "/paths/~1a/delete/responses/default"));
    lg_arena_done(&f.arena);
}

// What is served is served again just so.
static void it_is_its_own_document(void)
{
    fixture f;
    fixture again;
    if (!fixture_open(&f, "", "{'/a':{'get':{'responses':{}}}}", NULL)) {
        return;
    }
    lg_buf out;
    lg_buf_init(&out, 0);
    CHECK(lg_rest_document(f.rest, &out));
    lg_buf_add_byte(&out, 0);
    if (open_text(&again, out.ptr)) {
        CHECK(lg_json_equal(served(&f), served(&again)));
        lg_arena_done(&again.arena);
    }
    lg_buf_done(&out);
    lg_arena_done(&f.arena);
}

static const char swagger[] =
    "{'swagger':'2.0','info':{'title':'t','version':'1'},'host':'h',"
    "'basePath':'/v2','schemes':['http'],'produces':['application/json'],"
    "'consumes':['application/json'],"
    "'securityDefinitions':{'k':{'type':'apiKey','in':'query','name':'key'},"
    "'b':{'type':'basic'}},"
    "'definitions':{'Pet':{'type':'object','required':['name'],'properties':{"
    "'name':{'type':'string'}}}},"
    "'paths':{'/pets':{'get':{'operationId':'list','parameters':["
    "{'name':'c','in':'query','type':'array','items':{'type':'integer'}},"
    "{'name':'m','in':'query','type':'array','items':{'type':'integer'},"
    "'collectionFormat':'multi'},"
    "{'name':'p','in':'query','type':'array','items':{'type':'integer'},"
    "'collectionFormat':'pipes'},"
    "{'name':'t','in':'query','type':'array','items':{'type':'string'},"
    "'collectionFormat':'tsv'}],"
    "'responses':{'200':{'description':'','schema':{'type':'array','items':{"
    "'$ref':'#/definitions/Pet'}},'headers':{'X-N':{'type':'integer'}},"
    "'examples':{'application/json':[{'name':'e'}]}}}},"
    "'post':{'operationId':'add','parameters':[{'name':'pet','in':'body',"
    "'required':true,'schema':{'$ref':'#/definitions/Pet'}}],"
    "'responses':{'201':{'description':'','schema':{'$ref':'#/definitions/Pet'}}}}},"
    "'/form/{id}':{'post':{'operationId':'form','security':[{'k':[]},{'b':[]}],"
    "'consumes':['application/x-www-form-urlencoded'],'parameters':["
    "{'name':'id','in':'path','required':true,'type':'integer'},"
    "{'name':'n','in':'formData','type':'number'}],'responses':{}}}}}";

static void swagger_is_read(void)
{
    static const struct {
        const char *request, *told;
    } rows[] = {
        {"GET /pets?c=1,2&m=3&m=4&p=5%7C6&t=a%09b",
         "list {\"c\":[1,2],\"m\":[3,4],\"p\":[5,6],\"t\":[\"a\",\"b\"]}"},
        {"GET /v2/pets", "list {}"},
        {"POST /pets\n\n{\"name\":\"x\"}", "add {\"name\":\"x\"}"},
        {"POST /form/7?key=1\ncontent-type: application/x-www-form-urlencoded\n\nn=1.5",
         "form {\"id\":7,\"n\":1.5}"},
        {"POST /form/7\nauthorization: Basic dTpw\ncontent-type: "
         "application/x-www-form-urlencoded\n\nn=x",
         "form {\"id\":7,\"n\":\"x\"}"},
        {"POST /form/7",
         "401 this operation asks for credentials: query `key` is missing or wrong"},
    };
    fixture f;
    if (!open_text(&f, swagger)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        CHECK_STR(fixture_told(&f, rows[i].request), rows[i].told);
    }
    lg_arena_done(&f.arena);
}

static void swagger_is_answered(void)
{
    fixture f;
    if (!open_text(&f, swagger)) {
        return;
    }
    lg_rest_call call;
    lg_rest_problem problem;
    lg_rest_response response;
    lg_rest_answer answer = {.kind = LG_REST_DONE, .seed = 1};
    fixture_read(&f, "GET /pets\nprefer: code=200", &call, &problem);
    CHECK(lg_rest_prefer(f.rest, &f.arena, &call, 1, &response) == LG_OK);
    CHECK_STR(response.body, "[{\"name\":\"e\"}]");
    CHECK_STR(fixture_header(&response, "content-type"), "application/json");
    fixture_read(&f, "POST /pets\n\n{\"name\":\"x\"}", &call, &problem);
    CHECK(lg_rest_respond(f.rest, &f.arena, &call, &answer, &response) == LG_OK);
    CHECK(response.status == 201 && lg_str_find(response.body, LG_STR("\"name\":")) != SIZE_MAX);
    lg_arena_done(&f.arena);
}

static void swagger_is_written_and_served(void)
{
    fixture f;
    if (!open_text(&f, swagger)) {
        return;
    }
    lg_error err = {0};
    lg_rest_sending sending;
    const lg_json *args = NULL;
    lg_str text = LG_STR("{\"c\":[1,2],\"m\":[3,4],\"p\":[5,6]}");
    CHECK(lg_json_parse_in(&f.arena, text, 0, text.len, NULL, &args, NULL) == LG_OK);
    CHECK(lg_rest_write(lg_rest_named(f.rest, LG_STR("list")), &f.arena, LG_STR(""), args, &sending,
                        &err) == LG_OK);
    CHECK_STR(sending.url, "http://h/v2/pets?c=1,2&m=3&m=4&p=5%7C6");
    const lg_json *d = served(&f);
    CHECK_STR(lg_json_str(at(d, "/basePath")), "/");
    CHECK(!at(d, "/host") && !at(d, "/schemes") && at(d, "/produces"));
    CHECK(at(d, "/paths/~1pets/get/responses/default/schema/properties/detail"));
    CHECK(at(d, "/paths/~1form~1{id}/post/responses/200"));
    lg_arena_done(&f.arena);
}

int main(void)
{
    RUN(only_answers_and_the_server_are_added);
    RUN(it_is_its_own_document);
    RUN(swagger_is_read);
    RUN(swagger_is_answered);
    RUN(swagger_is_written_and_served);
    return lg_test_done();
}
