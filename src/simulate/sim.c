// sim.c: the simulator: its tools, and the states that sessions begin with.
#include "simulate/simulate_internal.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

const char *lg_sim_source_name(lg_sim_source source)
{
    static const char *const names[] = {
#define X(name, text) text,
        LG_SIM_SOURCE_MAP(X)
#undef X
    };
    return names[source];
}

const char *lg_sim_end_name(lg_sim_end end)
{
    static const char *const names[] = {"done",          "failed",       "absent", "conflict",
                                        "bad_arguments", "unknown_tool", "fault"};
    return names[end];
}

// --- Tools --------------------------------------------------------------------------------------

static lg_sim_tool of_pack(const lg_tool *tool)
{
    return (lg_sim_tool){.name = tool->name,
                         .description = tool->description,
                         .kind = tool->kind,
                         .by_user = tool->by_user,
                         .parameters = tool->parameters,
                         .arguments = tool->arguments,
                         .results = tool->result,
                         .of_pack = tool};
}

static lg_sim_tool of_catalogue(const lg_catalogue_tool *tool)
{
    bool of_words;
    lg_tool_kind kind = lg_guess_kind(tool, &of_words);
    return (lg_sim_tool){.name = tool->name,
                         .description = tool->description,
                         .kind = kind,
                         .is_guessed = of_words,
                         .parameters = tool->parameters,
                         .arguments = tool->arguments,
                         .result = tool->result,
                         .results = tool->results,
                         .of_catalogue = tool};
}

static int by_name(const void *a, const void *b)
{
    const lg_sim_tool *x = *(const lg_sim_tool *const *)a;
    const lg_sim_tool *y = *(const lg_sim_tool *const *)b;
    int order = lg_str_cmp(x->name, y->name);
    order = order ? order : (int)x->by_user - (int)y->by_user;
    return order ? order : (x > y) - (x < y);
}

static bool list_tools(lg_sim *sim)
{
    const lg_pack *pack = sim->options.pack;
    const lg_catalogue *catalogue = sim->options.catalogue;
    sim->tool_count = pack ? pack->tool_count : catalogue->tool_count;
    sim->tools = LG_NEW_ARRAY(&sim->arena, lg_sim_tool, sim->tool_count + 1);
    sim->by_name = LG_NEW_ARRAY(&sim->arena, const lg_sim_tool *, sim->tool_count + 1);
    if (!sim->tools || !sim->by_name) {
        return false;
    }
    for (size_t i = 0; i < sim->tool_count; i++) {
        sim->tools[i] = pack ? of_pack(&pack->tools[i]) : of_catalogue(&catalogue->tools[i]);
        sim->by_name[i] = &sim->tools[i];
    }
    qsort(sim->by_name, sim->tool_count, sizeof(*sim->by_name), by_name);
    return true;
}

size_t lg_sim_tool_count(const lg_sim *sim)
{
    return sim->tool_count;
}

const lg_sim_tool *lg_sim_tool_at(const lg_sim *sim, size_t index)
{
    return &sim->tools[index];
}

// Where the first of this name stands, or would.
static size_t first_of_name(const lg_sim *sim, lg_str name)
{
    size_t from = 0;
    size_t to = sim->tool_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (lg_str_cmp(sim->by_name[middle]->name, name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

const lg_sim_tool *lg_sim_tool_named(const lg_sim *sim, lg_str name, bool by_user)
{
    for (size_t i = first_of_name(sim, name);
         i < sim->tool_count && lg_str_eq(sim->by_name[i]->name, name); i++) {
        if (sim->by_name[i]->by_user == by_user) {
            return sim->by_name[i];
        }
    }
    return NULL;
}

// --- Lifetime -----------------------------------------------------------------------------------

#define DEFAULT_SESSION_BYTES ((size_t)256 << 20)
#define DEFAULT_HISTORY_CALLS 10000u
#define DEFAULT_LEDGER_WRITES 1000u // the log of what a rule reads has room for about as many
#define DEFAULT_SNAPSHOTS 1000u
#define DEFAULT_ENTITIES 20000u

static lg_sim_options with_defaults(const lg_sim_options *options)
{
    lg_sim_options o = *options;
    o.session_bytes = o.session_bytes ? o.session_bytes : DEFAULT_SESSION_BYTES;
    o.history_calls = o.history_calls ? o.history_calls : DEFAULT_HISTORY_CALLS;
    o.ledger_writes = o.ledger_writes ? o.ledger_writes : DEFAULT_LEDGER_WRITES;
    o.snapshots = o.snapshots ? o.snapshots : DEFAULT_SNAPSHOTS;
    o.entities = o.entities ? o.entities : DEFAULT_ENTITIES;
    return o;
}

lg_status lg_sim_new(const lg_sim_options *options, lg_sim **ret_sim, lg_errors *errors)
{
    if (!options->pack == !options->catalogue) {
        lg_errors_addf(errors, LG_ERR_USAGE, (lg_position){0},
                       "a simulator needs a pack or a list of tools, and not both");
        return LG_ERR_USAGE;
    }
    lg_sim *sim = lg_zalloc(sizeof(*sim));
    if (!sim) {
        return LG_ERR_OOM;
    }
    sim->options = with_defaults(options);
    sim->limits = lg_limits_resolve(options->limits);
    sim->options.limits = &sim->limits;
    lg_arena_init(&sim->arena, sim->limits.document_bytes);
    if (!list_tools(sim)) {
        lg_sim_free(sim);
        return LG_ERR_OOM;
    }
    *ret_sim = sim;
    return LG_OK;
}

void lg_sim_free(lg_sim *sim)
{
    if (!sim) {
        return;
    }
    for (sim_start *start = sim->starts; start; start = start->next) {
        lg_world_done(&start->world);
    }
    lg_arena_done(&sim->arena);
    lg_free(sim);
}

// --- First states -------------------------------------------------------------------------------

bool sim_pack_has_state(const lg_sim *sim)
{
    return sim->options.pack && sim->options.pack->state.count > 0;
}

const sim_start *sim_start_of(const lg_sim *sim, lg_str task)
{
    const sim_start *start = sim->starts;
    while (start && !lg_str_eq(start->task, task)) {
        start = start->next;
    }
    return start;
}

bool lg_sim_has_state(const lg_sim *sim, lg_str task)
{
    return sim_start_of(sim, task) != NULL;
}

static lg_status refuse(const lg_world_file *file, lg_errors *errors, lg_str member, lg_str key,
                        const char *why)
{
    lg_errors_addf(errors, LG_ERR_TYPE, (lg_position){.file = file->name}, "/%.*s%s%.*s: %s",
                   LG_FMT(lg_str_cut(member, 100)), key.len ? "/" : "",
                   LG_FMT(lg_str_cut(key, 100)), why);
    return LG_ERR_TYPE;
}

// Entities by key: where one has an `id` that is another one, it could be found by neither.
static lg_status check_keys(const lg_world_file *file, const lg_json_member *member,
                            lg_errors *errors)
{
    for (size_t i = 0; i < lg_json_len(&member->value); i++) {
        const lg_json_member *entity = lg_json_member_at(&member->value, i);
        const lg_json *id = lg_json_get(&entity->value, LG_STR("id"));
        lg_str text = lg_json_str(id);
        char room[32];
        int64_t number;
        if (lg_json_int(id, &number)) {
            snprintf(room, sizeof(room), "%lld", (long long)number);
            text = lg_str_c(room);
        }
        if (text.len && !lg_str_eq(text, lg_json_key(entity))) {
            return refuse(file, errors, lg_json_key(member), lg_json_key(entity),
                          "its `id` is another one than its key: make them the same");
        }
    }
    return LG_OK;
}

// A first state without a pack: collections of entities, and single ones.
static lg_status check_collections(const lg_world_file *file, lg_errors *errors)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < lg_json_len(file->value) && status == LG_OK; i++) {
        const lg_json_member *member = lg_json_member_at(file->value, i);
        lg_str name = lg_json_key(member);
        if (lg_json_is(&member->value, LG_JSON_OBJECT)) {
            status = check_keys(file, member, errors);
            continue;
        }
        if (!lg_json_is(&member->value, LG_JSON_ARRAY)) {
            return refuse(
                file, errors, name, LG_STR(""),
                "a first state has lists of objects and objects: no tool would find this");
        }
        for (size_t j = 0; j < lg_json_len(&member->value); j++) {
            if (!lg_json_is(&member->value.as.items[j], LG_JSON_OBJECT)) {
                char at[24];
                snprintf(at, sizeof(at), "%zu", j);
                return refuse(file, errors, name, lg_str_c(at),
                              "an element of a list must be an object");
            }
        }
    }
    return status;
}

static lg_status read_object(const lg_world_file *file, const lg_json **ret, lg_errors *errors)
{
    if (!lg_json_is(file->value, LG_JSON_OBJECT)) {
        lg_errors_addf(errors, LG_ERR_TYPE, (lg_position){.file = file->name},
                       "a first state must be a JSON object");
        return LG_ERR_TYPE;
    }
    *ret = file->value;
    return check_collections(file, errors);
}

lg_status sim_start_load(const lg_sim *sim, sim_start *start, const lg_world_file *file,
                         lg_errors *errors)
{
    if (!sim->options.pack) {
        return read_object(file, &start->state, errors);
    }
    lg_status status = lg_world_load(&start->world, file, errors);
    lg_arena scratch;
    const lg_world_breach *broken;
    size_t count;
    if (status != LG_OK) {
        return status;
    }
    lg_arena_init(&scratch, sim->limits.document_bytes);
    status = lg_world_check(&start->world, &scratch, &broken, &count); // notes whether it is sound
    lg_arena_done(&scratch);
    start->state = start->world.start;
    return status;
}

lg_status lg_sim_add_state(lg_sim *sim, const lg_world_file *file, lg_str task, lg_errors *errors)
{
    if (sim_start_of(sim, task)) {
        lg_errors_addf(errors, LG_ERR_USAGE, (lg_position){.file = file->name},
                       "there is a first state of task `%.*s` already", LG_FMT(task));
        return LG_ERR_USAGE;
    }
    sim_start *start = LG_NEW(&sim->arena, sim_start);
    if (!start) {
        return LG_ERR_OOM;
    }
    start->task = lg_arena_str(&sim->arena, task);
    lg_world_init(&start->world, sim->options.pack, &sim->limits);
    lg_status status = start->task.ptr ? sim_start_load(sim, start, file, errors) : LG_ERR_OOM;
    if (status != LG_OK) {
        lg_world_done(&start->world);
        return status;
    }
    start->next = sim->starts;
    sim->starts = start;
    return LG_OK;
}

// --- Recorded answers ---------------------------------------------------------------------------

lg_status lg_sim_add_recorded(lg_sim *sim, const lg_json *calls, lg_error *reterr)
{
    sim->recall = sim->recall ? sim->recall : lg_recall_new(&sim->arena);
    return sim->recall ? lg_recall_add(sim->recall, calls, reterr) : lg_fail_oom(reterr);
}
