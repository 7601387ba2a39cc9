// answer.c: an answer of the prover as one JSON value, and what can be asked of it.
#include "cli/prove/answer.h"

// --- Writing ------------------------------------------------------------------------------------

static void write_place(lg_json_writer *w, const lg_pack *pack, uint32_t offset)
{
    lg_position at = lg_pack_position(pack, offset);
    lg_jw_member_uint(w, "line", at.line);
    lg_jw_member_uint(w, "column", at.column);
}

static void write_claim(lg_json_writer *w, const lg_pack *pack, const lg_claim *o)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "obligation", lg_str_c(lg_claim_word(o->kind)));
    lg_jw_member_str(w, "claim", lg_str_c(lg_claim_text(o->kind)));
    lg_jw_member_str(w, "tool", o->tool);
    lg_jw_member_str(w, "rule", o->rule);
    lg_jw_member_str(w, "other", o->other);
    lg_jw_member_str(w, "outcome", lg_str_c(lg_proof_outcome_name(o->outcome)));
    lg_jw_member_bool(w, "finding", o->finding);
    lg_jw_member_bool(w, "cut", o->cut);
    write_place(w, pack, o->offset);
    lg_jw_member_double(w, "ms", o->micros / 1000.0);
    lg_jw_member_str(w, "why", o->why);
    lg_jw_member_json(w, "example", o->example);
    lg_jw_end_object(w);
}

void prove_write_proof(lg_buf *out, const lg_pack *pack, const lg_proof *proof)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "pack", pack->name);
    lg_jw_key(&w, "obligations");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < proof->count; i++) {
        write_claim(&w, pack, &proof->items[i]);
    }
    lg_jw_end_array(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    for (int i = LG_PROVED; i <= LG_UNDECIDED; i++) {
        lg_jw_member_uint(&w, lg_proof_outcome_name((lg_proof_outcome)i), proof->outcomes[i]);
    }
    lg_jw_member_uint(&w, "findings", proof->findings);
    lg_jw_member_double(&w, "seconds", (double)proof->micros / 1e6);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
}

static void write_place_in(lg_json_writer *w, const lg_pack *before, const lg_pack *after,
                           bool in_old, uint32_t offset)
{
    lg_jw_member_str(w, "in", in_old ? LG_STR("old") : LG_STR("new"));
    write_place(w, in_old ? before : after, offset);
}

static void write_tool(lg_json_writer *w, const lg_pack *before, const lg_pack *after,
                       const lg_tool_difference *d)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "tool", d->tool);
    lg_jw_member_str(w, "relation", lg_str_c(lg_relation_name(d->relation)));
    lg_jw_member_bool(w, "proved", d->proved);
    lg_jw_member_bool(w, "undecided", d->undecided);
    lg_jw_member_bool(w, "cut", d->cut);
    write_place_in(w, before, after, d->in_old, d->offset);
    lg_jw_member_double(w, "ms", d->micros / 1000.0);
    lg_jw_member_str(w, "why", d->why);
    lg_jw_member_json(w, "stricter", d->stricter);
    lg_jw_member_json(w, "looser", d->looser);
    lg_jw_end_object(w);
}

static void write_uncompared(lg_json_writer *w, const lg_pack *before, const lg_pack *after,
                             const lg_difference *d)
{
    lg_jw_key(w, "uncompared");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < d->uncompared_count; i++) {
        const lg_uncompared *u = &d->uncompared[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "what", u->what);
        write_place_in(w, before, after, u->in_old, u->offset);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void prove_write_difference(lg_buf *out, const lg_pack *before, const lg_pack *after,
                            const lg_difference *d)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "old", before->name);
    lg_jw_member_str(&w, "new", after->name);
    lg_jw_member_str(&w, "relation", lg_str_c(lg_relation_name(d->relation)));
    lg_jw_member_bool(&w, "proved", d->proved);
    lg_jw_member_double(&w, "seconds", (double)d->micros / 1e6);
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < d->count; i++) {
        write_tool(&w, before, after, &d->tools[i]);
    }
    lg_jw_end_array(&w);
    write_uncompared(&w, before, after, d);
    lg_jw_end_object(&w);
}

void prove_write_json(lg_buf *out, const prove_answer *answer)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    if (answer->is_difference) {
        lg_jw_member_str(&w, "old_file", lg_str_c(answer->old_file));
        lg_jw_member_str(&w, "new_file", lg_str_c(answer->file));
    } else {
        lg_jw_member_str(&w, "file", lg_str_c(answer->file));
    }
    lg_jw_member_bool(&w, "cached", answer->cached);
    for (size_t i = 0; i < lg_json_len(answer->root); i++) {
        lg_jw_key_str(&w, lg_json_key(lg_json_member_at(answer->root, i)));
        lg_jw_json(&w, &lg_json_member_at(answer->root, i)->value);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(out, "\n");
}

// --- Reading ------------------------------------------------------------------------------------

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static bool is_one_of(lg_str word, const char *(*name)(int), int last, int *ret)
{
    for (int i = 0; i <= last; i++) {
        if (lg_str_eq(word, lg_str_c(name(i)))) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static const char *outcome_name(int i)
{
    return lg_proof_outcome_name((lg_proof_outcome)i);
}

static const char *relation_name(int i)
{
    return lg_relation_name((lg_relation)i);
}

static bool has_all(const lg_json *object, const char *const *keys, size_t count, lg_json_type type)
{
    for (size_t i = 0; i < count; i++) {
        if (!lg_json_is(get(object, keys[i]), type)) {
            return false;
        }
    }
    return true;
}

static bool is_example(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_NULL) || lg_json_is(value, LG_JSON_OBJECT);
}

static bool is_claim(const lg_json *claim, size_t outcomes[4], size_t *findings)
{
    static const char *const texts[] = {"obligation", "claim", "tool", "rule", "other", "why"};
    static const char *const numbers[] = {"line", "column"};
    int outcome = 0;
    bool ok = has_all(claim, texts, LG_COUNT(texts), LG_JSON_STRING) &&
              has_all(claim, numbers, LG_COUNT(numbers), LG_JSON_INT) &&
              is_one_of(lg_json_str(get(claim, "outcome")), outcome_name, LG_UNDECIDED, &outcome) &&
              lg_json_is(get(claim, "finding"), LG_JSON_BOOL) &&
              lg_json_is(get(claim, "cut"), LG_JSON_BOOL) && is_example(get(claim, "example"));
    if (ok) {
        outcomes[outcome]++;
        *findings += lg_json_is_true(get(claim, "finding"));
    }
    return ok;
}

static bool is_count(const lg_json *summary, const char *key, size_t count)
{
    int64_t value;
    return lg_json_int(get(summary, key), &value) && value >= 0 && (uint64_t)value == count;
}

bool prove_is_proof(const lg_json *root)
{
    const lg_json *claims = get(root, "obligations");
    const lg_json *summary = get(root, "summary");
    size_t outcomes[4] = {0};
    size_t findings = 0;
    bool ok = lg_json_is(get(root, "pack"), LG_JSON_STRING) && lg_json_is(claims, LG_JSON_ARRAY);
    for (size_t i = 0; ok && i < claims->len; i++) {
        ok = is_claim(&claims->as.items[i], outcomes, &findings);
    }
    for (int i = LG_PROVED; ok && i <= LG_UNDECIDED; i++) {
        ok = is_count(summary, outcome_name(i), outcomes[i]);
    }
    return ok && is_count(summary, "findings", findings) &&
           lg_json_is_number(get(summary, "seconds"));
}

static bool is_tool(const lg_json *tool)
{
    static const char *const texts[] = {"tool", "why", "in"};
    static const char *const numbers[] = {"line", "column"};
    static const char *const flags[] = {"proved", "undecided", "cut"};
    int relation;
    return has_all(tool, texts, LG_COUNT(texts), LG_JSON_STRING) &&
           has_all(tool, numbers, LG_COUNT(numbers), LG_JSON_INT) &&
           has_all(tool, flags, LG_COUNT(flags), LG_JSON_BOOL) &&
           is_one_of(lg_json_str(get(tool, "relation")), relation_name, LG_RELATION_UNKNOWN,
                     &relation) &&
           is_example(get(tool, "stricter")) && is_example(get(tool, "looser"));
}

static bool is_uncompared(const lg_json *part)
{
    static const char *const texts[] = {"what", "in"};
    static const char *const numbers[] = {"line", "column"};
    return has_all(part, texts, LG_COUNT(texts), LG_JSON_STRING) &&
           has_all(part, numbers, LG_COUNT(numbers), LG_JSON_INT);
}

bool prove_is_difference(const lg_json *root)
{
    const lg_json *tools = get(root, "tools");
    const lg_json *parts = get(root, "uncompared");
    int relation;
    bool ok = lg_json_is(parts, LG_JSON_ARRAY) && lg_json_is(tools, LG_JSON_ARRAY) &&
              lg_json_is(get(root, "proved"), LG_JSON_BOOL) &&
              lg_json_is_number(get(root, "seconds")) &&
              is_one_of(lg_json_str(get(root, "relation")), relation_name, LG_RELATION_UNKNOWN,
                        &relation);
    for (size_t i = 0; ok && i < tools->len; i++) {
        ok = is_tool(&tools->as.items[i]);
    }
    for (size_t i = 0; ok && i < parts->len; i++) {
        ok = is_uncompared(&parts->as.items[i]);
    }
    return ok;
}

size_t prove_count_findings(const prove_answer *answer)
{
    const lg_json *claims = get(answer->root, "obligations");
    size_t count = 0;
    for (size_t i = 0; i < lg_json_len(claims); i++) {
        count += lg_json_is_true(get(&claims->as.items[i], "finding"));
    }
    return count;
}

size_t prove_count_open(const prove_answer *answer)
{
    const lg_json *claims = get(answer->root, "obligations");
    size_t count = 0;
    for (size_t i = 0; i < lg_json_len(claims); i++) {
        lg_str outcome = lg_json_str(get(&claims->as.items[i], "outcome"));
        count += lg_str_eq(outcome, lg_str_c(lg_proof_outcome_name(LG_ASSUMED))) ||
                 lg_str_eq(outcome, lg_str_c(lg_proof_outcome_name(LG_UNDECIDED)));
    }
    return count;
}

bool prove_tool_is_accepted(const lg_json *tool, uint32_t accepted)
{
    int relation = LG_RELATION_UNKNOWN;
    (void)is_one_of(lg_json_str(get(tool, "relation")), relation_name, LG_RELATION_UNKNOWN,
                    &relation);
    if (!lg_json_is_true(get(tool, "proved"))) {
        relation = LG_RELATION_UNKNOWN;
    }
    accepted |= 1u << LG_RELATION_EQUAL;
    return (accepted >> relation & 1u) != 0;
}

bool prove_is_accepted(const prove_answer *answer, uint32_t accepted)
{
    const lg_json *tools = get(answer->root, "tools");
    if (lg_json_len(get(answer->root, "uncompared")) && !(accepted >> LG_RELATION_UNKNOWN & 1u)) {
        return false; // what else decides differs, and nobody knows how
    }
    for (size_t i = 0; i < lg_json_len(tools); i++) {
        if (!prove_tool_is_accepted(&tools->as.items[i], accepted)) {
            return false;
        }
    }
    return true;
}

// May any of them have another answer when it is asked again?
static bool has_open(const lg_json *items)
{
    for (size_t i = 0; i < lg_json_len(items); i++) {
        const lg_json *item = &items->as.items[i];
        if (lg_json_is_true(get(item, "undecided")) || lg_json_is_true(get(item, "cut"))) {
            return true;
        }
    }
    return false;
}

bool prove_is_decided(const prove_answer *answer)
{
    int64_t unknown = 0;
    if (answer->is_difference) {
        return !has_open(get(answer->root, "tools"));
    }
    return !has_open(get(answer->root, "obligations")) &&
           lg_json_int(get(get(answer->root, "summary"), "unknown"), &unknown) && unknown == 0;
}
