// draft.c: from rules to what is offered: first the model drafts all of them, and is told what is wrong; then each is
// proved and tried, on top of what is offered already.
#include "cli/extract/draft.h"

#include <stdio.h>

const char *draft_fate_word(draft_fate fate)
{
    static const char *const words[] = {
#define X(name, word, what) word,
        DRAFT_FATE_MAP(X)
#undef X
    };
    return fate < DRAFT_FATES ? words[fate] : "";
}

// What the buffer holds, in the arena; ptr NULL without memory.
static lg_str keep(drafting *d, lg_buf *text)
{
    lg_str kept = lg_buf_status(text) == LG_OK ? lg_arena_str(&d->arena, lg_buf_str(text))
                                               : (lg_str){NULL, 0};
    lg_buf_done(text);
    return kept;
}

// --- Asking -------------------------------------------------------------------------------------------------

static bool begin(drafting *d, draft *item, const lg_prompt_rule *rule)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    draft_add_material(&text, d->pack, rule);
    lg_str material = keep(d, &text);
    *item = (draft){.rule = rule, .why = LG_STR("")};
    item->messages[0] = (lg_llm_message){.role = LG_STR("system"), .text = lg_str_c(draft_task)};
    item->messages[1] = (lg_llm_message){.role = LG_STR("user"), .text = material};
    item->message_count = 2;
    return material.ptr != NULL;
}

// It is put to the model again, or was the last time.
static bool mend(drafting *d, draft *item, const lg_llm_reply *reply, lg_str wrong)
{
    item->why = wrong;
    if (item->rounds == DRAFT_ROUNDS) {
        item->fate = DRAFT_ILL_TYPED;
        return true;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "The entry is not right: %.*s Answer again, in the same form.",
                LG_FMT(wrong));
    lg_str told = keep(d, &text);
    item->messages[item->message_count++] =
        (lg_llm_message){.role = LG_STR("assistant"), .text = lg_str_cut(reply->text, 8000)};
    item->messages[item->message_count++] = (lg_llm_message){.role = LG_STR("user"), .text = told};
    return told.ptr != NULL;
}

// Does it load with the pack as it is?
static bool type_check(drafting *d, draft *item, const lg_json *entry, lg_buf *why)
{
    lg_str text;
    if (!draft_read_entry(&d->arena, entry, &item->entry, why)) {
        return false;
    }
    item->entry.because = draft_because(&d->arena, d->pack, item->rule->quote);
    if (!item->entry.because.ptr || !draft_insert(&d->arena, d->before, &item->entry, &text, why)) {
        return false;
    }
    lg_pack *pack = draft_load(d, text, d->before, item->entry.id, why);
    item->has_entry = pack != NULL;
    lg_pack_free(pack);
    return item->has_entry;
}

static bool take_reply(drafting *d, draft *item, const lg_llm_reply *reply)
{
    item->rounds++;
    if (reply->end != LG_LLM_OK) {
        item->fate = DRAFT_UNASKED;
        item->why = lg_arena_str(&d->arena, lg_str_c(reply->error.msg));
        return item->why.ptr != NULL;
    }
    const lg_json *entry = lg_json_get(reply->value, LG_STR("entry"));
    if (!lg_json_is(entry, LG_JSON_OBJECT)) {
        item->fate = DRAFT_CANNOT;
        item->why = lg_json_str(lg_json_get(reply->value, LG_STR("cannot")));
        return true;
    }
    lg_buf why;
    lg_buf_init(&why, 0);
    bool sound = type_check(d, item, entry, &why);
    lg_str wrong = keep(d, &why);
    if (sound) {
        item->why = LG_STR("");
        return wrong.ptr != NULL;
    }
    return wrong.ptr && mend(d, item, reply, wrong);
}

// Those that are neither sound nor given up, all at a time.
static bool ask_round(drafting *d, const lg_json *schema, bool *ret_more)
{
    lg_llm_request *requests = LG_NEW_ARRAY(&d->arena, lg_llm_request, d->count);
    lg_llm_reply *replies = LG_NEW_ARRAY(&d->arena, lg_llm_reply, d->count);
    draft **asked = LG_NEW_ARRAY(&d->arena, draft *, d->count);
    lg_error why = {0};
    size_t count = 0;
    if (!requests || !replies || !asked) {
        return false;
    }
    for (size_t i = 0; i < d->count; i++) {
        draft *item = &d->items[i];
        if (item->fate == DRAFT_PENDING && !item->has_entry) {
            requests[count] = (lg_llm_request){.kind = LG_LLM_CHAT,
                                               .messages = item->messages,
                                               .message_count = item->message_count,
                                               .schema = schema,
                                               .has_temperature = true};
            asked[count++] = item;
        }
    }
    *ret_more = count > 0;
    if (count == 0) {
        return true;
    }
    if (lg_llm_ask_all(d->llm, requests, count, &d->arena, replies, &why) != LG_OK) {
        cli_say("ledgergate extract: %s", why.msg);
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) {
        fine = take_reply(d, asked[i], &replies[i]);
    }
    return fine;
}

static bool ask_all(drafting *d)
{
    const lg_json *schema;
    lg_error why;
    lg_str text = lg_str_c(draft_schema);
    bool fine = lg_json_parse_in(&d->arena, text, 0, text.len, NULL, &schema, &why) == LG_OK;
    bool more = true;
    for (uint32_t round = 0; round < DRAFT_ROUNDS && fine && more; round++) {
        cli_progress("drafting, round", round + 1, DRAFT_ROUNDS);
        fine = ask_round(d, schema, &more);
    }
    cli_progress("", 0, 0);
    return fine;
}

// --- Offering -------------------------------------------------------------------------------------------------

static bool has_rule(const lg_pack *pack, lg_str id)
{
    for (size_t i = 0; i < pack->rule_count; i++) {
        if (lg_str_eq(pack->rules[i].id, id)) {
            return true;
        }
    }
    return false;
}

// An id that another draft has not taken.
static bool rename_taken(drafting *d, draft *item, const lg_pack *pack)
{
    lg_str id = item->entry.id;
    for (unsigned i = 2; item->entry.id.ptr && has_rule(pack, item->entry.id); i++) {
        item->entry.id = lg_arena_printf(&d->arena, "%.*s_%u", LG_FMT(id), i);
    }
    return item->entry.id.ptr != NULL;
}

static bool judge(drafting *d, draft *item, const lg_pack *without, const lg_pack *with)
{
    bool fine = true;
    draft_prove(item, with);
    if (item->fate == DRAFT_PENDING && d->tries) {
        fine = draft_try(item, d->tries, without, with);
        item->fate = item->rewarded > 0 ? DRAFT_REFUSES : DRAFT_PENDING;
    }
    item->fate = item->fate == DRAFT_PENDING ? DRAFT_OFFERED : item->fate;
    return fine;
}

// `*pack` is that of `d->now`, and stays so. False without memory.
static bool settle(drafting *d, draft *item, lg_pack **pack)
{
    lg_buf why;
    lg_str text;
    lg_pack *with = NULL;
    lg_buf_init(&why, 0);
    bool fine = rename_taken(d, item, *pack);
    if (fine && draft_insert(&d->arena, d->now, &item->entry, &text, &why)) {
        with = draft_load(d, text, d->now, item->entry.id, &why);
    }
    if (fine && with) {
        fine = judge(d, item, *pack, with);
    } else if (fine) {
        item->fate = DRAFT_ILL_TYPED;
        item->why = lg_arena_str(&d->arena, lg_buf_str(&why));
    }
    lg_buf_done(&why);
    if (item->fate == DRAFT_OFFERED || (item->fate == DRAFT_REFUSES && d->all)) {
        lg_pack_free(*pack);
        *pack = with;
        with = NULL;
        d->now = text;
    }
    lg_pack_free(with);
    return fine && item->why.ptr;
}

static bool settle_all(drafting *d)
{
    lg_pack *pack;
    lg_error error;
    size_t count;
    if (lg_pack_load_text(d->before, d->path, cli_limits(), &pack, &error, 1, &count) != LG_OK) {
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < d->count && fine; i++) {
        cli_progress("proving draft", i + 1, d->count);
        if (d->items[i].fate == DRAFT_PENDING) {
            fine = settle(d, &d->items[i], &pack);
        }
    }
    cli_progress("", 0, 0);
    lg_pack_free(pack);
    return fine;
}

bool draft_all(drafting *d, const lg_prompt_rules *rules)
{
    bool fine = true;
    d->items = LG_NEW_ARRAY(&d->arena, draft, rules->count + 1);
    d->now = d->before;
    for (size_t i = 0; d->items && i < rules->count && fine; i++) {
        fine = begin(d, &d->items[d->count++], &rules->items[i]);
    }
    return d->items && fine && ask_all(d) && settle_all(d);
}
