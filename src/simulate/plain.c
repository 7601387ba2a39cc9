// plain.c: answers of tools without a result schema, as are most of MCP.
//
// What an entity is like the tools that write it tell: `get_order` shows what `create_order` takes, and the id that it was asked
// for. Where no tool writes such entities they have a name and a description. A list has a few of them.
#include "schema/synthesise.h"
#include "simulate/open_world_internal.h"

#define FEW 3u // entities of a list

static lg_json with(ow_turn *turn, lg_json object, lg_str key, lg_json value)
{
    return ow_with(turn->arena, &object, key, value, &turn->oom);
}

// Splitmix64: neighbours have nothing in common.
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

// An operation of a REST interface whose document does not say what it answers: nothing is made up.
static bool is_silent(const ow_turn *turn)
{
    const lg_catalogue_tool *source = turn->call->tool->of_catalogue;
    return source && !ow_is_rpc(source);
}

// --- One entity ---------------------------------------------------------------------------------

static const lg_json *make_instance(ow_turn *turn, const lg_schema *schema, uint64_t seed)
{
    const lg_json *made = NULL;
    lg_error ignored;
    lg_synthesis_options how = {
        .seed = seed, .members = LG_MEMBERS_ALL, .made_up = true, .values = 500};
    lg_status status = lg_schema_synthesise_compiled(turn->arena, schema, &how, &made, &ignored);
    turn->oom = turn->oom || status == LG_ERR_OOM;
    return lg_json_is(made, LG_JSON_OBJECT) ? made : NULL;
}

static const lg_json *make_unknown(ow_turn *turn, uint64_t seed)
{
    static const char text[] = "{\"type\":\"object\",\"required\":[\"name\",\"description\"],"
                               "\"properties\":{\"name\":{\"type\":\"string\"},"
                               "\"description\":{\"type\":\"string\"}}}";
    const lg_json *schema = NULL;
    const lg_json *made = NULL;
    lg_error ignored;
    lg_synthesis_options how = {.seed = seed};
    bool ok = lg_json_parse_in(turn->arena, lg_str_c(text), 0, sizeof(text) - 1, NULL, &schema,
                               &ignored) == LG_OK &&
              lg_schema_synthesise(turn->arena, schema, NULL, &how, &made, &ignored) == LG_OK;
    turn->oom = turn->oom || !ok;
    return ok ? made : NULL;
}

// Its fields, without an id.
static lg_json make_fields(ow_turn *turn, const ow_kin *kin, uint64_t seed)
{
    lg_json fields = lg_json_make_object(NULL, 0);
    const lg_json *made = kin->writer && kin->writer->arguments
                              ? make_instance(turn, kin->writer->arguments, seed)
                              : make_unknown(turn, seed);
    for (size_t i = 0; i < lg_json_len(made); i++) {
        const lg_json_member *member = lg_json_member_at(made, i);
        lg_str name = lg_json_key(member);
        if (!ow_is_secret(name) && !ow_is_paging(name) && !lg_str_eq(name, kin->id_name) &&
            !lg_json_is(&member->value, LG_JSON_NULL)) {
            fields = with(turn, fields, name, member->value);
        }
    }
    return fields;
}

static lg_json make_id(ow_turn *turn, const ow_kin *kin, uint64_t seed)
{
    if (kin->id_is_integer) {
        return lg_json_make_int((int64_t)(1 + (seed >> 20) % 1000000u));
    }
    lg_str noun = turn->about.noun.len ? turn->about.noun : LG_STR("item");
    lg_str id = lg_arena_printf(turn->arena, "%.*s_%08llx", LG_FMT(lg_str_cut(noun, 60)),
                                (unsigned long long)(seed >> 32));
    turn->oom = turn->oom || !id.ptr;
    return lg_json_make_str(id.ptr ? id : LG_STR(""));
}

// --- Answers ------------------------------------------------------------------------------------

static lg_json make_one(ow_turn *turn, uint64_t seed)
{
    ow_kin kin = ow_find_kin(turn->call, &turn->about);
    const ow_about *about = &turn->about;
    lg_json made = lg_json_make_object(NULL, 0);
    if (about->id) {
        made = with(turn, made, about->id_name, *about->id);
    }
    if (is_silent(turn)) {
        return made;
    }
    lg_json fields = make_fields(turn, &kin, seed);
    return ow_merge(turn->arena, &made, &fields, &turn->oom);
}

static lg_json make_list(ow_turn *turn, uint64_t seed)
{
    ow_kin kin = ow_find_kin(turn->call, &turn->about);
    size_t few = is_silent(turn) ? 0 : FEW;
    lg_json *items = LG_NEW_ARRAY(turn->arena, lg_json, FEW);
    turn->oom = turn->oom || !items;
    for (size_t i = 0; items && i < few; i++) {
        uint64_t own = mixed(seed + i);
        lg_json id = make_id(turn, &kin, own);
        items[i] = with(turn, lg_json_make_object(NULL, 0), kin.id_name, id);
        lg_json fields = make_fields(turn, &kin, own);
        items[i] = ow_merge(turn->arena, &items[i], &fields, &turn->oom);
    }
    lg_json made = with(turn, lg_json_make_object(NULL, 0), LG_STR("items"),
                        lg_json_make_array(items, items ? few : 0));
    return with(turn, made, LG_STR("total"), lg_json_make_int((int64_t)few));
}

static lg_json make_created(ow_turn *turn, uint64_t seed)
{
    ow_kin kin = ow_find_kin(turn->call, &turn->about);
    return with(turn, lg_json_make_object(NULL, 0), kin.id_name, make_id(turn, &kin, seed));
}

lg_json ow_plain_answer(ow_turn *turn, uint64_t seed)
{
    const ow_about *about = &turn->about;
    lg_json made = lg_json_make_object(NULL, 0);
    lg_str id_name = about->id_name.len ? about->id_name : LG_STR("id");
    switch (about->action) {
    case OW_READ_LIST:
        return make_list(turn, seed);
    case OW_READ_ONE:
        return make_one(turn, seed);
    case OW_CREATE:
        return about->has_key && about->id ? with(turn, made, id_name, *about->id)
                                           : make_created(turn, seed);
    case OW_DELETE:
        made = about->id ? with(turn, made, id_name, *about->id) : made;
        return with(turn, made, LG_STR("deleted"), lg_json_make_bool(true));
    case OW_UPDATE:
    case OW_PUT:
        return about->id ? with(turn, made, id_name, *about->id) : made;
    case OW_OTHER:
        made = with(turn, made, LG_STR("status"), lg_json_make_str(LG_STR("ok")));
        return ow_merge(turn->arena, &made, &about->fields, &turn->oom);
    }
    return made;
}
