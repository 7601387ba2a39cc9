// reading.c: the elements of a list that are new, from a copy of their bytes that lives as long as what is made of it.
#include "chat/reading.h"

#include "base/alloc.h"

lg_chat_reading *lg_chat_reading_new(size_t list_at, const lg_hash_key *key, size_t limit_bytes)
{
    lg_chat_reading *reading = lg_zalloc(sizeof(*reading));
    if (reading) {
        lg_arena_init(&reading->arena, limit_bytes);
        reading->arena.lasting = true;
        reading->list_at = reading->to = (uint32_t)list_at;
        reading->events.arena = &reading->arena;
        lg_hash_begin(&reading->state, key);
    }
    return reading;
}

void lg_chat_reading_free(lg_chat_reading *reading)
{
    if (reading) {
        lg_arena_done(&reading->arena);
        lg_free(reading);
    }
}

size_t lg_chat_reading_bytes(const lg_chat_reading *reading)
{
    return sizeof(*reading) + reading->arena.held_bytes;
}

size_t lg_chat_reading_end(const lg_chat_reading *reading)
{
    return reading->to;
}

bool lg_chat_reading_fits(const lg_chat_reading *reading, lg_str body, size_t list_at)
{
    size_t at = reading->list_at;
    bool same = list_at == at && reading->to <= body.len;
    for (size_t i = 0; i < reading->piece_count && same; i++) {
        const lg_reading_piece *piece = &reading->pieces[i];
        same = memcmp(body.ptr + at, piece->ptr, piece->len) == 0;
        at += piece->len;
    }
    return same;
}

// --- Reading on ---------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Parses the piece as a list of its own, whose bracket stands at `open` where the body has a comma or its bracket.
static lg_status parse_piece(lg_chat_reading *reading, char *piece, size_t open, size_t len,
                             const lg_chat_limits *l, const lg_json **ret)
{
    lg_limits limits = {.json_depth = l->json_depth - 1,
                        .json_bytes = l->request_bytes,
                        .json_string_bytes = l->request_bytes,
                        .document_bytes = reading->arena.limit_bytes};
    char was = piece[open];
    lg_error why;
    piece[open] = '[';
    lg_status status = lg_json_parse_piece(&reading->arena, (lg_str){piece + open, len - open},
                                           reading->to + (uint32_t)open, &limits, ret, &why);
    piece[open] = was;
    return status == LG_OK && !lg_list_len(*ret) ? LG_ERR_MISSING : status;
}

static bool keep_items(lg_chat_reading *reading, const lg_json *list)
{
    for (size_t i = 0; i < lg_list_len(list); i++) {
        lg_json *items = lg_arena_grow(&reading->arena, reading->items, reading->item_count,
                                       &reading->item_capacity, sizeof(*items));
        if (!items) {
            return false;
        }
        reading->items = items;
        items[reading->item_count++] = *lg_json_item(list, i);
    }
    return true;
}

static bool keep_piece(lg_chat_reading *reading, const char *piece, size_t to)
{
    lg_reading_piece *pieces = lg_arena_grow(&reading->arena, reading->pieces, reading->piece_count,
                                             &reading->piece_capacity, sizeof(*pieces));
    if (!pieces) {
        return false;
    }
    reading->pieces = pieces;
    pieces[reading->piece_count++] = (lg_reading_piece){piece, to - reading->to};
    reading->to = (uint32_t)to;
    return true;
}

lg_status lg_chat_reading_extend(lg_chat_reading *reading, lg_str body,
                                 const lg_chat_limits *limits)
{
    size_t from = reading->to;
    size_t open = from;
    const lg_json *list;
    while (open < body.len && reading->item_count && is_blank(body.ptr[open])) {
        open++;
    }
    char c = open < body.len ? body.ptr[open] : '\0';
    if (reading->item_count && c == ']') {
        return LG_OK;
    }
    size_t end = lg_json_list_end(body, open + 1);
    if (c != (reading->item_count ? ',' : '[') || end >= body.len || limits->json_depth < 2) {
        return LG_ERR_MISSING;
    }
    char *piece = lg_arena_alloc(&reading->arena, end + 1 - from, 1);
    if (!piece) {
        return LG_ERR_OOM;
    }
    memcpy(piece, body.ptr + from, end + 1 - from);
    lg_status status = parse_piece(reading, piece, open - from, end + 1 - from, limits, &list);
    if (status != LG_OK) {
        return status;
    }
    const lg_json *last = lg_json_item(list, lg_list_len(list) - 1);
    bool kept = keep_items(reading, list) && keep_piece(reading, piece, lg_json_end(body, last));
    return kept ? LG_OK : LG_ERR_OOM;
}
