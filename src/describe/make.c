// make.c: schemas piece by piece, and adding tools.
#include "describe/describe_internal.h"

#include <stdarg.h>
#include <stdio.h>

const char *lg_describe_input_name(lg_describe_input input)
{
    static const char *const names[] = {"guess", "list", "python", "words"};
    return names[input];
}

const char *lg_describe_by_name(lg_describe_by by)
{
    static const char *const names[] = {"nothing",   "schema", "signature",
                                        "docstring", "words",  "model"};
    return names[by];
}

// --- Lifetime -----------------------------------------------------------------------------------

lg_status describe_begin(lg_arena *arena, lg_str text, lg_describe_input input, job *ret,
                         lg_error *reterr)
{
    *ret = (job){.arena = arena, .text = text, .nodes = LG_DESCRIBE_NODES_MAX};
    ret->tool = LG_STR("");
    ret->list = LG_NEW(arena, lg_description);
    if (!ret->list) {
        return lg_fail_oom(reterr);
    }
    ret->list->input = input;
    return LG_OK;
}

lg_status describe_end(job *j, lg_description **ret, lg_error *reterr)
{
    if (j->oom) {
        return lg_fail_oom(reterr);
    }
    if (j->too_many) {
        return lg_fail(reterr, LG_ERR_LIMIT, "more than %u tools", LG_CATALOGUE_TOOLS_MAX);
    }
    *ret = j->list;
    return LG_OK;
}

// --- What is said -------------------------------------------------------------------------------

void describe_note(job *j, uint32_t offset, const char *format, ...)
{
    lg_description *list = j->list;
    if (list->finding_count >= LG_DESCRIBE_FINDINGS_MAX) {
        list->findings_dropped++;
        return;
    }
    char msg[512];
    va_list args;
    va_start(args, format);
    lg_str shown = lg_arena_str(j->arena, lg_str_vprint(msg, sizeof(msg), format, args));
    va_end(args);
    lg_describe_finding *findings = lg_arena_grow(j->arena, list->findings, list->finding_count,
                                                  &list->finding_capacity, sizeof(*findings));
    if (!findings || !shown.ptr) {
        j->oom = true;
        return;
    }
    list->findings = findings;
    findings[list->finding_count++] = (lg_describe_finding){j->tool, offset, shown};
}

void describe_unknown(job *j, const char *format, ...)
{
    if (j->unknown_count >= DESCRIBE_UNKNOWN_MAX) {
        return;
    }
    char msg[256];
    va_list args;
    va_start(args, format);
    lg_str shown = lg_arena_str(j->arena, lg_str_vprint(msg, sizeof(msg), format, args));
    va_end(args);
    j->oom = j->oom || !shown.ptr;
    j->unknown[j->unknown_count] = shown.ptr ? shown : LG_STR("");
    j->unknown_count++;
}

// --- Values -------------------------------------------------------------------------------------

void describe_add(draft *d, lg_str key, lg_json value)
{
    lg_json_member *members =
        lg_arena_grow(d->j->arena, d->members, d->count, &d->capacity, sizeof(*members));
    if (!members) {
        d->j->oom = true;
        return;
    }
    d->members = members;
    members[d->count++] = lg_json_make_member(key, value);
}

void describe_put(draft *d, lg_str key, lg_json value)
{
    for (size_t i = 0; i < d->count; i++) {
        if (lg_str_eq(lg_json_key(&d->members[i]), key)) {
            d->members[i].value = value;
            return;
        }
    }
    describe_add(d, key, value);
}

void describe_put_c(draft *d, const char *key, const char *value)
{
    describe_put(d, lg_str_c(key), lg_json_make_str(lg_str_c(value)));
}

draft describe_draft_of(job *j, const lg_json *object)
{
    draft d = {.j = j};
    size_t count = lg_json_is(object, LG_JSON_OBJECT) ? lg_json_len(object) : 0;
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        describe_add(&d, lg_json_key(member), member->value);
    }
    return d;
}

lg_json describe_object(const draft *d)
{
    lg_json_member *members = lg_json_alloc_members(d->j->arena, d->count ? d->count : 1);
    if (!members) {
        d->j->oom = true;
        return lg_json_make_null();
    }
    lg_copy_bytes(members, d->members, d->count * sizeof(*members));
    return lg_json_make_object(members, d->count);
}

lg_json describe_text(job *j, lg_str text)
{
    lg_str kept = lg_arena_str(j->arena, lg_str_cut(text, LG_JSON_LEN_MAX));
    j->oom = j->oom || !kept.ptr;
    return lg_json_make_str(kept.ptr ? kept : LG_STR(""));
}

lg_json describe_list(job *j, const lg_json *items, size_t count)
{
    lg_json *kept = LG_NEW_ARRAY(j->arena, lg_json, count ? count : 1);
    if (!kept) {
        j->oom = true;
        return lg_json_make_array(NULL, 0);
    }
    lg_copy_bytes(kept, items, count * sizeof(*kept));
    return lg_json_make_array(kept, count);
}

const lg_json *describe_keep(job *j, lg_json value)
{
    lg_json *kept = LG_NEW(j->arena, lg_json);
    if (!kept) {
        j->oom = true;
        return NULL;
    }
    *kept = value;
    return kept;
}

// --- Schemas ------------------------------------------------------------------------------------

lg_json describe_type(job *j, const char *type)
{
    draft d = {.j = j};
    if (type) {
        describe_put_c(&d, "type", type);
    }
    return describe_object(&d);
}

lg_json describe_array(job *j, const lg_json *items)
{
    draft d = {.j = j};
    describe_put_c(&d, "type", "array");
    if (lg_json_len(items) > 0) {
        describe_put(&d, LG_STR("items"), *items);
    }
    return describe_object(&d);
}

// Nothing but a type, which is one word?
static bool is_bare(const lg_json *schema)
{
    return lg_json_len(schema) == 1 &&
           lg_json_is(lg_json_get(schema, LG_STR("type")), LG_JSON_STRING);
}

lg_json describe_either(job *j, const lg_json *schemas, size_t count)
{
    lg_json *items = LG_NEW_ARRAY(j->arena, lg_json, count ? count : 1);
    size_t kept = 0;
    bool bare = true;
    for (size_t i = 0; items && schemas && i < count; i++) {
        lg_json schema = schemas[i];
        bool there = lg_json_len(&schema) == 0; // anything at all: so is the whole
        if (there) {
            return schema;
        }
        for (size_t k = 0; k < kept && !there; k++) {
            there = lg_json_equal(&items[k], &schema);
        }
        if (!there) {
            items[kept++] = schema;
            bare = bare && is_bare(&schema);
        }
    }
    j->oom = j->oom || !items;
    if (kept < 2) {
        return kept ? items[0] : describe_type(j, NULL);
    }
    draft d = {.j = j};
    for (size_t i = 0; bare && i < kept; i++) {
        items[i] = *lg_json_get(&items[i], LG_STR("type"));
    }
    describe_put(&d, bare ? LG_STR("type") : LG_STR("anyOf"), lg_json_make_array(items, kept));
    return describe_object(&d);
}

lg_json describe_said(job *j, const lg_json *schema, lg_str description)
{
    if (lg_json_is_true(schema) || lg_json_is(schema, LG_JSON_OBJECT)) {
        const lg_json *own = lg_json_get(schema, LG_STR("description"));
        if (lg_json_str(own).len > 0 || description.len == 0) {
            return *schema;
        }
        draft d = describe_draft_of(j, schema);
        describe_put(&d, LG_STR("description"), lg_json_make_str(description));
        return describe_object(&d);
    }
    return *schema;
}

lg_str describe_phrase(job *j, lg_str name)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add_c(&out, "The");
    size_t at = 0;
    for (lg_str word = lg_words_next(name, &at); word.len; word = lg_words_next(name, &at)) {
        lg_buf_add_byte(&out, ' ');
        for (size_t i = 0; i < word.len; i++) {
            lg_buf_add_byte(&out, lg_lower(word.ptr[i]));
        }
    }
    if (out.len == 3) {
        lg_buf_add_c(&out, " value");
    }
    lg_str kept = lg_buf_keep(&out, j->arena);
    j->oom = j->oom || !kept.ptr;
    return kept.ptr ? kept : LG_STR("");
}

bool describe_compiles(job *j, const lg_json *schema, lg_str *ret_why)
{
    lg_errors errors;
    lg_schema_options options = {.dialect = LG_SCHEMA_2020_12};
    lg_errors_init(&errors, j->arena, 1);
    bool fine = schema && lg_schema_compile(j->arena, schema, &options, &errors) != NULL;
    *ret_why = fine || errors.count == 0 ? LG_STR("") : lg_str_c(errors.items[0].msg);
    return fine;
}

// Must an object have a member that no error has? Then it is none.
static bool requires_more(const lg_json *success)
{
    const lg_json *required = lg_json_get(success, LG_STR("required"));
    for (size_t i = 0; lg_json_is(required, LG_JSON_ARRAY) && i < lg_json_len(required); i++) {
        lg_str name = lg_json_str(&required->as.items[i]);
        if (lg_json_is(&required->as.items[i], LG_JSON_STRING) &&
            !lg_str_eq(name, LG_STR("error"))) {
            return true;
        }
    }
    return false;
}

static bool allows_objects(const lg_json *type)
{
    bool any = !type || lg_str_eq(lg_json_str(type), LG_STR("object"));
    for (size_t i = 0; lg_json_is(type, LG_JSON_ARRAY) && i < lg_json_len(type); i++) {
        any = any || lg_str_eq(lg_json_str(&type->as.items[i]), LG_STR("object"));
    }
    return any;
}

lg_json describe_apart(job *j, const lg_json *success)
{
    bool object = lg_json_is(success, LG_JSON_OBJECT);
    if (object &&
        (requires_more(success) || !allows_objects(lg_json_get(success, LG_STR("type"))))) {
        return *success;
    }
    // {"not": {"required": ["error"], "maxProperties": 1}} beside what is there.
    draft never = {.j = j};
    lg_json name = lg_json_make_str(LG_STR("error"));
    describe_put_c(&never, "type", "object");
    describe_put(&never, LG_STR("required"), describe_list(j, &name, 1));
    describe_put(&never, LG_STR("maxProperties"), lg_json_make_int(1));
    draft d = describe_draft_of(j, success);
    if (lg_json_get(success, LG_STR("not")) || (!object && !lg_json_is_true(success))) {
        draft outer = {.j = j};
        describe_put(&outer, LG_STR("allOf"), describe_list(j, success, 1));
        d = outer;
    }
    describe_put(&d, LG_STR("not"), describe_object(&never));
    return describe_object(&d);
}

// --- Tools --------------------------------------------------------------------------------------

// Is there a tool of this name with these parameters?
static bool is_repeated(job *j, const lg_described *tool)
{
    char hash[65] = "";
    if (lg_json_hash(tool->parameters, hash) != LG_OK) {
        return false;
    }
    lg_str key = lg_arena_printf(j->arena, "%s %.*s", hash, LG_FMT(tool->name));
    if (!key.ptr || lg_map_get(&j->seen, key)) {
        j->oom = j->oom || !key.ptr;
        return key.ptr != NULL;
    }
    j->oom = j->oom || !lg_map_put(j->arena, &j->seen, key, j, 1);
    return false;
}

// A name that no other tool has; how often a name was taken is kept, so that the next one is found at once.
static lg_str free_name(job *j, lg_str name)
{
    size_t *count = NULL;
    lg_str made = name;
    const size_t *known = lg_map_get(&j->names, name);
    size_t next = known ? *known : 1;
    while (lg_map_get(&j->names, made) && !j->oom) {
        made = lg_arena_printf(j->arena, "%.*s_%zu", LG_FMT(name), ++next);
        j->oom = j->oom || !made.ptr;
    }
    count = LG_NEW_ARRAY(j->arena, size_t, 2);
    if (!count || j->oom) {
        j->oom = true;
        return LG_STR("");
    }
    count[0] = next;
    count[1] = 1;
    j->oom =
        !lg_map_put(j->arena, &j->names, name, &count[0], 1) ||
        !lg_map_put(j->arena, &j->names, made, made.ptr == name.ptr ? &count[0] : &count[1], 1);
    return made;
}

static const lg_json *sound(job *j, const lg_json *schema, const char *what, uint32_t offset,
                            lg_describe_by *by)
{
    lg_str why;
    if (describe_compiles(j, schema, &why)) {
        return schema;
    }
    describe_note(j, offset, "the schema of its %s is none, and is left open: %.*s", what,
                  LG_FMT(lg_str_cut(why, 200)));
    describe_unknown(j, "its %s", what);
    *by = LG_BY_NOTHING;
    return describe_keep(j, describe_type(j, what[0] == 'a' ? "object" : NULL));
}

void describe_add_tool(job *j, const lg_described *tool)
{
    lg_description *list = j->list;
    lg_described made = *tool;
    j->too_many = j->too_many || list->tool_count >= LG_CATALOGUE_TOOLS_MAX;
    if (j->oom || j->too_many || !made.parameters || !made.success) {
        return;
    }
    made.parameters = sound(j, made.parameters, "arguments", made.offset, &made.parameters_by);
    made.success = sound(j, made.success, "results", made.offset, &made.success_by);
    if (j->oom || is_repeated(j, &made)) {
        list->repeated++;
        return;
    }
    made.name = free_name(j, tool->name);
    if (made.name.len != tool->name.len) {
        describe_note(j, tool->offset, "another tool is called `%.*s`; this one becomes `%.*s`",
                      LG_FMT(lg_str_cut(tool->name, 80)), LG_FMT(lg_str_cut(made.name, 90)));
    }
    made.kind = lg_words_kind(tool->name, tool->description);
    lg_str *unknown = LG_NEW_ARRAY(j->arena, lg_str, j->unknown_count + 1);
    lg_described *tools = lg_arena_grow(j->arena, list->tools, list->tool_count,
                                        &list->tool_capacity, sizeof(*tools));
    if (!tools || !unknown) {
        j->oom = true;
        return;
    }
    lg_copy_bytes(unknown, j->unknown, j->unknown_count * sizeof(*unknown));
    made.unknown = unknown;
    made.unknown_count = j->unknown_count;
    list->tools = tools;
    tools[list->tool_count++] = made;
}
