// load.c: the order of loading, tools, and the face of the room.
//
// Order matters: types, then places (they name types), then procedures and tools (their steps and
// stores name places), then rules (they name tools). Each step adds its errors and the next goes on, so that an author
// sees all of them at once.
#include "pack/loader.h"
#include "pack/yaml.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/time.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

// --- Errors -------------------------------------------------------------------------------------

lg_position lg_pack_position(const lg_pack *pack, uint32_t offset)
{
    lg_position at = {0};
    if (offset != LG_JSON_NO_OFFSET) {
        at = lg_text_position(pack->text, offset);
    }
    at.file = pack->file;
    return at;
}

void loader_error(loader *l, uint32_t offset, const char *format, ...)
{
    if (l->errors.count >= l->errors.limit) { // finding its line would be for nothing
        l->errors.dropped++;
        return;
    }
    lg_error error;
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(&error, LG_ERR_PARSE, lg_pack_position(l->pack, offset), format, args);
    va_end(args);
    lg_errors_add(&l->errors, &error);
}

void loader_remark(loader *l, uint32_t offset, const char *format, ...)
{
    char text[LG_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (size_t i = 0; i < l->pack->remark_count; i++) { // an expression may be compiled twice
        const lg_remark *known = &l->pack->remarks[i];
        if (known->offset == offset && lg_str_eq(known->text, lg_str_c(text))) {
            return;
        }
    }
    lg_remark *grown = lg_arena_grow(l->arena, l->pack->remarks, l->pack->remark_count,
                                     &l->remark_capacity, sizeof(*grown));
    lg_str kept = lg_arena_str(l->arena, lg_str_c(text));
    if (grown && kept.ptr) {
        grown[l->pack->remark_count++] = (lg_remark){offset, kept};
        l->pack->remarks = grown;
    }
}

static const char *closest_key(lg_str key, const char *const *allowed, size_t count)
{
    const char *best = NULL;
    uint32_t best_distance = 3;
    for (size_t i = 0; i < count; i++) {
        uint32_t distance = lg_str_distance(key, lg_str_c(allowed[i]));
        if (distance < best_distance) {
            best_distance = distance;
            best = allowed[i];
        }
    }
    return best;
}

bool loader_check_keys(loader *l, const lg_json *object, const char *what,
                       const char *const *allowed, size_t count)
{
    if (!lg_json_is(object, LG_JSON_OBJECT)) {
        loader_error(l, object->offset, "%s must be a map", what);
        return false;
    }
    for (size_t m = 0; m < lg_json_len(object); m++) {
        const lg_json_member *member = lg_json_member_at(object, m);
        bool known = false;
        for (size_t i = 0; i < count; i++) {
            known = known || lg_str_eq(lg_json_key(member), lg_str_c(allowed[i]));
        }
        if (known) {
            continue;
        }
        const char *close = closest_key(lg_json_key(member), allowed, count);
        loader_error(l, member->key_offset, "unknown key `%.*s` in %s%s%s%s",
                     LG_FMT(lg_json_key(member)), what, close ? "; did you mean `" : "",
                     close ? close : "", close ? "`?" : "");
    }
    return true;
}

lg_str loader_string(loader *l, const lg_json *object, const char *key, bool required)
{
    const lg_json *value = lg_json_get(object, lg_str_c(key));
    if (!value && required) {
        loader_error(l, object->offset, "`%s` is missing", key);
    }
    if (value && !lg_json_is(value, LG_JSON_STRING)) {
        loader_error(l, value->offset, "`%s` must be a text; put it in quotes", key);
    }
    return lg_json_str(value);
}

// --- Expressions --------------------------------------------------------------------------------

// Byte offset of line and column (both from 1, columns in code points) in `text`.
static size_t offset_of_position(lg_str text, uint32_t line, uint32_t column)
{
    size_t at = 0;
    while (line > 1 && at < text.len) {
        line -= text.ptr[at++] == '\n';
    }
    while (column > 1 && at < text.len) {
        at++;
        while (at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80) {
            at++;
        }
        column--;
    }
    return at;
}

bool loader_lacks_state(loader *l, uint32_t offset)
{
    bool lacks = !lg_json_get(l->pack->document, LG_STR("state"));
    if (lacks && !l->told_of_state) {
        loader_error(l, offset,
                     "the pack declares no `state`, which this and perhaps others speak of: say at "
                     "the top what is in it, as under `ledger`");
        l->told_of_state = true;
    }
    return lacks;
}

void loader_adopt_errors(loader *l, const lg_json *scalar, size_t from, lg_str source,
                         const lg_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        lg_error error = errors->items[i];
        if (lg_str_ends(lg_str_c(error.msg), LG_STR(" of the state")) &&
            loader_lacks_state(l, scalar->offset)) {
            continue;
        }
        size_t in_value = from + offset_of_position(source, error.line, error.column);
        size_t in_text = lg_yaml_locate(l->pack->text, scalar, in_value);
        lg_position at = lg_pack_position(l->pack, (uint32_t)in_text);
        error.line = at.line;
        error.column = at.column;
        error.file = at.file;
        lg_errors_add(&l->errors, &error);
    }
}

const lg_cel_program *loader_compile(loader *l, const lg_cel_env *env, const lg_json *scalar,
                                     size_t from, size_t to)
{
    lg_str source = lg_str_slice(lg_json_str(scalar), from, to);
    lg_errors errors;
    lg_errors_init(&errors, l->arena, l->limits.error_count);
    lg_position start = {l->pack->file, 1, 1};
    const lg_cel_program *program = lg_cel_compile(l->arena, env, source, start, &errors);
    loader_adopt_errors(l, scalar, from, source, &errors);
    if (!program && errors.count == 0) {
        loader_error(l, scalar->offset, "out of memory");
    }
    if (program) {
        loader_check_comparisons(l, scalar, from, program);
        loader_lint_expression(l, scalar, from, program);
    }
    return program;
}

const lg_cel_program *loader_compile_as(loader *l, const lg_cel_env *env, const lg_json *scalar,
                                        lg_cel_kind want, const char *what)
{
    if (!lg_json_is(scalar, LG_JSON_STRING)) {
        loader_error(l, scalar->offset, "`%s` must be an expression (put it in quotes)", what);
        return NULL;
    }
    const lg_cel_program *program = loader_compile(l, env, scalar, 0, lg_json_str(scalar).len);
    if (!program) {
        return NULL;
    }
    const lg_cel_type *type = lg_cel_program_type(program);
    if (type->kind != want && type->kind != LG_CEL_DYN) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_cel_type_print(&text, type);
        loader_error(l, scalar->offset, "`%s` must give a %s, this gives %.*s", what,
                     want == LG_CEL_BOOL     ? "bool"
                     : want == LG_CEL_STRING ? "string"
                                             : "list",
                     LG_FMT(lg_buf_str(&text)));
        lg_buf_done(&text);
        return NULL;
    }
    return program;
}

// --- Tools --------------------------------------------------------------------------------------

const char *lg_tool_kind_name(lg_tool_kind kind)
{
    static const char *const names[] = {"read", "write", "generic"};
    return names[kind];
}

static void read_kind(loader *l, const lg_json *body, uint32_t offset, lg_tool *tool)
{
    const lg_json *kind = lg_json_get(body, LG_STR("kind"));
    for (lg_tool_kind k = LG_TOOL_READ; k <= LG_TOOL_GENERIC; k++) {
        if (lg_str_eq(lg_json_str(kind), lg_str_c(lg_tool_kind_name(k)))) {
            tool->kind = k;
            return;
        }
    }
    loader_error(l, kind ? kind->offset : offset,
                 "tool `%.*s` needs `kind`: read, write or generic", LG_FMT(tool->name));
}

// Where a complaint of the schema's compiler belongs: it begins with a pointer, to something that may be missing.
static uint32_t place_of_complaint(const lg_json *schema, lg_str complaint)
{
    size_t end = lg_str_find(complaint, LG_STR(": "));
    bool pointer = complaint.len > 0 && complaint.ptr[0] == '/' && end != SIZE_MAX;
    while (pointer && end > 0) {
        const lg_json *found = lg_json_at(schema, lg_str_slice(complaint, 0, end));
        if (found) {
            return found->offset;
        }
        while (end > 0 && complaint.ptr[--end] != '/') {
        }
    }
    return schema->offset;
}

static const lg_schema *compile_schema(loader *l, const lg_json *schema, bool closed)
{
    bool only_refers = lg_json_len(schema) == 1 && lg_json_get(schema, LG_STR("$ref"));
    lg_errors errors;
    lg_errors_init(&errors, l->arena, l->limits.error_count);
    // The pack is the document, so `#/types/Order` names what it names.
    lg_schema_options options = {
        .closed_arguments = closed, .document = l->pack->document, .limits = &l->limits};
    const lg_schema *compiled = lg_schema_compile(l->arena, schema, &options, &errors);
    // Mistakes of a type are reported where the type is declared, not wherever it is used.
    for (size_t i = 0; i < errors.count && !(only_refers && lg_errors_any(&l->errors)); i++) {
        const char *msg = errors.items[i].msg;
        loader_error(l, place_of_complaint(schema, lg_str_c(msg)), "%s", msg);
    }
    return compiled;
}

// A type's name as a schema that refers to it.
static const lg_json *reference_to(loader *l, const lg_json *name)
{
    lg_json_member *member = lg_json_alloc_members(l->arena, 1);
    lg_json *schema = LG_NEW(l->arena, lg_json);
    lg_str target = lg_arena_printf(l->arena, "#/types/%.*s", LG_FMT(lg_json_str(name)));
    if (!member || !schema || !target.ptr) {
        return name;
    }
    *member = lg_json_make_member(LG_STR("$ref"), lg_json_make_str(target));
    *schema = lg_json_make_object(member, 1);
    schema->offset = name->offset;
    return schema;
}

const lg_schema *loader_schema(loader *l, const lg_json *schema, bool closed)
{
    bool named = lg_json_is(schema, LG_JSON_STRING);
    if (named && !lg_json_get(l->types, lg_json_str(schema))) {
        return NULL; // its type is an error already
    }
    return compile_schema(l, named ? reference_to(l, schema) : schema, closed);
}

static void read_result_type(loader *l, const lg_json *body, lg_tool *tool)
{
    const lg_json *returns = lg_json_get(body, LG_STR("returns"));
    tool->result_type = lg_cel_type_of_kind(LG_CEL_DYN);
    if (!returns) {
        return;
    }
    if (lg_str_eq(lg_json_str(returns), LG_STR("text"))) {
        tool->returns_text = true;
        tool->result_type = lg_cel_type_of_kind(LG_CEL_STRING);
        return;
    }
    tool->result_type = loader_type(l, returns);
    tool->result = loader_schema(l, returns, false);
}

// The arguments' type, with a name that errors can say.
static const lg_cel_type *args_type(loader *l, const lg_json *parameters)
{
    const lg_cel_type *type = loader_type(l, parameters);
    lg_cel_type *named = LG_NEW(l->arena, lg_cel_type);
    if (type->kind != LG_CEL_OBJECT || type->name.len || !named) {
        return type;
    }
    *named = *type;
    named->name = LG_STR("the arguments");
    return named;
}

// A required argument that the schema does not list could be in no call.
static void check_required(loader *l, const lg_json *parameters)
{
    const lg_json *properties = lg_json_get(parameters, LG_STR("properties"));
    const lg_json *required = lg_json_get(parameters, LG_STR("required"));
    if (!properties || lg_json_get(parameters, LG_STR("additionalProperties"))) {
        return;
    }
    for (size_t i = 0; i < lg_json_len(required); i++) {
        const lg_json *name = lg_json_item(required, i);
        loader_names names = {.wanted = lg_json_str(name)};
        for (size_t p = 0; p < lg_json_len(properties); p++) {
            loader_offer(&names, lg_json_key(lg_json_member_at(properties, p)));
        }
        if (lg_json_is(name, LG_JSON_STRING) && !lg_json_get(properties, names.wanted)) {
            loader_error(l, name->offset, "`%.*s` is required, but is no argument%s",
                         LG_FMT(names.wanted), loader_meant(l, &names));
        }
    }
}

static void read_requestor(loader *l, const lg_json *body, lg_tool *tool)
{
    const lg_json *requestor = lg_json_get(body, LG_STR("requestor"));
    const lg_json *stores = lg_json_get(body, LG_STR("stores"));
    tool->by_user = lg_str_eq(lg_json_str(requestor), LG_STR("user"));
    if (requestor && !tool->by_user && !lg_str_eq(lg_json_str(requestor), LG_STR("assistant"))) {
        loader_error(l, requestor->offset, "`requestor` is assistant or user");
    }
    if (tool->by_user && stores) {
        loader_error(l, stores->offset,
                     "a tool of the customer's own stores nothing: its results are not for the "
                     "assistant");
    }
}

static void read_tool(loader *l, const lg_json_member *member, lg_tool *tool)
{
    static const char *const keys[] = {
        "kind",    "description", "parameters", "returns", "requestor", "stores",  "let",
        "effects", "gives",       "answer",     "ensures", "errors",    "found_in"};
    const lg_json *body = &member->value;
    *tool = (lg_tool){.name = lg_json_key(member),
                      .offset = member->key_offset,
                      .args_type = lg_cel_type_of_kind(LG_CEL_DYN),
                      .result_type = lg_cel_type_of_kind(LG_CEL_DYN)};
    if (!loader_check_keys(l, body, "a tool", keys, LG_COUNT(keys))) {
        return;
    }
    read_kind(l, body, member->key_offset, tool);
    tool->description = loader_string(l, body, "description", false);
    tool->parameters = lg_json_get(body, LG_STR("parameters"));
    if (tool->parameters) {
        tool->args_type = args_type(l, tool->parameters);
        tool->arguments = compile_schema(l, tool->parameters, true);
        check_required(l, tool->parameters);
    } else {
        loader_error(l, member->key_offset,
                     "tool `%.*s` needs `parameters`: the JSON Schema of its arguments",
                     LG_FMT(tool->name));
    }
    read_result_type(l, body, tool);
    read_requestor(l, body, tool);
    loader_read_stores(l, tool, lg_json_get(body, LG_STR("stores")));
    loader_read_effects(l, tool, body);
    loader_read_ensures(l, tool, lg_json_get(body, LG_STR("ensures")));
    loader_read_tool_errors(l, tool, lg_json_get(body, LG_STR("errors")));
    loader_read_found_in(l, tool, lg_json_get(body, LG_STR("found_in")));
}

static lg_tool *read_tools(loader *l, const lg_json *tools)
{
    size_t count = lg_json_len(tools);
    if (!lg_json_is(tools, LG_JSON_OBJECT) || count == 0) {
        loader_error(l, tools ? tools->offset : 0,
                     "a pack needs `tools`: a map from names to tools");
    }
    lg_tool *items = LG_NEW_ARRAY(l->arena, lg_tool, count);
    for (size_t i = 0; items && i < count && lg_json_is(tools, LG_JSON_OBJECT); i++) {
        read_tool(l, lg_json_member_at(tools, i), &items[i]);
        l->pack->tools = items;
        l->pack->tool_count = i + 1;
    }
    return items;
}

const lg_tool *lg_pack_tool(const lg_pack *pack, lg_str name)
{
    for (size_t i = 0; i < pack->tool_count; i++) {
        if (lg_str_eq(pack->tools[i].name, name)) {
            return &pack->tools[i];
        }
    }
    return NULL;
}

// The first word of a tool's name says what it does: `delete` of `delete_member`.
static lg_str act_of(lg_str name)
{
    size_t end = lg_str_find(name, LG_STR("_"));
    return lg_str_slice(name, 0, end == SIZE_MAX ? name.len : end);
}

const lg_tool *lg_pack_closest_tool(const lg_pack *pack, lg_str name)
{
    const lg_tool *best = NULL;
    uint32_t best_distance = (uint32_t)(name.len < 64 ? name.len / 10 + 2 : 0);
    lg_str act = act_of(name);
    for (size_t i = 0; i < pack->tool_count; i++) {
        lg_str known = pack->tools[i].name;
        uint32_t distance = lg_str_distance(name, known);
        bool same_act = lg_str_distance(act, act_of(known)) <= act.len / 4;
        if (same_act && distance < best_distance) {
            best_distance = distance;
            best = &pack->tools[i];
        }
    }
    return best;
}

// --- The pack -----------------------------------------------------------------------------------

static void read_header(loader *l, const lg_json *root)
{
    lg_pack *pack = l->pack;
    pack->name = loader_string(l, root, "pack", true);
    pack->version = loader_string(l, root, "version", true);
    pack->description = loader_string(l, root, "description", false);
    pack->stale = loader_read_stale(l, root, LG_STALE_USE);
    lg_str clock = loader_string(l, root, "clock", false);
    if (clock.len) {
        lg_time time = {0};
        pack->fixed_clock = lg_time_parse(clock, &time);
        pack->clock_seconds = time.seconds;
        pack->clock_nanos = time.nanos;
        if (!pack->fixed_clock) {
            loader_error(l, lg_json_get(root, LG_STR("clock"))->offset,
                         "`clock` must be a time like 2024-05-15T15:00:00Z");
        }
    }
    const lg_json *parallel = lg_json_get(root, LG_STR("parallel"));
    bool judge = lg_str_eq(lg_json_str(parallel), LG_STR("judge"));
    pack->parallel = judge ? LG_PARALLEL_JUDGE : LG_PARALLEL_WAIT;
    if (parallel && !judge && !lg_str_eq(lg_json_str(parallel), LG_STR("wait"))) {
        loader_error(l, parallel->offset, "`parallel` is wait or judge");
    }
    const lg_json *unknown = lg_json_get(root, LG_STR("unknown_tools"));
    pack->allow_unknown_tools = lg_str_eq(lg_json_str(unknown), LG_STR("allow"));
    if (unknown && !pack->allow_unknown_tools &&
        !lg_str_eq(lg_json_str(unknown), LG_STR("refuse"))) {
        loader_error(l, unknown->offset, "`unknown_tools` is refuse or allow");
    }
}

static void read_types(loader *l, const lg_json *types)
{
    if (!types) {
        return;
    }
    if (!lg_json_is(types, LG_JSON_OBJECT)) {
        loader_error(l, types->offset, "`types` must be a map from names to JSON Schemas");
        return;
    }
    l->named = LG_NEW_ARRAY(l->arena, struct named_type, lg_json_len(types));
    if (!l->named) {
        loader_error(l, types->offset, "out of memory");
        return;
    }
    l->types = types;
    for (size_t i = 0; i < lg_json_len(types); i++) {
        const lg_json_member *member = lg_json_member_at(types, i);
        lg_json reference = lg_json_make_str(lg_json_key(member));
        reference.offset = member->key_offset;
        loader_type(l, &reference);
        compile_schema(l, &member->value, false);
    }
}

static void read_pack(loader *l, const lg_json *root)
{
    static const char *const keys[] = {"pack",     "version",    "description", "clock",
                                       "types",    "ledger",     "state",       "unknown_tools",
                                       "stale",    "procedures", "settle",      "tools",
                                       "rules",    "invariants", "define",      "conversation",
                                       "parallel", "requests",   "customer"};
    if (!loader_check_keys(l, root, "the pack", keys, LG_COUNT(keys))) {
        return;
    }
    l->pack->document = root;
    read_header(l, root);
    read_types(l, lg_json_get(root, LG_STR("types")));
    loader_read_ledger(l, lg_json_get(root, LG_STR("ledger")));
    loader_read_state(l, lg_json_get(root, LG_STR("state")));
    loader_read_definitions(l, lg_json_get(root, LG_STR("define")));
    l->rule_base = lg_cel_env_new(l->arena, l->definitions, &l->limits);
    if (!l->pack->ledger.root || !l->pack->state.root || !l->rule_base ||
        lg_cel_env_declare(l->rule_base, LG_STR("ledger"), l->pack->ledger.type) !=
            LG_SLOT_LEDGER) {
        loader_error(l, 0, "out of memory");
        return;
    }
    loader_read_procedures(l, lg_json_get(root, LG_STR("procedures")));
    loader_read_settle(l, lg_json_get(root, LG_STR("settle")));
    lg_tool *tools = read_tools(l, lg_json_get(root, LG_STR("tools")));
    loader_lint_tools(l);
    loader_read_rules(l, lg_json_get(root, LG_STR("rules")));
    if (tools) {
        loader_index_rules(l, tools);
    }
    loader_read_conversation(l, lg_json_get(root, LG_STR("conversation")));
    loader_read_requests(l, lg_json_get(root, LG_STR("requests")),
                         lg_json_get(root, LG_STR("customer")));
    loader_read_invariants(l, lg_json_get(root, LG_STR("invariants")));
    if (tools && !lg_errors_any(&l->errors)) {
        loader_find_reach(l, tools);
    }
    if (lg_json_hash(root, l->pack->hash) != LG_OK) {
        loader_error(l, 0, "out of memory");
    }
}

// Copies what was collected into the caller's room.
static lg_status report(const lg_errors *errors, lg_error *room, size_t capacity, size_t *ret_count)
{
    for (size_t i = 0; i < errors->count && i < capacity; i++) {
        room[i] = errors->items[i];
    }
    *ret_count = errors->count + errors->dropped;
    if (errors->count == 0) {
        return errors->dropped ? LG_ERR_OOM : LG_OK;
    }
    return errors->items[0].status;
}

static lg_status fail_once(lg_error error, lg_error *room, size_t capacity, size_t *ret_count)
{
    if (capacity > 0) {
        room[0] = error;
    }
    *ret_count = 1;
    return error.status;
}

// What all rooms above take for granted of a pack that was loaded.
static bool is_tool_consistent(const lg_pack *pack, const lg_tool *tool)
{
    bool fine = tool->name.len > 0;
    for (size_t i = 0; i < tool->rule_count; i++) {
        fine = fine && tool->rules[i] < pack->rule_count &&
               (i == 0 || tool->rules[i - 1] < tool->rules[i]); // in the pack's order
    }
    for (size_t i = 0; i < tool->store_count; i++) {
        const lg_place *place = tool->stores[i].to.place;
        fine =
            fine && place >= pack->ledger.items && place < pack->ledger.items + pack->ledger.count;
    }
    return fine;
}

static bool is_consistent(const lg_pack *pack)
{
    bool fine = pack->ledger.root && pack->state.root;
    for (size_t i = 0; i < pack->tool_count; i++) {
        fine = fine && is_tool_consistent(pack, &pack->tools[i]);
    }
    for (size_t i = 0; i < pack->rule_count; i++) {
        const lg_rule *rule = &pack->rules[i];
        fine = fine && rule->that && rule->id.len > 0 &&
               rule->let_count + rule->say.show_count <= pack->let_max &&
               rule->otherwise != LG_ALLOW;
    }
    return fine;
}

static lg_status load(lg_pack *pack, const lg_limits *limits, lg_error *room, size_t capacity,
                      size_t *ret_count)
{
    loader l = {.pack = pack, .arena = &pack->arena, .limits = lg_limits_resolve(limits)};
    lg_errors_init(&l.errors, &pack->arena, l.limits.error_count);
    const lg_json *root;
    lg_error error;
    lg_status status =
        lg_yaml_parse(&pack->arena, pack->text, pack->file, &l.limits, &root, &error);
    if (status != LG_OK) {
        return fail_once(error, room, capacity, ret_count);
    }
    read_pack(&l, root);
    if (pack->arena.refused) { // a part may be missing, and what is missing would not be judged
        lg_fail_oom(&error);
        return fail_once(error, room, capacity, ret_count);
    }
    LG_DEBUG_ASSERT(lg_errors_any(&l.errors) || is_consistent(pack));
    return report(&l.errors, room, capacity, ret_count);
}

// `file` of errors must outlive a failed pack, so it stays the caller's `name`.
lg_status lg_pack_load_text(lg_str text, const char *name, const lg_limits *limits,
                            lg_pack **ret_pack, lg_error *errors, size_t capacity,
                            size_t *ret_count)
{
    size_t ignored;
    ret_count = ret_count ? ret_count : &ignored;
    *ret_count = 0;
    lg_error oom;
    lg_pack *pack = lg_zalloc(sizeof(*pack));
    if (!pack) {
        lg_fail_oom(&oom);
        return fail_once(oom, errors, capacity, ret_count);
    }
    lg_arena_init(&pack->arena, lg_limits_resolve(limits).document_bytes);
    pack->file = name;
    pack->text = lg_arena_str(&pack->arena, text);
    lg_status status;
    if (!pack->text.ptr) {
        lg_fail_oom(&oom);
        status = fail_once(oom, errors, capacity, ret_count);
    } else {
        status = load(pack, limits, errors, capacity, ret_count);
    }
    lg_str own_name = lg_arena_str(&pack->arena, lg_str_c(name));
    if (status == LG_OK && own_name.ptr) {
        pack->file = own_name.ptr;
        *ret_pack = pack;
        return LG_OK;
    }
    lg_pack_free(pack);
    if (status == LG_OK) {
        lg_fail_oom(&oom);
        status = fail_once(oom, errors, capacity, ret_count);
    }
    return status;
}

lg_status lg_pack_load(const char *path, const lg_limits *limits, lg_pack **ret_pack,
                       lg_error *errors, size_t capacity, size_t *ret_count)
{
    size_t ignored;
    ret_count = ret_count ? ret_count : &ignored;
    char inside[4096];
    struct stat info;
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    bool slash = lg_str_ends(lg_str_c(path), LG_STR("/"));
    int length = snprintf(inside, sizeof(inside), "%s%s%s", path, folder && !slash ? "/" : "",
                          folder ? "pack.yaml" : "");
    lg_file file;
    lg_error error;
    bool fits = length >= 0 && (size_t)length < sizeof(inside);
    lg_status status = fits ? lg_file_read(inside, limits, &file, &error)
                            : lg_fail(&error, LG_ERR_IO, "the path of the pack is too long");
    if (status != LG_OK) {
        return fail_once(error, errors, capacity, ret_count);
    }
    status = lg_pack_load_text(file.text, inside, limits, ret_pack, errors, capacity, ret_count);
    for (size_t i = 0; status != LG_OK && i < capacity && i < *ret_count; i++) {
        errors[i].file = path;
    }
    lg_file_close(&file);
    return status;
}

void lg_pack_free(lg_pack *pack)
{
    if (pack) {
        lg_arena_done(&pack->arena);
        lg_free(pack);
    }
}

lg_str lg_pack_name(const lg_pack *pack)
{
    return pack->name;
}

lg_str lg_pack_version(const lg_pack *pack)
{
    return pack->version;
}

lg_str lg_pack_hash(const lg_pack *pack)
{
    return lg_str_c(pack->hash);
}

size_t lg_pack_tool_count(const lg_pack *pack)
{
    return pack->tool_count;
}

lg_tool_info lg_pack_tool_at(const lg_pack *pack, size_t index)
{
    const lg_tool *tool = &pack->tools[index];
    return (lg_tool_info){.name = tool->name,
                          .reads = tool->kind == LG_TOOL_READ,
                          .writes = tool->kind == LG_TOOL_WRITE,
                          .by_user = tool->by_user};
}
