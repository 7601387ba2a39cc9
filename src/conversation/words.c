// words.c: findings and obligations in words, and the events that they rest on.
#include "conversation/conversation_internal.h"

#include "base/utf8.h"

#include <stdlib.h>

// --- Texts --------------------------------------------------------------------------------------

static lg_status take(lg_arena *arena, lg_buf *text, lg_str *ret)
{
    lg_status status = lg_buf_status(text);
    lg_str copy = lg_arena_str(arena, lg_buf_str(text));
    lg_buf_done(text);
    if (status != LG_OK || !copy.ptr) {
        return LG_ERR_OOM;
    }
    *ret = copy;
    return LG_OK;
}

// A placeholder that cannot be evaluated shows that it is not known.
static void print_template(lg_buf *out, const lg_template *template, const lg_cel_value *values,
                           lg_arena *scratch, uint64_t cost, lg_budget *budget)
{
    lg_cel_activation activation = {
        .values = values, .scratch = scratch, .cost_limit = cost, .budget = budget};
    for (size_t i = 0; i < template->count; i++) {
        const lg_template_part *part = &template->parts[i];
        lg_buf_add(out, part->literal);
        if (!part->program) {
            continue;
        }
        lg_cel_value value = lg_cel_eval(part->program, &activation);
        if (value.kind == LG_CEL_ERROR) {
            lg_buf_addf(out, "(%.*s: not known)", LG_FMT(part->source));
        } else {
            lg_cel_print_line(out, value, budget);
        }
    }
}

// "a call of refund, or a message of the user"
static void print_pattern(lg_buf *out, const lg_pattern *pattern)
{
    for (size_t i = 0; i < pattern->count; i++) {
        lg_buf_addf(out, "%s%.*s", i ? ", or " : "", LG_FMT(pattern->parts[i].text));
    }
}

static void print_key(lg_buf *out, const char *key, uint32_t len)
{
    if (len) {
        lg_buf_add_c(out, " for ");
        lg_utf8_add_printable(out, key_shown(key, len));
    }
}

static lg_str tool_name(const lg_pack *pack, const lg_conversation_ref *ref)
{
    return ref->tool == LG_NO_EVENT ? LG_STR("") : pack->tools[ref->tool].name;
}

static const char *on_text(uint32_t on)
{
    return on == LG_ON_CALL     ? "call"
           : on == LG_ON_RESULT ? "result"
           : on == LG_ON_ERROR  ? "error"
           : on == LG_ON_USER   ? "message of the user"
                                : "message of the agent";
}

// --- What an obligation says --------------------------------------------------------------------

static void print_owed(lg_buf *out, const lg_conversation *c, const lg_course_rule *rule,
                       const entry *e, lg_arena *scratch, lg_budget *budget)
{
    lg_str tool = tool_name(c->pack, &e->sure);
    if (rule->has_say) {
        lg_cel_value values[LG_OWED_SLOT_COUNT];
        values[LG_OWED_SLOT_KEY] = lg_cel_make_str(key_shown(e->key, e->key_len));
        values[LG_OWED_SLOT_TOOL] = lg_cel_make_str(tool);
        values[LG_OWED_SLOT_TURN] = lg_cel_make_int(e->sure.turn);
        print_template(out, &rule->say, values, scratch, c->limits.cel_cost, budget);
        return;
    }
    lg_buf_add_c(out, "Owed");
    print_key(out, e->key, e->key_len);
    lg_buf_add_c(out, ": ");
    print_pattern(out, &rule->closes);
    lg_buf_addf(out, ", since the %s%s%.*s in turn %u.", on_text(e->sure.on),
                tool.len ? " of " : "", LG_FMT(tool), e->sure.turn);
}

// --- Findings -----------------------------------------------------------------------------------

static void print_default(passage *p, lg_buf *out, const lg_course_rule *rule, const match *m,
                          const refs *seen)
{
    switch (rule->kind) {
    case LG_COURSE_NEVER:
        lg_buf_add_c(out, "This may not follow ");
        print_pattern(out, &rule->opens);
        print_key(out, m->key.bytes, m->key.len);
        lg_buf_addf(out, " (turn %u).", seen->count ? seen->items[0].turn : 0);
        break;
    case LG_COURSE_BEFORE:
        lg_buf_add_c(out, "First there has to be ");
        print_pattern(out, &rule->opens);
        print_key(out, m->key.bytes, m->key.len);
        lg_buf_add_c(out, seen->count ? ", and the latest is too long ago." : ".");
        break;
    case LG_COURSE_THAT:
        lg_buf_addf(out, "`%.*s` does not hold.", LG_FMT(lg_cel_program_source(rule->that)));
        break;
    case LG_COURSE_SINGLE_CALL:
        lg_buf_add_c(out, "One call at a time: this message holds another call already.");
        break;
    case LG_COURSE_NO_TEXT:
        lg_buf_add_c(out, "A message either says something or calls a tool; this one does both.");
        break;
    case LG_COURSE_AFTER:
        lg_buf_add_c(out, "Before the conversation ends there has to be ");
        print_pattern(out, &rule->closes);
        print_key(out, m->key.bytes, m->key.len);
        if (seen->count + seen->more > 1) {
            lg_buf_addf(out, " and %zu more", seen->count + seen->more - 1);
        }
        lg_buf_addf(out, ", owed since turn %u.", seen->count ? seen->items[0].turn : 0);
        break;
    }
    (void)p;
}

static lg_status list_refs(passage *p, const refs *seen, lg_finding *finding)
{
    lg_evidence *items = LG_NEW_ARRAY(p->scratch, lg_evidence, seen->count + 1);
    if (!items) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < seen->count; i++) {
        const lg_conversation_ref *ref = &seen->items[i];
        items[i] = (lg_evidence){
            .path = lg_arena_printf(p->scratch, "conversation[%u]", ref->event),
            .value = lg_arena_printf(p->scratch, "\"%s\"", on_text(ref->on)),
            .observed = true,
            .tool = tool_name(p->c->pack, ref),
            .turn = ref->turn,
            .stale_tool = LG_STR(""),
        };
        if (!items[i].path.ptr || !items[i].value.ptr) {
            return LG_ERR_OOM;
        }
    }
    finding->evidence = items;
    finding->evidence_count = seen->count;
    return LG_OK;
}

lg_status words_violated(passage *p, const lg_course_rule *rule, const match *m, const refs *seen,
                         const entry *owed)
{
    bool is_form = rule->kind == LG_COURSE_SINGLE_CALL || rule->kind == LG_COURSE_NO_TEXT;
    lg_finding finding = {.rule = rule->id,
                          .verdict = rule->otherwise,
                          .cause = LG_CAUSE_VIOLATED,
                          .category = is_form ? LG_CATEGORY_FORMAT : LG_CATEGORY_STATE,
                          .because = rule->because};
    LG_DEBUG_ASSERT(p->finding_count <= 2 * p->course->rule_count); // for which there is room
    lg_buf text;
    lg_buf_init(&text, 0);
    if (rule->has_say && owed) {
        print_owed(&text, p->c, rule, owed, p->scratch, p->bounds.words);
    } else if (rule->has_say) {
        print_template(&text, &rule->say, p->values, p->scratch, p->c->limits.cel_cost,
                       p->bounds.words);
    } else {
        print_default(p, &text, rule, m, seen);
    }
    if (take(p->scratch, &text, &finding.message) != LG_OK ||
        list_refs(p, seen, &finding) != LG_OK) {
        return LG_ERR_OOM;
    }
    p->findings[p->finding_count++] = finding;
    return LG_OK;
}

lg_status words_defect(passage *p, const lg_course_rule *rule, const lg_cel_program *program,
                       const lg_cel_failure *failure)
{
    lg_position at = lg_pack_position(p->c->pack, rule->offset);
    lg_finding finding = {.rule = rule->id,
                          .verdict = rule->otherwise == LG_ALLOW ? LG_ALLOW : LG_REVISE,
                          .cause = LG_CAUSE_DEFECT,
                          .category = LG_CATEGORY_FORMAT,
                          .because = rule->because};
    lg_str source = lg_cel_program_source(program);
    finding.message = lg_arena_printf(
        p->scratch,
        "Rule %.*s (%s:%u) could not be evaluated: %s in `%.*s`. This is a fault of the pack or of "
        "a record, not of the call.",
        LG_FMT(rule->id), at.file, at.line, failure->what, LG_FMT(source));
    if (!finding.message.ptr) {
        return LG_ERR_OOM;
    }
    p->findings[p->finding_count++] = finding;
    return LG_OK;
}

// --- Obligations --------------------------------------------------------------------------------

const char *lg_obligation_state_name(lg_obligation_state state)
{
    static const char *const names[] = {"open", "overdue", "late"};
    return names[state];
}

// Has its window passed for certain? Time runs on, also where the latest event has none.
static bool is_overdue(const lg_conversation *c, const lg_window *within, const moments *since)
{
    return within->unit != LG_WINDOW_NONE && since->timed &&
           c->state.at[within->unit] - since->at > within->size;
}

// What has arisen: the list that is being made.
typedef struct debt_list {
    const lg_conversation *c;
    lg_arena *scratch;
    lg_budget budget;
    lg_obligation *items;
    size_t count, capacity;
} debt_list;

static lg_status add_obligation(debt_list *list, const lg_course_rule *rule, const entry *e,
                                lg_obligation_state state)
{
    LG_DEBUG_ASSERT(rule->kind == LG_COURSE_AFTER && e->sure.event < list->c->state.events);
    lg_obligation owed = {.rule = rule->id,
                          .key = lg_arena_str(list->scratch, key_shown(e->key, e->key_len)),
                          .because = rule->because,
                          .verdict = rule->otherwise,
                          .tool = tool_name(list->c->pack, &e->sure),
                          .event = e->sure.event,
                          .turn = e->sure.turn,
                          .state = state};
    lg_obligation *grown = lg_arena_grow(list->scratch, list->items, list->count, &list->capacity,
                                         sizeof(*list->items));
    lg_buf text;
    lg_buf_init(&text, 0);
    print_owed(&text, list->c, rule, e, list->scratch, &list->budget);
    if (take(list->scratch, &text, &owed.message) != LG_OK || !owed.key.ptr || !grown) {
        return LG_ERR_OOM;
    }
    list->items = grown;
    list->items[list->count++] = owed;
    return LG_OK;
}

static lg_status add_open(debt_list *list, const lg_course_rule *rule, const entry *e)
{
    if (!e || !e->open.sure.is) {
        return LG_OK;
    }
    bool overdue = is_overdue(list->c, &rule->within, &e->open.sure);
    return add_obligation(list, rule, e, overdue ? LG_OWED_OVERDUE : LG_OWED_OPEN);
}

static lg_status add_rule(debt_list *list, const lg_course_rule *rule, const rule_state *state)
{
    lg_status status = LG_OK;
    for (const breach *b = state->breaches; b && status == LG_OK; b = b->older) {
        status = add_obligation(list, rule, b->entry, b->met ? LG_OWED_LATE : LG_OWED_OVERDUE);
    }
    if (status == LG_OK) {
        status = add_open(list, rule, state->all);
    }
    for (uint32_t i = 0; i < state->entries.count && status == LG_OK; i++) {
        status = add_open(list, rule, lg_map_at(&state->entries, i));
    }
    return status;
}

static int cmp_obligations(const void *a, const void *b)
{
    const lg_obligation *x = a;
    const lg_obligation *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

lg_status lg_conversation_owed(const lg_conversation *c, lg_arena *scratch,
                               const lg_obligation **ret, size_t *ret_count, lg_error *reterr)
{
    const lg_course *course = c->pack->course;
    debt_list list = {.c = c, .scratch = scratch, .budget = {.left = c->limits.observe_steps}};
    for (size_t r = 0; course && r < course->rule_count; r++) {
        size_t before = list.count;
        if (course->rules[r].kind != LG_COURSE_AFTER) {
            continue;
        }
        if (add_rule(&list, &course->rules[r], rule_of(&c->state, r)) != LG_OK) {
            return lg_fail_oom(reterr);
        }
        if (list.count > before) { // an event opens a rule once: no two are equal
            qsort(&list.items[before], list.count - before, sizeof(*list.items), cmp_obligations);
        }
    }
    *ret = list.items;
    *ret_count = list.count;
    return LG_OK;
}
