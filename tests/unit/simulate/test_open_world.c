// test_open_world.c: what one call names another finds, and what it said stays so.
//
// By hand for a small REST interface and a few tools known by name alone; then as laws, for random calls of both: the
// same call twice gives the same answer, no answer contradicts what the session was shown or has written, and each is valid
// by its schema.
#include "lg_test.h"

#include "catalogue/catalogue.h"
#include "dice.h"
#include "json_fixture.h"
#include "simulate/open_world.h"
#include "simulate/simulate.h"
#include "world/world.h"

// clang-format off
#define PET "{'type':'object','required':['id','name'],'properties':{'id':{'type':'integer','minimum':1,'maximum':9007199254740993}," \
    "'name':{'type':'string'},'status':{'enum':['available','sold']},'born':{'type':'string','format':'date'}}}"
#define FIELDS(properties) "'requestBody':{'content':{'application/json':{'schema':{'type':'object','properties':{" properties "}}}}},"
#define PET_FIELDS FIELDS("'id':{'type':'integer'},'name':{'type':'string'},'status':{'enum':['available','sold']}")
#define OK(schema) "'responses':{'200':{'content':{'application/json':{'schema':" schema "}}}}}"
#define PET_ID "{'name':'petId','in':'path','required':true,'schema':{'type':'integer'}}"
#define QUERY(name, type) "{'name':'" name "','in':'query','schema':{'type':'" type "'}}"
#define IN_PATH(name) "{'name':'" name "','in':'path','required':true,'schema':{'type':'string'}}"
#define OPERATION(method, id, parameters) "'" method "':{'operationId':'" id "','parameters':[" parameters "],"
#define GONE "'responses':{'204':{}}}"
#define REPO "{'type':'object','required':['name','stars'],'properties':{'name':{'type':'string'},'stars':{'type':'integer'}}}"
#define SETTINGS "{'type':'object','required':['theme'],'properties':{'theme':{'type':'string'},'size':{'type':'integer'}}}"

// In pieces, as a literal may not be as long as the document.
static const char *const rest_pieces[] = {
    "{'openapi':'3.1.0','info':{'title':'t','version':'1'},'paths':{'/v1/pets':{",
    OPERATION("get", "listPets", QUERY("status", "string") "," QUERY("limit", "integer"))
    OK("{'type':'object','required':['data','total'],'properties':{'data':{'type':'array','items':" PET "},"
       "'total':{'type':'integer'},'has_more':{'type':'boolean'}}}") ",",
    OPERATION("post", "createPet", "") PET_FIELDS OK(PET) "},",
    "'/v1/pets/{petId}':{",
    OPERATION("get", "getPet", PET_ID) OK(PET) ",",
    OPERATION("put", "putPet", PET_ID) PET_FIELDS OK(PET) ",",
    OPERATION("patch", "patchPet", PET_ID) PET_FIELDS
    OK("{'type':'object','required':['success'],'properties':{'success':{'type':'boolean'}}}") ",",
    OPERATION("delete", "deletePet", PET_ID) GONE "},",
    "'/v1/users/{user}/repos':{",
    OPERATION("get", "listRepos", IN_PATH("user")) OK("{'type':'array','items':" REPO "}") ",",
    OPERATION("post", "createRepo", IN_PATH("user")) FIELDS("'name':{'type':'string'},'stars':{'type':'integer'}") OK(REPO) "},",
    "'/v1/users/{user}/repos/{name}':{", OPERATION("get", "getRepo", IN_PATH("user") "," IN_PATH("name")) OK(REPO) "},",
    "'/v1/users/{user}':{", OPERATION("delete", "deleteUser", IN_PATH("user")) GONE "},",
    "'/v1/settings':{", OPERATION("get", "getSettings", "") OK(SETTINGS) ",",
    OPERATION("put", "putSettings", "") FIELDS("'theme':{'type':'string'}") OK(SETTINGS) "}}}",
};

#define ORDER "{'type':'object','required':['order_id','customer'],'properties':{'order_id':{'type':'string'},'customer':{'type':'string'}," \
    "'start_time':{'type':'string','format':'date-time'},'end_time':{'type':'string','format':'date-time'}}}"
#define FAILURE "{'type':'object','required':['error'],'additionalProperties':false,'properties':{'error':{'type':'string','minLength':3}}}"
#define TOOL(name, required, properties) "{'name':'" name "','inputSchema':{'type':'object','required':[" required "],'properties':{" properties "}}"
#define TEXT(name) "'" name "':{'type':'string'}"

static const char *const named_pieces[] = {
    "{'tools':[",
    TOOL("create_order", "", TEXT("customer") "," TEXT("api_key"))
    ",'outputSchema':{'type':'object','required':['order'],'properties':{'order':" ORDER "}}},",
    TOOL("get_order_details", "'order_id'", TEXT("order_id") "," TEXT("api_key"))
    ",'outputSchema':{'type':'object','oneOf':[" FAILURE "," ORDER "]}},",
    TOOL("list_orders", "", TEXT("customer"))
    ",'outputSchema':{'type':'object','required':['orders'],'properties':{'orders':{'type':'array','items':" ORDER "}}}},",
    TOOL("update_order", "'order_id'", TEXT("order_id") "," TEXT("customer")) "},",
    TOOL("delete_order", "'order_id'", TEXT("order_id")) "},",
    TOOL("get_weather", "'city','day'", TEXT("city") "," TEXT("day"))
    ",'outputSchema':{'type':'object','required':['city','degrees'],'properties':{'city':{'type':'string'},'degrees':{'type':'number'}}}}]}",
};

// Interfaces as they are: ids by other names, lists in the singular, nouns that could be verbs.
#define ID_AND(properties) "{'type':'object','required':['id'],'properties':{'id':{'type':'string'}" properties "}}"
#define LIST_OF(schema) "{'type':'object','required':['data'],'properties':{'data':{'type':'array','items':" schema "}}}"
#define HAS_ID "{'type':'object','required':['id','account'],'properties':{'id':{'type':'string'},'account':" ID_AND("") "}}"

#define VISIT ID_AND(",'patient_id':{'type':'string'},'name':{'type':'string'},'room':{'type':'integer'}")
#define NOTE "{'type':'object','required':['id','owner'],'additionalProperties':false,'properties':{'id':{'type':'string'}," \
    "'text':{'type':'string'},'owner':{'type':'object','required':['login'],'properties':{'login':{'type':'string'}}}}}"

#define PATIENT ID_AND(",'name':{'type':'string'},'phone':{'type':'string'},'beds':{'type':'integer'},'status':{'enum':['active','left','dead']}")
#define PATIENT_FIELDS FIELDS("'name':{'type':'string'},'phone':{'type':'string'},'beds':{'type':'integer','default':2}")

static const char *const style_pieces[] = {
    "{'openapi':'3.1.0','info':{'title':'t','version':'1'},'paths':{'/v1/stores/{store_id}/files':{",
    OPERATION("get", "listFiles", IN_PATH("store_id")) OK(LIST_OF(ID_AND(",'store_id':{'type':'string'}"))) ",",
    OPERATION("post", "addFile", IN_PATH("store_id")) FIELDS("'file_id':{'type':'string'}") OK(ID_AND(",'store_id':{'type':'string'}")) "},",
    "'/v1/stores/{store_id}/files/{file_id}':{",
    OPERATION("get", "getFile", IN_PATH("store_id") "," IN_PATH("file_id")) OK(ID_AND(",'store_id':{'type':'string'}")) ",",
    OPERATION("delete", "deleteFile", IN_PATH("store_id") "," IN_PATH("file_id")) GONE "},",
    "'/v1/balance/history':{", OPERATION("get", "history", QUERY("currency", "string"))
    OK(LIST_OF(ID_AND(",'currency':{'type':'string'}"))) "},",
    "'/v1/balance/history/{id}':{", OPERATION("get", "historyEntry", IN_PATH("id")) OK(ID_AND(",'currency':{'type':'string'}")) "},",
    "'/v1/admin/accounts':{", OPERATION("get", "listAccounts", "") OK("{'type':'array','minItems':1,'items':" HAS_ID "}") "},",
    "'/v1/admin/accounts/{id}':{", OPERATION("get", "getAccount", IN_PATH("id")) OK(HAS_ID) "},",
    "'/v1/secrets':{", OPERATION("get", "listSecrets", "")
    OK(LIST_OF("{'type':'object','required':['uid','name'],'properties':{'uid':{'type':'string'},'name':{'type':'string'}}}")) "},",
    "'/v1/secrets/{idOrName}':{", OPERATION("get", "getSecret", IN_PATH("idOrName"))
    OK("{'type':'object','required':['uid','name'],'properties':{'uid':{'type':'string'},'name':{'type':'string'}}}") "},",
    "'/v1/patients/{patientId}/visits':{",
    OPERATION("get", "listVisits", IN_PATH("patientId") "," QUERY("limit", "integer") "," QUERY("page", "integer") "," QUERY("offset", "integer")
              "," QUERY("cursor", "string") "," QUERY("starting_after", "string") "," QUERY("sort", "string"))
    OK("{'type':'object','required':['data'],'properties':{'data':{'type':'array','items':" VISIT "},'next_cursor':{'type':['string','null']},"
       "'has_more':{'type':'boolean'}}}") ",",
    OPERATION("post", "addVisit", IN_PATH("patientId")) FIELDS("'name':{'type':'string'},'room':{'type':'integer'}") OK(VISIT) "},",
    "'/v1/patients/{patientId}/visits/{id}':{", OPERATION("get", "getVisit", IN_PATH("patientId") "," IN_PATH("id")) OK(VISIT) "},",
    "'/v1/notes':{", OPERATION("get", "listNotes", QUERY("limit", "integer")) OK("{'type':'array','minItems':1,'items':" NOTE "}") ",",
    OPERATION("post", "addNote", "") FIELDS("'text':{'type':'string'},'owner':{}") OK(ID_AND(",'text':{'type':'string'}")) "},",
    "'/v1/notes/{id}':{", OPERATION("get", "getNote", IN_PATH("id")) OK(ID_AND(",'text':{'type':'string'}")) "},",
    "'/v1/taxonomies/{space}':{", OPERATION("get", "taxonomies", IN_PATH("space") "," QUERY("limit", "integer"))
    OK("{'type':'object','required':['entries'],'properties':{'entries':{'type':'array','items':{'type':'string'}}}}") "},",
    "'/v1/patients/{patientId}':{", OPERATION("get", "getPatient", IN_PATH("patientId")) OK(PATIENT) ",",
    OPERATION("put", "putPatient", IN_PATH("patientId")) PATIENT_FIELDS OK(PATIENT) "},",
    "'/v1/patients':{", OPERATION("post", "addPatient", "") PATIENT_FIELDS OK(PATIENT) "},",
    "'/v1/cart':{", OPERATION("delete", "emptyCart", "") GONE "},",
    "'/v1/lists':{'post':{'responses':{}}},'/v1/statuses':{'post':{'responses':{}}},",
    "'/v1/lists/search':{'post':{'operationId':'searchLists','responses':{}}}}}",
};

#define LOAN "{'type':'object','required':['loan_id','isbn'],'properties':{" TEXT("loan_id") "," TEXT("isbn") "," TEXT("member_id") "}}"
#define BOOK "{'type':'object','required':['isbn','title'],'properties':{" TEXT("isbn") "," TEXT("title") "}}"

// Books are known by their isbn, what checkout_book() makes is a loan, and return_book() ends it.
static const char library[] =
    "{'tools':[" TOOL("search_books", "'query'", TEXT("query"))
    ",'outputSchema':{'type':'object','required':['books'],'properties':{'books':{'type':'array','minItems':1,'items':" BOOK "}}}},"
    TOOL("get_book", "'isbn'", TEXT("isbn")) ",'outputSchema':" BOOK "},"
    TOOL("checkout_book", "'isbn'", TEXT("isbn") "," TEXT("member_id")) ",'outputSchema':" LOAN "},"
    TOOL("list_loans", "'member_id'", TEXT("member_id"))
    ",'outputSchema':{'type':'object','properties':{'loans':{'type':'array','items':" LOAN "}}}},"
    TOOL("return_book", "'loan_id'", TEXT("loan_id")) ",'annotations':{'destructiveHint':true}}]}";
// clang-format on

static const char *join(const char *const *pieces, size_t count)
{
    static char text[16384];
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", pieces[i]);
    }
    return text;
}

static const char *rest_document(void)
{
    return join(rest_pieces, LG_COUNT(rest_pieces));
}

static const char *named_document(void)
{
    return join(named_pieces, LG_COUNT(named_pieces));
}

static const char *style_document(void)
{
    return join(style_pieces, LG_COUNT(style_pieces));
}

// --- One world ----------------------------------------------------------------------------------

typedef struct house {
    lg_arena arena;
    lg_sim *sim;
    const lg_json *state;
    uint64_t seed;
    size_t entities;
    lg_open_world_answer answer;
} house;

static lg_str quoted(lg_arena *arena, const char *text)
{
    lg_str copy = lg_arena_str(arena, lg_str_c(text));
    for (size_t i = 0; i < copy.len; i++) {
        if (copy.ptr[i] == '\'') {
            ((char *)(uintptr_t)copy.ptr)[i] = '"';
        }
    }
    return copy;
}

static void begin(house *h, const char *document, const char *state)
{
    *h = (house){.seed = 7, .entities = 1000};
    lg_arena_init(&h->arena, 0);
    const lg_catalogue *catalogue = NULL;
    lg_error error = {.msg = ""};
    lg_errors errors;
    lg_errors_init(&errors, &h->arena, 4);
    if (lg_catalogue_read(&h->arena, quoted(&h->arena, document), NULL, &catalogue, &error) !=
            LG_OK ||
        lg_sim_new(&(lg_sim_options){.catalogue = catalogue}, &h->sim, &errors) != LG_OK) {
        printf("fixture: %s\n", error.msg);
        exit(1);
    }
    CHECK(catalogue->error_count == 0);
    h->state = fixture_json(&h->arena, quoted(&h->arena, state).ptr);
}

static void end(house *h)
{
    lg_sim_free(h->sim);
    lg_arena_done(&h->arena);
}

// The answer as text.
static lg_str call_json(house *h, const char *name, const lg_json *args)
{
    const lg_sim_tool *tool = lg_sim_tool_named(h->sim, lg_str_c(name), false);
    if (!CHECK_MSG(tool != NULL, name)) {
        return LG_STR("");
    }
    lg_open_world_call call = {.sim = h->sim,
                               .tool = tool,
                               .args = args,
                               .state = h->state,
                               .seed = h->seed,
                               .entities = h->entities};
    lg_error error = {.msg = ""};
    CHECK(lg_open_world_reply(&h->arena, &call, &h->answer, &error) == LG_OK);
    h->state = h->answer.state;
    CHECK_MSG(h->answer.end != LG_SIM_DONE || !tool->results ||
                  lg_schema_validate(tool->results, h->answer.result, NULL),
              name);
    CHECK((h->answer.end == LG_SIM_DONE) == (h->answer.error.len == 0));
    return fixture_print(&h->arena, h->answer.result);
}

static lg_str call(house *h, const char *name, const char *args)
{
    return call_json(h, name, fixture_json(&h->arena, quoted(&h->arena, args).ptr));
}

static lg_str part(house *h, const char *pointer)
{
    const lg_json *value = lg_json_at(h->answer.result, lg_str_c(pointer));
    return value ? fixture_print(&h->arena, value) : LG_STR("-");
}

// --- By hand ------------------------------------------------------------------------------------

static void rest_entities(void)
{
    house h;
    begin(&h, rest_document(), "{}");
    lg_str first = call(&h, "getPet", "{'petId':12}");
    CHECK_STR(part(&h, "/id"), "12");
    const lg_json *state = h.state;
    CHECK(lg_str_eq(call(&h, "getPet", "{'petId':12}"), first));
    CHECK(h.state == state); // nothing new: the very same
    CHECK(!lg_str_eq(call(&h, "getPet", "{'petId':13}"), first));

    call(&h, "createPet", "{'name':'Rex','status':'sold'}");
    lg_str made = part(&h, "/id");
    CHECK_STR(part(&h, "/name"), "\"Rex\"");
    lg_str args = lg_arena_printf(&h.arena, "{'petId':%.*s}", LG_FMT(made));
    call(&h, "getPet", args.ptr);
    CHECK_STR(part(&h, "/name"), "\"Rex\"");
    CHECK_STR(part(&h, "/status"), "\"sold\"");
    call(&h, "createPet", "{'name':'Rex','status':'sold'}");
    CHECK(!lg_str_eq(part(&h, "/id"), made)); // another one

    call(&h, "patchPet", "{'petId':12,'status':'sold'}");
    CHECK_STR(part(&h, "/success"), "true");
    call(&h, "getPet", "{'petId':12}");
    CHECK_STR(part(&h, "/status"), "\"sold\"");
    lg_json_doc *doc = NULL;
    CHECK(lg_json_parse(first, NULL, &doc, NULL) == LG_OK);
    CHECK(lg_json_equal(lg_json_get(lg_json_root(doc), LG_STR("name")),
                        lg_json_get(h.answer.result, LG_STR("name")))); // kept
    lg_json_doc_free(doc);
    end(&h);
}

static void rest_ids_and_deletes(void)
{
    house h;
    begin(&h, rest_document(), "{}");
    call(&h, "createPet", "{'id':9007199254740993,'name':'Max'}");
    CHECK_STR(part(&h, "/id"), "9007199254740993");
    call(&h, "createPet", "{'id':9007199254740993,'name':'Max'}");
    CHECK(h.answer.end == LG_SIM_CONFLICT);
    call(&h, "putPet", "{'petId':9007199254740993,'name':'Moritz'}");
    CHECK(h.answer.end == LG_SIM_DONE);
    call(&h, "getPet", "{'petId':9007199254740993}");
    CHECK_STR(part(&h, "/name"), "\"Moritz\"");
    call(&h, "deletePet", "{'petId':9007199254740993}");
    CHECK(h.answer.end == LG_SIM_DONE);
    call(&h, "deletePet", "{'petId':9007199254740993}");
    CHECK(h.answer.end == LG_SIM_ABSENT);
    call(&h, "getPet", "{'petId':9007199254740993}");
    CHECK(h.answer.end == LG_SIM_ABSENT);
    call(&h, "putPet", "{'petId':9007199254740993,'name':'Again'}");
    CHECK(h.answer.end == LG_SIM_DONE);
    call(&h, "getPet", "{'petId':9007199254740993}");
    CHECK_STR(part(&h, "/name"), "\"Again\"");

    call(&h, "createRepo", "{'user':'ann','name':'x','stars':3}");
    call(&h, "createRepo", "{'user':'bob','name':'x','stars':4}");
    call(&h, "getRepo", "{'user':'ann','name':'x'}");
    CHECK_STR(part(&h, "/stars"), "3");
    call(&h, "getRepo", "{'user':'bob','name':'x'}");
    CHECK_STR(part(&h, "/stars"), "4");
    call(&h, "deleteUser", "{'user':'ann'}");
    call(&h, "getRepo", "{'user':'ann','name':'x'}");
    CHECK(h.answer.end == LG_SIM_ABSENT);
    call(&h, "listRepos", "{'user':'ann'}");
    CHECK(h.answer.end == LG_SIM_ABSENT);
    end(&h);
}

// An error, or a list that has no member to look at for how it went.
static void successes_that_are_lists(void)
{
    house h;
    begin(
        &h,
        "{'tools':[{'name':'get_names','inputSchema':{'type':'object'},'outputSchema':{'oneOf':["
        "{'type':'object','required':['error'],'additionalProperties':false,'properties':{'error':"
        "{'type':'string','minLength':3}}},{'type':'array','minItems':3,'items':{'type':"
        "'string'}}]}}]}",
        "{}");
    for (uint64_t seed = 0; seed < 8; seed++) {
        h.seed = seed;
        CHECK(lg_str_starts(call(&h, "get_names", "{}"), LG_STR("[")));
    }
    end(&h);
}

// The element of the list that has the id, or NULL.
static const lg_json *listed(const house *h, const char *pointer, const char *member, lg_str id)
{
    const lg_json *list = lg_json_at(h->answer.result, lg_str_c(pointer));
    for (size_t i = 0; i < lg_json_len(list); i++) {
        const lg_json *value = lg_json_get(&list->as.items[i], lg_str_c(member));
        char text[64];
        lg_buf out;
        lg_buf_init_in(&out, text, sizeof(text), sizeof(text));
        lg_json_print(&out, value);
        bool same = lg_str_eq(lg_buf_str(&out), id);
        lg_buf_done(&out);
        if (same) {
            return &list->as.items[i];
        }
    }
    return NULL;
}

static void rest_lists(void)
{
    house h;
    begin(&h, rest_document(), "{}");
    lg_str first = call(&h, "listPets", "{}");
    CHECK(lg_str_eq(call(&h, "listPets", "{}"), first));
    const lg_json *some = lg_json_copy(&h.arena, lg_json_at(h.answer.result, LG_STR("/data/0")));
    if (CHECK(some != NULL)) {
        lg_str id = fixture_print(&h.arena, lg_json_get(some, LG_STR("id")));
        lg_str args = lg_arena_printf(&h.arena, "{'petId':%.*s}", LG_FMT(id));
        call(&h, "getPet", args.ptr);
        CHECK(lg_json_equal(some, h.answer.result));
        call(&h, "deletePet", args.ptr);
        call(&h, "listPets", "{}");
        CHECK(!listed(&h, "/data", "id", id));
    }
    call(&h, "createPet", "{'id':5,'name':'Rex','status':'sold'}");
    call(&h, "listPets", "{'status':'sold'}");
    CHECK(listed(&h, "/data", "id", LG_STR("5")));
    const lg_json *data = lg_json_at(h.answer.result, LG_STR("/data"));
    for (size_t i = 0; i < lg_json_len(data); i++) {
        CHECK_STR(lg_json_str(lg_json_get(&data->as.items[i], LG_STR("status"))), "sold");
    }
    CHECK(lg_json_at(h.answer.result, LG_STR("/total"))->as.i64 == (int64_t)lg_json_len(data));
    call(&h, "listPets", "{'status':'available'}");
    CHECK(!listed(&h, "/data", "id", LG_STR("5")));
    call(&h, "listPets", "{'limit':1}");
    CHECK(lg_json_len(lg_json_at(h.answer.result, LG_STR("/data"))) == 1);
    call(&h, "createRepo", "{'user':'ann','name':'x','stars':3}");
    call(&h, "listRepos", "{'user':'ann'}");
    CHECK(listed(&h, "", "name", LG_STR("\"x\"")));
    call(&h, "listRepos", "{'user':'bob'}");
    CHECK(!listed(&h, "", "name", LG_STR("\"x\"")));
    end(&h);
}

static void singletons(void)
{
    house h;
    begin(&h, rest_document(), "{}");
    lg_str first = call(&h, "getSettings", "{}");
    CHECK(lg_str_eq(call(&h, "getSettings", "{}"), first));
    call(&h, "putSettings", "{'theme':'dark'}");
    call(&h, "getSettings", "{}");
    CHECK_STR(part(&h, "/theme"), "\"dark\"");
    end(&h);
}

static void a_users_own_state(void)
{
    house h;
    begin(&h, rest_document(),
          "{'pets':[{'id':1,'name':'Ann','status':'sold'},{'id':2,'name':'Bo'}],"
          "'setting':{'theme':'blue'}}");
    CHECK_STR(call(&h, "getPet", "{'petId':1}"), "{\"id\":1,\"name\":\"Ann\",\"status\":\"sold\"}");
    CHECK_STR(call(&h, "getSettings", "{}"), "{\"theme\":\"blue\"}");
    call(&h, "getPet", "{'petId':3}");
    CHECK(h.answer.end == LG_SIM_ABSENT);
    call(&h, "listPets", "{}");
    CHECK(lg_json_len(lg_json_at(h.answer.result, LG_STR("/data"))) == 2);
    call(&h, "patchPet", "{'petId':2,'name':'Bob'}");
    CHECK_STR(lg_json_str(lg_json_at(h.state, LG_STR("/pets/1/name"))), "Bob");
    call(&h, "createPet", "{'id':3,'name':'Cy'}");
    CHECK(lg_json_len(lg_json_get(h.state, LG_STR("pets"))) == 3);
    call(&h, "deletePet", "{'petId':1}");
    CHECK(lg_json_len(lg_json_get(h.state, LG_STR("pets"))) == 2);
    end(&h);
}

static void tools_by_name(void)
{
    house h;
    begin(&h, named_document(), "{}");
    call(&h, "create_order", "{'customer':'Ann','api_key':'k'}");
    CHECK_STR(part(&h, "/order/customer"), "\"Ann\"");
    lg_str made = part(&h, "/order/order_id");
    CHECK(lg_str_cmp(part(&h, "/order/start_time"), part(&h, "/order/end_time")) <= 0);
    lg_str args = lg_arena_printf(&h.arena, "{\"order_id\":%.*s}", LG_FMT(made));
    call(&h, "get_order_details", args.ptr);
    CHECK_STR(part(&h, "/customer"), "\"Ann\"");
    call(&h, "list_orders", "{'customer':'Ann'}");
    CHECK(listed(&h, "/orders", "order_id", made));
    call(&h, "list_orders", "{'customer':'Bob'}");
    CHECK(!listed(&h, "/orders", "order_id", made));
    lg_str change =
        lg_arena_printf(&h.arena, "{\"order_id\":%.*s,\"customer\":\"Bob\"}", LG_FMT(made));
    call(&h, "update_order", change.ptr);
    call(&h, "get_order_details", args.ptr);
    CHECK_STR(part(&h, "/customer"), "\"Bob\"");
    call(&h, "delete_order", args.ptr);
    call(&h, "get_order_details", args.ptr);
    CHECK(h.answer.end == LG_SIM_ABSENT);
    for (int i = 0; i < 40; i++) { // of success and error always the success
        lg_str some = lg_arena_printf(&h.arena, "{'order_id':'o%d'}", i);
        call(&h, "get_order_details", some.ptr);
        CHECK_STR(part(&h, "/error"), "-");
    }
    call(&h, "get_weather", "{'city':'Bern','day':'1'}");
    CHECK_STR(part(&h, "/city"), "\"Bern\"");
    lg_str degrees = part(&h, "/degrees");
    call(&h, "get_weather", "{'city':'Bern','day':'2'}");
    CHECK(!lg_str_eq(part(&h, "/degrees"), degrees));
    lg_str state = fixture_print(&h.arena, h.state);
    CHECK(lg_str_find(state, LG_STR("api_key")) == SIZE_MAX);
    end(&h);
}

// Lists of entities, what holds an entity's fields, and schemas that allow nothing else.
static void fields_in_wrappers(void)
{
    static const char document[] =
        "{'tools':[{'name':'create_records','inputSchema':{'type':'object'},'outputSchema':{'type':"
        "'object','properties':{'records':{'type':'array','items':{'type':'object','required':['id'"
        ","
        "'fields'],'properties':{'id':{'type':'string'},'fields':{'type':'object'}}}}}}},"
        "{'name':'get_record','inputSchema':{'type':'object'},'outputSchema':{'type':'object',"
        "'required':['id','fields'],'additionalProperties':false,'properties':{'id':{'type':"
        "'string'},'fields':{'type':'object'}}}},"
        "{'name':'create_record','inputSchema':{'type':'object'},'outputSchema':{'type':'object',"
        "'required':['id','fields'],'properties':{'id':{'type':'string'},'fields':{'type':"
        "'object'}}}},"
        "{'name':'list_records','inputSchema':{'type':'object'},'outputSchema':{'type':'object',"
        "'properties':{'records':{'type':'array','items':{'type':'object','additionalProperties':"
        "false,'required':['id'],'properties':{'id':{'type':'string'},'fields':{'type':"
        "'object'}}}}}}}]}";
    house h;
    begin(&h, document, "{}");
    call(&h, "create_records",
         "{'records':[{'id':'a','fields':{'n':1}},{'id':'b','fields':{'n':2}}]}");
    CHECK_STR(part(&h, "/records/1/fields/n"), "2");
    call(&h, "get_record", "{'record_id':'a'}");
    CHECK_STR(part(&h, "/fields/n"), "1");
    call(&h, "create_record", "{'base':'x','fields':{'n':3}}");
    lg_str made = part(&h, "/id");
    call(&h, "list_records", "{'base':'x'}");
    CHECK(listed(&h, "/records", "id", made) && listed(&h, "/records", "id", LG_STR("\"b\"")));
    end(&h);
}

static void full_states(void)
{
    house h;
    begin(&h, rest_document(), "{}");
    h.entities = 5;
    for (int i = 0; i < 8; i++) {
        call(&h, "getPet", lg_arena_printf(&h.arena, "{'petId':%d}", 100 + i).ptr);
        CHECK(h.answer.end == LG_SIM_DONE);
    }
    CHECK(h.answer.note.len > 0);
    for (int i = 0; i < 5; i++) {
        call(&h, "createPet", lg_arena_printf(&h.arena, "{'id':%d,'name':'n'}", i + 1).ptr);
        CHECK(h.answer.end == LG_SIM_DONE);
    }
    const lg_json *state = h.state;
    call(&h, "createPet", "{'id':6,'name':'n'}");
    CHECK(h.answer.end == LG_SIM_FAULT && h.state == state);
    call(&h, "getPet", "{'petId':1}");
    CHECK_STR(part(&h, "/name"), "\"n\"");
    end(&h);
}

static void kinds(void)
{
    house h;
    begin(&h, rest_document(), "{}");
    CHECK(lg_sim_tool_named(h.sim, LG_STR("getPet"), false)->kind == LG_TOOL_READ);
    CHECK(lg_sim_tool_named(h.sim, LG_STR("createPet"), false)->kind == LG_TOOL_WRITE);
    end(&h);
    begin(&h,
          "{'openapi':'3.1.0','info':{'title':'t','version':'1'},'paths':{"
          "'/tools/get_pet':{'post':{'operationId':'get_pet','responses':{}}},"
          "'/tools/anything':{'post':{'operationId':'anything','x-ledgergate-kind':'read',"
          "'responses':{}}},"
          "'/tools/add_pet':{'post':{'operationId':'add_pet','responses':{}}},"
          "'/search':{'post':{'operationId':'search','responses':{}}}}}",
          "{}");
    const char *const reads[] = {"get_pet", "anything", "search"};
    for (size_t i = 0; i < LG_COUNT(reads); i++) {
        CHECK_MSG(lg_sim_tool_named(h.sim, lg_str_c(reads[i]), false)->kind == LG_TOOL_READ,
                  reads[i]);
    }
    CHECK(lg_sim_tool_named(h.sim, LG_STR("add_pet"), false)->kind == LG_TOOL_WRITE);
    end(&h);
}

// Is what the list of `list` names found by `one`, as it is shown there? `member` is the id.
static void check_found(house *h, const char *list, const char *pointer, const char *one,
                        const char *form, const char *member)
{
    call(h, list, "{}");
    const lg_json *items = lg_json_copy(&h->arena, lg_json_at(h->answer.result, lg_str_c(pointer)));
    if (!CHECK_MSG(items && lg_json_len(items) > 0, list)) {
        return;
    }
    for (size_t i = 0; i < lg_json_len(items); i++) {
        lg_str id = lg_json_str(lg_json_get(&items->as.items[i], lg_str_c(member)));
        lg_str args = lg_arena_printf(&h->arena, "{'%s':'%.*s'}", form, LG_FMT(id));
        call(h, one, args.ptr);
        CHECK_STR(fixture_print(&h->arena, h->answer.result),
                  fixture_print(&h->arena, &items->as.items[i]).ptr);
    }
}

static void lists_name_what_is_found(void)
{
    house h;
    begin(&h, style_document(), "{}");
    check_found(&h, "history", "/data", "historyEntry", "id", "id");
    check_found(&h, "listAccounts", "", "getAccount", "id", "id");
    check_found(&h, "listSecrets", "/data", "getSecret", "idOrName", "uid");
    check_found(&h, "listSecrets", "/data", "getSecret", "idOrName", "name");
    call(&h, "getAccount", "{'id':'77'}");
    CHECK_STR(part(&h, "/id"), "\"77\"");
    CHECK(!lg_str_eq(part(&h, "/account/id"), LG_STR("\"77\"")));
    call(&h, "history", "{'currency':'zzz'}");
    const lg_json *data = lg_json_at(h.answer.result, LG_STR("/data"));
    for (size_t i = 0; i < lg_json_len(data); i++) {
        CHECK_STR(lg_json_str(lg_json_get(&data->as.items[i], LG_STR("currency"))), "zzz");
    }
    end(&h);
}

// The file that is added names another one in the member that is called as the path's id.
static void an_id_of_its_own(void)
{
    house h;
    begin(&h, style_document(), "{}");
    call(&h, "addFile", "{'store_id':'vs1','file_id':'f1'}");
    lg_str id = part(&h, "/id");
    CHECK(!lg_str_eq(id, LG_STR("\"f1\"")));
    const lg_json *made = lg_json_copy(&h.arena, h.answer.result);
    lg_str args = lg_arena_printf(&h.arena, "{'store_id':'vs1','file_id':%.*s}", LG_FMT(id));
    call(&h, "getFile", args.ptr);
    CHECK(made && lg_json_equal(lg_json_get(made, LG_STR("id")),
                                lg_json_get(h.answer.result, LG_STR("id"))));
    call(&h, "listFiles", "{'store_id':'vs1'}");
    CHECK(listed(&h, "/data", "id", id));
    call(&h, "deleteFile", args.ptr);
    call(&h, "listFiles", "{'store_id':'vs1'}");
    CHECK(!listed(&h, "/data", "id", id));
    call(&h, "getFile", args.ptr);
    CHECK(h.answer.end == LG_SIM_ABSENT);
    call(&h, "emptyCart", "{}");
    call(&h, "emptyCart", "{}");
    CHECK(h.answer.end == LG_SIM_DONE);
    end(&h);
}

static void nouns_are_no_verbs(void)
{
    house h;
    begin(&h, style_document(), "{}");
    for (size_t i = 0; i < lg_sim_tool_count(h.sim); i++) {
        const lg_sim_tool *tool = lg_sim_tool_at(h.sim, i);
        bool posts = lg_str_eq(tool->of_catalogue->method, LG_STR("POST"));
        bool asks = lg_str_eq(tool->name, LG_STR("searchLists"));
        bool reads = lg_str_eq(tool->of_catalogue->method, LG_STR("GET")) || asks;
        CHECK_MSG(!posts || (tool->kind == LG_TOOL_READ) == asks, tool->name.ptr);
        CHECK_MSG(!reads || tool->kind == LG_TOOL_READ, tool->name.ptr);
        CHECK_MSG(tool->is_guessed == asks, tool->name.ptr);
    }
    end(&h);
}

// The ids of all pages, until one is not full; "," behind each.
static lg_str ids_of_pages(house *h)
{
    lg_str all = LG_STR("");
    for (size_t at = 0; at < 40; at++) {
        lg_str args =
            lg_arena_printf(&h->arena, "{'patientId':'P1','limit':2,'offset':%zu}", at * 2);
        call(h, "listVisits", args.ptr);
        const lg_json *data = lg_json_at(h->answer.result, LG_STR("/data"));
        CHECK(lg_json_len(data) <= 2);
        for (size_t i = 0; i < lg_json_len(data); i++) {
            lg_str id = lg_json_str(lg_json_get(&data->as.items[i], LG_STR("id")));
            all = lg_arena_printf(&h->arena, "%.*s%.*s,", LG_FMT(all), LG_FMT(id));
        }
        if (lg_json_len(data) < 2) {
            break;
        }
    }
    return all;
}

// The same, each page behind the cursor of the one before.
static lg_str ids_of_cursors(house *h, const char *argument, const char *pointer)
{
    lg_str all = LG_STR("");
    call(h, "listVisits", "{'patientId':'P1','limit':2}");
    for (size_t at = 0; at < 40; at++) {
        const lg_json *data = lg_json_at(h->answer.result, LG_STR("/data"));
        size_t count = lg_json_len(data);
        lg_str last = LG_STR("");
        for (size_t i = 0; i < count; i++) {
            last = lg_json_str(lg_json_get(&data->as.items[i], LG_STR("id")));
            all = lg_arena_printf(&h->arena, "%.*s%.*s,", LG_FMT(all), LG_FMT(last));
        }
        const lg_json *next = pointer ? lg_json_at(h->answer.result, lg_str_c(pointer)) : NULL;
        bool more = lg_json_is_true(lg_json_at(h->answer.result, LG_STR("/has_more")));
        last = next ? lg_json_str(next) : last;
        if (!more || last.len == 0) {
            break;
        }
        call(h, "listVisits",
             lg_arena_printf(&h->arena, "{'patientId':'P1','limit':2,'%s':'%.*s'}", argument,
                             LG_FMT(last))
                 .ptr);
    }
    return all;
}

static void pages_make_up_the_list(void)
{
    house h;
    begin(&h, style_document(), "{}");
    lg_str by_pages = ids_of_pages(&h);
    for (int i = 0; i < 5; i++) {
        lg_str body =
            lg_arena_printf(&h.arena, "{'patientId':'P1','name':'n%d','room':%d}", (i * 3) % 5, i);
        call(&h, "addVisit", body.ptr);
        CHECK_STR(part(&h, "/patient_id"), "\"P1\"");
    }
    CHECK(by_pages.len > 0);
    call(&h, "listVisits", "{'patientId':'P1'}");
    lg_str all = LG_STR("");
    const lg_json *data = lg_json_at(h.answer.result, LG_STR("/data"));
    for (size_t i = 0; i < lg_json_len(data); i++) {
        lg_str id = lg_json_str(lg_json_get(&data->as.items[i], LG_STR("id")));
        CHECK_STR(lg_json_str(lg_json_get(&data->as.items[i], LG_STR("patient_id"))), "P1");
        all = lg_arena_printf(&h.arena, "%.*s%.*s,", LG_FMT(all), LG_FMT(id));
    }
    CHECK(lg_str_ends(all, by_pages)); // what was made up first is still there, in its order
    CHECK_STR(ids_of_pages(&h), all.ptr);
    CHECK_STR(ids_of_cursors(&h, "starting_after", NULL), all.ptr);
    CHECK_STR(ids_of_cursors(&h, "cursor", "/next_cursor"), all.ptr);
    call(&h, "listVisits", "{'patientId':'P1','sort':'-room','limit':2}");
    CHECK_STR(part(&h, "/data/0/patient_id"), "\"P1\"");
    lg_json first = *lg_json_at(h.answer.result, LG_STR("/data/0/room"));
    CHECK(lg_json_number_cmp(&first, lg_json_at(h.answer.result, LG_STR("/data/1/room"))) >= 0);
    call(&h, "listVisits", "{'patientId':'P1','sort':'name'}");
    data = lg_json_at(h.answer.result, LG_STR("/data"));
    for (size_t i = 1; i < lg_json_len(data); i++) {
        CHECK(lg_str_cmp(lg_json_str(lg_json_get(&data->as.items[i - 1], LG_STR("name"))),
                         lg_json_str(lg_json_get(&data->as.items[i], LG_STR("name")))) <= 0);
    }
    end(&h);
}

// A list shows what was created, though it shows less of it, and other forms of its members.
static void lists_of_another_form(void)
{
    house h;
    begin(&h, style_document(), "{}");
    call(&h, "addNote", "{'text':'mine','owner':7,'extra':1}");
    lg_str id = part(&h, "/id");
    call(&h, "listNotes", "{}");
    const lg_json *note = listed(&h, "", "id", id);
    CHECK(note && lg_str_eq(lg_json_str(lg_json_get(note, LG_STR("text"))), LG_STR("mine")));
    for (uint64_t seed = 1; seed < 12; seed++) {
        h.seed = seed;
        call(&h, "taxonomies", "{'space':'f','limit':1}");
        CHECK(lg_json_len(lg_json_at(h.answer.result, LG_STR("/entries"))) <= 1);
    }
    end(&h);
}

static void new_and_replaced(void)
{
    house h;
    begin(&h, style_document(), "{}");
    for (uint64_t seed = 1; seed < 8; seed++) {
        h.seed = seed;
        call(&h, "addPatient", "{'name':'Ann','phone':'1'}");
        CHECK_STR(part(&h, "/status"), "\"active\"");
        CHECK_STR(part(&h, "/beds"), "2");
        lg_str id = part(&h, "/id");
        lg_str put = lg_arena_printf(&h.arena, "{'patientId':%.*s,'name':'Bo'}", LG_FMT(id));
        call(&h, "putPatient", put.ptr);
        CHECK_STR(part(&h, "/phone"), "-");
        CHECK_STR(part(&h, "/status"), "\"active\""); // no body may have it: it stays
        call(&h, "getPatient", lg_arena_printf(&h.arena, "{'patientId':%.*s}", LG_FMT(id)).ptr);
        CHECK_STR(part(&h, "/name"), "\"Bo\"");
        CHECK_STR(part(&h, "/phone"), "-");
    }
    end(&h);
}

// An update of what was only shown is a change of its members.
static void differences(void)
{
    house h;
    begin(&h, rest_document(), "{}");
    call(&h, "getPet", "{'petId':12}");
    call(&h, "getPet", "{'petId':13}");
    const lg_json *before = h.state;
    call(&h, "patchPet", "{'petId':12,'name':'Rex'}");
    lg_json views[2];
    lg_world_differences found = {.arena = &h.arena, .limit = 10};
    CHECK(lg_open_world_view(&h.arena, before, h.state, &views[0]));
    CHECK(lg_open_world_view(&h.arena, h.state, before, &views[1]));
    lg_world_compare(&views[0], &views[1], &found);
    CHECK(found.total == 1);
    CHECK_STR(found.count ? found.items[0].path : LG_STR(""), "collections.pets[\"12\"].name");
    lg_json nothing = lg_json_make_object(NULL, 0);
    CHECK(lg_open_world_view(&h.arena, &nothing, before, &views[0]));
    CHECK(lg_open_world_view(&h.arena, before, &nothing, &views[1]));
    lg_world_compare(&views[0], &views[1], &found);
    CHECK(found.total == 2); // one by one
    end(&h);
}

static void a_library(void)
{
    house h;
    begin(&h, library, "{}");
    call(&h, "search_books", "{'query':'moby'}");
    lg_str book = part(&h, "/books/0");
    lg_str isbn = part(&h, "/books/0/isbn");
    CHECK_STR(call(&h, "get_book", lg_arena_printf(&h.arena, "{'isbn':%.*s}", LG_FMT(isbn)).ptr),
              lg_arena_printf(&h.arena, "%.*s", LG_FMT(book)).ptr);
    lg_str lend = lg_arena_printf(&h.arena, "{'isbn':%.*s,'member_id':'m1'}", LG_FMT(isbn));
    call(&h, "checkout_book", lend.ptr);
    lg_str loan = part(&h, "/loan_id");
    call(&h, "list_loans", "{'member_id':'m1'}");
    CHECK(listed(&h, "/loans", "loan_id", loan));
    size_t others = lg_json_len(lg_json_at(h.answer.result, LG_STR("/loans"))) - 1;
    lg_str back = lg_arena_printf(&h.arena, "{'loan_id':%.*s}", LG_FMT(loan));
    call(&h, "return_book", back.ptr);
    CHECK(h.answer.end == LG_SIM_DONE);
    call(&h, "list_loans", "{'member_id':'m1'}");
    CHECK(lg_json_len(lg_json_at(h.answer.result, LG_STR("/loans"))) == others);
    CHECK(!listed(&h, "/loans", "loan_id", loan));
    call(&h, "return_book", back.ptr);
    CHECK(h.answer.end == LG_SIM_ABSENT);
    end(&h);
}

static void first_states(void)
{
    static const struct {
        const char *state, *message; // NULL: it is one
    } cases[] = {{"{'pets':{'a':{'id':'b'}}}", "/pets/a: its `id` is another one"},
                 {"{'pets':5}", "/pets: a first state"},
                 {"{'pets':[1]}", "/pets/0: an element"},
                 {"{'pets':{'7':{'id':7}},'settings':{'theme':'x'},'toys':[]}", NULL}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        house h;
        lg_errors errors;
        begin(&h, rest_document(), "{}");
        lg_errors_init(&errors, &h.arena, 4);
        lg_world_file file = {
            .name = "s", .value = fixture_json(&h.arena, quoted(&h.arena, cases[i].state).ptr)};
        lg_status status = lg_sim_add_state(h.sim, &file, LG_STR(""), &errors);
        CHECK((status == LG_OK) == (cases[i].message == NULL));
        CHECK(!cases[i].message ||
              (errors.count == 1 &&
               strncmp(errors.items[0].msg, cases[i].message, strlen(cases[i].message)) == 0));
        end(&h);
    }
}

// --- Laws ---------------------------------------------------------------------------------------

#define IDS 12u

// What the session was told of one pet.
typedef struct told {
    const lg_json *name, *status, *born; // NULL: nothing
    bool deleted, created;
} told;

static void check_told(const told *t, const lg_json *pet)
{
    const lg_json *known[] = {t->name, t->status, t->born};
    const char *const names[] = {"name", "status", "born"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        const lg_json *value = lg_json_get(pet, lg_str_c(names[i]));
        CHECK_MSG(!known[i] || !value || lg_json_equal(known[i], value), names[i]);
    }
}

static void take_told(house *h, told *t, const lg_json *pet)
{
    check_told(t, pet);
    const lg_json **known[] = {&t->name, &t->status, &t->born};
    const char *const names[] = {"name", "status", "born"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        const lg_json *value = lg_json_get(pet, lg_str_c(names[i]));
        *known[i] = value ? lg_json_copy(&h->arena, value) : *known[i];
    }
}

static void take_written(house *h, told *t, const lg_json *fields)
{
    const lg_json *name = lg_json_get(fields, LG_STR("name"));
    const lg_json *status = lg_json_get(fields, LG_STR("status"));
    t->name = name ? lg_json_copy(&h->arena, name) : t->name;
    t->status = status ? lg_json_copy(&h->arena, status) : t->status;
}

static void check_list(house *h, told *known, const char *status)
{
    const lg_json *data = lg_json_at(h->answer.result, LG_STR("/data"));
    bool shown[IDS] = {false};
    for (size_t i = 0; i < lg_json_len(data); i++) {
        const lg_json *pet = &data->as.items[i];
        const lg_json *id = lg_json_get(pet, LG_STR("id"));
        CHECK(!status ||
              lg_str_eq(lg_json_str(lg_json_get(pet, LG_STR("status"))), lg_str_c(status)) ||
              !lg_json_get(pet, LG_STR("status")));
        for (size_t j = i + 1; j < lg_json_len(data); j++) {
            CHECK(!lg_json_equal(id, lg_json_get(&data->as.items[j], LG_STR("id"))));
        }
        if (id->as.i64 < (int64_t)IDS) {
            shown[id->as.i64] = true;
            CHECK(!known[id->as.i64].deleted);
            take_told(h, &known[id->as.i64], pet);
        }
    }
    for (size_t i = 0; i < IDS; i++) {
        const told *t = &known[i];
        bool suits = !status || !t->status || lg_str_eq(lg_json_str(t->status), lg_str_c(status));
        CHECK(!t->created || t->deleted || !suits || shown[i]);
    }
}

static void random_step(house *h, told *known, dice *d)
{
    static const char *const statuses[] = {"available", "sold"};
    uint32_t id = 1 + dice_below(d, IDS - 1);
    told *t = &known[id];
    const char *status = DICE_PICK(d, statuses);
    lg_str by_id = lg_arena_printf(&h->arena, "{'petId':%u}", id);
    lg_str body =
        lg_arena_printf(&h->arena, "'name':'n%u','status':'%s'}", dice_below(d, 1000), status);
    lg_str fields = lg_arena_printf(&h->arena, "{%.*s", LG_FMT(body));
    const lg_json *written = fixture_json(&h->arena, quoted(&h->arena, fields.ptr).ptr);
    switch (dice_below(d, 6)) {
    case 0:
        call(h, "getPet", by_id.ptr);
        CHECK(h->answer.end == (t->deleted ? LG_SIM_ABSENT : LG_SIM_DONE));
        if (!t->deleted) {
            CHECK(lg_json_get(h->answer.result, LG_STR("id"))->as.i64 == id);
            take_told(h, t, h->answer.result);
        }
        break;
    case 1:
        call(h, "createPet", lg_arena_printf(&h->arena, "{'id':%u,%.*s", id, LG_FMT(body)).ptr);
        CHECK((h->answer.end == LG_SIM_CONFLICT) == (t->created && !t->deleted));
        if (h->answer.end == LG_SIM_DONE) {
            *t = (told){.created = true};
            take_written(h, t, written);
            take_told(h, t, h->answer.result);
        }
        break;
    case 2:
        call(h, "patchPet", lg_arena_printf(&h->arena, "{'petId':%u,%.*s", id, LG_FMT(body)).ptr);
        CHECK(h->answer.end == (t->deleted ? LG_SIM_ABSENT : LG_SIM_DONE));
        if (!t->deleted) {
            t->created = true;
            take_written(h, t, written);
        }
        break;
    case 3:
        call(h, "putPet", lg_arena_printf(&h->arena, "{'petId':%u,%.*s", id, LG_FMT(body)).ptr);
        CHECK(h->answer.end == LG_SIM_DONE);
        t = t->deleted ? memset(t, 0, sizeof(*t)) : t;
        t->created = true;
        take_written(h, t, written);
        take_told(h, t, h->answer.result);
        break;
    case 4:
        call(h, "deletePet", by_id.ptr);
        CHECK(h->answer.end == (t->deleted ? LG_SIM_ABSENT : LG_SIM_DONE));
        *t = (told){.deleted = true};
        break;
    default:
        status = dice_one_in(d, 2) ? NULL : status;
        call(h, "listPets",
             status ? lg_arena_printf(&h->arena, "{'status':'%s'}", status).ptr : "{}");
        check_list(h, known, status);
    }
}

static lg_str random_calls(uint64_t seed)
{
    house h;
    begin(&h, rest_document(), "{}");
    h.seed = seed;
    told known[IDS] = {{0}};
    dice d = dice_of(seed);
    for (int i = 0; i < 120; i++) {
        random_step(&h, known, &d);
    }
    static char hash[65];
    CHECK(lg_json_hash(h.state, hash) == LG_OK);
    end(&h);
    return lg_str_c(hash);
}

static void laws(void)
{
    for (uint64_t seed = 1; seed <= 25; seed++) {
        char first[65];
        snprintf(first, sizeof(first), "%.*s", LG_FMT(random_calls(seed)));
        CHECK_STR(random_calls(seed), first);
    }
}

int main(void)
{
    RUN(rest_entities);
    RUN(rest_ids_and_deletes);
    RUN(rest_lists);
    RUN(successes_that_are_lists);
    RUN(singletons);
    RUN(a_users_own_state);
    RUN(tools_by_name);
    RUN(fields_in_wrappers);
    RUN(full_states);
    RUN(kinds);
    RUN(lists_name_what_is_found);
    RUN(an_id_of_its_own);
    RUN(nouns_are_no_verbs);
    RUN(pages_make_up_the_list);
    RUN(lists_of_another_form);
    RUN(new_and_replaced);
    RUN(differences);
    RUN(a_library);
    RUN(first_states);
    RUN(laws);
    return lg_test_done();
}
