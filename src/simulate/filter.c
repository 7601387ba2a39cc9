// filter.c: what a list is asked for, and what suits it.
//
// A filter is an argument that names a member of the entities (`status`, `customerId` of customer_id, `tag` of tags), a part of
// its text (`name_contains`) or a bound (`min_price`); `q`, `query` and `search` are words that the texts of an entity have.
// What was written or shown is chosen by them; what is made up is made to suit.
#include "simulate/open_world_internal.h"

#include <stdio.h>

// --- Equal values -------------------------------------------------------------------------------

static bool same_value(const lg_json *wanted, const lg_json *value, unsigned depth);

static bool any_same(const lg_json *wanted, const lg_json *value, unsigned depth)
{
    for (size_t i = 0; i < lg_json_len(value); i++) {
        const lg_json *inner = lg_json_is(value, LG_JSON_ARRAY)
                                   ? &value->as.items[i]
                                   : &lg_json_member_at(value, i)->value;
        if (same_value(wanted, inner, depth + 1)) {
            return true;
        }
    }
    return false;
}

// One of several that are wanted, or of several that the entity has; a number is also its text.
static bool same_value(const lg_json *wanted, const lg_json *value, unsigned depth)
{
    if (lg_json_equal(wanted, value)) {
        return true;
    }
    if (depth < 3 && lg_json_is(wanted, LG_JSON_ARRAY)) {
        for (size_t i = 0; i < lg_json_len(wanted); i++) {
            if (same_value(&wanted->as.items[i], value, depth + 1)) {
                return true;
            }
        }
        return lg_json_len(wanted) == 0;
    }
    if (depth < 3 && value->type >= LG_JSON_ARRAY) {
        return any_same(wanted, value, depth);
    }
    const lg_json *text = lg_json_is(wanted, LG_JSON_STRING) ? wanted : value;
    const lg_json *number = text == wanted ? value : wanted;
    int64_t integer;
    char room[32];
    return lg_json_is(text, LG_JSON_STRING) && lg_json_int(number, &integer) &&
           snprintf(room, sizeof(room), "%lld", (long long)integer) > 0 &&
           lg_str_eq(lg_json_str(text), lg_str_c(room));
}

bool ow_same_value(const lg_json *wanted, const lg_json *value)
{
    return same_value(wanted, value, 0);
}

// --- Words --------------------------------------------------------------------------------------

#define WORDS_MAX 8u
#define TEXT_BYTES 4096u // of one text that is searched

static bool has_text(lg_str text, lg_str part)
{
    text = lg_str_slice(text, 0, text.len < TEXT_BYTES ? text.len : TEXT_BYTES);
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (lg_str_eq_any_case(lg_str_slice(text, at, at + part.len), part)) {
            return true;
        }
    }
    return false;
}

static bool any_text_has(const lg_json *value, lg_str part, unsigned depth)
{
    if (lg_json_is(value, LG_JSON_STRING)) {
        return has_text(lg_json_str(value), part);
    }
    bool found = false;
    for (size_t i = 0; value->type >= LG_JSON_ARRAY && depth < 3 && i < lg_json_len(value); i++) {
        const lg_json *inner = lg_json_is(value, LG_JSON_ARRAY)
                                   ? &value->as.items[i]
                                   : &lg_json_member_at(value, i)->value;
        found = found || any_text_has(inner, part, depth + 1);
    }
    return found;
}

// Up to a space; `is:open` and `author:ann` are no words.
static lg_str next_word(lg_str query, size_t *at)
{
    while (*at < query.len) {
        while (*at < query.len && (unsigned char)query.ptr[*at] <= ' ') {
            (*at)++;
        }
        size_t from = *at;
        while (*at < query.len && (unsigned char)query.ptr[*at] > ' ') {
            (*at)++;
        }
        lg_str word = lg_str_slice(query, from, *at);
        while (word.len && strchr("\"'*%(),", word.ptr[0])) {
            word = lg_str_slice(word, 1, word.len);
        }
        while (word.len && strchr("\"'*%(),", word.ptr[word.len - 1])) {
            word.len--;
        }
        if (word.len && lg_str_find(word, LG_STR(":")) == SIZE_MAX) {
            return word;
        }
    }
    return LG_STR("");
}

static bool has_words(const lg_json *value, lg_str query)
{
    size_t at = 0;
    bool all = true;
    lg_str word = next_word(query, &at);
    for (size_t i = 0; all && word.len && i < WORDS_MAX; i++, word = next_word(query, &at)) {
        all = any_text_has(value, word, 0);
    }
    return all;
}

static bool is_search(lg_str name)
{
    static const char *const names[] = {
        "q",          "query",       "search",   "keyword",  "keywords",   "term", "terms",
        "searchterm", "searchquery", "querystr", "freetext", "searchtext", NULL};
    ow_word word = ow_plain(name);
    return ow_word_in(&word, names);
}

// --- Filters ------------------------------------------------------------------------------------

typedef enum relation { IS_ANYTHING, IS_EQUAL, HAS_PART, IS_LEAST, IS_MOST } relation;

typedef struct filter {
    relation relation;
    const lg_json_member *member; // of the entity; NULL: it has none
} filter;

static const lg_json_member *exact_member(const lg_json *entity, lg_str name)
{
    for (size_t i = 0; i < lg_json_len(entity); i++) {
        if (lg_str_eq(lg_json_key(lg_json_member_at(entity, i)), name)) {
            return lg_json_member_at(entity, i);
        }
    }
    return NULL;
}

static const lg_json_member *member_named(const lg_json *entity, lg_str plain)
{
    for (size_t i = 0; plain.len && i < lg_json_len(entity); i++) {
        const lg_json_member *member = lg_json_member_at(entity, i);
        ow_word name = ow_plain(lg_json_key(member));
        ow_word one = ow_singular(name);
        if (lg_str_eq((lg_str){name.text, name.len}, plain) ||
            lg_str_eq((lg_str){one.text, one.len}, plain)) {
            return member;
        }
    }
    return NULL;
}

static filter filter_of(lg_str name, const lg_json *entity)
{
    static const struct {
        const char *part;
        bool ends;
        relation relation;
    } forms[] = {
        {"icontains", true, HAS_PART}, {"contains", true, HAS_PART}, {"like", true, HAS_PART},
        {"min", false, IS_LEAST},      {"max", false, IS_MOST},      {"min", true, IS_LEAST},
        {"max", true, IS_MOST},        {"minimum", false, IS_LEAST}, {"maximum", false, IS_MOST}};
    const lg_json_member *member = exact_member(entity, name); // nearly always
    if (member) {
        return (filter){IS_EQUAL, member};
    }
    ow_word word = ow_plain(name);
    lg_str text = {word.text, word.len};
    member = member_named(entity, text);
    if (member) {
        return (filter){IS_EQUAL, member};
    }
    for (size_t i = 0; i < LG_COUNT(forms); i++) {
        lg_str part = lg_str_c(forms[i].part);
        bool there = forms[i].ends ? lg_str_ends(text, part) : lg_str_starts(text, part);
        if (there) {
            lg_str rest = forms[i].ends ? lg_str_slice(text, 0, text.len - part.len)
                                        : lg_str_slice(text, part.len, text.len);
            member = member_named(entity, rest);
        }
        if (there && member) {
            return (filter){forms[i].relation, member};
        }
    }
    return (filter){IS_ANYTHING, NULL};
}

static bool is_met(const filter *f, const lg_json *wanted)
{
    const lg_json *value = f->member ? &f->member->value : NULL;
    bool numbers = value && lg_json_is_number(value) && lg_json_is_number(wanted);
    switch (f->relation) {
    case IS_ANYTHING:
        return true;
    case IS_EQUAL:
        return ow_same_value(wanted, value);
    case HAS_PART:
        return !lg_json_is(wanted, LG_JSON_STRING) || any_text_has(value, lg_json_str(wanted), 0);
    case IS_LEAST:
        return !numbers || lg_json_number_cmp(value, wanted) >= 0;
    case IS_MOST:
        return !numbers || lg_json_number_cmp(value, wanted) <= 0;
    }
    return true;
}

bool ow_asks_for_words(const lg_json *args)
{
    bool asks = false;
    for (size_t i = 0; i < lg_json_len(args) && !asks; i++) {
        asks = is_search(lg_json_key(lg_json_member_at(args, i)));
    }
    return asks;
}

bool ow_suits(const ow_turn *turn, const lg_json *entity)
{
    const lg_json *fields = &turn->about.fields;
    const lg_json *args = turn->call->args;
    for (size_t i = 0; i < lg_json_len(fields); i++) {
        const lg_json_member *field = lg_json_member_at(fields, i);
        filter f = filter_of(lg_json_key(field), entity);
        if (!lg_json_is(&field->value, LG_JSON_NULL) && !is_met(&f, &field->value)) {
            return false;
        }
    }
    for (size_t i = 0; turn->searches && i < lg_json_len(args); i++) {
        const lg_json_member *arg = lg_json_member_at(args, i);
        if (is_search(lg_json_key(arg)) && lg_json_is(&arg->value, LG_JSON_STRING) &&
            !lg_json_get(entity, lg_json_key(arg)) &&
            !has_words(entity, lg_json_str(&arg->value))) {
            return false;
        }
    }
    return true;
}

// --- Made to suit -------------------------------------------------------------------------------

// The member in which one would look for words.
static const lg_json_member *text_member(const lg_json *item)
{
    static const char *const names[] = {"name",  "title",       "subject", "summary",
                                        "label", "description", "text",    "content",
                                        "body",  "message",     NULL};
    const lg_json_member *other = NULL;
    for (size_t i = 0; names[i]; i++) {
        const lg_json_member *member = member_named(item, lg_str_c(names[i]));
        if (member && lg_json_is(&member->value, LG_JSON_STRING)) {
            return member;
        }
    }
    for (size_t i = 0; i < lg_json_len(item) && !other; i++) {
        const lg_json_member *member = lg_json_member_at(item, i);
        ow_word word = ow_plain(lg_json_key(member));
        bool text = lg_json_is(&member->value, LG_JSON_STRING) && !ow_word_ends(&word, "id");
        other =
            text && (ow_word_ends(&word, "name") || ow_word_ends(&word, "title")) ? member : NULL;
    }
    return other;
}

static lg_json with_text(ow_turn *turn, const lg_json *item, const lg_json_member *member,
                         lg_str words)
{
    lg_str text = lg_arena_printf(turn->arena, "%.*s %.*s", LG_FMT(lg_str_cut(words, 200)),
                                  LG_FMT(lg_json_str(&member->value)));
    turn->oom = turn->oom || !text.ptr;
    return text.ptr
               ? ow_with(turn->arena, item, lg_json_key(member), lg_json_make_str(text), &turn->oom)
               : *item;
}

static lg_json with_words(ow_turn *turn, const lg_json *item, lg_str query)
{
    char room[256];
    lg_buf words;
    lg_buf_init_in(&words, room, sizeof(room), sizeof(room));
    size_t at = 0;
    lg_str word = next_word(query, &at);
    for (size_t i = 0; word.len && i < WORDS_MAX; i++, word = next_word(query, &at)) {
        lg_buf_add_c(&words, words.len ? " " : "");
        lg_buf_add(&words, word);
    }
    const lg_json_member *member = text_member(item);
    bool fits = member && words.len && lg_buf_status(&words) == LG_OK;
    lg_json made = fits ? with_text(turn, item, member, lg_buf_str(&words)) : *item;
    lg_buf_done(&words);
    return made;
}

// The list with `wanted` in it: of objects, in the first one's id or text.
static lg_json list_with(ow_turn *turn, const lg_json *list, const lg_json *wanted)
{
    const lg_json *first = lg_json_len(list) ? &list->as.items[0] : NULL;
    lg_json *items = LG_NEW_ARRAY(turn->arena, lg_json, lg_json_len(list) + 1);
    turn->oom = turn->oom || !items;
    if (!items) {
        return *list;
    }
    if (!lg_json_is(first, LG_JSON_OBJECT) || wanted->type >= LG_JSON_ARRAY) {
        items[0] = *wanted;
        return lg_json_make_array(items, 1);
    }
    lg_copy_bytes(items, list->as.items, lg_json_len(list) * sizeof(*items));
    const lg_json_member *id = ow_id_member(first, LG_STR(""), LG_STR(""));
    const lg_json_member *text = text_member(first);
    const lg_json_member *member = lg_json_is(wanted, LG_JSON_STRING) && text ? text : id;
    if (member) {
        items[0] = ow_with(turn->arena, first, lg_json_key(member), *wanted, &turn->oom);
    }
    return lg_json_make_array(items, lg_json_len(list));
}

static lg_json equal_to(ow_turn *turn, const lg_json *value, const lg_json *wanted)
{
    if (lg_json_is(wanted, LG_JSON_ARRAY) && lg_json_len(wanted) &&
        (!lg_json_is(value, LG_JSON_ARRAY) ||
         (lg_json_len(value) && lg_json_is(&value->as.items[0], LG_JSON_OBJECT)))) {
        wanted = &wanted->as.items[0];
    }
    if (lg_json_is(value, LG_JSON_ARRAY) && !lg_json_is(wanted, LG_JSON_ARRAY)) {
        return list_with(turn, value, wanted);
    }
    const lg_json_member *text = lg_json_is(value, LG_JSON_OBJECT) && wanted->type < LG_JSON_ARRAY
                                     ? text_member(value)
                                     : NULL;
    return text ? ow_with(turn->arena, value, lg_json_key(text), *wanted, &turn->oom) : *wanted;
}

lg_json ow_made_to_suit(ow_turn *turn, const lg_json *item)
{
    lg_json made = *item;
    const lg_json *fields = &turn->about.fields;
    const lg_json *args = turn->call->args;
    for (size_t i = 0; i < lg_json_len(fields); i++) {
        const lg_json_member *field = lg_json_member_at(fields, i);
        filter f = filter_of(lg_json_key(field), &made);
        if (lg_json_is(&field->value, LG_JSON_NULL) || is_met(&f, &field->value)) {
            continue;
        }
        if (f.relation == HAS_PART) {
            made = with_text(turn, &made, f.member, lg_json_str(&field->value));
        } else {
            lg_json value = f.relation == IS_EQUAL ? equal_to(turn, &f.member->value, &field->value)
                                                   : field->value;
            made = ow_with(turn->arena, &made, lg_json_key(f.member), value, &turn->oom);
        }
    }
    for (size_t i = 0; i < lg_json_len(args); i++) {
        const lg_json_member *arg = lg_json_member_at(args, i);
        if (is_search(lg_json_key(arg)) && lg_json_is(&arg->value, LG_JSON_STRING) &&
            !lg_json_get(&made, lg_json_key(arg)) && !has_words(&made, lg_json_str(&arg->value))) {
            made = with_words(turn, &made, lg_json_str(&arg->value));
        }
    }
    return made;
}
