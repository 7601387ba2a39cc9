// pack_maker.h: whole packs by seed, and ledgers, states and calls for them.
//
// The schemas of a pack come first; once the loader has made types of them, expressions are made for
// these types, and the pack is loaded with them. Everything lives in the maker's arena until the next
// pack is begun.
#ifndef LG_PACK_MAKER_H
#define LG_PACK_MAKER_H

#include "cel_maker.h"
#include "schema_maker.h"

#include "json_fixture.h"
#include "pack/pack.h"

#define FIT_ATTEMPTS 6u
#define EXPRESSION_ATTEMPTS 8u
#define TELLING_ATTEMPTS 12u
#define SAMPLES_MAX 12u
#define SAMPLE_VARIABLES 4u

typedef struct pack_maker {
    dice d;
    lg_arena arena;
    lg_buf text, expression;
    cel_maker cel;
    const lg_cel_env *env;                               // of the expressions that are made next
    uint32_t name_count;                                 // and its names among those of `cel`
    lg_cel_value samples[SAMPLES_MAX][SAMPLE_VARIABLES]; // values of the variables
    uint32_t sample_count;
    size_t made, compiled, misfits;
} pack_maker;

static inline void pack_maker_init(pack_maker *m)
{
    *m = (pack_maker){.d = dice_of(0)};
    lg_arena_init(&m->arena, 0);
    lg_buf_init(&m->text, 0);
    lg_buf_init(&m->expression, 0);
}

static inline void pack_maker_done(pack_maker *m)
{
    lg_buf_done(&m->expression);
    lg_buf_done(&m->text);
    lg_arena_done(&m->arena);
}

// Forgets the pack before.
static inline void pack_maker_begin(pack_maker *m, uint64_t seed)
{
    lg_arena_reset(&m->arena);
    m->d = dice_of(seed);
}

static inline lg_str kept_text(pack_maker *m)
{
    return lg_arena_str(&m->arena, lg_buf_str(&m->text));
}

// --- Schemas --------------------------------------------------------------------------------------

static inline lg_str make_kept_schema(pack_maker *m, bool named)
{
    lg_buf_clear(&m->text);
    schema_maker s = {.d = &m->d, .out = &m->text, .named = named};
    make_schema(&s, 0);
    return kept_text(m);
}

// The two types that others refer to: the members of `types`.
static inline lg_str make_kept_types(pack_maker *m)
{
    lg_str a = make_kept_schema(m, false);
    lg_str b = make_kept_schema(m, false);
    return lg_arena_printf(&m->arena, "\"A\":%.*s,\"B\":%.*s", LG_FMT(a), LG_FMT(b));
}

// `q` of any schema, and what is often needed: a text and a number.
static inline lg_str make_kept_parameters(pack_maker *m)
{
    lg_str q = make_kept_schema(m, true);
    const char *required = dice_one_in(&m->d, 3) ? "" : ",\"required\":[\"q\",\"k\",\"n\"]";
    return lg_arena_printf(&m->arena,
                           "{\"type\":\"object\",\"properties\":{\"q\":%.*s,\"k\":{\"type\":"
                           "\"string\"},\"n\":{\"type\":\"number\"}}%s}",
                           LG_FMT(q), required);
}

// The pack of `m->text`, or NULL.
static inline lg_pack *load_made(pack_maker *m)
{
    lg_pack *pack = NULL;
    lg_error error;
    size_t count = 0;
    lg_status status =
        lg_pack_load_text(lg_buf_str(&m->text), "made.json", NULL, &pack, &error, 1, &count);
    return status == LG_OK ? pack : NULL;
}

// --- Expressions ----------------------------------------------------------------------------------

// A name that expressions may begin with.
static inline void offer_name(pack_maker *m, const char *text, const lg_cel_type *type)
{
    cel_name *name = &m->cel.names[m->name_count];
    if (type && m->name_count + CEL_MAKER_LOCALS_MAX < LG_COUNT(m->cel.names)) {
        *name = (cel_name){text, type};
        m->name_count++;
    }
}

// The fields of an object, each as a name of its own: "ledger.r".
static inline void offer_fields(pack_maker *m, const char *of, const lg_cel_type *type)
{
    for (size_t i = 0; type->kind == LG_CEL_OBJECT && i < type->field_count; i++) {
        lg_str text = lg_arena_printf(&m->arena, "%s.%.*s", of, LG_FMT(type->fields[i].name));
        offer_name(m, text.ptr, type->fields[i].type);
    }
}

// The expressions from now on know these variables.
static inline void begin_expressions(pack_maker *m, const cel_name *variables, uint32_t count)
{
    lg_cel_env *env = lg_cel_env_new(&m->arena, NULL, NULL);
    m->env = env;
    m->name_count = 0;
    m->sample_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        lg_cel_env_declare(env, lg_str_c(variables[i].text), variables[i].type);
        if (variables[i].type->kind == LG_CEL_OBJECT) {
            offer_fields(m, variables[i].text, variables[i].type);
        } else {
            offer_name(m, variables[i].text, variables[i].type);
        }
    }
}

static inline bool is_of_type(const lg_cel_program *program, const lg_cel_type *want)
{
    const lg_cel_type *type = lg_cel_program_type(program);
    return want->kind == LG_CEL_DYN || type->kind == LG_CEL_DYN || type->kind == want->kind;
}

static inline bool reads_a_name(const pack_maker *m, lg_str source)
{
    for (uint32_t i = 0; i < m->name_count; i++) {
        if (lg_str_find(source, lg_str_c(m->cel.names[i].text)) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

// An expression of the type that compiles and depends on something; or NULL.
static inline const lg_cel_program *make_program(pack_maker *m, const lg_cel_type *want,
                                                 uint32_t depth)
{
    m->cel.d = &m->d;
    m->cel.out = &m->expression;
    m->cel.arena = &m->arena;
    m->cel.depth_max = depth;
    for (uint32_t i = 0; i < EXPRESSION_ATTEMPTS; i++) {
        lg_errors errors;
        lg_errors_init(&errors, &m->arena, 1);
        lg_buf_clear(&m->expression);
        m->cel.name_count = m->name_count;
        m->cel.next_local = 0;
        make_cel(&m->cel, want, 0);
        lg_str source = lg_arena_str(&m->arena, lg_buf_str(&m->expression));
        const lg_cel_program *program =
            lg_cel_compile(&m->arena, m->env, source, (lg_position){.line = 1}, &errors);
        bool fits = program && is_of_type(program, want) && reads_a_name(m, source);
        settle_counts(&m->cel, fits);
        m->made++;
        m->compiled += program != NULL;
        if (fits) {
            return program;
        }
    }
    return NULL;
}

static inline lg_str make_expression(pack_maker *m, const lg_cel_type *want, uint32_t depth)
{
    const lg_cel_program *program = make_program(m, want, depth);
    return program ? lg_cel_program_source(program) : LG_STR("");
}

// Is it something, and of a bool true, with the values of some sample?
static inline bool is_telling(pack_maker *m, const lg_cel_program *program)
{
    for (uint32_t i = 0; i < m->sample_count; i++) {
        const lg_cel_activation activation = {.values = m->samples[i], .scratch = &m->arena};
        lg_cel_value v = lg_cel_eval(program, &activation);
        if (v.kind != LG_CEL_ERROR && (v.kind != LG_CEL_BOOL || v.as.boolean)) {
            return true;
        }
    }
    return false;
}

// One that comes to something in a sample, if such a one is found.
static inline lg_str make_telling(pack_maker *m, const lg_cel_type *want, uint32_t depth)
{
    const lg_cel_program *program = NULL;
    for (uint32_t i = 0; i < TELLING_ATTEMPTS; i++) {
        program = make_program(m, want, depth);
        if (program && is_telling(m, program)) {
            break;
        }
    }
    return program ? lg_cel_program_source(program) : LG_STR("");
}

// --- Values ---------------------------------------------------------------------------------------

// A value that the validator accepts, made along the schema; or NULL.
static inline const lg_json *make_value(pack_maker *m, const lg_pack *pack, const lg_json *schema,
                                        const lg_schema *shape)
{
    fitting f = {
        .d = &m->d, .out = &m->text, .types = lg_json_get(pack->document, LG_STR("types"))};
    for (uint32_t i = 0; i < FIT_ATTEMPTS; i++) {
        const lg_json *value = NULL;
        lg_error error;
        lg_buf_clear(&m->text);
        make_fitting(&f, schema, 0);
        lg_str text = kept_text(m);
        if (lg_json_parse_in(&m->arena, text, 0, text.len, NULL, &value, &error) != LG_OK) {
            printf("%s in %.*s\n", error.msg, LG_FMT(text));
            exit(1);
        }
        if (!shape || lg_schema_validate(shape, value, NULL)) {
            return value;
        }
    }
    m->misfits++;
    return NULL;
}

static inline const lg_json *make_arguments(pack_maker *m, const lg_pack *pack, const lg_tool *tool)
{
    return make_value(m, pack, tool->parameters, tool->arguments);
}

// An object of some members, which are copied.
static inline const lg_json *object_of_members(pack_maker *m, const lg_json_member *members,
                                               size_t count)
{
    lg_json_member *kept = lg_json_alloc_members(&m->arena, count + 1);
    lg_json *made = LG_NEW(&m->arena, lg_json);
    if (!kept || !made) {
        printf("out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        kept[i] = members[i];
    }
    *made = lg_json_make_object(kept, count);
    return made;
}

// Records under keys of any order.
static inline const lg_json *make_records(pack_maker *m, const lg_pack *pack, const lg_place *place)
{
    lg_json_member records[5];
    uint32_t first = dice_below(&m->d, LG_COUNT(maker_keys));
    uint32_t wanted = dice_below(&m->d, LG_COUNT(records));
    size_t count = 0;
    for (uint32_t i = 0; i < wanted; i++) {
        const lg_json *record = make_value(m, pack, place->schema, place->shape);
        lg_str key = lg_str_c(maker_keys[(first + i * 3) % LG_COUNT(maker_keys)]);
        if (record) {
            records[count++] = lg_json_make_member(key, *record);
        }
    }
    return object_of_members(m, records, count);
}

// All places: of one segment, or of one and `*`. `NULL` if one that must be there could not be made.
static inline const lg_json *make_places(pack_maker *m, const lg_pack *pack,
                                         const lg_places *places, bool all, const lg_json *history)
{
    lg_json_member members[8];
    size_t count = 0;
    for (size_t i = 0; i < places->count && count < LG_COUNT(members) - 1; i++) {
        const lg_place *place = &places->items[i];
        const lg_json *value = place->segment_count > 1 ? make_records(m, pack, place)
                               : !all && dice_one_in(&m->d, 8)
                                   ? NULL
                                   : make_value(m, pack, place->schema, place->shape);
        if (value) {
            members[count++] = lg_json_make_member(place->segments[0], *value);
        } else if (all) {
            return NULL;
        }
    }
    if (history) {
        members[count++] = lg_json_make_member(LG_STR("history"), *history);
    }
    return object_of_members(m, members, count);
}

// No write so far, or one, whatever has become of it.
static inline const lg_json *make_history(pack_maker *m, const lg_tool *tool, const lg_json *args)
{
    lg_json *list = LG_NEW(&m->arena, lg_json);
    lg_json *items = LG_NEW_ARRAY(&m->arena, lg_json, 1);
    static const char *const outcomes[] = {"done", "unverified", "unknown", "pending"};
    const char *became = outcomes[dice_below(&m->d, 4)];
    const lg_json_member call[] = {
        lg_json_make_member(LG_STR("name"), lg_json_make_str(tool->name)),
        lg_json_make_member(LG_STR("args"), *args),
        lg_json_make_member(LG_STR("outcome"), lg_json_make_str(lg_str_c(became)))};
    if (!list || !items) {
        printf("out of memory\n");
        exit(1);
    }
    items[0] = *object_of_members(m, call, 3);
    *list = lg_json_make_array(items, dice_one_in(&m->d, 3) ? 1 : 0);
    return list;
}

// What the gate may know when the call is made.
static inline const lg_json *make_ledger(pack_maker *m, const lg_pack *pack, const lg_tool *tool,
                                         const lg_json *args)
{
    return make_places(m, pack, &pack->ledger, false, make_history(m, tool, args));
}

#endif
