// yaml.c: libyaml's events to values. The only file that includes yaml.h.
//
// libyaml tells line and column of every node; a table of line starts turns these into byte
// offsets, so that a YAML value is placed just as a JSON value is.
#include "pack/yaml.h"
#include "base/utf8.h"

#include <yaml.h>

typedef struct reader {
    yaml_parser_t parser;
    lg_arena *arena;
    lg_str text;
    const char *file;
    lg_limits limits;
    const uint32_t *line_starts;
    size_t line_count;
    size_t known_line, known_column; // of `known_offset`, where the latest node began
    size_t known_offset;
    lg_error *reterr;
} reader;

// libyaml ends a line at CR, LF, CRLF, NEL, LS and PS; returns the length of a break at `at`, or 0.
static size_t line_break_length(lg_str text, size_t at)
{
    const unsigned char *p = (const unsigned char *)text.ptr + at;
    size_t left = text.len - at;
    if (p[0] == '\r') {
        return left > 1 && p[1] == '\n' ? 2 : 1;
    }
    if (p[0] == '\n') {
        return 1;
    }
    if (p[0] == 0xC2 && left > 1 && p[1] == 0x85) {
        return 2;
    }
    return p[0] == 0xE2 && left > 2 && p[1] == 0x80 && (p[2] == 0xA8 || p[2] == 0xA9) ? 3 : 0;
}

static lg_status index_lines(reader *r)
{
    size_t capacity = 0;
    uint32_t *starts = NULL;
    size_t count = 0;
    for (size_t at = 0, start = 0;; at = start) {
        starts = lg_arena_grow(r->arena, starts, count, &capacity, sizeof(*starts));
        if (!starts) {
            return lg_fail_oom(r->reterr);
        }
        starts[count++] = (uint32_t)start;
        size_t length = 0;
        while (at < r->text.len && (length = line_break_length(r->text, at)) == 0) {
            at++;
        }
        if (at >= r->text.len) {
            break;
        }
        start = at + length;
    }
    r->line_starts = starts;
    r->line_count = count;
    return LG_OK;
}

// Nodes come in the order of the text, so the search goes on from the one before: a file of a single
// long line is not walked from its start for every node.
static uint32_t offset_of(reader *r, yaml_mark_t mark)
{
    if (mark.line >= r->line_count) {
        return (uint32_t)r->text.len;
    }
    size_t at = r->line_starts[mark.line];
    size_t column = 0;
    if (mark.line == r->known_line && mark.column >= r->known_column) {
        at = r->known_offset;
        column = r->known_column;
    }
    for (; column < mark.column && at < r->text.len; column++) {
        lg_utf8_next(r->text, &at);
    }
    r->known_line = mark.line;
    r->known_column = column;
    r->known_offset = at;
    return (uint32_t)at;
}

// Lines are counted as everywhere else here, by line feeds: libyaml ends them at CR and others too.
static lg_position position_of(reader *r, yaml_mark_t mark)
{
    lg_position at = lg_text_position(r->text, offset_of(r, mark));
    at.file = r->file;
    return at;
}

// What an author may do about the commonest slips, all of which are a text that YAML takes for more.
static const char *advice_on(const char *problem, const char *context, lg_str text, size_t at)
{
    size_t before = at < text.len ? at : text.len;
    while (before > 0 && text.ptr[before - 1] == ' ') {
        before--;
    }
    bool closed = before > 0 && strchr("}]\"'", text.ptr[before - 1]);
    if (strstr(context, "flow")) {
        return "; within { } and [ ], a text with any of [ ] { } , : # needs quotes";
    }
    if (strstr(context, "tag") || strstr(context, "anchor") || strstr(context, "alias")) {
        return "; put quotes around a text that begins with !, & or *";
    }
    bool tab = strstr(problem, "tab character") || (at < text.len && text.ptr[at] == '\t');
    if (tab || strstr(problem, "cannot start any token")) {
        return tab ? "; lines are indented with blanks, not with tabs"
                   : "; put quotes around a text that begins with @, % or a backtick";
    }
    if (strstr(problem, "mapping values are not allowed")) {
        return "; a text with a colon and a blank in it needs quotes";
    }
    return strstr(context, "block") && closed
               ? "; a text that begins with {, [ or a quote needs quotes around all of it"
               : "";
}

static lg_status next_event(reader *r, yaml_event_t *ret_event)
{
    if (yaml_parser_parse(&r->parser, ret_event)) {
        return LG_OK;
    }
    if (r->parser.error == YAML_MEMORY_ERROR) {
        return lg_fail_oom(r->reterr);
    }
    lg_position at = position_of(r, r->parser.problem_mark);
    if (r->parser.error == YAML_READER_ERROR) { // then libyaml tells the byte only
        at = lg_text_position(r->text, r->parser.problem_offset);
        at.file = r->file;
    }
    const char *problem = r->parser.problem ? r->parser.problem : "unknown problem";
    const char *context = r->parser.context ? r->parser.context : "";
    return lg_fail_at(r->reterr, LG_ERR_PARSE, at, "not well-formed YAML: %s%s%s%s", problem,
                      context[0] ? ", " : "", context,
                      advice_on(problem, context, r->text, offset_of(r, r->parser.problem_mark)));
}

static lg_status refuse_anchor(reader *r, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (event->type == YAML_ALIAS_EVENT || anchor || tag) {
        return lg_fail_at(r->reterr, LG_ERR_PARSE, position_of(r, event->start_mark),
                          "anchors, aliases and tags are not supported: write it out, and put "
                          "quotes around a text that begins with !, & or *");
    }
    return LG_OK;
}

static lg_status parse_node(reader *r, yaml_event_t *event, uint32_t depth, lg_json *ret);

// A growing run of children, copied into place when the container ends.
typedef struct run {
    void *items;
    size_t count;
    size_t capacity;
} run;

static void *run_push(reader *r, run *items, size_t size)
{
    void *grown = lg_arena_grow(r->arena, items->items, items->count, &items->capacity, size);
    if (!grown) {
        lg_fail_oom(r->reterr);
        return NULL;
    }
    items->items = grown;
    return (char *)grown + size * items->count++;
}

static lg_status parse_sequence(reader *r, uint32_t depth, lg_json *ret)
{
    run items = {0};
    for (;;) {
        yaml_event_t event;
        lg_status status = next_event(r, &event);
        if (status != LG_OK) {
            return status;
        }
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        lg_json item;
        status = parse_node(r, &event, depth, &item);
        if (status != LG_OK) {
            return status;
        }
        lg_json *slot = run_push(r, &items, sizeof(item));
        if (!slot) {
            return LG_ERR_OOM;
        }
        *slot = item;
    }
    *ret = lg_json_make_array(items.items, items.count);
    return LG_OK;
}

static lg_status parse_key(reader *r, yaml_event_t *event, lg_json_member *ret)
{
    yaml_mark_t mark = event->start_mark;
    lg_status status = refuse_anchor(r, event);
    lg_str key = {NULL, 0};
    if (status == LG_OK && event->type != YAML_SCALAR_EVENT) {
        status = lg_fail_at(r->reterr, LG_ERR_PARSE, position_of(r, mark),
                            "a key must be a plain or quoted text");
    } else if (status == LG_OK) {
        bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        key = lg_arena_str(
            r->arena, lg_str_of((const char *)event->data.scalar.value, event->data.scalar.length));
        if (!key.ptr) {
            status = lg_fail_oom(r->reterr);
        } else if (plain && lg_str_eq(key, LG_STR("<<"))) {
            status = lg_fail_at(r->reterr, LG_ERR_PARSE, position_of(r, mark),
                                "merge keys are not supported");
        }
    }
    uint32_t offset = offset_of(r, event->start_mark);
    yaml_event_delete(event);
    if (status == LG_OK) {
        *ret = lg_json_make_member(key, lg_json_make_null());
        ret->key_offset = offset;
    }
    return status;
}

// How many parentheses are opened and not closed; negative: closed and not opened.
static int64_t open_parentheses(lg_str text)
{
    int64_t open = 0;
    for (size_t i = 0; i < text.len; i++) {
        open += text.ptr[i] == '(';
        open -= text.ptr[i] == ')';
    }
    return open;
}

// `{m: f(a, b)}` is `f(a` under m, and a key `b)` without a value. Such a key, or NULL.
static const lg_json_member *find_torn(const lg_json *object)
{
    int64_t open = 0;
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        int64_t closed = open_parentheses(lg_json_key(member));
        if (!lg_json_is(&member->value, LG_JSON_NULL)) {
            open = open_parentheses(lg_json_str(&member->value));
        } else if (open > 0 && closed < 0) {
            return member;
        }
    }
    return NULL;
}

static lg_status finish_mapping(reader *r, const run *pairs, lg_json *ret)
{
    lg_json_member *members = lg_json_alloc_members(r->arena, pairs->count);
    if (!members) {
        return lg_fail_oom(r->reterr);
    }
    if (pairs->count) {
        memcpy(members, pairs->items, pairs->count * sizeof(*members));
    }
    *ret = lg_json_make_object(members, pairs->count);
    for (size_t i = 0; i < pairs->count; i++) {
        if (lg_json_get(ret, lg_json_key(&members[i])) != &members[i].value) {
            lg_position at = lg_text_position(r->text, members[i].key_offset);
            at.file = r->file;
            return lg_fail_at(r->reterr, LG_ERR_PARSE, at, "duplicate key `%.*s`",
                              LG_FMT(lg_json_key(&members[i])));
        }
    }
    const lg_json_member *torn = find_torn(ret);
    if (torn) {
        lg_position at = lg_text_position(r->text, torn->key_offset);
        at.file = r->file;
        return lg_fail_at(
            r->reterr, LG_ERR_PARSE, at,
            "`%.*s` is the end of a text that a comma has cut: within { } a text with a "
            "comma needs quotes",
            LG_FMT(lg_json_key(torn)));
    }
    return LG_OK;
}

static lg_status parse_mapping(reader *r, uint32_t depth, lg_json *ret)
{
    run pairs = {0};
    for (;;) {
        yaml_event_t event;
        lg_status status = next_event(r, &event);
        if (status != LG_OK) {
            return status;
        }
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        lg_json_member member;
        status = parse_key(r, &event, &member);
        if (status == LG_OK) {
            status = next_event(r, &event);
        }
        if (status == LG_OK) {
            status = parse_node(r, &event, depth, &member.value);
        }
        if (status != LG_OK) {
            return status;
        }
        lg_json_member *slot = run_push(r, &pairs, sizeof(member));
        if (!slot) {
            return LG_ERR_OOM;
        }
        *slot = member;
    }
    return finish_mapping(r, &pairs, ret);
}

// Plain scalars that JSON would read as a literal or number are that; all others are strings.
static lg_status parse_scalar(reader *r, const yaml_event_t *event, lg_json *ret)
{
    lg_str value = {(const char *)event->data.scalar.value, event->data.scalar.length};
    if (value.len > r->limits.json_string_bytes || value.len > LG_JSON_LEN_MAX) {
        return lg_fail_at(r->reterr, LG_ERR_LIMIT, position_of(r, event->start_mark),
                          "a text is longer than the limit of %zu bytes (json_string_bytes)",
                          r->limits.json_string_bytes);
    }
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        if (value.len == 0 || lg_str_eq(value, LG_STR("~"))) {
            *ret = lg_json_make_null();
            return LG_OK;
        }
        const lg_json *literal;
        lg_str copy = lg_arena_str(r->arena, value);
        if (copy.ptr && strchr("-0123456789tfn", value.ptr[0]) &&
            lg_json_parse_in(r->arena, copy, 0, copy.len, &r->limits, &literal, NULL) == LG_OK) {
            *ret = *literal;
            return LG_OK;
        }
    }
    lg_str copy = lg_arena_str(r->arena, value);
    if (!copy.ptr) {
        return lg_fail_oom(r->reterr);
    }
    *ret = lg_json_make_str(copy);
    return LG_OK;
}

// Consumes `event`. Recursion is bounded by the depth limit.
static lg_status parse_node(reader *r, yaml_event_t *event, uint32_t depth, lg_json *ret)
{
    uint32_t offset = offset_of(r, event->start_mark);
    lg_status status = refuse_anchor(r, event);
    if (status == LG_OK && depth > r->limits.json_depth) {
        status = lg_fail_at(r->reterr, LG_ERR_LIMIT, position_of(r, event->start_mark),
                            "nested deeper than the limit of %u levels (json_depth)",
                            r->limits.json_depth);
    }
    yaml_event_type_t type = event->type;
    if (status == LG_OK && type == YAML_SCALAR_EVENT) {
        status = parse_scalar(r, event, ret);
    }
    yaml_event_delete(event);
    if (status == LG_OK && type == YAML_SEQUENCE_START_EVENT) {
        status = parse_sequence(r, depth + 1, ret);
    } else if (status == LG_OK && type == YAML_MAPPING_START_EVENT) {
        status = parse_mapping(r, depth + 1, ret);
    }
    if (status == LG_OK) {
        ret->offset = offset;
    }
    return status;
}

// Stream start, document start, the node, document end, stream end.
static lg_status parse_document(reader *r, lg_json *ret)
{
    bool found = false;
    for (;;) {
        yaml_event_t event;
        lg_status status = next_event(r, &event);
        if (status != LG_OK) {
            return status;
        }
        yaml_event_type_t type = event.type;
        yaml_mark_t mark = event.start_mark;
        bool frame = type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_END_EVENT ||
                     type == YAML_STREAM_END_EVENT || type == YAML_DOCUMENT_START_EVENT;
        if (frame) {
            yaml_event_delete(&event);
        }
        if (type == YAML_DOCUMENT_START_EVENT && found) {
            return lg_fail_at(r->reterr, LG_ERR_PARSE, position_of(r, mark),
                              "a second YAML document begins here");
        }
        if (type == YAML_STREAM_END_EVENT) {
            break;
        }
        if (!frame) {
            found = true;
            status = parse_node(r, &event, 1, ret);
            if (status != LG_OK) {
                return status;
            }
        }
    }
    return found ? LG_OK
                 : lg_fail_at(r->reterr, LG_ERR_PARSE, (lg_position){r->file, 1, 1},
                              "the file is empty");
}

static lg_status parse_yaml(reader *r, const lg_json **ret_value)
{
    lg_json *root = LG_NEW(r->arena, lg_json);
    if (!root || index_lines(r) != LG_OK || !yaml_parser_initialize(&r->parser)) {
        return lg_fail_oom(r->reterr);
    }
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text.ptr, r->text.len);
    lg_status status = parse_document(r, root);
    yaml_parser_delete(&r->parser);
    if (status == LG_OK) {
        *ret_value = root;
    }
    return status;
}

lg_status lg_yaml_parse(lg_arena *arena, lg_str text, const char *file, const lg_limits *limits,
                        const lg_json **ret_value, lg_error *reterr)
{
    lg_error error = {0};
    reader r = {.arena = arena,
                .text = text,
                .file = file,
                .limits = lg_limits_resolve(limits),
                .reterr = &error};
    lg_status status;
    size_t valid = lg_utf8_valid_prefix(text);
    if (text.len > r.limits.json_bytes || text.len >= UINT32_MAX) {
        status = lg_fail(&error, LG_ERR_LIMIT, "larger than the limit of %zu bytes (json_bytes)",
                         r.limits.json_bytes);
    } else if (valid < text.len) {
        lg_position at = lg_text_position(lg_str_slice(text, 0, valid), valid);
        status = lg_fail_at(&error, LG_ERR_PARSE, at, "not valid UTF-8; is it a text file?");
    } else if (lg_str_starts(lg_str_trim(text), LG_STR("{"))) {
        status = lg_json_parse_in(arena, text, 0, text.len, limits, ret_value, &error);
    } else {
        status = parse_yaml(&r, ret_value);
    }
    error.file = file;
    if (status != LG_OK && reterr) {
        *reterr = error;
    }
    return status;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Where the content of a scalar begins: past a quote, or past the header line of a block scalar.
static size_t content_start(lg_str text, size_t at, char *ret_quote)
{
    *ret_quote = 0;
    if (at < text.len && (text.ptr[at] == '\'' || text.ptr[at] == '"')) {
        *ret_quote = text.ptr[at];
        return at + 1;
    }
    if (at < text.len && (text.ptr[at] == '>' || text.ptr[at] == '|')) {
        while (at < text.len && text.ptr[at] != '\n') {
            at++;
        }
        while (at < text.len && is_space(text.ptr[at])) {
            at++;
        }
    }
    return at;
}

size_t lg_yaml_locate(lg_str text, const lg_json *scalar, size_t value_offset)
{
    if (scalar->offset == LG_JSON_NO_OFFSET || scalar->offset > text.len) {
        return 0;
    }
    lg_str value = lg_json_str(scalar);
    char quote;
    size_t at = content_start(text, scalar->offset, &quote);
    // Both texts are walked side by side. Where they differ, the source has a line break and the
    // next line's indentation for one blank or newline of the value, or a quote's escape.
    for (size_t i = 0; i < value_offset && i < value.len && at < text.len; i++) {
        if (is_space(value.ptr[i]) && is_space(text.ptr[at])) {
            bool next_is_space = i + 1 < value.len && is_space(value.ptr[i + 1]);
            at++;
            while (!next_is_space && at < text.len && is_space(text.ptr[at])) {
                at++;
            }
            continue;
        }
        if (quote && (text.ptr[at] == '\\' || (quote == '\'' && text.ptr[at] == '\''))) {
            at++;
        }
        at++;
    }
    return at < text.len ? at : text.len;
}
