// attempt.c: the inner loop of algorithm 1, with an end.
#include "refine/attempt.h"

// So many replies in a row that say nothing, or cannot be read: the planner will not say anything.
#define MOST_UNREAD 3u
#define NAME_BYTES 256u

typedef struct attempt {
    const lg_refine_run *run;
    const lg_refine_options *options;
    lg_refine_memory memory;
    lg_arena round; // of one question
    lg_refine_attempt *record;
    uint32_t number;
    uint32_t used;   // of calls_per_attempt
    uint32_t unread; // in a row
    bool is_over;
    lg_str message;
} attempt;

int64_t lg_refine_now(const lg_refine_options *options)
{
    return options->now_ns ? options->now_ns(options->clock_data) : 0;
}

double lg_refine_seconds_since(const lg_refine_options *options, int64_t begun_ns)
{
    return (double)(lg_refine_now(options) - begun_ns) / 1e9;
}

uint64_t lg_refine_calls_before(const lg_sim_session *session, const lg_refine_options *options)
{
    uint64_t made = lg_sim_history_dropped(session) + lg_sim_history_count(session);
    uint64_t begun = 0;
    for (size_t i = 0; i < options->begun_count; i++) {
        begun += lg_json_len(options->begun[i].calls);
    }
    return made > begun ? made - begun : 0;
}

static uint32_t most_calls(const lg_refine_options *options)
{
    return options->calls_per_attempt ? options->calls_per_attempt : LG_REFINE_CALLS_PER_ATTEMPT;
}

static void end(attempt *a, lg_refine_end how, lg_str message)
{
    a->is_over = true;
    a->record->end = how;
    a->message = message;
}

// --- calls ----------------------------------------------------------------------------------------

static bool is_offered(const lg_json *tools, lg_str name)
{
    for (size_t i = 0; i < lg_json_len(tools); i++) {
        const lg_json *function = lg_json_get(lg_json_item(tools, i), LG_STR("function"));
        if (lg_str_eq(lg_json_str(lg_json_get(function, LG_STR("name"))), name)) {
            return true;
        }
    }
    return false;
}

// The planner's own, if no call of the attempt has it yet.
static lg_str id_of(attempt *a, lg_str wanted)
{
    bool is_taken = wanted.len == 0 || wanted.len > NAME_BYTES;
    for (size_t i = 0; i < a->memory.call_count && !is_taken; i++) {
        is_taken = lg_str_eq(a->memory.calls[i].id, wanted);
    }
    return is_taken ? lg_arena_printf(a->run->arena, "call_%u_%zu", a->number + 1,
                                      a->memory.call_count + 1)
                    : lg_arena_str(a->run->arena, wanted);
}

static bool copy_violations(lg_arena *arena, const lg_sim_answer *answer, lg_refined_call *call)
{
    lg_sim_violation *kept = LG_NEW_ARRAY(arena, lg_sim_violation, answer->violation_count + 1);
    for (size_t i = 0; kept && i < answer->violation_count; i++) {
        const lg_sim_violation *v = &answer->violations[i];
        kept[i] = (lg_sim_violation){lg_arena_str(arena, v->rule), lg_arena_str(arena, v->kind),
                                     lg_arena_str(arena, v->path), lg_arena_str(arena, v->message)};
        if (!kept[i].rule.ptr || !kept[i].kind.ptr || !kept[i].path.ptr || !kept[i].message.ptr) {
            return false;
        }
    }
    call->violations = kept;
    call->violation_count = answer->violation_count;
    return kept != NULL;
}

// What a planner reads of a call that was not carried out.
static lg_str text_of_invalid(lg_arena *arena, const lg_sim_answer *answer)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add(&out, answer->error.len ? answer->error : answer->text);
    for (size_t i = 0; i < answer->violation_count; i++) {
        lg_str message = answer->violations[i].message;
        if (lg_str_find(lg_buf_str(&out), message) == SIZE_MAX) {
            lg_buf_addf(&out, "\n- %.*s", LG_FMT(message));
        }
    }
    return lg_buf_keep(&out, arena);
}

static bool keep_answer(attempt *a, const lg_sim_answer *answer, lg_refined_call *call)
{
    lg_arena *arena = a->run->arena;
    call->end = answer->end;
    call->source = answer->source;
    call->is_valid = answer->end != LG_SIM_BAD_ARGUMENTS && answer->end != LG_SIM_UNKNOWN_TOOL;
    call->result = answer->result ? lg_json_copy(arena, answer->result) : NULL;
    call->note = lg_arena_str(arena, answer->note);
    if (!call->is_valid) {
        call->text = text_of_invalid(arena, answer);
    } else {
        call->text = lg_arena_str(arena, answer->text.len ? answer->text : answer->error);
    }
    return call->text.ptr && call->note.ptr && (call->result || !answer->result) &&
           copy_violations(arena, answer, call);
}

static lg_status refuse_unoffered(attempt *a, lg_refined_call *call, lg_error *reterr)
{
    call->end = LG_SIM_UNKNOWN_TOOL;
    call->source = LG_SIM_SOURCE_RULES;
    call->note = LG_STR("");
    call->text =
        lg_arena_printf(a->run->arena, "there is no tool `%.*s` among those that are offered",
                        LG_FMT(lg_str_cut(call->name, NAME_BYTES)));
    return call->text.ptr ? LG_OK : lg_fail_oom(reterr);
}

// In earnest: once, whatever comes of it.
static lg_status act(attempt *a, lg_refined_call *call, lg_error *reterr)
{
    lg_executor_answer answer = {0};
    lg_arena *arena = a->run->arena;
    lg_executor_call made = {.tool = call->name, .args = call->args, .by_user = call->by_user};
    lg_status status = lg_executor_run(a->run->real, &made, arena, &answer, reterr);
    if (status != LG_OK) {
        return status;
    }
    bool is_done = answer.outcome == LG_EXECUTOR_DONE;
    call->source = LG_SIM_SOURCE_REAL;
    call->end = is_done && !answer.is_error ? LG_SIM_DONE : LG_SIM_FAILED;
    call->is_valid = answer.outcome != LG_EXECUTOR_FAILED;
    call->result = answer.value;
    call->note = lg_str_c(lg_executor_outcome_name(answer.outcome));
    call->text = answer.text;
    if (!is_done) {
        call->text = lg_arena_printf(
            arena, "%s: %.*s",
            answer.outcome == LG_EXECUTOR_UNKNOWN
                ? "nobody knows whether this call was carried out; look before you make it again"
                : "not carried out",
            LG_FMT(answer.why));
    }
    return call->text.ptr ? LG_OK : lg_fail_oom(reterr);
}

// An executor takes objects alone.
static lg_status refuse_arguments(attempt *a, lg_refined_call *call, lg_error *reterr)
{
    call->end = LG_SIM_BAD_ARGUMENTS;
    call->source = LG_SIM_SOURCE_RULES;
    call->note = LG_STR("");
    call->text = lg_arena_printf(a->run->arena, "the arguments are no JSON object");
    return call->text.ptr ? LG_OK : lg_fail_oom(reterr);
}

static lg_status carry_out(attempt *a, lg_refined_call *call, lg_error *reterr)
{
    lg_sim_answer answer = {0};
    const lg_sim *sim = lg_sim_of(a->run->session);
    lg_refine_cost before = lg_refine_meter_read(&a->run->meter);
    call->by_user = a->options->with_user_tools && !lg_sim_tool_named(sim, call->name, false) &&
                    lg_sim_tool_named(sim, call->name, true);
    if ((a->options->tools || a->run->real) && !is_offered(a->run->tools, call->name)) {
        return refuse_unoffered(a, call, reterr);
    }
    if (a->run->real) {
        return lg_json_is(call->args, LG_JSON_OBJECT) ? act(a, call, reterr)
                                                      : refuse_arguments(a, call, reterr);
    }
    lg_sim_call made = {.tool = call->name,
                        .args = call->args,
                        .args_text = call->args_text,
                        .by_user = call->by_user};
    lg_status status =
        lg_sim_call_tool(a->run->session, &made, a->options->models, &answer, reterr);
    lg_refine_meter_add(&a->run->meter, before, &a->record->costs.simulator);
    if (status != LG_OK) {
        return status;
    }
    return keep_answer(a, &answer, call) ? LG_OK : lg_fail_oom(reterr);
}

// No arguments at all are none: several servers send an empty text for a tool without parameters.
static lg_status read_arguments(attempt *a, lg_refined_call *call, lg_error *reterr)
{
    lg_error wrong;
    lg_str text = lg_str_trim(call->args_text);
    if (text.len == 0) {
        call->args_text = text = LG_STR("{}");
    }
    lg_status status =
        lg_json_parse_in(a->run->arena, text, 0, text.len, a->options->limits, &call->args, &wrong);
    if (status != LG_OK) {
        call->args = NULL;
    }
    return status == LG_ERR_OOM ? lg_fail_oom(reterr) : LG_OK;
}

static lg_refined_call *new_call(attempt *a)
{
    lg_refine_memory *m = &a->memory;
    lg_arena *arena = a->run->arena;
    lg_refined_call *calls =
        lg_arena_grow(arena, m->calls, m->call_count, &m->call_capacity, sizeof(*calls));
    bool *flags =
        lg_arena_grow(arena, m->is_forgotten, m->call_count, &m->flag_capacity, sizeof(*flags));
    if (!calls || !flags) {
        return NULL;
    }
    m->calls = calls;
    m->is_forgotten = flags;
    flags[m->call_count] = false;
    calls[m->call_count] = (lg_refined_call){0};
    return &calls[m->call_count];
}

static lg_status make_call(attempt *a, const lg_llm_call *said, lg_error *reterr)
{
    lg_arena *arena = a->run->arena;
    lg_refined_call *call = new_call(a);
    if (!call) {
        return lg_fail_oom(reterr);
    }
    call->id = id_of(a, said->id);
    call->name = lg_arena_str(arena, said->name);
    call->args_text = lg_arena_str(arena, said->args);
    if (!call->id.ptr || !call->name.ptr || !call->args_text.ptr) {
        return lg_fail_oom(reterr);
    }
    lg_status status = read_arguments(a, call, reterr);
    if (status == LG_OK) {
        status = carry_out(a, call, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    a->memory.call_count++;
    a->used++;
    a->record->costs.calls++;
    if (call->is_valid) {
        lg_refine_forget_before(&a->memory, a->memory.turn_count - 1);
    } else {
        a->record->costs.invalid++;
    }
    return LG_OK;
}

// --- replies --------------------------------------------------------------------------------------

static lg_refine_turn *new_turn(attempt *a)
{
    lg_refine_memory *m = &a->memory;
    lg_refine_turn *turns =
        lg_arena_grow(a->run->arena, m->turns, m->turn_count, &m->turn_capacity, sizeof(*turns));
    if (turns) {
        m->turns = turns;
        turns[m->turn_count] = (lg_refine_turn){.from = m->call_count};
        return &turns[m->turn_count++];
    }
    return NULL;
}

static lg_status take_calls(attempt *a, const lg_refine_reply *reply, lg_error *reterr)
{
    size_t turn = a->memory.turn_count;
    lg_status status = LG_OK;
    lg_str text = lg_arena_str(a->run->arena, reply->text);
    if (!text.ptr || !new_turn(a)) {
        return lg_fail_oom(reterr);
    }
    a->memory.turns[turn].text = text;
    a->unread = 0;
    for (size_t i = 0; status == LG_OK && i < reply->call_count; i++) {
        if (a->used >= most_calls(a->options)) {
            break; // the rest is not carried out: the attempt is over
        }
        status = make_call(a, &reply->calls[i], reterr);
        a->memory.turns[turn].count = a->memory.call_count - a->memory.turns[turn].from;
    }
    return status;
}

// A reply that says nothing is a mistake like a call that is not valid, and counts as one.
static lg_status take_nothing(attempt *a, const lg_refine_reply *reply, lg_error *reterr)
{
    lg_arena *arena = a->run->arena;
    bool is_unread = reply->said == LG_REFINE_SAID_UNREAD;
    a->used++;
    if (++a->unread >= MOST_UNREAD) {
        end(a, LG_REFINE_END_PLANNER,
            lg_arena_printf(arena,
                            "the planner said nothing that can be used, %u times in a row%s%s",
                            MOST_UNREAD, is_unread ? ": " : "", is_unread ? reply->error.msg : ""));
        return a->message.ptr ? LG_OK : lg_fail_oom(reterr);
    }
    lg_refine_turn *turn = new_turn(a);
    lg_str wrong =
        is_unread
            ? lg_arena_printf(
                  arena, "Your last reply could not be read: %s. Call tools, or reply with a text.",
                  reply->error.msg)
            : LG_STR("Your last reply had neither a call nor a text. Call tools, or say to the "
                     "user what was done.");
    if (!turn || !wrong.ptr) {
        return lg_fail_oom(reterr);
    }
    turn->wrong = wrong;
    return LG_OK;
}

static lg_status break_off(attempt *a, lg_refine_end how, const char *message, lg_error *reterr)
{
    end(a, how, lg_arena_str(a->run->arena, lg_str_c(message)));
    return a->message.ptr ? LG_OK : lg_fail_oom(reterr);
}

static lg_status take(attempt *a, const lg_refine_reply *reply, lg_error *reterr)
{
    switch (reply->said) {
    case LG_REFINE_SAID:
        if (reply->call_count) {
            return take_calls(a, reply, reterr);
        }
        if (lg_str_trim(reply->text).len == 0) {
            return take_nothing(a, reply, reterr);
        }
        a->record->response = lg_arena_str(a->run->arena, reply->text);
        end(a, LG_REFINE_END_STOP, LG_STR(""));
        return a->record->response.ptr ? LG_OK : lg_fail_oom(reterr);
    case LG_REFINE_SAID_UNREAD:
        return take_nothing(a, reply, reterr);
    case LG_REFINE_SAID_NOTHING:
        return break_off(a, LG_REFINE_END_PLANNER, reply->error.msg, reterr);
    case LG_REFINE_SAID_NO_BUDGET:
        return break_off(a, LG_REFINE_END_BUDGET, reply->error.msg, reterr);
    }
    return lg_fail(reterr, LG_ERR_INTERNAL, "a planner has said what there is no word for");
}

// --- the loop -------------------------------------------------------------------------------------

static lg_status ask(attempt *a, lg_str feedback, lg_refine_reply *ret, lg_error *reterr)
{
    const lg_refine_planner *planner = a->options->planner;
    lg_refine_cost *cost = &a->record->costs.planner;
    lg_refine_ask question = {.tools = a->run->tools, .attempt = a->number, .feedback = feedback};
    lg_status status = lg_refine_messages(&a->memory, &a->round, &question.messages,
                                          &question.message_count, reterr);
    if (status != LG_OK) {
        return status;
    }
    lg_refine_cost before = lg_refine_meter_read(&a->run->meter);
    *ret = (lg_refine_reply){0};
    status = planner->next(planner->data, &question, &a->round, ret, reterr);
    lg_refine_meter_add(&a->run->meter, before, cost);
    if (!planner->llm) {
        cost->questions++;
        cost->prompt_tokens += ret->usage.prompt_tokens;
        cost->completion_tokens += ret->usage.completion_tokens;
    }
    return status;
}

static bool is_within_budget(attempt *a, int64_t begun_ns)
{
    lg_refine_costs sum = a->run->before;
    a->record->costs.seconds = lg_refine_seconds_since(a->options, begun_ns);
    lg_refine_costs_add(&sum, &a->record->costs);
    const char *spent = lg_refine_is_spent(&a->options->budget, &sum);
    if (spent) {
        end(a, LG_REFINE_END_BUDGET,
            lg_arena_printf(a->run->arena, "the budget of %s is spent", spent));
    }
    return !spent;
}

static lg_status step(attempt *a, lg_str feedback, int64_t begun_ns, lg_error *reterr)
{
    lg_refine_reply reply;
    if (!is_within_budget(a, begun_ns)) {
        return LG_OK;
    }
    if (a->used >= most_calls(a->options)) {
        end(a, LG_REFINE_END_LIMIT, LG_STR(""));
        return LG_OK;
    }
    lg_arena_reset(&a->round);
    lg_status status = ask(a, feedback, &reply, reterr);
    if (status == LG_OK) {
        status = take(a, &reply, reterr);
    }
    if (status ==
        LG_ERR_LIMIT) { // the session can hold no more: nobody's mistake, and no reason to lose the record
        return break_off(a, LG_REFINE_END_MEMORY,
                         reterr ? reterr->msg : "the session's memory is used up", reterr);
    }
    return status;
}

lg_status lg_refine_play(const lg_refine_run *run, uint32_t number, lg_str reminder,
                         lg_str feedback, lg_refine_attempt *ret, lg_str *ret_message,
                         lg_error *reterr)
{
    lg_status status = LG_OK;
    lg_error own = {0};
    int64_t begun_ns = lg_refine_now(run->options);
    attempt a = {
        .run = run,
        .options = run->options,
        .memory = {.options = run->options, .system = run->system, .reminder = reminder},
        .record = ret,
        .number = number,
        .message = LG_STR(""),
    };
    ret->response = LG_STR("");
    lg_arena_init(&a.round, 0);
    while (status == LG_OK && !a.is_over) {
        status = step(&a, feedback, begun_ns, &own);
    }
    lg_arena_done(&a.round);
    ret->calls = a.memory.calls;
    ret->call_count = a.memory.call_count;
    ret->costs.seconds = lg_refine_seconds_since(run->options, begun_ns);
    *ret_message = a.message;
    if (status != LG_OK && reterr) {
        *reterr = own;
    }
    return status;
}
