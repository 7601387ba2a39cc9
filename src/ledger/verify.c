// verify.c: is the result what the tool's contract says (ToolGate sections 3.2 and 3.4)?
//
// In this order: its form, its postconditions, the type of every record that would be stored, and
// the invariants on the ledger as it would be. The first that does not hold decides, and with it the
// category. A condition that cannot be evaluated does not hold. A result that is empty or null and
// fails anything is an empty result, whatever it fails.
#include "base/utf8.h"
#include "ledger/ledger_internal.h"

static void reject(fold *f, lg_category category, lg_str id, lg_str because)
{
    LG_DEBUG_ASSERT(category != LG_CATEGORY_NONE && !is_rejected(f)); // the first reason decides
    f->ledger->rejection = (lg_rejection){
        .category = category, .condition = id, .because = because, .message = f->why->msg};
}

bool is_rejected(const fold *f)
{
    return f->ledger->rejection.category != LG_CATEGORY_NONE;
}

// --- Form ---------------------------------------------------------------------------------------

static bool is_empty(const lg_json *result)
{
    if (lg_json_is(result, LG_JSON_STRING)) {
        return lg_str_trim(lg_json_str(result)).len == 0;
    }
    bool holds_values = lg_json_is(result, LG_JSON_ARRAY) || lg_json_is(result, LG_JSON_OBJECT);
    return holds_values ? lg_json_len(result) == 0 : lg_json_is(result, LG_JSON_NULL);
}

void reject_form(fold *f, bool empty)
{
    f->malformed = true;
    reject(f, empty ? LG_CATEGORY_EMPTY : LG_CATEGORY_FORMAT, LG_STR("returns"), LG_STR(""));
}

void reject_twice(fold *f, const lg_place *place, lg_str key)
{
    lg_fail(f->why, LG_ERR_TYPE,
            "the result of %.*s has two different records for `%.*s` of ledger place %.*s",
            LG_FMT(f->tool->name), LG_FMT(lg_str_cut(key, 64)), LG_FMT(place->text));
    reject(f, LG_CATEGORY_UPDATE, LG_STR("one_record"), LG_STR(""));
}

static lg_status read_text(fold *f, const lg_json **ret)
{
    lg_str result = f->call.result;
    size_t valid = lg_utf8_valid_prefix(result);
    lg_json *text = LG_NEW(f->work, lg_json);
    if (!text) {
        return lg_fail_oom(f->why);
    }
    if (result.len > f->ledger->limits.json_string_bytes || result.len > LG_JSON_LEN_MAX) {
        lg_fail(f->why, LG_ERR_LIMIT,
                "the result of %.*s is longer than the limit of %zu bytes (json_string_bytes)",
                LG_FMT(f->tool->name), f->ledger->limits.json_string_bytes);
        reject_form(f, lg_str_trim(f->call.result).len == 0);
    } else if (valid < result.len) {
        lg_fail(f->why, LG_ERR_PARSE, "the result of %.*s is not UTF-8 at byte %zu",
                LG_FMT(f->tool->name), valid);
        reject_form(f, lg_str_trim(f->call.result).len == 0);
    } else {
        *text = lg_json_make_str(result);
    }
    *ret = text;
    return LG_OK;
}

static lg_status parse_result(fold *f, const lg_json **ret)
{
    if (f->tool->returns_text) {
        return read_text(f, ret);
    }
    lg_error error;
    lg_status status = lg_json_parse_in(f->work, f->call.result, 0, f->call.result.len,
                                        &f->ledger->limits, ret, &error);
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(f->why);
    }
    if (status != LG_OK) {
        bool text = f->tool->result_type && f->tool->result_type->kind == LG_CEL_STRING;
        lg_fail(f->why, status, "the result of %.*s is not JSON: line %u, column %u: %s%s",
                LG_FMT(f->tool->name), error.line, error.column, error.msg,
                text ? "; a text without quotes is `returns: text`" : "");
        reject_form(f, lg_str_trim(f->call.result).len == 0);
    }
    return LG_OK;
}

// If the schema or an expression ran out of steps, nothing was found out about the result, so it is
// rejected. True after that.
static bool is_out_of_steps(fold *f)
{
    if (f->steps.spent) {
        lg_fail(f->why, LG_ERR_LIMIT,
                "the result of %.*s could not be checked: " LG_NO_STEPS_LEFT("observe_steps"),
                LG_FMT(f->tool->name));
        reject_form(f, false);
    }
    return f->steps.spent;
}

static void check_form(fold *f, const lg_json *result)
{
    if (!f->tool->result || lg_schema_validate_within(f->tool->result, result, NULL, &f->steps) ||
        is_out_of_steps(f)) {
        return;
    }
    lg_schema_violation violation = {0};
    lg_schema_report report = {.items = &violation, .capacity = 1};
    lg_schema_validate(f->tool->result, result, &report);
    lg_fail(f->why, LG_ERR_TYPE, "the result of %.*s is not what the pack declares: %s%s%s",
            LG_FMT(f->tool->name), violation.instance_pointer,
            violation.instance_pointer[0] ? ": " : "", violation.msg);
    reject_form(f, is_empty(result));
}

// --- Conditions ---------------------------------------------------------------------------------

// False after rejecting the result because of the condition. `what` is "postcondition" or
// "invariant".
static bool check_condition(fold *f, const lg_condition *condition, const lg_cel_value *values,
                            const char *what, lg_category otherwise)
{
    lg_cel_activation activation = {.values = values,
                                    .scratch = f->work,
                                    .cost_limit = f->ledger->limits.cel_cost,
                                    .budget = &f->steps};
    lg_cel_value holds = lg_cel_eval(condition->that, &activation);
    if (holds.kind == LG_CEL_BOOL && holds.as.boolean) {
        return true;
    }
    lg_str source = lg_cel_program_source(condition->that);
    bool failed = holds.kind == LG_CEL_ERROR;
    lg_fail(f->why, LG_ERR_TYPE, "the result of %.*s breaks %s %.*s: `%.*s`%s%s",
            LG_FMT(f->tool->name), what, LG_FMT(condition->id), LG_FMT(source),
            failed ? ": " : " is false", failed ? holds.as.failure->what : "");
    reject(f, condition->category == LG_CATEGORY_NONE ? otherwise : condition->category,
           condition->id, condition->because);
    return false;
}

static void check_postconditions(fold *f, const lg_json *result)
{
    const lg_pack *pack = f->ledger->pack;
    const lg_ledger_call *call = &f->call;
    lg_cel_value values[LG_ENSURE_SLOT_COUNT] = {
        [LG_ENSURE_SLOT_LEDGER] = lg_cel_from_json(f->ledger->state.root),
        [LG_ENSURE_SLOT_ARGS] = lg_cel_from_json(call->args),
        [LG_ENSURE_SLOT_NOW] = pack->fixed_clock
                                   ? lg_cel_make_timestamp(pack->clock_seconds, pack->clock_nanos)
                                   : lg_cel_make_timestamp(call->now.seconds, call->now.nanos),
        [LG_ENSURE_SLOT_RESULT] = lg_cel_from_json(result)};
    lg_category otherwise = is_empty(result) ? LG_CATEGORY_EMPTY : LG_CATEGORY_SEMANTIC;
    for (size_t i = 0; i < f->tool->ensure_count && !is_rejected(f); i++) {
        check_condition(f, &f->tool->ensures[i], values, "postcondition", otherwise);
    }
}

lg_status read_result(fold *f, const lg_json **ret)
{
    LG_DEBUG_ASSERT(f->tool && !f->call.failed && !is_rejected(f));
    *ret = NULL;
    lg_status status = parse_result(f, ret);
    LG_DEBUG_ASSERT(status != LG_OK || is_rejected(f) || *ret);
    if (status == LG_OK && !is_rejected(f)) {
        check_form(f, *ret);
    }
    if (status == LG_OK && !is_rejected(f)) {
        check_postconditions(f, *ret);
    }
    return status;
}

// --- The commit ---------------------------------------------------------------------------------

// A typed ledger holds only what has the type, whatever expression it was computed with.
static void check_record(fold *f, const lg_ledger_entry *entry)
{
    const lg_schema *shape = entry->declared->shape;
    if (!shape || lg_schema_validate_within(shape, entry->value, NULL, &f->steps) ||
        is_out_of_steps(f)) {
        return;
    }
    lg_schema_violation violation = {0};
    lg_schema_report report = {.items = &violation, .capacity = 1};
    lg_schema_validate(shape, entry->value, &report);
    lg_fail(f->why, LG_ERR_TYPE, "what %.*s returned is no record of ledger place %.*s: %s%s%s",
            LG_FMT(f->tool->name), LG_FMT(entry->declared->text), violation.instance_pointer,
            violation.instance_pointer[0] ? ": " : "", violation.msg);
    reject_form(f, is_empty(entry->value));
}

// Does an invariant read anything that was stored?
static bool concerns(const lg_reach_set *read, const lg_ledger_entry *stored)
{
    lg_reach at = {.count = stored->declared->segment_count};
    for (uint32_t i = 0; i < at.count; i++) {
        at.steps[i] = (lg_reach_step){.key = LG_REACH_NAME, .name = stored->segments[i]};
    }
    for (size_t i = 0; i < read->count && !read->anything; i++) {
        if (lg_reach_meets(&at, &read->items[i])) {
            return true;
        }
    }
    return read->anything;
}

static void check_invariants(fold *f)
{
    const lg_pack *pack = f->ledger->pack;
    lg_cel_value values[LG_INVARIANT_SLOT_COUNT] = {[LG_INVARIANT_SLOT_LEDGER] =
                                                        lg_cel_from_json(f->next.root),
                                                    [LG_INVARIANT_SLOT_STATE] = lg_cel_make_null()};
    for (size_t i = 0; i < pack->ledger_invariant_count && !is_rejected(f); i++) {
        bool concerned = false;
        (void)lg_budget_take(&f->steps, pack->ledger_invariant_reads[i].count * f->stored_count);
        for (uint32_t s = 0; s < f->stored_count && !concerned; s++) {
            concerned = concerns(&pack->ledger_invariant_reads[i], f->stored[s]);
        }
        if (concerned) {
            check_condition(f, &pack->ledger_invariants[i], values, "invariant",
                            LG_CATEGORY_UPDATE);
        }
    }
}

void check_commit(fold *f)
{
    LG_DEBUG_ASSERT(!f->assumed); // what may have happened has shown nothing
    for (uint32_t i = 0; i < f->stored_count && !is_rejected(f); i++) {
        const lg_ledger_entry *stored = f->stored[i];
        check_record(f, f->stored_again ? lg_map_get(&f->next.entries, stored->key) : stored);
        LG_DEBUG_ASSERT(f->stored_again || lg_map_get(&f->next.entries, stored->key) == stored);
    }
    if (!is_rejected(f)) {
        check_invariants(f);
    }
}
