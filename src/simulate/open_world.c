// open_world.c: one call, from its arguments to its answer and the state after it.
//
// A valid answer is made of the schema first, from a seed that an entity's own answers have in common. Then what the world
// knows is laid over it, as far as the schema lets it; and what the answer shows at last enters the state.
#include "simulate/open_world.h"

#include "base/hash.h"
#include "schema/synthesise.h"
#include "simulate/open_world_internal.h"

static const lg_json nothing = {.type = LG_JSON_NULL, .offset = LG_JSON_NO_OFFSET};

void ow_note(ow_turn *turn, const char *sentence)
{
    turn->answer->note = turn->answer->note.len ? turn->answer->note : lg_str_c(sentence);
}

static void end_with(ow_turn *turn, lg_sim_end end, lg_str error)
{
    turn->oom = turn->oom || !error.ptr;
    turn->answer->end = end;
    turn->answer->error = error;
}

static lg_str joined(ow_turn *turn, lg_str a, lg_str b)
{
    lg_str text = lg_arena_printf(turn->arena, "%.*s%.*s", LG_FMT(a), LG_FMT(b));
    turn->oom = turn->oom || !text.ptr;
    return text.ptr ? text : LG_STR("");
}

// --- What is made -------------------------------------------------------------------------------

static bool is_question(lg_str name)
{
    static const char *const questions[] = {"q", "query", "search", NULL};
    ow_word word = ow_plain(name);
    return ow_word_in(&word, questions);
}

// Of one entity the seed is its own, whichever tool shows it; else the tool's and its arguments'.
static uint64_t seed_of(ow_turn *turn, uint64_t salt)
{
    const ow_about *about = &turn->about;
    char room[1024];
    lg_buf text;
    lg_buf_init_in(&text, room, sizeof(room), 0);
    if (about->has_key && about->action != OW_CREATE) {
        lg_buf_add(&text, about->collection);
        lg_buf_add_byte(&text, '\n');
        lg_buf_add(&text, about->key);
    } else {
        lg_json args = *turn->call->args;
        for (size_t i = 0; i < lg_json_len(turn->call->args); i++) {
            lg_str name = lg_json_key(lg_json_member_at(turn->call->args, i));
            bool paging = turn->call->tool->kind == LG_TOOL_READ && ow_is_paging(name) &&
                          !is_question(name); // pages are cut of one list
            args = ow_is_secret(name) || paging ? ow_without(turn->arena, &args, name, &turn->oom)
                                                : args;
        }
        lg_buf_add(&text, turn->call->tool->name);
        lg_buf_add_byte(&text, '\n');
        lg_json_print_canonical(&text, &args);
    }
    lg_buf_addf(&text, "\n%llu %llu", (unsigned long long)turn->call->seed,
                (unsigned long long)salt);
    uint64_t seed = lg_hash(lg_buf_str(&text));
    turn->oom = turn->oom || lg_buf_status(&text) == LG_ERR_OOM;
    lg_buf_done(&text);
    return seed;
}

static lg_status synthesise(ow_turn *turn, uint64_t seed, const lg_json **ret, lg_error *error)
{
    static const lg_synthesis_members ways[] = {LG_MEMBERS_ALL, LG_MEMBERS_SEEDED,
                                                LG_MEMBERS_REQUIRED};
    lg_status status = LG_OK;
    sim_made *known = turn->call->made;
    const lg_json *here = known ? sim_made_find(known, turn->arena, turn->schema, seed) : NULL;
    *ret = here;
    for (size_t i = 0; i < LG_COUNT(ways) && !here; i++) {
        lg_synthesis_options how = {
            .seed = seed, .members = ways[i], .made_up = true, .values = 5000};
        status = lg_schema_synthesise_compiled(turn->arena, turn->schema, &how, ret, error);
        if (status != LG_ERR_LIMIT) {
            break;
        }
    }
    if (known && status == LG_OK && !here) {
        sim_made_add(known, turn->schema, seed, *ret);
    }
    return status;
}

// Where a schema says success and error as alternatives, one of those that does not look like an error; NULL: none does.
static const lg_json *make_success(ow_turn *turn, uint64_t seed)
{
    const lg_sim_tool *tool = turn->call->tool;
    const lg_json *branches = lg_json_get(tool->result, LG_STR("oneOf"));
    branches = branches ? branches : lg_json_get(tool->result, LG_STR("anyOf"));
    lg_schema_options options = {.document = tool->result};
    if (tool->of_catalogue) {
        options.dialect = tool->of_catalogue->dialect;
        options.document =
            tool->of_catalogue->document ? tool->of_catalogue->document : tool->result;
    }
    for (size_t i = 0; lg_json_is(branches, LG_JSON_ARRAY) && i < lg_json_len(branches); i++) {
        const lg_json *made = NULL;
        lg_synthesis_options how = {.seed = seed, .members = LG_MEMBERS_ALL, .made_up = true};
        if (lg_schema_synthesise(turn->arena, &branches->as.items[i], &options, &how, &made,
                                 NULL) != LG_OK) {
            continue;
        }
        lg_json better = ow_as_success(turn->arena, made, &turn->oom);
        made = lg_schema_validate_within(turn->schema, &better, NULL, &turn->budget)
                   ? lg_json_copy(turn->arena, &better)
                   : made;
        if (made && !ow_looks_failed(made) &&
            lg_schema_validate_within(turn->schema, made, NULL, &turn->budget)) {
            return made;
        }
    }
    return NULL;
}

// A valid call has succeeded: an answer that says otherwise is made to say so, or made anew.
static void prefer_success(ow_turn *turn, uint64_t salt)
{
    for (uint64_t i = 1; ow_looks_failed(&turn->base) && i <= OW_SALTS_MAX && !turn->oom; i++) {
        lg_json better = ow_as_success(turn->arena, &turn->base, &turn->oom);
        turn->base =
            ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &better, &turn->oom);
        if (!ow_looks_failed(&turn->base)) {
            return;
        }
        uint64_t seed = seed_of(turn, salt + (i << 32));
        const lg_json *made = i == 2 ? make_success(turn, seed) : NULL;
        lg_error ignored;
        if (made || synthesise(turn, seed, &made, &ignored) == LG_OK) {
            turn->base = *made;
        }
    }
}

// A schema that says `object` or `array` and no more leaves all to be said: it is, as if there were no schema.
static void fill_empty(ow_turn *turn, uint64_t seed)
{
    const lg_catalogue_tool *source = turn->call->tool->of_catalogue;
    ow_path path = {.count = 0};
    if (source && !ow_is_rpc(source)) {
        return;
    }
    bool list =
        turn->about.action == OW_READ_LIST && ow_find_list(&turn->base, turn->about.noun, &path);
    const lg_json *empty = ow_at(&turn->base, &path);
    if (empty->type < LG_JSON_ARRAY || lg_json_len(empty)) {
        return;
    }
    lg_json made = ow_plain_answer(turn, seed);
    const lg_json *part = list ? lg_json_get(&made, LG_STR("items")) : &made;
    if (part && part->type == empty->type) {
        lg_json filled = ow_put_at(turn->arena, &turn->base, &path, *part, &turn->oom);
        bool fits = lg_schema_validate_within(turn->schema, &filled, NULL, &turn->budget);
        turn->base = fits ? filled : turn->base;
    }
}

// Makes `turn->base`. False: the call has ended.
static bool make_base(ow_turn *turn, uint64_t salt)
{
    if (turn->call->given) {
        turn->base = *turn->call->given;
        if (turn->schema &&
            !lg_schema_validate_within(turn->schema, &turn->base, NULL, &turn->budget)) {
            turn->schema = NULL; // whoever gave it knows why
        }
        return true;
    }
    uint64_t seed = seed_of(turn, salt);
    if (!turn->schema) {
        turn->base = ow_plain_answer(turn, seed);
        return !turn->oom;
    }
    const lg_json *made = NULL;
    lg_error error = {.msg = ""};
    lg_status status = synthesise(turn, seed, &made, &error);
    if (status != LG_OK) {
        turn->oom = turn->oom || status == LG_ERR_OOM;
        end_with(
            turn, LG_SIM_FAULT,
            lg_arena_printf(turn->arena, "no answer fits the tool's result schema: %s", error.msg));
        return false;
    }
    turn->base = *made;
    prefer_success(turn, salt);
    lg_json target = ow_in_order(turn->arena, &turn->base, &turn->base, &turn->oom);
    bool same = target.type == turn->base.type && target.len == turn->base.len &&
                target.as.members == turn->base.as.members;
    turn->base =
        same ? turn->base
             : ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &target, &turn->oom);
    fill_empty(turn, seed);
    return !turn->oom;
}

// --- What is shown ------------------------------------------------------------------------------

static bool shares_a_name(const lg_json *a, const lg_json *b)
{
    for (size_t i = 0; a && b && i < lg_json_len(a); i++) {
        if (lg_json_get(b, lg_json_key(lg_json_member_at(a, i)))) {
            return true;
        }
    }
    return false;
}

// Is it the entity that is shown, and not only how the call went?
static bool is_entity(const ow_turn *turn, const lg_json *value, lg_str key)
{
    const ow_about *about = &turn->about;
    return lg_json_is(value, LG_JSON_OBJECT) &&
           (!turn->schema || about->action == OW_READ_ONE ||
            ow_id_member(value, about->id_name, about->noun) ||
            shares_a_name(value, &about->fields) ||
            shares_a_name(value, ow_written(&turn->kept, about, key)));
}

lg_json ow_id_like(ow_turn *turn, const lg_json *id, const lg_json *member)
{
    int64_t number = 0;
    lg_str text = lg_json_str(id);
    if (lg_json_is(member, LG_JSON_STRING) && lg_json_is_number(id)) {
        return lg_json_make_str(ow_key_text(turn->arena, id));
    }
    bool digits = text.len > 0 && text.len < 19;
    for (size_t i = 0; i < text.len && digits; i++) {
        digits = lg_is_digit(text.ptr[i]);
        number = digits ? number * 10 + (text.ptr[i] - '0') : number;
    }
    return lg_json_is_number(member) && digits ? lg_json_make_int(number) : *id;
}

static lg_json show_over(ow_turn *turn, const lg_json *base, lg_str key, const lg_json *fields)
{
    const ow_about *about = &turn->about;
    const lg_json *written = ow_written(&turn->kept, about, key);
    const lg_json *seen =
        turn->call->given_is_real ? NULL : ow_seen(&turn->kept, about->collection, key);
    bool writes =
        about->action == OW_CREATE || about->action == OW_UPDATE || about->action == OW_PUT;
    lg_json made = turn->call->given ? *base : ow_with_parents(turn, base);
    if (!writes && !turn->call->given) {
        made = ow_replace(turn->arena, &made, fields, &turn->oom);
    }
    if (seen) {
        made = turn->schema || turn->call->given ? ow_replace(turn->arena, &made, seen, &turn->oom)
                                                 : ow_merge(turn->arena, &made, seen, &turn->oom);
    }
    made = turn->call->given ? made : ow_with_known(turn, &made);
    made = written ? ow_merge(turn->arena, &made, written, &turn->oom) : made;
    made = about->replaces ? ow_without_left_out(turn, &made, false) : made;
    made = about->action == OW_CREATE && !turn->call->given ? ow_with_defaults(turn, &made) : made;
    if (writes) {
        made = ow_merge(turn->arena, &made, fields, &turn->oom);
    }
    const lg_json_member *id = ow_id_member(&made, about->id_name, about->noun);
    if (about->id && id) {
        lg_json value = ow_id_like(turn, about->id, &id->value);
        made = ow_with(turn->arena, &made, lg_json_key(id), value, &turn->oom);
    }
    return ow_in_order(turn->arena, &made, base, &turn->oom);
}

// What may hold the fields does, if the entity has no member of that name.
static void settle_fields(ow_turn *turn, const lg_json *inner)
{
    ow_about *about = &turn->about;
    const lg_json *held = about->holder.len ? lg_json_get(&about->fields, about->holder) : NULL;
    if (held && turn->schema && !lg_json_get(inner, about->holder)) {
        lg_json rest = ow_without(turn->arena, &about->fields, about->holder, &turn->oom);
        about->fields = ow_merge(turn->arena, &rest, held, &turn->oom);
    }
    about->holder = LG_STR("");
}

// Lays what is known of the entity over the base: `turn->result`. Returns the entity in it, or NULL if it shows none.
static const lg_json *show_entity(ow_turn *turn, lg_str key)
{
    const ow_about *about = &turn->about;
    ow_path path = ow_find_entity(&turn->base, about->noun, about->id_name);
    const lg_json *inner = ow_at(&turn->base, &path);
    turn->result = turn->base;
    settle_fields(turn, inner);
    if (!is_entity(turn, inner, key)) {
        if (lg_json_is(inner, LG_JSON_OBJECT)) {
            lg_json echo = ow_replace(turn->arena, inner, &about->fields, &turn->oom);
            lg_json target = ow_put_at(turn->arena, &turn->base, &path, echo, &turn->oom);
            turn->result = ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &target,
                                    &turn->oom);
        }
        return NULL;
    }
    const lg_json *written = ow_written(&turn->kept, about, key);
    bool own = ow_own(&turn->kept, about->collection, key.len == 0) != NULL;
    if (own && written && about->action == OW_READ_ONE && !turn->call->given) {
        lg_json exact = ow_put_at(turn->arena, &turn->base, &path, *written, &turn->oom);
        if (!turn->schema || lg_schema_validate_within(turn->schema, &exact, NULL, &turn->budget)) {
            turn->result = exact;
            return ow_at(&turn->result, &path);
        }
    }
    lg_json shown = show_over(turn, inner, key, &about->fields);
    lg_json root =
        path.count ? ow_replace(turn->arena, &turn->base, &about->fields, &turn->oom) : turn->base;
    lg_json target = ow_put_at(turn->arena, &root, &path, shown, &turn->oom);
    turn->result =
        ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &target, &turn->oom);
    return ow_at(&turn->result, &path);
}

// --- What is kept -------------------------------------------------------------------------------

// What is known of an entity, with what `entity` shows besides.
static lg_json with_news(ow_turn *turn, const lg_json *seen, const lg_json *written,
                         const lg_json *entity, bool news)
{
    lg_json made = seen ? *seen : lg_json_make_object(NULL, 0);
    if (!seen && !written) {
        return *entity;
    }
    for (size_t i = 0; i < lg_json_len(entity); i++) {
        const lg_json_member *member = lg_json_member_at(entity, i);
        const lg_json *old = ow_get_near(&made, lg_json_key(member), i);
        bool differs = !old || (news && !lg_json_equal(old, &member->value));
        if (differs && !lg_json_get(written, lg_json_key(member))) {
            made = ow_with(turn->arena, &made, lg_json_key(member), member->value, &turn->oom);
        }
    }
    return made;
}

bool ow_keep_seen_of(ow_turn *turn, const ow_about *about, lg_str key, const lg_json *entity,
                     bool news)
{
    const lg_json *written = ow_written(&turn->kept, about, key);
    const lg_json *seen = ow_seen(&turn->kept, about->collection, key);
    lg_json made = with_news(turn, seen, written, entity, news);
    if (seen ? made.as.members == seen->as.members && made.len == seen->len
             : lg_json_len(&made) == 0) {
        return false;
    }
    if (!seen &&
        ow_count_written(&turn->kept) + ow_count_seen(&turn->kept) >= turn->call->entities) {
        ow_note(turn, "the state is full: what this answer made up is not kept in it");
        return true;
    }
    ow_see(&turn->kept, about->collection, key, &made);
    return true;
}

void ow_keep_seen(ow_turn *turn, lg_str key, const lg_json *entity)
{
    if (!lg_json_is(entity, LG_JSON_OBJECT) || turn->about.collection.len == 0 || turn->oom) {
        return;
    }
    if (ow_keep_seen_of(turn, &turn->about, key, entity, false)) {
        ow_keep_embedded(turn, entity, NULL);
    }
}

// Is there room for one more that must not be lost? What was only shown gives way.
static bool make_room(ow_turn *turn)
{
    size_t written = ow_count_written(&turn->kept);
    if (written >= turn->call->entities) {
        end_with(
            turn, LG_SIM_FAULT,
            lg_arena_printf(turn->arena,
                            "the state is full: it has %zu entities that were written, and may "
                            "have no more: begin a new session, or allow more entities",
                            written));
        return false;
    }
    if (written + ow_count_seen(&turn->kept) >= turn->call->entities) {
        ow_forget_seen(&turn->kept);
        ow_note(turn,
                "the state is full: what was made up and never written is not kept in it any more");
    }
    return true;
}

static void keep_written(ow_turn *turn, lg_str key, const lg_json *shown)
{
    const ow_about *about = &turn->about;
    const lg_json *written = ow_written(&turn->kept, about, key);
    const lg_json *seen = ow_seen(&turn->kept, about->collection, key);
    if (about->collection.len == 0 || (!written && !make_room(turn))) {
        return;
    }
    lg_json entity = seen ? *seen : lg_json_make_object(NULL, 0);
    entity = written ? ow_merge(turn->arena, &entity, written, &turn->oom) : entity;
    entity = about->replaces ? ow_without_left_out(turn, &entity, true) : entity;
    entity = ow_merge(turn->arena, &entity, &about->fields, &turn->oom);
    entity = shown ? ow_merge(turn->arena, &entity, shown, &turn->oom) : entity;
    if (about->id && !ow_id_member(&entity, about->id_name, about->noun)) {
        ow_word word = ow_plain(about->id_name);
        bool plain = turn->call->tool->of_catalogue && !ow_is_rpc(turn->call->tool->of_catalogue) &&
                     ow_word_ends(&word, "id"); // `petId` of a path is `id` of the pet
        entity = ow_with(turn->arena, &entity, plain ? LG_STR("id") : about->id_name, *about->id,
                         &turn->oom);
    }
    ow_write(&turn->kept, about, key, &entity);
    ow_keep_embedded(turn, &entity, &about->fields);
}

// --- Actions ------------------------------------------------------------------------------------

// Has the real service no such thing, and was none written here?
static bool is_lacking(ow_turn *turn, bool needs)
{
    const ow_about *about = &turn->about;
    bool wants = needs || turn->call->tool->kind == LG_TOOL_READ;
    bool here = about->has_key && ow_written(&turn->kept, about, about->key);
    if (turn->call->is_lacking && wants && !here) {
        end_with(turn, LG_SIM_ABSENT,
                 lg_arena_printf(turn->arena, "the real service has no `%.*s` of %.*s",
                                 LG_FMT(lg_str_cut(about->key, 80)),
                                 LG_FMT(lg_str_cut(about->collection, 80))));
        return true;
    }
    return false;
}

// Is what the call asks for gone, or that which it belongs to?
static bool is_absent(ow_turn *turn)
{
    const ow_about *about = &turn->about;
    for (size_t i = 0; i < about->above_count; i++) {
        if (ow_is_deleted(&turn->kept, about->above[i], about->above_key[i])) {
            end_with(turn, LG_SIM_ABSENT,
                     lg_arena_printf(turn->arena, "`%.*s` of %.*s was deleted",
                                     LG_FMT(lg_str_cut(about->above_key[i], 80)),
                                     LG_FMT(lg_str_cut(about->above[i], 80))));
            return true;
        }
    }
    bool needs = about->has_key && (about->action == OW_READ_ONE || about->action == OW_UPDATE ||
                                    about->action == OW_DELETE);
    bool whole = about->key.len == 0 || about->key.ptr[about->key.len - 1] == '/';
    if (is_lacking(turn, needs)) {
        return true;
    }
    if (needs && whole && about->action == OW_DELETE) {
        return false; // what has no id can be deleted again, as a cart can be emptied
    }
    bool deleted = needs && ow_is_deleted(&turn->kept, about->collection, about->key);
    if (deleted && whole) {
        end_with(turn, LG_SIM_ABSENT,
                 lg_arena_printf(turn->arena, "%.*s was deleted",
                                 LG_FMT(lg_str_cut(about->collection, 80))));
        return true;
    }
    bool closed = needs && about->key.len && ow_own(&turn->kept, about->collection, false) &&
                  !ow_written(&turn->kept, about, about->key) && !turn->call->given;
    if (deleted || closed) {
        end_with(
            turn, LG_SIM_ABSENT,
            lg_arena_printf(
                turn->arena, deleted ? "`%.*s` of %.*s was deleted" : "there is no `%.*s` in %.*s",
                LG_FMT(lg_str_cut(about->key, 80)), LG_FMT(lg_str_cut(about->collection, 80))));
    }
    return deleted || closed;
}

static void read_one(ow_turn *turn)
{
    if (make_base(turn, 0)) {
        ow_keep_seen(turn, turn->about.key, show_entity(turn, turn->about.key));
    }
}

static lg_json without_taken(ow_turn *turn, const lg_json *list)
{
    const lg_json *args = turn->call->args;
    lg_json *items = LG_NEW_ARRAY(turn->arena, lg_json, lg_json_len(list) + 1);
    size_t used = 0;
    turn->oom = turn->oom || !items;
    for (size_t i = 0; items && i < lg_json_len(list); i++) {
        bool taken = false;
        for (size_t j = 0; j < lg_json_len(args) && !taken; j++) {
            const lg_json *value = &lg_json_member_at(args, j)->value;
            taken = value != turn->about.id &&
                    !ow_is_secret(lg_json_key(lg_json_member_at(args, j))) &&
                    ow_same_value(value, &list->as.items[i]);
        }
        items[used] = list->as.items[i];
        used += taken ? 0 : 1;
    }
    return items ? lg_json_make_array(items, used) : *list;
}

// What the call takes out is no more in the lists of the entity.
static void take_out(ow_turn *turn)
{
    const ow_about *about = &turn->about;
    const lg_json *written = ow_written(&turn->kept, about, about->key);
    const lg_json *known = written ? written : ow_seen(&turn->kept, about->collection, about->key);
    lg_json made = known ? *known : nothing;
    for (size_t i = 0; i < lg_json_len(known); i++) {
        const lg_json_member *member = lg_json_member_at(known, i);
        if (lg_json_is(&member->value, LG_JSON_ARRAY) && lg_json_len(&member->value)) {
            made = ow_with(turn->arena, &made, lg_json_key(member),
                           without_taken(turn, &member->value), &turn->oom);
        }
    }
    if (written) {
        ow_write(&turn->kept, about, about->key, &made);
    } else if (known) {
        ow_see(&turn->kept, about->collection, about->key, &made);
    }
}

static void update(ow_turn *turn)
{
    if (turn->about.takes_out) {
        turn->about.fields = lg_json_make_object(NULL, 0);
        take_out(turn);
    }
    if (make_base(turn, 0)) {
        keep_written(turn, turn->about.key, show_entity(turn, turn->about.key));
    }
}

// {"id": "f1", "deleted": true}
static void say_deleted(ow_turn *turn)
{
    const lg_json *said = lg_json_get(&turn->result, LG_STR("deleted"));
    if (lg_json_is(said, LG_JSON_BOOL) && !turn->call->given) {
        lg_json target = ow_with(turn->arena, &turn->result, LG_STR("deleted"),
                                 lg_json_make_bool(true), &turn->oom);
        turn->result =
            ow_graft(turn->arena, turn->schema, &turn->budget, &turn->result, &target, &turn->oom);
    }
}

static void delete_one(ow_turn *turn)
{
    turn->about.fields = lg_json_make_object(NULL, 0);
    if (make_base(turn, 0)) {
        turn->result = turn->base;
        if (turn->schema || turn->call->given) {
            (void)show_entity(turn, turn->about.key);
        }
        say_deleted(turn);
        bool known = ow_written(&turn->kept, &turn->about, turn->about.key) != NULL;
        if (known || make_room(turn)) {
            ow_delete(&turn->kept, &turn->about, turn->about.key);
        }
    }
}

static bool exists(ow_turn *turn, lg_str key)
{
    return ow_written(&turn->kept, &turn->about, key) ||
           ow_seen(&turn->kept, turn->about.collection, key);
}

// The key that the answer in `turn->base` gives the new entity.
static lg_str new_key(ow_turn *turn, uint64_t salt)
{
    const ow_about *about = &turn->about;
    ow_path path = ow_find_entity(&turn->base, about->noun, about->id_name);
    const lg_json *inner = ow_at(&turn->base, &path);
    const lg_json_member *id = ow_id_member(inner, about->id_name, about->noun);
    id = id ? id : ow_id_member(&turn->base, about->id_name, about->noun);
    if (id) {
        return joined(turn, about->parent, ow_key_text(turn->arena, &id->value));
    }
    lg_str made = lg_arena_printf(turn->arena, "new-%llu", (unsigned long long)salt);
    return joined(turn, about->parent, made.ptr ? made : LG_STR(""));
}

// The list of the answer shows the elements, over what was made up in their places.
static void show_batch(ow_turn *turn, const ow_path *path)
{
    const lg_json *made = ow_at(&turn->base, path);
    size_t count = lg_json_len(turn->about.batch);
    size_t models = lg_json_len(made);
    lg_json *items = LG_NEW_ARRAY(turn->arena, lg_json, count);
    turn->oom = turn->oom || !items;
    for (size_t i = 0; items && i < count; i++) {
        const lg_json *element = &turn->about.batch->as.items[i];
        items[i] = models ? ow_merge(turn->arena, &made->as.items[i % models], element, &turn->oom)
                          : *element;
    }
    lg_json list = lg_json_make_array(items, items ? count : 0);
    lg_json target = ow_put_at(turn->arena, &turn->base, path, list, &turn->oom);
    turn->result =
        ow_graft(turn->arena, turn->schema, &turn->budget, &turn->base, &target, &turn->oom);
}

// Writes each element of the list that was given; an answer that is one entity shows the last.
static void write_batch(ow_turn *turn)
{
    ow_about *about = &turn->about;
    const lg_json *batch = about->batch;
    size_t count = lg_json_len(batch) < OW_ITEMS_MAX ? lg_json_len(batch) : OW_ITEMS_MAX;
    ow_path path;
    if (!make_base(turn, 0)) {
        return;
    }
    bool listed = ow_find_list(&turn->base, about->noun, &path);
    turn->result = turn->base;
    for (size_t i = 0; i < count && turn->answer->end == LG_SIM_DONE; i++) {
        about->fields = batch->as.items[i];
        const lg_json_member *id = ow_id_member(&about->fields, about->id_name, about->noun);
        const lg_json *value = id ? &id->value : lg_json_get(&about->fields, LG_STR("name"));
        if (value) {
            about->id = value;
            about->id_name = id ? lg_json_key(id) : LG_STR("name");
            about->key = joined(turn, about->parent, ow_key_text(turn->arena, value));
            keep_written(turn, about->key,
                         i + 1 == count && !listed ? show_entity(turn, about->key) : NULL);
        }
    }
    if (listed) {
        show_batch(turn, &path);
    }
    if (count < lg_json_len(batch)) {
        ow_note(turn, "of the list that was given the first 1,000 were written");
    }
}

// POST /stores/{id}/files {"file_id": ...}: what the answer has as its own `id` is the key, where it has one.
static void settle_id(ow_turn *turn)
{
    ow_about *about = &turn->about;
    if (!about->id_may_be_another || !make_base(turn, 0)) {
        return;
    }
    ow_path path = ow_find_entity(&turn->base, about->noun, about->id_name);
    const lg_json_member *id = ow_id_member(ow_at(&turn->base, &path), LG_STR("id"), about->noun);
    ow_word word = id ? ow_plain(lg_json_key(id)) : (ow_word){.len = 0};
    if (ow_word_is(&word, "id")) {
        about->id = NULL;
        about->has_key = false;
        about->may_conflict = false;
    }
}

static void create(ow_turn *turn)
{
    const ow_about *about = &turn->about;
    uint64_t first = ow_count_in(&turn->kept, about->collection);
    settle_id(turn);
    if (turn->answer->end != LG_SIM_DONE) {
        return;
    }
    lg_str key = about->key;
    if (about->has_key && about->may_conflict && ow_written(&turn->kept, about, key)) {
        end_with(turn, LG_SIM_CONFLICT,
                 lg_arena_printf(turn->arena, "`%.*s` is there already, in %.*s",
                                 LG_FMT(lg_str_cut(key, 80)),
                                 LG_FMT(lg_str_cut(about->collection, 80))));
        return;
    }
    for (uint64_t i = 0; i <= OW_SALTS_MAX; i++) {
        if (i == OW_SALTS_MAX) {
            end_with(turn, LG_SIM_CONFLICT,
                     LG_STR("every id that the tool's result schema was found to allow is taken"));
            return;
        }
        uint64_t salt = first + (i << 40); // far from those of the next calls
        if (!make_base(turn, salt)) {
            return;
        }
        key = about->has_key ? about->key : new_key(turn, salt);
        bool taken = exists(turn, key) || ow_is_deleted(&turn->kept, about->collection, key);
        if (about->has_key || turn->call->given || !taken || about->collection.len == 0) {
            break;
        }
    }
    ow_unsee(&turn->kept, about->collection, key); // what was only shown was another
    keep_written(turn, key, show_entity(turn, key));
}

static void other(ow_turn *turn)
{
    if (!make_base(turn, 0)) {
        return;
    }
    const ow_about *about = &turn->about;
    ow_path path = ow_find_entity(&turn->base, about->noun, about->id_name);
    const lg_json_member *id = ow_id_member(ow_at(&turn->base, &path), about->id_name, about->noun);
    bool shows = id && about->collection.len && turn->call->tool->kind == LG_TOOL_READ;
    lg_str key =
        shows ? joined(turn, about->parent, ow_key_text(turn->arena, &id->value)) : LG_STR("");
    const lg_json *shown = show_entity(turn, key);
    if (shows && shown) {
        ow_keep_seen(turn, key, shown);
    }
}

// Items after which those that were written are dressed, where an empty list was made. NULL: the call has ended.
static const lg_json *find_models(ow_turn *turn, const ow_path *path)
{
    const lg_json *models = ow_at(&turn->base, path);
    lg_json base = turn->base;
    bool needs = ow_written_count(&turn->kept, turn->about.collection) > 0 && turn->schema;
    for (uint64_t i = 1; needs && lg_json_len(models) == 0 && i <= 4 && !turn->call->given; i++) {
        ow_path other;
        if (!make_base(turn, i)) {
            return NULL;
        }
        models = ow_find_list(&turn->base, turn->about.noun, &other)
                     ? lg_json_copy(turn->arena, ow_at(&turn->base, &other))
                     : models;
        turn->oom = turn->oom || !models;
    }
    turn->base = base;
    return models && lg_json_len(models) ? models : ow_at(&turn->base, path);
}

static void read_list(ow_turn *turn)
{
    ow_path path;
    if (!make_base(turn, 0)) {
        return;
    }
    turn->result = turn->base;
    if (ow_find_list(&turn->base, turn->about.noun, &path)) {
        const lg_json *models = find_models(turn, &path);
        if (models) {
            ow_answer_list(turn, &path, models);
        }
    } else if (lg_json_len(&turn->about.fields) == 0 || exists(turn, turn->about.parent)) {
        turn->about.action = OW_READ_ONE; // /settings: its name is a plural, what it shows is none
        turn->about.key = turn->about.parent;
        turn->about.has_key = true;
        if (!is_absent(turn)) {
            read_one(turn);
        }
    } else {
        other(turn);
    }
}

// --- The whole ----------------------------------------------------------------------------------

// What is asked for by a name may be known by an id.
static void find_by_name(ow_turn *turn)
{
    ow_about *about = &turn->about;
    ow_word word = ow_plain(about->id_name);
    if (!about->has_key || !about->id || about->action == OW_CREATE || ow_word_ends(&word, "id") ||
        exists(turn, about->key)) {
        return;
    }
    lg_str key = ow_search(&turn->kept, about, about->id);
    if (key.len) {
        about->key = key;
        about->fields =
            ow_with(turn->arena, &about->fields, about->id_name, *about->id, &turn->oom);
        about->id = NULL;
        about->id_name = LG_STR("");
    }
}

static void act(ow_turn *turn)
{
    bool makes = turn->about.action == OW_CREATE || turn->about.action == OW_PUT;
    if (turn->about.batch && makes) {
        write_batch(turn);
        return;
    }
    switch (turn->about.action) {
    case OW_READ_ONE:
        read_one(turn);
        break;
    case OW_READ_LIST:
        read_list(turn);
        break;
    case OW_CREATE:
        create(turn);
        break;
    case OW_UPDATE:
    case OW_PUT:
        update(turn);
        break;
    case OW_DELETE:
        delete_one(turn);
        break;
    case OW_OTHER:
        other(turn);
        break;
    }
}

// An operation that changes something, and of whose answer the document says nothing, says nothing.
static bool says_nothing(const ow_turn *turn)
{
    const lg_sim_tool *tool = turn->call->tool;
    return !tool->result && !turn->call->given && tool->kind == LG_TOOL_WRITE &&
           tool->of_catalogue && !ow_is_rpc(tool->of_catalogue);
}

static void fill_answer(ow_turn *turn)
{
    lg_open_world_answer *answer = turn->answer;
    lg_json *result = LG_NEW(turn->arena, lg_json);
    lg_json *state = LG_NEW(turn->arena, lg_json);
    if (!result || !state) {
        turn->oom = true;
        return;
    }
    if (answer->end != LG_SIM_DONE) {
        return;
    }
    if (turn->call->tool->kind == LG_TOOL_READ) {
        ow_cut_lists(turn);
    }
    *result = says_nothing(turn) ? nothing : turn->result;
    if (lg_json_is(result, LG_JSON_OBJECT) && lg_json_len(result) == 0 &&
        !turn->call->tool->result) {
        *result =
            ow_with(turn->arena, result, LG_STR("success"), lg_json_make_bool(true), &turn->oom);
    }
    answer->result = result;
    if (turn->kept.changed) {
        *state = turn->kept.root;
        answer->state = state;
    }
}

lg_status lg_open_world_reply(lg_arena *arena, const lg_open_world_call *call,
                              lg_open_world_answer *ret, lg_error *reterr)
{
    ow_turn turn = {.arena = arena,
                    .call = call,
                    .kept = {.arena = arena, .root = *call->state},
                    .budget = {.left = OW_STEPS, .what = LG_NO_STEPS_LEFT("of one answer")},
                    .schema = call->tool->results,
                    .base = nothing,
                    .result = nothing,
                    .answer = ret};
    *ret = (lg_open_world_answer){.end = LG_SIM_DONE,
                                  .result = &nothing,
                                  .error = LG_STR(""),
                                  .state = call->state,
                                  .note = LG_STR("")};
    if (!ow_find_about(arena, call, &turn.about)) {
        return lg_fail_oom(reterr);
    }
    if (call->tool->result && !call->tool->results) {
        ow_note(&turn,
                "the tool's result schema does not compile: the answer is not checked by it");
    }
    turn.searches = ow_asks_for_words(call->args);
    find_by_name(&turn);
    if (!is_absent(&turn)) {
        act(&turn);
    }
    fill_answer(&turn);
    return turn.oom || turn.kept.oom ? lg_fail_oom(reterr) : LG_OK;
}
