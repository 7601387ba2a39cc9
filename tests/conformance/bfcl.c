// bfcl.c: argument validation on the Berkeley Function Calling Leaderboard (Gecko, table 1).
//
// Right calls: every accepted answer, made concrete, must pass. Each parameter takes each of its
// accepted values (and is left out where the answer says so) while the others keep their first one:
// no document here ties one parameter to another, so that is all there is to see.
//
// Wrong calls: each answer is broken in one place at a time by the rules of Gecko's appendix A.3.1 -
// a required parameter left out, one that does not exist, a value of another type, outside its
// enum, outside its range - and must be refused with that very kind of error at that very place.
// None of these documents states a range for what its answers use, so each number is tried against
// its own document with bounds drawn tightly around the right value.
//
// All of it is asked twice: of the schemas, and of a simulator's session, which must say the same. The calls of several turns
// are carried out in one session each, without a pack, and none may be refused there.
//
// Answers that their own document refuses are listed below with the reason. An answer that is
// refused and not listed fails the run, and so does an entry that nothing meets.
#include "lg_test.h"

#include "base/file.h"
#include "catalogue/arguments.h"
#include "catalogue/catalogue.h"
#include "simulate/simulate.h"

typedef struct wrong_answer {
    const char *id;
    lg_schema_fault fault;
    const char *pointer;
    const char *reason;
    bool met;
} wrong_answer;

#define SAYS_UNDEFINED "the document has no such parameter"
#define SAYS_LEFT_OUT "left out in the answer, required by the document"
#define SAYS_NO_NULL "None, where the document has a number and no default"
#define SAYS_DEFAULT "the document's default, which its own type or enum does not have"
#define SAYS_NOT_LISTED "not among the values of the document's enum, or not written so"
#define SAYS_OTHER_TYPED "a value of another type than the document's"

// clang-format off
static wrong_answer wrong_answers[] = {
    {"simple_python_149", LG_FAULT_TYPE, "/company_names/0", SAYS_OTHER_TYPED, false},
    {"simple_python_149", LG_FAULT_TYPE, "/company_names/1", SAYS_OTHER_TYPED, false},
    {"simple_python_307", LG_FAULT_TYPE, "/venue", SAYS_OTHER_TYPED, false},
    {"simple_python_358", LG_FAULT_ENUM, "/diet/0", SAYS_NOT_LISTED, false},
    {"multiple_76", LG_FAULT_ENUM, "/material", SAYS_NOT_LISTED, false},
    {"parallel_88", LG_FAULT_TYPE, "/initial_velocity", SAYS_LEFT_OUT, false},
    {"parallel_152", LG_FAULT_TYPE, "/mod", SAYS_NO_NULL, false},
    {"parallel_multiple_12", LG_FAULT_UNKNOWN, "/permeability", SAYS_UNDEFINED, false},
    {"parallel_multiple_21", LG_FAULT_TYPE, "/x", SAYS_OTHER_TYPED, false},
    {"parallel_multiple_21", LG_FAULT_TYPE, "/y", SAYS_OTHER_TYPED, false},
    {"parallel_multiple_26", LG_FAULT_UNKNOWN, "/type", SAYS_UNDEFINED, false},
    {"parallel_multiple_94", LG_FAULT_TYPE, "/elements/0", SAYS_OTHER_TYPED, false},
    {"parallel_multiple_94", LG_FAULT_TYPE, "/elements/1", SAYS_OTHER_TYPED, false},
    {"parallel_multiple_94", LG_FAULT_TYPE, "/elements/2", SAYS_OTHER_TYPED, false},
    {"parallel_multiple_94", LG_FAULT_TYPE, "/elements/3", SAYS_OTHER_TYPED, false},
    {"parallel_multiple_94", LG_FAULT_TYPE, "/elements/4", SAYS_OTHER_TYPED, false},
    {"parallel_multiple_143", LG_FAULT_ENUM, "/specs/0", SAYS_NOT_LISTED, false},
    {"parallel_multiple_143", LG_FAULT_ENUM, "/specs/1", SAYS_NOT_LISTED, false},
    {"live_simple_106-63-0", LG_FAULT_REQUIRED, "", SAYS_LEFT_OUT, false},
    {"live_simple_141-94-0", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_142-94-1", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_143-95-0", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_144-95-1", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_145-95-2", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_146-95-3", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_147-95-4", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_148-95-5", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_149-95-6", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_150-95-7", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_153-95-10", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_155-95-12", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_157-95-14", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_simple_160-95-17", LG_FAULT_ENUM, "/unit", SAYS_DEFAULT, false},
    {"live_multiple_69-30-0", LG_FAULT_TYPE, "/port", SAYS_LEFT_OUT, false},
    {"live_multiple_77-35-1", LG_FAULT_TYPE, "/port", SAYS_LEFT_OUT, false},
    {"live_multiple_87-38-4", LG_FAULT_ENUM, "/type", SAYS_NOT_LISTED, false},
    {"live_multiple_114-44-1", LG_FAULT_TYPE, "/port", SAYS_LEFT_OUT, false},
    {"live_multiple_301-131-0", LG_FAULT_TYPE, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_301-131-0", LG_FAULT_ENUM, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_302-131-1", LG_FAULT_TYPE, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_302-131-1", LG_FAULT_ENUM, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_304-131-3", LG_FAULT_TYPE, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_304-131-3", LG_FAULT_ENUM, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_307-131-6", LG_FAULT_TYPE, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_307-131-6", LG_FAULT_ENUM, "/smoking_allowed", SAYS_OTHER_TYPED, false},
    {"live_multiple_342-133-6", LG_FAULT_TYPE, "/year", SAYS_DEFAULT, false},
    {"live_multiple_344-133-8", LG_FAULT_TYPE, "/year", SAYS_DEFAULT, false},
    {"live_multiple_345-133-9", LG_FAULT_TYPE, "/year", SAYS_DEFAULT, false},
    {"live_multiple_350-133-14", LG_FAULT_TYPE, "/year", SAYS_DEFAULT, false},
    {"live_multiple_352-133-16", LG_FAULT_TYPE, "/year", SAYS_DEFAULT, false},
    {"live_multiple_416-141-5", LG_FAULT_ENUM, "/genre", SAYS_DEFAULT, false},
    {"live_multiple_424-141-13", LG_FAULT_ENUM, "/show_type", SAYS_DEFAULT, false},
    {"live_multiple_427-141-16", LG_FAULT_ENUM, "/show_type", SAYS_DEFAULT, false},
    {"live_multiple_431-141-20", LG_FAULT_ENUM, "/genre", SAYS_DEFAULT, false},
    {"live_multiple_552-153-1", LG_FAULT_TYPE, "/is_unisex", SAYS_OTHER_TYPED, false},
    {"live_multiple_552-153-1", LG_FAULT_ENUM, "/is_unisex", SAYS_OTHER_TYPED, false},
    {"live_multiple_553-153-2", LG_FAULT_TYPE, "/is_unisex", SAYS_OTHER_TYPED, false},
    {"live_multiple_553-153-2", LG_FAULT_ENUM, "/is_unisex", SAYS_OTHER_TYPED, false},
    {"live_multiple_595-158-1", LG_FAULT_TYPE, "/number_of_rooms", SAYS_OTHER_TYPED, false},
    {"live_multiple_595-158-1", LG_FAULT_ENUM, "/number_of_rooms", SAYS_OTHER_TYPED, false},
    {"live_multiple_731-167-2", LG_FAULT_TYPE, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_731-167-2", LG_FAULT_ENUM, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_732-167-3", LG_FAULT_TYPE, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_732-167-3", LG_FAULT_ENUM, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_734-167-5", LG_FAULT_TYPE, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_734-167-5", LG_FAULT_ENUM, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_735-167-6", LG_FAULT_TYPE, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_735-167-6", LG_FAULT_ENUM, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_736-167-7", LG_FAULT_TYPE, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_736-167-7", LG_FAULT_ENUM, "/in_unit_laundry", SAYS_OTHER_TYPED, false},
    {"live_multiple_755-169-10", LG_FAULT_ENUM, "/genre", SAYS_NOT_LISTED, false},
    {"live_multiple_756-169-11", LG_FAULT_ENUM, "/genre", SAYS_NOT_LISTED, false},
    {"live_multiple_870-182-7", LG_FAULT_ENUM, "/genre", SAYS_NOT_LISTED, false},
    {"live_multiple_871-182-8", LG_FAULT_ENUM, "/genre", SAYS_NOT_LISTED, false},
    {"live_multiple_905-186-2", LG_FAULT_TYPE, "/number_of_adults", SAYS_LEFT_OUT, false},
    {"live_multiple_906-186-3", LG_FAULT_TYPE, "/number_of_adults", SAYS_LEFT_OUT, false},
    {"live_multiple_947-197-0", LG_FAULT_ENUM, "/duration", SAYS_NOT_LISTED, false},
    {"live_multiple_956-203-0", LG_FAULT_ENUM, "/status", SAYS_DEFAULT, false},
    {"live_multiple_964-207-0", LG_FAULT_UNKNOWN, "/question", SAYS_UNDEFINED, false},
    {"live_multiple_964-207-0", LG_FAULT_REQUIRED, "", SAYS_LEFT_OUT, false},
    {"live_parallel_multiple_2-2-0", LG_FAULT_ENUM, "/command", SAYS_NOT_LISTED, false},
    {"live_parallel_multiple_21-18-0", LG_FAULT_TYPE, "/is_unisex", SAYS_DEFAULT, false},
};
// clang-format on

typedef enum mutation {
    LEAVE_OUT,
    ADD_UNKNOWN,
    OTHER_TYPE,
    OUT_OF_ENUM,
    OUT_OF_RANGE, // bounds drawn around the right value
    MUTATIONS,
} mutation;

typedef struct tally {
    size_t answers;
    size_t calls;
    size_t accepted;
    size_t explained;
    size_t tried[MUTATIONS];
    size_t refused[MUTATIONS];
    size_t simulated; // calls that were carried out
} tally;

typedef struct run {
    lg_arena arena; // of one question
    tally t;
    const char *id; // of the question
    const lg_catalogue_tool *tool;
    lg_sim *sim; // of the question's tools
    lg_sim_session *session;
    bool carries_out;
} run;

// --- Making calls -------------------------------------------------------------------------------

typedef struct draft { // arguments that are being put together
    lg_json_member *members;
    size_t count;
} draft;

static draft new_draft(run *r, size_t capacity)
{
    return (draft){lg_json_alloc_members(&r->arena, capacity + 1), 0};
}

static void put(draft *d, lg_str key, lg_json value)
{
    d->members[d->count++] = lg_json_make_member(key, value);
}

// A copy of `args` where the member `at` is `value`, or gone if that is NULL.
static lg_json with_member(run *r, const lg_json *args, size_t at, const lg_json *value)
{
    draft d = new_draft(r, lg_json_len(args));
    for (size_t i = 0; i < lg_json_len(args); i++) {
        const lg_json_member *m = lg_json_member_at(args, i);
        if (i != at || value) {
            put(&d, lg_json_key(m), i == at ? *value : m->value);
        }
    }
    return lg_json_make_object(d.members, d.count);
}

// --- Judging ------------------------------------------------------------------------------------

static bool is_listed(const run *r, const lg_schema_violation *v)
{
    for (size_t i = 0; i < LG_COUNT(wrong_answers); i++) {
        wrong_answer *w = &wrong_answers[i];
        if (strcmp(w->id, r->id) == 0 && w->fault == v->fault &&
            strcmp(w->pointer, v->instance_pointer) == 0) {
            w->met = true;
            return true;
        }
    }
    return false;
}

// --- The simulator ------------------------------------------------------------------------------

static void begin_session(run *r, const lg_catalogue *tools)
{
    lg_errors errors;
    lg_errors_init(&errors, &r->arena, 1);
    CHECK(lg_sim_new(&(lg_sim_options){.catalogue = tools}, &r->sim, &errors) == LG_OK &&
          lg_sim_session_new(r->sim, NULL, &r->session, NULL) == LG_OK);
}

static void end_session(run *r)
{
    lg_sim_session_free(r->session);
    lg_sim_free(r->sim);
    r->session = NULL;
    r->sim = NULL;
}

static void expect_end(run *r, const lg_json *args, bool right)
{
    lg_sim_answer answer;
    lg_sim_call call = {.tool = r->tool->name, .args = args, .args_text = LG_STR("")};
    if (!CHECK(lg_sim_validate(r->session, &call, NULL, &answer, NULL) == LG_OK)) {
        return;
    }
    bool told = right || (answer.violation_count > 0 && answer.error.len > 0);
    if (!CHECK_MSG(told && answer.end == (right ? LG_SIM_DONE : LG_SIM_BAD_ARGUMENTS),
                   "the simulator judges a call otherwise than the schema")) {
        printf("    %s: %.*s: %s\n", r->id, LG_FMT(call.tool), lg_sim_end_name(answer.end));
    }
    if (right && r->carries_out) {
        r->t.simulated++;
        if (!CHECK(lg_sim_call_tool(r->session, &call, NULL, &answer, NULL) == LG_OK) ||
            !CHECK_MSG(answer.end == LG_SIM_DONE, "a right call is refused in its session")) {
            printf("    %s: %.*s: %s: %.*s\n", r->id, LG_FMT(call.tool),
                   lg_sim_end_name(answer.end), LG_FMT(answer.error));
        }
    }
}

// --- Right and wrong ----------------------------------------------------------------------------

static bool expect_right(run *r, const lg_json *args)
{
    lg_argument_check check;
    r->t.calls++;
    if (!CHECK(lg_tool_check_arguments(&r->arena, r->tool->arguments, args, LG_STR(""), &check) ==
               LG_OK)) {
        return false;
    }
    expect_end(r, args, check.valid);
    bool listed = !check.valid;
    for (size_t i = 0; i < check.count; i++) {
        listed = listed && is_listed(r, &check.errors[i]);
    }
    r->t.accepted += check.valid;
    r->t.explained += listed;
    if (!CHECK_MSG(check.valid || listed, "a right answer is refused")) {
        for (size_t i = 0; i < check.count; i++) {
            printf("    %s: %.*s: %s %s: %s\n", r->id, LG_FMT(r->tool->name),
                   lg_schema_fault_name(check.errors[i].fault), check.errors[i].instance_pointer,
                   check.errors[i].msg);
        }
    }
    return check.valid;
}

static void expect_wrong(run *r, mutation kind, const lg_schema *schema, const lg_json *args,
                         lg_schema_fault fault, lg_str key)
{
    char pointer[512];
    lg_argument_check check;
    bool names = fault == LG_FAULT_REQUIRED || fault == LG_FAULT_UNKNOWN;
    lg_str shown = fault == LG_FAULT_REQUIRED ? LG_STR("") : key;
    snprintf(pointer, sizeof(pointer), "%s%.*s", shown.len ? "/" : "", LG_FMT(shown));
    r->t.tried[kind]++;
    if (!CHECK(lg_tool_check_arguments(&r->arena, schema, args, LG_STR(""), &check) == LG_OK)) {
        return;
    }
    if (schema == r->tool->arguments) { // bounds are drawn in a copy
        expect_end(r, args, false);
    }
    bool found = false;
    for (size_t i = 0; i < check.count; i++) {
        const lg_schema_violation *v = &check.errors[i];
        found = found || (v->fault == fault && strcmp(v->instance_pointer, pointer) == 0 &&
                          (!names || lg_str_eq(v->member, key)));
    }
    r->t.refused[kind] += found;
    if (!CHECK_MSG(found, "a wrong call is not refused with the right kind of error")) {
        printf("    %s: %.*s: wanted %s at %.*s; got: %.*s\n", r->id, LG_FMT(r->tool->name),
               lg_schema_fault_name(fault), LG_FMT(key), LG_FMT(check.message));
    }
}

// --- Mutations ----------------------------------------------------------------------------------

// A value that no schema of `type` takes; false where there is none.
static bool other_type(lg_str type, lg_json *ret)
{
    if (type.len == 0) {
        return false; // anything goes
    }
    bool string = lg_str_eq(type, LG_STR("string"));
    *ret = string ? lg_json_make_int(4711) : lg_json_make_str(LG_STR("not of this type"));
    return true;
}

static lg_json bounded(run *r, const lg_json *schema, const lg_json *value)
{
    draft d = new_draft(r, lg_json_len(schema) + 2);
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        lg_str key = lg_json_key(lg_json_member_at(schema, i));
        if (!lg_str_eq(key, LG_STR("minimum")) && !lg_str_eq(key, LG_STR("maximum"))) {
            put(&d, key, lg_json_member_at(schema, i)->value);
        }
    }
    put(&d, LG_STR("minimum"), *value);
    put(&d, LG_STR("maximum"), *value);
    return lg_json_make_object(d.members, d.count);
}

// The tool's schema with tight bounds at one argument.
static const lg_schema *bounded_tool(run *r, lg_str key, const lg_json *value)
{
    const lg_json *parameters = r->tool->parameters;
    const lg_json *properties = lg_json_get(parameters, LG_STR("properties"));
    draft inner = new_draft(r, lg_json_len(properties));
    for (size_t i = 0; i < lg_json_len(properties); i++) {
        const lg_json_member *m = lg_json_member_at(properties, i);
        bool same = lg_str_eq(lg_json_key(m), key);
        put(&inner, lg_json_key(m), same ? bounded(r, &m->value, value) : m->value);
    }
    draft outer = new_draft(r, lg_json_len(parameters));
    for (size_t i = 0; i < lg_json_len(parameters); i++) {
        lg_str name = lg_json_key(lg_json_member_at(parameters, i));
        bool same = lg_str_eq(name, LG_STR("properties"));
        put(&outer, name,
            same ? lg_json_make_object(inner.members, inner.count)
                 : lg_json_member_at(parameters, i)->value);
    }
    lg_json *schema = LG_NEW(&r->arena, lg_json);
    *schema = lg_json_make_object(outer.members, outer.count);
    lg_errors errors;
    lg_errors_init(&errors, &r->arena, 4);
    return lg_schema_compile(&r->arena, schema, &(lg_schema_options){.closed_arguments = true},
                             &errors);
}

static void try_bounds(run *r, const lg_json *args, size_t at, const lg_json *schema)
{
    const lg_json_member *m = lg_json_member_at(args, at);
    double right = 0;
    if (!lg_json_is_number(&m->value) || !lg_json_double(&m->value, &right) ||
        lg_json_get(schema, LG_STR("enum"))) {
        return;
    }
    const lg_schema *tight = bounded_tool(r, lg_json_key(m), &m->value);
    lg_argument_check check;
    if (CHECK(tight != NULL) &&
        CHECK(lg_tool_check_arguments(&r->arena, tight, args, LG_STR(""), &check) == LG_OK)) {
        CHECK_MSG(check.valid, "the right value lies within bounds drawn around it");
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t whole = 0;
            bool integral = lg_json_int(&m->value, &whole);
            lg_json beyond = integral ? lg_json_make_int(whole + sign)
                                      : lg_json_make_double(right + sign * (0.5 + right * right));
            lg_json wrong = with_member(r, args, at, &beyond);
            expect_wrong(r, OUT_OF_RANGE, tight, &wrong, LG_FAULT_RANGE, lg_json_key(m));
        }
    }
}

static void try_enum(run *r, const lg_json *args, size_t at, const lg_json *schema)
{
    lg_str key = lg_json_key(lg_json_member_at(args, at));
    const lg_schema *own = r->tool->arguments;
    if (lg_json_get(schema, LG_STR("enum")) &&
        lg_str_eq(lg_json_str(lg_json_get(schema, LG_STR("type"))), LG_STR("string"))) {
        lg_json value = lg_json_make_str(LG_STR("none of the listed values"));
        lg_json wrong = with_member(r, args, at, &value);
        expect_wrong(r, OUT_OF_ENUM, own, &wrong, LG_FAULT_ENUM, key);
    }
}

static const lg_json *schema_of(const lg_catalogue_tool *tool, lg_str key, bool *ret_required)
{
    for (size_t i = 0; i < tool->list_count; i++) {
        if (lg_str_eq(tool->list[i].name, key)) {
            *ret_required = tool->list[i].required;
            return tool->list[i].schema;
        }
    }
    return NULL;
}

static void try_wrong_calls(run *r, const lg_json *args)
{
    const lg_schema *own = r->tool->arguments;
    draft more = new_draft(r, lg_json_len(args) + 1);
    for (size_t i = 0; i < lg_json_len(args); i++) {
        const lg_json_member *m = lg_json_member_at(args, i);
        bool required = false;
        const lg_json *schema = schema_of(r->tool, lg_json_key(m), &required);
        lg_json other;
        put(&more, lg_json_key(m), m->value);
        if (!CHECK(schema != NULL)) {
            continue;
        }
        if (required) {
            lg_json wrong = with_member(r, args, i, NULL);
            expect_wrong(r, LEAVE_OUT, own, &wrong, LG_FAULT_REQUIRED, lg_json_key(m));
        }
        if (other_type(lg_json_str(lg_json_get(schema, LG_STR("type"))), &other)) {
            lg_json wrong = with_member(r, args, i, &other);
            expect_wrong(r, OTHER_TYPE, own, &wrong, LG_FAULT_TYPE, lg_json_key(m));
        }
        try_enum(r, args, i, schema);
        try_bounds(r, args, i, schema);
    }
    put(&more, LG_STR("an_argument_of_no_tool"), lg_json_make_int(1));
    lg_json wrong = lg_json_make_object(more.members, more.count);
    expect_wrong(r, ADD_UNKNOWN, own, &wrong, LG_FAULT_UNKNOWN, LG_STR("an_argument_of_no_tool"));
}

// --- Answers ------------------------------------------------------------------------------------

// Answers say `""` for "may be left out"; for a parameter that must be there it is the empty text.
static bool means_absent(const lg_json *value, bool required)
{
    return lg_json_is(value, LG_JSON_STRING) && value->len == 0 && !required;
}

static bool is_required(const lg_json *schema, lg_str key)
{
    const lg_json *names = lg_json_get(schema, LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(names); i++) {
        if (lg_str_eq(lg_json_str(&names->as.items[i]), key)) {
            return true;
        }
    }
    return false;
}

static lg_json concrete(run *r, const lg_json *value, const lg_json *schema, size_t pick);

// An object of lists of accepted values, with the `pick`th of each (its last one if it has fewer).
static lg_json concrete_object(run *r, const lg_json *answer, const lg_json *schema, size_t pick)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    draft d = new_draft(r, lg_json_len(answer));
    for (size_t i = 0; i < lg_json_len(answer); i++) {
        const lg_json_member *m = lg_json_member_at(answer, i);
        lg_str key = lg_json_key(m);
        size_t count = lg_json_len(&m->value);
        const lg_json *value = &m->value;
        if (lg_json_is(value, LG_JSON_ARRAY) && count) {
            value = &value->as.items[pick < count ? pick : count - 1];
        }
        if (!means_absent(value, is_required(schema, key))) {
            put(&d, key, concrete(r, value, lg_json_get(properties, key), pick));
        }
    }
    return lg_json_make_object(d.members, d.count);
}

// Objects inside an answer list accepted values too, arrays do not.
static lg_json concrete(run *r, const lg_json *value, const lg_json *schema, size_t pick)
{
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        return concrete_object(r, value, schema, pick);
    }
    if (!lg_json_is(value, LG_JSON_ARRAY)) {
        return *value;
    }
    lg_json *items = LG_NEW_ARRAY(&r->arena, lg_json, lg_json_len(value) + 1);
    for (size_t i = 0; i < lg_json_len(value); i++) {
        items[i] = concrete(r, &value->as.items[i], lg_json_get(schema, LG_STR("items")), pick);
    }
    return lg_json_make_array(items, lg_json_len(value));
}

// How often an object inside of `value` offers a choice.
static size_t choices(const lg_json *value)
{
    size_t most = 1;
    for (size_t i = 0; lg_json_is(value, LG_JSON_OBJECT) && i < lg_json_len(value); i++) {
        size_t count = lg_json_len(&lg_json_member_at(value, i)->value);
        most = count > most ? count : most;
    }
    for (size_t i = 0; lg_json_is(value, LG_JSON_ARRAY) && i < lg_json_len(value); i++) {
        size_t count = choices(&value->as.items[i]);
        most = count > most ? count : most;
    }
    return most;
}

// The call in which argument `at` takes its `choice`th value, with the `pick`th inside of it.
static lg_json make_call(run *r, const lg_json *answer, size_t at, size_t choice, size_t pick)
{
    const lg_json *parameters = r->tool->parameters;
    const lg_json *properties = lg_json_get(parameters, LG_STR("properties"));
    draft d = new_draft(r, lg_json_len(answer));
    for (size_t i = 0; i < lg_json_len(answer); i++) {
        lg_str key = lg_json_key(lg_json_member_at(answer, i));
        const lg_json *value =
            lg_json_item(&lg_json_member_at(answer, i)->value, i == at ? choice : 0);
        if (value && !means_absent(value, is_required(parameters, key))) {
            put(&d, key, concrete(r, value, lg_json_get(properties, key), i == at ? pick : 0));
        }
    }
    return lg_json_make_object(d.members, d.count);
}

static void try_answer(run *r, const lg_json *answer)
{
    lg_json first = make_call(r, answer, 0, 0, 0);
    r->t.answers++;
    bool right = expect_right(r, &first);
    for (size_t i = 0; i < lg_json_len(answer); i++) {
        const lg_json *values = &lg_json_member_at(answer, i)->value;
        for (size_t j = 0; j < lg_json_len(values); j++) {
            size_t picks = choices(&values->as.items[j]);
            for (size_t k = j == 0 ? 1 : 0; k < picks; k++) {
                lg_json call = make_call(r, answer, i, j, k);
                expect_right(r, &call);
            }
        }
    }
    if (right) {
        try_wrong_calls(r, &first);
    }
}

// --- Calls as Python writes them ----------------------------------------------------------------

typedef struct python {
    lg_arena *arena;
    const char *at;
    const char *end;
    bool bad;
} python;

static lg_json python_value(python *p);

static bool python_take(python *p, char ch)
{
    while (p->at < p->end && *p->at == ' ') {
        p->at++;
    }
    bool taken = p->at < p->end && *p->at == ch;
    p->at += taken;
    return taken;
}

static lg_json python_string(python *p)
{
    char quote = *p->at++;
    char *text = lg_arena_alloc(p->arena, (size_t)(p->end - p->at) + 1, 1);
    size_t len = 0;
    while (p->at < p->end && *p->at != quote) {
        if (*p->at == '\\' && p->at + 1 < p->end) {
            p->at++;
            text[len++] = *p->at == 'n' ? '\n' : *p->at == 't' ? '\t' : *p->at;
        } else {
            text[len++] = *p->at;
        }
        p->at++;
    }
    p->bad = p->bad || p->at == p->end;
    p->at += p->at < p->end;
    return lg_json_make_str(lg_str_of(text, len));
}

static lg_json python_list(python *p)
{
    lg_json *items = LG_NEW_ARRAY(p->arena, lg_json, 64);
    size_t count = 0;
    while (!python_take(p, ']') && !p->bad) {
        items[count++] = python_value(p);
        p->bad = p->bad || count == 64;
        (void)python_take(p, ',');
    }
    return lg_json_make_array(items, count);
}

static lg_json python_dict(python *p)
{
    draft d = {lg_json_alloc_members(p->arena, 64), 0};
    while (!python_take(p, '}') && !p->bad) {
        lg_json key = python_value(p);
        p->bad = p->bad || !python_take(p, ':') || d.count == 63;
        lg_json value = python_value(p);
        put(&d, lg_json_str(&key), value);
        (void)python_take(p, ',');
    }
    return lg_json_make_object(d.members, d.count);
}

static lg_json python_word(python *p)
{
    const char *from = p->at;
    while (p->at < p->end && !strchr(" ,)]}:=(", *p->at)) {
        p->at++;
    }
    lg_str word = lg_str_of(from, (size_t)(p->at - from));
    const lg_json *number = NULL;
    if (lg_str_eq(word, LG_STR("True")) || lg_str_eq(word, LG_STR("False"))) {
        return lg_json_make_bool(word.len == 4);
    }
    if (lg_str_eq(word, LG_STR("None"))) {
        return lg_json_make_null();
    }
    if (lg_json_parse_in(p->arena, word, 0, word.len, NULL, &number, NULL) != LG_OK) {
        p->bad = true;
        return lg_json_make_null();
    }
    return *number;
}

static lg_json python_value(python *p)
{
    while (p->at < p->end && *p->at == ' ') {
        p->at++;
    }
    if (p->at < p->end && (*p->at == '\'' || *p->at == '"')) {
        return python_string(p);
    }
    if (python_take(p, '[')) {
        return python_list(p);
    }
    return python_take(p, '{') ? python_dict(p) : python_word(p);
}

// `name=`, or the name of the `position`th parameter where the call gives a bare value.
static lg_str python_keyword(python *p, const lg_catalogue_tool *tool, size_t position)
{
    const char *before = p->at;
    while (p->at < p->end &&
           (*p->at == '_' || (*p->at >= '0' && *p->at <= '9') || (*p->at >= 'a' && *p->at <= 'z') ||
            (*p->at >= 'A' && *p->at <= 'Z'))) {
        p->at++;
    }
    lg_str word = lg_str_of(before, (size_t)(p->at - before));
    if (word.len && python_take(p, '=')) {
        return word;
    }
    p->at = before;
    return position < tool->list_count ? tool->list[position].name : LG_STR("");
}

static const lg_catalogue_tool *find_tool(const lg_catalogue *tools, lg_str name)
{
    for (size_t i = 0; i < tools->tool_count; i++) {
        if (lg_str_eq(tools->tools[i].name, name)) {
            return &tools->tools[i];
        }
    }
    return NULL;
}

static void try_python(run *r, const lg_catalogue *tools, lg_str text)
{
    size_t open = lg_str_find(text, LG_STR("("));
    lg_str name = lg_str_slice(text, 0, open);
    r->tool = find_tool(tools, lg_str_trim(name));
    if (!CHECK_MSG(r->tool && open != SIZE_MAX, "a call of a function that has a document")) {
        printf("    %s: %.*s\n", r->id, LG_FMT(text));
        return;
    }
    python p = {&r->arena, text.ptr + open + 1, text.ptr + text.len, false};
    draft d = new_draft(r, 64);
    while (!python_take(&p, ')') && !p.bad) {
        lg_str key = python_keyword(&p, r->tool, d.count);
        put(&d, key, python_value(&p));
        p.bad = p.bad || d.count == 63;
        (void)python_take(&p, ',');
    }
    if (CHECK_MSG(!p.bad, "a call that is read")) {
        lg_json args = lg_json_make_object(d.members, d.count);
        r->t.answers++;
        if (expect_right(r, &args)) {
            try_wrong_calls(r, &args);
        }
    } else {
        printf("    %s: %.*s\n", r->id, LG_FMT(text));
    }
}

// --- Files --------------------------------------------------------------------------------------

typedef struct lines {
    lg_arena arena; // of the whole file
    lg_file file;
    size_t at;
} lines;

static bool lines_open(lines *l, const char *path)
{
    *l = (lines){.at = 0};
    lg_arena_init(&l->arena, 0);
    return CHECK_MSG(lg_file_open(path, 1u << 28, &l->file, NULL) == LG_OK, path);
}

static void lines_close(lines *l)
{
    lg_file_close(&l->file);
    lg_arena_done(&l->arena);
}

// The next line; NULL at the end. `*ret_text` is the line itself.
static const lg_json *lines_next(lines *l, lg_str *ret_text)
{
    lg_str text = l->file.text;
    const lg_json *value = NULL;
    if (l->at < text.len) {
        size_t length = lg_str_find(lg_str_slice(text, l->at, text.len), LG_STR("\n"));
        size_t end = length == SIZE_MAX ? text.len : l->at + length;
        *ret_text = lg_str_slice(text, l->at, end);
        CHECK(lg_json_parse_in(&l->arena, text, l->at, end, NULL, &value, NULL) == LG_OK);
        l->at = end + 1;
    }
    return value;
}

static void try_question(run *r, const lg_json *answers, lg_str question)
{
    const lg_catalogue *tools = NULL;
    if (!CHECK(lg_catalogue_read(&r->arena, question, NULL, &tools, NULL) == LG_OK)) {
        return;
    }
    CHECK(tools->error_count == 0);
    begin_session(r, tools);
    const lg_json *list = lg_json_get(answers, LG_STR("ground_truth"));
    for (size_t i = 0; i < lg_json_len(list); i++) {
        const lg_json_member *call = lg_json_member_at(&list->as.items[i], 0);
        r->tool = find_tool(tools, lg_json_key(call));
        if (CHECK_MSG(r->tool && r->tool->arguments, r->id)) {
            try_answer(r, &call->value);
        }
    }
    end_session(r);
}

static void print_tally(const char *name, const tally *t)
{
    printf("%-24s %5zu %6zu %6zu %4zu ", name, t->answers, t->calls, t->accepted, t->explained);
    for (size_t i = 0; i < MUTATIONS; i++) {
        char cell[32];
        snprintf(cell, sizeof(cell), "%zu/%zu", t->refused[i], t->tried[i]);
        printf(" %12s", cell);
        CHECK(t->refused[i] == t->tried[i]);
    }
    printf("\n");
}

static void add_tally(tally *sum, const tally *t)
{
    sum->answers += t->answers;
    sum->calls += t->calls;
    sum->accepted += t->accepted;
    sum->explained += t->explained;
    sum->simulated += t->simulated;
    for (size_t i = 0; i < MUTATIONS; i++) {
        sum->tried[i] += t->tried[i];
        sum->refused[i] += t->refused[i];
    }
}

static void run_category(const char *data, const char *name, tally *sum)
{
    char path[2048];
    lines questions;
    lines answers;
    run r = {.id = ""};
    snprintf(path, sizeof(path), "%s/data/bfcl/BFCL_v4_%s.json", data, name);
    bool ok = lines_open(&questions, path);
    snprintf(path, sizeof(path), "%s/data/bfcl/possible_answer/BFCL_v4_%s.json", data, name);
    ok = lines_open(&answers, path) && ok;
    lg_str text;
    lg_str ignored;
    for (const lg_json *q; ok && (q = lines_next(&questions, &text)) != NULL;) {
        const lg_json *a = lines_next(&answers, &ignored);
        lg_str id = lg_arena_str(&questions.arena, lg_json_str(lg_json_get(q, LG_STR("id"))));
        if (!CHECK(lg_str_eq(id, lg_json_str(lg_json_get(a, LG_STR("id")))))) {
            break;
        }
        lg_arena_init(&r.arena, 0);
        r.id = id.ptr;
        try_question(&r, a, text);
        lg_arena_done(&r.arena);
    }
    print_tally(name, &r.t);
    add_tally(sum, &r.t);
    lines_close(&questions);
    lines_close(&answers);
}

// The documents of all classes as one catalogue. Only the memory classes share names, and no turn
// here calls them.
static const lg_catalogue *read_classes(const char *data, lg_arena *arena)
{
    static const char *const classes[] = {"gorilla_file_system", "math_api",       "message_api",
                                          "posting_api",         "ticket_api",     "trading_bot",
                                          "travel_booking",      "vehicle_control"};
    lg_buf all;
    lg_buf_init(&all, 0);
    for (size_t i = 0; i < LG_COUNT(classes); i++) {
        char path[2048];
        lg_file file = {0};
        snprintf(path, sizeof(path), "%s/data/bfcl/multi_turn_func_doc/%s.json", data, classes[i]);
        CHECK_MSG(lg_file_open(path, 1u << 24, &file, NULL) == LG_OK, path);
        lg_buf_add(&all, lg_str_trim(file.text));
        lg_buf_add_c(&all, "\n");
        lg_file_close(&file);
    }
    const lg_catalogue *tools = NULL;
    lg_str kept = lg_arena_str(arena, lg_buf_str(&all));
    lg_buf_done(&all);
    CHECK(lg_catalogue_read(arena, kept, NULL, &tools, NULL) == LG_OK);
    CHECK(tools && tools->error_count == 0);
    return tools;
}

static void run_turns(const char *data, const char *name, const lg_catalogue *tools, tally *sum)
{
    char path[2048];
    lines answers;
    run r = {.id = "", .carries_out = true};
    lg_str ignored;
    snprintf(path, sizeof(path), "%s/data/bfcl/possible_answer/BFCL_v4_%s.json", data, name);
    bool ok = lines_open(&answers, path);
    for (const lg_json *a; ok && (a = lines_next(&answers, &ignored)) != NULL;) {
        const lg_json *turns = lg_json_get(a, LG_STR("ground_truth"));
        lg_str id = lg_arena_str(&answers.arena, lg_json_str(lg_json_get(a, LG_STR("id"))));
        lg_arena_init(&r.arena, 0);
        r.id = id.ptr;
        begin_session(&r, tools);
        for (size_t i = 0; i < lg_json_len(turns); i++) {
            const lg_json *turn = &turns->as.items[i];
            for (size_t j = 0; j < lg_json_len(turn); j++) {
                try_python(&r, tools, lg_json_str(&turn->as.items[j]));
            }
        }
        end_session(&r);
        lg_arena_done(&r.arena);
    }
    print_tally(name, &r.t);
    add_tally(sum, &r.t);
    lines_close(&answers);
}

int main(void)
{
    static const char *const single[] = {
        "simple_python", "multiple",      "parallel",      "parallel_multiple",
        "live_simple",   "live_multiple", "live_parallel", "live_parallel_multiple"};
    static const char *const turns[] = {"multi_turn_base", "multi_turn_miss_func",
                                        "multi_turn_miss_param", "multi_turn_long_context"};
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: conformance.bfcl (no shared data)\n");
        return 77;
    }
    lg_test_name = "bfcl";
    printf("%-24s %5s %6s %6s %4s  %12s %12s %12s %12s %12s\n", "category", "asked", "right",
           "passed", "gold", "required", "unknown", "type", "enum", "range");
    tally sum = {0};
    for (size_t i = 0; i < LG_COUNT(single); i++) {
        run_category(data, single[i], &sum);
    }
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_catalogue *tools = read_classes(data, &arena);
    for (size_t i = 0; tools && i < LG_COUNT(turns); i++) {
        run_turns(data, turns[i], tools, &sum);
    }
    print_tally("total", &sum);
    printf("carried out in sessions: %zu calls of several turns\n", sum.simulated);
    CHECK(sum.simulated == 3221);
    CHECK(sum.accepted + sum.explained == sum.calls);
    lg_arena_done(&arena);
    for (size_t i = 0; i < LG_COUNT(wrong_answers); i++) {
        CHECK_MSG(wrong_answers[i].met, wrong_answers[i].reason);
    }
    return lg_test_done();
}
