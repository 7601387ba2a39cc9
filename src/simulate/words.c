// words.c: names of members, arguments and collections, whatever case they are written in.
#include "catalogue/kind.h"
#include "simulate/open_world_internal.h"

#define PLAIN_BYTES (sizeof(((ow_word *)NULL)->text) - 4)

static bool is_plain(char lower)
{
    return lg_is_letter(lower) || lg_is_digit(lower) || (unsigned char)lower >= 0x80;
}

ow_word ow_plain(lg_str name)
{
    ow_word word;
    word.len = 0;
    for (size_t i = 0; i < name.len && word.len < PLAIN_BYTES; i++) {
        char c = lg_lower(name.ptr[i]);
        word.text[word.len] = c;
        word.len += is_plain(c);
    }
    return word;
}

bool ow_is_called(lg_str name, lg_str plain)
{
    if (plain.len >= PLAIN_BYTES) { // where words are cut
        ow_word word = ow_plain(name);
        return lg_str_eq((lg_str){word.text, word.len}, plain);
    }
    size_t at = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = lg_lower(name.ptr[i]);
        if (is_plain(c) && (at == plain.len || plain.ptr[at++] != c)) {
            return false; // nearly all differ at once
        }
    }
    return at == plain.len;
}

bool ow_word_is(const ow_word *word, const char *text)
{
    return lg_str_eq((lg_str){word->text, word->len}, lg_str_c(text));
}

bool ow_word_ends(const ow_word *word, const char *ending)
{
    return lg_str_ends((lg_str){word->text, word->len}, lg_str_c(ending));
}

bool ow_word_in(const ow_word *word, const char *const *list)
{
    char first = word->len ? word->text[0] : '\0';
    for (size_t i = 0; list[i]; i++) {
        if (list[i][0] == first && ow_word_is(word, list[i])) { // nearly all differ at once
            return true;
        }
    }
    return false;
}

ow_word ow_singular(ow_word word)
{
    static const char *const long_endings[] = {"sses", "ches", "shes", "xes", "uses", "zes", NULL};
    static const char *const kept[] = {"ss", "us", "is", "news", NULL};
    if (word.len == 0 || word.text[word.len - 1] != 's') {
        return word;
    }
    if (word.len > 4 && ow_word_ends(&word, "ies")) {
        word.len -= 2;
        word.text[word.len - 1] = 'y';
        return word;
    }
    for (size_t i = 0; long_endings[i]; i++) {
        if (word.len > 4 && ow_word_ends(&word, long_endings[i])) {
            word.len -= 2;
            return word;
        }
    }
    for (size_t i = 0; kept[i]; i++) {
        if (ow_word_ends(&word, kept[i])) {
            return word;
        }
    }
    if (word.len > 2 && word.text[word.len - 1] == 's') {
        word.len--;
    }
    return word;
}

bool ow_is_plural(lg_str name)
{
    ow_word word = ow_plain(name);
    return ow_singular(word).len != word.len;
}

// `s`, `es` or `ies` behind the singular of the last word.
static void add_plural(lg_buf *out, lg_str word)
{
    ow_word one = ow_singular(ow_plain(word));
    lg_str text = {one.text, one.len};
    bool vowel_before_y = one.len > 1 && strchr("aeiou", one.text[one.len - 2]);
    if (lg_str_ends(text, LG_STR("y")) && !vowel_before_y) {
        lg_buf_add(out, lg_str_slice(text, 0, text.len - 1));
        lg_buf_add_c(out, "ies");
        return;
    }
    bool hisses = lg_str_ends(text, LG_STR("s")) || lg_str_ends(text, LG_STR("x")) ||
                  lg_str_ends(text, LG_STR("ch")) || lg_str_ends(text, LG_STR("sh"));
    lg_buf_add(out, text);
    lg_buf_add_c(out, hisses ? "es" : "s");
}

lg_str ow_plural_name(lg_arena *arena, lg_str name)
{
    char room[256];
    lg_buf out;
    lg_buf_init_in(&out, room, sizeof(room), 4096);
    size_t at = 0;
    for (lg_str word = lg_words_next(name, &at); word.len > 0;) {
        lg_str next = lg_words_next(name, &at);
        if (next.len > 0) {
            for (size_t i = 0; i < word.len; i++) {
                lg_buf_add_byte(&out, lg_lower(word.ptr[i]));
            }
            lg_buf_add_byte(&out, '_');
        } else {
            add_plural(&out, word);
        }
        word = next;
    }
    lg_str text =
        lg_arena_str(arena, lg_buf_status(&out) == LG_OK && out.len ? lg_buf_str(&out) : name);
    lg_buf_done(&out);
    return text;
}

bool ow_is_secret(lg_str name)
{
    static const char *const secrets[] = {
        "apikey",     "token",        "accesstoken",   "authtoken",    "password",
        "secret",     "clientsecret", "authorization", "auth",         "credentials",
        "xapikey",    "bearer",       "sessiontoken",  "refreshtoken", "passwd",
        "privatekey", "apitoken",     "secretkey",     "accesskey",    NULL};
    ow_word word = ow_plain(name);
    return ow_word_in(&word, secrets);
}

bool ow_is_paging(lg_str name)
{
    static const char *const paging[] = {"limit",
                                         "offset",
                                         "page",
                                         "perpage",
                                         "pagesize",
                                         "pagenumber",
                                         "cursor",
                                         "start",
                                         "after",
                                         "before",
                                         "startingafter",
                                         "endingbefore",
                                         "sort",
                                         "sortby",
                                         "order",
                                         "orderby",
                                         "direction",
                                         "fields",
                                         "expand",
                                         "include",
                                         "q",
                                         "query",
                                         "search",
                                         "format",
                                         "maxresults",
                                         "pagetoken",
                                         "nextcursor",
                                         "skip",
                                         "take",
                                         "top",
                                         "first",
                                         "last",
                                         "count",
                                         "size",
                                         "verbose",
                                         "pretty",
                                         "marker",
                                         "nextmarker",
                                         "nexttoken",
                                         "sortorder",
                                         "sortdirection",
                                         "sortdir",
                                         "sortfield",
                                         "continuationtoken",
                                         "maxitems",
                                         "startindex",
                                         "pageindex",
                                         NULL};
    ow_word word = ow_plain(name);
    return ow_word_in(&word, paging);
}

static lg_str digits_of(uint64_t number, char *room, size_t room_bytes)
{
    size_t from = room_bytes;
    do {
        room[--from] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return lg_str_of(room + from, room_bytes - from);
}

lg_str ow_key_text(lg_arena *arena, const lg_json *id)
{
    if (lg_json_is(id, LG_JSON_STRING)) {
        return lg_str_cut(lg_json_str(id), 512);
    }
    char room[128];
    if (lg_json_is(id, LG_JSON_INT) && id->as.i64 >= 0) { // nearly always
        return lg_arena_str(arena, digits_of((uint64_t)id->as.i64, room, sizeof(room)));
    }
    lg_buf out;
    lg_buf_init_in(&out, room, sizeof(room), 4096);
    lg_json_print_canonical(&out, id);
    lg_str text = lg_buf_status(&out) == LG_OK
                      ? lg_arena_str(arena, lg_str_cut(lg_buf_str(&out), 512))
                      : LG_STR("?");
    lg_buf_done(&out);
    return text;
}
