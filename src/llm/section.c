// section.c: texts of strangers as a model is shown them, each between tags of its own.
#include "llm/llm.h"

#include <stdio.h>

static void add_mark(lg_buf *out, lg_str kept, lg_str text)
{
    if (kept.len < text.len) {
        lg_buf_addf(out, " [cut: %zu of %zu bytes]", kept.len, text.len);
    }
}

void lg_llm_add_cut(lg_buf *out, lg_str text, size_t most)
{
    lg_str kept = lg_str_cut(text, most);
    lg_buf_add(out, kept);
    add_mark(out, kept, text);
}

// `</name` becomes `< /name`.
void lg_llm_add_section(lg_buf *out, const char *name, lg_str text, size_t most)
{
    char closing[64];
    lg_str kept = lg_str_cut(text, most), rest = kept;
    int length = snprintf(closing, sizeof(closing), "</%s", name);
    lg_str mark = lg_str_of(closing, (size_t)length);
    lg_buf_addf(out, "<%s>\n", name);
    for (size_t at; (at = lg_str_find(rest, mark)) != SIZE_MAX;) {
        lg_buf_add(out, lg_str_slice(rest, 0, at));
        lg_buf_add_c(out, "< /");
        rest = lg_str_slice(rest, at + 2, rest.len);
    }
    lg_buf_add(out, rest);
    add_mark(out, kept, text);
    lg_buf_addf(out, "\n</%s>\n", name);
}
