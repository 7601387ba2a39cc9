// test_prefer.c: the response that a client prefers: by status, by the name of an example, made up by seed.
#include "rest_fixture.h"

#define EXAMPLES                                                                                   \
    "'examples':{'one':{'value':{'n':1}},'two':{'$ref':'#/components/examples/"                    \
    "two'}}"
static const char more[] = "'components':{'examples':{'two':{'value':{'n':2}}}},";
static const char paths[] =
    "{'/a':{'get':{'operationId':'a','responses':{"
    "'200':{'description':'','content':{'application/json':{" EXAMPLES
    ",'schema':{'type':'object','required':['n'],'properties':{'n':{'type':"
    "'integer','minimum':100}}}}}},"
    "'404':{'description':'','content':{'application/json':{'example':{'e':4}}}},"
    "'5XX':{'description':'','content':{'text/plain':{'example':'down'}}},"
    "'204':{'description':''}}}}}";

static void prefer(fixture *f, const char *request, lg_rest_response *ret)
{
    lg_rest_call call;
    lg_rest_problem problem;
    fixture_read(f, request, &call, &problem);
    CHECK(problem.status == 0);
    CHECK(lg_rest_prefer(f->rest, &f->arena, &call, 1, ret) == LG_OK);
}

static void codes_and_examples(void)
{
    static const struct {
        const char *request;
        uint32_t status;
        const char *body;
    } rows[] = {
        {"GET /a\nprefer: code=200", 200, "{\"n\":1}"},
        {"GET /a\nprefer: example=two", 200, "{\"n\":2}"},
        {"GET /a?__example=two", 200, "{\"n\":2}"},
        {"GET /a\nprefer: code=404", 404, "{\"e\":4}"},
        {"HEAD /a\nprefer: code=404", 404, ""},
        {"GET /a\nprefer: code=503", 503, "down"},
        {"GET /a\nprefer: code=204", 204, ""},
    };
    fixture f;
    if (!fixture_open(&f, more, paths, NULL)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        lg_rest_response response;
        prefer(&f, rows[i].request, &response);
        CHECK_MSG(response.status == rows[i].status, rows[i].request);
        CHECK_STR(response.body, rows[i].body);
    }
    lg_arena_done(&f.arena);
}

static void what_there_is_not(void)
{
    fixture f;
    if (!fixture_open(&f, more, paths, NULL)) {
        return;
    }
    lg_rest_response response;
    prefer(&f, "GET /a\nprefer: code=409", &response);
    CHECK(response.status == 404);
    CHECK(lg_str_find(response.body, LG_STR("the document has no response 409 here; it has: 200, "
                                            "404, 5XX, 204")) != SIZE_MAX);
    prefer(&f, "GET /a\nprefer: example=three", &response);
    CHECK(response.status == 404);
    CHECK(lg_str_find(response.body, LG_STR("it has: one, two")) != SIZE_MAX);
    prefer(&f, "GET /a\nprefer: code=404, example=three", &response);
    CHECK(lg_str_find(response.body, LG_STR("it has: none")) != SIZE_MAX);
    lg_arena_done(&f.arena);
}

static lg_str made(fixture *f, const char *request)
{
    lg_rest_response response;
    prefer(f, request, &response);
    CHECK(response.status == 200);
    return response.body;
}

static void seeds_decide(void)
{
    fixture f;
    const lg_rest_options options = {.dynamic = true};
    if (!fixture_open(&f, more, paths, &options)) {
        return;
    }
    lg_str seven = made(&f, "GET /a\nprefer: seed=7, code=200");
    CHECK(lg_str_eq(seven, made(&f, "GET /a?__seed=7&__dynamic=true")));
    CHECK(!lg_str_eq(seven, made(&f, "GET /a\nprefer: seed=8, code=200")));
    CHECK(!lg_str_eq(seven, LG_STR("{\"n\":1}")));
    CHECK_STR(made(&f, "GET /a\nprefer: dynamic=false"), "{\"n\":1}");
    lg_arena_done(&f.arena);
}

int main(void)
{
    RUN(codes_and_examples);
    RUN(what_there_is_not);
    RUN(seeds_decide);
    return lg_test_done();
}
