// past.c: the history of a ledger: writes that were carried out, with whatever arguments they had.
//
// The history is a list of any length of records {name, args}, where the arguments are those of the tool
// that is named: a union over all writes of the pack, guarded by the name.
#include "symbolic/forall.h"
#include "symbolic/input_internal.h"

// Arguments that fit, or any value at all: the ledger observes what was carried out, by whomever, and no
// gate need have seen it. Cases look at arguments that fit.
static input *past_args_of(problem *p, const input *args, const lg_tool *of, size_t index)
{
    lg_str part = problem_name(p, "%.*s|%.*s", LG_FMT(args->name), LG_FMT(of->name));
    input *either = input_child(p, args, problem_name(p, "|%zu", index), part, NULL, NULL);
    if (!either || either->expanded) {
        return either;
    }
    input *fit = input_child(p, either, LG_STR("|fit"), part, of->parameters, NULL);
    input *any = input_child(p, either, LG_STR("|any"), part, NULL, NULL);
    if (fit) {
        fit->named_only = arguments_are_closed(of->parameters);
    }
    either->expanded = true;
    either->composed = true;
    term which = either->which = input_choice(p, either, 2);
    add_variant(p, either, (variant){.guard = input_chosen(p, which, 0, 2), .sub = fit});
    add_variant(p, either, (variant){.guard = input_chosen(p, which, 1, 2), .sub = any});
    problem_assert(p, term_implies(p->t, problem_idealised(p), input_chosen(p, which, 0, 2)));
    return either;
}

// The arguments of a past write are of the tool that it names. `*ret_any`: it names one of the writes.
static input *past_args(problem *p, const lg_pack *pack, const input *call, term tool,
                        term *ret_any)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, tool, SORT_TEXT));
    lg_str name = problem_name(p, "%.*s.args", LG_FMT(call->name));
    input *args = input_child(p, call, LG_STR(".args"), name, NULL, NULL);
    *ret_any = term_bool(p->t, false);
    for (size_t i = 0; args && i < pack->tool_count; i++) {
        const lg_tool *of = &pack->tools[i];
        if (of->kind != LG_TOOL_WRITE || of->by_user) {
            continue;
        }
        term is = term_eq(p->t, tool, term_text(p->t, of->name));
        *ret_any = term_or(p->t, *ret_any, is);
        add_variant(p, args, (variant){.guard = is, .sub = past_args_of(p, args, of, i)});
    }
    if (args) {
        args->expanded = true;
        args->composed = true;
    }
    return args;
}

// Cases are looked for first in which it is certain what has happened.
static thunk *past_outcome(problem *p, const input *call)
{
    static const char *const names[] = {"done", "unverified", "unknown", "pending"};
    lg_str name = problem_name(p, "%.*s.outcome", LG_FMT(call->name));
    input *became = input_child(p, call, LG_STR(".outcome"), name, NULL, NULL);
    if (!became) {
        return NULL;
    }
    if (!became->expanded) {
        term text = input_term(p, became, SORT_TEXT, ":text");
        term any = term_bool(p->t, false);
        term certain = any;
        for (size_t i = 0; i < LG_COUNT(names); i++) {
            term is = term_eq(p->t, text, term_text(p->t, lg_str_c(names[i])));
            any = term_or(p->t, any, is);
            certain = i < 2 ? any : certain;
        }
        problem_assert(p, any);
        if (!p->forall) {
            p->certain = p->certain ? term_and(p->t, p->certain, certain) : certain;
        }
        became->sample = lg_str_c(names[0]);
        add_variant(p, became, (variant){.kind = ALT_TEXT, .t = text});
        became->expanded = true;
        became->composed = true;
    }
    return input_thunk(became);
}

// `{name, args, outcome}`, as the ledger writes it down.
static thunk *past_write(problem *p, const lg_pack *pack, const input *call)
{
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, 3);
    lg_str name = problem_name(p, "%.*s.name", LG_FMT(call->name));
    input *tool = input_child(p, call, LG_STR(".name"), name, NULL, NULL);
    if (!map || !items || !tool) {
        return NULL;
    }
    term text = input_term(p, tool, SORT_TEXT, ":text");
    term any;
    for (size_t i = pack->tool_count; i-- > 0;) {
        bool write = pack->tools[i].kind == LG_TOOL_WRITE && !pack->tools[i].by_user;
        tool->sample = write ? pack->tools[i].name : tool->sample;
    }
    add_variant(p, tool, (variant){.kind = ALT_TEXT, .t = text});
    tool->expanded = true;
    tool->composed = true;
    input *args = past_args(p, pack, call, text, &any);
    problem_assert(p, any);
    uint32_t family = ++p->next_id;
    term yes = term_bool(p->t, true);
    items[0] = (entry){yes, term_text(p->t, LG_STR("name")), family, input_thunk(tool)};
    items[1] = (entry){yes, term_text(p->t, LG_STR("args")), family, input_thunk(args)};
    items[2] = (entry){yes, term_text(p->t, LG_STR("outcome")), family, past_outcome(p, call)};
    *map = (dict){.items = items, .count = 3};
    return input_thunk(input_of_map(p, name, map));
}

static thunk *past_write_named(problem *p, const lg_pack *pack, lg_str name)
{
    const input *call = input_new(p, name, NULL, 1);
    return call ? past_write(p, pack, call) : NULL;
}

typedef struct past {
    const lg_pack *pack;
    const input *history;
    term count;
} past;

static term past_present(problem *p, const elements *e, term at)
{
    const past *h = e->how;
    return term_is_index(p->t, at, h->count);
}

static val past_value(problem *p, const elements *e, term at)
{
    const past *h = e->how;
    input *call = input_child(p, h->history, LG_STR("[]"), LG_STR("history[]"), NULL, at);
    if (call && !call->expanded) {
        thunk *made = past_write(p, h->pack, call);
        call->expanded = made && add_variant(p, call, (variant){.kind = ALT_MAP, .sub = made->in});
    }
    return *thunk_value(p, input_thunk(call));
}

// With `forall` the write at an index is a function of the index.
static const summary *whole_history(problem *p, const lg_pack *pack, const input *in)
{
    past *how = LG_NEW(p->arena, past);
    if (!how) {
        return NULL;
    }
    *how = (past){pack, in, input_term(p, in, SORT_INT, ":count")};
    problem_assert(p, term_le(p->t, term_int(p->t, 0), how->count));
    return summary_of(
        p, how->count,
        elements_new(p, (elements){.present = past_present, .value = past_value, .how = how}));
}

static size_t count_writes(const lg_pack *pack)
{
    size_t writes = 0;
    for (size_t i = 0; i < pack->tool_count; i++) {
        writes += pack->tools[i].kind == LG_TOOL_WRITE && !pack->tools[i].by_user;
    }
    return writes;
}

// A list of any length of such writes; a pack without writes has an empty one for ever.
input *input_of_history(problem *p, const lg_pack *pack)
{
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, p->width + 1);
    input *in = input_new(p, LG_STR("history"), NULL, 1);
    size_t writes = count_writes(pack);
    if (!list || !items || !in) {
        return NULL;
    }
    in->path = ++p->next_id;
    *list = (seq){.items = items, .count = writes && !p->forall ? p->width : 0, .prefix = true};
    for (uint32_t i = 0; i < list->count; i++) {
        lg_str name = problem_name(p, "history[%u]", i);
        items[i].present = term_fresh(p->t, SORT_BOOL, problem_name(p, "%.*s:here", LG_FMT(name)));
        items[i].value = past_write_named(p, pack, name);
    }
    if (writes && p->forall) {
        list->summary = whole_history(p, pack, in);
    } else if (writes) {
        thunk *generic = past_write_named(p, pack, LG_STR("history[*]"));
        list->summary = summary_new(p, LG_STR("history[*]"), generic, NULL, true);
        elements_in_order(p, list);
    }
    add_variant(p, in, (variant){.kind = ALT_LIST, .list = list});
    in->expanded = true;
    return in;
}
