// synth_string.c: texts that a reader would expect.
//
// In order of preference: what `format` names, what `pattern` matches, what the name of the member
// suggests, words. All is made up: names of no one, addresses in the ranges and domains that the RFCs
// set aside for examples (RFC 2606, RFC 5737, RFC 3849), telephone numbers of fiction.
#include "schema/synth_internal.h"

// --- Words ----------------------------------------------------------------------------------------

static const char *const plain_words[] = {"amber", "basil",  "cedar", "delta", "ember", "fern",
                                          "grove", "harbor", "iris",  "jade",  "lotus", "maple",
                                          "north", "olive",  "pearl", "quartz"};
static const char *const first_names[] = {"Ada",  "Bram",  "Chiara", "Dmitri",
                                          "Elif", "Farid", "Grace",  "Hana"};
static const char *const last_names[] = {"Adeyemi", "Brooks",  "Castillo", "Dubois",
                                         "Eriksen", "Fischer", "Garcia",   "Haddad"};
static const char *const cities[] = {"Amsterdam", "Boston", "Lagos",   "Lima",
                                     "Osaka",     "Porto",  "Seattle", "Tallinn"};
static const char *const countries[] = {"US", "DE", "JP", "BR", "NG", "FR", "IN", "CA"};
static const char *const currencies[] = {"USD", "EUR", "JPY", "GBP", "CAD", "CHF", "AUD", "INR"};
static const char *const colors[] = {"red",   "green", "blue",   "black",
                                     "white", "amber", "silver", "violet"};
static const char *const streets[] = {"12 Elm Street",   "48 Harbor Road", "7 Mill Lane",
                                      "301 Oak Avenue",  "95 King Street", "22 Station Road",
                                      "160 Cedar Court", "5 Bridge Square"};
static const char *const phones[] = {"+1-555-0100", "+1-555-0112", "+1-555-0123", "+1-555-0134",
                                     "+1-555-0145", "+1-555-0156", "+1-555-0167", "+1-555-0178"};
static const char *const statuses[] = {"active",  "pending", "open",     "closed",
                                       "shipped", "draft",   "complete", "queued"};
static const char *const languages[] = {"en", "de", "ja", "pt", "fr", "es", "hi", "nl"};
static const char *const zones[] = {"UTC",           "Europe/Berlin",  "America/New_York",
                                    "Asia/Tokyo",    "Africa/Lagos",   "America/Lima",
                                    "Europe/Lisbon", "America/Chicago"};
static const char *const paths[] = {"/reports/amber.txt", "/data/basil.csv", "/notes/cedar.md",
                                    "/images/delta.png",  "/src/ember.c",    "/logs/fern.log",
                                    "/docs/grove.pdf",    "/etc/harbor.json"};
static const char *const sentences[] = {
    "A short note about the order.",      "Please call before noon.",
    "The second item is on its way.",     "Updated after the last review.",
    "Nothing unusual was found.",         "Leave it at the front desk.",
    "The figures are those of last May.", "Ready for the next step."};

// What part of a member's name suggests which texts. The first row that is found counts.
static const struct hint {
    const char *part;
    const char *format; // or NULL and
    const char *const *words;
    size_t count;
} hints[] = {
    {"email", "email", NULL, 0},
    {"e_mail", "email", NULL, 0},
    {"url", "uri", NULL, 0},
    {"uri", "uri", NULL, 0},
    {"link", "uri", NULL, 0},
    {"href", "uri", NULL, 0},
    {"website", "uri", NULL, 0},
    {"uuid", "uuid", NULL, 0},
    {"guid", "uuid", NULL, 0},
    {"hostname", "hostname", NULL, 0},
    {"domain", "hostname", NULL, 0},
    {"ip_address", "ipv4", NULL, 0},
    {"ipaddress", "ipv4", NULL, 0},
    {"timezone", NULL, zones, LG_COUNT(zones)},
    {"time_zone", NULL, zones, LG_COUNT(zones)},
    {"timestamp", "date-time", NULL, 0},
    {"datetime", "date-time", NULL, 0},
    {"created", "date-time", NULL, 0},
    {"updated", "date-time", NULL, 0},
    {"_at", "date-time", NULL, 0},
    {"date", "date", NULL, 0},
    {"birth", "date", NULL, 0},
    {"first_name", NULL, first_names, LG_COUNT(first_names)},
    {"firstname", NULL, first_names, LG_COUNT(first_names)},
    {"last_name", NULL, last_names, LG_COUNT(last_names)},
    {"lastname", NULL, last_names, LG_COUNT(last_names)},
    {"phone", NULL, phones, LG_COUNT(phones)},
    {"mobile", NULL, phones, LG_COUNT(phones)},
    {"city", NULL, cities, LG_COUNT(cities)},
    {"location", NULL, cities, LG_COUNT(cities)},
    {"country", NULL, countries, LG_COUNT(countries)},
    {"currency", NULL, currencies, LG_COUNT(currencies)},
    {"color", NULL, colors, LG_COUNT(colors)},
    {"colour", NULL, colors, LG_COUNT(colors)},
    {"address", NULL, streets, LG_COUNT(streets)},
    {"street", NULL, streets, LG_COUNT(streets)},
    {"status", NULL, statuses, LG_COUNT(statuses)},
    {"language", NULL, languages, LG_COUNT(languages)},
    {"locale", NULL, languages, LG_COUNT(languages)},
    {"path", NULL, paths, LG_COUNT(paths)},
    {"file", NULL, paths, LG_COUNT(paths)},
    {"description", NULL, sentences, LG_COUNT(sentences)},
    {"message", NULL, sentences, LG_COUNT(sentences)},
    {"comment", NULL, sentences, LG_COUNT(sentences)},
    {"content", NULL, sentences, LG_COUNT(sentences)},
    {"text", NULL, sentences, LG_COUNT(sentences)},
    {"query", NULL, plain_words, LG_COUNT(plain_words)},
};

#define NAME_BYTES 128u // of a name that are looked at: a stranger's may have any length

// Whether `part` (in lower case) occurs in `name`, in any case.
static bool name_has(lg_str name, const char *part)
{
    size_t len = strlen(part);
    size_t end = name.len < NAME_BYTES ? name.len : NAME_BYTES;
    for (size_t at = 0; at + len <= end; at++) {
        size_t same = 0;
        while (same < len && lg_lower(name.ptr[at + same]) == part[same]) {
            same++;
        }
        if (same == len) {
            return true;
        }
    }
    return false;
}

// A word ends before what is no letter, and before a capital that follows a small letter.
static size_t word_end(lg_str name, size_t from)
{
    size_t at = from;
    while (at < name.len && lg_is_letter(name.ptr[at]) &&
           !(at > from && name.ptr[at] < 'a' && name.ptr[at - 1] >= 'a')) {
        at++;
    }
    return at;
}

bool lg_synth_name_says(lg_str name, const char *word)
{
    size_t limit = name.len < NAME_BYTES ? name.len : NAME_BYTES;
    for (size_t at = 0; at < limit;) {
        size_t end = word_end(name, at);
        if (lg_lower(name.ptr[at]) == word[0]) { // nearly all differ at once
            size_t len = strlen(word);
            bool plural = end - at == len + 1 && lg_lower(name.ptr[end - 1]) == 's';
            lg_str one = lg_str_slice(name, at, plural ? end - 1 : end);
            if (lg_str_eq_any_case(one, lg_str_of(word, len))) {
                return true;
            }
        }
        at = end > at ? end : at + 1;
    }
    return false;
}

static const char *one_word(synth *s, const char *const *words, size_t count)
{
    return words[lg_synth_below(s, count)];
}

static const char *plain(synth *s)
{
    return one_word(s, plain_words, LG_COUNT(plain_words));
}

// --- Formats --------------------------------------------------------------------------------------

// Two draws never stand in one list of arguments: compilers differ in which comes first, and the bytes
// of a seed must not.
static unsigned below(synth *s, unsigned count)
{
    return (unsigned)lg_synth_below(s, count);
}

static lg_str make_moment(synth *s, lg_str format)
{
    unsigned year = 2024 + below(s, 3);
    unsigned month = 1 + below(s, 12);
    unsigned day = 1 + below(s, 28);
    unsigned hour = below(s, 24);
    unsigned minute = below(s, 12) * 5;
    if (lg_str_eq(format, LG_STR("date"))) {
        return lg_arena_printf(&s->arena, "%04u-%02u-%02u", year, month, day);
    }
    if (lg_str_eq(format, LG_STR("time"))) {
        return lg_arena_printf(&s->arena, "%02u:%02u:00Z", hour, minute);
    }
    return lg_arena_printf(&s->arena, "%04u-%02u-%02uT%02u:%02u:00Z", year, month, day, hour,
                           minute);
}

static lg_str make_uuid(synth *s)
{
    uint64_t a = lg_synth_next(s);
    uint64_t b = lg_synth_next(s);
    // Version 4 of RFC 9562: the digit 4, and 8, 9, a or b, at their places.
    return lg_arena_printf(&s->arena, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(a >> 32),
                           (unsigned)(a >> 16) & 0xFFFF, (unsigned)a & 0xFFF,
                           0x8000 | ((unsigned)(b >> 48) & 0x3FFF),
                           (unsigned long long)(b & UINT64_C(0xFFFFFFFFFFFF)));
}

// `count` letters for a text that has to be longer than it would be; ptr is NULL without memory.
static lg_str filler(synth *s, uint64_t count)
{
    if (count > s->how.text_bytes || !lg_synth_spend(s, count / 16)) {
        return (lg_str){NULL, 0};
    }
    char *out = lg_arena_alloc(&s->arena, (size_t)count + 1, 1);
    for (size_t i = 0; out && i < count; i++) {
        out[i] = (char)('a' + lg_synth_below(s, 26));
    }
    return lg_str_of(out, (size_t)count);
}

static bool is_format(lg_str name, const char *a, const char *b)
{
    return lg_str_eq(name, lg_str_c(a)) || lg_str_eq(name, lg_str_c(b));
}

// The formats with room to grow, which `more` letters do.
static lg_str make_growing(synth *s, lg_str format, lg_str more, bool brief)
{
    unsigned number = 10 + below(s, 90);
    if (is_format(format, "email", "idn-email")) {
        return brief ? lg_arena_printf(&s->arena, "%.*sa@b.co", LG_FMT(more))
                     : lg_arena_printf(&s->arena, "%s%u%.*s@example.com", plain(s), number,
                                       LG_FMT(more));
    }
    if (is_format(format, "uri", "iri") || is_format(format, "url", "uri-reference") ||
        is_format(format, "iri-reference", "uri-reference")) {
        return brief ? lg_arena_printf(&s->arena, "a:%.*s", LG_FMT(more))
                     : lg_arena_printf(&s->arena, "https://example.com/%s/%u%.*s", plain(s), number,
                                       LG_FMT(more));
    }
    if (is_format(format, "hostname", "idn-hostname")) {
        return lg_arena_printf(&s->arena, "%s%.*s.example.com", plain(s), LG_FMT(more));
    }
    if (is_format(format, "uri-template", "uri-template")) {
        return lg_arena_printf(&s->arena, "/%s%.*s/{id}", plain(s), LG_FMT(more));
    }
    if (is_format(format, "json-pointer", "json-pointer")) {
        return lg_arena_printf(&s->arena, "/%s%.*s/0", plain(s), LG_FMT(more));
    }
    if (is_format(format, "relative-json-pointer", "relative-json-pointer")) {
        return lg_arena_printf(&s->arena, "1/%s%.*s", plain(s), LG_FMT(more));
    }
    return is_format(format, "regex", "regex")
               ? lg_arena_printf(&s->arena, "^%s%.*s$", plain(s), LG_FMT(more))
               : (lg_str){NULL, 0};
}

static lg_str make_fixed(synth *s, lg_str format)
{
    if (is_format(format, "date", "time") || is_format(format, "date-time", "datetime")) {
        return make_moment(s, format);
    }
    if (is_format(format, "uuid", "guid")) {
        return make_uuid(s);
    }
    if (is_format(format, "duration", "duration")) {
        unsigned hours = 1 + below(s, 23);
        unsigned days = 1 + below(s, 9);
        return lg_arena_printf(&s->arena, "P%uDT%uH", days, hours);
    }
    if (is_format(format, "ipv4", "ip")) {
        return lg_arena_printf(&s->arena, "192.0.2.%u", 1 + below(s, 254));
    }
    return is_format(format, "ipv6", "ipv6")
               ? lg_arena_printf(&s->arena, "2001:db8::%x", 1 + below(s, 0xFFFE))
               : (lg_str){NULL, 0};
}

// A text of `format`, or one that fits the name `hint`; at least `min` characters where the format
// has room to grow. `brief` asks for the shortest. Empty ptr: unknown format, or no memory.
static lg_str text_of_format(synth *s, lg_str format, uint64_t min, bool brief)
{
    lg_str fixed = make_fixed(s, format);
    if (fixed.ptr) {
        return fixed;
    }
    uint64_t random = s->random;
    lg_str text = make_growing(s, format, LG_STR(""), brief);
    if (text.ptr && text.len < min) {
        lg_str more = filler(s, min - text.len);
        s->random = random; // the same words as before, so that the length is right
        text = more.ptr ? make_growing(s, format, more, brief) : more;
    }
    return text;
}

// --- Words by name --------------------------------------------------------------------------------

static lg_str by_name(synth *s, lg_str name)
{
    for (size_t i = 0; i < LG_COUNT(hints); i++) {
        if (!name_has(name, hints[i].part)) {
            continue;
        }
        return hints[i].format ? text_of_format(s, lg_str_c(hints[i].format), 0, false)
                               : lg_str_c(one_word(s, hints[i].words, hints[i].count));
    }
    if (lg_str_ends(name, LG_STR("id")) || lg_str_ends(name, LG_STR("Id")) ||
        lg_str_ends(name, LG_STR("ID")) || name_has(name, "code") || name_has(name, "number")) {
        unsigned number = below(s, 100000);
        int second = 'A' + (int)below(s, 26);
        int first = 'A' + (int)below(s, 26);
        return lg_arena_printf(&s->arena, "%c%c%05u", first, second, number);
    }
    if (name_has(name, "name") && !name_has(name, "_name")) {
        const char *last = one_word(s, last_names, LG_COUNT(last_names));
        const char *first = one_word(s, first_names, LG_COUNT(first_names));
        return lg_arena_printf(&s->arena, "%s %s", first, last);
    }
    const char *second = plain(s);
    const char *first = plain(s);
    return lg_arena_printf(&s->arena, "%s %s", first, second);
}

lg_str lg_synth_words(synth *s, lg_str hint, uint64_t min, uint64_t max)
{
    lg_str text = by_name(s, hint);
    if (!text.ptr) {
        return text;
    }
    if (text.len > max) { // all words above are ASCII: bytes are characters
        return lg_str_slice(text, 0, (size_t)max);
    }
    if (text.len < min) {
        lg_str more = filler(s, min - text.len);
        return more.ptr ? lg_arena_printf(&s->arena, "%.*s%.*s", LG_FMT(text), LG_FMT(more)) : more;
    }
    return text;
}

// --- Strings --------------------------------------------------------------------------------------

typedef struct string_facts {
    uint64_t min;
    uint64_t max;
    const node *min_node;
    const lg_pattern *patterns[8];
    size_t pattern_count;
    lg_str format;
} string_facts;

static string_facts facts_of(const demand *d)
{
    string_facts f = {.max = UINT64_MAX, .format = LG_STR("")};
    for (size_t i = 0; i < d->count; i++) {
        const string_rules *r = d->nodes[i]->string;
        const lg_json *format = lg_json_get(d->nodes[i]->source, LG_STR("format"));
        f.format = lg_json_is(format, LG_JSON_STRING) ? lg_json_str(format) : f.format;
        if (!r) {
            continue;
        }
        if (r->length_min > f.min) {
            f.min = r->length_min;
            f.min_node = d->nodes[i];
        }
        f.max = r->length_max < f.max ? r->length_max : f.max;
        if (r->pattern && f.pattern_count < LG_COUNT(f.patterns)) {
            f.patterns[f.pattern_count++] = r->pattern;
        }
    }
    return f;
}

static lg_str make_text(synth *s, const string_facts *f, uint32_t round)
{
    lg_str text = {NULL, 0};
    if (f->format.len && (!f->pattern_count || round % 3 == 0)) {
        text = text_of_format(s, f->format, f->min, round % 2 == 1 || f->max < 12);
    }
    if (!text.ptr && f->pattern_count) {
        lg_str pattern = lg_pattern_text(f->patterns[round % f->pattern_count]);
        text = lg_synth_match(s, pattern, f->min, f->max, round);
    }
    if (text.ptr) {
        return text;
    }
    // Late rounds are for what forbids the usual words, or the usual length.
    uint64_t max = round > 3 && lg_synth_one_in(s, 2) ? f->min + lg_synth_below(s, 4) : f->max;
    lg_str hint = round > 3 ? LG_STR("") : s->hint;
    return lg_synth_words(s, hint, f->min, max < f->max ? max : f->max);
}

// Moves a length to where a schema that should not hold does not.
static void break_length(synth *s, const demand *d, uint32_t round, string_facts *f)
{
    const scope *here = NULL;
    const node *broken = lg_synth_to_break(s, d, round, &here);
    const string_rules *r = broken ? broken->string : NULL;
    if (r && r->length_max < f->max && lg_synth_one_in(s, 2)) {
        f->min = r->length_max + 1 > f->min ? r->length_max + 1 : f->min;
    } else if (r && r->length_min > f->min) {
        f->max = r->length_min - 1 < f->max ? r->length_min - 1 : f->max;
    }
}

outcome lg_synth_string(synth *s, const demand *d, uint32_t round, lg_json *ret)
{
    string_facts f = facts_of(d);
    if (f.min > f.max) {
        return lg_synth_fail(s, IMPOSSIBLE, f.min_node, "minLength",
                             "is larger than `maxLength` allows");
    }
    break_length(s, d, round, &f);
    if (f.min > s->how.text_bytes) {
        return lg_synth_fail(s, FAILED, f.min_node, "minLength",
                             "needs more than the %u bytes of text allowed", s->how.text_bytes);
    }
    lg_str text = make_text(s, &f, round);
    if (!text.ptr) {
        return s->stopped ? STOPPED : lg_synth_no_memory(s);
    }
    if (!lg_synth_count_text(s, d->count ? d->nodes[0] : NULL, text.len)) {
        return STOPPED;
    }
    *ret = lg_json_make_str(text);
    return MADE;
}
