// hinted.c: does the call pass with what the gate hints at?
//
// A hint is computed when a call is refused, from what the ledger holds, so there is no formula of
// it. What is done here is what a model would do: the hint is put into the arguments of the example
// that the rule refuses, and the gate judges again.
#include "prove/rehearse.h"
#include "json/tree.h"

#define STEPS_MAX 16u

typedef struct hint_path {
    lg_str keys[STEPS_MAX]; // ptr NULL: an index
    size_t indices[STEPS_MAX];
    uint32_t count;
} hint_path;

static bool is_name_byte(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '_';
}

// `["a key"]` or `[3]`, from `at` on; where it ends, or 0.
static size_t read_bracket(lg_arena *arena, lg_str text, size_t at, hint_path *path)
{
    LG_DEBUG_ASSERT(at < text.len && text.ptr[at] == '[' && path->count < STEPS_MAX);
    size_t end = at + 1;
    bool quoted = end < text.len && text.ptr[end] == '"';
    for (bool inside = false; end < text.len && (inside || text.ptr[end] != ']'); end++) {
        inside = text.ptr[end] == '"' ? !inside : inside;
        end += inside && text.ptr[end] == '\\';
    }
    const lg_json *key;
    lg_error ignored;
    int64_t index;
    if (end >= text.len ||
        lg_json_parse_in(arena, text, at + 1, end, NULL, &key, &ignored) != LG_OK) {
        return 0;
    }
    path->keys[path->count] = quoted ? lg_json_str(key) : (lg_str){NULL, 0};
    if (!quoted && (!lg_json_is_number(key) || !lg_json_int(key, &index) || index < 0)) {
        return 0;
    }
    path->indices[path->count++] = quoted ? 0 : (size_t)index;
    return end + 1;
}

// The steps of `args.flights[0].date`.
static bool read_path(lg_arena *arena, lg_str text, hint_path *path)
{
    size_t at = LG_STR("args").len;
    path->count = 0;
    if (!lg_str_starts(text, LG_STR("args"))) {
        return false;
    }
    while (at < text.len) {
        if (path->count == STEPS_MAX) {
            return false;
        }
        if (text.ptr[at] == '[') {
            at = read_bracket(arena, text, at, path);
            if (at == 0) {
                return false;
            }
            continue;
        }
        size_t from = ++at;
        while (at < text.len && is_name_byte(text.ptr[at])) {
            at++;
        }
        if (text.ptr[from - 1] != '.' || at == from) {
            return false;
        }
        path->keys[path->count++] = lg_str_slice(text, from, at);
    }
    return path->count > 0;
}

// A copy of `value` with `hint` where the path leads from its step `from` on. As deep as the path.
static const lg_json *with_hint(lg_arena *arena, const lg_json *value, const hint_path *path,
                                uint32_t from, const lg_json *hint)
{
    LG_DEBUG_ASSERT(from <= path->count);
    if (from == path->count) {
        return hint;
    }
    bool is_key = path->keys[from].ptr != NULL;
    const lg_json *old =
        is_key ? lg_json_get(value, path->keys[from]) : lg_json_item(value, path->indices[from]);
    const lg_json *child = old ? with_hint(arena, old, path, from + 1, hint) : NULL;
    lg_json *copy = child ? LG_NEW(arena, lg_json) : NULL;
    lg_status status = LG_ERR_OOM;
    if (copy) {
        status = is_key ? lg_tree_with_member(arena, value, path->keys[from], *child, copy)
                        : lg_tree_with_item_at(arena, value, path->indices[from], *child, copy);
    }
    return status == LG_OK ? copy : NULL;
}

// The arguments with the hint; NULL if it cannot be put there, which is a failed hint, too.
static const lg_json *apply_hint(bench *b, const lg_json *args, const lg_hint *hint)
{
    hint_path path;
    const lg_json *value;
    lg_error ignored;
    lg_arena *arena = b->task->arena;
    if (!read_path(arena, hint->path, &path) ||
        lg_json_parse_in(arena, hint->value, 0, hint->value.len, NULL, &value, &ignored) != LG_OK) {
        return NULL;
    }
    return with_hint(arena, args, &path, 0, value);
}

// The example with the hint beside it.
static const lg_json *example_with(bench *b, const trial *refused, const lg_hint *hint)
{
    lg_arena *arena = b->task->arena;
    lg_json_member *members = lg_json_alloc_members(arena, 2);
    lg_json *whole = LG_NEW(arena, lg_json);
    const lg_json *example = example_of(b->task, refused->ledger, refused->args, &refused->decision,
                                        "the call is refused, and the gate hints at another value");
    if (!members || !whole || !example) {
        b->task->oom = true;
        return NULL;
    }
    members[0] = lg_json_make_member(LG_STR("path"), lg_json_make_str(hint->path));
    members[1] = lg_json_make_member(LG_STR("value"), lg_json_make_str(hint->value));
    lg_json told = lg_json_make_object(members, 2);
    if (lg_tree_with_member(arena, example, LG_STR("hint"), told, whole) != LG_OK) {
        b->task->oom = true;
        return NULL;
    }
    return lg_json_copy(arena, whole);
}

// The gate with a ledger that knows its records, because hints depend on what is one. False when out
// of memory.
static bool judge_with_hints(bench *b, const trial *refused, lg_decision *ret)
{
    records all;
    lg_ledger_state state;
    lg_gate_call call = {.tool = b->s.tool->name, .args = refused->args};
    lg_gate_options options = {.explain = LG_EXPLAIN_HINTS};
    lg_error ignored;
    term_time_of(b->p.t, terms_value(b->p.t, b->s.now), &call.now_seconds, &call.now_nanos);
    return records_of(&b->work, &b->task->pack->ledger, refused->ledger, &all) &&
           state_of_records(&b->work, refused->ledger, &all, &state) &&
           lg_gate_decide(b->task->pack, &state, &call, &options, b->task->arena, ret, &ignored) ==
               LG_OK;
}

void oblige_hints(bench *b, size_t rule, const trial *refused)
{
    LG_DEBUG_ASSERT(rule < b->task->pack->rule_count && refused->ledger && refused->args);
    lg_claim o = obligation_of(b, LG_OBLIGE_HINTS, &b->task->pack->rules[rule]);
    trial again = *refused;
    if (!judge_with_hints(b, refused, &again.decision)) {
        b->task->oom = true;
        return;
    }
    if (again.decision.hint_count == 0) {
        return; // it offers none here: nothing is claimed
    }
    o.outcome = LG_PROVED;
    const lg_hint *shown = &again.decision.hints[0];
    for (size_t i = 0; i < again.decision.hint_count; i++) {
        const lg_hint *hint = &again.decision.hints[i];
        const lg_json *args = apply_hint(b, refused->args, hint);
        lg_decision after;
        if (!args || !judge(b, refused->ledger, args, false, &after) || after.verdict != LG_ALLOW) {
            o.outcome = LG_REFUTED;
            o.why = lg_arena_printf(b->task->arena, "with the hint %.*s = %.*s the call is refused",
                                    LG_FMT(hint->path), LG_FMT(hint->value));
            shown = hint;
            break;
        }
    }
    o.example = example_with(b, &again, shown);
    take_time(b, &o);
    note_rule(b->task, rule, &o);
}
