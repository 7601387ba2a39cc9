// render.c: the ledger as a block of text for a prompt.
//
// One record a line, in the order of the pack's paths and then of first observation: the same
// ledger always gives the same bytes, and a line that did not change keeps its place, which spares
// prompt caches. With a budget the records observed longest ago go first, then the oldest writes, and
// the last line says what was left out.
//
// What a tool returned can hold anything, but no line break of its own reaches the block: values
// and keys are JSON texts, so that a result cannot pose as a record.
#include "base/alloc.h"
#include "ledger/ledger.h"

#include <stdlib.h>

#define COMPACT_VALUE_BYTES 160u
#define LINE_ROOM_BYTES 2048u // a longer line is put together on the heap

static bool is_plain_name(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
            return false;
        }
    }
    return s.len > 0;
}

void lg_ledger_print_segment(lg_buf *out, lg_str segment)
{
    if (is_plain_name(segment)) {
        lg_buf_add_byte(out, '.');
        lg_buf_add(out, segment);
    } else {
        lg_buf_add_byte(out, '[');
        lg_json_print_str(out, segment);
        lg_buf_add_byte(out, ']');
    }
}

// An object's scalar members, and how many elements the others hold: enough to find the record.
static void print_summary(lg_buf *out, const lg_json *value)
{
    size_t start = out->len;
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        lg_json_print(out, value);
    } else {
        lg_buf_add_byte(out, '{');
        for (size_t i = 0; i < lg_json_len(value); i++) {
            const lg_json_member *member = lg_json_member_at(value, i);
            if (lg_json_is(&member->value, LG_JSON_NULL)) {
                continue;
            }
            lg_buf_add_c(out, out->len > start + 1 ? ", " : "");
            if (is_plain_name(lg_json_key(member))) {
                lg_buf_add(out, lg_json_key(member));
            } else {
                lg_json_print_str(out, lg_json_key(member));
            }
            lg_buf_add_c(out, ": ");
            if (lg_json_type_of(&member->value) >= LG_JSON_ARRAY) {
                lg_buf_addf(out, lg_json_is(&member->value, LG_JSON_ARRAY) ? "[%zu]" : "{%zu}",
                            lg_json_len(&member->value));
            } else {
                lg_json_print(out, &member->value);
            }
        }
        lg_buf_add_byte(out, '}');
    }
    if (out->status == LG_OK && out->len - start > COMPACT_VALUE_BYTES) {
        out->len = start + COMPACT_VALUE_BYTES;
        while (out->len > start && ((unsigned char)out->ptr[out->len - 1] & 0xC0) == 0x80) {
            out->len--; // not through a character
        }
        if (out->len > start && ((unsigned char)out->ptr[out->len - 1] & 0x80)) {
            out->len--;
        }
        lg_buf_add_c(out, "...");
    }
}

// Which part of a record is stale: "it", or ".status, .items". A step that may be any ends the path.
static void print_parts(lg_buf *out, const lg_ledger_entry *entry)
{
    LG_DEBUG_ASSERT(entry->stale);
    for (uint32_t p = 0; p < entry->part_count; p++) {
        const lg_stale_part *part = &entry->parts[p];
        lg_buf_add_c(out, p ? ", " : "");
        for (uint32_t i = 0; i < part->count && part->steps[i].ptr; i++) {
            lg_ledger_print_segment(out, part->steps[i]);
        }
        bool cut = part->count > 0 && !part->steps[part->count - 1].ptr;
        lg_buf_add_c(out, cut ? "[...]" : "");
    }
    lg_buf_add_c(out, entry->part_count ? "" : "it");
}

static void print_path(lg_buf *out, const lg_ledger_entry *entry)
{
    lg_buf_add_c(out, "ledger");
    for (uint32_t i = 0; i < entry->declared->segment_count; i++) {
        lg_ledger_print_segment(out, entry->segments[i]);
    }
}

static void print_entry(lg_buf *out, const lg_ledger_entry *entry, const lg_render_options *options)
{
    print_path(out, entry);
    if (options->types) {
        lg_buf_add_c(out, ": ");
        lg_cel_type_print(out, entry->declared->type);
    }
    lg_buf_add_c(out, " = ");
    if (options->compact) {
        print_summary(out, entry->value);
    } else {
        lg_json_print(out, entry->value);
    }
    lg_buf_addf(out, "  [%.*s, turn %u", LG_FMT(entry->tool), entry->turn);
    if (entry->stale) {
        const char *why = entry->doubted ? "failed to read" : "may have changed";
        lg_buf_addf(out, "; stale: %.*s at turn %u %s ", LG_FMT(entry->stale_tool),
                    entry->stale_turn, why);
        print_parts(out, entry);
        lg_buf_add_c(out, ", read it again");
    }
    lg_buf_add_c(out, "]\n");
}

static void print_write(lg_buf *out, const lg_json *history, size_t index)
{
    const lg_json *write = lg_json_item(history, index);
    lg_buf_addf(out, "ledger.history[%zu] = %.*s(", index,
                LG_FMT(lg_json_str(lg_json_get(write, LG_STR("name")))));
    lg_json_print(out, lg_json_get(write, LG_STR("args")));
    lg_str outcome = lg_json_str(lg_json_get(write, LG_STR("outcome")));
    lg_buf_add_c(out, lg_str_eq(outcome, LG_STR("unverified"))
                          ? ")  [unverified: its result was not what it should be]\n"
                      : lg_str_eq(outcome, LG_STR("unknown"))
                          ? ")  [unknown: it failed or did not answer, and may have happened]\n"
                      : lg_str_eq(outcome, LG_STR("pending"))
                          ? ")  [pending: it has not answered, and may have happened]\n"
                          : ")\n");
}

// --- The budget -----------------------------------------------------------------------------------

// A record or write with the bytes that its line takes.
typedef struct line {
    uint32_t turn;
    uint32_t index;
    size_t bytes;
} line;

// What is left out. All zero: nothing.
typedef struct plan {
    bool *records; // by entry; NULL: none
    uint32_t record_count;
    size_t write_count; // the first ones
} plan;

static int older_first(const void *a, const void *b)
{
    const line *x = a;
    const line *y = b;
    return x->turn != y->turn ? (x->turn < y->turn ? -1 : 1) : (x->index > y->index ? 1 : -1);
}

// The bytes of a line, by printing it and taking it back.
static size_t taken_back(lg_buf *out, size_t before)
{
    LG_DEBUG_ASSERT(before <= out->len);
    size_t bytes = out->len - before;
    out->len = before;
    return bytes;
}

// The lines of all records, the oldest first; their bytes are added to `*total`.
static line *measure_records(lg_arena *arena, lg_buf *out, const lg_ledger_state *state,
                             const lg_render_options *options, size_t *total)
{
    line *lines = LG_NEW_ARRAY(arena, line, state->entries.count);
    for (uint32_t i = 0; lines && i < state->entries.count; i++) {
        size_t before = out->len;
        print_entry(out, lg_ledger_entry_at(state, i), options);
        lines[i] = (line){lg_ledger_entry_at(state, i)->turn, i, taken_back(out, before)};
        *total += lines[i].bytes;
    }
    if (lines && state->entries.count > 1) {
        qsort(lines, state->entries.count, sizeof(*lines), older_first);
    }
    return lines;
}

// The same for the writes, which are in order already.
static line *measure_writes(lg_arena *arena, lg_buf *out, const lg_json *history, size_t *total)
{
    line *lines = LG_NEW_ARRAY(arena, line, lg_json_len(history));
    for (size_t i = 0; lines && i < lg_json_len(history); i++) {
        size_t before = out->len;
        print_write(out, history, i);
        lines[i].bytes = taken_back(out, before);
        *total += lines[i].bytes;
    }
    return lines;
}

#define LEFT_OUT_LINE_BYTES 160u

// Chooses what must go so that the rest takes `room` bytes at most. False when out of memory.
static bool make_plan(lg_arena *arena, lg_buf *out, const lg_ledger_state *state,
                      const lg_render_options *options, size_t room, plan *ret)
{
    const lg_json *history = lg_json_get(state->root, LG_STR("history"));
    size_t total = 0;
    line *records = measure_records(arena, out, state, options, &total);
    line *writes = measure_writes(arena, out, history, &total);
    ret->records = LG_NEW_ARRAY(arena, bool, state->entries.count);
    if (!records || !writes || !ret->records) {
        return false;
    }
    if (total <= room) {
        return true;
    }
    room = room > LEFT_OUT_LINE_BYTES ? room - LEFT_OUT_LINE_BYTES : 0;
    for (; total > room && ret->record_count < state->entries.count; ret->record_count++) {
        total -= records[ret->record_count].bytes;
        ret->records[records[ret->record_count].index] = true;
    }
    for (; total > room && ret->write_count < lg_json_len(history); ret->write_count++) {
        LG_DEBUG_ASSERT(ret->record_count == state->entries.count); // records go first
        total -= writes[ret->write_count].bytes;
    }
    LG_DEBUG_ASSERT(total <= room || total == 0);
    return true;
}

static void print_left_out(lg_buf *out, const plan *left_out, size_t budget)
{
    lg_buf_add_c(out, "(");
    if (left_out->record_count) {
        lg_buf_addf(out, "%u older record%s", left_out->record_count,
                    lg_plural(left_out->record_count));
    }
    if (left_out->write_count) {
        lg_buf_addf(out, "%s%zu older write%s", left_out->record_count ? " and " : "",
                    left_out->write_count, lg_plural(left_out->write_count));
    }
    lg_buf_addf(out, " left out to stay within %zu bytes; read again what you need)\n", budget);
}

// --- The block ------------------------------------------------------------------------------------

// The numbers of all records in the order in which they are shown: of the pack's places, then of first observation. NULL
// when out of memory.
static uint32_t *shown_order(lg_arena *arena, const lg_ledger *ledger, const lg_ledger_state *state)
{
    const lg_place *places = ledger->pack->ledger.items;
    uint32_t *behind = LG_NEW_ARRAY(arena, uint32_t, ledger->pack->ledger.count + 1); // each place
    uint32_t *order = LG_NEW_ARRAY(arena, uint32_t, state->entries.count);
    if (!behind || !order) {
        return NULL;
    }
    for (uint32_t i = 0; i < state->entries.count; i++) {
        behind[lg_ledger_entry_at(state, i)->declared - places + 1]++;
    }
    for (size_t p = 0; p < ledger->pack->ledger.count; p++) {
        behind[p + 1] += behind[p];
    }
    for (uint32_t i = 0; i < state->entries.count; i++) {
        order[behind[lg_ledger_entry_at(state, i)->declared - places]++] = i;
    }
    return order;
}

static void print_lines(lg_buf *out, const lg_ledger_state *state, const uint32_t *order,
                        const lg_render_options *options, const plan *left_out)
{
    for (uint32_t i = 0; i < state->entries.count; i++) {
        if (!(left_out->records && left_out->records[order[i]])) {
            print_entry(out, lg_ledger_entry_at(state, order[i]), options);
        }
    }
    const lg_json *history = lg_json_get(state->root, LG_STR("history"));
    for (size_t i = left_out->write_count; i < lg_json_len(history); i++) {
        print_write(out, history, i);
    }
}

static void print_head(lg_buf *out, const lg_ledger *ledger, const lg_ledger_state *state)
{
    lg_buf_addf(out,
                "Ledger of %.*s: what tools have returned in this conversation (%u record%s).\n",
                LG_FMT(ledger->pack->name), state->entries.count, lg_plural(state->entries.count));
}

void lg_ledger_render(const lg_ledger *ledger, const lg_ledger_state *state,
                      const lg_render_options *options, lg_buf *out)
{
    static const lg_render_options defaults = {0};
    options = options ? options : &defaults;
    size_t budget = options->budget_bytes;
    size_t start = out->len;
    print_head(out, ledger, state);
    lg_arena scratch;
    lg_arena_init(&scratch, ledger->limits.memory_bytes);
    lg_arena_share(&scratch, ledger->arena.quota);
    plan left_out = {0};
    uint32_t *order = shown_order(&scratch, ledger, state);
    size_t used = out->len - start;
    size_t room = budget > used ? budget - used : 0;
    if (!order || (budget && !make_plan(&scratch, out, state, options, room, &left_out))) {
        out->status = LG_ERR_OOM;
    }
    if (out->status == LG_OK) {
        print_lines(out, state, order, options, &left_out);
    }
    if (left_out.record_count + left_out.write_count > 0) {
        print_left_out(out, &left_out, budget);
    }
    lg_arena_done(&scratch);
}

// --- Again ----------------------------------------------------------------------------------------

struct lg_ledger_line {
    uint64_t changed; // of the record then; 0: the line may be another one
    size_t from;      // in the text
    size_t bytes;
    size_t plain_bytes; // outside of a JSON string
};

void lg_ledger_shown_done(lg_ledger_shown *shown)
{
    lg_free(shown->text);
    lg_free(shown->lines);
    *shown = (lg_ledger_shown){0};
}

size_t lg_ledger_shown_bytes(const lg_ledger_shown *shown)
{
    return shown->text_bytes + shown->count * sizeof(*shown->lines);
}

typedef struct again {
    lg_buf *out;
    lg_buf line;        // that is being made
    size_t plain_bytes; // of all
    lg_ledger_shown *shown;
    size_t start; // of the records' lines
    bool other;   // some line is not what it was
} again;

// What stands in the line goes out.
static size_t escape_line(again *a)
{
    size_t bytes = a->line.len;
    if (lg_buf_status(&a->line) != LG_OK) {
        a->out->status = a->line.status;
    }
    lg_json_add_escaped(a->out, lg_buf_str(&a->line));
    lg_buf_clear(&a->line);
    a->plain_bytes += bytes;
    return bytes;
}

static void show_entry(again *a, const lg_ledger_entry *entry, uint32_t number,
                       const lg_render_options *options)
{
    lg_ledger_line *known = number < a->shown->count ? &a->shown->lines[number] : NULL;
    size_t from = a->out->len - a->start;
    if (known && known->changed == entry->changed && entry->changed) {
        lg_buf_add(a->out, (lg_str){a->shown->text + known->from, known->bytes});
        a->plain_bytes += known->plain_bytes;
        known->from = from;
        return;
    }
    a->other = true;
    print_entry(&a->line, entry, options);
    size_t plain_bytes = escape_line(a);
    if (known) {
        *known = (lg_ledger_line){entry->changed, from, a->out->len - a->start - from, plain_bytes};
    }
}

// Makes room for the lines of so many records.
static void remember_records(lg_ledger_shown *shown, uint32_t count)
{
    if (count == shown->count) {
        return;
    }
    lg_ledger_line *lines = lg_realloc(shown->lines, count * sizeof(*lines) + 1);
    if (lines) {
        for (uint32_t i = shown->count; i < count; i++) {
            lines[i].changed = 0;
        }
        shown->lines = lines;
        shown->count = count;
    }
}

static void remember_text(again *a, size_t end)
{
    lg_ledger_shown *shown = a->shown;
    size_t bytes = end - a->start;
    char *text = a->out->status == LG_OK ? lg_realloc(shown->text, bytes + 1) : NULL;
    if (!text) {
        lg_ledger_shown_done(shown);
        return;
    }
    memcpy(text, a->out->ptr + a->start, bytes);
    shown->text = text;
    shown->text_bytes = bytes;
}

size_t lg_ledger_render_again(const lg_ledger *ledger, const lg_ledger_state *state,
                              const lg_render_options *options, lg_ledger_shown *shown, lg_buf *out)
{
    static const lg_render_options defaults = {0};
    char room[LINE_ROOM_BYTES];
    options = options ? options : &defaults;
    again a = {.out = out, .shown = shown};
    lg_arena scratch;
    lg_arena_init(&scratch, ledger->limits.memory_bytes);
    lg_arena_share(&scratch, ledger->arena.quota);
    lg_buf_init_in(&a.line, room, sizeof(room), 0);
    print_head(&a.line, ledger, state);
    escape_line(&a);
    a.start = out->len;
    a.other = state->entries.count != shown->count;
    remember_records(shown, state->entries.count);
    const uint32_t *order = shown_order(&scratch, ledger, state);
    for (uint32_t i = 0; order && i < state->entries.count; i++) {
        show_entry(&a, lg_ledger_entry_at(state, order[i]), order[i], options);
    }
    out->status = order ? out->status : LG_ERR_OOM;
    if (a.other || out->status != LG_OK) {
        remember_text(&a, out->len);
    }
    const lg_json *history = lg_json_get(state->root, LG_STR("history"));
    for (size_t i = 0; i < lg_json_len(history); i++) {
        print_write(&a.line, history, i);
        escape_line(&a);
    }
    lg_buf_done(&a.line);
    lg_arena_done(&scratch);
    return a.plain_bytes;
}

// --- What is different ----------------------------------------------------------------------------

typedef struct changed {
    const lg_ledger_entry *entry;
    uint32_t number; // in the order of first observation
} changed;

typedef struct comparison {
    lg_arena *arena;
    const lg_map *others; // the entries of the other state
    changed *items;
    size_t count, capacity;
    uint32_t fresh; // that the other state has not
} comparison;

static bool note_changed(void *context, const void *item)
{
    comparison *c = context;
    changed *items = lg_arena_grow(c->arena, c->items, c->count, &c->capacity, sizeof(*items));
    if (!items) {
        return false;
    }
    const lg_ledger_entry *entry = item;
    c->items = items;
    c->items[c->count] = (changed){entry, (uint32_t)c->count};
    c->count++;
    c->fresh += !lg_map_get(c->others, entry->key);
    return true;
}

// By the place that the pack declares, as all of a ledger is.
static int in_order(const void *a, const void *b)
{
    const changed *x = a;
    const changed *y = b;
    const lg_place *p = x->entry->declared;
    const lg_place *q = y->entry->declared;
    return p != q ? (p < q ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

// The bytes from `from` on are taken back if they are the same as those from `middle` on; else only these.
static void keep_if_other(lg_buf *out, size_t from, size_t middle)
{
    if (out->status == LG_OK) {
        lg_str one = lg_str_slice(lg_buf_str(out), from, middle);
        lg_str other = lg_str_slice(lg_buf_str(out), middle, out->len);
        out->len = lg_str_eq(one, other) ? from : middle;
    }
}

static bool print_changed(lg_buf *out, const lg_ledger_state *before, const lg_ledger_state *after,
                          const lg_render_options *options, comparison *c)
{
    c->others = &before->entries;
    if (!lg_map_each_new(&before->entries, &after->entries, note_changed, c)) {
        return false;
    }
    if (c->count > 1) {
        qsort(c->items, c->count, sizeof(*c->items), in_order);
    }
    for (size_t i = 0; i < c->count; i++) {
        const lg_ledger_entry *old = lg_map_get(&before->entries, c->items[i].entry->key);
        size_t from = out->len;
        print_entry(out, c->items[i].entry, options);
        size_t middle = out->len;
        if (old) {
            print_entry(out, old, options);
            keep_if_other(out, from, middle);
        }
    }
    return true;
}

// A history only grows, but for calls at its end of which it was not known whether they have happened.
static size_t settled_writes(const lg_json *history)
{
    size_t count = lg_json_len(history);
    while (count > 0 && lg_ledger_is_uncertain(lg_json_item(history, count - 1))) {
        count--;
    }
    return count;
}

static void print_changed_writes(lg_buf *out, const lg_json *before, const lg_json *after)
{
    for (size_t i = settled_writes(before); i < lg_json_len(after); i++) {
        size_t from = out->len;
        print_write(out, after, i);
        size_t middle = out->len;
        if (i < lg_json_len(before)) {
            print_write(out, before, i);
            keep_if_other(out, from, middle);
        }
    }
}

static bool print_gone(lg_buf *out, const lg_ledger_state *before, const lg_ledger_state *after,
                       lg_arena *arena)
{
    comparison c = {.arena = arena, .others = &after->entries};
    if (!lg_map_each_new(&after->entries, &before->entries, note_changed, &c)) {
        return false;
    }
    for (size_t i = 0; i < c.count; i++) {
        if (!lg_map_get(&after->entries, c.items[i].entry->key)) {
            lg_buf_add_c(out, "No longer known: ");
            print_path(out, c.items[i].entry);
            lg_buf_add_byte(out, '\n');
        }
    }
    return true;
}

bool lg_ledger_render_changes(const lg_ledger *ledger, const lg_ledger_state *before,
                              const lg_ledger_state *after, const lg_render_options *options,
                              lg_buf *out)
{
    static const lg_render_options defaults = {0};
    const lg_json *old_history = lg_json_get(before->root, LG_STR("history"));
    const lg_json *history = lg_json_get(after->root, LG_STR("history"));
    lg_arena scratch;
    lg_arena_init(&scratch, ledger->limits.memory_bytes);
    lg_arena_share(&scratch, ledger->arena.quota);
    comparison c = {.arena = &scratch};
    bool made = print_changed(out, before, after, options ? options : &defaults, &c);
    print_changed_writes(out, old_history, history);
    if (made && before->entries.count + c.fresh > after->entries.count) {
        made = print_gone(out, before, after, &scratch);
    }
    for (size_t i = lg_json_len(history); made && i < lg_json_len(old_history); i++) {
        lg_buf_addf(out, "No longer known: ledger.history[%zu]\n", i);
    }
    lg_arena_done(&scratch);
    return made;
}
