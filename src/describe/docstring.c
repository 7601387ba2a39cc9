// docstring.c: what a docstring, or a description in words, says of parameters and results.
//
// Google's style ("Args:" and indented entries), NumPy's (underlined sections), reST's (":param x: ...") and lists as
// people write them ("Parameters:", "- city (string, required): ...") are read by one machine, line by line: which
// section is this, and does the line begin an entry or go on with the last one?
#include "describe/describe_internal.h"

typedef enum section { SECTION_BODY, SECTION_PARAMS, SECTION_RETURNS, SECTION_OTHER } section;

static const struct {
    const char *word;
    section section;
} sections[] = {
    {"args", SECTION_PARAMS},
    {"arguments", SECTION_PARAMS},
    {"parameters", SECTION_PARAMS},
    {"params", SECTION_PARAMS},
    {"parameter", SECTION_PARAMS},
    {"inputs", SECTION_PARAMS},
    {"input", SECTION_PARAMS},
    {"keyword args", SECTION_PARAMS},
    {"keyword arguments", SECTION_PARAMS},
    {"other parameters", SECTION_PARAMS},
    {"input parameters", SECTION_PARAMS},
    {"returns", SECTION_RETURNS},
    {"return", SECTION_RETURNS},
    {"return value", SECTION_RETURNS},
    {"output", SECTION_RETURNS},
    {"outputs", SECTION_RETURNS},
    {"result", SECTION_RETURNS},
    {"response", SECTION_RETURNS},
    {"yields", SECTION_RETURNS},
    {"raises", SECTION_OTHER},
    {"errors", SECTION_OTHER},
    {"example", SECTION_OTHER},
    {"examples", SECTION_OTHER},
    {"note", SECTION_OTHER},
    {"notes", SECTION_OTHER},
    {"warnings", SECTION_OTHER},
    {"warning", SECTION_OTHER},
    {"see also", SECTION_OTHER},
    {"references", SECTION_OTHER},
    {"attributes", SECTION_OTHER},
    {"usage", SECTION_OTHER},
    {"todo", SECTION_OTHER},
};

typedef struct reading {
    job *j;
    doc d;
    bool loose, numpy;
    section section;
    size_t section_indent;
    size_t entry_indent; // SIZE_MAX: no entry yet
    bool in_entry;       // a line that is indented deeper goes on with it
    lg_buf body, text;   // text: of the entry, or of what is returned
    doc_entry entry;
    doc_entries *into;
} reading;

// --- Words --------------------------------------------------------------------------------------

lg_str describe_squeeze(job *j, lg_str text)
{
    char *out = lg_arena_alloc(j->arena, text.len + 1, 1);
    size_t len = 0;
    bool gap = false;
    for (size_t i = 0; out && i < text.len; i++) {
        char c = text.ptr[i];
        bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank && gap && len) {
            out[len++] = ' ';
        }
        if (!blank) {
            out[len++] = c;
        }
        gap = blank;
    }
    j->oom = j->oom || !out;
    return lg_str_of(out ? out : "", len);
}

static bool is_name_byte(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '_';
}

static size_t name_length(lg_str text)
{
    size_t len = 0;
    if (text.len && lg_is_digit(text.ptr[0])) {
        return 0;
    }
    while (len < text.len && (is_name_byte(text.ptr[len]) ||
                              (len && (text.ptr[len] == '.' || text.ptr[len] == '-') &&
                               len + 1 < text.len && is_name_byte(text.ptr[len + 1])))) {
        len++;
    }
    return len;
}

static lg_str without(lg_str text, const char *marks)
{
    while (text.len && strchr(marks, text.ptr[0])) {
        text = lg_str_slice(text, 1, text.len);
    }
    while (text.len && strchr(marks, text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

// The section that a line begins, and what stands behind its colon.
static bool section_of(lg_str line, section *ret, lg_str *ret_rest)
{
    bool marked = line.len && (line.ptr[0] == '#' || lg_str_starts(line, LG_STR("**")));
    size_t colon = lg_str_find(line, LG_STR(":"));
    lg_str head = lg_str_slice(line, 0, colon);
    head = lg_str_trim(without(lg_str_trim(without(head, "#")), "*"));
    *ret_rest = colon == SIZE_MAX ? LG_STR("") : lg_str_slice(line, colon + 1, line.len);
    *ret_rest = lg_str_trim(without(lg_str_trim(*ret_rest), "*"));
    for (size_t i = 0; i < LG_COUNT(sections); i++) {
        if (lg_str_eq_any_case(head, lg_str_c(sections[i].word))) {
            *ret = sections[i].section;
            return colon != SIZE_MAX || marked;
        }
    }
    return false;
}

bool describe_is_section(lg_str line)
{
    section ignored;
    lg_str rest;
    return section_of(line, &ignored, &rest);
}

// --- Entries ------------------------------------------------------------------------------------

static lg_str take_text(reading *r, lg_buf *buf)
{
    lg_str kept = describe_squeeze(r->j, lg_buf_str(buf));
    r->j->oom = r->j->oom || lg_buf_status(buf) != LG_OK;
    lg_buf_clear(buf);
    return kept;
}

static void end_entry(reading *r)
{
    lg_str text = take_text(r, &r->text);
    if (r->in_entry && r->into && r->into->count < LG_DESCRIBE_MEMBERS_MAX) {
        doc_entry *items = lg_arena_grow(r->j->arena, r->into->items, r->into->count,
                                         &r->into->capacity, sizeof(*items));
        if (!items) {
            r->j->oom = true;
            return;
        }
        r->entry.text = text;
        r->into->items = items;
        items[r->into->count++] = r->entry;
    } else if (r->section == SECTION_RETURNS && text.len && r->d.returns.len == 0) {
        r->d.returns = text;
    }
    r->in_entry = false;
}

// The end of the bracket that `text` begins with, or 0.
static size_t bracket_end(lg_str text)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        depth += strchr("([{", text.ptr[i]) != NULL && text.ptr[i];
        if (text.ptr[i] && strchr(")]}", text.ptr[i])) {
            depth--;
            if (depth == 0) {
                return i + 1;
            }
        }
    }
    return 0;
}

// Bytes of the dash that divides a name from what is said of it: "-", "--" or the longer ones of UTF-8.
static size_t dash_length(lg_str text)
{
    return lg_str_starts(text, LG_STR("\xe2\x80\x93")) ||
                   lg_str_starts(text, LG_STR("\xe2\x80\x94"))
               ? 3
           : lg_str_starts(text, LG_STR("--")) ? 2
           : lg_str_starts(text, LG_STR("-"))  ? 1
                                               : 0;
}

// "integer, optional, default 3 - how many" is a type up to the dash, if all of its parts are such words.
static void split_type(doc_entry *entry, lg_str *text)
{
    size_t end = lg_str_find(*text, LG_STR(" - "));
    size_t stop = lg_str_find(*text, LG_STR(". "));
    size_t bracket = lg_str_find(*text, LG_STR(" ("));
    size_t long_dash = lg_str_find(*text, LG_STR(" \xe2\x80\x94"));
    end = stop < end ? stop : end;
    end = long_dash < end ? long_dash : end;
    lg_str head = lg_str_trim(lg_str_slice(*text, 0, end));
    for (size_t from = 0; from <= head.len;) {
        size_t comma = lg_str_find(lg_str_slice(head, from, head.len), LG_STR(","));
        size_t to = comma == SIZE_MAX ? head.len : from + comma;
        if (!py_is_type_word(lg_str_trim(lg_str_slice(head, from, to)))) {
            // A type alone before a bracket: "integer (default 3) how many".
            lg_str first = lg_str_trim(lg_str_slice(*text, 0, bracket));
            if (bracket != SIZE_MAX && py_is_type_word(first)) {
                entry->type = first;
                *text = lg_str_slice(*text, bracket, text->len);
            }
            return;
        }
        from = to + 1;
    }
    entry->type = head;
    lg_str rest = lg_str_trim(lg_str_slice(*text, end, text->len));
    rest = lg_str_slice(rest, rest.len && rest.ptr[0] == '.' ? 1 : dash_length(rest), rest.len);
    *text = lg_str_trim(rest);
}

// Reads `city (string, required): the city`; false if the line is no entry.
static bool read_entry(const reading *r, lg_str line, doc_entry *ret, lg_str *ret_text)
{
    *ret = (doc_entry){LG_STR(""), LG_STR(""), LG_STR("")};
    bool quoted = line.len && strchr("`*\"", line.ptr[0]) && !lg_str_starts(line, LG_STR("* "));
    line = quoted ? lg_str_slice(line, lg_str_starts(line, LG_STR("**")) ? 2 : 1, line.len) : line;
    line = !quoted && r->section == SECTION_PARAMS && lg_str_starts(line, LG_STR("**"))
               ? lg_str_slice(line, 2, line.len)
               : line;
    line = quoted && line.len && line.ptr[0] == '`' ? lg_str_slice(line, 1, line.len) : line;
    size_t len = name_length(line);
    ret->name = lg_str_slice(line, 0, len);
    lg_str rest = lg_str_slice(line, len, line.len);
    while (quoted && rest.len && strchr("`*\"", rest.ptr[0])) {
        rest = lg_str_slice(rest, 1, rest.len);
    }
    rest = lg_str_trim(rest);
    if (len == 0) {
        return false;
    }
    bool typed = false;
    if (rest.len && rest.ptr[0] == '(') {
        size_t end = bracket_end(rest);
        ret->type = lg_str_trim(lg_str_slice(rest, 1, end ? end - 1 : 0));
        rest = lg_str_trim(lg_str_slice(rest, end, rest.len));
        typed = end > 0;
    }
    bool colon = rest.len && rest.ptr[0] == ':';
    size_t dash = colon ? 0 : dash_length(rest);
    if (!colon && dash == 0 && !(r->loose && (typed || rest.len == 0)) &&
        !(typed && rest.len == 0)) {
        return false;
    }
    rest = lg_str_trim(lg_str_slice(rest, colon ? 1 : dash, rest.len));
    if (r->numpy) {
        ret->type = rest;
        rest = LG_STR("");
    } else if (r->loose && !typed) {
        split_type(ret, &rest);
    }
    *ret_text = rest;
    return true;
}

// The line without "- ", "* ", "1. ".
static lg_str without_bullet(lg_str line, bool *ret_bullet)
{
    size_t digits = 0;
    while (digits < line.len && lg_is_digit(line.ptr[digits])) {
        digits++;
    }
    bool number = digits > 0 && digits + 1 < line.len &&
                  (line.ptr[digits] == '.' || line.ptr[digits] == ')') &&
                  line.ptr[digits + 1] == ' ';
    bool mark = line.len > 1 && strchr("-*+", line.ptr[0]) && line.ptr[1] == ' ';
    bool dot = lg_str_starts(line, LG_STR("\xe2\x80\xa2"));
    *ret_bullet = number || mark || dot;
    return lg_str_trim(lg_str_slice(line, number ? digits + 1 : mark ? 1 : dot ? 3 : 0, line.len));
}

static void add_text(lg_buf *out, lg_str text)
{
    lg_buf_add_c(out, out->len ? "\n" : "");
    lg_buf_add(out, text);
}

// --- Lines of a section -------------------------------------------------------------------------

static void begin_entry(reading *r, const doc_entry *entry, lg_str text, size_t indent)
{
    end_entry(r);
    r->entry = *entry;
    r->in_entry = true;
    r->entry_indent = r->entry_indent == SIZE_MAX ? indent : r->entry_indent;
    lg_buf_add(&r->text, text);
}

static void section_line(reading *r, lg_str line, size_t indent)
{
    doc_entry entry;
    lg_str text;
    bool bullet;
    lg_str bare = without_bullet(line, &bullet);
    bool at_level = r->entry_indent == SIZE_MAX || indent <= r->entry_indent;
    if (r->section == SECTION_PARAMS && at_level && read_entry(r, bare, &entry, &text)) {
        begin_entry(r, &entry, text, indent);
        return;
    }
    // NumPy's `a, b : int` and a name alone.
    if (r->section == SECTION_PARAMS && r->numpy && at_level && name_length(line) == line.len) {
        entry = (doc_entry){line, LG_STR(""), LG_STR("")};
        begin_entry(r, &entry, LG_STR(""), indent);
        return;
    }
    if (r->section == SECTION_RETURNS && bullet && at_level && read_entry(r, bare, &entry, &text)) {
        if (!r->in_entry && r->text.len && r->d.returns.len == 0) {
            r->d.returns = take_text(r, &r->text);
        }
        begin_entry(r, &entry, text, indent);
        return;
    }
    if (r->section == SECTION_RETURNS && r->numpy && indent <= r->section_indent && !r->in_entry &&
        r->d.returns_type.len == 0) {
        size_t colon = lg_str_find(line, LG_STR(" : "));
        r->d.returns_type =
            lg_str_trim(colon == SIZE_MAX ? line : lg_str_slice(line, colon + 3, line.len));
        return;
    }
    add_text(&r->text, bullet && r->in_entry ? bare : line);
}

// Google's "type: text" and "name (type): text" of what is returned.
static void split_returns(doc *d)
{
    size_t colon = lg_str_find(d->returns, LG_STR(":"));
    lg_str head = lg_str_trim(lg_str_slice(d->returns, 0, colon));
    size_t open = lg_str_find(head, LG_STR(" ("));
    if (d->returns_type.len || colon == SIZE_MAX || head.len == 0) {
        return;
    }
    if (open != SIZE_MAX && lg_str_ends(head, LG_STR(")")) && name_length(head) == open) {
        head = lg_str_slice(head, open + 2, head.len - 1);
    }
    if (py_is_type_word(head) || lg_str_find(head, LG_STR("[")) != SIZE_MAX) {
        d->returns_type = head;
        d->returns = lg_str_trim(lg_str_slice(d->returns, colon + 1, d->returns.len));
    }
}

static void begin_section(reading *r, section s, lg_str rest, size_t indent, bool numpy)
{
    end_entry(r);
    r->section = s;
    r->section_indent = indent;
    r->entry_indent = SIZE_MAX;
    r->numpy = numpy;
    r->into = s == SECTION_PARAMS ? &r->d.params : s == SECTION_RETURNS ? &r->d.results : NULL;
    r->d.says_params = r->d.says_params || s == SECTION_PARAMS;
    if (s == SECTION_RETURNS || !r->loose) {
        lg_buf_add(&r->text, rest);
        return;
    }
    // "Parameters: city (string), days (integer)" on one line.
    for (size_t from = 0; s == SECTION_PARAMS && from < rest.len;) {
        size_t depth = 0;
        size_t to = from;
        while (to < rest.len && (depth || rest.ptr[to] != ',')) {
            depth += strchr("([{", rest.ptr[to]) != NULL;
            depth -= depth && strchr(")]}", rest.ptr[to]) != NULL;
            to++;
        }
        doc_entry entry;
        lg_str text;
        if (read_entry(r, lg_str_trim(lg_str_slice(rest, from, to)), &entry, &text)) {
            begin_entry(r, &entry, text, indent + 1);
        }
        from = to + 1;
    }
    end_entry(r);
    r->entry_indent = SIZE_MAX;
}

// --- reST ---------------------------------------------------------------------------------------

static doc_entry *entry_of(doc_entries *entries, lg_str name)
{
    for (size_t i = 0; i < entries->count; i++) {
        if (lg_str_eq(entries->items[i].name, name)) {
            return &entries->items[i];
        }
    }
    return NULL;
}

// ":param int days: how many". False if the line is no field.
static bool read_field(reading *r, lg_str line, size_t indent)
{
    size_t colon = line.len && line.ptr[0] == ':'
                       ? lg_str_find(lg_str_slice(line, 1, line.len), LG_STR(":"))
                       : SIZE_MAX;
    if (colon == SIZE_MAX) {
        return false;
    }
    lg_str head = lg_str_trim(lg_str_slice(line, 1, colon + 1));
    lg_str text = lg_str_trim(lg_str_slice(line, colon + 2, line.len));
    size_t blank = lg_str_find(head, LG_STR(" "));
    lg_str word = lg_str_slice(head, 0, blank);
    lg_str rest = blank == SIZE_MAX ? LG_STR("") : lg_str_trim(lg_str_slice(head, blank, head.len));
    size_t last = rest.len;
    while (last > 0 && rest.ptr[last - 1] != ' ') {
        last--;
    }
    lg_str name = without(lg_str_slice(rest, last, rest.len), "*");
    bool param = lg_str_eq(word, LG_STR("param")) || lg_str_eq(word, LG_STR("parameter")) ||
                 lg_str_eq(word, LG_STR("arg")) || lg_str_eq(word, LG_STR("keyword"));
    if (param && name.len) {
        begin_section(r, SECTION_PARAMS, LG_STR(""), indent, false);
        doc_entry entry = {name, lg_str_trim(lg_str_slice(rest, 0, last)), LG_STR("")};
        begin_entry(r, &entry, text, indent);
        r->section = SECTION_OTHER; // what follows goes on with it, whatever it looks like
        return true;
    }
    if (lg_str_eq(word, LG_STR("returns")) || lg_str_eq(word, LG_STR("return"))) {
        begin_section(r, SECTION_RETURNS, text, indent, false);
        return true;
    }
    begin_section(r, SECTION_OTHER, LG_STR(""), indent, false);
    if (lg_str_eq(word, LG_STR("rtype"))) {
        r->d.returns_type = text;
    }
    doc_entry *typed = lg_str_eq(word, LG_STR("type")) ? entry_of(&r->d.params, name) : NULL;
    if (typed) {
        typed->type = text;
    }
    return true;
}

// --- All of it ----------------------------------------------------------------------------------

static bool is_rule(lg_str line)
{
    size_t len = 0;
    while (len < line.len && (line.ptr[len] == '-' || line.ptr[len] == '=')) {
        len++;
    }
    return len >= 3 && len == line.len;
}

static void body_line(reading *r, lg_str line)
{
    doc_entry entry;
    lg_str text;
    bool bullet;
    lg_str bare = without_bullet(line, &bullet);
    // In words a list of entries with types needs no headline.
    if (r->loose && bullet && read_entry(r, bare, &entry, &text) &&
        (entry.type.len || (line.len > 2 && line.ptr[2] == '`'))) {
        begin_section(r, SECTION_PARAMS, LG_STR(""), 0, false);
        begin_entry(r, &entry, text, 0);
        return;
    }
    add_text(&r->body, line);
}

// A parameter may be called `note` or `returns`: among the entries of Google's style what is indented as they are is one of
// them, and in NumPy's a section is underlined.
static bool is_entry_here(const reading *r, lg_str line, size_t indent, bool underlined)
{
    bool marked = line.ptr[0] == '#' || line.ptr[0] == '*';
    if (r->section != SECTION_PARAMS || underlined || marked) {
        return false;
    }
    return r->numpy ||
           (r->entry_indent == SIZE_MAX ? indent > r->section_indent
                                        : indent > r->section_indent && indent >= r->entry_indent);
}

static void read_line(reading *r, lg_str raw, lg_str next)
{
    lg_str line = lg_str_trim(raw);
    size_t indent = 0;
    section s;
    lg_str rest;
    while (indent < raw.len && (raw.ptr[indent] == ' ' || raw.ptr[indent] == '\t')) {
        indent++;
    }
    if (line.len == 0) {
        if (r->section == SECTION_BODY) {
            lg_buf_add_c(&r->body, r->body.len ? "\n" : "");
        }
        return;
    }
    bool underlined = is_rule(next);
    lg_str titled = underlined ? lg_arena_printf(r->j->arena, "%.*s:", LG_FMT(line)) : line;
    if (titled.ptr && section_of(titled, &s, &rest) &&
        !is_entry_here(r, line, indent, underlined)) {
        begin_section(r, s, rest, indent, underlined);
        return;
    }
    if (is_rule(line) || read_field(r, line, indent)) {
        return;
    }
    bool bullet;
    (void)without_bullet(line, &bullet);
    bool outside = r->section != SECTION_BODY && !r->numpy && indent <= r->section_indent &&
                   !bullet && !(r->loose && (r->section == SECTION_PARAMS || r->text.len));
    doc_entry entry;
    lg_str text;
    if (outside || (r->loose && r->section == SECTION_PARAMS && !bullet && indent == 0 &&
                    !read_entry(r, line, &entry, &text))) {
        begin_section(r, SECTION_BODY, LG_STR(""), indent, false);
    }
    if (r->section == SECTION_BODY) {
        body_line(r, line);
    } else {
        section_line(r, line, indent);
    }
}

doc describe_doc(job *j, lg_str text, bool loose)
{
    reading r = {.j = j, .loose = loose, .entry_indent = SIZE_MAX};
    r.d.returns = r.d.returns_type = LG_STR("");
    lg_buf_init(&r.body, 0);
    lg_buf_init(&r.text, 0);
    for (size_t from = 0; from < text.len && !j->oom;) {
        size_t end = lg_str_line_end(text, from);
        size_t next = end + 1 < text.len ? lg_str_line_end(text, end + 1) : text.len;
        read_line(&r, lg_str_slice(text, from, end),
                  lg_str_trim(lg_str_slice(text, end + 1, next)));
        from = end + 1;
    }
    end_entry(&r);
    r.d.body = lg_arena_str(j->arena, lg_str_trim(lg_buf_str(&r.body)));
    j->oom = j->oom || !r.d.body.ptr || lg_buf_status(&r.body) != LG_OK;
    lg_buf_done(&r.body);
    lg_buf_done(&r.text);
    split_returns(&r.d);
    return r.d;
}
