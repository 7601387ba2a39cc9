// redaction.c: the payload of a redaction: {"sequences": [[from, to], ...], "why": "..."}, numbers growing.
#include "store/store_internal.h"
#include "json/writer.h"

lg_status store_write_redaction(const uint64_t *sequences, size_t count, lg_str why, lg_buf *out)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "sequences");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && sequences[end] == sequences[end - 1] + 1) {
            end++;
        }
        lg_jw_begin_array(&w);
        lg_jw_uint(&w, sequences[i]);
        lg_jw_uint(&w, sequences[end - 1]);
        lg_jw_end_array(&w);
        i = end;
    }
    lg_jw_end_array(&w);
    lg_jw_key(&w, "why");
    lg_jw_str(&w, why);
    lg_jw_end_object(&w);
    return lg_buf_status(out);
}

static bool read_number(const lg_json *value, uint64_t *ret)
{
    int64_t number;
    bool fine = lg_json_int(value, &number) && number > 0;
    *ret = fine ? (uint64_t)number : 0;
    return fine;
}

bool store_read_redaction(lg_arena *scratch, lg_str body,
                          void (*visit)(void *context, uint64_t from, uint64_t to), void *context)
{
    const lg_json *root;
    if (lg_json_parse_in(scratch, body, 0, body.len, NULL, &root, NULL) != LG_OK) {
        return false;
    }
    const lg_json *runs = lg_json_get(root, LG_STR("sequences"));
    if (!lg_json_is(runs, LG_JSON_ARRAY)) {
        return false;
    }
    for (size_t i = 0; i < lg_json_len(runs); i++) {
        uint64_t from;
        uint64_t to;
        const lg_json *run = lg_json_item(runs, i);
        if (lg_json_len(run) != 2 || !read_number(lg_json_item(run, 0), &from) ||
            !read_number(lg_json_item(run, 1), &to) || to < from) {
            return false;
        }
        visit(context, from, to);
    }
    return true;
}
