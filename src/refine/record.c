// record.c: a record as JSON, as rehearsals in words, and as what the next task knows of it.
#include "refine/refine_internal.h"

#define RENDER_BYTES (32u << 10)

// --- JSON -----------------------------------------------------------------------------------------

static void write_step(lg_json_writer *w, const lg_refined_call *call)
{
    lg_jw_member_str(w, "name", call->name);
    lg_jw_key(w, "arguments");
    if (call->args) {
        lg_jw_json(w, call->args);
    } else {
        lg_jw_str(w, call->args_text);
    }
    lg_jw_member_c(w, "requestor", call->by_user ? "user" : "assistant");
}

static void write_call(lg_json_writer *w, const lg_refined_call *call)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "id", call->id);
    write_step(w, call);
    lg_jw_member_bool(w, "valid", call->is_valid);
    lg_jw_member_c(w, "end", lg_sim_end_name(call->end));
    lg_jw_member_c(w, "source", lg_sim_source_name(call->source));
    lg_jw_member_json(w, "result", call->result);
    lg_jw_member_str_or_null(w, "error", call->end == LG_SIM_DONE ? LG_STR("") : call->text);
    lg_sim_violations_write(w, call->violations, call->violation_count);
    lg_jw_member_str_if(w, "note", call->note);
    lg_jw_end_object(w);
}

static void write_judgement(lg_json_writer *w, const lg_refine_attempt *attempt)
{
    const lg_sim_judgement *j = &attempt->judgement;
    lg_jw_key(w, "judgement");
    if (!attempt->is_judged) {
        lg_jw_null(w);
        return;
    }
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "status", lg_check_status_name(j->status));
    lg_jw_member_double(w, "reward", j->reward);
    lg_jw_key(w, "items");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < j->count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "description", j->items[i].description);
        lg_jw_member_c(w, "status", lg_check_status_name(j->items[i].status));
        lg_jw_member_c(w, "by", lg_check_by_name(j->items[i].by));
        lg_jw_member_str(w, "reasoning", j->items[i].reasoning);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_end_object(w);
}

void lg_refine_write_attempt(lg_json_writer *w, const lg_refine_attempt *attempt)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "end", lg_refine_end_name(attempt->end));
    lg_jw_key(w, "calls");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < attempt->call_count; i++) {
        write_call(w, &attempt->calls[i]);
    }
    lg_jw_end_array(w);
    lg_jw_member_str(w, "response", attempt->response);
    write_judgement(w, attempt);
    lg_jw_member_str(w, "feedback", attempt->feedback);
    lg_jw_member_c(w, "start_hash", attempt->start_hash);
    lg_jw_member_c(w, "end_hash", attempt->end_hash);
    lg_jw_key(w, "costs");
    lg_refine_write_costs(w, &attempt->costs);
    lg_jw_end_object(w);
}

static const lg_refine_attempt *standing(const lg_refined *record)
{
    return record->stands == LG_REFINE_NONE ? NULL : &record->attempts[record->stands];
}

static void write_sequence(lg_json_writer *w, const lg_refine_attempt *attempt)
{
    lg_jw_key(w, "calls");
    lg_jw_begin_array(w);
    for (size_t i = 0; attempt && i < attempt->call_count; i++) {
        if (attempt->calls[i].is_valid) {
            lg_jw_begin_object(w);
            write_step(w, &attempt->calls[i]);
            lg_jw_member_c(w, "end", lg_sim_end_name(attempt->calls[i].end));
            lg_sim_violations_write(w, attempt->calls[i].violations,
                                    attempt->calls[i].violation_count);
            lg_jw_end_object(w);
        }
    }
    lg_jw_end_array(w);
}

const char *lg_refine_status_name(const lg_refined *record)
{
    const lg_refine_attempt *attempt = standing(record);
    return record->why == LG_REFINE_SUCCESS ? "success"
           : attempt                        ? lg_check_status_name(attempt->judgement.status)
                                            : "none";
}

void lg_refine_write(lg_json_writer *w, lg_str task_id, lg_str task, const lg_refined *record)
{
    const lg_refine_attempt *attempt = standing(record);
    lg_jw_begin_object(w);
    lg_jw_member_str_if(w, "task_id", task_id);
    lg_jw_member_str(w, "task", task);
    lg_jw_member_c(w, "status", lg_refine_status_name(record));
    lg_jw_member_c(w, "why", lg_refine_why_name(record->why));
    lg_jw_member_str_if(w, "message", record->message);
    lg_jw_key(w, "stands");
    if (attempt) {
        lg_jw_uint(w, record->stands);
    } else {
        lg_jw_null(w);
    }
    write_sequence(w, attempt);
    lg_jw_member_str(w, "response", attempt ? attempt->response : LG_STR(""));
    lg_jw_key(w, "attempts");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < record->attempt_count; i++) {
        lg_refine_write_attempt(w, &record->attempts[i]);
    }
    lg_jw_end_array(w);
    lg_jw_key(w, "costs");
    lg_refine_write_costs(w, &record->costs);
    lg_jw_end_object(w);
}

// --- Rehearsals -----------------------------------------------------------------------------------

void lg_refine_render(lg_buf *out, const lg_refined *records, size_t count, size_t bytes)
{
    lg_buf text;
    size_t number = 0, most = bytes ? bytes : RENDER_BYTES;
    lg_buf_init(&text, 0);
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < records[r].attempt_count; i++) {
            lg_buf_addf(&text, "\nRehearsal %zu:\n", ++number);
            lg_refine_add_attempt(&text, &records[r].attempts[i]);
        }
    }
    if (number) {
        lg_buf_add_c(
            out,
            "This task was rehearsed on simulated tools; nothing of it has happened. What the real "
            "tools "
            "return may differ from what is shown here: trust them. Learn from what was judged.\n");
    }
    lg_str whole = lg_buf_str(&text), cut = lg_str_cut(whole, most);
    lg_buf_add(out, cut);
    if (cut.len < whole.len) {
        lg_buf_addf(out, "\n... (%zu bytes more)\n", whole.len - cut.len);
    }
    if (lg_buf_status(&text) != LG_OK) {
        out->status = lg_buf_status(&text);
    }
    lg_buf_done(&text);
}

// --- History --------------------------------------------------------------------------------------

static bool remember(lg_refine_history *h, lg_arena *arena, lg_llm_message message)
{
    lg_llm_message *items = lg_arena_grow(arena, h->items, h->count, &h->capacity, sizeof(*items));
    if (items) {
        h->items = items;
        items[h->count++] = message;
    }
    return items != NULL;
}

static bool remember_call(lg_refine_history *h, lg_arena *arena, const lg_refined_call *call)
{
    size_t count;
    const lg_json *made = lg_refine_calls_json(arena, call, NULL, 1, &count);
    return made &&
           remember(
               h, arena,
               (lg_llm_message){.role = LG_STR("assistant"), .text = LG_STR(""), .calls = made}) &&
           remember(
               h, arena,
               (lg_llm_message){.role = LG_STR("tool"), .text = call->text, .call_id = call->id});
}

lg_status lg_refine_remember(lg_refine_history *history, lg_arena *arena, lg_str task,
                             const lg_refined *record, lg_error *reterr)
{
    const lg_refine_attempt *attempt = standing(record);
    bool fits = remember(history, arena, (lg_llm_message){.role = LG_STR("user"), .text = task});
    for (size_t i = 0; fits && attempt && i < attempt->call_count; i++) {
        fits = !attempt->calls[i].is_valid || remember_call(history, arena, &attempt->calls[i]);
    }
    lg_str said = attempt && attempt->response.len ? attempt->response : LG_STR("(ended)");
    fits = fits &&
           remember(history, arena, (lg_llm_message){.role = LG_STR("assistant"), .text = said});
    return fits ? LG_OK : lg_fail_oom(reterr);
}
