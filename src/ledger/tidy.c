// tidy.c: moving states from one arena to another.
#include "ledger/ledger_internal.h"

static void *move_block(lg_mover *mover, const void *block, size_t size_bytes, bool *ret_fresh)
{
    return mover->single ? lg_mover_once(mover, block, size_bytes, 8, ret_fresh)
                         : lg_mover_block(mover, block, size_bytes, 8, ret_fresh);
}

// Segments and key are one block, which entries of several states may share.
static bool move_segments(lg_mover *mover, lg_ledger_entry *entry)
{
    bool fresh;
    uint32_t count = entry->declared->segment_count;
    size_t bytes = count * sizeof(lg_str) + entry->key.len;
    lg_str *segments = move_block(mover, entry->segments, bytes, &fresh);
    if (!segments) {
        return false;
    }
    const char *key = (const char *)(segments + count);
    for (uint32_t i = 0; i < count && fresh; i++) {
        segments[i].ptr = key + (segments[i].ptr - entry->key.ptr);
    }
    entry->segments = segments;
    entry->key.ptr = key;
    return true;
}

static const lg_json *move_record(lg_mover *mover, const lg_json *value)
{
    bool fresh;
    lg_json *copy = move_block(mover, value, sizeof(*copy), &fresh);
    return copy && (!fresh || lg_tree_move(mover, copy)) ? copy : NULL;
}

static bool move_parts(lg_mover *mover, const lg_stale_part **items, uint32_t count)
{
    bool fresh;
    if (count == 0) {
        return true;
    }
    lg_stale_part *parts =
        lg_mover_block(mover, *items, count * sizeof(*parts), _Alignof(lg_stale_part), &fresh);
    bool fine = parts != NULL;
    *items = parts;
    for (uint32_t p = 0; p < count && fresh && fine; p++) {
        fine = lg_mover_text(mover, &parts[p].tool.ptr, parts[p].tool.len);
        for (uint32_t i = 0; i < parts[p].count && fine; i++) {
            fine = !parts[p].steps[i].ptr ||
                   lg_mover_text(mover, &parts[p].steps[i].ptr, parts[p].steps[i].len);
        }
    }
    return fine;
}

// States share what comes behind what they do not share, so a source that was moved ends the list.
static bool move_sources(lg_mover *mover, const lg_ledger_source **first)
{
    const lg_ledger_source **link = first;
    bool fresh = true;
    while (*link && fresh) {
        lg_ledger_source *copy =
            lg_mover_block(mover, *link, sizeof(*copy), _Alignof(lg_ledger_source), &fresh);
        if (!copy) {
            return false;
        }
        *link = copy;
        if (!fresh) {
            break;
        }
        bool fine =
            lg_mover_text(mover, &copy->tool.ptr, copy->tool.len) &&
            move_parts(mover, &copy->parts, copy->part_count) &&
            (!copy->stale || lg_mover_text(mover, &copy->stale_tool.ptr, copy->stale_tool.len));
        copy->args = fine && copy->args ? lg_tree_move_at(mover, copy->args) : copy->args;
        if (!fine || mover->failed) {
            return false;
        }
        link = &copy->older;
    }
    return true;
}

static const void *move_entry(lg_mover *mover, const void *item)
{
    bool fresh;
    lg_ledger_entry *entry = move_block(mover, item, sizeof(*entry), &fresh);
    if (!entry || !fresh) {
        return entry;
    }
    bool fine =
        move_segments(mover, entry) && move_parts(mover, &entry->parts, entry->part_count) &&
        move_sources(mover, &entry->sources) &&
        (!entry->stale || lg_mover_text(mover, &entry->stale_tool.ptr, entry->stale_tool.len));
    const lg_json *args = fine && entry->args ? lg_tree_move_at(mover, entry->args) : NULL;
    fine = fine && !args == !entry->args;
    entry->value = fine ? move_record(mover, entry->value) : NULL;
    entry->args = args;
    return entry->value ? entry : NULL;
}

// A list shares its end with those that were made of it. What was moved has moved all that is behind it.
static bool move_open(lg_mover *mover, const lg_open_call **list)
{
    bool fresh = true;
    while (*list && fresh) {
        lg_open_call *copy =
            lg_mover_block(mover, *list, sizeof(*copy), _Alignof(lg_open_call), &fresh);
        *list = copy;
        if (!copy) {
            return false;
        }
        if (fresh) {
            copy->call.args = lg_tree_move_at(mover, copy->call.args);
            if (!copy->call.args || !lg_mover_text(mover, &copy->call.id.ptr, copy->call.id.len) ||
                !lg_mover_text(mover, &copy->call.tool.ptr, copy->call.tool.len)) {
                return false;
            }
            list = &copy->earlier;
        }
    }
    return true;
}

bool move_state(lg_mover *mover, lg_ledger_state *state)
{
    state->root = lg_tree_move_at(mover, state->root);
    return state->root && lg_map_move(mover, &state->entries, mover->single, move_entry) &&
           move_open(mover, &state->open);
}

// --- Tidying ------------------------------------------------------------------------------------

bool lg_ledger_is_untidy(const lg_ledger *ledger)
{
    return lg_arena_is_untidy(&ledger->arena, ledger->tidy_bytes);
}

void lg_ledger_tidy(lg_ledger *ledger, lg_ledger_state *const *snapshots, size_t count)
{
    if (lg_ledger_is_untidy(ledger)) {
        (void)lg_ledger_tidy_now(ledger, snapshots, count);
    }
}

bool lg_ledger_tidy_now(lg_ledger *ledger, lg_ledger_state *const *snapshots, size_t count)
{
    size_t held = ledger->arena.held_bytes;
    lg_arena fresh = {
        .limit_bytes = ledger->arena.limit_bytes, .quota = ledger->arena.quota, .lasting = true};
    lg_ledger_state now = ledger->state;
    lg_mover mover;
    lg_arena_done(&ledger->work);
    lg_ledger_state *moved = LG_NEW_ARRAY(&ledger->work, lg_ledger_state, count);
    bool fine = moved && lg_mover_init(&mover, &ledger->arena, &fresh);
    if (fine) {
        mover.single = count == 0;
        fine = move_state(&mover, &now); // the longest history first: the others see a part of it
        for (size_t i = 0; i < count && fine; i++) {
            moved[i] = *snapshots[i];
            fine = move_state(&mover, &moved[i]);
        }
        lg_mover_done(&mover);
    }
    if (!fine) {
        lg_arena_done(&fresh);
        lg_arena_done(&ledger->work);
        ledger->tidy_bytes = held; // not again at once
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        *snapshots[i] = moved[i];
    }
    lg_arena_done(&ledger->work);
    lg_arena_done(&ledger->arena);
    ledger->arena = fresh;
    ledger->state = now;
    ledger->tidy_bytes = fresh.held_bytes;
    ledger->history = NULL; // the next write begins an array of its own
    ledger->history_count = 0;
    ledger->history_capacity = 0;
    return fresh.held_bytes < held;
}
