// synth_regex.c: a text that a regular expression of ECMA-262 matches.
//
// The expression is parsed once a synthesis into a small tree, which is walked for every text. Both are
// paid for in steps: a schema's author chooses how long an expression is, and how often it is tried.
// Lookaround, word boundaries and negations of them write nothing: whether they hold is for the
// validator to say, and the caller tries again. Sets are lists of ranges; printable ASCII is taken
// from them first, since the sets of real schemas mean letters and digits.
#include "schema/synth_internal.h"

#include "base/utf8.h"

enum { RX_DEPTH_MAX = 48, RX_RANGES_MAX = 128, RX_GROUPS_MAX = 32 };

// So many cost as much as one step of anything else.
enum { RX_RANGES_A_STEP = 8, RX_BYTES_A_STEP = 64, RX_BRANCHES_A_STEP = 8 };

typedef struct rx_range {
    uint32_t first;
    uint32_t last;
} rx_range;

typedef enum rx_kind {
    RX_NOTHING, // anchors, lookaround, and the empty expression
    RX_SEQUENCE,
    RX_CHOICE,
    RX_SET,
    RX_REPEAT,
    RX_GROUP,
    RX_BACK,
} rx_kind;

typedef struct rx {
    rx_kind kind;
    struct rx *child; // first of a sequence or choice; the one of a repeat or group
    struct rx *next;  // sibling
    uint32_t min;     // repeats
    uint32_t max;     // UINT32_MAX: no end
    uint32_t group;   // number, from 1; 0: not captured
    uint32_t count;   // branches of a choice
    lg_str name;
    const rx_range *ranges;
    size_t range_count;
    bool negated;
} rx;

typedef struct rx_parser {
    lg_arena *arena;
    lg_str text;
    size_t at;
    uint32_t depth;
    uint32_t groups;
    bool failed; // unknown syntax, or no memory
} rx_parser;

// --- Characters of the expression -----------------------------------------------------------------

static bool more(const rx_parser *p)
{
    return p->at < p->text.len && !p->failed;
}

static char peek(const rx_parser *p)
{
    return more(p) ? p->text.ptr[p->at] : '\0';
}

static bool accept(rx_parser *p, const char *wanted)
{
    size_t len = strlen(wanted);
    bool yes = lg_str_starts(lg_str_slice(p->text, p->at, p->text.len), lg_str_of(wanted, len));
    p->at += yes ? len : 0;
    return yes;
}

static uint32_t next_char(rx_parser *p)
{
    return more(p) ? lg_utf8_next(p->text, &p->at) : 0;
}

static rx *make(rx_parser *p, rx_kind kind)
{
    rx *made = LG_NEW(p->arena, rx);
    static const rx none = {0};
    if (!made) {
        p->failed = true;
        return NULL;
    }
    *made = none;
    made->kind = kind;
    return made;
}

static uint32_t read_hex(rx_parser *p, size_t digits)
{
    uint32_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = peek(p);
        bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (!letter && !(c >= '0' && c <= '9')) {
            p->failed = true;
            return 0;
        }
        value = value * 16 + (uint32_t)(letter ? (c | 32) - 'a' + 10 : c - '0');
        p->at++;
    }
    return value;
}

// --- Sets -----------------------------------------------------------------------------------------

typedef struct rx_set {
    rx_range ranges[RX_RANGES_MAX];
    size_t count;
} rx_set;

static void add_range(rx_parser *p, rx_set *set, uint32_t first, uint32_t last)
{
    if (set->count == RX_RANGES_MAX || first > last) {
        p->failed = true;
        return;
    }
    set->ranges[set->count++] = (rx_range){first, last};
}

static void add_ranges(rx_parser *p, rx_set *set, const rx_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_range(p, set, ranges[i].first, ranges[i].last);
    }
}

// The classes and what they leave, each sorted.
static const rx_range digits[] = {{'0', '9'}};
static const rx_range no_digits[] = {{0, '0' - 1}, {'9' + 1, 0x10FFFF}};
static const rx_range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const rx_range no_words[] = {
    {0, '0' - 1}, {'9' + 1, 'A' - 1}, {'Z' + 1, '_' - 1}, {'_' + 1, 'a' - 1}, {'z' + 1, 0x10FFFF}};
static const rx_range spaces[] = {{' ', ' '}, {0x09, 0x0D}, {0xA0, 0xA0}};
static const rx_range no_spaces[] = {{0x21, 0x9F}, {0x00, 0x08}, {0x0E, 0x1F}, {0xA1, 0x10FFFF}};

static void add_class(rx_parser *p, rx_set *set, char letter)
{
    switch (letter) {
    case 'd':
        add_ranges(p, set, digits, LG_COUNT(digits));
        break;
    case 'D':
        add_ranges(p, set, no_digits, LG_COUNT(no_digits));
        break;
    case 'w':
        add_ranges(p, set, words, LG_COUNT(words));
        break;
    case 'W':
        add_ranges(p, set, no_words, LG_COUNT(no_words));
        break;
    case 's':
        add_ranges(p, set, spaces, LG_COUNT(spaces));
        break;
    default:
        add_ranges(p, set, no_spaces, LG_COUNT(no_spaces));
        break;
    }
}

// A few letters of what Unicode's properties name, enough to write a text with.
static const struct rx_property {
    const char *name;
    rx_range ranges[3];
    size_t count;
} properties[] = {
    {"L", {{'A', 'Z'}, {'a', 'z'}, {0xE0, 0xF6}}, 3},
    {"Letter", {{'A', 'Z'}, {'a', 'z'}, {0xE0, 0xF6}}, 3},
    {"Alphabetic", {{'A', 'Z'}, {'a', 'z'}, {0xE0, 0xF6}}, 3},
    {"Lu", {{'A', 'Z'}}, 1},
    {"Uppercase_Letter", {{'A', 'Z'}}, 1},
    {"Ll", {{'a', 'z'}, {0xE0, 0xF6}}, 2},
    {"Lowercase_Letter", {{'a', 'z'}, {0xE0, 0xF6}}, 2},
    {"N", {{'0', '9'}}, 1},
    {"Nd", {{'0', '9'}}, 1},
    {"Number", {{'0', '9'}}, 1},
    {"digit", {{'0', '9'}}, 1},
    {"M", {{0x300, 0x36F}}, 1},
    {"Mn", {{0x300, 0x36F}}, 1},
    {"P", {{'!', '#'}, {'%', '*'}, {',', '/'}}, 3},
    {"Punctuation", {{'!', '#'}, {'%', '*'}, {',', '/'}}, 3},
    {"S", {{'$', '$'}, {'+', '+'}, {'<', '>'}}, 3},
    {"Z", {{' ', ' '}}, 1},
    {"Zs", {{' ', ' '}}, 1},
    {"C", {{0x01, 0x1F}}, 1},
    {"Cc", {{0x01, 0x1F}}, 1},
    {"ASCII", {{0x20, 0x7E}}, 1},
    {"Any", {{0x20, 0x7E}}, 1},
    {"Script=Latin", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"Script=Greek", {{0x3B1, 0x3C1}}, 1},
    {"Script=Cyrillic", {{0x430, 0x44F}}, 1},
    {"Script=Han", {{0x4E00, 0x4E20}}, 1},
};

// Behind `\p` or `\P`. A negated property is what is left of ASCII, roughly: checks correct it.
static void add_property(rx_parser *p, rx_set *set, bool negated)
{
    size_t start = p->at + 1;
    size_t end = start;
    while (end < p->text.len && p->text.ptr[end] != '}') {
        end++;
    }
    lg_str name = lg_str_slice(p->text, start, end);
    for (size_t i = 0; i < LG_COUNT(properties) && peek(p) == '{'; i++) {
        if (!lg_str_eq(name, lg_str_c(properties[i].name))) {
            continue;
        }
        p->at = end + 1;
        if (!negated) {
            add_ranges(p, set, properties[i].ranges, properties[i].count);
        } else if (properties[i].ranges[0].first < 'A') {
            add_range(p, set, 'a', 'z');
        } else {
            add_range(p, set, '0', '9');
            add_range(p, set, ' ', '@');
        }
        return;
    }
    p->failed = true;
}

// Behind a backslash, the escapes that mean one character.
static uint32_t read_char_escape(rx_parser *p)
{
    static const char letters[] = "tnvfr0";
    static const char meant[] = "\t\n\v\f\r\0";
    uint32_t c = next_char(p);
    if (c == 'x') {
        return read_hex(p, 2);
    }
    if (c == 'c') {
        return next_char(p) % 32;
    }
    if (c == 'u' && accept(p, "{")) {
        size_t end = lg_str_find(lg_str_slice(p->text, p->at, p->text.len), LG_STR("}"));
        uint32_t value = read_hex(p, end < 7 ? end : 7);
        p->failed = p->failed || !accept(p, "}");
        return value;
    }
    if (c == 'u') {
        uint32_t high = read_hex(p, 4);
        if (high >= 0xD800 && high <= 0xDBFF && accept(p, "\\u")) {
            return 0x10000 + ((high - 0xD800) << 10) + (read_hex(p, 4) & 0x3FF);
        }
        return high;
    }
    const char *known = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
    return known ? (uint32_t)meant[known - letters] : c;
}

static bool is_class_letter(char c)
{
    return c && strchr("dDwWsS", c);
}

// One member of a `[...]`: a class, a property, or a character whose value is returned.
static bool read_set_member(rx_parser *p, rx_set *set, uint32_t *ret_char)
{
    if (!accept(p, "\\")) {
        *ret_char = next_char(p);
        return true;
    }
    char c = peek(p);
    if (is_class_letter(c)) {
        p->at++;
        add_class(p, set, c);
        return false;
    }
    if (c == 'p' || c == 'P') {
        p->at++;
        add_property(p, set, c == 'P');
        return false;
    }
    if (c == 'b') {
        p->at++;
        *ret_char = '\b';
        return true;
    }
    *ret_char = read_char_escape(p);
    return true;
}

static rx *make_set(rx_parser *p, const rx_range *ranges, size_t count, bool negated)
{
    rx *made = make(p, RX_SET);
    rx_range *own = LG_NEW_ARRAY(p->arena, rx_range, count + 1);
    if (!made || !own) {
        p->failed = true;
        return NULL;
    }
    memcpy(own, ranges, count * sizeof(*own));
    made->ranges = own;
    made->range_count = count;
    made->negated = negated;
    return made;
}

static rx *finish_set(rx_parser *p, const rx_set *set, bool negated)
{
    return make_set(p, set->ranges, set->count, negated);
}

// Behind the `[`.
static rx *parse_set(rx_parser *p)
{
    rx_set set = {.count = 0};
    bool negated = accept(p, "^");
    while (more(p) && !accept(p, "]")) {
        uint32_t first = 0;
        if (!read_set_member(p, &set, &first)) {
            continue;
        }
        uint32_t last = first;
        bool range = peek(p) == '-' && p->at + 1 < p->text.len && p->text.ptr[p->at + 1] != ']';
        if (range) {
            p->at++;
            if (!read_set_member(p, &set, &last)) {
                add_range(p, &set, '-', '-'); // `[a-\d]`: the hyphen is itself
                last = first;
            }
        }
        add_range(p, &set, first, last);
    }
    return finish_set(p, &set, negated);
}

static rx *one_char(rx_parser *p, uint32_t c)
{
    rx_range only = {c, c};
    return make_set(p, &only, 1, false);
}

// --- The expression -------------------------------------------------------------------------------

static rx *parse_choice(rx_parser *p);

// Behind `\k` or `(?`: a name in angle brackets.
static lg_str read_name(rx_parser *p)
{
    size_t start = p->at + 1;
    size_t len = lg_str_find(lg_str_slice(p->text, start, p->text.len), LG_STR(">"));
    if (peek(p) != '<' || len == SIZE_MAX) {
        p->failed = true;
        return LG_STR("");
    }
    p->at = start + len + 1;
    return lg_str_slice(p->text, start, start + len);
}

static rx *parse_escape(rx_parser *p)
{
    char c = peek(p);
    rx_set set = {.count = 0};
    if (c == 'b' || c == 'B') {
        p->at++;
        return make(p, RX_NOTHING);
    }
    if (is_class_letter(c)) {
        p->at++;
        add_class(p, &set, c);
        return finish_set(p, &set, false);
    }
    if (c == 'p' || c == 'P') {
        p->at++;
        add_property(p, &set, c == 'P');
        return finish_set(p, &set, false);
    }
    if (c != 'k' && !(c >= '1' && c <= '9')) {
        uint32_t value = read_char_escape(p);
        return one_char(p, value);
    }
    rx *back = make(p, RX_BACK);
    p->at += c == 'k' ? 1 : 0;
    lg_str name = c == 'k' ? read_name(p) : LG_STR("");
    uint32_t number = 0;
    while (c != 'k' && peek(p) >= '0' && peek(p) <= '9' && number < 1000) {
        number = number * 10 + (uint32_t)(p->text.ptr[p->at++] - '0');
    }
    if (back) {
        back->name = name;
        back->group = number;
    }
    return back;
}

// Behind the `(`.
static rx *parse_group(rx_parser *p)
{
    bool around = accept(p, "?=") || accept(p, "?!") || accept(p, "?<=") || accept(p, "?<!");
    bool plain = !around && accept(p, "?:");
    rx *group = make(p, around ? RX_NOTHING : RX_GROUP);
    if (!group || p->depth >= RX_DEPTH_MAX) {
        p->failed = true;
        return NULL;
    }
    if (!around && !plain) {
        group->group = ++p->groups;
        group->name = accept(p, "?") ? read_name(p) : LG_STR("");
    }
    p->depth++;
    group->child = parse_choice(p);
    p->depth--;
    p->failed = p->failed || !accept(p, ")");
    return group;
}

static rx *parse_atom(rx_parser *p)
{
    if (accept(p, "(")) {
        return parse_group(p);
    }
    if (accept(p, "[")) {
        return parse_set(p);
    }
    if (accept(p, "\\")) {
        return parse_escape(p);
    }
    if (accept(p, "^") || accept(p, "$")) {
        return make(p, RX_NOTHING);
    }
    if (accept(p, ".")) {
        static const rx_range ends[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};
        return make_set(p, ends, LG_COUNT(ends), true);
    }
    return one_char(p, next_char(p));
}

static bool read_number(rx_parser *p, size_t *at, uint32_t *ret)
{
    size_t start = *at;
    *ret = 0;
    while (*at < p->text.len && p->text.ptr[*at] >= '0' && p->text.ptr[*at] <= '9') {
        *ret = *ret < 100000000 ? *ret * 10 + (uint32_t)(p->text.ptr[*at] - '0') : *ret;
        (*at)++;
    }
    return *at > start;
}

// `{n}`, `{n,}` or `{n,m}`; anything else is text.
static bool read_braces(rx_parser *p, uint32_t *ret_min, uint32_t *ret_max)
{
    size_t at = p->at + 1;
    if (peek(p) != '{' || !read_number(p, &at, ret_min)) {
        return false;
    }
    *ret_max = *ret_min;
    if (at < p->text.len && p->text.ptr[at] == ',') {
        at++;
        if (!read_number(p, &at, ret_max)) {
            *ret_max = UINT32_MAX;
        }
    }
    if (at >= p->text.len || p->text.ptr[at] != '}') {
        return false;
    }
    p->at = at + 1;
    return true;
}

static rx *parse_repeat(rx_parser *p)
{
    rx *atom = parse_atom(p);
    uint32_t min = 0;
    uint32_t max = UINT32_MAX;
    if (accept(p, "+")) {
        min = 1;
    } else if (accept(p, "?")) {
        max = 1;
    } else if (!accept(p, "*") && !read_braces(p, &min, &max)) {
        return atom;
    }
    (void)accept(p, "?"); // lazy or not, the same texts match
    rx *repeat = make(p, RX_REPEAT);
    if (repeat) {
        repeat->child = atom;
        repeat->min = min;
        repeat->max = max;
    }
    return repeat;
}

static rx *parse_sequence(rx_parser *p)
{
    rx *sequence = make(p, RX_SEQUENCE);
    rx **end = sequence ? &sequence->child : NULL;
    while (end && more(p) && peek(p) != '|' && peek(p) != ')') {
        *end = parse_repeat(p);
        end = *end ? &(*end)->next : NULL;
    }
    return sequence;
}

static rx *parse_choice(rx_parser *p)
{
    rx *choice = make(p, RX_CHOICE);
    rx **end = choice ? &choice->child : NULL;
    do {
        rx *branch = end ? parse_sequence(p) : NULL;
        if (!branch) {
            p->failed = true;
            return NULL;
        }
        *end = branch;
        end = &branch->next;
        choice->count++;
    } while (accept(p, "|"));
    return choice;
}

// --- Once a synthesis -----------------------------------------------------------------------------

// An expression of the schema, by where its text lies, which is there as long as the synthesis is.
typedef struct parsed {
    const char *text;
    const rx *tree; // NULL: not understood
} parsed;

static lg_str key_of(const char *const *text)
{
    return lg_str_of((const char *)text, sizeof(*text));
}

// What is read of an expression is read once or twice, so its length says what parsing costs.
static const rx *parse(synth *s, lg_str pattern)
{
    rx_parser p = {.arena = &s->lasting, .text = pattern};
    const rx *tree = lg_synth_spend(s, pattern.len) ? parse_choice(&p) : NULL;
    return p.failed || p.at < pattern.len ? NULL : tree;
}

static const rx *tree_of(synth *s, lg_str pattern)
{
    const parsed *known = lg_table_get(&s->expressions, key_of(&pattern.ptr));
    if (known) {
        return known->tree;
    }
    parsed *made = LG_NEW(&s->lasting, parsed);
    if (!made) {
        return NULL;
    }
    *made = (parsed){pattern.ptr, parse(s, pattern)};
    bool noted = lg_table_put(&s->lasting, &s->expressions, key_of(&made->text), made);
    return noted ? made->tree : NULL;
}

// --- Writing --------------------------------------------------------------------------------------

typedef struct rx_writer {
    synth *s;
    lg_buf out;
    uint64_t spread; // how often more than they must things repeat
    uint32_t round;
    size_t group_from[RX_GROUPS_MAX + 1];
    size_t group_to[RX_GROUPS_MAX + 1];
    lg_str group_name[RX_GROUPS_MAX + 1];
} rx_writer;

// False also when the steps are spent.
static bool is_outside(rx_writer *w, const rx *set, uint32_t c)
{
    if (!lg_synth_spend(w->s, set->range_count / RX_RANGES_A_STEP)) {
        return false;
    }
    for (size_t i = 0; i < set->range_count; i++) {
        if (c >= set->ranges[i].first && c <= set->ranges[i].last) {
            return false;
        }
    }
    return true;
}

// Outside of a negated set: letters first, then the rest of ASCII, then other scripts. False if all
// that is tried is in the set.
static bool choose_outside(rx_writer *w, const rx *set, uint32_t *ret)
{
    static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static const rx_range others[] = {{0x20, 0x7E},   {0x09, 0x0D},     {0xA1, 0xFF},
                                      {0x3B1, 0x3C9}, {0x4E00, 0x4E10}, {0x1F600, 0x1F610},
                                      {0x00, 0x1F}};
    // A later round mixes capitals and digits in, for expressions that look around for them.
    size_t known = w->round > 0 ? sizeof(usual) - 1 : 26;
    size_t start = (size_t)lg_synth_below(w->s, known);
    for (size_t i = 0; i < known; i++) {
        *ret = (uint32_t)usual[(start + i) % known];
        if (is_outside(w, set, *ret)) {
            return true;
        }
    }
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        for (*ret = others[i].first; *ret <= others[i].last; (*ret)++) {
            if (is_outside(w, set, *ret)) {
                return true;
            }
        }
    }
    return false;
}

static bool choose_inside(rx_writer *w, const rx *set, uint32_t *ret)
{
    if (!set->range_count) {
        return false;
    }
    const rx_range *range = &set->ranges[lg_synth_below(w->s, set->range_count)];
    // The one of the two that has printable ASCII in it.
    const rx_range *other = &set->ranges[lg_synth_below(w->s, set->range_count)];
    range = range->last < 0x20 || range->first > 0x7E ? other : range;
    uint32_t first = range->first < 0x20 && range->last >= 0x20 ? 0x20 : range->first;
    uint32_t last = range->last > 0x7E && first <= 0x7E ? 0x7E : range->last;
    *ret = first + (uint32_t)lg_synth_below(w->s, (uint64_t)last - first + 1);
    if (*ret >= 0xD800 && *ret <= 0xDFFF) {
        *ret = first < 0xD800 ? first : last > 0xDFFF ? last : 0xFFFD;
    }
    return *ret <= 0x10FFFF;
}

static bool write_set(rx_writer *w, const rx *set)
{
    uint32_t c = 0;
    if (set->negated ? !choose_outside(w, set, &c) : !choose_inside(w, set, &c)) {
        return false;
    }
    char bytes[4];
    lg_buf_add(&w->out, lg_str_of(bytes, lg_utf8_put(bytes, c)));
    return true;
}

static bool write_back(rx_writer *w, const rx *back)
{
    size_t number = back->group;
    for (size_t i = 1; i <= RX_GROUPS_MAX && back->name.len; i++) {
        number = lg_str_eq(w->group_name[i], back->name) ? i : number;
    }
    if (number == 0 || number > RX_GROUPS_MAX) {
        return false;
    }
    size_t len = w->group_to[number] - w->group_from[number];
    char *room = lg_synth_spend(w->s, len / RX_BYTES_A_STEP) ? lg_buf_room(&w->out, len) : NULL;
    if (room) {
        memmove(room, w->out.ptr + w->group_from[number], len);
        w->out.len += len;
    }
    return room != NULL;
}

static bool write(rx_writer *w, const rx *at);

static bool write_repeat(rx_writer *w, const rx *repeat)
{
    uint64_t extra = lg_synth_below(w->s, w->spread + 1);
    // What may be left out is most often meant to be there when there is room.
    extra = repeat->min == 0 && extra == 0 && w->spread > 0 && lg_synth_one_in(w->s, 2) ? 1 : extra;
    uint64_t room = repeat->max < repeat->min ? 0 : (uint64_t)repeat->max - repeat->min;
    uint64_t count = repeat->min + (extra < room ? extra : room);
    bool ok = true;
    for (uint64_t i = 0; i < count && ok; i++) {
        ok = write(w, repeat->child);
    }
    return ok;
}

static bool write_group(rx_writer *w, const rx *group)
{
    size_t from = w->out.len;
    bool ok = write(w, group->child);
    if (group->group > 0 && group->group <= RX_GROUPS_MAX) {
        w->group_from[group->group] = from;
        w->group_to[group->group] = w->out.len;
        w->group_name[group->group] = group->name;
    }
    return ok;
}

static bool write_choice(rx_writer *w, const rx *choice)
{
    const rx *branch = choice->child;
    LG_DEBUG_ASSERT(choice->count > 0); // of which one may be empty
    uint64_t skip = lg_synth_below(w->s, choice->count);
    if (!lg_synth_spend(w->s, skip / RX_BRANCHES_A_STEP)) {
        return false;
    }
    for (; skip > 0; skip--) {
        branch = branch->next;
    }
    return write(w, branch);
}

// The tree is at most as deep as the groups of the expression nest, so this recursion is bounded.
static bool write(rx_writer *w, const rx *at)
{
    if (lg_buf_status(&w->out) != LG_OK || !lg_synth_spend(w->s, 1)) {
        return false;
    }
    bool ok = true;
    switch (at->kind) {
    case RX_NOTHING:
        break;
    case RX_SEQUENCE:
        for (const rx *child = at->child; child && ok; child = child->next) {
            ok = write(w, child);
        }
        break;
    case RX_CHOICE:
        ok = write_choice(w, at);
        break;
    case RX_SET:
        ok = write_set(w, at);
        break;
    case RX_REPEAT:
        ok = write_repeat(w, at);
        break;
    case RX_GROUP:
        ok = write_group(w, at);
        break;
    case RX_BACK:
        ok = write_back(w, at);
        break;
    }
    return ok;
}

// --- The public function --------------------------------------------------------------------------

// An expression that is not anchored leaves room for letters before or behind the match.
static bool pad(synth *s, lg_str pattern, lg_buf *out, uint64_t missing)
{
    bool open_end = !lg_str_ends(pattern, LG_STR("$"));
    if (!open_end && lg_str_starts(pattern, LG_STR("^"))) {
        return false;
    }
    char *room = lg_synth_spend(s, missing) ? lg_buf_room(out, (size_t)missing) : NULL;
    if (!room) {
        return false;
    }
    if (!open_end) {
        memmove(out->ptr + missing, out->ptr, out->len);
        room = out->ptr;
    }
    for (uint64_t i = 0; i < missing; i++) {
        room[i] = (char)('a' + lg_synth_below(s, 26));
    }
    out->len += (size_t)missing;
    return true;
}

static bool write_to_length(rx_writer *w, const rx *tree, lg_str pattern, uint64_t min,
                            uint64_t max)
{
    enum { LENGTH_TRIES = 16 };
    for (int i = 0; i < LENGTH_TRIES; i++) {
        lg_buf_clear(&w->out);
        memset(w->group_from, 0, sizeof(w->group_from));
        memset(w->group_to, 0, sizeof(w->group_to));
        if (!write(w, tree)) {
            return false;
        }
        uint64_t count = lg_utf8_count(lg_buf_str(&w->out));
        if (count >= min && count <= max) {
            return true;
        }
        if (count < min && (i % 4 == 3) && pad(w->s, pattern, &w->out, min - count)) {
            return true;
        }
        w->spread = count > max ? w->spread / 2 : w->spread + (min - count) / 2 + 1;
    }
    return true; // the wrong length: the check will say so
}

lg_str lg_synth_match(synth *s, lg_str pattern, uint64_t min, uint64_t max, uint32_t round)
{
    const rx *tree = tree_of(s, pattern);
    lg_str none = {NULL, 0};
    if (!tree) {
        return none;
    }
    rx_writer w = {.s = s, .spread = round % 4 == 3 ? 0 : 3 + round * 2, .round = round};
    lg_buf_init(&w.out, s->how.text_bytes);
    bool ok = write_to_length(&w, tree, pattern, min, max) && lg_buf_status(&w.out) == LG_OK;
    lg_str text = ok ? lg_arena_str(&s->arena, lg_buf_str(&w.out)) : none;
    lg_buf_done(&w.out);
    return text;
}
