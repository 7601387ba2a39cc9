// render.c: the ledger as a block of text for a prompt.
//
// One record a line, in the order of the pack's paths and then of first observation: the same
// ledger always gives the same bytes, and a line that did not change keeps its place, which spares
// prompt caches. With a budget the records observed longest ago go first, and the last line says
// what was left out.
#include "ledger/ledger.h"

#define COMPACT_VALUE_BYTES 160u

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
            const lg_json_member *member = &value->as.members[i];
            if (lg_json_is(&member->value, LG_JSON_NULL)) {
                continue;
            }
            lg_buf_add_c(out, out->len > start + 1 ? ", " : "");
            lg_buf_add(out, lg_json_key(member));
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

static void print_entry(lg_buf *out, const lg_ledger_entry *entry, bool compact)
{
    lg_buf_add_c(out, "ledger");
    for (uint32_t i = 0; i < entry->declared->segment_count; i++) {
        lg_ledger_print_segment(out, entry->segments[i]);
    }
    lg_buf_add_c(out, " = ");
    if (compact) {
        print_summary(out, entry->value);
    } else {
        lg_json_print(out, entry->value);
    }
    lg_buf_addf(out, "  [%.*s, turn %u", LG_FMT(entry->tool), entry->turn);
    if (entry->stale) {
        lg_buf_addf(out, "; stale: %.*s at turn %u may have changed it, read it again",
                    LG_FMT(entry->stale_tool), entry->stale_turn);
    }
    lg_buf_add_c(out, "]\n");
}

static void print_history(lg_buf *out, const lg_ledger_state *state)
{
    const lg_json *history = lg_json_get(state->root, LG_STR("history"));
    for (size_t i = 0; i < lg_json_len(history); i++) {
        const lg_json *one = lg_json_item(history, i);
        lg_buf_addf(out, "ledger.history[%zu] = %.*s(", i,
                    LG_FMT(lg_json_str(lg_json_get(one, LG_STR("name")))));
        lg_json_print(out, lg_json_get(one, LG_STR("args")));
        lg_buf_add_c(out, ")\n");
    }
}

// Bytes that `entry` takes, by printing it and taking it back.
static size_t entry_bytes(lg_buf *out, const lg_ledger_entry *entry, bool compact)
{
    size_t before = out->len;
    print_entry(out, entry, compact);
    size_t bytes = out->len - before;
    out->len = before;
    return bytes;
}

#define LEFT_OUT_LINE_BYTES 120u

// The first turn whose records still fit when all older ones are left out.
static uint32_t oldest_turn_that_fits(lg_buf *out, const lg_ledger_state *state, bool compact,
                                      size_t budget)
{
    size_t total = 0;
    uint32_t newest = 0;
    for (uint32_t i = 0; i < state->entry_count; i++) {
        total += entry_bytes(out, state->entries[i], compact);
        newest = state->entries[i]->turn > newest ? state->entries[i]->turn : newest;
    }
    if (total <= budget) {
        return 0;
    }
    budget = budget > LEFT_OUT_LINE_BYTES ? budget - LEFT_OUT_LINE_BYTES : 0;
    uint32_t from = 0;
    while (total > budget && from <= newest) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < state->entry_count; i++) {
            uint32_t turn = state->entries[i]->turn;
            if (turn == from) {
                total -= entry_bytes(out, state->entries[i], compact);
            } else if (turn > from && turn < next) {
                next = turn;
            }
        }
        from = next == UINT32_MAX ? newest + 1 : next;
    }
    return from;
}

void lg_ledger_render(const lg_ledger *ledger, const lg_render_options *options, lg_buf *out)
{
    const lg_ledger_state *state = &ledger->state;
    bool compact = options && options->compact;
    size_t budget = options ? options->budget_bytes : 0;
    size_t start = out->len;
    lg_buf_addf(out,
                "Ledger of %.*s: what tools have returned in this conversation (%u record%s).\n",
                LG_FMT(ledger->pack->name), state->entry_count, state->entry_count == 1 ? "" : "s");
    lg_buf tail;
    lg_buf_init(&tail, 0);
    print_history(&tail, state);
    size_t fixed = out->len - start + tail.len;
    size_t room = budget > fixed ? budget - fixed : 0;
    uint32_t from = budget ? oldest_turn_that_fits(out, state, compact, room) : 0;
    uint32_t left_out = 0;
    for (size_t p = 0; p < ledger->pack->path_count; p++) {
        for (uint32_t i = 0; i < state->entry_count; i++) {
            const lg_ledger_entry *entry = state->entries[i];
            if (entry->declared == &ledger->pack->paths[p] && entry->turn >= from) {
                print_entry(out, entry, compact);
            } else if (entry->declared == &ledger->pack->paths[p]) {
                left_out++;
            }
        }
    }
    if (left_out > 0) {
        lg_buf_addf(out,
                    "(%u older record%s left out to stay within %zu bytes; read again what "
                    "you need)\n",
                    left_out, left_out == 1 ? "" : "s", budget);
    }
    lg_buf_add(out, lg_buf_str(&tail));
    if (lg_buf_status(&tail) != LG_OK) {
        out->status = lg_buf_status(&tail);
    }
    lg_buf_done(&tail);
}
