// answer.c: JSON in what a model has said, and what is wrong with it.
//
// Models that were asked for JSON put it into a code fence, say a word before it, or think aloud first. All of the text
// is tried, then what stands in fences, then each place where an object or a list begins. What is found is only taken if it is
// JSON from its first to its last byte, and then the schema decides.
#include "llm/llm_internal.h"

#define MOST_TRIES 32u
#define MOST_WRONG 5u

typedef struct search {
    lg_arena *arena;
    const lg_limits *limits;
    unsigned tries;
    lg_error error; // of the first thing that looked like it
    const lg_json *found;
} search;

static bool is_container(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_OBJECT) || lg_json_is(value, LG_JSON_ARRAY);
}

// True: there is no use in looking further.
static bool try(search *s, lg_str text, bool any)
{
    const lg_json *value = NULL;
    lg_error error = {0};
    text = lg_str_trim(text);
    if (text.len == 0 || s->tries++ >= MOST_TRIES) {
        return s->tries > MOST_TRIES;
    }
    lg_status status = lg_json_parse_in(s->arena, text, 0, text.len, s->limits, &value, &error);
    if (status == LG_OK && (any || is_container(value))) {
        s->found = value;
        return true;
    }
    bool looks = text.ptr[0] == '{' || text.ptr[0] == '[';
    if (status == LG_ERR_OOM || (s->error.status == LG_OK && status != LG_OK && looks)) {
        s->error = error;
    }
    return status == LG_ERR_OOM;
}

static lg_str after_thinking(lg_str text)
{
    static const lg_str end = {"</think>", 8};
    size_t at;
    while ((at = lg_str_find(text, end)) != SIZE_MAX) {
        text = lg_str_slice(text, at + end.len, text.len);
    }
    return text;
}

static bool try_fences(search *s, lg_str text)
{
    static const lg_str fence = {"```", 3};
    size_t from = lg_str_find(text, fence);
    while (from != SIZE_MAX) {
        size_t begin = lg_str_line_end(text, from);
        lg_str rest = lg_str_slice(text, begin, text.len);
        size_t end = lg_str_find(rest, fence);
        if (try(s, lg_str_slice(rest, 0, end), false)) {
            return true;
        }
        if (end == SIZE_MAX) {
            return false;
        }
        size_t next = begin + end + fence.len;
        size_t found = lg_str_find(lg_str_slice(text, next, text.len), fence);
        from = found == SIZE_MAX ? SIZE_MAX : next + found;
    }
    return false;
}

// Where the object or list that begins at `from` ends, brackets in strings not counted; 0: it does not.
static size_t balanced_end(lg_str text, size_t from)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = from; i < text.len; i++) {
        char c = text.ptr[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

static void try_places(search *s, lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '{' && text.ptr[i] != '[') {
            continue;
        }
        size_t end = balanced_end(text, i);
        if (try(s, lg_str_slice(text, i, end ? end : text.len), false)) {
            return;
        }
        i = end ? end - 1 : i;
    }
}

const lg_json *lg_llm_find_json(lg_arena *arena, lg_str text, const lg_limits *limits,
                                lg_error *reterr)
{
    search s = {.arena = arena, .limits = limits};
    lg_str said = after_thinking(text);
    if (!try(&s, said, true) && !try_fences(&s, said)) {
        try_places(&s, said);
    }
    if (s.found) {
        return s.found;
    }
    if (s.error.status == LG_ERR_OOM) {
        lg_fail_oom(reterr);
    } else if (s.error.status != LG_OK) {
        lg_fail(reterr, LG_ERR_PARSE, "it is no well-formed JSON: line %u, column %u: %s",
                s.error.line, s.error.column, s.error.msg);
    } else {
        lg_fail(reterr, LG_ERR_PARSE, "there is no JSON in it");
    }
    return NULL;
}

bool lg_llm_answer_fits(lg_arena *arena, const lg_schema *schema, const lg_json *value,
                        lg_str *ret_wrong)
{
    lg_schema_violation items[MOST_WRONG];
    lg_schema_report report = {.items = items, .capacity = MOST_WRONG};
    *ret_wrong = LG_STR("");
    if (lg_schema_validate(schema, value, &report)) {
        return true;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < report.count; i++) {
        const char *at = items[i].instance_pointer;
        lg_buf_addf(&text, "%sat %s: %s", i ? "; " : "", at[0] ? at : "the top", items[i].msg);
    }
    if (report.dropped) {
        lg_buf_addf(&text, "; and %zu more", report.dropped);
    }
    if (lg_buf_status(&text) == LG_OK) {
        lg_str kept = lg_arena_str(arena, lg_buf_str(&text));
        *ret_wrong = kept.ptr ? kept : LG_STR("it is not what the schema allows");
    }
    lg_buf_done(&text);
    return false;
}
