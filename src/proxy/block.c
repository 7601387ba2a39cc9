// block.c: the ledger in the prompt (LedgerAgent section 3.2), whole or as what has changed.
//
// `append` is for upstreams that keep what they have read: a block stays where it was, and the next one tells only
// what is different since, line by line, because the ledger is one line a record. So the text of each block follows
// from the conversation before it, and a request is a prefix of the next one.
#include "proxy/proxy_internal.h"

#include "base/alloc.h"

#include <stdlib.h>

static const char head_current[] = "\n\n[LedgerGate, not written by the user: the state of this "
                                   "conversation as the tools have shown "
                                   "it. It supersedes every earlier such block.]\n";
static const char head_changes[] = "\n\n[LedgerGate, not written by the user: what has changed "
                                   "since the last such block. A line here "
                                   "supersedes the earlier ones of the same path.]\n";

// --- Lines --------------------------------------------------------------------------------------

typedef struct lines {
    lg_str *items;
    size_t count;
} lines;

static int in_order(const void *a, const void *b)
{
    return lg_str_cmp(*(const lg_str *)a, *(const lg_str *)b);
}

// The lines of the ledger but its first, which counts the records.
static bool split(lg_arena *arena, lg_str text, lines *ret)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; at = lg_str_line_end(text, at) + 1) {
        count++;
    }
    *ret = (lines){.items = LG_NEW_ARRAY(arena, lg_str, count)};
    if (!ret->items) {
        return false;
    }
    for (size_t at = 0; at < text.len; at = lg_str_line_end(text, at) + 1) {
        lg_str line = lg_str_slice(text, at, lg_str_line_end(text, at));
        if (at > 0) {
            ret->items[ret->count++] = line;
        }
    }
    return true;
}

static bool sort(lg_arena *arena, const lines *from, lines *ret)
{
    *ret = (lines){.items = LG_NEW_ARRAY(arena, lg_str, from->count), .count = from->count};
    if (!ret->items) {
        return false;
    }
    for (size_t i = 0; i < from->count; i++) {
        ret->items[i] = from->items[i];
    }
    if (ret->count > 1) {
        qsort(ret->items, ret->count, sizeof(*ret->items), in_order);
    }
    return true;
}

static bool has(const lines *sorted, lg_str line)
{
    return sorted->count &&
           bsearch(&line, sorted->items, sorted->count, sizeof(*sorted->items), in_order) != NULL;
}

// Where " = " stands behind the path: its keys may hold that as well, in quotes. SIZE_MAX: nowhere.
static size_t path_end(lg_str line)
{
    bool quoted = false;
    for (size_t i = 0; i < line.len; i++) {
        if (quoted && line.ptr[i] == '\\') {
            i++;
        } else if (line.ptr[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && lg_str_starts(lg_str_slice(line, i, line.len), LG_STR(" = "))) {
            return i;
        }
    }
    return SIZE_MAX;
}

// What of an earlier line is still so: nothing has its path any more, or it is not owed any more.
static lg_str path_of(lg_str line)
{
    size_t end = path_end(line);
    bool owed = lg_str_starts(line, LG_STR("Owed: "));
    return owed || end == SIZE_MAX ? line : lg_str_slice(line, 0, end + 3);
}

static bool has_path(const lines *sorted, lg_str path)
{
    size_t low = 0;
    size_t high = sorted->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (lg_str_cmp(sorted->items[mid], path) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < sorted->count && lg_str_starts(sorted->items[low], path);
}

static void write_gone(lg_buf *out, const lines *before, const lines *now)
{
    for (size_t i = 0; i < before->count; i++) {
        lg_str line = before->items[i];
        lg_str path = path_of(line);
        if (has_path(now, path)) {
            continue;
        }
        if (lg_str_starts(line, LG_STR("ledger"))) {
            lg_buf_add_c(out, "No longer known: ");
            lg_buf_add(out, lg_str_slice(path, 0, path.len - 3));
            lg_buf_add_c(out, "\n");
        } else if (lg_str_starts(line, LG_STR("Owed: "))) {
            lg_buf_add_c(out, "No longer owed: ");
            lg_buf_add(out, lg_str_slice(line, 6, line.len));
            lg_buf_add_c(out, "\n");
        }
    }
}

// False: out of memory.
static bool write_changes(lg_buf *out, lg_str before, lg_str now, lg_arena *arena)
{
    lines old_lines;
    lines new_lines;
    lines old_sorted;
    lines new_sorted;
    if (!split(arena, before, &old_lines) || !split(arena, now, &new_lines) ||
        !sort(arena, &old_lines, &old_sorted) || !sort(arena, &new_lines, &new_sorted)) {
        return false;
    }
    for (size_t i = 0; i < new_lines.count; i++) {
        if (!has(&old_sorted, new_lines.items[i])) {
            lg_buf_add(out, new_lines.items[i]);
            lg_buf_add_byte(out, '\n');
        }
    }
    write_gone(out, &old_lines, &new_sorted);
    return true;
}

// --- The block ----------------------------------------------------------------------------------

static lg_status commit_shown(talk *t, lg_str now, bool whole, size_t bytes, lg_error *reterr)
{
    char *kept = lg_alloc(now.len + 1);
    if (!kept) {
        return lg_fail_oom(reterr);
    }
    lg_copy_bytes(kept, now.ptr, now.len);
    lg_free((void *)(uintptr_t)t->shown.ptr);
    t->shown = (lg_str){kept, now.len};
    t->since_whole = whole ? 0 : t->since_whole + bytes;
    t->whole_bytes = whole ? bytes : t->whole_bytes;
    t->shown_any = true;
    return LG_OK;
}

static lg_status write_append(const lg_proxy_route *route, talk *t, lg_str now, bool commit,
                              lg_buf *out, lg_error *reterr)
{
    size_t start = out->len;
    // As many bytes of changes as the whole one has: else a long ledger would come again every few turns, and the prompt
    // would grow with the square of the conversation.
    size_t again = route->options.block_again_bytes;
    again = again > t->whole_bytes ? again : t->whole_bytes;
    bool whole = !t->shown_any || t->since_whole >= again;
    if (t->shown_any && lg_str_eq(now, t->shown)) {
        return LG_OK;
    }
    lg_buf_add_c(out, whole ? head_current : head_changes);
    size_t head = out->len;
    bool made = true;
    if (whole) {
        lg_buf_add(out, now);
    } else {
        lg_arena scratch;
        lg_arena_init(&scratch, 0);
        made = write_changes(out, t->shown, now, &scratch);
        lg_arena_done(&scratch);
    }
    if (!made || lg_buf_status(out) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    if (out->len == head) { // nothing that has a line
        out->len = start;
        return LG_OK;
    }
    return commit ? commit_shown(t, now, whole, out->len - start, reterr) : LG_OK;
}

lg_status block_write(const lg_proxy_route *route, talk *t, bool commit, lg_buf *out,
                      lg_error *reterr)
{
    const lg_proxy_route_options *o = &route->options;
    if (o->block == LG_PROXY_BLOCK_NONE) {
        return LG_OK;
    }
    lg_render_options render = {.compact = o->block_compact, .budget_bytes = o->block_bytes};
    lg_str now;
    lg_status status = lg_render(t->session, &render, &now, reterr);
    if (status != LG_OK) {
        return status;
    }
    bool empty = lg_str_line_end(now, 0) + 1 >= now.len; // nothing is known, and nothing owed
    if (empty && !t->shown_any) {
        return LG_OK;
    }
    if (o->block == LG_PROXY_BLOCK_APPEND) {
        return write_append(route, t, now, commit, out, reterr);
    }
    lg_buf_add_c(out, head_current);
    lg_buf_add(out, now);
    return lg_buf_status(out) == LG_OK ? LG_OK : lg_fail_oom(reterr);
}
