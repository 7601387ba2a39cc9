// about.c: which entity or list a call is about, and what it does with it.
//
// An operation of a REST interface says so with its path: /users/{id}/repos/{name} is an entity of "users/repos". Any other tool
// says so with its name: the verb, and behind it the noun, up to the first preposition.
#include "catalogue/kind.h"
#include "simulate/open_world_internal.h"

typedef struct finder {
    lg_arena *arena;
    const lg_open_world_call *call;
    const lg_catalogue_tool *source; // or NULL
    ow_about *about;
    bool oom;
} finder;

static lg_str printed(finder *f, lg_str text)
{
    f->oom = f->oom || !text.ptr;
    return text.ptr ? text : LG_STR("");
}

static lg_str singular_text(finder *f, lg_str name)
{
    ow_word word = ow_singular(ow_plain(name));
    return printed(f, lg_arena_str(f->arena, (lg_str){word.text, word.len}));
}

// --- Fields -------------------------------------------------------------------------------------

static const lg_catalogue_argument *argument_named(const finder *f, lg_str name)
{
    for (size_t i = 0; f->source && i < f->source->list_count; i++) {
        if (lg_str_eq(f->source->list[i].name, name)) {
            return &f->source->list[i];
        }
    }
    return NULL;
}

typedef enum holding { HOLDS_NOTHING, MAY_HOLD, HOLDS_FIELDS } holding;

// Are the members of an argument the fields? Of "data" or "attributes" the answer tells: it has such a member, or not.
static holding holding_of(const finder *f, const lg_json_member *member, lg_argument_place place)
{
    static const char *const surely[] = {"change",  "update", "patch", "body",
                                         "payload", "input",  NULL};
    static const char *const perhaps[] = {"data",       "field",  "attribute", "property",
                                          "properties", "record", "item",      NULL};
    ow_word word = ow_singular(ow_plain(lg_json_key(member)));
    bool noun = f->about->noun.len && lg_str_eq((lg_str){word.text, word.len}, f->about->noun);
    if (!lg_json_is(&member->value, LG_JSON_OBJECT)) {
        return HOLDS_NOTHING;
    }
    return place == LG_PLACE_BODY || noun || ow_word_in(&word, surely) ? HOLDS_FIELDS
           : ow_word_in(&word, perhaps)                                ? MAY_HOLD
                                                                       : HOLDS_NOTHING;
}

// Is it a list of what the tool is about, or a whole body that is one?
static bool is_batch(const finder *f, const lg_json_member *member, lg_argument_place place)
{
    ow_word word = ow_singular(ow_plain(lg_json_key(member)));
    bool noun = f->about->noun.len && lg_str_eq((lg_str){word.text, word.len}, f->about->noun);
    return lg_json_is(&member->value, LG_JSON_ARRAY) && lg_json_len(&member->value) > 0 &&
           lg_json_is(&member->value.as.items[0], LG_JSON_OBJECT) &&
           (noun || place == LG_PLACE_BODY);
}

// What of the arguments belongs to the entity: neither secrets, nor what the path or a header has, nor the paging of a read.
static void find_fields(finder *f)
{
    const lg_json *args = f->call->args;
    ow_about *about = f->about;
    bool reads = about->action == OW_READ_ONE || about->action == OW_READ_LIST;
    bool rest = f->source && !ow_is_rpc(f->source);
    about->fields = lg_json_make_object(NULL, 0);
    for (size_t i = 0; i < lg_json_len(args) && !f->oom; i++) {
        const lg_json_member *member = lg_json_member_at(args, i);
        const lg_catalogue_argument *argument = argument_named(f, lg_json_key(member));
        lg_argument_place place = argument ? argument->place : LG_PLACE_NONE;
        lg_str name = argument && argument->key.len ? argument->key : lg_json_key(member);
        if (place == LG_PLACE_HEADER || place == LG_PLACE_COOKIE || place == LG_PLACE_PATH ||
            ow_is_secret(name) || (reads && ow_is_paging(name))) {
            continue;
        }
        holding holds = reads ? HOLDS_NOTHING : holding_of(f, member, place);
        about->holder = holds == MAY_HOLD ? name : about->holder;
        if (!reads && is_batch(f, member, place)) {
            about->batch = &member->value;
        } else if (holds == HOLDS_FIELDS) {
            about->fields = ow_merge(f->arena, &about->fields, &member->value, &f->oom);
        } else if (rest || &member->value != about->id) {
            about->fields = ow_with(f->arena, &about->fields, name, member->value, &f->oom);
        }
    }
}

// --- Paths --------------------------------------------------------------------------------------

static lg_str bare_segment(lg_str segment)
{
    return lg_str_ends(segment, LG_STR(".json")) ? lg_str_slice(segment, 0, segment.len - 5)
                                                 : segment;
}

static lg_str next_segment(lg_str path, size_t *at)
{
    while (*at < path.len && path.ptr[*at] == '/') {
        (*at)++;
    }
    size_t from = *at;
    while (*at < path.len && path.ptr[*at] != '/') {
        (*at)++;
    }
    return bare_segment(lg_str_slice(path, from, *at));
}

// `api`, `v1`, `2010-04-01`: where an interface is, not what is in it.
static bool is_prefix(lg_str segment)
{
    bool version =
        segment.len > 1 && lg_lower(segment.ptr[0]) == 'v' && lg_is_digit(segment.ptr[1]);
    return version || lg_is_digit(segment.ptr[0]) || lg_str_eq_any_case(segment, LG_STR("api")) ||
           lg_str_eq_any_case(segment, LG_STR("rest"));
}

// `findByStatus` and `search` are of what stands before them.
static bool is_verb_segment(lg_str segment)
{
    static const char *const verbs[] = {"find",   "search", "list",   "get",    "query",  "lookup",
                                        "create", "add",    "update", "delete", "remove", "batch",
                                        "bulk",   "upload", "filter", "all",    "new",    NULL};
    size_t at = 0;
    ow_word word = ow_plain(lg_words_next(segment, &at));
    return ow_word_in(&word, verbs);
}

// The value that stands in the braces of the segment, or NULL.
static const lg_json *segment_value(const finder *f, lg_str segment, lg_str *ret_name)
{
    size_t open = lg_str_find(segment, LG_STR("{"));
    size_t close = lg_str_find(segment, LG_STR("}"));
    lg_str key = lg_str_slice(segment, open + 1, close);
    *ret_name = key;
    for (size_t i = 0; i < f->source->list_count; i++) {
        const lg_catalogue_argument *a = &f->source->list[i];
        if (a->place == LG_PLACE_PATH && lg_str_eq(a->key, key)) {
            return lg_json_get(f->call->args, a->name);
        }
    }
    return NULL;
}

typedef struct walk {
    lg_str collection; // so far
    lg_str key;        // so far, each id with a slash behind it
    lg_str literal;    // since the last id
    lg_str verb;       // a last literal that says what is done
    lg_str id_name;    // of the last id
    bool ends_with_id;
} walk;

static void enter_literal(finder *f, walk *w, lg_str segment)
{
    if (w->literal.len == 0 && w->collection.len == 0 && is_prefix(segment)) {
        return;
    }
    w->literal = w->literal.len == 0
                     ? segment
                     : printed(f, lg_arena_printf(f->arena, "%.*s/%.*s", LG_FMT(w->literal),
                                                  LG_FMT(segment)));
}

// "issuing/cards" and "Card" alike end in the plural.
static void close_literal(finder *f, walk *w)
{
    size_t from = w->literal.len;
    while (from > 0 && w->literal.ptr[from - 1] != '/') {
        from--;
    }
    if (w->literal.len == 0) {
        return;
    }
    lg_str last = lg_str_slice(w->literal, from, w->literal.len);
    lg_str plural = printed(f, ow_plural_name(f->arena, last));
    const char *slash = w->collection.len ? "/" : "";
    w->collection = printed(f, lg_arena_printf(f->arena, "%.*s%s%.*s%.*s", LG_FMT(w->collection),
                                               slash, (int)from, w->literal.ptr, LG_FMT(plural)));
    f->about->noun = singular_text(f, last);
    w->literal = LG_STR("");
}

static void enter_id(finder *f, walk *w, lg_str segment)
{
    ow_about *about = f->about;
    if (w->ends_with_id && about->above_count < OW_KEYS_MAX && w->literal.len > 0) {
        about->above[about->above_count] = w->collection;
        about->above_key[about->above_count++] = lg_str_slice(w->key, 0, w->key.len - 1);
    }
    close_literal(f, w);
    about->id = segment_value(f, segment, &about->id_name);
    w->id_name = about->id_name;
    if (about->id && about->path_count < OW_KEYS_MAX) {
        about->path_name[about->path_count] = about->id_name;
        about->path_noun[about->path_count] = about->noun;
        about->path_id[about->path_count++] = about->id;
    }
    about->parent = w->key;
    lg_str text = about->id ? ow_key_text(f->arena, about->id) : LG_STR("?");
    w->key = printed(f, lg_arena_printf(f->arena, "%.*s%.*s/", LG_FMT(w->key), LG_FMT(text)));
    w->ends_with_id = true;
}

// Walks the path. At its end `w->literal` is what stands behind the last id.
static void walk_path(finder *f, walk *w)
{
    lg_str path = f->source->path;
    size_t at = 0;
    for (lg_str segment; (segment = next_segment(path, &at)).len > 0 && !f->oom;) {
        size_t rest = at;
        bool last = next_segment(path, &rest).len == 0;
        bool before = w->literal.len > 0 || w->collection.len > 0;
        if (lg_str_find(segment, LG_STR("{")) != SIZE_MAX) {
            enter_id(f, w, segment);
        } else if (last && before && is_verb_segment(segment)) {
            w->verb = segment;
        } else {
            enter_literal(f, w, segment);
        }
    }
}

// The id that another operation of the path has: {petId} of /pets/{petId}, for /pets.
static void find_sibling_id(finder *f, lg_str verb)
{
    lg_str path = bare_segment(f->source->path);
    path.len -= verb.len ? verb.len + 1 : 0;
    for (size_t i = 0; i < lg_sim_tool_count(f->call->sim); i++) {
        const lg_catalogue_tool *other = lg_sim_tool_at(f->call->sim, i)->of_catalogue;
        lg_str theirs = other ? bare_segment(other->path) : LG_STR("");
        if (theirs.len < path.len + 3 || theirs.ptr[path.len] != '/' ||
            theirs.ptr[path.len + 1] != '{' || memcmp(theirs.ptr, path.ptr, path.len) != 0) {
            continue;
        }
        if (lg_str_find(lg_str_slice(theirs, path.len + 1, theirs.len), LG_STR("}")) + 1 ==
            theirs.len - path.len - 1) {
            f->about->id_name = lg_str_slice(theirs, path.len + 2, theirs.len - 1);
            return;
        }
    }
}

static bool result_is_list(const finder *f)
{
    const lg_json *type = lg_json_get(f->call->tool->result, LG_STR("type"));
    return lg_str_eq(lg_json_str(type), LG_STR("array"));
}

static bool asks_for_something(const finder *f)
{
    for (size_t i = 0; i < lg_json_len(f->call->args); i++) {
        lg_str name = lg_json_key(lg_json_member_at(f->call->args, i));
        const lg_catalogue_argument *argument = argument_named(f, name);
        lg_argument_place place = argument ? argument->place : LG_PLACE_NONE;
        if (place != LG_PLACE_PATH && place != LG_PLACE_HEADER && place != LG_PLACE_COOKIE &&
            !ow_is_secret(name) && !ow_is_paging(name)) {
            return true;
        }
    }
    return false;
}

// A path that ends in an id.
static ow_action action_on_one(lg_str method, lg_tool_kind kind)
{
    if (kind == LG_TOOL_READ) {
        return OW_READ_ONE;
    }
    return lg_str_eq(method, LG_STR("PUT"))      ? OW_PUT
           : lg_str_eq(method, LG_STR("DELETE")) ? OW_DELETE
                                                 : OW_UPDATE;
}

// A path that ends in a word: a list, a singleton, or something that is done.
static ow_action action_on_word(finder *f, const walk *w, lg_str word)
{
    bool plural = ow_is_plural(word);
    lg_str method = f->source->method;
    if (f->call->tool->kind == LG_TOOL_READ) { // of /images/custom/{id} is /images/custom the list
        bool listed = f->about->id_name.len > 0 && !w->verb.len;
        return result_is_list(f) || plural || w->verb.len || listed ? OW_READ_LIST : OW_READ_ONE;
    }
    if (lg_str_eq(method, LG_STR("PUT")) || lg_str_eq(method, LG_STR("PATCH"))) {
        return OW_PUT;
    }
    if (lg_str_eq(method, LG_STR("DELETE"))) {
        return plural ? OW_OTHER : OW_DELETE;
    }
    return w->ends_with_id && !plural ? OW_UPDATE : OW_CREATE;
}

static void about_word(finder *f, walk *w)
{
    ow_about *about = f->about;
    lg_str word = w->literal.len ? w->literal : w->collection;
    about->id_name = LG_STR("");
    find_sibling_id(f, w->verb);
    about->action = action_on_word(f, w, word);
    if (about->action == OW_UPDATE) { // POST /orders/{id}/cancel
        about->key = lg_str_slice(w->key, 0, w->key.len - 1);
        about->has_key = true;
        about->collection = w->collection;
        about->id_name = w->id_name;
        return;
    }
    if (w->ends_with_id && w->literal.len > 0 && about->above_count < OW_KEYS_MAX) {
        about->above[about->above_count] = w->collection;
        about->above_key[about->above_count++] = lg_str_slice(w->key, 0, w->key.len - 1);
    }
    close_literal(f, w);
    about->collection = w->collection;
    about->parent = w->key;
    about->id = NULL;
    find_fields(f);
    const lg_json_member *id = ow_id_member(&about->fields, about->id_name, about->noun);
    bool writes =
        about->action == OW_PUT || about->action == OW_DELETE || about->action == OW_CREATE;
    if (id && writes) { // PUT /pet with the id in its body
        about->id = &id->value;
        about->key = printed(f, lg_arena_printf(f->arena, "%.*s%.*s", LG_FMT(w->key),
                                                LG_FMT(ow_key_text(f->arena, &id->value))));
        about->has_key = true;
        about->may_conflict = true;
        ow_word name = ow_plain(lg_json_key(id));
        about->id_may_be_another = about->action == OW_CREATE && !ow_word_is(&name, "id");
    } else if (about->action != OW_READ_LIST && about->action != OW_CREATE) {
        about->key = w->key;
        about->has_key = about->action != OW_READ_ONE || !asks_for_something(f);
        about->action = about->has_key ? about->action : OW_OTHER;
    }
}

static void about_path(finder *f)
{
    walk w = {.collection = LG_STR(""),
              .key = LG_STR(""),
              .literal = LG_STR(""),
              .verb = LG_STR(""),
              .id_name = LG_STR("")};
    ow_about *about = f->about;
    walk_path(f, &w);
    if (w.ends_with_id && w.literal.len == 0 && w.verb.len == 0) {
        about->collection = w.collection;
        about->key = lg_str_slice(w.key, 0, w.key.len - 1);
        about->has_key = about->id != NULL;
        about->action =
            about->has_key ? action_on_one(f->source->method, f->call->tool->kind) : OW_OTHER;
    } else if (f->call->tool->kind == LG_TOOL_GENERIC) {
        about->action = OW_OTHER;
    } else {
        about_word(f, &w);
    }
    about->replaces = about->action == OW_PUT && lg_str_eq(f->source->method, LG_STR("PUT"));
}

// Does the path end in the entities called `noun`, and an id, with no other id before?
static bool ends_in_entities(lg_str path, lg_str noun)
{
    if (path.len < 4 || path.ptr[path.len - 1] != '}') {
        return false;
    }
    const char *brace = memchr(path.ptr, '{', path.len);
    const char *close = memchr(path.ptr, '}', path.len);
    size_t open = brace ? (size_t)(brace - path.ptr) : 0;
    if (open < 2 || close + 1 != path.ptr + path.len) {
        return false;
    }
    size_t from = open - 1;
    while (from > 0 && path.ptr[from - 1] != '/') {
        from--;
    }
    if (lg_lower(path.ptr[from]) != noun.ptr[0]) {
        return false; // nearly all differ at once
    }
    ow_word word = ow_singular(ow_plain(lg_str_slice(path, from, open - 1)));
    return lg_str_eq((lg_str){word.text, word.len}, noun);
}

lg_str ow_collection_of(lg_arena *arena, const lg_open_world_call *call, lg_str noun, lg_str name,
                        bool *oom)
{
    lg_str found = LG_STR("");
    for (size_t i = 0; i < lg_sim_tool_count(call->sim) && !found.len; i++) {
        const lg_catalogue_tool *tool = lg_sim_tool_at(call->sim, i)->of_catalogue;
        lg_str path = tool ? bare_segment(tool->path) : LG_STR("");
        if (!ends_in_entities(path, noun)) {
            continue;
        }
        ow_about about = {.noun = LG_STR("")};
        finder f = {.arena = arena, .call = call, .source = tool, .about = &about};
        walk w = {.collection = LG_STR(""),
                  .key = LG_STR(""),
                  .literal = LG_STR(""),
                  .verb = LG_STR(""),
                  .id_name = LG_STR("")};
        walk_path(&f, &w);
        *oom = *oom || f.oom;
        found = w.collection;
    }
    if (!found.len) {
        found = ow_plural_name(arena, name);
        *oom = *oom || !found.ptr;
    }
    return found.ptr ? found : LG_STR("");
}

// --- Names --------------------------------------------------------------------------------------

static const char *const prepositions[] = {"by", "for", "of",    "from", "in", "with", "to",
                                           "on", "at",  "using", "via",  "as", NULL};
static const char *const idle[] = {"all",     "my",       "the",    "a", "new",
                                   "current", "multiple", "single", NULL};
static const char *const trailing[] = {"content",     "contents", "detail", "details", "info",
                                       "information", "data",     "record", "records", "status",
                                       "list",        "entry",    NULL};

typedef struct spoken {
    lg_str verb;
    lg_str noun;  // its words as they stand in the name
    lg_str whole; // what follows "from": remove_stock_from_watchlist
    bool from;
    bool either; // create_or_update_file
} spoken;

static bool is_word_in(lg_str word, const char *const *list)
{
    ow_word plain = ow_plain(word);
    return ow_word_in(&plain, list);
}

// "watchlist" of "from_the_watchlist".
static lg_str rest_of(lg_str name, size_t at)
{
    size_t from = at;
    lg_str word = lg_words_next(name, &at);
    if (is_word_in(word, idle)) {
        from = at;
        word = lg_words_next(name, &at);
    }
    return word.len ? lg_str_slice(name, (size_t)(word.ptr - name.ptr), name.len)
                    : lg_str_slice(name, from, name.len);
}

// The verb, and the words behind it up to a preposition, or else those before it.
static spoken split_name(lg_str name)
{
    spoken s = {.verb = LG_STR(""), .noun = LG_STR(""), .whole = LG_STR("")};
    const char *from = NULL;
    const char *to = name.ptr;
    size_t at = 0;
    for (lg_str word; (word = lg_words_next(name, &at)).len > 0;) {
        if (!s.verb.len && lg_words_kind(word, LG_STR("")) != LG_WORDS_UNKNOWN) {
            s.verb = word;
            s.noun = from ? lg_str_of(from, (size_t)(to - from)) : s.noun;
            from = NULL;
        } else if (s.verb.len && !from && lg_str_eq_any_case(word, LG_STR("or"))) {
            s.either = lg_words_next(name, &at).len > 0;
        } else if (s.verb.len && from && is_word_in(word, prepositions)) {
            s.from = lg_str_eq_any_case(word, LG_STR("from"));
            s.whole = s.from ? rest_of(name, at) : s.whole;
            break;
        } else if (from ? !is_word_in(word, trailing)
                        : !is_word_in(word, idle) && !is_word_in(word, prepositions)) {
            from = from ? from : word.ptr;
            to = word.ptr + word.len;
        }
    }
    s.noun = from ? lg_str_of(from, (size_t)(to - from)) : s.noun;
    return s;
}

// How well an argument's name suits as the id of `noun`; 0: not at all.
static int id_rank(lg_str name, lg_str noun, bool write)
{
    static const char *const natural[] = {"name", "key",  "username", "email",  "path",
                                          "slug", "code", "number",   "symbol", NULL};
    ow_word word = ow_plain(name);
    lg_str text = {word.text, word.len};
    if (ow_word_is(&word, "id") || ow_word_is(&word, "uuid")) {
        return 5;
    }
    bool begins = noun.len > 0 && lg_str_starts(text, noun);
    lg_str rest = begins ? lg_str_slice(text, noun.len, text.len) : text;
    if (begins && (lg_str_eq(rest, LG_STR("id")) || lg_str_eq(rest, LG_STR("uuid")))) {
        return 6;
    }
    if (begins &&
        (rest.len == 0 || lg_str_eq(rest, LG_STR("key")) || lg_str_eq(rest, LG_STR("number")) ||
         lg_str_eq(rest, LG_STR("code")) || lg_str_eq(rest, LG_STR("slug")))) {
        return 4;
    }
    bool of_noun = word.len > 2 && lg_str_ends(noun, lg_str_slice(text, 0, text.len - 2));
    if (lg_str_ends(text, LG_STR("id")) && of_noun) {
        return 4;
    }
    return ow_word_in(&word, natural) && !write ? 2 : 0;
}

static const lg_json_member *find_id_argument(finder *f, bool write, int *ret_rank)
{
    const lg_json_member *best = NULL;
    *ret_rank = 0;
    for (size_t i = 0; i < lg_json_len(f->call->args); i++) {
        const lg_json_member *member = lg_json_member_at(f->call->args, i);
        bool scalar =
            lg_json_is(&member->value, LG_JSON_STRING) || lg_json_is(&member->value, LG_JSON_INT);
        int rank = scalar && !ow_is_secret(lg_json_key(member))
                       ? id_rank(lg_json_key(member), f->about->noun, write)
                       : 0;
        if (rank > *ret_rank) {
            best = member;
            *ret_rank = rank;
        }
    }
    return best;
}

// The only argument that says anything, if it is a text or an integer.
static const lg_json_member *only_argument(finder *f)
{
    const lg_json_member *only = NULL;
    for (size_t i = 0; i < lg_json_len(f->call->args); i++) {
        const lg_json_member *member = lg_json_member_at(f->call->args, i);
        if (ow_is_secret(lg_json_key(member)) || ow_is_paging(lg_json_key(member))) {
            continue;
        }
        if (only || !(lg_json_is(&member->value, LG_JSON_STRING) ||
                      lg_json_is(&member->value, LG_JSON_INT))) {
            return NULL;
        }
        only = member;
    }
    return only;
}

// Where something is rather than what: /repos/{owner}/{repo} of interfaces that have no paths.
static void find_parent(finder *f)
{
    static const char *const spaces[] = {"owner",     "org",       "repo",
                                         "namespace", "workspace", "database"};
    for (size_t i = 0; i < LG_COUNT(spaces); i++) {
        const lg_json *value = lg_json_get(f->call->args, lg_str_c(spaces[i]));
        if (value && value != f->about->id &&
            (lg_json_is(value, LG_JSON_STRING) || lg_json_is(value, LG_JSON_INT))) {
            f->about->parent =
                printed(f, lg_arena_printf(f->arena, "%.*s%.*s/", LG_FMT(f->about->parent),
                                           LG_FMT(ow_key_text(f->arena, value))));
        }
    }
}

// What is deleted is gone; what is removed from something is taken out of it, and goes on being.
static bool is_taking(lg_str verb)
{
    static const char *const taking[] = {"remove", "unassign", "detach", "unlink", "take", NULL};
    return is_word_in(verb, taking);
}

static ow_action action_of_verb(lg_str verb, bool has_id)
{
    static const char *const creating[] = {"create", "add", "insert", "register",
                                           "make",   "new", "post",   NULL};
    static const char *const deleting[] = {"delete",  "remove", "rm",    "rmdir",
                                           "destroy", "drop",   "erase", NULL};
    static const char *const putting[] = {"put", "set", "upsert", "save", "store", "write", NULL};
    if (is_word_in(verb, creating)) {
        return OW_CREATE;
    }
    if (is_word_in(verb, deleting)) {
        return has_id ? OW_DELETE : OW_OTHER;
    }
    if (is_word_in(verb, putting)) {
        return OW_PUT;
    }
    static const char *const updating[] = {"update", "change", "modify", "edit", "patch", NULL};
    return has_id ? OW_UPDATE : is_word_in(verb, updating) ? OW_PUT : OW_CREATE;
}

static void take_id(finder *f, const lg_json_member *id)
{
    ow_about *about = f->about;
    about->id = &id->value;
    about->id_name = lg_json_key(id);
    about->has_key = true;
}

static void about_reading(finder *f, const spoken *s)
{
    static const char *const listing[] = {"list", "search", "find", "browse", "query", "ls", NULL};
    ow_about *about = f->about;
    int rank;
    const lg_json_member *id = find_id_argument(f, false, &rank);
    bool listed = is_word_in(s->verb, listing) || ow_is_plural(s->noun) || result_is_list(f);
    if (listed && rank < 5) {
        about->action = OW_READ_LIST;
        return;
    }
    id = id ? id : only_argument(f);
    about->action = OW_READ_ONE;
    if (id) {
        take_id(f, id);
    } else if (!asks_for_something(f)) {
        about->has_key = true; // a singleton
    } else {
        about->action = OW_OTHER;
    }
}

// remove_stock_from_watchlist is an update of the watchlist: by its id, or of the only one.
static void about_taking(finder *f, const spoken *s)
{
    ow_about *about = f->about;
    int rank;
    about->noun = singular_text(f, s->whole);
    about->collection = printed(f, ow_plural_name(f->arena, s->whole));
    about->takes_out = true;
    about->action = OW_PUT;
    about->has_key = true;
    const lg_json_member *id = find_id_argument(f, true, &rank);
    if (id && rank >= 4) {
        take_id(f, id);
        about->action = OW_UPDATE;
    }
}

// The noun of `loan_id`, if another tool reads loans; or empty.
static lg_str noun_of_id(finder *f, lg_str name)
{
    ow_word word = ow_plain(name);
    if (word.len < 4 || !ow_word_ends(&word, "id")) {
        return LG_STR("");
    }
    word.len -= 2;
    for (size_t i = 0; i < lg_sim_tool_count(f->call->sim); i++) {
        const lg_sim_tool *tool = lg_sim_tool_at(f->call->sim, i);
        if (tool->kind != LG_TOOL_READ) {
            continue;
        }
        ow_word noun = ow_singular(ow_plain(split_name(tool->name).noun));
        if (lg_str_eq((lg_str){noun.text, noun.len}, (lg_str){word.text, word.len})) {
            return printed(f, lg_arena_str(f->arena, (lg_str){word.text, word.len}));
        }
    }
    return LG_STR("");
}

static void be_about(finder *f, lg_str noun, lg_str id_name)
{
    f->about->noun = noun;
    f->about->collection = printed(f, ow_plural_name(f->arena, noun));
    f->about->id_name = id_name;
}

// checkout_book() makes a loan if that is what its result is: {"loan_id", "isbn", ...}.
static void about_made(finder *f)
{
    const lg_json *properties = lg_json_get(f->call->tool->result, LG_STR("properties"));
    const lg_json *taken = lg_json_get(f->call->tool->parameters, LG_STR("properties"));
    for (size_t i = 0; i < lg_json_len(properties); i++) {
        lg_str name = lg_json_key(lg_json_member_at(properties, i));
        ow_word word = ow_plain(name);
        if (ow_word_is(&word, "id") || id_rank(name, f->about->noun, true) >= 4) {
            return; // it has an id of its own
        }
        lg_str noun = lg_json_get(taken, name) ? LG_STR("") : noun_of_id(f, name);
        if (noun.len) {
            be_about(f, noun, name);
            return;
        }
    }
}

// return_book(loan_id), of which its source says that it destroys: the loan is over.
static bool about_ending(finder *f)
{
    const lg_json *hints = f->source ? lg_json_get(f->source->source, LG_STR("annotations")) : NULL;
    const lg_json_member *only = only_argument(f);
    lg_str noun = only && lg_json_is_true(lg_json_get(hints, LG_STR("destructiveHint")))
                      ? noun_of_id(f, lg_json_key(only))
                      : LG_STR("");
    if (noun.len) {
        be_about(f, noun, lg_json_key(only));
        take_id(f, only);
        f->about->action = OW_DELETE;
    }
    return noun.len > 0;
}

static void about_writing(finder *f, const spoken *s)
{
    ow_about *about = f->about;
    int rank;
    if (s->from && s->whole.len && is_taking(s->verb)) {
        about_taking(f, s);
        return;
    }
    const lg_json_member *id = find_id_argument(f, true, &rank);
    if (!id && about_ending(f)) {
        return;
    }
    about->action = action_of_verb(s->verb, id != NULL);
    about->action = s->either ? OW_PUT : about->action;
    if (!id && about->action != OW_CREATE) {
        id = find_id_argument(f, false, &rank);
        about->action = s->either ? OW_PUT : action_of_verb(s->verb, id != NULL);
    }
    if (id && (rank >= 5 || about->action != OW_CREATE)) {
        take_id(f, id);
        about->may_conflict = about->action == OW_CREATE;
    } else if (about->action == OW_PUT) {
        about->has_key = true; // a singleton
    } else if (about->action == OW_CREATE) {
        about_made(f);
    }
}

// Of books that a list shows or a call makes: they are known by what get_book() asks for.
static void find_kin_id(finder *f)
{
    ow_about *about = f->about;
    if (!about->id_name.len && (about->action == OW_READ_LIST || about->action == OW_CREATE)) {
        ow_kin kin = ow_find_kin(f->call, about);
        about->id_name = lg_str_eq(kin.id_name, LG_STR("id")) ? LG_STR("") : kin.id_name;
    }
}

static void about_name(finder *f)
{
    ow_about *about = f->about;
    spoken s = split_name(f->call->tool->name);
    about->noun = singular_text(f, s.noun);
    about->collection = s.noun.len ? printed(f, ow_plural_name(f->arena, s.noun)) : LG_STR("");
    about->action = OW_OTHER;
    if (s.noun.len == 0) {
        return;
    }
    switch (f->call->tool->kind) {
    case LG_TOOL_READ:
        about_reading(f, &s);
        break;
    case LG_TOOL_WRITE:
        about_writing(f, &s);
        break;
    case LG_TOOL_GENERIC:
        break;
    }
    find_parent(f);
    find_kin_id(f);
    if (about->has_key) {
        about->key = printed(
            f, lg_arena_printf(f->arena, "%.*s%.*s", LG_FMT(about->parent),
                               LG_FMT(about->id ? ow_key_text(f->arena, about->id) : LG_STR(""))));
    }
}

// --- Other tools --------------------------------------------------------------------------------

// The parameter of a tool that is the id of `noun`, or NULL.
static const lg_json_member *id_parameter(const lg_sim_tool *tool, lg_str noun)
{
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    const lg_json_member *best = NULL;
    int best_rank = 3;
    for (size_t i = 0; i < lg_json_len(properties); i++) {
        const lg_json_member *member = lg_json_member_at(properties, i);
        int rank = id_rank(lg_json_key(member), noun, false);
        best = rank > best_rank ? member : best;
        best_rank = rank > best_rank ? rank : best_rank;
    }
    return best;
}

// How many fields of an entity a tool takes.
static size_t count_fields(const lg_sim_tool *tool, const lg_json_member *id)
{
    size_t count = lg_json_len(lg_json_get(tool->parameters, LG_STR("properties")));
    return count - (id ? 1 : 0);
}

// Of get_book(isbn) the one argument that it requires, if it is a text or an integer: by it a book is known. Or NULL.
static const lg_json_member *key_parameter(const lg_sim_tool *tool, const spoken *s)
{
    static const char *const asking[] = {"get",  "read",     "fetch", "retrieve",
                                         "show", "describe", NULL};
    const lg_json *required = lg_json_get(tool->parameters, LG_STR("required"));
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    if (tool->kind != LG_TOOL_READ || !is_word_in(s->verb, asking) || ow_is_plural(s->noun) ||
        lg_json_len(required) != 1 || !lg_json_is(required, LG_JSON_ARRAY)) {
        return NULL;
    }
    lg_str name = lg_json_str(&required->as.items[0]);
    for (size_t i = 0; i < lg_json_len(properties); i++) {
        const lg_json_member *member = lg_json_member_at(properties, i);
        lg_str type = lg_json_str(lg_json_get(&member->value, LG_STR("type")));
        bool scalar = lg_str_eq(type, LG_STR("string")) || lg_str_eq(type, LG_STR("integer"));
        if (lg_str_eq(lg_json_key(member), name)) {
            return scalar && !ow_is_secret(name) && !ow_is_paging(name) ? member : NULL;
        }
    }
    return NULL;
}

ow_kin ow_find_kin(const lg_open_world_call *call, const ow_about *about)
{
    ow_kin kin = {.id_name = about->id_name.len ? about->id_name : LG_STR("")};
    size_t most = 0;
    for (size_t i = 0; about->noun.len && i < lg_sim_tool_count(call->sim); i++) {
        const lg_sim_tool *tool = lg_sim_tool_at(call->sim, i);
        if (tool->of_catalogue && !ow_is_rpc(tool->of_catalogue)) {
            continue;
        }
        spoken s = split_name(tool->name);
        ow_word word = ow_singular(ow_plain(s.noun));
        if (!lg_str_eq((lg_str){word.text, word.len}, about->noun)) {
            continue;
        }
        const lg_json_member *id = id_parameter(tool, about->noun);
        id = id ? id : key_parameter(tool, &s);
        if (id && (!kin.id_name.len || lg_str_eq(kin.id_name, lg_json_key(id)))) {
            lg_str type = lg_json_str(lg_json_get(&id->value, LG_STR("type")));
            kin.id_name = lg_json_key(id);
            kin.id_is_integer = lg_str_eq_any_case(type, LG_STR("integer"));
        }
        bool writes = tool->kind == LG_TOOL_WRITE && action_of_verb(s.verb, true) != OW_DELETE &&
                      !(is_taking(s.verb) && s.from);
        if (writes && count_fields(tool, id) > most) {
            most = count_fields(tool, id);
            kin.writer = tool;
        }
    }
    kin.id_name = kin.id_name.len ? kin.id_name : LG_STR("id");
    return kin;
}

bool ow_find_about(lg_arena *arena, const lg_open_world_call *call, ow_about *ret)
{
    *ret = (ow_about){.action = OW_OTHER,
                      .collection = LG_STR(""),
                      .noun = LG_STR(""),
                      .parent = LG_STR(""),
                      .id_name = LG_STR(""),
                      .holder = LG_STR(""),
                      .key = LG_STR("")};
    finder f = {.arena = arena, .call = call, .source = call->tool->of_catalogue, .about = ret};
    if (f.source && !ow_is_rpc(f.source)) {
        about_path(&f);
    } else {
        about_name(&f);
    }
    find_fields(&f);
    return !f.oom;
}
