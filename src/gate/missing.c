// missing.c: which evidence a rule waits for, and the reads that would supply it.
//
// A rule stops at the first thing that is missing; what else its `needs` name is looked at here, so that
// one answer names all that is to be read. A read is named with its arguments: keys of the path, what
// its `found_in` says, or what the call itself gives under the same name. Of several reads that
// supply the same the one is named of which most is known. The call's `id` says nothing of another tool's `id`.
#include "gate/gate_internal.h"

#include "json/tree.h"

#define MISSING_MAX 24u // in all of a rule: what it stopped at, and its `needs`
#define READ_ARGUMENTS_MAX 16u

// A read that would supply something, with those of its arguments that are known.
typedef struct proposal {
    const lg_tool *tool;
    const lg_json *args; // an object
    uint32_t unknown;    // arguments that it requires beside them
} proposal;

// --- Arguments of reads -------------------------------------------------------------------------

static bool is_scalar(const lg_json *value)
{
    return value && (lg_json_is(value, LG_JSON_STRING) || lg_json_is_number(value));
}

// The key of the path that the store takes from this argument.
static const lg_json *argument_of_path(judgement *j, const lg_tool_store *store,
                                       const read_path *path, lg_str name)
{
    for (uint32_t i = 0; i < store->to.segment_count && i < path->count; i++) {
        if (lg_str_eq(store->to.segments[i].argument, name)) {
            lg_json *key = LG_NEW(j->scratch, lg_json);
            if (key) {
                *key = lg_json_make_str(path->steps[i].key);
            }
            return key;
        }
    }
    return NULL;
}

// What the ledger holds where the pack says that the argument is found.
static const lg_json *argument_of_ledger(judgement *j, const lg_tool *tool, lg_str name)
{
    for (size_t i = 0; i < tool->found_count; i++) {
        if (lg_str_eq(tool->found_in[i].name, name)) {
            lg_cel_value value =
                evaluate_words(j, tool->found_in[i].program, j->values, NULL, &j->budget->words);
            return value.kind == LG_CEL_ERROR
                       ? NULL
                       : lg_cel_to_json_within(j->scratch, value, &j->budget->words);
        }
    }
    return NULL;
}

static const lg_json *known_argument(judgement *j, const lg_tool *tool, const lg_tool_store *store,
                                     const read_path *path, lg_str name)
{
    const lg_json *value = argument_of_path(j, store, path, name);
    if (!value) {
        value = argument_of_ledger(j, tool, name);
    }
    if (!is_scalar(value) && !lg_str_eq(name, LG_STR("id"))) {
        value = lg_json_get(j->call->args, name);
    }
    return is_scalar(value) ? value : NULL;
}

static bool is_required(const lg_tool *tool, lg_str name)
{
    const lg_json *required = lg_json_get(tool->parameters, LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(required); i++) {
        if (lg_str_eq(lg_json_str(lg_json_item(required, i)), name)) {
            return true;
        }
    }
    return false;
}

// False when out of memory.
static bool fill_arguments(judgement *j, const lg_tool_store *store, const read_path *path,
                           proposal *ret)
{
    const lg_json *properties = lg_json_get(ret->tool->parameters, LG_STR("properties"));
    lg_json_member *members = lg_json_alloc_members(j->scratch, READ_ARGUMENTS_MAX);
    lg_json *args = members ? LG_NEW(j->scratch, lg_json) : NULL;
    size_t count = 0;
    for (size_t i = 0; args && i < lg_json_len(properties) && count < READ_ARGUMENTS_MAX; i++) {
        lg_str name = lg_json_key(lg_json_member_at(properties, i));
        const lg_json *value = known_argument(j, ret->tool, store, path, name);
        if (value) {
            members[count++] = lg_json_make_member(name, *value);
        } else {
            ret->unknown += is_required(ret->tool, name);
        }
    }
    if (args) {
        *args = lg_json_make_object(members, count);
        ret->args = args;
    }
    return args != NULL;
}

// --- Which read ---------------------------------------------------------------------------------

// Does the store put a record at the path, or above it, or (for a whole collection) below it?
static bool leads_there(const lg_tool_store *store, const read_path *path)
{
    for (uint32_t i = 0; i < store->to.segment_count && i < path->count; i++) {
        if (path->steps[i].is_index ||
            (!store->to.segments[i].key &&
             !lg_str_eq(store->to.segments[i].name, path->steps[i].key))) {
            return false;
        }
    }
    return true;
}

// A store with a condition which these arguments do not meet puts nothing there, whatever is returned.
static bool stores_with(judgement *j, const lg_tool_store *store, const lg_json *args)
{
    static const lg_cel_failure not_known = {.kind = LG_CEL_FAIL_MISSING, .what = "not known"};
    lg_cel_value unknown = {.kind = LG_CEL_ERROR, .as.failure = &not_known};
    lg_cel_value values[LG_STORE_SLOT_COUNT] = {[LG_STORE_SLOT_ARGS] = lg_cel_from_json(args),
                                                [LG_STORE_SLOT_RESULT] = unknown,
                                                [LG_STORE_SLOT_ITEM] = unknown};
    if (!store->when) {
        return true;
    }
    lg_cel_value when = evaluate_words(j, store->when, values, NULL, &j->budget->words);
    return when.kind != LG_CEL_BOOL || when.as.boolean;
}

// The read that would put something at the path and of whose arguments most are known. False when out of
// memory.
static bool find_read(judgement *j, const read_path *path, proposal *ret)
{
    *ret = (proposal){0};
    for (size_t t = 0; t < j->pack->tool_count; t++) {
        const lg_tool *tool = &j->pack->tools[t];
        for (size_t s = 0; s < tool->store_count; s++) {
            const lg_tool_store *store = &tool->stores[s];
            proposal one = {.tool = tool};
            if (!lg_budget_take(&j->budget->words, 2)) {
                return true;
            }
            if (!leads_there(store, path)) {
                continue;
            }
            if (!fill_arguments(j, store, path, &one)) {
                return false;
            }
            if (stores_with(j, store, one.args) && (!ret->tool || one.unknown < ret->unknown)) {
                *ret = one;
            }
        }
    }
    return true;
}

void print_call(judgement *j, lg_buf *out, const lg_tool *tool, const lg_json *args)
{
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    bool first = true;
    lg_buf_add(out, tool->name);
    lg_buf_add_byte(out, '(');
    for (size_t i = 0; i < lg_json_len(properties); i++) {
        lg_str name = lg_json_key(lg_json_member_at(properties, i));
        const lg_json *value = lg_json_get(args, name);
        if (!value && !is_required(tool, name)) {
            continue;
        }
        lg_buf_add_c(out, first ? "" : ", ");
        lg_buf_add(out, name);
        lg_buf_add_c(out, ": ");
        if (value && lg_json_weigh(&j->budget->words, value)) {
            lg_json_print(out, value);
        } else {
            lg_buf_add_c(out, "...");
        }
        first = false;
    }
    lg_buf_add_byte(out, ')');
}

// So that it can be told of a read, which is a text by then, what its arguments are.
static bool note_asked(judgement *j, lg_str read, const lg_json *args)
{
    asked_read *asked =
        lg_arena_grow(j->scratch, j->asked, j->asked_count, &j->asked_capacity, sizeof(*asked));
    if (asked) {
        asked[j->asked_count++] = (asked_read){read.ptr, args};
        j->asked = asked;
    }
    return asked != NULL;
}

static lg_str supplying_read(judgement *j, const read_path *path)
{
    proposal read;
    if (!find_read(j, path, &read)) {
        return (lg_str){NULL, 0};
    }
    if (!read.tool) {
        return LG_STR("");
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    print_call(j, &text, read.tool, read.args);
    lg_str copy;
    return take_text(j, &text, &copy) == LG_OK && note_asked(j, copy, read.args)
               ? copy
               : (lg_str){NULL, 0};
}

// --- What is missing ----------------------------------------------------------------------------

// Adds what log entry `index` looked for and did not find, unless it is listed already.
static lg_status add_missing(judgement *j, uint32_t index, lg_missing *items, size_t *count)
{
    read_path path;
    if (index >= j->log.count || *count == MISSING_MAX ||
        !lg_budget_take(&j->budget->words, find_cost(j)) || !read_path_of(j, index, &path)) {
        return LG_OK; // looked up in a computed list: there is no path to name
    }
    lg_str text = read_path_text(j, &path, &j->budget->words);
    if (!text.ptr) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < *count; i++) {
        if (lg_str_eq(items[i].path, text)) {
            return LG_OK;
        }
    }
    // A record that is there but lacks the field would lack it again.
    const lg_ledger_entry *entry = path.in_args ? NULL : read_path_entry(j, &path);
    bool fetch = !path.in_args && (!entry || read_path_is_stale(&path, entry, NULL));
    lg_str read = fetch ? supplying_read(j, &path) : LG_STR("");
    items[(*count)++] = (lg_missing){text, read};
    return read.ptr ? LG_OK : LG_ERR_OOM;
}

// What the rule's `needs` name, as far as it is missing. The log is as before, since this explains and
// decides nothing.
static lg_status add_needs(judgement *j, const lg_rule *rule, lg_missing *items, size_t *count)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < rule->need_count && status == LG_OK; i++) {
        uint32_t before = j->log.count;
        uint32_t dropped = j->log.dropped;
        lg_cel_value value =
            evaluate_words(j, rule->needs[i].program, j->values, &j->log, &j->budget->words);
        bool missing = value.kind == LG_CEL_ERROR &&
                       value.as.failure->kind == LG_CEL_FAIL_MISSING && !value.as.failure->marked;
        if (missing) {
            status = add_missing(j, value.as.failure->read, items, count);
        }
        j->log.count = before;
        j->log.dropped = dropped;
    }
    return status;
}

lg_status list_missing(judgement *j, const lg_rule *rule, const outcome *o, lg_finding *finding)
{
    LG_DEBUG_ASSERT(o->kind == OUTCOME_MISSING || o->kind == OUTCOME_LACKING);
    lg_missing *items = LG_NEW_ARRAY(j->scratch, lg_missing, MISSING_MAX);
    size_t count = 0;
    if (!items) {
        return LG_ERR_OOM;
    }
    lg_status status = LG_OK;
    if (o->failure) {
        status = add_missing(j, o->failure->read, items, &count);
    }
    if (status == LG_OK && o->kind == OUTCOME_MISSING) {
        status = add_needs(j, rule, items, &count);
    }
    finding->missing = items;
    finding->missing_count = count;
    return status;
}

// --- Reads that would fail ----------------------------------------------------------------------

// Stands for a read that is not asked for, since it would fail.
static const char withdrawn[] = "";

bool is_withdrawn(const lg_finding *finding)
{
    size_t count = 0;
    while (count < finding->missing_count && finding->missing[count].read.ptr == withdrawn) {
        count++;
    }
    return count > 0 && count == finding->missing_count;
}

static const lg_json *args_of_asked(const judgement *j, lg_str read)
{
    for (size_t i = 0; i < j->asked_count; i++) {
        if (j->asked[i].text == read.ptr) {
            return j->asked[i].args;
        }
    }
    return NULL;
}

// Is `refused`, an argument of the call, handed on in the read? It may stand there as it is, or have been put
// together anew under the same name; another argument that happens to say the same is not meant.
static bool hands_on(const judgement *j, const lg_json *refused, const lg_json *args)
{
    for (size_t i = 0; i < lg_json_len(args); i++) {
        const lg_json_member *member = lg_json_member_at(args, i);
        bool same_text = lg_json_is(&member->value, LG_JSON_STRING) &&
                         lg_str_eq(lg_json_str(&member->value), lg_json_str(refused));
        if (same_text && (member->value.as.text == refused->as.text ||
                          lg_json_get(j->call->args, lg_json_key(member)) == refused)) {
            return true;
        }
    }
    return false;
}

// Does the read name a text argument that this rule, which judges forms, has looked at?
static bool names_refused(judgement *j, const outcome *o, lg_str read)
{
    const lg_json *args = args_of_asked(j, read);
    bool found = false;
    for (uint32_t i = o->log_from; i < o->log_to && args && !found; i++) {
        const lg_json *child = j->log.items[i].child;
        bool argument =
            j->log.items[i].parent == j->call->args && lg_json_is(child, LG_JSON_STRING);
        if (argument && lg_budget_take(&j->budget->words, 1 + read.len / 32)) {
            found = hands_on(j, child, args);
        }
    }
    return found;
}

lg_status withdraw_reads(judgement *j, const outcome *outcomes, lg_finding *findings, size_t count)
{
    for (size_t i = 0; i < j->tool->rule_count; i++) {
        const lg_rule *rule = &j->pack->rules[j->tool->rules[i]];
        bool form = outcomes[i].kind == OUTCOME_VIOLATED && rule->category == LG_CATEGORY_FORMAT;
        for (size_t f = 0; form && f < count; f++) {
            size_t missing = findings[f].cause == LG_CAUSE_MISSING ? findings[f].missing_count : 0;
            lg_missing *items = missing ? LG_NEW_ARRAY(j->scratch, lg_missing, missing) : NULL;
            if (missing && !items) {
                return LG_ERR_OOM;
            }
            for (size_t m = 0; m < missing; m++) {
                items[m] = findings[f].missing[m];
                if (names_refused(j, &outcomes[i], items[m].read)) {
                    items[m].read = (lg_str){withdrawn, 0};
                }
            }
            findings[f].missing = missing ? items : findings[f].missing;
        }
    }
    return LG_OK;
}
