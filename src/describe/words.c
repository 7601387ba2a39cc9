// words.c: tools as people write them down: a name, what it does, and perhaps a list of parameters.
//
// A tool begins where a line names one: `Tool: get_weather`, a headline, or a line of its own with a name in front of a
// colon, a dash or a bracket. What stands up to the next one is read as a docstring is.
#include "describe/describe_internal.h"

#include "base/utf8.h"

typedef struct name_line {
    lg_str name;
    lg_str rest;   // of the line, behind the name
    bool brackets; // which is a list of parameters
} name_line;

static bool is_name_byte(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '_' || c == '.' || c == '-' || c == '/';
}

static bool any_case_in(lg_str word, const char *const *list)
{
    for (size_t i = 0; list[i]; i++) {
        if (lg_str_eq_any_case(word, lg_str_c(list[i]))) {
            return true;
        }
    }
    return false;
}

static lg_str without_front(lg_str line, const char *marks)
{
    while (line.len && line.ptr[0] && strchr(marks, line.ptr[0])) {
        line = lg_str_slice(line, 1, line.len);
    }
    return lg_str_trim(line);
}

// What the line says in front of the name: 0 nothing, 1 a headline or a number, 2 "Tool:".
static lg_str without_title(lg_str line, int *ret_sure)
{
    static const char *const titles[] = {
        "tool:", "tool name:", "function:", "name:", "function name:", "api:", "endpoint:"};
    size_t digits = 0;
    *ret_sure = 0;
    if (line.len && line.ptr[0] == '#') {
        line = without_front(line, "#");
        *ret_sure = 1;
    }
    while (digits < line.len && lg_is_digit(line.ptr[digits])) {
        digits++;
    }
    if (digits && digits + 1 < line.len && line.ptr[digits] == '.' && line.ptr[digits + 1] == ' ') {
        line = lg_str_trim(lg_str_slice(line, digits + 1, line.len));
        *ret_sure = 1;
    }
    line = without_front(line, "*`");
    for (size_t i = 0; i < LG_COUNT(titles); i++) {
        lg_str title = lg_str_c(titles[i]);
        if (lg_str_eq_any_case(lg_str_slice(line, 0, title.len), title)) {
            *ret_sure = 2;
            return without_front(lg_str_slice(line, title.len, line.len), "*` ");
        }
    }
    return line;
}

// Does the line name a tool? `begins`: it follows a blank line, or is the first.
static bool read_name(lg_str line, bool begins, name_line *ret)
{
    static const char *const others[] = {
        "tools",     "functions", "api",     "overview", "introduction", "description", "note",
        "important", "warning",   "example", "usage",    "http",         "https",       NULL};
    int sure;
    lg_str text = without_title(line, &sure);
    size_t len = 0;
    while (len < text.len && is_name_byte(text.ptr[len])) {
        len++;
    }
    while (len && (text.ptr[len - 1] == '.' || text.ptr[len - 1] == '-')) {
        len--;
    }
    lg_str rest = without_front(lg_str_slice(text, len, text.len), "`*");
    ret->name = lg_str_slice(text, 0, len);
    ret->brackets = rest.len && rest.ptr[0] == '(';
    bool divided =
        ret->brackets || lg_str_starts(rest, LG_STR(":")) || lg_str_starts(rest, LG_STR("- ")) ||
        lg_str_starts(rest, LG_STR("\xe2\x80\x94")) || lg_str_starts(rest, LG_STR("\xe2\x80\x93"));
    ret->rest = rest;
    bool named = len > 1 && len <= 128 && !lg_is_digit(text.ptr[0]) &&
                 (lg_is_letter(text.ptr[0]) || text.ptr[0] == '_');
    if (!named || describe_is_section(line) || any_case_in(ret->name, others)) {
        return false;
    }
    return sure == 2 || (sure == 1 && (divided || rest.len == 0)) || (begins && divided);
}

// The parameters of "get_weather(city, days=3)", if they read as Python's.
static void read_brackets(py *p, py_function *f, lg_str *rest)
{
    py inner = *p;
    size_t depth = 0;
    size_t end = 0;
    while (end < rest->len) {
        depth += rest->ptr[end] == '(';
        depth -= rest->ptr[end] == ')';
        end++;
        if (depth == 0) {
            break;
        }
    }
    if (depth || py_lex(p->j, lg_str_slice(*rest, 0, end), true, &inner.tokens, NULL) != LG_OK) {
        return;
    }
    inner.at = 0;
    py_function read = *f;
    if (py_take(&inner, "(") && py_reads_parameters(&inner, &read, false)) {
        *f = read;
        f->has_signature = true;
    }
    *rest = lg_str_trim(lg_str_slice(*rest, end, rest->len));
    if (lg_str_starts(*rest, LG_STR("->"))) {
        size_t stop = lg_str_find(*rest, LG_STR(": "));
        lg_str type = lg_str_trim(lg_str_slice(*rest, 2, stop));
        bool known = false;
        f->returns = py_type_of_words(p, type, &known);
        f->has_returns = known;
        *rest = lg_str_slice(*rest, stop, rest->len);
    }
}

static void add_tool(py *p, const name_line *name, size_t from, size_t to)
{
    job *j = p->j;
    py_function f = {.name = name->name, .loose = true};
    lg_str rest = name->rest;
    f.offset = (uint32_t)(name->name.ptr - j->text.ptr);
    j->tool = f.name;
    j->offset = f.offset;
    j->unknown_count = 0;
    if (name->brackets) {
        read_brackets(p, &f, &rest);
    }
    rest = without_front(rest, ":-`*");
    rest =
        lg_str_starts(rest, LG_STR("\xe2\x80\x94")) || lg_str_starts(rest, LG_STR("\xe2\x80\x93"))
            ? lg_str_trim(lg_str_slice(rest, 3, rest.len))
            : rest;
    f.doc = lg_arena_printf(j->arena, "%.*s\n%.*s", LG_FMT(rest),
                            LG_FMT(lg_str_slice(j->text, from, to)));
    if (!f.doc.ptr) {
        j->oom = true;
        return;
    }
    describe_add_function(p, &f);
    j->tool = LG_STR("");
}

lg_status describe_words(job *j, lg_error *reterr)
{
    py p = {.j = j};
    name_line name = {0}, next;
    lg_str text = j->text;
    size_t begin = 0;
    bool open = false, begins = true;
    for (size_t from = 0; from < text.len && !j->oom;) {
        size_t end = lg_str_line_end(text, from);
        lg_str raw = lg_str_slice(text, from, end);
        lg_str line = lg_str_trim(raw);
        bool flush = line.len && raw.ptr[0] == line.ptr[0];
        if (flush && read_name(line, begins, &next)) {
            if (open) {
                add_tool(&p, &name, begin, from);
            }
            name = next;
            open = true;
            begin = end + 1;
        }
        begins = line.len == 0;
        from = end + 1;
    }
    if (open) {
        add_tool(&p, &name, begin, text.len);
    }
    if (!open && !j->oom) {
        return lg_fail_at(
            reterr, LG_ERR_FORMAT, (lg_position){NULL, 1, 1},
            "no tool is named here: begin each with a line such as `Tool: get_weather` or "
            "`get_weather(city, days)`");
    }
    return LG_OK;
}
