// offer.c: see offer.h.
#include "cli/extract/offer.h"

#include "base/write_file.h"
#include "session/fitting.h"

int offer_open(offer *o, const offer_options *options)
{
    int code = EXIT_FINE;
    *o = (offer){.options = options};
    lg_arena_init(&o->drafts.arena, 0);
    o->pack = cli_load_pack(options->pack, &code);
    if (!o->pack) {
        return code;
    }
    if (lg_str_starts(lg_str_trim(o->pack->text), LG_STR("{"))) {
        return cli_usage("extract", "%s: entries are put into a pack of YAML, and this is JSON",
                         options->pack);
    }
    if (options->tries.count > 0) {
        char *paths[CLI_LIST_MAX];
        for (size_t i = 0; i < options->tries.count; i++) {
            paths[i] = (char *)(uintptr_t)options->tries.items[i];
        }
        code = cli_open_traces(paths, options->tries.count, NULL, &o->tries);
        o->has_tries = code == EXIT_FINE;
        code = o->has_tries && o->tries.traces == 0 ? EXIT_USAGE : code;
    }
    return code;
}

void offer_close(offer *o)
{
    lg_arena_done(&o->drafts.arena);
    lg_pack_free(o->pack);
    if (o->has_tries) {
        cli_close_traces(&o->tries);
    }
}

// --- Which rules ----------------------------------------------------------------------------------------

// Of several prompts only those whose conversations are the pack's.
static bool is_of_pack(offer *o, const extract_sources *sources, const extract_source *source,
                       bool *ret)
{
    const lg_pack *pack = o->pack, *fits = pack;
    bool fine = sources->count == 1 || !source->first ||
                lg_fitting_pack(&o->drafts.arena, &pack, 1, source->first, &fits);
    *ret = fits != NULL;
    return fine;
}

static bool is_there(const lg_prompt_rules *rules, const lg_prompt_rule *rule)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (lg_str_eq_any_case(rules->items[i].text, rule->text)) {
            return true;
        }
    }
    return false;
}

// Each once, whichever prompts say it. False without memory.
static bool collect(offer *o, const extract_sources *sources, lg_prompt_rules *ret)
{
    size_t most = 1;
    for (size_t i = 0; i < sources->count; i++) {
        most += sources->items[i].rules->count;
    }
    lg_prompt_rule *items = LG_NEW_ARRAY(&o->drafts.arena, lg_prompt_rule, most);
    *ret = (lg_prompt_rules){.items = items};
    for (size_t i = 0; items && i < sources->count; i++) {
        const lg_prompt_rules *rules = sources->items[i].rules;
        bool wanted;
        if (!is_of_pack(o, sources, &sources->items[i], &wanted)) {
            return false;
        }
        for (size_t j = 0; wanted && j < rules->count; j++) {
            if (!is_there(ret, &rules->items[j])) {
                items[ret->count++] = rules->items[j];
            }
        }
    }
    return items != NULL;
}

// --- The patch ------------------------------------------------------------------------------------------

static int write_patch(const offer *o, lg_str patch, cli_out *out)
{
    lg_error why;
    if (o->options->patch) {
        lg_status status = lg_write_file(o->options->patch, patch, &why);
        if (status != LG_OK) {
            cli_say("ledgergate extract: %s: %s", o->options->patch, why.msg);
            return cli_exit_code(status);
        }
    }
    if (o->options->json) {
        lg_json_writer w = {.out = &out->buf};
        lg_jw_begin_object(&w);
        lg_jw_member_str(&w, "patch", patch);
        lg_jw_end_object(&w);
        lg_buf_add_c(&out->buf, "\n");
    } else if (!o->options->patch && patch.len > 0) {
        lg_buf_add_c(&out->buf, "\n");
        cli_out_flush(out); // it holds nothing that a terminal obeys but what the pack has
        lg_buf_add(&out->buf, patch);
    }
    return EXIT_FINE;
}

int offer_make(offer *o, const extract_sources *sources, lg_llm *llm, cli_out *out)
{
    lg_prompt_rules rules;
    lg_buf patch;
    drafting *d = &o->drafts;
    d->llm = llm;
    d->pack = o->pack;
    d->path = o->pack->file;
    d->before = o->pack->text;
    d->tries = o->has_tries ? &o->tries : NULL;
    d->all = o->options->all;
    if (!collect(o, sources, &rules) || !draft_all(d, &rules)) {
        cli_say("ledgergate extract: the drafts could not be finished");
        return EXIT_INTERNAL;
    }
    (o->options->json ? draft_write : draft_show)(d, out);
    lg_buf_init(&patch, 0);
    draft_patch(&patch, d->path, d->before, d->now);
    int code = EXIT_FINE;
    if (lg_buf_status(&patch) != LG_OK) {
        (void)cli_out_of_memory(&code);
    } else {
        code = write_patch(o, lg_buf_str(&patch), out);
    }
    lg_buf_done(&patch);
    return o->has_tries ? cli_traces_code(&o->tries, code) : code;
}

size_t offer_failures(const offer *o)
{
    size_t count = 0;
    for (size_t i = 0; i < o->drafts.count; i++) {
        count += o->drafts.items[i].fate == DRAFT_UNASKED;
    }
    return count;
}
