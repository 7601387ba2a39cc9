// ecma.c: regular expressions of ECMA-262 in the words of PCRE2.
//
// JSON Schema means the former; PCRE2 reads most of them the same way, and where it does not it
// seldom complains: `\s`, `.`, `[^]`, `\v`, `[[:a]` and a backslash before a letter all mean
// something else. So the expression is parsed by the grammar of ECMA-262 in Unicode mode (21.2.1)
// and written anew, every literal escaped. Two things are more lenient than that mode, as all
// engines are without it: punctuation may be escaped needlessly, and `{`, `}`, `]` may stand for
// themselves where they cannot be anything else.
//
// Refused, since PCRE2 cannot honour them: lone surrogates, which match half a character; and a
// backreference to a group inside a repeated one, which ECMA-262 empties on each repetition.
#include "schema/schema_internal.h"

#include "base/utf8.h"

enum { NEST_MAX = 200, GROUPS_MAX = 500, NAME_MAX_BYTES = 32 };

typedef struct group_info {
    lg_str name;     // empty: none
    uint32_t parent; // index of the enclosing capture or plain group
    bool repeated;   // may match more than once
    bool capture;
} group_info;

typedef struct reference {
    lg_str name; // or by number
    uint32_t number;
    size_t offset;
} reference;

typedef struct ecma {
    lg_str in;
    size_t at;
    lg_buf *out; // NULL: only check
    uint32_t depth;
    group_info groups[GROUPS_MAX]; // 0 is the whole expression
    uint32_t group_count;
    uint32_t capture_count;
    uint32_t inside; // the group that is being read
    reference references[64];
    size_t reference_count;
    ecma_facts facts;
    lg_error *reterr;
    bool failed;
} ecma;

LG_PRINTF(2, 3) static bool refuse(ecma *e, const char *format, ...)
{
    if (!e->failed) {
        char problem[200];
        va_list args;
        va_start(args, format);
        vsnprintf(problem, sizeof(problem), format, args);
        va_end(args);
        (void)lg_fail(e->reterr, LG_ERR_PARSE, "%s (at byte %zu)", problem, e->at);
    }
    e->failed = true;
    return false;
}

// --- Input and output -----------------------------------------------------------------------------

static bool more(const ecma *e)
{
    return e->at < e->in.len;
}

static char peek(const ecma *e)
{
    if (!more(e)) {
        return '\0';
    }
    return e->in.ptr[e->at];
}

static bool next_is(const ecma *e, const char *text)
{
    return lg_str_starts(lg_str_slice(e->in, e->at, e->in.len), lg_str_c(text));
}

static bool take(ecma *e, const char *text)
{
    bool yes = next_is(e, text);
    e->at += yes ? strlen(text) : 0;
    return yes;
}

static void put(ecma *e, const char *text)
{
    if (e->out) {
        lg_buf_add_c(e->out, text);
    }
}

static void put_char(ecma *e, uint32_t code)
{
    bool plain = lg_is_digit((int)code) || lg_is_letter((int)code);
    if (e->out && plain) {
        lg_buf_add_byte(e->out, (char)code);
    } else if (e->out) {
        lg_buf_addf(e->out, "\\x{%x}", (unsigned)code);
    }
}

// --- Classes --------------------------------------------------------------------------------------

// ECMA-262 white space and line ends, and everything else, as the inside of a class.
#define SPACES                                                                                     \
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}"                    \
    "\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define NO_SPACES                                                                                  \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"               \
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"                 \
    "\\x{3001}-\\x{d7ff}\\x{e000}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

// The class behind `\d` and the like as the inside of a bracket; NULL if `letter` is none.
static const char *class_of(char letter)
{
    switch (letter) {
    case 'd':
        return "0-9";
    case 'D':
        return "\\x{0}-\\x{2f}\\x{3a}-\\x{d7ff}\\x{e000}-\\x{10ffff}";
    case 'w':
        return "0-9A-Za-z_";
    case 'W':
        return "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{d7ff}\\x{e000}-"
               "\\x{10ffff}";
    case 's':
        return SPACES;
    case 'S':
        return NO_SPACES;
    default:
        return NULL;
    }
}

// Long names of general categories (PropertyValueAliases), which PCRE2 knows by the short ones.
static const struct {
    const char *name;
    const char *pcre;
} categories[] = {
    {"Letter", "L"},
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
    {"Unassigned", "Cn"},
};

static lg_str category_of(lg_str name)
{
    for (size_t i = 0; i < LG_COUNT(categories); i++) {
        if (lg_str_eq(lg_str_c(categories[i].name), name)) {
            return lg_str_c(categories[i].pcre);
        }
    }
    return name;
}

// `\p{...}`, behind the `p`. PCRE2 knows the scripts and binary properties by the same names; what
// it does not know fails when it compiles.
static bool read_property(ecma *e, bool negated)
{
    size_t end = e->at;
    while (end < e->in.len && (lg_is_letter(e->in.ptr[end]) || lg_is_digit(e->in.ptr[end]) ||
                               strchr("{_=", e->in.ptr[end]))) {
        end++;
    }
    if (peek(e) != '{' || end >= e->in.len || e->in.ptr[end] != '}' || end == e->at + 1) {
        return refuse(e, "`\\%c` must be followed by a property in braces", negated ? 'P' : 'p');
    }
    lg_str name = lg_str_slice(e->in, e->at + 1, end);
    e->at = end + 1;
    const char *kind = "";
    static const char *const scripts[] = {"Script_Extensions=", "scx=", "Script=", "sc="};
    for (size_t i = 0; i < LG_COUNT(scripts); i++) {
        if (lg_str_starts(name, lg_str_c(scripts[i]))) {
            name = lg_str_slice(name, strlen(scripts[i]), name.len);
            kind = i < 2 ? "scx:" : "sc:";
        }
    }
    if (lg_str_starts(name, LG_STR("General_Category=")) || lg_str_starts(name, LG_STR("gc="))) {
        name = lg_str_slice(name, name.ptr[0] == 'g' ? 3 : 17, name.len);
    }
    name = kind[0] ? name : category_of(name);
    if (e->out) {
        lg_buf_addf(e->out, "\\%c{%s%.*s}", negated ? 'P' : 'p', kind, LG_FMT(name));
    }
    return true;
}

// Exactly `count` hexadecimal digits.
static bool read_hex(ecma *e, size_t count, uint32_t *ret)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = e->at + i < e->in.len ? lg_hex_digit(e->in.ptr[e->at + i]) : -1;
        if (digit < 0) {
            return false;
        }
        value = value * 16 + (uint32_t)digit;
    }
    e->at += count;
    *ret = value;
    return true;
}

// `\u`, behind the `u`: four digits, a pair of surrogates, or digits in braces.
static bool read_unicode(ecma *e, uint32_t *ret)
{
    if (take(e, "{")) {
        uint32_t value = 0;
        size_t digits = 0;
        while (lg_hex_digit(peek(e)) >= 0 && value <= 0x10FFFF) {
            value = value * 16 + (uint32_t)lg_hex_digit(peek(e));
            e->at++;
            digits++;
        }
        if (digits == 0 || value > 0x10FFFF || !take(e, "}")) {
            return refuse(e, "`\\u{` must be followed by a code point in hexadecimal and `}`");
        }
        *ret = value;
    } else if (!read_hex(e, 4, ret)) {
        return refuse(e, "`\\u` must be followed by four hexadecimal digits");
    }
    size_t here = e->at;
    uint32_t low = 0;
    if (*ret >= 0xD800 && *ret <= 0xDBFF && take(e, "\\u") && read_hex(e, 4, &low) &&
        low >= 0xDC00 && low <= 0xDFFF) {
        *ret = 0x10000 + ((*ret - 0xD800) << 10) + (low - 0xDC00);
        return true;
    }
    e->at = here;
    if (*ret >= 0xD800 && *ret <= 0xDFFF) {
        return refuse(e, "a lone surrogate matches no character of a JSON string");
    }
    return true;
}

// An escape that stands for one character, behind the backslash. `in_class`: `\b` is a backspace
// and `\-` allowed.
static bool read_char_escape(ecma *e, bool in_class, uint32_t *ret)
{
    static const char letters[] = "tnvfr";
    static const uint32_t codes[] = {9, 10, 11, 12, 13};
    char c = peek(e);
    if (!more(e)) {
        return refuse(e, "a backslash at the end escapes nothing");
    }
    if ((unsigned char)c >= 0x80) {
        *ret = lg_utf8_next(e->in, &e->at);
        return true;
    }
    e->at++;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        *ret = codes[letter - letters];
    } else if (c == 'c' && lg_is_letter(peek(e))) {
        *ret = (uint32_t)peek(e) % 32;
        e->at++;
    } else if (c == '0' && !lg_is_digit(peek(e))) {
        *ret = 0;
    } else if (c == 'x') {
        return read_hex(e, 2, ret) || refuse(e, "`\\x` must be followed by two hexadecimal digits");
    } else if (c == 'u') {
        return read_unicode(e, ret);
    } else if (c == 'b' && in_class) {
        *ret = 8;
    } else if (lg_is_letter(c) || lg_is_digit(c)) {
        return refuse(e, "`\\%c` is no escape of ECMA-262", c);
    } else {
        *ret = (unsigned char)c;
    }
    return true;
}

// One member of a class: a character (`*ret_single`), or a set that has been written.
static bool read_class_atom(ecma *e, bool *ret_single, uint32_t *ret)
{
    *ret_single = true;
    if (!take(e, "\\")) {
        *ret = lg_utf8_next(e->in, &e->at);
        return true;
    }
    const char *set = more(e) ? class_of(peek(e)) : NULL;
    if (set || peek(e) == 'p' || peek(e) == 'P') {
        *ret_single = false;
        char letter = peek(e);
        e->at++;
        put(e, set ? set : "");
        return set || read_property(e, letter == 'P');
    }
    return read_char_escape(e, true, ret);
}

static bool read_class_range(ecma *e)
{
    bool single = false;
    uint32_t low = 0;
    if (!read_class_atom(e, &single, &low)) {
        return false;
    }
    bool dash = next_is(e, "-") && !next_is(e, "-]");
    if (!dash) {
        if (single) {
            put_char(e, low);
        }
        return true;
    }
    if (!single) {
        return refuse(e, "a class such as `\\w` cannot begin a range");
    }
    e->at++;
    uint32_t high = 0;
    if (!more(e) || !read_class_atom(e, &single, &high)) {
        return more(e) ? false : refuse(e, "`[` is not closed");
    }
    if (!single) {
        return refuse(e, "a class such as `\\w` cannot end a range");
    }
    if (low > high) {
        return refuse(e, "a range in a class is out of order");
    }
    put_char(e, low);
    put(e, "-");
    put_char(e, high);
    return true;
}

// `[...]`, behind the bracket.
static bool read_class(ecma *e)
{
    bool negated = take(e, "^");
    if (take(e, "]")) {
        put(e, negated ? "[\\x{0}-\\x{10ffff}]" : "(?!)");
        return true;
    }
    put(e, negated ? "[^" : "[");
    while (more(e) && peek(e) != ']') {
        if (!read_class_range(e)) {
            return false;
        }
    }
    put(e, "]");
    return take(e, "]") || refuse(e, "`[` is not closed");
}

// --- Groups and references ------------------------------------------------------------------------

static bool read_alternatives(ecma *e);

static bool read_name(ecma *e, lg_str *ret)
{
    size_t start = e->at;
    while (lg_is_letter(peek(e)) || lg_is_digit(peek(e)) || peek(e) == '_') {
        e->at++;
    }
    *ret = lg_str_slice(e->in, start, e->at);
    if (ret->len == 0 || ret->len > NAME_MAX_BYTES || lg_is_digit(ret->ptr[0]) || !take(e, ">")) {
        return refuse(e, "a group name must be 1 to %d ASCII letters, digits or `_`, then `>`",
                      NAME_MAX_BYTES);
    }
    return true;
}

static bool add_group(ecma *e, bool capture, lg_str name, uint32_t *ret)
{
    if (e->group_count == GROUPS_MAX) {
        return refuse(e, "more than %d groups", GROUPS_MAX - 1);
    }
    for (uint32_t i = 1; name.len && i < e->group_count; i++) {
        if (lg_str_eq(e->groups[i].name, name)) {
            return refuse(e, "two groups are called `%.*s`", LG_FMT(name));
        }
    }
    e->capture_count += capture ? 1 : 0;
    *ret = e->group_count++;
    e->groups[*ret] = (group_info){.name = name, .parent = e->inside, .capture = capture};
    return true;
}

static bool note_reference(ecma *e, lg_str name, uint32_t number)
{
    if (e->reference_count == LG_COUNT(e->references)) {
        return refuse(e, "more than %zu backreferences", LG_COUNT(e->references));
    }
    e->facts.backreferences = true;
    e->references[e->reference_count++] = (reference){name, number, e->at};
    return true;
}

static bool is_inside_repeated(const ecma *e, uint32_t group)
{
    for (uint32_t g = e->groups[group].parent; g; g = e->groups[g].parent) {
        if (e->groups[g].repeated) {
            return true;
        }
    }
    return false;
}

// Every backreference must have its group, and see of it what ECMA-262 would.
static bool check_references(ecma *e)
{
    for (size_t i = 0; i < e->reference_count; i++) {
        const reference *r = &e->references[i];
        uint32_t found = 0;
        uint32_t number = 0;
        for (uint32_t g = 1; g < e->group_count && !found; g++) {
            number += e->groups[g].capture ? 1 : 0;
            bool hit = r->name.len ? lg_str_eq(e->groups[g].name, r->name) : number == r->number;
            found = e->groups[g].capture && hit ? g : 0;
        }
        e->at = r->offset;
        if (!found) {
            return refuse(e, "a backreference has no group");
        }
        if (is_inside_repeated(e, found)) {
            return refuse(e, "a backreference to a group inside a repeated group is not supported");
        }
    }
    return true;
}

// `(`, behind the parenthesis. `*ret_group` is its entry in the table, or 0 for an assertion.
static bool read_group(ecma *e, uint32_t *ret_group)
{
    static const char *const assertions[] = {"?=", "?!", "?<=", "?<!"};
    *ret_group = 0;
    uint32_t group = 0;
    lg_str name = {"", 0};
    bool assertion = false;
    for (size_t i = 0; i < LG_COUNT(assertions) && !assertion; i++) {
        assertion = take(e, assertions[i]);
        put(e, assertion ? "(" : "");
        put(e, assertion ? assertions[i] : "");
    }
    if (assertion) {
        group = e->inside;
    } else if (take(e, "?:")) {
        put(e, "(?:");
        if (!add_group(e, false, name, &group)) {
            return false;
        }
    } else if (next_is(e, "?") && !next_is(e, "?<")) {
        return refuse(e, "`(?` must be followed by `:`, `=`, `!`, `<=`, `<!` or `<name>`");
    } else {
        if (take(e, "?<") && !read_name(e, &name)) {
            return false;
        }
        put(e, "(");
        if (name.len && e->out) {
            lg_buf_addf(e->out, "?<%.*s>", LG_FMT(name));
        }
        if (!add_group(e, true, name, &group)) {
            return false;
        }
    }
    uint32_t outside = e->inside;
    e->inside = group;
    bool ok = read_alternatives(e);
    e->inside = outside;
    *ret_group = assertion ? 0 : group;
    put(e, ")");
    return ok && (take(e, ")") || refuse(e, "`(` is not closed"));
}

// `\`, behind the backslash, outside of a class.
static bool read_escape(ecma *e)
{
    char c = peek(e);
    const char *set = more(e) ? class_of(c) : NULL;
    if (set) {
        put(e, "[");
        put(e, set);
        put(e, "]");
        e->at++;
        return true;
    }
    if (c == 'p' || c == 'P') {
        e->at++;
        return read_property(e, c == 'P');
    }
    if (c >= '1' && c <= '9') {
        uint32_t number = 0;
        while (lg_is_digit(peek(e)) && number < GROUPS_MAX) {
            number = number * 10 + (uint32_t)(peek(e) - '0');
            e->at++;
        }
        if (e->out) {
            lg_buf_addf(e->out, "\\g{%u}", (unsigned)number);
        }
        return note_reference(e, LG_STR(""), number);
    }
    if (take(e, "k<")) {
        lg_str name = {"", 0};
        if (!read_name(e, &name)) {
            return false;
        }
        if (e->out) {
            lg_buf_addf(e->out, "\\k{%.*s}", LG_FMT(name));
        }
        return note_reference(e, name, 0);
    }
    uint32_t code = 0;
    if (!read_char_escape(e, false, &code)) {
        return false;
    }
    put_char(e, code);
    return true;
}

// --- Terms ----------------------------------------------------------------------------------------

// `{2,5}` at the front; false, and nothing is read, if it is no quantifier.
static bool read_braces(ecma *e, uint64_t *ret_min, uint64_t *ret_max)
{
    size_t start = e->at;
    uint64_t bounds[2] = {0, UINT64_MAX};
    size_t digits[2] = {0, 0};
    int which = 0;
    for (e->at++; more(e) && (lg_is_digit(peek(e)) || (peek(e) == ',' && which == 0)); e->at++) {
        if (peek(e) == ',') {
            which = 1;
        } else {
            uint64_t old = digits[which]++ ? bounds[which] : 0;
            bounds[which] = old > 100000 ? old : old * 10 + (uint64_t)(peek(e) - '0');
        }
    }
    if (digits[0] == 0 || !take(e, "}")) {
        e->at = start;
        return false;
    }
    *ret_min = bounds[0];
    *ret_max = which ? bounds[1] : bounds[0];
    return true;
}

// A quantifier, if there is one. `*ret_many`: it allows more than one; `*ret_any`: there is one.
static bool read_quantifier(ecma *e, bool *ret_any, bool *ret_many)
{
    uint64_t min = 0;
    uint64_t max = UINT64_MAX;
    char c = peek(e);
    *ret_any = false;
    *ret_many = false;
    if (c == '*' || c == '+' || c == '?') {
        char text[2] = {c, '\0'};
        put(e, text);
        e->at++;
        max = c == '?' ? 1 : UINT64_MAX;
    } else if (c == '{' && read_braces(e, &min, &max)) {
        if (min > max) {
            return refuse(e, "the bounds of a quantifier are out of order");
        }
        if (min > 65535 || (max != UINT64_MAX && max > 65535)) {
            return refuse(e, "a quantifier may not count beyond 65535");
        }
        uint32_t count = (uint32_t)min;
        e->facts.largest_count = count > e->facts.largest_count ? count : e->facts.largest_count;
        if (e->out && max == UINT64_MAX) {
            lg_buf_addf(e->out, "{%u,}", (unsigned)min);
        } else if (e->out) {
            lg_buf_addf(e->out, "{%u,%u}", (unsigned)min, (unsigned)max);
        }
    } else {
        return true;
    }
    *ret_any = true;
    *ret_many = max > 1;
    put(e, take(e, "?") ? "?" : "");
    return true;
}

// One atom or assertion. `*ret_group` is the table entry of a group; `*ret_fixed` is true for what
// takes no quantifier.
static bool read_atom(ecma *e, uint32_t *ret_group, bool *ret_fixed)
{
    *ret_group = 0;
    *ret_fixed = false;
    if (take(e, "(")) {
        bool ok = read_group(e, ret_group);
        *ret_fixed = *ret_group == 0;
        return ok;
    }
    if (take(e, "[")) {
        return read_class(e);
    }
    if (next_is(e, "\\b") || next_is(e, "\\B")) {
        put(e, next_is(e, "\\b") ? "\\b" : "\\B");
        e->at += 2;
        *ret_fixed = true;
        return true;
    }
    if (take(e, "\\")) {
        return read_escape(e);
    }
    char c = peek(e);
    if (c == '^' || c == '$') {
        put(e, c == '^' ? "^" : "$");
        e->at++;
        *ret_fixed = true;
        return true;
    }
    if (c == '*' || c == '+' || c == '?') {
        return refuse(e, "`%c` has nothing to repeat", c);
    }
    if (take(e, ".")) {
        put(e, "[^\\x{a}\\x{d}\\x{2028}\\x{2029}]");
        return true;
    }
    uint64_t min = 0;
    uint64_t max = 0;
    if (c == '{' && read_braces(e, &min, &max)) {
        return refuse(e, "a quantifier in braces has nothing to repeat");
    }
    put_char(e, lg_utf8_next(e->in, &e->at));
    return true;
}

static bool read_term(ecma *e)
{
    uint32_t group = 0;
    bool fixed = false;
    bool any = false;
    bool many = false;
    if (!read_atom(e, &group, &fixed) || !read_quantifier(e, &any, &many)) {
        return false;
    }
    if (any && fixed) {
        return refuse(e, "an assertion cannot be repeated");
    }
    e->groups[group].repeated = group ? many : false;
    return true;
}

static bool read_alternatives(ecma *e)
{
    if (e->depth >= NEST_MAX) {
        return refuse(e, "groups are nested deeper than %d levels", NEST_MAX);
    }
    e->depth++;
    bool ok = true;
    while (ok && more(e) && peek(e) != ')') {
        if (take(e, "|")) {
            put(e, "|");
        } else {
            ok = read_term(e);
        }
    }
    e->depth--;
    return ok;
}

bool lg_ecma_translate(lg_str pattern, lg_buf *out, ecma_facts *ret_facts, lg_error *reterr)
{
    ecma e; // not zeroed as a whole: the table of groups is large
    e.in = pattern;
    e.at = 0;
    e.out = out;
    e.depth = 0;
    e.groups[0] = (group_info){.name = {"", 0}};
    e.group_count = 1;
    e.capture_count = 0;
    e.inside = 0;
    e.reference_count = 0;
    e.reterr = reterr;
    e.failed = false;
    e.facts = (ecma_facts){0};
    bool ok = read_alternatives(&e) && (!more(&e) || refuse(&e, "`)` closes nothing")) &&
              check_references(&e);
    if (ok && ret_facts) {
        *ret_facts = e.facts;
    }
    return ok;
}
