// doc.c: documents that own their text, lines of values, and places in a text.
#include "json/json_internal.h"

#include "base/str.h"

struct lg_json_doc {
    lg_arena arena; // holds this struct too
    lg_str text;
    const lg_json *root;
};

// The document and its text, in an arena that the document takes over.
static lg_json_doc *make_doc(lg_arena *arena, lg_str text, lg_error *reterr)
{
    lg_json_doc *doc = LG_NEW(arena, lg_json_doc);
    if (doc) {
        doc->text = lg_arena_str(arena, text);
    }
    if (doc && doc->text.ptr) {
        return doc;
    }
    size_t needed = doc ? text.len + 1 : sizeof(*doc);
    if (needed > arena->limit_bytes - arena->held_bytes) {
        (void)lg_fail(reterr, LG_ERR_LIMIT,
                      "more memory needed than the limit of %zu bytes (document_bytes)",
                      arena->limit_bytes);
    } else {
        (void)lg_fail_oom(reterr);
    }
    return NULL;
}

lg_status lg_json_parse(lg_str text, const lg_limits *limits, lg_json_doc **ret_doc,
                        lg_error *reterr)
{
    lg_limits l = lg_limits_resolve(limits);
    size_t most = l.json_bytes < LG_JSON_NO_OFFSET ? l.json_bytes : LG_JSON_NO_OFFSET - 1;
    if (text.len > most) {
        return lg_fail(reterr, LG_ERR_LIMIT,
                       "JSON text of %zu bytes, the limit is %zu (json_bytes)", text.len, most);
    }
    lg_error ignored;
    lg_error *err = reterr ? reterr : &ignored;
    lg_arena arena;
    lg_arena_init(&arena, l.document_bytes);
    lg_json_doc *doc = make_doc(&arena, text, err);
    lg_status status =
        doc ? lg_json_parse_in(&arena, doc->text, 0, text.len, &l, &doc->root, err) : err->status;
    if (status != LG_OK) {
        lg_arena_done(&arena);
        return status;
    }
    doc->arena = arena;
    *ret_doc = doc;
    return LG_OK;
}

const lg_json *lg_json_root(const lg_json_doc *doc)
{
    return doc->root;
}

void lg_json_doc_free(lg_json_doc *doc)
{
    if (doc) {
        lg_arena arena = doc->arena; // the struct lies in its own arena
        lg_arena_done(&arena);
    }
}

lg_position lg_text_position(lg_str text, size_t offset)
{
    lg_position at = {.line = 1, .column = 1};
    size_t end = offset < text.len ? offset : text.len;
    for (size_t i = 0; i < end; i++) {
        if (text.ptr[i] == '\n') {
            at.line++;
            at.column = 1;
        } else if (((unsigned char)text.ptr[i] & 0xC0) != 0x80) {
            at.column++;
        }
    }
    return at;
}

uint32_t lg_line_walk_to(lg_line_walk *walk, size_t offset)
{
    size_t end = offset < walk->text.len ? offset : walk->text.len;
    if (end < walk->at) {
        walk->at = 0;
        walk->passed = 0;
    }
    while (walk->at < end) {
        const char *line_end = memchr(walk->text.ptr + walk->at, '\n', end - walk->at);
        walk->passed += line_end != NULL;
        walk->at = line_end ? (size_t)(line_end - walk->text.ptr) + 1 : end;
    }
    return walk->passed + 1;
}

static bool is_blank(lg_str text, size_t from, size_t to)
{
    return lg_str_trim(lg_str_slice(text, from, to)).len == 0;
}

bool lg_json_is_lines(lg_arena *arena, lg_str text, const lg_limits *limits)
{
    size_t from = 0;
    size_t end = lg_str_line_end(text, 0);
    while (end < text.len && is_blank(text, from, end)) {
        from = end + 1;
        end = lg_str_line_end(text, from);
    }
    if (is_blank(text, end, text.len)) {
        return false;
    }
    const lg_json *value = NULL;
    lg_arena_mark mark = lg_arena_mark_here(arena);
    lg_status status = lg_json_parse_in(arena, text, from, end, limits, &value, NULL);
    lg_arena_rewind(arena, mark);
    return status == LG_OK;
}
