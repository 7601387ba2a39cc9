// test_made_up.c: answers made up where little is known: tools known by name alone, entities in entities, lists and what is
// searched in them.
//
// By hand first; then laws for random calls of get_x, list_xs, search_xs, create_x, update_x and delete_x, as test_open_world.c
// has them for REST: what was shown or written of an id stays so, lists show it and are the same when asked again.
#include "lg_test.h"

#include "catalogue/catalogue.h"
#include "dice.h"
#include "json_fixture.h"
#include "simulate/open_world.h"
#include "simulate/simulate.h"

// clang-format off
#define TOOL(name, properties) "{'name':'" name "','inputSchema':{'type':'object','properties':{" properties "}}}"
#define TEXT(name) "'" name "':{'type':'string'}"
#define STATUS "'status':{'type':'string','enum':['open','closed']}"
#define TICKET "'ticket_id':{'type':'integer'}"

static const char named[] =
    "{'tools':["
    TOOL("get_ticket", TICKET) ","
    TOOL("list_tickets", STATUS ",'limit':{'type':'integer'},'page':{'type':'integer'}") ","
    TOOL("search_tickets", TEXT("query")) ","
    TOOL("create_ticket", TEXT("title") "," STATUS) ","
    TOOL("update_ticket", TICKET "," TEXT("title") "," STATUS) ","
    TOOL("delete_ticket", TICKET) ","
    TOOL("get_watchlist", "") ","
    TOOL("set_watchlist", "'stocks':{'type':'array','items':{'type':'string'}}") ","
    TOOL("remove_stock_from_watchlist", TEXT("symbol")) ","
    TOOL("get_message", TEXT("message_id")) ","
    TOOL("delete_message_from_channel", TEXT("message_id")) "]}";

#define OK(schema) "'responses':{'200':{'description':'d','content':{'application/json':{'schema':" schema "}}}}}"
#define CATEGORY "{'type':'object','required':['id','name'],'properties':{'id':{'type':'integer','minimum':1,'maximum':3},'name':{'type':'string'}}}"
#define TAGS "{'type':'array','items':{'type':'object','required':['id','name'],'properties':{'id':{'type':'integer'},'name':{'type':'string'}}}}"
#define PET "{'type':'object','required':['id','name','category','tags','price'],'properties':{'id':{'type':'integer'}," \
    "'name':{'type':'string'},'category':" CATEGORY ",'tags':" TAGS ",'price':{'type':'number','minimum':0}}}"
#define IN_PATH(name) "{'name':'" name "','in':'path','required':true,'schema':{'type':'integer'}}"
#define QUERY(name, type) "{'name':'" name "','in':'query','schema':{'type':'" type "'}}"
#define BODY(schema) "'requestBody':{'content':{'application/json':{'schema':" schema "}}},"

static const char rest[] =
    "{'openapi':'3.1.0','info':{'title':'t','version':'1'},'paths':{'/pet/{petId}':{"
    "'get':{'operationId':'getPet','parameters':[" IN_PATH("petId") "]," OK(PET) ","
    "'delete':{'operationId':'deletePet','parameters':[" IN_PATH("petId") "],'responses':{'200':{'description':'gone'}}}},"
    "'/pet':{'post':{'operationId':'addPet'," BODY(PET) OK(PET) "},"
    "'/pet/find':{'get':{'operationId':'findPets','parameters':[" QUERY("tag", "string") "," QUERY("q", "string") ","
    QUERY("name_contains", "string") "," QUERY("max_price", "number") "," QUERY("limit", "integer") "," QUERY("page", "integer") "],"
    OK("{'type':'array','items':" PET "}") "},"
    "'/shop/categories/{id}':{'get':{'operationId':'getCategory','parameters':[" IN_PATH("id") "]," OK(CATEGORY) "}}}";
// clang-format on

// --- One world ----------------------------------------------------------------------------------

typedef struct house {
    lg_arena arena;
    lg_sim *sim;
    const lg_json *state;
    uint64_t seed;
    lg_open_world_answer answer;
} house;

static lg_str quoted(lg_arena *arena, const char *text)
{
    char *copy = lg_arena_alloc(arena, strlen(text) + 1, 1);
    for (size_t i = 0; i <= strlen(text); i++) {
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return lg_str_c(copy);
}

static void begin(house *h, const char *document, uint64_t seed)
{
    *h = (house){.seed = seed};
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
    h->state = fixture_json(&h->arena, "{}");
}

static void end(house *h)
{
    lg_sim_free(h->sim);
    lg_arena_done(&h->arena);
}

// The result, which is valid where the call was done.
LG_PRINTF(3, 4)
static const lg_json *call(house *h, const char *name, const char *format, ...)
{
    char args[256];
    va_list list;
    va_start(list, format);
    vsnprintf(args, sizeof(args), format, list);
    va_end(list);
    const lg_sim_tool *tool = lg_sim_tool_named(h->sim, lg_str_c(name), false);
    if (!CHECK_MSG(tool != NULL, name)) {
        exit(1);
    }
    lg_open_world_call asked = {.sim = h->sim,
                                .tool = tool,
                                .args = fixture_json(&h->arena, quoted(&h->arena, args).ptr),
                                .state = h->state,
                                .seed = h->seed,
                                .entities = 10000};
    lg_error error = {.msg = ""};
    CHECK(lg_open_world_reply(&h->arena, &asked, &h->answer, &error) == LG_OK);
    h->state = h->answer.state;
    CHECK_MSG(h->answer.end != LG_SIM_DONE || !tool->results ||
                  lg_schema_validate(tool->results, h->answer.result, NULL),
              name);
    return h->answer.result;
}

static const lg_json *at(const lg_json *value, const char *pointer)
{
    return lg_json_at(value, lg_str_c(pointer));
}

static int64_t number(const lg_json *value, const char *pointer)
{
    int64_t found = -1;
    (void)lg_json_int(at(value, pointer), &found);
    return found;
}

static bool has(lg_str text, const char *part)
{
    return lg_str_find(text, lg_str_c(part)) != SIZE_MAX;
}

// --- By hand ------------------------------------------------------------------------------------

static void entities_in_entities(void)
{
    house h;
    begin(&h, rest, 3);
    const lg_json *names[4] = {NULL};
    for (int id = 1; id < 30; id++) { // of three categories
        const lg_json *pet = call(&h, "getPet", "{'petId':%d}", id);
        int64_t category = number(pet, "/category/id");
        if (CHECK(category >= 1 && category <= 3)) {
            const lg_json *name = at(pet, "/category/name");
            CHECK(!names[category] || lg_json_equal(names[category], name));
            names[category] = name;
        }
    }
    for (int id = 1; id <= 3; id++) {
        const lg_json *category = call(&h, "getCategory", "{'id':%d}", id);
        CHECK(!names[id] || lg_json_equal(names[id], at(category, "/name")));
    }
    call(&h, "addPet",
         "{'id':99,'name':'Rex','category':{'id':2,'name':'Dogs'},'tags':[],'price':1}");
    CHECK_STR(lg_json_str(at(call(&h, "getCategory", "{'id':2}"), "/name")), "Dogs");
    CHECK_STR(lg_json_str(at(call(&h, "getPet", "{'petId':99}"), "/category/name")), "Dogs");
    end(&h);
}

static void lists_are_searched(void)
{
    house h;
    begin(&h, rest, 5);
    call(&h, "addPet",
         "{'id':99,'name':'Blue Rex','category':{'id':2,'name':'Dogs'},'tags':[],'price':70}");
    call(&h, "addPet",
         "{'id':98,'name':'Felix','category':{'id':2,'name':'Dogs'},'tags':[],'price':7}");
    const lg_json *found = call(&h, "findPets", "{'q':'rex'}");
    CHECK(number(found, "/0/id") == 99 && lg_json_len(found) >= 1);
    for (size_t i = 0; i < lg_json_len(found); i++) {
        lg_str name = lg_json_str(lg_json_get(&found->as.items[i], LG_STR("name")));
        CHECK(has(name, "rex") || has(name, "Rex"));
        CHECK(number(&found->as.items[i], "/id") != 98);
    }
    found = call(&h, "findPets", "{'name_contains':'lix'}");
    CHECK(number(found, "/0/id") == 98);
    found = call(&h, "findPets", "{'max_price':10}");
    CHECK(number(found, "/0/id") == 98);
    for (size_t i = 0; i < lg_json_len(found); i++) {
        double price = 0;
        CHECK(lg_json_double(lg_json_get(&found->as.items[i], LG_STR("price")), &price));
        CHECK(price <= 10);
    }
    found = call(&h, "findPets", "{'tag':'red'}");
    for (size_t i = 0; i < lg_json_len(found); i++) {
        CHECK(has(fixture_print(&h.arena, lg_json_get(&found->as.items[i], LG_STR("tags"))),
                  "\"red\""));
    }
    CHECK(lg_json_len(found) > 0);
    end(&h);
}

static void pages_end(void)
{
    house h;
    begin(&h, named, 11);
    size_t all = lg_json_len(at(call(&h, "list_tickets", "{}"), "/items"));
    size_t paged = 0;
    for (int page = 1; page < 20; page++) {
        const lg_json *result = call(&h, "list_tickets", "{'limit':2,'page':%d}", page);
        size_t count = lg_json_len(at(result, "/items"));
        CHECK(number(result, "/total") == (int64_t)all);
        CHECK(count <= 2);
        paged += count;
    }
    CHECK(paged == all && all > 0);
    end(&h);
}

static void nothing_is_said(void)
{
    house h;
    begin(&h, rest, 1);
    call(&h, "deletePet", "{'petId':7}");
    CHECK(h.answer.end == LG_SIM_DONE && lg_json_is(h.answer.result, LG_JSON_NULL));
    call(&h, "getPet", "{'petId':7}");
    CHECK(h.answer.end == LG_SIM_ABSENT);
    end(&h);
}

static void what_is_removed_goes_on_being(void)
{
    house h;
    begin(&h, named, 1);
    call(&h, "set_watchlist", "{'stocks':['AAPL','MSFT']}");
    call(&h, "remove_stock_from_watchlist", "{'symbol':'AAPL'}");
    CHECK_STR(fixture_print(&h.arena, at(call(&h, "get_watchlist", "{}"), "/stocks")),
              "[\"MSFT\"]");
    call(&h, "get_message", "{'message_id':'m1'}");
    call(&h, "delete_message_from_channel", "{'message_id':'m1'}");
    call(&h, "get_message", "{'message_id':'m1'}");
    CHECK(h.answer.end == LG_SIM_ABSENT);
    call(&h, "get_message", "{'message_id':'m2'}");
    CHECK_STR(lg_json_str(at(h.answer.result, "/message_id")), "m2");
    end(&h);
}

// --- Laws ---------------------------------------------------------------------------------------

#define KNOWN_MAX 400u

typedef struct told {
    int64_t id;
    const lg_json *title, *status; // NULL: nothing was said
    bool deleted;
} told;

typedef struct memory {
    told all[KNOWN_MAX];
    size_t count;
} memory;

static told *told_of(memory *m, int64_t id)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->all[i].id == id) {
            return &m->all[i];
        }
    }
    if (m->count == KNOWN_MAX) {
        exit(1);
    }
    m->all[m->count] = (told){.id = id};
    return &m->all[m->count++];
}

// What a ticket shows is what was said before, and is remembered.
static void hear(memory *m, const lg_json *ticket)
{
    told *t = told_of(m, number(ticket, "/ticket_id"));
    const lg_json *title = lg_json_get(ticket, LG_STR("title"));
    const lg_json *status = lg_json_get(ticket, LG_STR("status"));
    CHECK(t->id > 0 && !t->deleted);
    CHECK(!t->title || !title || lg_json_equal(t->title, title));
    CHECK(!t->status || !status || lg_json_equal(t->status, status));
    t->title = title ? title : t->title;
    t->status = status ? status : t->status;
}

static bool is_listed(const lg_json *items, int64_t id)
{
    size_t found = 0;
    for (size_t i = 0; i < lg_json_len(items); i++) {
        found += number(&items->as.items[i], "/ticket_id") == id ? 1 : 0;
    }
    CHECK(found <= 1);
    return found == 1;
}

// Then a list may be empty: what was deleted is not replaced.
static bool has_deleted(const memory *m)
{
    bool deleted = false;
    for (size_t i = 0; i < m->count; i++) {
        deleted = deleted || m->all[i].deleted;
    }
    return deleted;
}

static void check_list(house *h, memory *m, const char *status)
{
    char args[64];
    snprintf(args, sizeof(args), status ? "{'status':'%s'}" : "{}", status);
    const lg_json *items = at(call(h, "list_tickets", "%s", args), "/items");
    CHECK(lg_json_len(items) > 0 || has_deleted(m));
    CHECK(lg_json_equal(items, at(call(h, "list_tickets", "%s", args), "/items")));
    for (size_t i = 0; i < lg_json_len(items); i++) {
        hear(m, &items->as.items[i]);
        CHECK(!status ||
              lg_str_eq(lg_json_str(at(&items->as.items[i], "/status")), lg_str_c(status)));
    }
    for (size_t i = 0; i < m->count; i++) {
        const told *t = &m->all[i];
        bool suits = !status || !t->status || lg_str_eq(lg_json_str(t->status), lg_str_c(status));
        bool shown = t->title || t->status; // else nobody has heard of it
        CHECK(is_listed(items, t->id) == (shown && !t->deleted && suits));
    }
}

static void check_search(house *h, memory *m, const char *word)
{
    const lg_json *items = at(call(h, "search_tickets", "{'query':'%s'}", word), "/items");
    CHECK(lg_json_len(items) > 0 || has_deleted(m));
    for (size_t i = 0; i < lg_json_len(items); i++) {
        hear(m, &items->as.items[i]);
        CHECK(has(fixture_print(&h->arena, &items->as.items[i]), word));
    }
    for (size_t i = 0; i < m->count; i++) {
        const told *t = &m->all[i];
        if (!t->deleted && t->title && has(lg_json_str(t->title), word)) {
            CHECK(is_listed(items, t->id));
        }
    }
}

static void write_some(house *h, memory *m, dice *d, const char *status)
{
    uint32_t n = dice_below(d, 1000);
    if (dice_one_in(d, 2)) {
        size_t before = m->count;
        const lg_json *made =
            call(h, "create_ticket", "{'title':'word%u n%u','status':'%s'}", n % 5, n, status);
        CHECK(number(made, "/ticket_id") > 0);
        hear(m, made);
        CHECK(m->count == before + 1 && m->all[before].title && m->all[before].status); // a new one
        return;
    }
    told *t = told_of(m, 1 + (int64_t)dice_below(d, 12));
    call(h, "update_ticket", "{'ticket_id':%lld,'title':'word%u u%u'}", (long long)t->id, n % 5, n);
    CHECK(h->answer.end == (t->deleted ? LG_SIM_ABSENT : LG_SIM_DONE));
    if (!t->deleted) {
        t->title = NULL;
        hear(m, h->answer.result);
        CHECK(t->title && has(lg_json_str(t->title), " u"));
    }
}

static void random_step(house *h, memory *m, dice *d)
{
    static const char *const statuses[] = {"open", "closed"};
    static const char *const words[] = {"word1", "word2", "amber", "printer"};
    const char *status = DICE_PICK(d, statuses);
    told *t = told_of(m, 1 + (int64_t)dice_below(d, 12));
    switch (dice_below(d, 6)) {
    case 0:
    case 1:
        call(h, "get_ticket", "{'ticket_id':%lld}", (long long)t->id);
        CHECK(h->answer.end == (t->deleted ? LG_SIM_ABSENT : LG_SIM_DONE));
        if (!t->deleted) {
            CHECK(number(h->answer.result, "/ticket_id") == t->id);
            hear(m, h->answer.result);
            CHECK(t->title && t->status); // all that such a ticket has
        }
        break;
    case 2:
        write_some(h, m, d, status);
        break;
    case 3:
        call(h, "delete_ticket", "{'ticket_id':%lld}", (long long)t->id);
        CHECK(h->answer.end == (t->deleted ? LG_SIM_ABSENT : LG_SIM_DONE));
        t->deleted = true;
        break;
    case 4:
        check_search(h, m, DICE_PICK(d, words));
        break;
    default:
        check_list(h, m, dice_one_in(d, 2) ? NULL : status);
    }
}

static lg_str random_calls(uint64_t seed)
{
    static memory m;
    static char hash[65];
    house h;
    begin(&h, named, seed);
    m.count = 0;
    dice d = dice_of(seed);
    for (int i = 0; i < 60; i++) {
        random_step(&h, &m, &d);
    }
    CHECK(lg_json_hash(h.state, hash) == LG_OK);
    end(&h);
    return lg_str_c(hash);
}

static void laws(void)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        char first[65];
        snprintf(first, sizeof(first), "%.*s", LG_FMT(random_calls(seed)));
        CHECK_STR(random_calls(seed), first);
    }
}

int main(void)
{
    RUN(entities_in_entities);
    RUN(lists_are_searched);
    RUN(pages_end);
    RUN(nothing_is_said);
    RUN(what_is_removed_goes_on_being);
    RUN(laws);
    return lg_test_done();
}
