// open_world_internal.h: what the files of the open world share and nobody else sees.
//
// **The state** is an object of which `open_world` makes and reads these members:
//
//     "collections": {"pets": {"12": {"id": 12, "name": "Rex"}}}   what was written: created, changed, or given at first
//     "singletons":  {"settings": {"theme": "dark"}}               the same of what has no id
//     "deleted":     {"pets": {"13": true}}
//     "seen":        {"pets": {"7": {"id": 7, "name": "Ada"}}}     what was made up and shown, and never written since
//
// The key of an entity is its id as text, behind those of its parents: "users/repos" has "7/12" of /users/7/repos/12. Any
// other member is a user's own: {"pets": [...]} or {"pets": {"12": {...}}}. Such a collection is closed: what it does not hold
// is not there, and what is written goes into it.
#ifndef LG_SIMULATE_OPEN_WORLD_INTERNAL_H
#define LG_SIMULATE_OPEN_WORLD_INTERNAL_H

#include "simulate/open_world.h"

#define OW_KEYS_MAX 8u     // ids on one path
#define OW_ITEMS_MAX 1000u // of what was written, in one list
#define OW_TRIES_MAX 200u  // values that are tried beside each other, to find a valid one
#define OW_STEPS 8000000u  // of validation, in one answer
#define OW_SALTS_MAX 8u    // syntheses of one answer

// --- What a tool is about (guess.c, about.c) ----------------------------------------------------

// Is a tool known by its name alone? All are but the operations of a real REST interface.
bool ow_is_rpc(const lg_catalogue_tool *tool);

typedef enum ow_action {
    OW_READ_ONE,
    OW_READ_LIST,
    OW_CREATE,
    OW_UPDATE,
    OW_PUT, // creates what is not there
    OW_DELETE,
    OW_OTHER, // nothing is known by an id
} ow_action;

typedef struct ow_about {
    ow_action action;
    lg_str collection; // "pets", "users/repos"; empty: none
    lg_str noun;       // "pet": singular, its letters and digits in lower case
    lg_str parent;     // "7/": of the keys
    lg_str id_name;    // the argument that is the id, or that another tool has for it; may be empty
    const lg_json *id; // its value; NULL: none is known before the answer
    lg_str key;        // "7/12", or of a singleton "7/" or ""; only where has_key
    bool has_key;
    bool replaces;  // a PUT: what a body may have and this one has not is gone
    bool takes_out; // an update: the arguments' values are no more in the entity's lists
    bool
        id_may_be_another; // of what is created: in a field that is not called `id`, so that the entity may have its own
    bool may_conflict;    // creating what is there already is a mistake
    lg_json fields;       // of the arguments, what is written or asked for; an object
    const lg_json *batch; // several entities, where an argument is a list of them; or NULL
    lg_str holder; // of the fields, what may hold the entity's own: "data", "attributes"; or empty
    lg_str above[OW_KEYS_MAX], above_key[OW_KEYS_MAX]; // collections and keys of the parents
    size_t above_count;
    lg_str path_name[OW_KEYS_MAX], path_noun[OW_KEYS_MAX]; // of the ids of the parents
    const lg_json *path_id[OW_KEYS_MAX];
    size_t path_count;
} ow_about;

// False when out of memory.
LG_NODISCARD bool ow_find_about(lg_arena *arena, const lg_open_world_call *call, ow_about *ret);

// Other tools of the same entities.
typedef struct ow_kin {
    lg_str id_name; // what they call the id, or "id"
    bool id_is_integer;
    const lg_sim_tool *writer; // takes their fields; or NULL
} ow_kin;

ow_kin ow_find_kin(const lg_open_world_call *call, const ow_about *about);

// The collection of the entities called `noun`, in singular: of an operation whose path ends in them and an id, or else by
// the plural of `name`.
lg_str ow_collection_of(lg_arena *arena, const lg_open_world_call *call, lg_str noun, lg_str name,
                        bool *oom);

// --- Names (words.c) ----------------------------------------------------------------------------

// The letters and digits in lower case: `petId` and `pet_id` are both "petid". Cut at 64 bytes.
typedef struct ow_word {
    char text[64];
    size_t len;
} ow_word;

ow_word ow_plain(lg_str name);
// Is `plain` what ow_plain() makes of the name?
bool ow_is_called(lg_str name, lg_str plain);
ow_word ow_singular(ow_word word);
bool ow_is_plural(lg_str name);
bool ow_word_is(const ow_word *word, const char *text);
bool ow_word_ends(const ow_word *word, const char *ending);
// Is it one of a list that ends in NULL?
bool ow_word_in(const ow_word *word, const char *const *list);
// "order_items" of "OrderItem". NULL ptr when out of memory.
lg_str ow_plural_name(lg_arena *arena, lg_str name);

bool ow_is_secret(lg_str name); // api_key, token, password: neither an id nor told
bool ow_is_paging(lg_str name); // limit, page, sort: of a read
// An id as a key: its text. NULL ptr when out of memory.
lg_str ow_key_text(lg_arena *arena, const lg_json *id);

// --- Entities in answers (entity.c) -------------------------------------------------------------

// Where something stands in an answer: the members that lead there.
typedef struct ow_path {
    lg_str names[2];
    size_t count;
} ow_path;

const lg_json *ow_at(const lg_json *root, const ow_path *path);
ow_path ow_find_entity(const lg_json *root, lg_str noun, lg_str id_name);
bool ow_find_list(const lg_json *root, lg_str noun, ow_path *ret);
// The member of `object` that is its id, or NULL. `id_name` may be empty.
const lg_json_member *ow_id_member(const lg_json *object, lg_str id_name, lg_str noun);
bool ow_looks_failed(const lg_json *root); // {"success": false}, {"error": {...}}
// `root` as a success says it, where it can.
lg_json ow_as_success(lg_arena *arena, const lg_json *root, bool *oom);
// Starts before ends, in `root`; what is the same in `made` may be changed.
lg_json ow_in_order(lg_arena *arena, const lg_json *root, const lg_json *made, bool *oom);

// --- Objects (overlay.c) ------------------------------------------------------------------------

lg_json ow_with(lg_arena *arena, const lg_json *object, lg_str key, lg_json value, bool *oom);
lg_json ow_without(lg_arena *arena, const lg_json *object, lg_str key, bool *oom);
lg_json ow_put_at(lg_arena *arena, const lg_json *root, const ow_path *path, lg_json value,
                  bool *oom);
// The member of this name, which is probably the one at `index`; or NULL.
const lg_json *ow_get_near(const lg_json *object, lg_str name, size_t index);
// All of `over` over `under`.
lg_json ow_merge(lg_arena *arena, const lg_json *under, const lg_json *over, bool *oom);
// Of `over`, what has a name that `under` has.
lg_json ow_replace(lg_arena *arena, const lg_json *under, const lg_json *over, bool *oom);
// `target` if it is valid, else as much of it over `base`, which is, as is found to be valid. `schema` NULL: `target`.
lg_json ow_graft(lg_arena *arena, const lg_schema *schema, lg_budget *budget, const lg_json *base,
                 const lg_json *target, bool *oom);

// --- The state (kept.c) -------------------------------------------------------------------------

typedef struct ow_kept {
    lg_arena *arena;
    lg_json root;
    bool changed;
    bool oom;
} ow_kept;

// A user's own collection, an array or an object of entities, or the object that is a singleton; or NULL.
const lg_json *ow_own(const ow_kept *kept, lg_str collection, bool singleton);
bool ow_is_deleted(const ow_kept *kept, lg_str collection, lg_str key);
const lg_json *ow_written(const ow_kept *kept, const ow_about *about, lg_str key); // or NULL
const lg_json *ow_seen(const ow_kept *kept, lg_str collection, lg_str key);        // or NULL
// The key of what was written or seen with this value in a member that is named as the id; empty: nothing.
lg_str ow_search(const ow_kept *kept, const ow_about *about, const lg_json *id);
size_t ow_count_written(const ow_kept *kept); // deleted ones too: they must be remembered
size_t ow_count_seen(const ow_kept *kept);
size_t ow_count_in(const ow_kept *kept, lg_str collection); // written, seen and deleted

void ow_write(ow_kept *kept, const ow_about *about, lg_str key, const lg_json *entity);
void ow_see(ow_kept *kept, lg_str collection, lg_str key, const lg_json *entity);
void ow_delete(ow_kept *kept, const ow_about *about, lg_str key);
void ow_unsee(ow_kept *kept, lg_str collection, lg_str key);
void ow_forget_seen(ow_kept *kept);

// What was written in a collection, in order: `key` is empty for elements of an array.
size_t ow_written_count(const ow_kept *kept, lg_str collection);
const lg_json *ow_written_at(const ow_kept *kept, lg_str collection, size_t index, lg_str *ret_key);

// The same of all of them, which is NULL where there are none.
const lg_json *ow_all_written(const ow_kept *kept, lg_str collection);
const lg_json *ow_entity_at(const lg_json *all, size_t index, lg_str *ret_key);

// What was only seen in a collection, in order.
size_t ow_seen_count(const ow_kept *kept, lg_str collection);
const lg_json *ow_seen_at(const ow_kept *kept, lg_str collection, size_t index, lg_str *ret_key);

// --- One answer (open_world.c, list.c) ----------------------------------------------------------

// What the members of one name are, in other entities.
typedef struct ow_kind_of {
    lg_str name, noun, collection;
} ow_kind_of;

#define OW_KINDS_MAX 8u

typedef struct ow_turn {
    lg_arena *arena;
    const lg_open_world_call *call;
    ow_about about;
    ow_kept kept;
    lg_budget budget;
    const lg_schema *schema; // or NULL
    lg_json base;            // made, or given
    lg_json result;
    lg_open_world_answer *answer;
    ow_kind_of kinds[OW_KINDS_MAX]; // found so far, of entities in entities
    size_t kind_count;
    bool searches; // an argument asks for words
    bool oom;
} ow_turn;

void ow_note(ow_turn *turn, const char *sentence);
// The id as `member` has it: a number is written as a text, a text of digits as a number.
lg_json ow_id_like(ow_turn *turn, const lg_json *id, const lg_json *member);
// `entity` as its body replaces it: without what that might have and has not (defaults.c). In the `state` such a member is null,
// so that it is not made up again.
lg_json ow_without_left_out(ow_turn *turn, const lg_json *entity, bool state);
// A new entity: members that the call left out are by default, and it is in the first of its states.
lg_json ow_with_defaults(ow_turn *turn, const lg_json *entity);
// `entity` with the ids of its parents where it has members for them: of /patients/{id}/visits the `patient_id`.
lg_json ow_with_parents(ow_turn *turn, const lg_json *entity);
// Lets what an answer shows of an entity enter the state, and what it shows of those in it.
void ow_keep_seen(ow_turn *turn, lg_str key, const lg_json *entity);
// Of one entity of any collection; `news`: this is what it is now. False: all of it was known.
bool ow_keep_seen_of(ow_turn *turn, const ow_about *about, lg_str key, const lg_json *entity,
                     bool news);

// Does an entity suit what the list is asked for? What it does not say, it may be. (filter.c)
bool ow_suits(const ow_turn *turn, const lg_json *entity);
// Is anything asked for in words? `turn->searches`, which ow_suits() needs.
bool ow_asks_for_words(const lg_json *args);
lg_json ow_made_to_suit(ow_turn *turn, const lg_json *item); // as far as it has such members
bool ow_same_value(const lg_json *wanted, const lg_json *value);

// What a tool without a result schema answers. (plain.c)
lg_json ow_plain_answer(ow_turn *turn, uint64_t seed);

// Entities in entities: a pet's {"category": {"id": 3, ...}}. (embedded.c)
// `entity` with what is known of those in it.
lg_json ow_with_known(ow_turn *turn, const lg_json *entity);
// Lets what `entity` shows of them enter the state; what a call has `written` of them is news.
void ow_keep_embedded(ow_turn *turn, const lg_json *entity, const lg_json *written);

// The list that `base` has becomes what the world holds; then what it shows is kept. What was written is dressed after `models`.
void ow_cut_lists(
    ow_turn *turn); // of an answer that is no such list, to the limit that is asked for
void ow_answer_list(ow_turn *turn, const ow_path *path, const lg_json *models);

#endif
