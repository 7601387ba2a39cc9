// synth_core.c: chance, bounds, failure and checks: what every maker of values needs.
#include "schema/synth_internal.h"

// --- Chance ---------------------------------------------------------------------------------------

// Vigna's splitmix64: one addition and three rounds of mixing, and any seed is a good one.
uint64_t lg_synth_next(synth *s)
{
    s->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = s->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// The slight bias of a modulus does not matter here.
uint64_t lg_synth_below(synth *s, uint64_t count)
{
    return count ? lg_synth_next(s) % count : 0;
}

// --- Failure and bounds ---------------------------------------------------------------------------

outcome lg_synth_fail(synth *s, outcome how, const node *n, const char *keyword, const char *format,
                      ...)
{
    fixed_text out = lg_text_in(s->failure, sizeof(s->failure));
    if (n) {
        lg_place_print(&out, n->where);
        if (keyword) {
            lg_text_add_pointer_token(&out, lg_str_c(keyword));
        }
        if (out.len == 0) {
            lg_text_addc(&out, "the schema");
        }
        lg_text_addc(&out, ": ");
    }
    char words[256];
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    lg_text_addc(&out, wrote > 0 ? words : "");
    lg_text_end(&out);
    return how;
}

outcome lg_synth_no_memory(synth *s)
{
    s->stopped = true;
    s->status = LG_ERR_OOM;
    return STOPPED;
}

bool lg_synth_spend(synth *s, uint64_t steps)
{
    if (s->stopped) {
        return false;
    }
    if (steps > s->steps) {
        s->steps = 0;
        s->stopped = true;
        s->status = LG_ERR_LIMIT;
        return false;
    }
    s->steps -= steps;
    return true;
}

bool lg_synth_count_value(synth *s, const node *n)
{
    if (s->values >= s->how.values) {
        s->too_large = true;
        lg_synth_fail(s, STOPPED, n, NULL, "needs an instance of more than %u values",
                      s->how.values);
        return false;
    }
    s->values++;
    return true;
}

bool lg_synth_count_text(synth *s, const node *n, size_t size_bytes)
{
    if (size_bytes > s->how.text_bytes - s->text_bytes) {
        s->too_large = true;
        lg_synth_fail(s, STOPPED, n, NULL, "needs an instance with more than %u bytes of text",
                      s->how.text_bytes);
        return false;
    }
    s->text_bytes += size_bytes;
    return true;
}

bool lg_synth_is_easy(const synth *s)
{
    return s->depth < LG_SYNTH_EASY_DEPTH && s->values < LG_SYNTH_EASY_VALUES;
}

// --- Checks ---------------------------------------------------------------------------------------

static void begin_check(synth *s, lg_schema_report *report)
{
    s->v.steps = s->steps < s->schema->steps ? s->steps : s->schema->steps;
    s->v.depth = 0;
    s->v.stopped = false;
    s->v.explaining = false;
    s->v.words_used = 0;
    s->v.report = report;
    s->v.main_report = report;
}

bool lg_synth_holds_node(synth *s, const node *n, const scope *outer, const lg_json *value)
{
    begin_check(s, NULL);
    uint64_t before = s->v.steps;
    spot at = {.value = value, .index = SPOT_MEMBER};
    bool ok = lg_eval(&s->v, n, &at, outer, NULL) && !s->v.stopped;
    s->unsure = s->unsure || s->v.stopped;
    return lg_synth_spend(s, before - s->v.steps) && ok;
}

bool lg_synth_holds(synth *s, const demand *d, const lg_json *value)
{
    bool ok = !d->only || (d->only & lg_type_of_value(value));
    for (size_t i = 0; i < d->asked && ok; i++) {
        ok = lg_synth_holds_node(s, d->nodes[i], d->outer[i], value);
    }
    for (size_t i = 0; i < d->shun_asked && ok; i++) {
        ok = !lg_synth_holds_node(s, d->shun[i].n, d->shun[i].outer, value) && !s->v.stopped;
    }
    return ok;
}

lg_synthesis_members lg_synth_members(const synth *s, uint32_t round)
{
    static const lg_synthesis_members turns[] = {LG_MEMBERS_REQUIRED, LG_MEMBERS_SEEDED,
                                                 LG_MEMBERS_ALL};
    return round < 2 ? s->how.members : turns[round % LG_COUNT(turns)];
}

outcome lg_synth_explain(synth *s, const demand *d, const lg_json *value)
{
    lg_schema_violation item;
    for (size_t i = 0; i < d->asked; i++) {
        lg_schema_report report = {.items = &item, .capacity = 1};
        begin_check(s, &report);
        spot at = {.value = value, .index = SPOT_MEMBER};
        (void)lg_eval(&s->v, d->nodes[i], &at, d->outer[i], NULL);
        begin_check(s, NULL);
        if (report.count) {
            return lg_synth_fail(s, FAILED, NULL, NULL, "%s: no valid value found: %s",
                                 item.schema_pointer[0] ? item.schema_pointer : "the schema",
                                 item.msg);
        }
    }
    return FAILED;
}
