// edit.c: edits of a text, collected in any order and applied at once.
#include "chat/chat_internal.h"

#include <stdarg.h>
#include <stdio.h>

void lg_edits_begin(lg_edits *edits, lg_arena *arena, lg_str source)
{
    *edits = (lg_edits){.arena = arena, .source = source};
}

void lg_edits_replace(lg_edits *edits, size_t from, size_t to, lg_str text)
{
    LG_DEBUG_ASSERT(from <= to && to <= edits->source.len);
    lg_edit *items =
        lg_arena_grow(edits->arena, edits->items, edits->count, &edits->capacity, sizeof(*items));
    if (!items || !text.ptr) {
        edits->failed = true;
        return;
    }
    edits->items = items;
    items[edits->count++] = (lg_edit){from, to, text};
}

void lg_edits_replacef(lg_edits *edits, size_t from, size_t to, const char *format, ...)
{
    va_list args;
    char brief[128]; // most texts: printing twice takes longer than copying
    va_start(args, format);
    int size = vsnprintf(brief, sizeof(brief), format, args);
    va_end(args);
    char *room = lg_arena_alloc(edits->arena, (size_t)size + 1, 1);
    if (!room) {
        edits->failed = true;
        return;
    }
    if ((size_t)size < sizeof(brief)) {
        memcpy(room, brief, (size_t)size + 1);
    } else {
        va_start(args, format);
        vsnprintf(room, (size_t)size + 1, format, args);
        va_end(args);
    }
    lg_edits_replace(edits, from, to, lg_str_of(room, (size_t)size));
}

lg_str lg_chat_quoted(lg_arena *arena, lg_str text, bool *failed)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print_str(&out, text);
    lg_str copy =
        lg_buf_status(&out) == LG_OK ? lg_arena_str(arena, lg_buf_str(&out)) : (lg_str){NULL, 0};
    lg_buf_done(&out);
    *failed = *failed || !copy.ptr;
    return copy.ptr ? copy : LG_STR("\"\"");
}

lg_str lg_chat_escaped(lg_arena *arena, lg_str text, bool *failed)
{
    lg_str quoted = lg_chat_quoted(arena, text, failed);
    return lg_str_slice(quoted, 1, quoted.len - 1);
}

void lg_edits_value(lg_edits *edits, const lg_json *value, lg_str text)
{
    lg_edits_replace(edits, value->offset, lg_json_end(edits->source, value), text);
}

void lg_edits_string(lg_edits *edits, const lg_json *value, lg_str text)
{
    lg_edits_value(edits, value, lg_chat_quoted(edits->arena, text, &edits->failed));
}

void lg_edits_number(lg_edits *edits, const lg_json *value, uint64_t number)
{
    int64_t now;
    if (value && (!lg_json_int(value, &now) || now < 0 || (uint64_t)now != number)) {
        lg_edits_replacef(edits, value->offset, lg_json_end(edits->source, value), "%llu",
                          (unsigned long long)number);
    }
}

// --- Lists and objects ----------------------------------------------------------------------------

static size_t begin_of(const lg_json *container, size_t index)
{
    return lg_json_is(container, LG_JSON_ARRAY) ? lg_json_item(container, index)->offset
                                                : lg_json_member_at(container, index)->key_offset;
}

static size_t end_of(const lg_edits *edits, const lg_json *container, size_t index)
{
    return lg_json_end(edits->source, lg_json_is(container, LG_JSON_ARRAY)
                                          ? lg_json_item(container, index)
                                          : &lg_json_member_at(container, index)->value);
}

// Behind one that stays, an element goes with the comma before it; else with the one behind it.
void lg_edits_remove(lg_edits *edits, const lg_json *container, const bool *gone)
{
    size_t count = lg_json_len(container);
    bool kept = false;
    for (size_t i = 0; i < count; i++) {
        if (!gone[i]) {
            kept = true;
        } else if (kept) {
            lg_edits_replace(edits, end_of(edits, container, i - 1), end_of(edits, container, i),
                             LG_STR(""));
        } else {
            size_t to = i + 1 < count ? begin_of(container, i + 1) : end_of(edits, container, i);
            lg_edits_replace(edits, begin_of(container, i), to, LG_STR(""));
        }
    }
}

void lg_edits_append(lg_edits *edits, const lg_json *list, size_t left, lg_str text)
{
    size_t at = lg_json_end(edits->source, list) - 1;
    lg_edits_replacef(edits, at, at, "%s%.*s", left ? "," : "", LG_FMT(text));
}

static bool goes(const lg_json_member *member, const lg_member_edit *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!changes[i].text.ptr && lg_str_eq(lg_json_key(member), lg_str_c(changes[i].key))) {
            return true;
        }
    }
    return false;
}

void lg_edits_members(lg_edits *edits, const lg_json *object, const lg_member_edit *changes,
                      size_t count)
{
    size_t left = lg_member_count(object);
    if (!lg_json_is(object, LG_JSON_OBJECT)) {
        return; // a stranger's: what is no object has no members to change
    }
    size_t end = lg_json_end(edits->source, object) - 1;
    bool *gone = LG_NEW_ARRAY(edits->arena, bool, left + 1);
    if (!gone) {
        edits->failed = true;
        return;
    }
    for (size_t i = lg_member_count(object); i > 0; i--) {
        gone[i - 1] = goes(lg_json_member_at(object, i - 1), changes, count);
        left -= gone[i - 1];
    }
    lg_edits_remove(edits, object, gone);
    for (size_t i = 0; i < count; i++) {
        const lg_json *old = lg_get(object, changes[i].key);
        if (changes[i].text.ptr && old) {
            lg_edits_value(edits, old, changes[i].text);
        } else if (changes[i].text.ptr) {
            lg_edits_replacef(edits, end, end, "%s\"%s\":%.*s", left++ ? "," : "", changes[i].key,
                              LG_FMT(changes[i].text));
        }
    }
}

void lg_edits_member(lg_edits *edits, const lg_json *object, const char *key, lg_str text)
{
    lg_edits_members(edits, object, &(lg_member_edit){key, text}, 1);
}

// --- Applying -------------------------------------------------------------------------------------

// Stable: of two insertions at one place the first comes first; what is inserted stands before what is cut. The lists are short
// and nearly sorted.
static void sort(lg_edit *items, size_t count, lg_edit *spare)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t from = 0; from < count; from += 2 * width) {
            size_t middle = from + width < count ? from + width : count;
            size_t to = from + 2 * width < count ? from + 2 * width : count;
            size_t left = from, right = middle;
            for (size_t i = from; i < to; i++) {
                bool take_left =
                    left < middle && (right >= to || items[left].from <= items[right].from);
                spare[i] = take_left ? items[left++] : items[right++];
            }
        }
        memcpy(items, spare, count * sizeof(*items));
    }
}

static bool write(lg_edits *edits, lg_buf *out)
{
    size_t at = 0;
    lg_edit *spare = edits->count ? LG_NEW_ARRAY(edits->arena, lg_edit, edits->count) : NULL;
    if (edits->failed || (edits->count && !spare)) {
        return false;
    }
    sort(edits->items, edits->count, spare);
    size_t size = edits->source.len;
    for (size_t i = 0; i < edits->count; i++) {
        size += edits->items[i].text.len;
    }
    (void)lg_buf_room(out, size); // at once, as large as it may become
    for (size_t i = 0; i < edits->count; i++) {
        const lg_edit *edit = &edits->items[i];
        if (edit->from < at) {
            continue; // it lies in what is cut out
        }
        lg_buf_add(out, lg_str_slice(edits->source, at, edit->from));
        lg_buf_add(out, edit->text);
        at = edit->to;
    }
    lg_buf_add(out, lg_str_slice(edits->source, at, edits->source.len));
    return true;
}

lg_status lg_edits_apply(lg_edits *edits, lg_buf *out, lg_error *reterr)
{
    if (!write(edits, out)) {
        return lg_fail_oom(reterr);
    }
    lg_status status = lg_buf_status(out);
    return status == LG_OK ? LG_OK : lg_fail(reterr, status, "%s", lg_status_text(status));
}

lg_str lg_edits_text(lg_edits *edits)
{
    lg_buf out;
    lg_str text = {NULL, 0};
    lg_buf_init(&out, 0);
    if (write(edits, &out) && lg_buf_status(&out) == LG_OK) {
        text = lg_arena_str(edits->arena, lg_buf_str(&out));
    }
    lg_buf_done(&out);
    edits->failed = edits->failed || !text.ptr;
    return text.ptr ? text : LG_STR("");
}
