// number.c: numbers, as they are written, as words, and as sums of what was seen.
#include "origin/origin_internal.h"

#include <math.h>

#define SUM_OF_THREE_MAX 48u // numbers beyond which three of them give whatever one likes
#define COMPUTE_MAX 4096u    // numbers beyond which nothing is computed from pairs

static const char *const words[] = {
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
static const char *const others[] = {"",
                                     "a",
                                     "both\0couple\0twice\0pair\0second",
                                     "third\0thrice",
                                     "fourth",
                                     "fifth",
                                     "sixth",
                                     "seventh",
                                     "eighth",
                                     "ninth",
                                     "tenth"};
static const char *const tens[] = {"thirty",  "forty",  "fifty", "sixty",
                                   "seventy", "eighty", "ninety"};
static const char *const han[] = {"\xE4\xB8\x80", "\xE4\xBA\x8C", "\xE4\xB8\x89", "\xE5\x9B\x9B",
                                  "\xE4\xBA\x94", "\xE5\x85\xAD", "\xE4\xB8\x83", "\xE5\x85\xAB",
                                  "\xE4\xB9\x9D", "\xE5\x8D\x81"};

static bool find_word(lg_origin_query *query, const char *word, lg_origin_place *ret)
{
    return *word && lg_origin_find_words(query, lg_str_c(word), ret);
}

// "two", "both", "thirty", "hundred".
static bool in_words(lg_origin_query *query, lg_origin_decimal number, lg_origin_place *ret)
{
    uint64_t n = number.mantissa;
    if (number.scale) {
        return false;
    }
    if (n <= 20 && find_word(query, words[n], ret)) {
        return true;
    }
    if (n >= 1 && n <= 10) {
        const char *list = others[n];
        for (size_t i = 0; n == 2 ? i < 30 : i < 1; i += strlen(list + i) + 1) {
            if (find_word(query, list + i, ret)) {
                return true;
            }
        }
        return find_word(query, han[n - 1], ret);
    }
    if (n >= 30 && n <= 90 && n % 10 == 0) {
        return find_word(query, tens[n / 10 - 3], ret);
    }
    return n == 100 && find_word(query, "hundred", ret);
}

bool lg_origin_decimal_of(const lg_json *value, lg_origin_decimal *ret)
{
    double number = 0;
    int64_t whole = 0;
    if (lg_json_int(value, &whole) && whole > -(INT64_C(1) << 53) && whole < INT64_C(1) << 53) {
        *ret = (lg_origin_decimal){(uint64_t)(whole < 0 ? -whole : whole), 0};
        return true;
    }
    if (!lg_json_double(value, &number) || !(fabs(number) < 1e9)) {
        return false;
    }
    // What a sum of doubles leaves behind the sixth place is nobody's.
    double scaled = fabs(number) * 1e6;
    lg_origin_decimal decimal = {(uint64_t)(scaled + 0.5), 6};
    for (; decimal.scale && decimal.mantissa % 10 == 0; decimal.scale--) {
        decimal.mantissa /= 10;
    }
    *ret = decimal;
    return true;
}

static lg_origin_decimal of_fixed(int64_t fixed)
{
    lg_origin_decimal decimal = {(uint64_t)fixed, 4};
    for (; decimal.scale && decimal.mantissa % 10 == 0; decimal.scale--) {
        decimal.mantissa /= 10;
    }
    return decimal;
}

// --- Computing ----------------------------------------------------------------------------------

static const lg_origin_number *number_at(const lg_origin_query *query, uint32_t index,
                                         const lg_origin_layer **ret_layer)
{
    for (uint32_t i = 0; i < query->layer_count; i++) {
        if (index < query->layers[i].numbers) {
            *ret_layer = &query->layers[i];
            return &query->layers[i].origin->numbers[index];
        }
        index -= query->layers[i].numbers;
    }
    return NULL;
}

static bool seen_fixed(lg_origin_query *query, int64_t fixed, lg_origin_place *ret)
{
    return fixed > 0 && lg_budget_take(&query->budget, 1) &&
           lg_origin_find_number(query, of_fixed(fixed), ret);
}

static bool found(lg_origin_answer *answer, lg_origin_operation operation,
                  const lg_origin_place *first, const lg_origin_place *second)
{
    answer->verdict = LG_ORIGIN_COMPUTED;
    answer->operation = operation;
    lg_origin_operand(answer, first);
    if (second) {
        lg_origin_operand(answer, second);
    }
    return true;
}

static lg_origin_place place_of(const lg_origin_layer *layer, const lg_origin_number *number)
{
    uint32_t at = layer->origin->entries[number->entry].at;
    lg_origin_place place = lg_origin_place_at(layer, at, 0);
    const lg_origin_text *text = &layer->origin->texts[place.text - layer->origin->text_base];
    lg_origin_decimal read;
    lg_str rest = {text->text.ptr + place.begin, text->text.len - place.begin};
    size_t len = lg_origin_read_decimal(rest, &read);
    lg_origin_reader reader = {rest, 0, text->escapes};
    lg_origin_word word;
    if (len == 0 && lg_origin_next_word(&reader, &word)) {
        len = word.end; // digits of another width
    }
    place.end += (uint32_t)len;
    return place;
}

// Of one seen number: with another seen one, or a small count.
static bool from_one(lg_origin_query *query, int64_t target, const lg_origin_layer *layer,
                     const lg_origin_number *number, lg_origin_answer *answer)
{
    int64_t value = number->value;
    lg_origin_place first = place_of(layer, number);
    lg_origin_place second;
    if (target != 2 * value && seen_fixed(query, target - value, &second)) {
        return found(answer, LG_ORIGIN_SUM, &first, &second);
    }
    if (seen_fixed(query, target + value, &second)) {
        return found(answer, LG_ORIGIN_DIFFERENCE, &second, &first);
    }
    if (target % value == 0 && target / value >= 2 && target / value <= 20) {
        return found(answer, LG_ORIGIN_PRODUCT, &first, NULL);
    }
    return false;
}

// target = a * p / 100 + b for a seen percentage p: with a fee, or the price itself.
static bool from_percentage_and_one(lg_origin_query *query, int64_t target, uint32_t count,
                                    int64_t percentage, const lg_origin_place *place,
                                    lg_origin_answer *answer)
{
    const lg_origin_layer *layer = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const lg_origin_number *base = number_at(query, i, &layer);
        lg_origin_place other;
        if (!base || base->value > INT64_MAX / percentage ||
            base->value * percentage % 1000000 != 0) {
            continue;
        }
        int64_t part = base->value * percentage / 1000000;
        if (seen_fixed(query, target - part, &other) || seen_fixed(query, target + part, &other)) {
            lg_origin_place first = place_of(layer, base);
            found(answer, LG_ORIGIN_PERCENTAGE, &first, place);
            lg_origin_operand(answer, &other);
            return true;
        }
    }
    return false;
}

// target = a * p / 100 for a seen percentage p.
static bool from_percentage(lg_origin_query *query, int64_t target, uint32_t count,
                            const lg_origin_layer *layer, const lg_origin_number *number,
                            lg_origin_answer *answer)
{
    lg_origin_place percentage = place_of(layer, number);
    const lg_origin_text *text = &layer->origin->texts[percentage.text - layer->origin->text_base];
    if (percentage.end >= text->text.len || text->text.ptr[percentage.end] != '%' ||
        target > INT64_MAX / 1000000) {
        return false;
    }
    lg_origin_place base;
    if (target * 100 == number->value) {
        return found(answer, LG_ORIGIN_PERCENTAGE, &percentage, NULL);
    }
    if ((target * 1000000) % number->value == 0 &&
        seen_fixed(query, target * 1000000 / number->value, &base)) {
        return found(answer, LG_ORIGIN_PERCENTAGE, &base, &percentage);
    }
    return from_percentage_and_one(query, target, count, number->value, &percentage, answer);
}

static bool from_three(lg_origin_query *query, int64_t target, uint32_t count,
                       lg_origin_answer *answer)
{
    const lg_origin_layer *layers[2];
    for (uint32_t i = 0; i < count; i++) {
        const lg_origin_number *a = number_at(query, i, &layers[0]);
        for (uint32_t j = i; j < count && a; j++) {
            const lg_origin_number *b = number_at(query, j, &layers[1]);
            lg_origin_place third;
            if (b && seen_fixed(query, target - a->value - b->value, &third)) {
                lg_origin_place first = place_of(layers[0], a);
                lg_origin_place second = place_of(layers[1], b);
                found(answer, LG_ORIGIN_SUM, &first, &second);
                lg_origin_operand(answer, &third);
                return true;
            }
        }
    }
    return false;
}

static bool computed(lg_origin_query *query, lg_origin_decimal number, lg_origin_answer *answer)
{
    int64_t target = lg_origin_fixed(number);
    uint32_t count = 0;
    for (uint32_t i = 0; i < query->layer_count; i++) {
        count += query->layers[i].numbers;
    }
    if (target <= 0 || count > COMPUTE_MAX) {
        query->budget.spent = query->budget.spent || count > COMPUTE_MAX;
        return false;
    }
    const lg_origin_layer *layer = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const lg_origin_number *seen = number_at(query, i, &layer);
        if (seen && from_percentage(query, target, count, layer, seen, answer)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const lg_origin_number *seen = number_at(query, i, &layer);
        if (seen && from_one(query, target, layer, seen, answer)) {
            return true;
        }
    }
    return count <= SUM_OF_THREE_MAX && from_three(query, target, count, answer);
}

// A list of the same arguments that has as many items.
static bool counts(lg_origin_query *query, const lg_json *value, uint64_t count, uint32_t depth)
{
    if (lg_json_is(value, LG_JSON_ARRAY) && value->len == count) {
        return true;
    }
    for (size_t i = 0; depth < 8 && i < lg_json_len(value); i++) {
        if (!lg_budget_take(&query->budget, 1)) {
            return false;
        }
        const lg_json *child = lg_json_is(value, LG_JSON_ARRAY)
                                   ? lg_json_item(value, i)
                                   : &lg_json_member_at(value, i)->value;
        if (lg_json_len(child) && counts(query, child, count, depth + 1)) {
            return true;
        }
    }
    return false;
}

bool lg_origin_number_from(lg_origin_query *query, lg_origin_decimal number, bool compute,
                           lg_origin_answer *answer)
{
    if (lg_origin_find_number(query, number, &answer->place) ||
        in_words(query, number, &answer->place) ||
        lg_origin_find_own_number(query, number, true, &answer->place)) {
        answer->verdict = LG_ORIGIN_SEEN;
        return true;
    }
    if (number.scale == 0 && number.mantissa <= 20 &&
        counts(query, query->args, number.mantissa, 0)) {
        answer->verdict = LG_ORIGIN_COMPUTED;
        answer->operation = LG_ORIGIN_COUNT;
        return true;
    }
    return compute && computed(query, number, answer);
}
