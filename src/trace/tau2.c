// tau2.c: results of tau2-bench, whole files and single simulations.
//
// Expected actions stand in two places. `reward_info.action_checks` are those that the run was
// scored against, so they come first; without them (a task that expects none, a run that was not
// scored) it is the task's `evaluation_criteria.actions`. In some published files the `task_id` of
// a simulation is not the id of its task. Where a scored simulation shows that, no task of that
// file is believed.
#include "trace/trace_internal.h"

static const lg_json *task_actions(const lg_json *task)
{
    return lg_get(lg_get(task, "evaluation_criteria"), "actions");
}

static const lg_json *checks_of(const lg_json *simulation)
{
    const lg_json *checks = lg_get(lg_get(simulation, "reward_info"), "action_checks");
    return lg_list_len(checks) ? checks : NULL;
}

static void read_facts(lg_importer *imp, const lg_json *simulation, const lg_json *task)
{
    static const char *const about[] = {"duration",   "duration_sec", "agent_cost", "user_cost",
                                        "start_time", "end_time",     "timestamp",  "seed",
                                        "mode",       "ticket"};
    const lg_json *info = lg_get(simulation, "run_info");
    const lg_json *ended = lg_get(simulation, "termination_reason");
    const lg_json *initial = lg_get(task, "initial_state");
    lg_facts facts = {0};
    lg_facts_pick(&facts, simulation, about, LG_COUNT(about));
    lg_facts_pick(&facts, info, about, LG_COUNT(about));
    lg_facts_add(&facts, "ticket", lg_get(task, "ticket"));
    imp->trace.metadata = lg_facts_make(imp, &facts);
    imp->trace.ended = lg_json_str(ended ? ended : lg_get(info, "termination_reason"));
    imp->trace.initial = lg_given(initial) ? initial : NULL;
    imp->trace.request = lg_importer_scenario(imp, lg_get(task, "user_scenario"));
    if (imp->trace.prompt.len == 0) {
        imp->trace.prompt = lg_json_str(lg_get(simulation, "policy"));
    }
}

// The parts are shares, which say more than the verdict that tau2 multiplies: all or nothing.
static const lg_json *parts_of(lg_importer *imp, const lg_json *reward)
{
    const lg_json *db = lg_get(reward, "db_check");
    const lg_json *part = lg_get(reward, "reward_breakdown");
    lg_facts facts = {0};
    lg_facts_score(&facts, "db", lg_get(db, "db_reward"));
    lg_facts_score(&facts, "db", lg_get(db, "db_match"));
    lg_facts_score(&facts, "db", lg_get(part, "DB"));
    lg_facts_share(&facts, "action", lg_get(reward, "action_checks"), "action_match",
                   lg_get(part, "ACTION"));
    lg_facts_share(&facts, "communicate", lg_get(reward, "communicate_checks"), "met",
                   lg_get(part, "COMMUNICATE"));
    lg_facts_share(&facts, "nl", lg_get(reward, "nl_assertions"), "met",
                   lg_get(part, "NL_ASSERTION"));
    lg_facts_share(&facts, "env", lg_get(reward, "env_assertions"), "met",
                   lg_get(part, "ENV_ASSERTION"));
    return lg_facts_make(imp, &facts);
}

static void read_simulation(lg_importer *imp, const lg_json *simulation, const lg_json *task)
{
    const lg_json *checks = checks_of(simulation);
    const lg_json *messages = lg_get(simulation, "messages");
    const lg_json *actions = checks ? checks : task_actions(task);
    imp->trace.expected = lg_importer_actions(imp, actions);
    lg_importer_reward(imp, lg_get(lg_get(simulation, "reward_info"), "reward"));
    lg_importer_trial(imp, lg_get(simulation, "trial"));
    imp->trace.task = lg_importer_word(imp, lg_get(simulation, "task_id"));
    imp->trace.checks = parts_of(imp, lg_get(simulation, "reward_info"));
    read_facts(imp, simulation, task);
    lg_importer_messages(imp, messages, simulation);
    if (imp->trace.domain.len == 0) {
        const lg_json *scenario = lg_get(lg_get(task, "user_scenario"), "instructions");
        imp->trace.domain = lg_json_str(lg_get(scenario, "domain"));
    }
    if (imp->trace.name.len == 0) {
        imp->trace.name =
            lg_importer_printf(imp, "%.*s/%u", LG_FMT(imp->trace.task), imp->trace.trial);
    }
    lg_importer_end(imp);
}

void lg_import_tau2_simulation(lg_importer *imp, const lg_json *value)
{
    lg_importer_begin(imp, value);
    const lg_json *id = lg_get(lg_get(value, "run_info"), "simulation_id");
    imp->trace.name = lg_json_str(id ? id : lg_get(value, "id"));
    read_simulation(imp, value, lg_get(value, "task"));
}

// --- Results: {info, tasks, simulations} ---------------------------------------------------------

static int compare_tasks(const void *context, uint32_t a, uint32_t b)
{
    const lg_json *tasks = context;
    return lg_str_cmp(lg_json_str(lg_get(lg_json_item(tasks, a), "id")),
                      lg_json_str(lg_get(lg_json_item(tasks, b), "id")));
}

// The tasks by id, for a search in halves.
typedef struct task_index {
    const lg_json *tasks;
    uint32_t *order;
    size_t count;
} task_index;

static bool index_tasks(lg_importer *imp, const lg_json *tasks, task_index *ret_index)
{
    size_t count = lg_list_len(tasks);
    uint32_t *order = LG_NEW_ARRAY(imp->arena, uint32_t, 2 * count + 1);
    if (!order) {
        lg_importer_fail_oom(imp);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    lg_index_sort(order, order + count, count, compare_tasks, tasks);
    *ret_index = (task_index){tasks, order, count};
    return true;
}

static const lg_json *find_task(const task_index *index, const lg_json *simulation)
{
    lg_str id = lg_json_str(lg_get(simulation, "task_id"));
    size_t low = 0;
    size_t high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const lg_json *task = lg_json_item(index->tasks, index->order[middle]);
        int order = lg_str_cmp(lg_json_str(lg_get(task, "id")), id);
        if (order == 0) {
            return task;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static bool same_action(const lg_json *check, const lg_json *action)
{
    const lg_json *checked = lg_get(check, "action");
    const lg_json *a = lg_get(checked, "arguments");
    const lg_json *b = lg_get(action, "arguments");
    return lg_str_eq(lg_json_str(lg_get(checked, "name")), lg_json_str(lg_get(action, "name"))) &&
           a && b && lg_json_equal(a, b);
}

// Was `simulation` scored against other actions than those of `task`?
static bool contradicts(const lg_json *simulation, const lg_json *task)
{
    const lg_json *checks = checks_of(simulation);
    const lg_json *actions = task_actions(task);
    if (!checks || !task) {
        return false;
    }
    if (lg_list_len(checks) != lg_list_len(actions)) {
        return true;
    }
    for (size_t i = 0; i < lg_list_len(checks); i++) {
        if (!same_action(lg_json_item(checks, i), lg_json_item(actions, i))) {
            return true;
        }
    }
    return false;
}

static bool tasks_are_believed(lg_importer *imp, const lg_json *simulations,
                               const task_index *index)
{
    for (size_t i = 0; i < lg_list_len(simulations); i++) {
        const lg_json *simulation = lg_json_item(simulations, i);
        if (contradicts(simulation, find_task(index, simulation))) {
            lg_importer_issue(imp, simulation->offset, false,
                              "scored against other actions than those of the task with its "
                              "`task_id`: the tasks of this file are not used");
            return false;
        }
    }
    return true;
}

void lg_import_tau2_results(lg_importer *imp, const lg_json *value)
{
    const lg_json *info = lg_get(value, "info");
    const lg_json *simulations = lg_get(value, "simulations");
    task_index index;
    if (!index_tasks(imp, lg_get(value, "tasks"), &index)) {
        return;
    }
    const lg_json *environment = lg_get(info, "environment_info");
    const lg_json *tools = lg_importer_signatures(imp, lg_get(environment, "tool_defs"));
    bool believed = tasks_are_believed(imp, simulations, &index);
    for (size_t i = 0; i < lg_list_len(simulations) && lg_importer_ok(imp); i++) {
        const lg_json *simulation = lg_json_item(simulations, i);
        if (!lg_json_is(simulation, LG_JSON_OBJECT)) {
            lg_importer_issue(imp, simulation->offset, true, "a simulation that is %s",
                              lg_kind(simulation));
            continue;
        }
        lg_importer_begin(imp, simulation);
        imp->trace.name = lg_json_str(lg_get(simulation, "id"));
        imp->trace.model = lg_json_str(lg_get(lg_get(info, "agent_info"), "llm"));
        imp->trace.domain = lg_json_str(lg_get(environment, "domain_name"));
        imp->trace.prompt = lg_json_str(lg_get(environment, "policy"));
        imp->trace.tools = tools;
        read_simulation(imp, simulation, believed ? find_task(&index, simulation) : NULL);
    }
}
