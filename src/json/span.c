// span.c: where a value ends in the text that it was parsed from.
//
// Values know where they begin. What ends behind its last child ends where that one ends, but for blanks and a
// bracket; a string without escapes is as long as its text. So nothing is gone through twice.
#include "json/json_internal.h"

#include "json/scan.h"

static size_t skip_blanks(lg_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\n' || text.ptr[at] == '\t' ||
                             text.ptr[at] == '\r')) {
        at++;
    }
    return at;
}

// Behind the quote that ends the string in whose text `at` is, 16 bytes at a time: each stop among them is looked at.
static size_t behind_quote(lg_str text, size_t at)
{
    while (text.len - at >= 16) {
        size_t step = 16;
        unsigned stops = lg_scan_stops(text.ptr + at);
        while (stops) {
            unsigned stop = (unsigned)__builtin_ctz(stops);
            char c = text.ptr[at + stop];
            if (c == '"') {
                return at + stop + 1;
            }
            unsigned next = c == '\\' ? stop + 2 : stop + 1;
            stops &= UINT32_MAX << next;
            step = next > step ? next : step;
        }
        at += step;
        if (at >= text.len) {
            return at;
        }
    }
    while (at < text.len && text.ptr[at] != '"') {
        at += text.ptr[at] == '\\' ? 2 : 1;
    }
    return at + 1;
}

static size_t end_of_string(lg_str text, const lg_json *value)
{
    size_t at = value->offset + 1;
    return value->as.text == text.ptr + at ? at + value->len + 1 : behind_quote(text, at);
}

static size_t end_of_word(lg_str text, size_t at)
{
    while (at < text.len && !strchr(",]} \n\t\r", text.ptr[at])) {
        at++;
    }
    return at;
}

size_t lg_json_end(lg_str text, const lg_json *value)
{
    LG_ASSERT(value != NULL);
    const lg_json *last = value;
    size_t open = 0; // brackets to close behind `last`
    while (lg_json_len(last) > 0) {
        size_t count = lg_json_len(last);
        if (last->type == LG_JSON_ARRAY) {
            last = &last->as.items[count - 1];
        } else {
            const lg_json_member *member = lg_json_member_at(last, count - 1);
            if (!member) { // there are `count` of them
                break;
            }
            last = &member->value;
        }
        open++;
    }
    LG_ASSERT(last != NULL && last->offset < text.len);
    size_t at;
    if (last->type == LG_JSON_STRING) {
        at = end_of_string(text, last);
    } else if (last->type >= LG_JSON_ARRAY) {
        at = skip_blanks(text, last->offset + 1) + 1;
    } else {
        at = end_of_word(text, last->offset);
    }
    for (; open; open--) {
        at = skip_blanks(text, at) + 1;
    }
    LG_DEBUG_ASSERT(at <= text.len);
    return at;
}

size_t lg_json_list_end(lg_str text, size_t at)
{
    for (size_t open = 0; at < text.len;) {
        char c = text.ptr[at];
        if (c == '"') {
            at = behind_quote(text, at + 1);
            continue;
        }
        if (c == ']' && open == 0) {
            return at;
        }
        if (c == '[' || c == '{') {
            open++;
        } else if (c == ']' || c == '}') {
            open -= open > 0;
        }
        at++;
    }
    return text.len;
}
