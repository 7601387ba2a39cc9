// value_maker.h: JSON values that break things, by seed, as text.
//
// Numbers at the edge of what a double holds, texts that look like something else or hardly differ,
// members in any order, lists with the same element twice, and what is empty.
#ifndef LG_VALUE_MAKER_H
#define LG_VALUE_MAKER_H

#include "dice.h"

#include "base/buf.h"

#include <string.h>

// Names of members. The schemas are made of the same, so that they meet.
static const char *const maker_keys[] = {"a", "b", "c", "k", "x", "xa", "y1"};
// Names that no schema is made of.
static const char *const maker_other_keys[] = {"\"\"",         "\"zz\"",       "\"\\u212a\"",
                                               "\"A\"",        "\"a\\u0301\"", "\"1\"",
                                               "\"\xc3\xa1\"", "\"x y\"",      "\"history\""};

static const char *const maker_numbers[] = {
    "0",
    "1",
    "2",
    "-1",
    "3",
    "0.5",
    "-0.0",
    "0.1",
    "1.5",
    "10",
    "100",
    "2.5",
    "-2.5",
    "1e16",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e300",
    "-1e300",
    "1.7976931348623157e308",
    "5e-324",
    "1e-7",
    "0.30000000000000004",
    "1715785200",
};

static const char *const maker_texts[] = {
    "\"\"",
    "\"a\"",
    "\"b\"",
    "\"ab\"",
    "\"k\"",
    "\"x\"",
    "\"K\"",
    "\"\\u212a\"",
    "\"\\u00e9\"",
    "\"e\\u0301\"",
    "\"\\ud7ff\"",
    "\"\\ue000\"",
    "\"\\ud83d\\ude00\"",
    "\"\\uffff\"",
    "\"\\u0000\"",
    "\" a \"",
    "\"a,b\"",
    "\"%d %s\"",
    "\"\xc4\xb0\"",
    "\"\xc3\x9f\"",
    "\"1\"",
    "\"2\"",
    "\"-0\"",
    "\"1.5\"",
    "\"1e400\"",
    "\"NaN\"",
    "\"Infinity\"",
    "\"-Infinity\"",
    "\"true\"",
    "\"null\"",
    "\"9223372036854775808\"",
    "\"2024-02-29T23:59:59.5Z\"",
    "\"2024-05-15T15:00:00+02:00\"",
    "\"2024-05-15\"",
    "\"0001-01-01T00:00:00Z\"",
    "\"9999-12-31T23:59:59.999999999Z\"",
    "\"1h30m\"",
    "\"-90s\"",
    "\"10.0.0.1\"",
    "\"::1\"",
    "\"10.0.0.0/8\"",
    "\"YQ==\"",
    "\"UTC\"",
    "\"3 + 4\"",
    "\"a@b.org\"",
};

static inline void make_key(dice *d, lg_buf *out)
{
    if (dice_one_in(d, 8)) {
        lg_buf_add_c(out, DICE_PICK(d, maker_other_keys));
    } else {
        lg_buf_addf(out, "\"%s\"", DICE_PICK(d, maker_keys));
    }
}

static inline void make_number(dice *d, lg_buf *out)
{
    // Small ones most of the time: they meet each other.
    uint32_t count = dice_one_in(d, 3) ? LG_COUNT(maker_numbers) : 8;
    lg_buf_add_c(out, maker_numbers[dice_below(d, count)]);
}

static inline void make_text(dice *d, lg_buf *out)
{
    uint32_t count = dice_one_in(d, 3) ? LG_COUNT(maker_texts) : 8;
    lg_buf_add_c(out, maker_texts[dice_below(d, count)]);
}

static inline void make_scalar(dice *d, lg_buf *out)
{
    switch (dice_below(d, 5)) {
    case 0:
        lg_buf_add_c(out, "null");
        return;
    case 1:
        lg_buf_add_c(out, dice_one_in(d, 2) ? "true" : "false");
        return;
    case 2:
    case 3:
        make_number(d, out);
        return;
    default:
        make_text(d, out);
        return;
    }
}

// Is `key`, as it is written, the name of a member that begins at one of `starts`?
static inline bool key_is_used(const lg_buf *out, const size_t *starts, uint32_t count, size_t at)
{
    lg_str text = lg_buf_str(out);
    lg_str key = lg_str_slice(text, at, text.len);
    for (uint32_t i = 0; i < count; i++) {
        if (lg_str_starts(lg_str_slice(text, starts[i], text.len), key)) {
            return true;
        }
    }
    return false;
}

#define MAKER_MEMBERS_MAX 5u

static inline void make_any(dice *d, lg_buf *out, uint32_t depth);

static inline void make_any_object(dice *d, lg_buf *out, uint32_t depth)
{
    size_t starts[MAKER_MEMBERS_MAX];
    uint32_t wanted = dice_below(d, MAKER_MEMBERS_MAX);
    uint32_t count = 0;
    lg_buf_add_byte(out, '{');
    for (uint32_t i = 0; i < wanted; i++) {
        size_t before = out->len;
        lg_buf_add_c(out, count ? "," : "");
        size_t at = out->len;
        make_key(d, out);
        if (key_is_used(out, starts, count, at)) {
            out->len = before;
            continue;
        }
        starts[count++] = at;
        lg_buf_add_byte(out, ':');
        make_any(d, out, depth + 1);
    }
    lg_buf_add_byte(out, '}');
}

static inline void make_any_list(dice *d, lg_buf *out, uint32_t depth)
{
    uint32_t count = dice_below(d, MAKER_MEMBERS_MAX);
    size_t first = 0;
    size_t end = 0;
    lg_buf_add_byte(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_add_c(out, i ? "," : "");
        if (end > first && dice_one_in(d, 3)) { // the first one again
            char again[512];
            size_t length = end - first < sizeof(again) ? end - first : 0;
            memcpy(again, out->ptr + first, length);
            lg_buf_add(out, length ? (lg_str){again, length} : LG_STR("0"));
            continue;
        }
        first = i == 0 ? out->len : first;
        make_any(d, out, depth + 1);
        end = i == 0 ? out->len : end;
    }
    lg_buf_add_byte(out, ']');
}

static inline void make_any(dice *d, lg_buf *out, uint32_t depth)
{
    uint32_t way = depth < 3 ? dice_below(d, 7) : 6;
    if (way == 0) {
        make_any_object(d, out, depth);
    } else if (way == 1) {
        make_any_list(d, out, depth);
    } else {
        make_scalar(d, out);
    }
}

#endif
