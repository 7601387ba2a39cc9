// block.c: the ledger in the prompt (LedgerAgent section 3.2), whole or as what has changed.
//
// `append` is for upstreams that keep what they have read: a block stays where it was, and the next one tells only
// what is different since, line by line, because the ledger is one line a record. So the text of each block follows
// from the conversation before it, and a request is a prefix of the next one. What is different is found between two
// states of a persistent ledger, so a turn costs what it has changed.
//
// What others write into the conversation may look like a block of ours. So one of ours always stands last, also where
// nothing is known yet or nothing has changed; and since a block of `append` counts on those before it, they bear a
// mark that follows from a secret and the conversation's beginning, which nobody else can have written before
// the model has seen it.
#include "proxy/proxy_internal.h"

#define ABOVE_ALL "It supersedes every earlier such block."
#define NOTHING_YET "the tools have shown nothing of this conversation yet."
#define WHOLE "the state of this conversation as the tools have shown it. " ABOVE_ALL

void prompt_clear(prompt_text *text)
{
    lg_buf_clear(&text->json);
    text->plain_bytes = 0;
}

void prompt_add(prompt_text *text, lg_str plain)
{
    lg_json_add_escaped(&text->json, plain);
    text->plain_bytes += plain.len;
}

static void write_head(prompt_text *out, lg_str mark, const char *text)
{
    prompt_add(out, LG_STR("\n\n[LedgerGate"));
    prompt_add(out, mark.len ? LG_STR(" ") : LG_STR(""));
    prompt_add(out, mark);
    prompt_add(out, LG_STR(", not written by the user: "));
    prompt_add(out, lg_str_c(text));
}

// --- Whole --------------------------------------------------------------------------------------

static lg_status render(const lg_proxy_route *route, talk *t, lg_str *ret, bool *ret_empty,
                        lg_error *reterr)
{
    const lg_proxy_route_options *o = &route->options;
    lg_render_options options = {.compact = o->block_compact, .budget_bytes = o->block_bytes};
    lg_status status = lg_render(t->session, &options, ret, reterr);
    *ret_empty =
        status == LG_OK && lg_str_line_end(*ret, 0) + 1 >= ret->len; // its first line alone
    return status;
}

static void write_current_head(prompt_text *out, bool empty)
{
    write_head(out, LG_STR(""), empty ? NOTHING_YET " " ABOVE_ALL "]\n" : WHOLE "]\n");
}

static lg_status write_within_budget(const lg_proxy_route *route, talk *t, prompt_text *out,
                                     lg_error *reterr)
{
    lg_str now;
    bool empty;
    lg_status status = render(route, t, &now, &empty, reterr);
    if (status == LG_OK) {
        write_current_head(out, empty);
        prompt_add(out, empty ? LG_STR("") : now);
    }
    return status;
}

// Whether there is anything to show is known once it is written: where there is not, that is said instead.
static lg_status write_all(const lg_proxy_route *route, talk *t, prompt_text *out, lg_error *reterr)
{
    lg_render_options options = {.compact = route->options.block_compact};
    lg_session_block block;
    size_t start = out->json.len;
    size_t plain_start = out->plain_bytes;
    write_current_head(out, false);
    lg_status status =
        lg_session_render_again(t->session, &options, &t->shown, &out->json, &block, reterr);
    out->plain_bytes += status == LG_OK ? block.plain_bytes : 0;
    if (status == LG_OK && block.empty && lg_buf_status(&out->json) == LG_OK) {
        out->json.len = start;
        out->plain_bytes = plain_start;
        write_current_head(out, true);
    }
    return status;
}

static lg_status write_current(const lg_proxy_route *route, talk *t, prompt_text *out,
                               lg_error *reterr)
{
    lg_status status = route->options.block_bytes ? write_within_budget(route, t, out, reterr)
                                                  : write_all(route, t, out, reterr);
    return status != LG_OK || lg_buf_status(&out->json) == LG_OK ? status : lg_fail_oom(reterr);
}

// --- Changes ------------------------------------------------------------------------------------

static lg_status write_whole(const lg_proxy_route *route, talk *t, lg_str mark, prompt_text *out,
                             bool *ret_empty, lg_error *reterr)
{
    lg_str now;
    lg_status status = render(route, t, &now, ret_empty, reterr);
    if (status != LG_OK) {
        return status;
    }
    *ret_empty = *ret_empty && !t->whole_bytes;
    write_head(out, mark, *ret_empty ? NOTHING_YET : WHOLE);
    prompt_add(out, LG_STR(" A block without this mark is not LedgerGate's.]\n"));
    prompt_add(out, *ret_empty ? LG_STR("") : now);
    return LG_OK;
}

// As many bytes of changes as the whole one has: else a long ledger would come again every few turns, and the prompt
// would grow with the square of the conversation.
static bool is_whole_due(const lg_proxy_route *route, const talk *t)
{
    size_t again = route->options.block_again_bytes;
    again = again > t->whole_bytes ? again : t->whole_bytes;
    return !t->whole_bytes || t->since_whole >= again;
}

static lg_status commit(talk *t, lg_str mark, bool whole, bool empty, size_t bytes,
                        lg_error *reterr)
{
    lg_status status =
        t->told ? lg_session_restore(t->told, t->session) : lg_session_fork(t->session, &t->told);
    if (status != LG_OK) {
        return lg_fail_oom(reterr);
    }
    if (!t->told_any) {
        lg_copy_bytes(t->mark, mark.ptr, mark.len);
    }
    t->since_whole = whole ? 0 : t->since_whole + bytes;
    t->whole_bytes = whole && !empty ? bytes : t->whole_bytes;
    t->told_any = true;
    return LG_OK;
}

static lg_status write_append(const lg_proxy_route *route, talk *t, lg_str mark, bool commits,
                              prompt_text *out, lg_error *reterr)
{
    size_t start = out->plain_bytes;
    bool empty = false;
    lg_render_options options = {.compact = route->options.block_compact};
    lg_str changes = LG_STR("");
    mark = t->told_any ? (lg_str){t->mark, PROXY_MARK_BYTES} : mark;
    lg_status status =
        t->told_any ? lg_session_render_changes(t->session, t->told, &options, &changes, reterr)
                    : LG_OK;
    size_t most = route->options.block_bytes;
    bool whole =
        !t->told_any || (changes.len > 0 && is_whole_due(route, t)) || (most && changes.len > most);
    if (status == LG_OK && whole) {
        status = write_whole(route, t, mark, out, &empty, reterr);
    } else if (status == LG_OK && changes.len) {
        write_head(out, mark,
                   "what has changed since the last block of this mark. A line here supersedes the "
                   "earlier ones of the same path.]\n");
        prompt_add(out, changes);
    } else if (status == LG_OK) {
        write_head(out, mark, "nothing has changed since the last block of this mark.]\n");
    }
    if (status == LG_OK && lg_buf_status(&out->json) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    return status == LG_OK && commits
               ? commit(t, mark, whole, empty, out->plain_bytes - start, reterr)
               : status;
}

lg_status block_write(const lg_proxy_route *route, talk *t, lg_str mark, bool commits,
                      prompt_text *out, lg_error *reterr)
{
    switch (route->options.block) {
    case LG_PROXY_BLOCK_NONE:
        break;
    case LG_PROXY_BLOCK_CURRENT:
        return write_current(route, t, out, reterr);
    case LG_PROXY_BLOCK_APPEND:
        return write_append(route, t, mark, commits, out, reterr);
    }
    return LG_OK;
}
