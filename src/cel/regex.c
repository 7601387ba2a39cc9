// Patterns of matches(): the language of RE2, run by PCRE2 under limits.
//
// The two differ in what they accept and in some meanings. So a pattern is first read here: what
// RE2 does not have (look-around, backreferences, possessive and atomic groups, conditions,
// recursion, verbs) is refused, and what means something else is rewritten (`\s`, `\v`, octal
// escapes). Everything PCRE2 allocates comes from an arena, so nothing has to be freed. Simple patterns
// never get there: see linear.c and words.c.
#include "cel/cel_internal.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define PATTERN_BYTES_MAX 65536u
#define REPEAT_MAX 1000u     // as RE2 has it
#define GROUP_DEPTH_MAX 250u // likewise a bound on nesting, for the stack of PCRE2's compiler
#define HEAP_KIB_MAX 4096u

struct lg_cel_regex {
    const lg_cel_linear *linear; // or NULL
    const lg_cel_words *words;   // of some texts; or NULL
    pcre2_code *code;            // if it is not linear
    uint32_t a_step;             // what trying one item of it costs
};

// --- Translation --------------------------------------------------------------------------------

typedef struct translator {
    lg_str in;
    size_t at;
    char *out; // has room for anything: see translate()
    size_t len;
    const char *why; // set on failure
    uint32_t groups; // open ones
    uint32_t repeat; // the largest number of a repetition
} translator;

static bool refuse(translator *t, const char *why)
{
    t->why = why;
    return false;
}

static char next(const translator *t, size_t ahead)
{
    return t->at + ahead < t->in.len ? t->in.ptr[t->at + ahead] : '\0';
}

static void emit(translator *t, const char *text)
{
    size_t len = strlen(text);
    memcpy(t->out + t->len, text, len);
    t->len += len;
}

static void copy_bytes(translator *t, size_t count)
{
    memcpy(t->out + t->len, t->in.ptr + t->at, count);
    t->len += count;
    t->at += count;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

// "\0", "\12", "\123": one to three octal digits; one digit other than 0 is a backreference.
static bool translate_octal(translator *t)
{
    if (next(t, 1) != '0' && !is_octal(next(t, 2))) {
        return refuse(t, "a pattern must not contain backreferences");
    }
    uint32_t value = 0;
    t->at++;
    for (int i = 0; i < 3 && is_octal(next(t, 0)); i++, t->at++) {
        value = value * 8 + (uint32_t)(next(t, 0) - '0');
    }
    static const char hex[] = "0123456789abcdef";
    char text[] = {'\\', 'x', '{', hex[value >> 8 & 15], hex[value >> 4 & 15], hex[value & 15],
                   '}',  0};
    emit(t, text);
    return true;
}

// "\pN" or "\p{Greek}".
static bool translate_property(translator *t)
{
    if (next(t, 2) != '{') {
        copy_bytes(t, t->at + 3 <= t->in.len ? 3 : 2);
        return true;
    }
    size_t end = 3;
    while (next(t, end) && next(t, end) != '}') {
        end++;
    }
    if (next(t, end) != '}' || next(t, 3) == 'X' || next(t, end - 1) == '&') {
        return refuse(t, "unknown property in a pattern");
    }
    copy_bytes(t, end + 1);
    return true;
}

// "\x7f" or "\x{10ffff}", as both languages have it.
static bool translate_hex(translator *t)
{
    if (next(t, 2) == '\0') {
        return refuse(t, "unfinished escape in a pattern");
    }
    copy_bytes(t, 2);
    return true;
}

// A text between \Q and \E is copied with an escape before what could mean something.
static void translate_quoted(translator *t)
{
    t->at += 2;
    while (t->at < t->in.len && !(next(t, 0) == '\\' && next(t, 1) == 'E')) {
        unsigned char c = (unsigned char)next(t, 0);
        bool plain =
            c >= 0x80 || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        if (!plain) {
            emit(t, "\\");
        }
        copy_bytes(t, 1);
    }
    t->at += t->at < t->in.len ? 2 : 0;
}

// `t->at` is at a backslash.
static bool translate_escape(translator *t, bool in_class)
{
    char c = next(t, 1);
    if (c == '\0') {
        return refuse(t, "unfinished escape in a pattern");
    }
    if (c >= '0' && c <= '9') {
        return c <= '7' ? translate_octal(t)
                        : refuse(t, "a pattern must not contain backreferences");
    }
    if (c == 'p' || c == 'P') {
        return translate_property(t);
    }
    if (c == 'x') {
        return translate_hex(t);
    }
    const char *replacement = c == 's'   ? in_class ? "\\t\\n\\f\\r " : "[\\t\\n\\f\\r ]"
                              : c == 'S' ? in_class ? "\\S\\x0b" : "[^\\t\\n\\f\\r ]"
                              : c == 'v' ? "\\x0b"
                                         : NULL;
    if (replacement) {
        emit(t, replacement);
        t->at += 2;
        return true;
    }
    bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (letter && !strchr(in_class ? "adDfnrtwW" : "aAbBdDfnrtwWz", c)) {
        return refuse(t, "an escape in a pattern that RE2 does not have");
    }
    if ((unsigned char)c >= 0x80) {
        return refuse(t, "an escape in a pattern that RE2 does not have");
    }
    copy_bytes(t, 2);
    return true;
}

// "[:alpha:]" inside of a class.
static bool translate_posix(translator *t)
{
    static const char *const names[] = {"alnum", "alpha", "ascii", "blank", "cntrl",
                                        "digit", "graph", "lower", "print", "punct",
                                        "space", "upper", "word",  "xdigit"};
    lg_str rest = lg_str_slice(t->in, t->at + 2, t->in.len);
    size_t end = lg_str_find(rest, LG_STR(":]"));
    if (end == SIZE_MAX) {
        return refuse(t, "unfinished class in a pattern");
    }
    lg_str name = lg_str_slice(rest, rest.ptr[0] == '^' ? 1 : 0, end);
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq(name, lg_str_c(names[i]))) {
            copy_bytes(t, end + 4);
            return true;
        }
    }
    return refuse(t, "unknown class in a pattern");
}

// "[...]", from its bracket on. A bracket directly behind the opening is a member.
static bool translate_class(translator *t)
{
    copy_bytes(t, next(t, 1) == '^' ? 2 : 1);
    for (bool first = true; t->at < t->in.len; first = false) {
        char c = next(t, 0);
        if (c == ']' && !first) {
            copy_bytes(t, 1);
            return true;
        }
        if (c == '[' && next(t, 1) == ':') {
            if (!translate_posix(t)) {
                return false;
            }
        } else if (c == '\\' && next(t, 1) == 'Q') {
            translate_quoted(t);
        } else if (c == '\\') {
            if (!translate_escape(t, true)) {
                return false;
            }
        } else if (c == '[' || (c == ']' && first)) {
            emit(t, "\\");
            copy_bytes(t, 1);
        } else {
            copy_bytes(t, 1);
        }
    }
    return refuse(t, "unfinished class in a pattern");
}

// "(?:", "(?i)", "(?i-s:", "(?P<name>", "(?<name>".
static bool translate_group(translator *t)
{
    if (++t->groups > GROUP_DEPTH_MAX) {
        return refuse(t, "the groups of a pattern are nested too deep");
    }
    if (next(t, 1) == '*') {
        return refuse(t, "an operator in a pattern that RE2 does not have");
    }
    if (next(t, 1) != '?') {
        copy_bytes(t, 1);
        return true;
    }
    size_t name = next(t, 2) == 'P' ? 3 : 2;
    bool named = next(t, name) == '<' && next(t, name + 1) != '=' && next(t, name + 1) != '!';
    if (named) {
        copy_bytes(t, name + 1);
        return true;
    }
    size_t end = 2;
    while (next(t, end) && strchr("imsU-", next(t, end))) {
        end++;
    }
    if (next(t, end) != ':' && (next(t, end) != ')' || end == 2)) {
        return refuse(t, "an operator in a pattern that RE2 does not have (look-around, atomic or "
                         "conditional group, recursion)");
    }
    t->groups -= next(t, end) == ')'; // flags alone open nothing
    copy_bytes(t, end + 1);
    return true;
}

// Length of "{2}", "{2,}" or "{2,5}" at `t->at`, or 0 if the brace is a plain character.
static size_t repeat_length(translator *t)
{
    size_t at = 1;
    uint32_t values[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        size_t first = at;
        for (; next(t, at) >= '0' && next(t, at) <= '9'; at++) {
            values[i] =
                values[i] > REPEAT_MAX ? values[i] : values[i] * 10 + (uint32_t)(next(t, at) - '0');
        }
        if (i == 0 && at == first) {
            return 0;
        }
        if (i == 0 && next(t, at) == ',') {
            at++;
        } else {
            break;
        }
    }
    if (next(t, at) != '}') {
        return 0;
    }
    if (values[0] > REPEAT_MAX || values[1] > REPEAT_MAX) {
        refuse(t, "a repetition in a pattern is larger than 1000");
    }
    t->repeat = values[0] > t->repeat ? values[0] : t->repeat;
    t->repeat = values[1] > t->repeat ? values[1] : t->repeat;
    return at + 1;
}

static bool translate_repeat(translator *t, size_t len)
{
    copy_bytes(t, len);
    if (next(t, 0) == '?') {
        copy_bytes(t, 1);
    }
    char c = next(t, 0);
    bool again = c == '*' || c == '+' || c == '?' || (c == '{' && repeat_length(t) > 0);
    return !again || refuse(t, "a repetition of a repetition, or a possessive one, in a pattern");
}

static bool translate_one(translator *t)
{
    char c = next(t, 0);
    if (c == '\\' && next(t, 1) == 'Q') {
        translate_quoted(t);
        return true;
    }
    if (c == '\\') {
        return translate_escape(t, false);
    }
    if (c == '[') {
        return translate_class(t);
    }
    if (c == '(') {
        return translate_group(t);
    }
    size_t repeat = c == '*' || c == '+' || c == '?' ? 1 : c == '{' ? repeat_length(t) : 0;
    if (t->why) {
        return false;
    }
    if (repeat) {
        return translate_repeat(t, repeat);
    }
    t->groups -= c == ')' && t->groups > 0;
    if (c == '{') {
        emit(t, "\\");
    }
    copy_bytes(t, 1);
    return true;
}

// No construct grows more than sevenfold ("\s" to "[\t\n\f\r ]", "\12" to "\x{00a}").
static bool translate(lg_arena *arena, lg_str pattern, lg_str *ret, uint32_t *ret_repeat,
                      const char **ret_why, size_t *ret_offset)
{
    translator t = {.in = pattern};
    t.out = lg_arena_alloc(arena, pattern.len * 7 + 1, 1);
    if (!t.out) {
        return false;
    }
    while (t.at < pattern.len) {
        if (!translate_one(&t)) {
            *ret_why = t.why;
            *ret_offset = t.at;
            return false;
        }
    }
    *ret = (lg_str){t.out, t.len};
    *ret_repeat = t.repeat;
    return true;
}

// --- PCRE2 --------------------------------------------------------------------------------------

static void *arena_malloc(size_t size_bytes, void *arena)
{
    return lg_arena_alloc(arena, size_bytes, 16);
}

static void arena_free(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

static pcre2_code *compile_translated(lg_arena *arena, lg_str text, int *ret_error)
{
    *ret_error = PCRE2_ERROR_NOMEMORY;
    pcre2_general_context *general = pcre2_general_context_create(arena_malloc, arena_free, arena);
    pcre2_compile_context *context = general ? pcre2_compile_context_create(general) : NULL;
    if (!context) {
        return NULL;
    }
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(context, GROUP_DEPTH_MAX);
    size_t offset;
    return pcre2_compile((PCRE2_SPTR)text.ptr, text.len,
                         PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C |
                             PCRE2_NO_AUTO_CAPTURE | PCRE2_AUTO_CALLOUT,
                         ret_error, &offset, context);
}

const lg_cel_regex *lg_cel_regex_compile(lg_arena *arena, lg_str pattern, const char **ret_why,
                                         size_t *ret_offset)
{
    *ret_why = NULL;
    *ret_offset = 0;
    if (pattern.len > PATTERN_BYTES_MAX) {
        *ret_why = "a pattern is longer than 64 KiB";
        return NULL;
    }
    lg_str text;
    lg_cel_regex *regex = LG_NEW(arena, lg_cel_regex);
    if (!regex || !lg_cel_linear_compile(arena, pattern, &regex->linear)) {
        return NULL;
    }
    if (regex->linear) {
        return regex;
    }
    regex->words = lg_cel_words_compile(arena, pattern);
    uint32_t repeat;
    if (!translate(arena, pattern, &text, &repeat, ret_why, ret_offset)) {
        return NULL;
    }
    regex->a_step = 2 + repeat / 4; // so much is read before it fails, uncounted
    int error;
    regex->code = compile_translated(arena, text, &error);
    if (!regex->code) {
        bool memory = error == PCRE2_ERROR_NOMEMORY || error == 121; // "failed to allocate"
        *ret_why = memory ? NULL : "the pattern is not well formed";
        return NULL;
    }
    return regex;
}

uint64_t lg_cel_regex_cost(const lg_cel_regex *regex)
{
    size_t size_bytes = 0;
    if (regex->code) {
        (void)pcre2_pattern_info(regex->code, PCRE2_INFO_SIZE, &size_bytes);
    }
    return size_bytes / 4;
}

typedef struct meter {
    lg_cel_vm *vm;
    uint32_t a_step;
    size_t last; // where the last item was tried
} meter;

// Called before each item of the pattern is tried. PCRE2's own limits bound little: it counts anew for
// each place where a match may begin, and one count may read the whole text.
static int count_step(pcre2_callout_block *block, void *data)
{
    meter *m = data;
    size_t here = block->current_position;
    size_t moved = here > m->last ? here - m->last : m->last - here;
    m->last = here;
    return lg_cel_charge(m->vm, m->a_step + moved / 4) ? 0 : PCRE2_ERROR_CALLOUT;
}

static lg_cel_value match_code(lg_cel_vm *vm, const lg_cel_regex *regex, lg_str text)
{
    lg_arena_mark mark = lg_arena_mark_here(vm->scratch);
    pcre2_general_context *general =
        pcre2_general_context_create(arena_malloc, arena_free, vm->scratch);
    pcre2_match_context *context = general ? pcre2_match_context_create(general) : NULL;
    pcre2_match_data *data = context ? pcre2_match_data_create(1, general) : NULL;
    if (!data) {
        return lg_cel_out_of_memory(vm);
    }
    pcre2_set_match_limit(context, vm->regex_steps);
    pcre2_set_depth_limit(context, vm->regex_steps);
    pcre2_set_heap_limit(context, HEAP_KIB_MAX);
    meter m = {.vm = vm, .a_step = regex->a_step};
    pcre2_set_callout(context, count_step, &m);
    int result = pcre2_match(regex->code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, data, context);
    lg_cel_forget(vm, &mark);
    if (result >= 0 || result == PCRE2_ERROR_NOMATCH || result == PCRE2_ERROR_CALLOUT) {
        return lg_cel_make_bool(result >= 0); // at a limit it does not matter what
    }
    if (result == PCRE2_ERROR_NOMEMORY) {
        return lg_cel_out_of_memory(vm);
    }
    bool limit = result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
                 result == PCRE2_ERROR_HEAPLIMIT;
    return limit ? lg_cel_fail(vm, LG_CEL_FAIL_LIMIT, "the match takes too many steps")
                 : lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "the text is not valid UTF-8");
}

lg_cel_value lg_cel_regex_match(lg_cel_vm *vm, const lg_cel_regex *regex, lg_str text)
{
    if (!lg_cel_charge(vm, 10 + text.len / 16)) {
        return lg_cel_make_bool(false);
    }
    if (regex->linear) {
        return lg_cel_make_bool(lg_cel_linear_match(regex->linear, text));
    }
    return regex->words && lg_cel_words_can(text)
               ? lg_cel_make_bool(lg_cel_words_match(vm, regex->words, text))
               : match_code(vm, regex, text);
}
