// patch.c: how a pack's text changes, as a unified diff. All that is between the first and the last changed line is one
// hunk: entries are put in at one place.
#include "cli/extract/draft.h"

#define CONTEXT 3u

static size_t count_lines(lg_str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; count++) {
        at = lg_str_line_end(text, at) + 1;
    }
    return count;
}

// The line that begins at `at`, with its end, if it has one.
static lg_str line_at(lg_str text, size_t at)
{
    size_t end = lg_str_line_end(text, at);
    return lg_str_slice(text, at, end < text.len ? end + 1 : text.len);
}

static void add_line(lg_buf *out, char mark, lg_str line)
{
    lg_buf_add_byte(out, mark);
    lg_buf_add(out, line);
    if (!lg_str_ends(line, LG_STR("\n"))) {
        lg_buf_add_c(out, "\n\\ No newline at end of file\n");
    }
}

static void add_lines(lg_buf *out, char mark, lg_str text)
{
    for (size_t at = 0; at < text.len;) {
        lg_str line = line_at(text, at);
        add_line(out, mark, line);
        at += line.len;
    }
}

// How many bytes of whole lines both begin with.
static size_t same_begin(lg_str a, lg_str b)
{
    size_t at = 0;
    while (at < a.len && at < b.len && lg_str_eq(line_at(a, at), line_at(b, at))) {
        at += line_at(a, at).len;
    }
    return at;
}

// Where the line begins that ends before `end`.
static size_t line_before(lg_str text, size_t end)
{
    size_t at = end > 0 ? end - 1 : 0;
    while (at > 0 && text.ptr[at - 1] != '\n') {
        at--;
    }
    return at;
}

// How many bytes of whole lines both end with, beyond the first `from` bytes.
static size_t same_end(lg_str a, lg_str b, size_t from)
{
    size_t count = 0;
    while (a.len - count > from && b.len - count > from) {
        size_t in_a = line_before(a, a.len - count), in_b = line_before(b, b.len - count);
        lg_str of_a = lg_str_slice(a, in_a, a.len - count);
        lg_str of_b = lg_str_slice(b, in_b, b.len - count);
        if (in_a < from || in_b < from || !lg_str_eq(of_a, of_b)) {
            break;
        }
        count += of_a.len;
    }
    return count;
}

static void add_name(lg_buf *out, const char *sign, const char *side, const char *path)
{
    lg_str name = lg_str_c(path);
    while (lg_str_starts(name, LG_STR("./")) || lg_str_starts(name, LG_STR("/"))) {
        name = lg_str_slice(name, name.ptr[0] == '/' ? 1 : 2, name.len);
    }
    bool blank = lg_str_find(name, LG_STR(" ")) != SIZE_MAX; // where a name ends, then
    lg_buf_addf(out, "%s %s/%.*s%s\n", sign, side, LG_FMT(name), blank ? "\t" : "");
}

void draft_patch(lg_buf *out, const char *path, lg_str before, lg_str after)
{
    if (lg_str_eq(before, after)) {
        return;
    }
    size_t begin = same_begin(before, after), end = same_end(before, after, begin);
    size_t first = begin, last = before.len - end;
    for (size_t i = 0; i < CONTEXT && first > 0; i++) {
        first = line_before(before, first);
    }
    for (size_t i = 0; i < CONTEXT && last < before.len; i++) {
        last += line_at(before, last).len;
    }
    lg_str head = lg_str_slice(before, first, begin);
    lg_str tail = lg_str_slice(before, before.len - end, last);
    lg_str gone = lg_str_slice(before, begin, before.len - end);
    lg_str come = lg_str_slice(after, begin, after.len - end);
    size_t around = count_lines(head) + count_lines(tail);
    size_t from = count_lines(lg_str_slice(before, 0, first)) + 1;
    add_name(out, "---", "a", path);
    add_name(out, "+++", "b", path);
    lg_buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", from, around + count_lines(gone), from,
                around + count_lines(come));
    add_lines(out, ' ', head);
    add_lines(out, '-', gone);
    add_lines(out, '+', come);
    add_lines(out, ' ', tail);
}
