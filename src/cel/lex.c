// Tokens, one at a time, straight from the source: nothing is stored but what a literal denotes.
//
// A literal without escapes is a slice of the source, which the program keeps anyway.
#include "cel/cel_internal.h"

const char *lg_cel_token_text(lg_cel_token_kind kind)
{
    static const char *const texts[] = {
#define X(name, text) text,
        LG_CEL_TOKEN_MAP(X)
#undef X
    };
    return texts[kind];
}

typedef struct lexer {
    lg_cel_build *build;
    const char *text;
    uint32_t len;
    uint32_t at;
} lexer;

static unsigned char peek(const lexer *lex, uint32_t ahead)
{
    return lex->at + ahead < lex->len ? (unsigned char)lex->text[lex->at + ahead] : 0;
}

static bool is_name_start(unsigned char c)
{
    return lg_is_letter(c) || c == '_';
}

static bool is_name(unsigned char c)
{
    return is_name_start(c) || lg_is_digit(c);
}

static void skip_blanks(lexer *lex)
{
    while (lex->at < lex->len) {
        char c = lex->text[lex->at];
        if (c == '/' && peek(lex, 1) == '/') {
            while (lex->at < lex->len && lex->text[lex->at] != '\n') {
                lex->at++;
            }
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
            lex->at++;
        } else {
            return;
        }
    }
}

// --- Numbers ------------------------------------------------------------------------------------

static bool bad_number(lexer *lex, uint32_t start, const char *what)
{
    lg_cel_report(lex->build, LG_ERR_PARSE, start, "%s", what);
    return false;
}

static bool finish_integer(lexer *lex, uint64_t value, bool overflow, lg_cel_token *ret)
{
    ret->is_signed = (peek(lex, 0) | 0x20) != 'u';
    if (!ret->is_signed) {
        lex->at++;
    }
    if (is_name(peek(lex, 0))) {
        return bad_number(lex, ret->offset, "a number runs into a name");
    }
    if (overflow || (ret->is_signed && value > (uint64_t)INT64_MAX + 1)) {
        return bad_number(lex, ret->offset, "integer literal out of range");
    }
    ret->value = lg_cel_make_uint(value);
    return true;
}

static bool lex_hex(lexer *lex, lg_cel_token *ret)
{
    lex->at += 2;
    uint32_t first = lex->at;
    uint64_t value = 0;
    bool overflow = false;
    for (int digit; (digit = lg_hex_digit(peek(lex, 0))) >= 0; lex->at++) {
        overflow |= value >> 60 != 0;
        value = value << 4 | (uint64_t)digit;
    }
    if (lex->at == first) {
        return bad_number(lex, ret->offset, "`0x` needs a hexadecimal digit");
    }
    return finish_integer(lex, value, overflow, ret);
}

// The JSON reader turns digits into the nearest double, whatever the C locale; it wants a digit
// before the point and no zeros before that.
static bool lex_double(lexer *lex, uint32_t start, lg_cel_token *ret)
{
    lg_str digits = {lex->text + start, lex->at - start};
    while (digits.len > 1 && digits.ptr[0] == '0' && lg_is_digit((unsigned char)digits.ptr[1])) {
        digits.ptr++;
        digits.len--;
    }
    bool bare_point = digits.ptr[0] == '.';
    char *copy = lg_arena_alloc(lex->build->work, digits.len + 1, 1);
    if (!copy) {
        lg_cel_oom(lex->build);
        return false;
    }
    copy[0] = '0';
    memcpy(copy + bare_point, digits.ptr, digits.len);
    const lg_json *number = NULL;
    double value;
    lg_status status = lg_json_parse_in(lex->build->work, (lg_str){copy, digits.len + bare_point},
                                        0, digits.len + bare_point, NULL, &number, NULL);
    if (status == LG_ERR_OOM || status == LG_ERR_LIMIT) { // of memory: nothing else is limited
        lg_cel_oom(lex->build);
        return false;
    }
    if (status != LG_OK || !lg_json_double(number, &value)) {
        return bad_number(lex, start, "floating-point literal out of range");
    }
    ret->value = lg_cel_make_double(value);
    return true;
}

static bool lex_number(lexer *lex, lg_cel_token *ret)
{
    uint32_t start = lex->at;
    ret->kind = LG_TOK_LITERAL;
    if (peek(lex, 0) == '0' && (peek(lex, 1) | 0x20) == 'x') {
        return lex_hex(lex, ret);
    }
    uint64_t value = 0;
    bool overflow = false;
    for (; lg_is_digit(peek(lex, 0)); lex->at++) {
        uint64_t digit = peek(lex, 0) - (uint64_t)'0';
        overflow |= value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    bool is_double = false;
    if (peek(lex, 0) == '.' && lg_is_digit(peek(lex, 1))) {
        is_double = true;
        do {
            lex->at++;
        } while (lg_is_digit(peek(lex, 0)));
    }
    if ((peek(lex, 0) | 0x20) == 'e') {
        uint32_t sign = peek(lex, 1) == '+' || peek(lex, 1) == '-';
        if (lg_is_digit(peek(lex, 1 + sign))) {
            is_double = true;
            lex->at += 1 + sign;
            while (lg_is_digit(peek(lex, 0))) {
                lex->at++;
            }
        }
    }
    if (!is_double) {
        return finish_integer(lex, value, overflow, ret);
    }
    if (is_name(peek(lex, 0))) {
        return bad_number(lex, start, "a number runs into a name");
    }
    return lex_double(lex, start, ret);
}

// --- Strings ------------------------------------------------------------------------------------

typedef struct quoting {
    bool raw;
    bool bytes;
    bool triple;
    char quote;
} quoting;

// Reads `count` digits of base 8 or 16 behind an escape at `escape`.
static bool read_digits(lexer *lex, uint32_t *at, uint32_t end, uint32_t count, uint32_t base,
                        uint32_t *ret)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, ++*at) {
        int digit = *at < end ? lg_hex_digit(lex->text[*at]) : -1;
        if (digit < 0 || (uint32_t)digit >= base) {
            return false;
        }
        value = value * base + (uint32_t)digit;
    }
    *ret = value;
    return true;
}

// The character that an escape of one letter stands for, or 0.
static char simple_escape(char c)
{
    static const char letters[] = "abfnrtv\\?\"'`";
    static const char values[] = "\a\b\f\n\r\t\v\\?\"'`";
    const char *found = c ? strchr(letters, c) : NULL;
    return found ? values[found - letters] : 0;
}

// Decodes the escape whose backslash is before `*at` and writes it to `*out`.
static bool decode_escape(lexer *lex, const quoting *q, uint32_t *at, uint32_t end, char **out)
{
    uint32_t backslash = *at - 1;
    char c = *at < end ? lex->text[*at] : 0;
    char simple = simple_escape(c);
    if (simple) {
        ++*at;
        *(*out)++ = simple;
        return true;
    }
    uint32_t value = 0;
    bool byte_sized = c == 'x' || c == 'X' || (c >= '0' && c <= '3');
    bool ok = false;
    if (c >= '0' && c <= '3') {
        ok = read_digits(lex, at, end, 3, 8, &value);
    } else if (c == 'x' || c == 'X' || c == 'u' || c == 'U') {
        ++*at;
        ok = read_digits(lex, at, end, c == 'u' ? 4 : c == 'U' ? 8 : 2, 16, &value);
    }
    if (!ok || (q->bytes && !byte_sized) || value > 0x10FFFF ||
        (value >= 0xD800 && value <= 0xDFFF)) {
        lg_cel_report(lex->build, LG_ERR_PARSE, backslash, "invalid escape sequence");
        return false;
    }
    if (q->bytes) {
        *(*out)++ = (char)value;
    } else {
        *out += lg_utf8_put(*out, value);
    }
    return true;
}

// An escape is never shorter than what it stands for, so the source bounds the length.
static bool decode(lexer *lex, const quoting *q, uint32_t at, uint32_t end, lg_str *ret)
{
    char *text = lg_arena_alloc(lex->build->arena, end - at + 1, 1);
    if (!text) {
        lg_cel_oom(lex->build);
        return false;
    }
    char *out = text;
    while (at < end) {
        char c = lex->text[at++];
        if (c != '\\') {
            *out++ = c;
        } else if (!decode_escape(lex, q, &at, end, &out)) {
            return false;
        }
    }
    *ret = (lg_str){text, (size_t)(out - text)};
    return true;
}

static bool closes(const lexer *lex, const quoting *q)
{
    return lex->text[lex->at] == q->quote &&
           (!q->triple ||
            (peek(lex, 1) == (unsigned char)q->quote && peek(lex, 2) == (unsigned char)q->quote));
}

// `lex->at` is at the first quote.
static bool lex_string(lexer *lex, quoting q, lg_cel_token *ret)
{
    q.quote = lex->text[lex->at];
    q.triple = peek(lex, 1) == (unsigned char)q.quote && peek(lex, 2) == (unsigned char)q.quote;
    lex->at += q.triple ? 3 : 1;
    uint32_t start = lex->at;
    bool escapes = false;
    while (lex->at < lex->len && !closes(lex, &q)) {
        char c = lex->text[lex->at];
        if ((c == '\n' || c == '\r') && !q.triple) {
            break;
        }
        if (c == '\\' && !q.raw) {
            escapes = true;
            lex->at++;
        }
        lex->at++;
    }
    if (lex->at >= lex->len || !closes(lex, &q)) {
        lg_cel_report(lex->build, LG_ERR_PARSE, ret->offset, "string literal without an end");
        return false;
    }
    lg_str text = {lex->text + start, lex->at - start};
    if (escapes && !decode(lex, &q, start, lex->at, &text)) {
        return false;
    }
    lex->at += q.triple ? 3 : 1;
    ret->kind = LG_TOK_LITERAL;
    ret->value = q.bytes ? lg_cel_make_bytes(text) : lg_cel_make_str(text);
    return true;
}

// Reads the letters before a quote: r, b or both. False if what follows is a name.
static bool lex_prefixed(lexer *lex, quoting *q)
{
    uint32_t n = 0;
    for (; n < 2; n++) {
        unsigned char lower = peek(lex, n) | 0x20;
        if (lower == 'r' && !q->raw) {
            q->raw = true;
        } else if (lower == 'b' && !q->bytes) {
            q->bytes = true;
        } else {
            break;
        }
    }
    if (n == 0 || (peek(lex, n) != '"' && peek(lex, n) != '\'')) {
        return false;
    }
    lex->at += n;
    return true;
}

// --- Names and punctuation ----------------------------------------------------------------------

static bool lex_name(lexer *lex, lg_cel_token *ret)
{
    uint32_t start = lex->at;
    while (is_name(peek(lex, 0))) {
        lex->at++;
    }
    ret->text = (lg_str){lex->text + start, lex->at - start};
    ret->kind = LG_TOK_IDENT;
    if (lg_str_eq(ret->text, LG_STR("in"))) {
        ret->kind = LG_TOK_IN;
    } else if (lg_str_eq(ret->text, LG_STR("true")) || lg_str_eq(ret->text, LG_STR("false"))) {
        ret->kind = LG_TOK_LITERAL;
        ret->value = lg_cel_make_bool(ret->text.len == 4);
    } else if (lg_str_eq(ret->text, LG_STR("null"))) {
        ret->kind = LG_TOK_LITERAL;
        ret->value = lg_cel_make_null();
    }
    return true;
}

// A field name in backquotes: letters, digits and _ . - / and blanks.
static bool lex_quoted_name(lexer *lex, lg_cel_token *ret)
{
    uint32_t start = ++lex->at;
    while (is_name(peek(lex, 0)) || (peek(lex, 0) && strchr(".-/ ", peek(lex, 0)))) {
        lex->at++;
    }
    if (peek(lex, 0) != '`' || lex->at == start) {
        lg_cel_report(lex->build, LG_ERR_PARSE, ret->offset,
                      "a quoted name is made of letters, digits, blanks and `_.-/`");
        return false;
    }
    ret->kind = LG_TOK_QUOTED;
    ret->text = (lg_str){lex->text + start, lex->at - start};
    lex->at++;
    return true;
}

static bool lex_unknown(lexer *lex)
{
    lg_str rest = {lex->text + lex->at, lex->len - lex->at};
    size_t len = 0;
    lg_utf8_next(rest, &len);
    lg_cel_report(lex->build, LG_ERR_PARSE, lex->at, "unexpected character `%.*s`", (int)len,
                  rest.ptr);
    return false;
}

static bool lex_punctuation(lexer *lex, lg_cel_token *ret)
{
    static const struct {
        char text[3];
        uint8_t kind;
    } rows[] = {
        {"==", LG_TOK_EQ},      {"!=", LG_TOK_NE},    {"<=", LG_TOK_LE},
        {">=", LG_TOK_GE},      {"&&", LG_TOK_AND},   {"||", LG_TOK_OR},
        {"(", LG_TOK_LPAREN},   {")", LG_TOK_RPAREN}, {"[", LG_TOK_LBRACKET},
        {"]", LG_TOK_RBRACKET}, {"{", LG_TOK_LBRACE}, {"}", LG_TOK_RBRACE},
        {".", LG_TOK_DOT},      {",", LG_TOK_COMMA},  {":", LG_TOK_COLON},
        {"?", LG_TOK_QUESTION}, {"!", LG_TOK_NOT},    {"+", LG_TOK_PLUS},
        {"-", LG_TOK_MINUS},    {"*", LG_TOK_STAR},   {"/", LG_TOK_SLASH},
        {"%", LG_TOK_PERCENT},  {"<", LG_TOK_LT},     {">", LG_TOK_GT},
    };
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        uint32_t len = rows[i].text[1] ? 2 : 1;
        if (peek(lex, 0) == (unsigned char)rows[i].text[0] &&
            (len == 1 || peek(lex, 1) == (unsigned char)rows[i].text[1])) {
            ret->kind = (lg_cel_token_kind)rows[i].kind;
            lex->at += len;
            return true;
        }
    }
    return lex_unknown(lex);
}

bool lg_cel_lex(lg_cel_build *build, uint32_t *at, lg_cel_token *ret)
{
    lexer lex = {build, build->source.ptr, (uint32_t)build->source.len, *at};
    skip_blanks(&lex);
    ret->offset = lex.at;
    ret->kind = LG_TOK_END;
    unsigned char c = peek(&lex, 0);
    quoting q = {0};
    bool ok = true;
    if (lex.at >= lex.len) {
        ok = true;
    } else if (c == '"' || c == '\'') {
        ok = lex_string(&lex, q, ret);
    } else if (is_name_start(c)) {
        ok = lex_prefixed(&lex, &q) ? lex_string(&lex, q, ret) : lex_name(&lex, ret);
    } else if (lg_is_digit(c) || (c == '.' && lg_is_digit(peek(&lex, 1)))) {
        ok = lex_number(&lex, ret);
    } else if (c == '`') {
        ok = lex_quoted_name(&lex, ret);
    } else {
        ok = lex_punctuation(&lex, ret);
    }
    *at = lex.at;
    ret->end = lex.at;
    return ok;
}
