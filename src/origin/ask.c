// ask.c: the leaves of a call's arguments, each asked where it comes from.
#include "origin/origin_internal.h"

typedef struct walk {
    lg_origin_query query;
    lg_buf pointer;
    lg_origin_answers answers;
    size_t capacity;
    uint32_t depth;
    lg_status status;
} walk;

// --- What the schema lists ----------------------------------------------------------------------

static bool lists(const lg_json *schema, const lg_json *value)
{
    const lg_json *values = lg_json_get(schema, LG_STR("enum"));
    const lg_json *one = lg_json_get(schema, LG_STR("const"));
    for (size_t i = 0; lg_json_is(values, LG_JSON_ARRAY) && i < values->len; i++) {
        if (lg_json_equal(lg_json_item(values, i), value)) {
            return true;
        }
    }
    return one && lg_json_equal(one, value);
}

static const lg_json *schema_of(const lg_json *schema, const lg_json_member *member)
{
    return member ? lg_json_get(lg_json_get(schema, LG_STR("properties")), lg_json_key(member))
                  : lg_json_get(schema, LG_STR("items"));
}

// --- Leaves -------------------------------------------------------------------------------------

static bool number_leaf(walk *w, const lg_json *value, lg_str field, lg_origin_answer *answer)
{
    lg_origin_decimal number;
    if (!lg_origin_decimal_of(value, &number)) {
        return false;
    }
    if (number.scale == 0 && number.mantissa <= 1) {
        answer->verdict = LG_ORIGIN_TRIVIAL;
        return true;
    }
    if (number.scale == 0 && number.mantissa > LG_ORIGIN_INTEGER_MAX) {
        return false; // an id
    }
    if (lg_origin_is_bound(field)) {
        answer->verdict = LG_ORIGIN_CHOSEN;
    } else if (!lg_origin_number_from(&w->query, number, true, answer)) {
        answer->verdict = LG_ORIGIN_UNGROUNDED;
    }
    return true;
}

static void judge(walk *w, const lg_json *value, lg_str field, lg_origin_answer *answer)
{
    if (value->type == LG_JSON_NULL || value->type == LG_JSON_BOOL ||
        value->type >= LG_JSON_ARRAY) {
        answer->verdict = LG_ORIGIN_TRIVIAL;
        return;
    }
    if (lg_json_is_number(value)) {
        if (number_leaf(w, value, field, answer)) {
            return;
        }
        lg_buf text;
        char room[64];
        lg_buf_init_in(&text, room, sizeof(room), 0);
        lg_json_print(&text, value);
        lg_str copy = lg_arena_str(w->query.arena, lg_buf_str(&text));
        bool failed = lg_buf_status(&text) != LG_OK || !copy.ptr;
        lg_buf_done(&text);
        w->query.failed = w->query.failed || failed;
        if (!failed) {
            lg_origin_text_from(&w->query, copy, LG_STR(""), answer);
        }
        return;
    }
    lg_origin_text_from(&w->query, lg_json_str(value), field, answer);
}

// Did the agent itself say it before?
static void note_said(walk *w, const lg_json *value, lg_origin_answer *answer)
{
    lg_origin_decimal number;
    lg_origin_needle needle;
    if (lg_json_is_number(value) && lg_origin_decimal_of(value, &number)) {
        answer->said = lg_origin_find_own_number(&w->query, number, false, &answer->said_at);
        return;
    }
    lg_str text = lg_json_str(value);
    char *bytes = text.len ? lg_arena_alloc(w->query.arena, text.len, 1) : NULL;
    if (bytes && lg_origin_needle_of(text, bytes, &needle)) {
        needle.exact = needle.folded.len < 5;
        answer->said = lg_origin_find_own(&w->query, &needle, false, &answer->said_at);
    }
}

static void leaf(walk *w, const lg_json *value, const lg_json *schema, lg_str field)
{
    lg_origin_answer *items = lg_arena_grow(w->query.arena, w->answers.items, w->answers.count,
                                            &w->capacity, sizeof(*items));
    lg_str pointer = lg_arena_str(w->query.arena, lg_buf_str(&w->pointer));
    if (!items || !pointer.ptr || lg_buf_status(&w->pointer) != LG_OK) {
        w->status = LG_ERR_OOM;
        return;
    }
    w->answers.items = items;
    lg_origin_answer *answer = &items[w->answers.count++];
    *answer = (lg_origin_answer){.pointer = pointer, .value = value, .verdict = LG_ORIGIN_UNKNOWN};
    if (schema && lists(schema, value)) {
        answer->verdict = LG_ORIGIN_CHOSEN;
        return;
    }
    judge(w, value, field, answer);
    if (w->query.failed) {
        w->status = LG_ERR_OOM;
        return;
    }
    bool open = answer->verdict == LG_ORIGIN_UNGROUNDED ||
                (answer->verdict == LG_ORIGIN_PROSE && answer->missing_count);
    if (open && (w->query.origin->cut || lg_budget_is_spent(&w->query.budget))) {
        answer->verdict = LG_ORIGIN_UNKNOWN;
        answer->operation = LG_ORIGIN_NONE;
        answer->operand_count = 0;
        answer->missing_count = 0;
    }
    if (answer->verdict == LG_ORIGIN_UNGROUNDED || answer->verdict == LG_ORIGIN_UNKNOWN ||
        answer->verdict == LG_ORIGIN_COMPUTED) {
        note_said(w, value, answer);
    }
}

static void visit(walk *w, const lg_json *value, const lg_json *schema, lg_str field)
{
    size_t len = lg_json_len(value);
    if (len == 0) {
        leaf(w, value, schema, field);
        return;
    }
    if (++w->depth > LG_JSON_DEPTH_MAX) {
        w->status = LG_ERR_LIMIT;
    }
    bool object = lg_json_is(value, LG_JSON_OBJECT);
    for (size_t i = 0; i < len && w->status == LG_OK; i++) {
        const lg_json_member *member = object ? lg_json_member_at(value, i) : NULL;
        size_t end = w->pointer.len;
        char index[24];
        lg_str token = object ? lg_json_key(member) : lg_str_of(index, 0);
        if (!object) {
            lg_buf digits;
            lg_buf_init_in(&digits, index, sizeof(index), 0);
            lg_buf_addf(&digits, "%zu", i);
            token.len = digits.len;
        }
        lg_json_pointer_add(&w->pointer, token);
        const lg_json *below = object ? &member->value : lg_json_item(value, i);
        visit(w, below, schema_of(schema, member), object ? token : field);
        w->pointer.len = end;
    }
    w->depth--;
}

lg_status lg_origin_ask(lg_origin *origin, lg_arena *arena, const lg_json *args,
                        const lg_json *parameters, lg_origin_answers *ret, lg_error *reterr)
{
    walk w = {.status = LG_OK};
    lg_origin_query_begin(&w.query, origin, arena);
    w.query.args = args;
    lg_buf_init(&w.pointer, 0);
    visit(&w, args, parameters, LG_STR(""));
    lg_buf_done(&w.pointer);
    if (w.status == LG_ERR_LIMIT) {
        return lg_fail(reterr, LG_ERR_LIMIT, "the arguments are nested deeper than %u",
                       LG_JSON_DEPTH_MAX);
    }
    if (w.status != LG_OK) {
        return lg_fail_oom(reterr);
    }
    *ret = w.answers;
    ret->steps = origin->limits.steps - w.query.budget.left;
    return LG_OK;
}

// --- Where a place lies -------------------------------------------------------------------------

bool lg_origin_pointer(const lg_origin *origin, const lg_origin_place *place, lg_buf *out)
{
    while (origin && place->text < origin->text_base) {
        origin = origin->parent;
    }
    if (!origin || place->source.kind != LG_ORIGIN_FIELD ||
        place->text - origin->text_base >= origin->text_count) {
        return true;
    }
    lg_str text = origin->texts[place->text - origin->text_base].text;
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    const lg_json *root = NULL;
    lg_status status = lg_json_parse_in(&scratch, text, 0, text.len, NULL, &root, NULL);
    if (status == LG_OK) {
        lg_json_pointer_of(out, root, place->begin);
    }
    lg_arena_done(&scratch);
    return status != LG_ERR_OOM && lg_buf_status(out) == LG_OK;
}
