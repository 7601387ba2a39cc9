// checklist.c: what a task says of how one sees that it is done.
#include "simulate/checklist_internal.h"

const char *lg_check_status_name(lg_check_status status)
{
    static const char *const names[] = {"success", "failed", "unknown"};
    return names[status];
}

const char *lg_check_by_name(lg_check_by by)
{
    static const char *const names[] = {"rule", "model", "nobody"};
    return names[by];
}

// --- Expressions --------------------------------------------------------------------------------

lg_cel_env *checklist_env(lg_arena *arena)
{
    static const char *const names[CHECK_SLOTS] = {"state", "start", "calls", "response"};
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    const lg_cel_type *const types[CHECK_SLOTS] = {dyn, dyn, lg_cel_type_list(arena, dyn),
                                                   lg_cel_type_of_kind(LG_CEL_STRING)};
    lg_cel_env *env = lg_cel_env_new(arena, NULL, NULL);
    for (uint32_t i = 0; i < CHECK_SLOTS && env; i++) {
        if (!types[i] || lg_cel_env_declare(env, lg_str_c(names[i]), types[i]) != i) {
            return NULL;
        }
    }
    return env;
}

const lg_cel_program *checklist_compile(lg_arena *arena, const lg_cel_env *env, lg_str that,
                                        lg_errors *errors)
{
    lg_position at = {NULL, 1, 1};
    const lg_cel_program *program = lg_cel_compile(arena, env, that, at, errors);
    lg_cel_kind kind = program ? lg_cel_program_type(program)->kind : LG_CEL_BOOL;
    if (kind != LG_CEL_BOOL && kind != LG_CEL_DYN) {
        lg_errors_addf(errors, LG_ERR_TYPE, at, "it gives neither true nor false");
        return NULL;
    }
    return program;
}

// --- Reading ------------------------------------------------------------------------------------

typedef struct reading {
    lg_arena *arena;
    lg_cel_env *env; // once it is needed
    lg_checklist_item *items;
    size_t count, capacity;
    lg_errors *errors;
    lg_status first;
    bool oom;
} reading;

LG_PRINTF(4, 5)
static void wrong(reading *r, lg_status status, lg_str pointer, const char *format, ...)
{
    char room[LG_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    lg_str text = lg_str_vprint(room, sizeof(room), format, args);
    va_end(args);
    r->first = r->first == LG_OK ? status : r->first;
    lg_errors_addf(r->errors, status, (lg_position){NULL, 0, 0}, "%.*s: %.*s",
                   LG_FMT(lg_str_cut(pointer, 120)), LG_FMT(text));
}

static lg_str child(reading *r, lg_str pointer, lg_str token)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add(&text, pointer);
    lg_json_pointer_add(&text, lg_str_cut(token, 200));
    lg_str ret = lg_buf_keep(&text, r->arena);
    r->oom = r->oom || !ret.ptr;
    return ret.ptr ? ret : LG_STR("");
}

static lg_str item_at(reading *r, lg_str pointer, size_t index)
{
    lg_str ret = lg_arena_printf(r->arena, "%.*s/%zu", LG_FMT(pointer), index);
    r->oom = r->oom || !ret.ptr;
    return ret.ptr ? ret : LG_STR("");
}

static lg_str keep(reading *r, lg_str text)
{
    lg_str ret = lg_arena_str(r->arena, text);
    r->oom = r->oom || !ret.ptr;
    return ret.ptr ? ret : LG_STR("");
}

static void add(reading *r, lg_str pointer, lg_checklist_item item)
{
    if (r->count == LG_CHECKLIST_ITEMS_MAX) {
        wrong(r, LG_ERR_LIMIT, pointer, "a checklist has at most %u items", LG_CHECKLIST_ITEMS_MAX);
        return;
    }
    lg_checklist_item *items =
        lg_arena_grow(r->arena, r->items, r->count, &r->capacity, sizeof(*items));
    r->oom = r->oom || !items || !item.description.ptr;
    if (!r->oom) {
        r->items = items;
        items[r->count++] = item;
    }
}

// A text of bounded length that is not empty; else it is said what is expected.
static bool is_text(reading *r, const lg_json *value, lg_str pointer, const char *what)
{
    lg_str text = lg_json_str(value);
    if (!lg_json_is(value, LG_JSON_STRING) || lg_str_trim(text).len == 0) {
        wrong(r, LG_ERR_TYPE, pointer, "%s is expected, as a text that is not empty", what);
        return false;
    }
    if (text.len > LG_CHECKLIST_TEXT_BYTES) {
        wrong(r, LG_ERR_LIMIT, pointer, "%s has at most %u bytes; this has %zu", what,
              LG_CHECKLIST_TEXT_BYTES, text.len);
        return false;
    }
    return true;
}

// The line of the expression around a place, with a mark where it is: `state.x >>=<< 1`.
static void say_place(reading *r, lg_str pointer, lg_str that, const lg_error *error)
{
    size_t from = 0, end;
    for (uint32_t line = 1; line < error->line && from < that.len; line++) {
        from = lg_str_line_end(that, from) + 1;
    }
    lg_str line = lg_str_slice(that, from, lg_str_line_end(that, from));
    size_t at = 0;
    for (uint32_t column = 1; column < error->column && at < line.len; column++) {
        at++;
        while (at < line.len && ((unsigned char)line.ptr[at] & 0xc0) == 0x80) {
            at++;
        }
    }
    size_t begin = at > 30 ? at - 30 : 0;
    while (begin < at && ((unsigned char)line.ptr[begin] & 0xc0) == 0x80) {
        begin++;
    }
    end = begin + lg_str_cut(lg_str_slice(line, begin, line.len), at - begin + 30).len;
    wrong(r, error->status, pointer, "line %u, column %u: %s: `%.*s` \xe2\x86\x92 `%.*s`",
          error->line, error->column, error->msg, LG_FMT(lg_str_slice(line, begin, at)),
          LG_FMT(lg_str_slice(line, at, end)));
}

static const lg_cel_program *compile(reading *r, lg_str pointer, lg_str that)
{
    lg_errors errors;
    lg_errors_init(&errors, r->arena, 4);
    r->env = r->env ? r->env : checklist_env(r->arena);
    const lg_cel_program *program =
        r->env ? checklist_compile(r->arena, r->env, that, &errors) : NULL;
    for (size_t i = 0; i < errors.count && !program; i++) {
        say_place(r, pointer, that, &errors.items[i]);
    }
    r->oom = r->oom || (!program && errors.count == 0);
    return program;
}

static void read_item(reading *r, lg_str pointer, const lg_json *item)
{
    const lg_json *that = lg_json_get(item, LG_STR("that"));
    const lg_json *description = lg_json_get(item, LG_STR("description"));
    lg_checklist_item ret = {.kind = LG_CHECK_IN_WORDS};
    if (lg_json_is(item, LG_JSON_STRING)) {
        description = item;
    } else if (!lg_json_is(item, LG_JSON_OBJECT)) {
        wrong(r, LG_ERR_TYPE, pointer,
              "an item is an object with `description`, `that` (an expression), or both");
        return;
    }
    bool has_that = that && !lg_json_is(that, LG_JSON_NULL) &&
                    !(lg_json_is(that, LG_JSON_STRING) && that->len == 0);
    if (has_that) {
        lg_str place = child(r, pointer, LG_STR("that"));
        if (!is_text(r, that, place, "an expression")) {
            return;
        }
        ret.kind = LG_CHECK_THAT;
        ret.that = keep(r, lg_json_str(that));
        ret.program = compile(r, place, ret.that);
        if (!ret.program) {
            return;
        }
    }
    if (!description && has_that) {
        description = that;
    }
    if (is_text(r, description, pointer, "a description")) {
        ret.description = keep(r, lg_json_str(description));
        add(r, pointer, ret);
    }
}

static bool is_list(reading *r, const lg_json *value, lg_str pointer)
{
    if (!lg_json_is(value, LG_JSON_ARRAY)) {
        wrong(r, LG_ERR_TYPE, pointer, "a list is expected");
        return false;
    }
    return true;
}

static void read_items(reading *r, lg_str pointer, const lg_json *list)
{
    for (size_t i = 0; is_list(r, list, pointer) && i < lg_json_len(list) && !r->oom; i++) {
        read_item(r, item_at(r, pointer, i), lg_json_item(list, i));
    }
}

// --- Actions ------------------------------------------------------------------------------------

// How many of the actions before it are this one? Of a list of N that are all alike that is N * N / 2 comparisons of names
// and arguments; there are at most LG_CHECKLIST_ITEMS_MAX, and values differ soon.
static size_t equal_before(const reading *r, const lg_json *action)
{
    size_t count = 0;
    check_action mine = checklist_action(action);
    for (size_t i = 0; i < r->count; i++) {
        if (r->items[i].kind == LG_CHECK_CALLED) {
            check_action other = checklist_action(r->items[i].value);
            count += checklist_same_action(&mine, &other);
        }
    }
    return count;
}

static lg_str compared_name(const check_action *action, size_t index)
{
    return action->names ? lg_json_str(lg_json_item(action->names, index))
                         : lg_json_key(lg_json_member_at(action->args, index));
}

static lg_str describe_action(reading *r, const lg_json *from, size_t nth)
{
    check_action action = checklist_action(from);
    size_t compared = lg_json_len(action.names ? action.names : action.args);
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "`%.*s` was called", LG_FMT(lg_str_cut(action.name, 200)));
    for (size_t i = 0; i < compared && i < 12; i++) {
        lg_buf_addf(&text, "%s `%.*s`", i ? "," : " with the right",
                    LG_FMT(lg_str_cut(compared_name(&action, i), 60)));
    }
    if (!action.names && compared == 0) {
        lg_buf_add_c(&text, " without arguments");
    }
    if (nth > 1) {
        lg_buf_addf(&text, ", %zu times", nth);
    }
    lg_str ret = lg_buf_status(&text) == LG_OK ? keep(r, lg_buf_str(&text)) : LG_STR("");
    r->oom = r->oom || ret.len == 0;
    lg_buf_done(&text);
    return ret;
}

static bool is_list_of_names(const lg_json *value)
{
    bool right = !value || lg_json_is(value, LG_JSON_NULL) || lg_json_is(value, LG_JSON_ARRAY);
    for (size_t i = 0; lg_json_is(value, LG_JSON_ARRAY) && i < lg_json_len(value); i++) {
        right = right && lg_json_is(lg_json_item(value, i), LG_JSON_STRING);
    }
    return right;
}

static void read_action(reading *r, lg_str pointer, const lg_json *action)
{
    const lg_json *args = lg_json_get(action, LG_STR("arguments"));
    const lg_json *by = lg_json_get(action, LG_STR("requestor"));
    lg_str requestor = lg_json_str(by);
    if (!lg_json_is(action, LG_JSON_OBJECT)) {
        wrong(r, LG_ERR_TYPE, pointer,
              "an action is an object with `name`, `arguments` and perhaps `requestor`");
    } else if (!is_text(r, lg_json_get(action, LG_STR("name")), pointer, "the name of a tool")) {
        return;
    } else if (args && !lg_json_is(args, LG_JSON_OBJECT) && !lg_json_is(args, LG_JSON_NULL)) {
        wrong(r, LG_ERR_TYPE, pointer, "the `arguments` of an action are an object");
    } else if (by && !lg_json_is(by, LG_JSON_NULL) && !lg_str_eq(requestor, LG_STR("user")) &&
               !lg_str_eq(requestor, LG_STR("assistant"))) {
        wrong(r, LG_ERR_TYPE, pointer, "`requestor` is \"assistant\" or \"user\"");
    } else if (!is_list_of_names(lg_json_get(action, LG_STR("compare_args")))) {
        wrong(r, LG_ERR_TYPE, pointer,
              "`compare_args` lists the names of the arguments that are compared");
    } else {
        const lg_json *kept = lg_json_copy(r->arena, action);
        size_t nth = equal_before(r, action) + 1;
        r->oom = r->oom || !kept;
        add(r, pointer,
            (lg_checklist_item){.kind = LG_CHECK_CALLED,
                                .description = describe_action(r, action, nth),
                                .value = kept,
                                .nth = nth});
    }
}

static void read_actions(reading *r, lg_str pointer, const lg_json *list)
{
    for (size_t i = 0; is_list(r, list, pointer) && i < lg_json_len(list) && !r->oom; i++) {
        read_action(r, item_at(r, pointer, i), lg_json_item(list, i));
    }
}

// --- What is said, and the state ------------------------------------------------------------------

static void read_said(reading *r, lg_str pointer, const lg_json *list)
{
    for (size_t i = 0; is_list(r, list, pointer) && i < lg_json_len(list) && !r->oom; i++) {
        const lg_json *said = lg_json_item(list, i);
        lg_str place = item_at(r, pointer, i);
        if (is_text(r, said, place, "what the response has to say")) {
            const lg_json *kept = lg_json_copy(r->arena, said);
            lg_str description =
                lg_arena_printf(r->arena, "the response says what it has to (%zu of %zu)", i + 1,
                                lg_json_len(list));
            r->oom = r->oom || !kept;
            add(r, place,
                (lg_checklist_item){
                    .kind = LG_CHECK_SAYS, .description = description, .value = kept});
        }
    }
}

static void read_state(reading *r, lg_str pointer, const lg_json *object)
{
    if (!lg_json_is(object, LG_JSON_OBJECT)) {
        wrong(r, LG_ERR_TYPE, pointer, "an object is expected, from JSON pointers to values");
        return;
    }
    for (size_t i = 0; i < lg_json_len(object) && !r->oom; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_str at = lg_json_key(member);
        if ((at.len > 0 && at.ptr[0] != '/') || at.len > LG_CHECKLIST_TEXT_BYTES) {
            wrong(r, LG_ERR_TYPE, child(r, pointer, at),
                  "a place of the state is a JSON pointer: it begins with a `/`");
            continue;
        }
        const lg_json *kept = lg_json_copy(r->arena, &member->value);
        lg_str description =
            lg_arena_printf(r->arena, "the state is right at %.*s",
                            LG_FMT(at.len ? lg_str_cut(at, 300) : LG_STR("its top")));
        r->oom = r->oom || !kept;
        add(r, pointer,
            (lg_checklist_item){.kind = LG_CHECK_STATE,
                                .description = description,
                                .value = kept,
                                .pointer = keep(r, at)});
    }
}

static void read_members(reading *r, lg_str pointer, const lg_json *task, bool nested)
{
    static const struct {
        lg_str key;
        void (*read)(reading *r, lg_str pointer, const lg_json *value);
    } members[] = {{{"checklist", 9}, read_items},
                   {{"actions", 7}, read_actions},
                   {{"communicate_info", 16}, read_said},
                   {{"nl_assertions", 13}, read_items},
                   {{"state", 5}, read_state}};
    for (size_t i = 0; i < LG_COUNT(members); i++) {
        const lg_json *value = lg_json_get(task, members[i].key);
        if (value && !lg_json_is(value, LG_JSON_NULL) && !r->oom) {
            members[i].read(r, child(r, pointer, members[i].key), value);
        }
    }
    const lg_json *criteria = lg_json_get(task, LG_STR("evaluation_criteria"));
    if (!nested && lg_json_is(criteria, LG_JSON_OBJECT)) {
        read_members(r, child(r, pointer, LG_STR("evaluation_criteria")), criteria, true);
    }
}

lg_status lg_checklist_read(lg_arena *arena, const lg_json *task, lg_checklist *ret,
                            lg_errors *errors)
{
    reading r = {.arena = arena, .errors = errors};
    if (lg_json_is(task, LG_JSON_ARRAY)) {
        read_items(&r, LG_STR(""), task);
    } else if (lg_json_is(task, LG_JSON_OBJECT)) {
        read_members(&r, LG_STR(""), task, false);
    } else {
        wrong(&r, LG_ERR_TYPE, LG_STR(""),
              "a checklist is a list of items, or an object with `checklist`, `actions`, "
              "`communicate_info` or `state`");
    }
    if (r.oom) {
        lg_error error;
        lg_status status = lg_fail_oom(&error);
        lg_errors_add(errors, &error);
        return status;
    }
    *ret = (lg_checklist){.items = r.items, .count = r.count};
    return r.first;
}
