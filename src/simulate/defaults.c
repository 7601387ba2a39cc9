// defaults.c: what the entity of a call has that the call does not say.
//
// What a tool takes and was not given is what its schema says by default; what a PUT was not given is gone. A new entity is in
// the first of its states, unless it says another one: a booking is `booked` and not `cancelled`. And what a path says of its
// parents stands in the entity, too.
#include "simulate/open_world_internal.h"

#define SCHEMA_STEPS 12u // references and alternatives on the way to one member

// Could the body have had this argument?
static bool is_of_body(const lg_catalogue_argument *argument)
{
    return argument->place == LG_PLACE_MEMBER;
}

lg_json ow_without_left_out(ow_turn *turn, const lg_json *entity, bool state)
{
    const lg_catalogue_tool *source = turn->call->tool->of_catalogue;
    const ow_about *about = &turn->about;
    bool own = ow_own(&turn->kept, about->collection, about->key.len == 0) != NULL;
    lg_json made = *entity;
    for (size_t i = 0; source && i < source->list_count; i++) {
        lg_str key = source->list[i].key.len ? source->list[i].key : source->list[i].name;
        const lg_json_member *id = ow_id_member(&made, about->id_name, about->noun);
        if (!is_of_body(&source->list[i]) || lg_json_get(&about->fields, key) ||
            (id && lg_str_eq(lg_json_key(id), key))) {
            continue;
        }
        made = state && !own ? ow_with(turn->arena, &made, key, lg_json_make_null(), &turn->oom)
                             : ow_without(turn->arena, &made, key, &turn->oom);
    }
    return made;
}

// --- Schemas ------------------------------------------------------------------------------------

static const lg_json *referred(const ow_turn *turn, const lg_json *schema)
{
    const lg_sim_tool *tool = turn->call->tool;
    const lg_json *document =
        tool->of_catalogue && tool->of_catalogue->document ? tool->of_catalogue->document : NULL;
    lg_str reference = lg_json_str(lg_json_get(schema, LG_STR("$ref")));
    if (!lg_str_starts(reference, LG_STR("#/"))) {
        return NULL;
    }
    lg_str pointer = lg_str_slice(reference, 1, reference.len);
    const lg_json *found = lg_json_at(tool->result, pointer);
    return found ? found : lg_json_at(document, pointer);
}

// The schema of a member, found through references and `allOf`; or NULL.
static const lg_json *schema_of_member(const ow_turn *turn, const lg_json *schema, lg_str name,
                                       unsigned *steps)
{
    const lg_json *found = NULL;
    while (lg_json_is(schema, LG_JSON_OBJECT) && *steps > 0) {
        (*steps)--;
        found = lg_json_get(lg_json_get(schema, LG_STR("properties")), name);
        if (found) {
            return found;
        }
        const lg_json *all = lg_json_get(schema, LG_STR("allOf"));
        for (size_t i = 0; lg_json_is(all, LG_JSON_ARRAY) && i < lg_json_len(all) && *steps; i++) {
            const lg_json *part = &all->as.items[i];
            const lg_json *other = referred(turn, part);
            part = other ? other : part;
            (*steps)--;
            found = lg_json_get(lg_json_get(part, LG_STR("properties")), name);
            if (found) {
                return found;
            }
        }
        schema = referred(turn, schema);
    }
    return NULL;
}

// What the schema of a state says that it is first; or NULL.
static const lg_json *first_state(const ow_turn *turn, lg_str name)
{
    ow_path path = ow_find_entity(&turn->base, turn->about.noun, turn->about.id_name);
    const lg_json *schema = turn->call->tool->result;
    unsigned steps = SCHEMA_STEPS;
    for (size_t i = 0; i < path.count && schema; i++) {
        schema = schema_of_member(turn, schema, path.names[i], &steps);
    }
    schema = schema ? schema_of_member(turn, schema, name, &steps) : NULL;
    const lg_json *other = schema ? referred(turn, schema) : NULL;
    schema = other ? other : schema;
    const lg_json *usual = lg_json_get(schema, LG_STR("default"));
    const lg_json *values = lg_json_get(schema, LG_STR("enum"));
    bool some = lg_json_is(values, LG_JSON_ARRAY) && lg_json_len(values) > 0;
    return usual ? usual : some ? &values->as.items[0] : NULL;
}

// --- Defaults -----------------------------------------------------------------------------------

lg_json ow_with_defaults(ow_turn *turn, const lg_json *entity)
{
    static const char *const states[] = {"status", "state", "phase", NULL};
    const lg_json *taken = lg_json_get(turn->call->tool->parameters, LG_STR("properties"));
    lg_json made = *entity;
    for (size_t i = 0; lg_json_is(entity, LG_JSON_OBJECT) && i < lg_json_len(entity); i++) {
        lg_str name = lg_json_key(lg_json_member_at(entity, i));
        ow_word word = ow_plain(name);
        const lg_json *value = lg_json_get(lg_json_get(taken, name), LG_STR("default"));
        value =
            !value && turn->schema && ow_word_in(&word, states) ? first_state(turn, name) : value;
        if (value && !lg_json_get(&turn->about.fields, name)) {
            made = ow_with(turn->arena, &made, name, *value, &turn->oom);
        }
    }
    return made;
}

// --- Parents ------------------------------------------------------------------------------------

// Without "id" at its end.
static lg_str bare_word(const ow_word *word)
{
    bool id = word->len > 2 && ow_word_ends(word, "id");
    return (lg_str){word->text, word->len - (id ? 2 : 0)};
}

// Has the entity this member for that parent: patient_id or `patient`, of {patientId} or of the patients' {id}?
static bool names_parent(lg_str member, lg_str name, lg_str noun)
{
    static const char *const anything[] = {"id",   "name",   "key",     "slug",
                                           "code", "number", "version", NULL};
    ow_word word = ow_plain(member);
    ow_word parent = ow_plain(name);
    lg_str bare = bare_word(&word);
    bool any = ow_word_in(&word, anything);
    return !any && (lg_str_eq(bare, bare_word(&parent)) || (noun.len && lg_str_eq(bare, noun)));
}

lg_json ow_with_parents(ow_turn *turn, const lg_json *entity)
{
    const ow_about *about = &turn->about;
    lg_json made = *entity;
    for (size_t i = 0; lg_json_is(entity, LG_JSON_OBJECT) && i < lg_json_len(entity); i++) {
        const lg_json_member *member = lg_json_member_at(entity, i);
        bool scalar =
            lg_json_is(&member->value, LG_JSON_STRING) || lg_json_is_number(&member->value);
        for (size_t j = 0; scalar && j < about->path_count; j++) {
            if (about->path_id[j] != about->id &&
                names_parent(lg_json_key(member), about->path_name[j], about->path_noun[j])) {
                lg_json id = ow_id_like(turn, about->path_id[j], &member->value);
                made = ow_with(turn->arena, &made, lg_json_key(member), id, &turn->oom);
            }
        }
    }
    return made;
}
