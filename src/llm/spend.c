// spend.c: what a run may take, and what it has taken.
//
// Money is worked out of tokens when it is asked for, never summed up: then it is the same to the last bit, whatever
// order the answers came in.
#include "llm/llm_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void lg_llm_usage_add(lg_llm_usage *sum, lg_llm_usage usage)
{
    sum->prompt_tokens += usage.prompt_tokens;
    sum->completion_tokens += usage.completion_tokens;
    sum->estimated = sum->estimated || usage.estimated;
}

double lg_llm_price(const lg_llm_options *options, lg_llm_usage usage)
{
    return ((double)usage.prompt_tokens * options->prompt_price +
            (double)usage.completion_tokens * options->completion_price) /
           1e6;
}

bool lg_llm_may_spend(const lg_llm_options *options, const lg_llm_sum *sent, lg_error *reterr)
{
    const lg_llm_budget *b = &options->budget;
    lg_llm_usage used = sent->usage;
    uint64_t both = used.prompt_tokens + used.completion_tokens;
    const struct {
        const char *what;
        uint64_t limit, used;
    } counts[] = {
        {"calls", b->calls, sent->attempts},
        {"tokens of prompts", b->prompt_tokens, used.prompt_tokens},
        {"tokens of completions", b->completion_tokens, used.completion_tokens},
        {"tokens", b->tokens, both},
    };
    for (size_t i = 0; i < LG_COUNT(counts); i++) {
        if (counts[i].limit && counts[i].used >= counts[i].limit) {
            lg_fail(reterr, LG_ERR_LIMIT, "the budget for models is spent: %llu %s",
                    (unsigned long long)counts[i].limit, counts[i].what);
            return false;
        }
    }
    if (b->money > 0 && lg_llm_price(options, used) >= b->money) {
        lg_fail(reterr, LG_ERR_LIMIT, "the budget for models is spent: %g in money", b->money);
        return false;
    }
    return true;
}

// --- "calls=100,money=2.5" ---

static bool read_amount(lg_str text, bool whole, double *ret)
{
    char room[32];
    char *end;
    bool plain = text.len > 0 && text.len < sizeof(room);
    for (size_t i = 0; i < text.len && plain; i++) {
        plain = lg_is_digit(text.ptr[i]) || (!whole && text.ptr[i] == '.');
    }
    if (!plain) {
        return false;
    }
    memcpy(room, text.ptr, text.len);
    room[text.len] = '\0';
    *ret = strtod(room, &end);
    return !*end && *ret > 0 && *ret < 1e15;
}

static lg_status read_part(lg_str part, lg_llm_budget *b, lg_error *reterr)
{
    const struct {
        lg_str name;
        uint64_t *count;
        double *amount;
    } names[] = {
        {LG_STR("calls"), &b->calls, NULL},
        {LG_STR("prompt_tokens"), &b->prompt_tokens, NULL},
        {LG_STR("completion_tokens"), &b->completion_tokens, NULL},
        {LG_STR("tokens"), &b->tokens, NULL},
        {LG_STR("seconds"), NULL, &b->seconds},
        {LG_STR("money"), NULL, &b->money},
    };
    size_t equals = lg_str_find(part, LG_STR("="));
    lg_str name = lg_str_trim(lg_str_slice(part, 0, equals));
    lg_str text = equals < part.len ? lg_str_slice(part, equals + 1, part.len) : LG_STR("");
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        double amount;
        if (!lg_str_eq(name, names[i].name)) {
            continue;
        }
        if (!read_amount(lg_str_trim(text), names[i].count != NULL, &amount)) {
            return lg_fail(reterr, LG_ERR_USAGE, "a budget's %s is a number above 0",
                           names[i].name.ptr);
        }
        if (names[i].count ? *names[i].count > 0 : *names[i].amount > 0) {
            return lg_fail(reterr, LG_ERR_USAGE, "a budget has %s twice", names[i].name.ptr);
        }
        if (names[i].count) {
            *names[i].count = (uint64_t)amount;
        } else {
            *names[i].amount = amount;
        }
        return LG_OK;
    }
    return lg_fail(reterr, LG_ERR_USAGE,
                   "a budget is calls=, prompt_tokens=, completion_tokens=, tokens=, seconds= or "
                   "money= with a number, with commas between them");
}

lg_status lg_llm_budget_read(lg_str text, lg_llm_budget *ret, lg_error *reterr)
{
    lg_llm_budget budget = {0};
    lg_status status = LG_OK;
    for (size_t from = 0; from <= text.len && status == LG_OK;) {
        lg_str rest = lg_str_slice(text, from, text.len);
        lg_str part = lg_str_slice(rest, 0, lg_str_find(rest, LG_STR(",")));
        status = read_part(part, &budget, reterr);
        from += part.len + 1;
    }
    if (status == LG_OK) {
        *ret = budget;
    }
    return status;
}
