// multipart.c: the parts of a multipart/form-data body (RFC 7578; RFC 2046 section 5.1).
//
// A part is a name and a text. The names of files are not kept, and bytes that are no text become base64.
#include "rest/rest_internal.h"

// The value of `key` in a Content-Disposition; quotes are taken off, and what is escaped in them.
static lg_str disposition(lg_arena *arena, lg_str header, lg_str key)
{
    for (size_t at = lg_str_find(header, LG_STR(";")); at < header.len;) {
        lg_str part = lg_str_trim(lg_str_slice(header, at + 1, header.len));
        size_t equals = lg_str_find(part, LG_STR("="));
        lg_str name = lg_str_trim(lg_str_slice(part, 0, equals));
        size_t from = equals == SIZE_MAX ? part.len : equals + 1;
        bool quoted = from < part.len && part.ptr[from] == '"';
        size_t end = from + (quoted ? 1 : 0);
        char *out = lg_arena_alloc(arena, part.len + 1, 1);
        size_t len = 0;
        while (out && end < part.len && part.ptr[end] != (quoted ? '"' : ';')) {
            end += quoted && part.ptr[end] == '\\' && end + 1 < part.len ? 1 : 0;
            out[len++] = part.ptr[end++];
        }
        if (!out || lg_str_eq_any_case(name, key)) {
            return out ? lg_str_of(out, len) : (lg_str){0};
        }
        lg_str rest = lg_str_slice(part, end, part.len);
        size_t next = lg_str_find(rest, LG_STR(";"));
        at = next == SIZE_MAX ? header.len : (size_t)(rest.ptr - header.ptr) + next;
    }
    return (lg_str){0};
}

static bool add_part(rest_reading *r, lg_str part, rest_tree *tree)
{
    size_t end = lg_str_find(part, LG_STR("\r\n\r\n"));
    lg_str head = lg_str_slice(part, 0, end == SIZE_MAX ? part.len : end);
    lg_str name = {0};
    for (size_t at = 0; at < head.len && !name.ptr;) {
        lg_str line = lg_str_slice(head, at, lg_str_line_end(head, at));
        size_t colon = lg_str_find(line, LG_STR(":"));
        if (lg_str_eq_any_case(lg_str_trim(lg_str_slice(line, 0, colon)),
                               LG_STR("content-disposition"))) {
            name = disposition(r->arena, line, LG_STR("name"));
        }
        at += line.len + 1;
    }
    lg_str key;
    if (end == SIZE_MAX || name.len == 0) {
        return lg_rest_trouble(r, 400,
                               "a part of the multipart body has no name: it needs the "
                               "header `Content-Disposition: form-data; name=...`");
    }
    lg_str text = lg_rest_text_of(r->arena, lg_str_slice(part, end + 4, part.len));
    r->oom = r->oom || !text.ptr;
    return !r->oom && lg_rest_read_text(r, name, REST_PLAIN, &key) &&
           lg_rest_tree_add(tree, key, lg_rest_is_literal(r, key), text);
}

bool lg_rest_read_multipart(rest_reading *r, lg_str boundary, rest_tree *tree)
{
    lg_str body = r->request->body;
    lg_str mark = lg_arena_printf(r->arena, "\r\n--%.*s", LG_FMT(boundary));
    if (!mark.ptr) {
        r->oom = true;
        return false;
    }
    // The first boundary may stand at the very beginning, without a line end before it.
    lg_str first = lg_str_slice(mark, 2, mark.len);
    size_t at = lg_str_starts(body, first) ? 0 : lg_str_find(body, mark);
    at = at == SIZE_MAX ? at : at + (at == 0 && lg_str_starts(body, first) ? first.len : mark.len);
    for (uint32_t count = 0; boundary.len && at < body.len; count++) {
        lg_str rest = lg_str_slice(body, at, body.len);
        if (lg_str_starts(rest, LG_STR("--"))) {
            return true;
        }
        size_t line = lg_str_find(rest, LG_STR("\r\n"));
        size_t end =
            line == SIZE_MAX ? SIZE_MAX : lg_str_find(lg_str_slice(rest, line, rest.len), mark);
        if (end == SIZE_MAX) {
            break;
        }
        // A part without headers begins with the empty line itself.
        lg_str part = lg_str_slice(rest, line + 2, line + end < line + 2 ? line + 2 : line + end);
        if (count >= LG_REST_FIELDS_MAX) {
            return lg_rest_trouble(r, 400, "the body has more than %u parts", LG_REST_FIELDS_MAX);
        }
        if (!add_part(r, part, tree)) {
            return false;
        }
        at += line + end + mark.len;
    }
    return lg_rest_trouble(r, 400, "the multipart body has no closing boundary `--%.*s--`",
                           LG_FMT(lg_str_cut(boundary, 80)));
}
