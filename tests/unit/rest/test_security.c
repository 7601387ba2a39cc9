// test_security.c: credentials where they may stand, how they may be wrong, and what cannot be seen.
#include "rest_fixture.h"

static const char more[] = "'components':{'securitySchemes':{"
                           "'cookie':{'type':'apiKey','in':'cookie','name':'sid'},"
                           "'query':{'type':'apiKey','in':'query','name':'k'},"
                           "'basic':{'type':'http','scheme':'Basic'},"
                           "'digest':{'type':'http','scheme':'digest'},"
                           "'connect':{'type':'openIdConnect'},"
                           "'tls':{'type':'mutualTLS'},"
                           "'odd':{'type':'apiKey','in':'body','name':'x'}}},";
#define OP(name, list) "'/" name "':{'get':{'operationId':'" name "','security':" list "}},"
static const char paths[] = "{" OP("cookie", "[{'cookie':[]}]") OP("query", "[{'query':[]}]")
    OP("basic", "[{'basic':[]}]") OP("digest", "[{'digest':[]}]") OP("connect", "[{'connect':[]}]")
        OP("tls", "[{'tls':[]}]") OP("odd", "[{'odd':[]}]") OP("unknown", "[{'nobody':[]}]")
            OP("both", "[{'query':[],'basic':[]}]")
                OP("either", "[{'query':[]},{'connect':[]}]") "'/end':{}}";

typedef struct row {
    const char *request;
    uint32_t status;
    const char *challenge;
} row;

static void run(const lg_rest_options *options, const row *rows, size_t count)
{
    fixture f;
    if (!fixture_open(&f, more, paths, options)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        lg_rest_call call;
        lg_rest_problem problem;
        fixture_read(&f, rows[i].request, &call, &problem);
        CHECK_MSG(problem.status == rows[i].status, rows[i].request);
        CHECK_STR(problem.authenticate, rows[i].challenge);
        CHECK((problem.status == 0) == (call.args != NULL));
    }
    lg_arena_done(&f.arena);
}

static void any_credential_will_do(void)
{
    static const row rows[] = {
        {"GET /cookie\ncookie: a=b; sid=1", 0, ""},
        {"GET /cookie\ncookie: sid=", 401, ""},
        {"GET /cookie?sid=1", 401, ""},
        {"GET /query?k=1", 0, ""},
        {"GET /query?K=1", 401, ""},
        {"GET /basic\nauthorization: bAsIc eA==", 0, ""},
        {"GET /basic\nauthorization: Basic", 401, "Basic realm=\"ledgergate\""},
        {"GET /basic\nauthorization: Basic  ", 401, "Basic realm=\"ledgergate\""},
        {"GET /digest\nauthorization: Digest username=\"x\"", 0, ""},
        {"GET /digest", 401, ""},
        {"GET /connect\nauthorization: Bearer x", 0, ""},
        {"GET /connect\nauthorization: Bearerx", 401, "Bearer realm=\"ledgergate\""},
        {"GET /tls", 0, ""},
        {"GET /odd", 0, ""},
        {"GET /unknown", 0, ""},
        {"GET /both?k=1", 401, "Basic realm=\"ledgergate\""},
        {"GET /both?k=1\nauthorization: Basic eA==", 0, ""},
        {"GET /either?k=1", 0, ""},
        {"GET /either\nauthorization: Bearer 1", 0, ""},
        {"GET /either", 401, "Bearer realm=\"ledgergate\""},
    };
    run(NULL, rows, LG_COUNT(rows));
}

static void only_the_right_one_will(void)
{
    static const lg_rest_options options = {.credential = {"u:p", 3}};
    static const row rows[] = {
        {"GET /basic\nauthorization: Basic dTpw", 0, ""},
        {"GET /basic\nauthorization: Basic dTpx", 401, "Basic realm=\"ledgergate\""},
        {"GET /basic\nauthorization: Basic ####", 401, "Basic realm=\"ledgergate\""},
        {"GET /query?k=u:p", 0, ""},
        {"GET /query?k=u:px", 401, ""},
        {"GET /query?k=u%3Ap", 0, ""},
        {"GET /cookie\ncookie: sid=u%3Ap", 0, ""},
    };
    run(&options, rows, LG_COUNT(rows));
}

int main(void)
{
    RUN(any_credential_will_do);
    RUN(only_the_right_one_will);
    return lg_test_done();
}
