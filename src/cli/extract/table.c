// table.c: what became of each rule.
#include "cli/extract/draft.h"

static void show_fate(const draft *item, cli_out *out)
{
    lg_buf_add_c(&out->buf, "  ");
    cli_colour(out, item->fate == DRAFT_OFFERED ? "1" : "2");
    cli_pad(out, lg_str_c(draft_fate_word(item->fate)), 24);
    cli_colour(out, "0");
    if (item->entry.id.len) {
        cli_add_text(out, item->entry.id);
        lg_buf_add_c(&out->buf, ": ");
    }
    cli_add_cut(out, item->rule->text, 200);
    lg_buf_add_c(&out->buf, "\n");
}

void draft_show(const drafting *d, cli_out *out)
{
    lg_buf_addf(&out->buf, "\nDrafts for %.*s\n", LG_FMT(d->pack->name));
    for (size_t i = 0; i < d->count; i++) {
        const draft *item = &d->items[i];
        show_fate(item, out);
        if (item->tried) {
            lg_buf_addf(&out->buf,
                        "      newly refuses %zu recorded call%s, %zu carried out with reward 1\n",
                        item->newly_refused, lg_plural(item->newly_refused), item->rewarded);
        }
        if (item->why.len) {
            lg_buf_add_c(&out->buf, "      ");
            cli_add_cut(out, item->why, 400);
            lg_buf_add_c(&out->buf, "\n");
        }
    }
}

static void write_one(const draft *item, lg_json_writer *w)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "draft");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "rule", item->rule->text);
    lg_jw_member_str(w, "quote", item->rule->quote);
    lg_jw_member_c(w, "fate", draft_fate_word(item->fate));
    lg_jw_member_uint(w, "rounds", item->rounds);
    if (item->entry.id.len) {
        lg_jw_member_str(w, "id", item->entry.id);
    }
    if (item->tried) {
        lg_jw_member_uint(w, "newly_refused", item->newly_refused);
        lg_jw_member_uint(w, "rewarded", item->rewarded);
    }
    if (item->why.len) {
        lg_jw_member_str(w, "why", lg_str_cut(item->why, 2000));
    }
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

void draft_write(const drafting *d, cli_out *out)
{
    for (size_t i = 0; i < d->count; i++) {
        lg_json_writer w = {.out = &out->buf};
        write_one(&d->items[i], &w);
        lg_buf_add_c(&out->buf, "\n");
    }
}

void draft_write_counts(const drafting *d, lg_json_writer *w)
{
    lg_jw_begin_object(w);
    for (draft_fate fate = DRAFT_OFFERED; fate < DRAFT_FATES; fate++) {
        size_t count = 0;
        for (size_t i = 0; i < d->count; i++) {
            count += d->items[i].fate == fate;
        }
        lg_jw_member_uint(w, draft_fate_word(fate), count);
    }
    lg_jw_end_object(w);
}
