// words.c: plain texts, phrases, sentences.
#include "audit/words.h"

// --- Plain texts ------------------------------------------------------------------------------------------

// What a typographic character of three bytes that begins with E2 80 is in ASCII; 0: nothing.
static char typographic(unsigned char third)
{
    switch (third) {
    case 0x98:
    case 0x99: // single quotes
        return '\'';
    case 0x9C:
    case 0x9D: // double quotes
        return '"';
    case 0x90:
    case 0x91:
    case 0x93:
    case 0x94: // hyphens, dashes
        return '-';
    case 0xAF: // narrow blank
        return ' ';
    default:
        return 0;
    }
}

// One character of `text` at `*at`, of which only ASCII is looked at: 0 for what is left out.
static char plain_char(lg_str text, size_t *at)
{
    unsigned char byte = (unsigned char)text.ptr[*at];
    size_t left = text.len - *at;
    char ret = lg_lower((char)byte);
    size_t taken = 1;
    if (byte == 0xE2 && left > 2 && (unsigned char)text.ptr[*at + 1] == 0x80 &&
        typographic((unsigned char)text.ptr[*at + 2])) {
        ret = typographic((unsigned char)text.ptr[*at + 2]);
        taken = 3;
    } else if (byte == 0xC2 && left > 1 && (unsigned char)text.ptr[*at + 1] == 0xA0) {
        ret = ' ';
        taken = 2;
    } else if (byte == '*' || byte == '`') {
        ret = 0;
    } else if (byte == '\t' || byte == '\r') {
        ret = ' ';
    }
    *at += taken;
    return ret;
}

lg_str audit_plain(audit_case *c, lg_str text)
{
    char *room = lg_arena_alloc(c->arena, text.len + 1, 1);
    if (!room) {
        c->oom = true;
        return LG_STR("");
    }
    size_t len = 0;
    for (size_t at = 0; at < text.len;) {
        char one = plain_char(text, &at);
        bool blank = one == ' ' || one == '\n';
        if (one == 0 || (blank && len == 0)) {
            continue;
        }
        if (blank && (room[len - 1] == ' ' || room[len - 1] == '\n')) {
            room[len - 1] = one == '\n' ? '\n' : room[len - 1];
            continue;
        }
        room[len++] = one;
    }
    return lg_str_of(room, len);
}

lg_str audit_plain_at(audit_case *c, size_t index)
{
    audit_step *step = &c->steps[index];
    if (!step->plain.ptr) {
        step->plain = audit_plain(c, step->event->text);
    }
    return step->plain;
}

// --- Phrases ----------------------------------------------------------------------------------------------

static bool is_of_word(char byte)
{
    return lg_is_digit(byte) || lg_is_letter(byte) || ((unsigned char)byte & 0x80) != 0;
}

size_t audit_find(lg_str plain, const char *phrase, size_t from)
{
    lg_str wanted = lg_str_c(phrase);
    bool open = wanted.len > 0 && wanted.ptr[wanted.len - 1] == '*';
    wanted.len -= open;
    while (from < plain.len) {
        size_t hit = lg_str_find(lg_str_slice(plain, from, plain.len), wanted);
        if (hit == SIZE_MAX) {
            return SIZE_MAX;
        }
        size_t at = from + hit, end = at + wanted.len;
        bool begins = at == 0 || !is_of_word(plain.ptr[at - 1]) || !is_of_word(wanted.ptr[0]);
        bool ends = open || end == plain.len || !is_of_word(plain.ptr[end]);
        if (begins && ends) {
            return at;
        }
        from = at + 1;
    }
    return SIZE_MAX;
}

bool audit_has(lg_str plain, const char *phrase)
{
    return audit_find(plain, phrase, 0) != SIZE_MAX;
}

bool audit_has_any(lg_str plain, const char *const *phrases)
{
    for (; *phrases; phrases++) {
        if (audit_has(plain, *phrases)) {
            return true;
        }
    }
    return false;
}

bool audit_begins(lg_str plain, const char *phrase)
{
    size_t at = 0;
    while (at < plain.len && !is_of_word(plain.ptr[at])) {
        at++;
    }
    lg_str rest = lg_str_slice(plain, at, plain.len);
    return audit_find(lg_str_slice(rest, 0, strlen(phrase) + 1), phrase, 0) == 0;
}

// --- Sentences --------------------------------------------------------------------------------------------

static bool ends_sentence(lg_str text, size_t at)
{
    char byte = text.ptr[at];
    if (byte == '\n') {
        return true;
    }
    bool sign = byte == '.' || byte == '!' || byte == '?';
    return sign && (at + 1 == text.len || text.ptr[at + 1] == ' ' || text.ptr[at + 1] == '\n' ||
                    text.ptr[at + 1] == '"' || text.ptr[at + 1] == '\'' || text.ptr[at + 1] == ')');
}

bool audit_next_sentence(lg_str text, size_t *at, lg_str *ret)
{
    while (*at < text.len) {
        size_t end = *at;
        while (end < text.len && !ends_sentence(text, end)) {
            end++;
        }
        end += end < text.len;
        *ret = lg_str_trim(lg_str_slice(text, *at, end));
        *at = end;
        if (ret->len > 0) {
            return true;
        }
    }
    return false;
}
