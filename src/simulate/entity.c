// entity.c: what an answer is about: the entity or the list in its wrapping, ids, successes, and times in their order.
#include "catalogue/kind.h"
#include "simulate/open_world_internal.h"

const lg_json *ow_at(const lg_json *root, const ow_path *path)
{
    for (size_t i = 0; i < path->count && root; i++) {
        root = lg_json_get(root, path->names[i]);
    }
    return root;
}

static bool same_word(lg_str name, lg_str noun)
{
    ow_word word = ow_singular(ow_plain(name));
    return noun.len > 0 && lg_str_eq((lg_str){word.text, word.len}, noun);
}

// --- Ids ----------------------------------------------------------------------------------------

static const lg_json_member *member_called(const lg_json *object, lg_str plain)
{
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        if (ow_is_called(lg_json_key(member), plain)) {
            return member;
        }
    }
    return NULL;
}

static const lg_json_member *member_of_word(const lg_json *object, const ow_word *word)
{
    return member_called(object, (lg_str){word->text, word->len});
}

static bool can_be_id(const lg_json_member *member)
{
    return member &&
           (lg_json_is(&member->value, LG_JSON_STRING) || lg_json_is_number(&member->value));
}

// {idOrName}: its id if it has one, by whatever name, else the first of the two that is there.
static const lg_json_member *member_of_either(const lg_json *object, lg_str id_name)
{
    static const char *const ids[] = {"id", "uuid", "uid", "guid", "sid"};
    const lg_json_member *found = NULL;
    bool either = false;
    size_t at = 0;
    for (size_t i = 0; i < LG_COUNT(ids) && !found; i++) {
        const lg_json_member *member = member_called(object, lg_str_c(ids[i]));
        found = can_be_id(member) ? member : NULL;
    }
    for (lg_str part; (part = lg_words_next(id_name, &at)).len > 0;) {
        ow_word word = ow_plain(part);
        const lg_json_member *member = found ? NULL : member_of_word(object, &word);
        either = either || lg_str_eq_any_case(part, LG_STR("or"));
        found = can_be_id(member) ? member : found;
    }
    return either ? found : NULL;
}

static const lg_json_member *named_id(const lg_json *object, lg_str id_name, lg_str noun)
{
    static const char *const endings[] = {"uuid", "guid", "sid",  "id",     "key",
                                          "name", "code", "slug", "number", NULL};
    ow_word word = ow_plain(id_name);
    const lg_json_member *found = member_of_word(object, &word);
    bool is_noun = noun.len > 0 && lg_str_eq((lg_str){word.text, word.len}, noun);
    if (found && (is_noun || (word.len > 2 && ow_word_ends(&word, "id")))) {
        // {file_id} of a path is the `id` of a file, even if that file names another one in `file_id`.
        const lg_json_member *id = member_called(object, LG_STR("id"));
        found = can_be_id(id) ? id : found;
    }
    if (!found && lg_str_find(id_name, LG_STR("r")) != SIZE_MAX) {
        found = member_of_either(object, id_name);
    }
    for (size_t i = 0; endings[i] && !found; i++) {
        size_t len = strlen(endings[i]);
        lg_str front = {word.text, word.len > len ? word.len - len : 0};
        bool of_noun = noun.len > 0 && (lg_str_eq(front, noun) || lg_str_ends(noun, front));
        if (ow_word_ends(&word, endings[i]) && (of_noun || len == 2)) {
            found = member_called(object, lg_str_c(endings[i]));
            break;
        }
    }
    return can_be_id(found) ? found : NULL;
}

const lg_json_member *ow_id_member(const lg_json *object, lg_str id_name, lg_str noun)
{
    static const char *const usual[] = {"id", "uuid", "uid", "guid", "sid", NULL};
    static const char *const rare[] = {"key", "number", "slug", "code", NULL};
    if (!lg_json_is(object, LG_JSON_OBJECT)) {
        return NULL;
    }
    const lg_json_member *found = id_name.len ? named_id(object, id_name, noun) : NULL;
    for (size_t i = 0; usual[i] && !found; i++) {
        const lg_json_member *member = member_called(object, lg_str_c(usual[i]));
        found = can_be_id(member) ? member : NULL;
    }
    if (!found && noun.len > 0 && noun.len < 60) {
        ow_word word = ow_plain(noun);
        word.text[word.len++] = 'i';
        word.text[word.len++] = 'd';
        const lg_json_member *member = member_of_word(object, &word);
        found = can_be_id(member) ? member : NULL;
    }
    for (size_t i = 0; rare[i] && !found && !id_name.len; i++) {
        const lg_json_member *member = member_called(object, lg_str_c(rare[i]));
        found = can_be_id(member) ? member : NULL;
    }
    return found;
}

// --- Wrappings ----------------------------------------------------------------------------------

static const char *const wrappings[] = {"data",   "result",  "item",     "response",
                                        "record", "payload", "resource", "entity",
                                        "object", "content", "value",    NULL};
static const char *const list_names[] = {
    "data", "item",    "result",   "record", "value", "entry",    "row",     "list",
    "hit",  "element", "resource", "object", "match", "response", "content", NULL};

static const lg_json_member *wrapped(const lg_json *object, lg_str noun)
{
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        if (lg_json_is(&member->value, LG_JSON_OBJECT) && same_word(lg_json_key(member), noun)) {
            return member;
        }
    }
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        ow_word word = ow_plain(lg_json_key(member));
        if (lg_json_is(&member->value, LG_JSON_OBJECT) && ow_word_in(&word, wrappings)) {
            return member;
        }
    }
    return NULL;
}

ow_path ow_find_entity(const lg_json *root, lg_str noun, lg_str id_name)
{
    ow_path path = {.count = 0};
    while (path.count < 2 && lg_json_is(root, LG_JSON_OBJECT)) {
        const lg_json_member *inner = wrapped(root, noun);
        // What has an `id` of its own is the entity, whatever is in it: an account of the administrator's has an `account`.
        if (!inner || can_be_id(member_called(root, LG_STR("id"))) ||
            (ow_id_member(root, id_name, noun) && !same_word(lg_json_key(inner), noun))) {
            break;
        }
        path.names[path.count++] = lg_json_key(inner);
        root = &inner->value;
    }
    return path;
}

// An array of objects, or an empty one.
static bool is_list(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_ARRAY) &&
           (lg_json_len(value) == 0 || lg_json_is(&value->as.items[0], LG_JSON_OBJECT));
}

static const lg_json_member *list_member(const lg_json *object, lg_str noun)
{
    const lg_json_member *only = NULL;
    size_t lists = 0;
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        ow_word word = ow_singular(ow_plain(lg_json_key(member)));
        if (!is_list(&member->value)) {
            continue;
        }
        if (same_word(lg_json_key(member), noun) || ow_word_in(&word, list_names)) {
            return member;
        }
        only = member;
        lists++;
    }
    return lists == 1 ? only : NULL;
}

bool ow_find_list(const lg_json *root, lg_str noun, ow_path *ret)
{
    *ret = (ow_path){.count = 0};
    if (is_list(root)) {
        return true;
    }
    if (!lg_json_is(root, LG_JSON_OBJECT)) {
        return false;
    }
    const lg_json_member *direct = list_member(root, noun);
    const lg_json_member *inner = direct ? NULL : wrapped(root, noun);
    const lg_json_member *second = inner ? list_member(&inner->value, noun) : NULL;
    if (direct) {
        ret->names[ret->count++] = lg_json_key(direct);
    } else if (second) {
        ret->names[ret->count++] = lg_json_key(inner);
        ret->names[ret->count++] = lg_json_key(second);
    }
    return ret->count > 0;
}

// --- Successes ----------------------------------------------------------------------------------

static bool is_empty(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_NULL) ||
           (lg_json_is(value, LG_JSON_BOOL) && !value->as.boolean) ||
           (lg_json_is(value, LG_JSON_STRING) && value->len == 0) ||
           (value->type >= LG_JSON_ARRAY && lg_json_len(value) == 0);
}

typedef enum verdict { SAYS_NOTHING, SAYS_OK, SAYS_ERROR, SAYS_SUCCESS } verdict;

// What a member has to say of how it went: `error` must be empty, `success` true, `isError` false.
static verdict verdict_of(const lg_json_member *member)
{
    static const char *const errors[] = {"error", "errors", "errormessage", "errorcode", NULL};
    static const char *const flags[] = {"success", "ok", "succeeded", "issuccess", NULL};
    ow_word word = ow_plain(lg_json_key(member));
    bool truth = lg_json_is(&member->value, LG_JSON_BOOL);
    if (ow_word_in(&word, errors) || (ow_word_is(&word, "iserror") && truth)) {
        return is_empty(&member->value) ? SAYS_OK : SAYS_ERROR;
    }
    if (truth && ow_word_in(&word, flags)) {
        return member->value.as.boolean ? SAYS_OK : SAYS_SUCCESS;
    }
    if (ow_word_is(&word, "status") &&
        lg_str_eq_any_case(lg_json_str(&member->value), LG_STR("error"))) {
        return SAYS_ERROR;
    }
    return SAYS_NOTHING;
}

bool ow_looks_failed(const lg_json *root)
{
    for (size_t i = 0; lg_json_is(root, LG_JSON_OBJECT) && i < lg_json_len(root); i++) {
        verdict said = verdict_of(lg_json_member_at(root, i));
        if (said == SAYS_ERROR || said == SAYS_SUCCESS) {
            return true;
        }
    }
    return false;
}

lg_json ow_as_success(lg_arena *arena, const lg_json *root, bool *oom)
{
    lg_json made = *root;
    for (size_t i = 0; lg_json_is(root, LG_JSON_OBJECT) && i < lg_json_len(root); i++) {
        const lg_json_member *member = lg_json_member_at(root, i);
        verdict said = verdict_of(member);
        ow_word word = ow_plain(lg_json_key(member));
        if (said == SAYS_SUCCESS) {
            made = ow_with(arena, &made, lg_json_key(member), lg_json_make_bool(true), oom);
        } else if (said == SAYS_ERROR && ow_word_is(&word, "status")) {
            made = ow_with(arena, &made, lg_json_key(member), lg_json_make_str(LG_STR("success")),
                           oom);
        } else if (said == SAYS_ERROR && lg_json_is(&member->value, LG_JSON_BOOL)) {
            made = ow_with(arena, &made, lg_json_key(member), lg_json_make_bool(false), oom);
        } else if (said == SAYS_ERROR) {
            made = ow_without(arena, &made, lg_json_key(member), oom);
        }
    }
    return made;
}

// --- Times --------------------------------------------------------------------------------------

static const char *const times[][2] = {{"start", "end"},        {"departure", "arrival"},
                                       {"depart", "arrive"},    {"begin", "end"},
                                       {"created", "updated"},  {"checkin", "checkout"},
                                       {"started", "finished"}, {"opened", "closed"},
                                       {"created", "modified"}, {"started", "completed"},
                                       {"from", "to"}};

// The name of the later time, where `word` is that of an earlier one.
static bool later_name(const ow_word *word, size_t pair, ow_word *ret)
{
    if (!memchr(word->text, times[pair][0][0], word->len)) {
        return false;
    }
    size_t at = lg_str_find((lg_str){word->text, word->len}, lg_str_c(times[pair][0]));
    size_t from = strlen(times[pair][0]);
    size_t to = strlen(times[pair][1]);
    if (at == SIZE_MAX || word->len - from + to > sizeof(ret->text)) {
        return false;
    }
    memcpy(ret->text, word->text, at);
    memcpy(ret->text + at, times[pair][1], to);
    memcpy(ret->text + at + to, word->text + at + from, word->len - at - from);
    ret->len = word->len - from + to;
    return true;
}

static bool is_time(lg_str text)
{
    return text.len >= 5 && lg_is_digit(text.ptr[0]) && lg_is_digit(text.ptr[1]) &&
           (text.ptr[2] == ':' || (text.len >= 10 && text.ptr[4] == '-' && text.ptr[7] == '-'));
}

// Is `later` before `earlier`? Only of two times that are written alike.
static bool in_disorder(const lg_json *earlier, const lg_json *later)
{
    if (lg_json_is(earlier, LG_JSON_INT) && lg_json_is(later, LG_JSON_INT)) {
        return later->as.i64 < earlier->as.i64;
    }
    lg_str a = lg_json_str(earlier);
    lg_str b = lg_json_str(later);
    return a.len == b.len && is_time(a) && is_time(b) && lg_str_cmp(b, a) < 0;
}

static lg_json order_object(lg_arena *arena, const lg_json *object, const lg_json *made, bool *oom)
{
    lg_json ordered = *object;
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json *first = &lg_json_member_at(object, i)->value;
        if (!lg_json_is(first, LG_JSON_INT) && !is_time(lg_json_str(first))) {
            continue;
        }
        lg_str key = lg_json_key(lg_json_member_at(object, i));
        ow_word word = ow_plain(key);
        for (size_t pair = 0; pair < LG_COUNT(times); pair++) {
            ow_word late;
            const lg_json_member *other =
                later_name(&word, pair, &late) ? member_of_word(&ordered, &late) : NULL;
            const lg_json *value = lg_json_get(&ordered, key);
            if (!other || !in_disorder(value, &other->value)) {
                continue;
            }
            const lg_json *old = lg_json_get(made, lg_json_key(other));
            const lg_json *old_value = lg_json_get(made, key);
            bool free_late = old && lg_json_equal(old, &other->value);
            bool free_early = old_value && lg_json_equal(old_value, value);
            lg_json early = free_early ? other->value : *value;
            lg_json later = free_late ? *value : other->value;
            ordered = ow_with(arena, &ordered, lg_json_key(other), later, oom);
            ordered = ow_with(arena, &ordered, key, early, oom);
        }
    }
    return ordered;
}

lg_json ow_in_order(lg_arena *arena, const lg_json *root, const lg_json *made, bool *oom)
{
    return lg_json_is(root, LG_JSON_OBJECT) ? order_object(arena, root, made, oom) : *root;
}
