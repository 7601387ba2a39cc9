// python_lex.c: Python's text as tokens, with the indent of each logical line.
//
// Brackets join lines, a backslash too; comments go. What is a number or an operator is not looked into: the parser wants
// a few of them and skips the rest.
#include "describe/describe_internal.h"

#include "base/utf8.h"

#define BRACKETS_MAX 100u

typedef struct lexer {
    job *j;
    lg_str text;
    size_t at;
    py_token *tokens;
    size_t count, capacity;
    char open[BRACKETS_MAX];
    size_t open_at[BRACKETS_MAX];
    size_t depth;
    bool inside; // an expression: there is one line
    bool first;  // the next token begins a logical line
    uint32_t indent;
} lexer;

static bool is_word(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

static char peek(const lexer *x, size_t ahead)
{
    return x->at + ahead < x->text.len ? x->text.ptr[x->at + ahead] : '\0';
}

static lg_status fail(const lexer *x, size_t at, lg_error *reterr, const char *what)
{
    return lg_fail_at(reterr, LG_ERR_PARSE, lg_text_position(x->text, at), "%s", what);
}

static void add(lexer *x, py_kind kind, size_t from, size_t to, size_t offset, bool raw)
{
    py_token *tokens =
        lg_arena_grow(x->j->arena, x->tokens, x->count, &x->capacity, sizeof(*tokens));
    if (!tokens) {
        x->j->oom = true;
        return;
    }
    x->tokens = tokens;
    tokens[x->count++] = (py_token){.kind = kind,
                                    .first = x->first,
                                    .raw = raw,
                                    .indent = x->indent,
                                    .offset = (uint32_t)offset,
                                    .text = lg_str_slice(x->text, from, to)};
    x->first = false;
}

// Bytes of "r", "Rb", "f" before a quote; SIZE_MAX: here is no text.
static size_t prefix_length(const lexer *x)
{
    size_t len = 0;
    while (len < 2 && peek(x, len) && strchr("rRbBuUfF", peek(x, len))) {
        len++;
    }
    return peek(x, len) == '"' || peek(x, len) == '\'' ? len : SIZE_MAX;
}

static lg_status lex_text(lexer *x, size_t prefix, lg_error *reterr)
{
    size_t offset = x->at;
    bool raw = false;
    for (size_t i = 0; i < prefix; i++) {
        raw = raw || lg_lower(peek(x, i)) == 'r';
    }
    x->at += prefix;
    char quote = peek(x, 0);
    bool three = peek(x, 1) == quote && peek(x, 2) == quote;
    x->at += three ? 3 : 1;
    size_t from = x->at;
    while (x->at < x->text.len) {
        char c = peek(x, 0);
        if (c == '\\') {
            x->at += 2;
        } else if (c == quote && (!three || (peek(x, 1) == quote && peek(x, 2) == quote))) {
            add(x, PY_TEXT, from, x->at, offset, raw);
            x->at += three ? 3 : 1;
            return LG_OK;
        } else if (c == '\n' && !three) {
            break;
        } else {
            x->at++;
        }
    }
    return fail(x, offset, reterr, "this text has no end; close its quotes");
}

static lg_status lex_op(lexer *x, lg_error *reterr)
{
    static const char *const longer[] = {"...", "->", "**", "==", "!=", "<=", ">=", ":=", "//"};
    char c = peek(x, 0);
    size_t len = 1;
    if (strchr("([{", c) && c) {
        if (x->depth >= BRACKETS_MAX) {
            return lg_fail_at(reterr, LG_ERR_LIMIT, lg_text_position(x->text, x->at),
                              "brackets are nested more than %u deep", BRACKETS_MAX);
        }
        x->open_at[x->depth] = x->at;
        x->open[x->depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (strchr(")]}", c) && c) {
        if (x->depth == 0 || x->open[x->depth - 1] != c) {
            return fail(x, x->at, reterr, "this bracket closes none that is open");
        }
        x->depth--;
    }
    for (size_t i = 0; i < LG_COUNT(longer); i++) {
        if (lg_str_starts(lg_str_slice(x->text, x->at, x->text.len), lg_str_c(longer[i]))) {
            len = strlen(longer[i]);
            break;
        }
    }
    add(x, PY_OP, x->at, x->at + len, x->at, false);
    x->at += len;
    return LG_OK;
}

static void lex_number(lexer *x)
{
    size_t from = x->at;
    while (is_word(peek(x, 0)) || peek(x, 0) == '.' ||
           ((peek(x, 0) == '-' || peek(x, 0) == '+') && lg_lower(x->text.ptr[x->at - 1]) == 'e' &&
            !lg_str_starts(lg_str_slice(x->text, from, x->at), LG_STR("0x")))) {
        x->at++;
    }
    add(x, PY_NUMBER, from, x->at, from, false);
}

// A line end, and the indent of the next line that is not blank.
static void lex_line_end(lexer *x)
{
    x->at++;
    if (x->depth || x->inside) {
        return;
    }
    x->first = true;
    x->indent = 0;
}

static bool skip_blank(lexer *x)
{
    char c = peek(x, 0);
    if (c == '\n') {
        lex_line_end(x);
    } else if (c == '#') {
        x->at = lg_str_line_end(x->text, x->at);
    } else if (c == '\\' && (peek(x, 1) == '\n' || (peek(x, 1) == '\r' && peek(x, 2) == '\n'))) {
        x->at += peek(x, 1) == '\n' ? 2 : 3;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        x->indent =
            x->first ? (c == '\t' ? (x->indent / 8 + 1) * 8 : x->indent + (c == ' ')) : x->indent;
        x->at++;
    } else {
        return false;
    }
    return true;
}

lg_status py_lex(job *j, lg_str text, bool inside, const py_token **ret, lg_error *reterr)
{
    lexer x = {.j = j, .text = text, .first = !inside, .inside = inside};
    lg_status status = LG_OK;
    while (x.at < text.len && status == LG_OK && !j->oom) {
        size_t prefix = prefix_length(&x);
        char c = peek(&x, 0);
        if (skip_blank(&x)) {
            continue;
        }
        if (prefix != SIZE_MAX) {
            status = lex_text(&x, prefix, reterr);
        } else if (lg_is_digit(c) || (c == '.' && lg_is_digit(peek(&x, 1)))) {
            lex_number(&x);
        } else if (is_word(c)) {
            size_t from = x.at;
            while (is_word(peek(&x, 0))) {
                x.at++;
            }
            add(&x, PY_NAME, from, x.at, from, false);
        } else {
            status = lex_op(&x, reterr);
        }
    }
    if (status == LG_OK && x.depth) {
        status = fail(&x, x.open_at[x.depth - 1], reterr, "this bracket is never closed");
    }
    x.first = true;
    x.indent = 0;
    add(&x, PY_END, text.len, text.len, text.len, false);
    *ret = x.tokens;
    return status != LG_OK ? status : j->oom ? lg_fail_oom(reterr) : LG_OK;
}

// --- What a text says ---------------------------------------------------------------------------

static uint32_t digits_at(lg_str text, size_t at, size_t most, uint32_t base, size_t *ret_len)
{
    uint32_t value = 0;
    size_t len = 0;
    for (; len < most && at + len < text.len; len++) {
        char c = lg_lower(text.ptr[at + len]);
        uint32_t digit = lg_is_digit(c)         ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                                                : 99;
        if (digit >= base) {
            break;
        }
        value = value * base + digit;
    }
    *ret_len = len;
    return value;
}

// The escape behind a backslash at `at`; returns how many bytes of the source it takes.
static size_t decode_escape(lg_str text, size_t at, char *out, size_t *len)
{
    static const char from[] = "ntr0abfv\\'\"";
    static const char to[] = "\n\t\r\0\a\b\f\v\\'\"";
    char c = text.ptr[at];
    size_t width = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    size_t taken = 0;
    if (c == '\n') {
        return 1;
    }
    if (width) {
        uint32_t code = digits_at(text, at + 1, width, 16, &taken);
        bool good = taken == width && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
        *len += lg_utf8_put(out + *len, good ? code : 0xFFFD);
        return 1 + taken;
    }
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        out[(*len)++] = to[known - from];
        return 1;
    }
    out[(*len)++] = '\\'; // Python leaves what it does not know as it is
    return 0;
}

lg_str py_decode(job *j, const py_token *token)
{
    lg_str text = token->text;
    // U+FFFD has three bytes, and the shortest escape that becomes one has two: "\x".
    char *out = token->raw ? NULL : lg_arena_alloc(j->arena, text.len * 2 + 4, 1);
    size_t len = 0;
    if (token->raw) {
        return text;
    }
    for (size_t at = 0; out && at < text.len;) {
        if (text.ptr[at] == '\\' && at + 1 < text.len) {
            at += 1 + decode_escape(text, at + 1, out, &len);
        } else {
            out[len++] = text.ptr[at++];
        }
    }
    j->oom = j->oom || !out;
    return lg_str_of(out ? out : "", len);
}
