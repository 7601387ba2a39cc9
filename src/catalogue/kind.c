// kind.c: verbs, and finding them in names and sentences.
#include "catalogue/kind.h"

#define DESCRIPTION_BYTES 400u
#define WORDS_MAX 6u // of a name: what comes later is its object

static const struct {
    const char *verb;
    lg_words kind;
} verbs[] = {
    // Asked for as they are said in names: the imperative. The third person is cut down to it.
    {"get", LG_WORDS_READ},          {"list", LG_WORDS_READ},
    {"find", LG_WORDS_READ},         {"search", LG_WORDS_READ},
    {"fetch", LG_WORDS_READ},        {"read", LG_WORDS_READ},
    {"show", LG_WORDS_READ},         {"view", LG_WORDS_READ},
    {"lookup", LG_WORDS_READ},       {"query", LG_WORDS_READ},
    {"retrieve", LG_WORDS_READ},     {"check", LG_WORDS_READ},
    {"describe", LG_WORDS_READ},     {"download", LG_WORDS_READ},
    {"count", LG_WORDS_READ},        {"browse", LG_WORDS_READ},
    {"display", LG_WORDS_READ},      {"look", LG_WORDS_READ},
    {"inspect", LG_WORDS_READ},      {"monitor", LG_WORDS_READ},
    {"status", LG_WORDS_READ},       {"verify", LG_WORDS_READ},
    {"is", LG_WORDS_READ},           {"has", LG_WORDS_READ},
    {"track", LG_WORDS_READ},        {"explore", LG_WORDS_READ},
    {"return", LG_WORDS_READ},       {"cat", LG_WORDS_READ},
    {"ls", LG_WORDS_READ},           {"grep", LG_WORDS_READ},
    {"pwd", LG_WORDS_READ},          {"diff", LG_WORDS_READ},
    {"tail", LG_WORDS_READ},         {"create", LG_WORDS_WRITE},
    {"add", LG_WORDS_WRITE},         {"update", LG_WORDS_WRITE},
    {"delete", LG_WORDS_WRITE},      {"remove", LG_WORDS_WRITE},
    {"set", LG_WORDS_WRITE},         {"cancel", LG_WORDS_WRITE},
    {"book", LG_WORDS_WRITE},        {"send", LG_WORDS_WRITE},
    {"modify", LG_WORDS_WRITE},      {"edit", LG_WORDS_WRITE},
    {"change", LG_WORDS_WRITE},      {"insert", LG_WORDS_WRITE},
    {"write", LG_WORDS_WRITE},       {"post", LG_WORDS_WRITE},
    {"put", LG_WORDS_WRITE},         {"patch", LG_WORDS_WRITE},
    {"place", LG_WORDS_WRITE},       {"submit", LG_WORDS_WRITE},
    {"buy", LG_WORDS_WRITE},         {"purchase", LG_WORDS_WRITE},
    {"pay", LG_WORDS_WRITE},         {"refund", LG_WORDS_WRITE},
    {"transfer", LG_WORDS_WRITE},    {"reserve", LG_WORDS_WRITE},
    {"schedule", LG_WORDS_WRITE},    {"move", LG_WORDS_WRITE},
    {"rename", LG_WORDS_WRITE},      {"copy", LG_WORDS_WRITE},
    {"upload", LG_WORDS_WRITE},      {"start", LG_WORDS_WRITE},
    {"stop", LG_WORDS_WRITE},        {"enable", LG_WORDS_WRITE},
    {"disable", LG_WORDS_WRITE},     {"toggle", LG_WORDS_WRITE},
    {"close", LG_WORDS_WRITE},       {"open", LG_WORDS_WRITE},
    {"approve", LG_WORDS_WRITE},     {"reject", LG_WORDS_WRITE},
    {"register", LG_WORDS_WRITE},    {"exchange", LG_WORDS_WRITE},
    {"suspend", LG_WORDS_WRITE},     {"resume", LG_WORDS_WRITE},
    {"merge", LG_WORDS_WRITE},       {"push", LG_WORDS_WRITE},
    {"publish", LG_WORDS_WRITE},     {"invite", LG_WORDS_WRITE},
    {"assign", LG_WORDS_WRITE},      {"order", LG_WORDS_WRITE},
    {"fill", LG_WORDS_WRITE},        {"clear", LG_WORDS_WRITE},
    {"save", LG_WORDS_WRITE},        {"store", LG_WORDS_WRITE},
    {"replace", LG_WORDS_WRITE},     {"lock", LG_WORDS_WRITE},
    {"unlock", LG_WORDS_WRITE},      {"mkdir", LG_WORDS_WRITE},
    {"touch", LG_WORDS_WRITE},       {"rm", LG_WORDS_WRITE},
    {"mv", LG_WORDS_WRITE},          {"cp", LG_WORDS_WRITE},
    {"rmdir", LG_WORDS_WRITE},       {"cd", LG_WORDS_WRITE},
    {"login", LG_WORDS_WRITE},       {"logout", LG_WORDS_WRITE},
    {"reply", LG_WORDS_WRITE},       {"fork", LG_WORDS_WRITE},
    {"archive", LG_WORDS_WRITE},     {"grant", LG_WORDS_WRITE},
    {"revoke", LG_WORDS_WRITE},      {"reset", LG_WORDS_WRITE},
    {"activate", LG_WORDS_WRITE},    {"calculate", LG_WORDS_GENERIC},
    {"compute", LG_WORDS_GENERIC},   {"convert", LG_WORDS_GENERIC},
    {"estimate", LG_WORDS_GENERIC},  {"solve", LG_WORDS_GENERIC},
    {"think", LG_WORDS_GENERIC},     {"translate", LG_WORDS_GENERIC},
    {"parse", LG_WORDS_GENERIC},     {"format", LG_WORDS_GENERIC},
    {"validate", LG_WORDS_GENERIC},  {"predict", LG_WORDS_GENERIC},
    {"generate", LG_WORDS_GENERIC},  {"sort", LG_WORDS_GENERIC},
    {"factorial", LG_WORDS_GENERIC}, {"compare", LG_WORDS_GENERIC},
    {"summarize", LG_WORDS_GENERIC}, {"analyze", LG_WORDS_GENERIC},
    {"round", LG_WORDS_GENERIC},     {"sum", LG_WORDS_GENERIC},
    {"multiply", LG_WORDS_GENERIC},  {"divide", LG_WORDS_GENERIC},
    {"subtract", LG_WORDS_GENERIC},  {"determine", LG_WORDS_GENERIC},
    {"simulate", LG_WORDS_GENERIC},
};

const char *lg_words_name(lg_words kind)
{
    static const char *const names[] = {"unknown", "read", "write", "generic"};
    return names[kind];
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

lg_str lg_words_next(lg_str name, size_t *at)
{
    size_t from = *at;
    while (from < name.len && !lg_is_letter(name.ptr[from]) && !lg_is_digit(name.ptr[from])) {
        from++;
    }
    size_t to = from;
    while (to < name.len && (lg_is_letter(name.ptr[to]) || lg_is_digit(name.ptr[to]))) {
        // A capital begins a word unless the last one was a capital, too: `userID` are two words.
        if (to > from && is_upper(name.ptr[to]) && !is_upper(name.ptr[to - 1])) {
            break;
        }
        to++;
    }
    *at = to;
    return lg_str_slice(name, from, to);
}

// Is `word` the verb, as it is or as "gets", "searches"?
static bool is_verb(lg_str word, lg_str verb)
{
    if (word.len > verb.len && lg_lower(word.ptr[word.len - 1]) == 's') {
        size_t cut = word.len == verb.len + 2 && lg_lower(word.ptr[word.len - 2]) == 'e' ? 2 : 1;
        word.len -= cut;
    }
    return lg_str_eq_any_case(word, verb);
}

static lg_words kind_of_verb(lg_str word)
{
    for (size_t i = 0; i < LG_COUNT(verbs); i++) {
        if (is_verb(word, lg_str_c(verbs[i].verb))) {
            return verbs[i].kind;
        }
    }
    return LG_WORDS_UNKNOWN;
}

static lg_words first_verb(lg_str text, size_t most)
{
    lg_words kind = LG_WORDS_UNKNOWN;
    size_t at = 0;
    for (size_t i = 0; i < most && kind == LG_WORDS_UNKNOWN; i++) {
        lg_str word = lg_words_next(text, &at);
        if (word.len == 0) {
            break;
        }
        kind = kind_of_verb(word);
    }
    return kind;
}

lg_words lg_words_kind(lg_str name, lg_str description)
{
    lg_words kind = first_verb(name, WORDS_MAX);
    return kind != LG_WORDS_UNKNOWN
               ? kind
               : first_verb(lg_str_slice(description, 0, DESCRIPTION_BYTES), DESCRIPTION_BYTES);
}
