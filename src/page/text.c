// text.c: a conversation as JSON, its long texts once.
//
// System prompts and what tools returned come again in many conversations. A text of more than LONG_BYTES stands in a
// block of texts, in the order in which they were first met, and where it was stands "\u0001" with its number. A text
// that begins with U+0001 by itself gets "\u0001=" before it. web/data.js undoes both.
#include "page/page_internal.h"

#include "base/str.h"

#include <stdio.h>

#define LONG_BYTES 256u
#define BLOCK_BYTES (128u << 10)

lg_status page_end_texts(lg_page *page)
{
    char id[24];
    char from[40];
    if (page->long_texts.raw_bytes == 0) {
        return LG_OK;
    }
    (void)snprintf(id, sizeof(id), "t%u", page->text_blocks++);
    (void)snprintf(from, sizeof(from), " data-from=\"%u\"", page->text_from);
    page->text_from = page->text_count;
    return page_block_end(&page->long_texts, &page->blocks, id, from);
}

static lg_status add_text(lg_page *page, lg_str text)
{
    lg_buf line;
    char room[2048];
    lg_buf_init_in(&line, room, sizeof(room), 0);
    lg_json_print_str(&line, text);
    lg_buf_add_byte(&line, '\n');
    lg_status status = lg_buf_status(&line);
    if (status == LG_OK) {
        status = page_block_add(&page->long_texts, lg_buf_str(&line));
    }
    lg_buf_done(&line);
    page->text_count++;
    if (status == LG_OK && page->long_texts.raw_bytes >= BLOCK_BYTES) {
        status = page_end_texts(page);
    }
    return status;
}

static lg_status print_text(lg_page *page, lg_buf *out, lg_str text)
{
    if (text.len <= LONG_BYTES) {
        if (text.len && text.ptr[0] == 1) {
            lg_buf_add_c(out, "\"\\u0001=");
            lg_json_add_escaped(out, text);
            lg_buf_add_byte(out, '"');
        } else {
            lg_json_print_str(out, text);
        }
        return LG_OK;
    }
    uint32_t number = page_table_number(&page->texts, &text, 1, page->text_count);
    if (number == UINT32_MAX &&
        page->texts.status == LG_OK) { // full: what comes again is written again
        page_table_clear(&page->texts);
        number = page_table_number(&page->texts, &text, 1, page->text_count);
    }
    if (number == UINT32_MAX) {
        return LG_ERR_OOM;
    }
    lg_buf_addf(out, "\"\\u0001%u\"", number);
    return number == page->text_count ? add_text(page, text) : LG_OK;
}

static lg_status print_value(lg_page *page, lg_buf *out, const lg_json *value);

static lg_status print_container(lg_page *page, lg_buf *out, const lg_json *value)
{
    bool object = lg_json_is(value, LG_JSON_OBJECT);
    lg_status status = LG_OK;
    lg_buf_add_byte(out, object ? '{' : '[');
    for (size_t i = 0; i < lg_json_len(value) && status == LG_OK; i++) {
        const lg_json *item = object ? NULL : lg_json_item(value, i);
        if (i) {
            lg_buf_add_byte(out, ',');
        }
        if (object) {
            const lg_json_member *member = lg_json_member_at(value, i);
            lg_json_print_str(out, lg_json_key(member));
            lg_buf_add_byte(out, ':');
            item = &member->value;
        }
        status = print_value(page, out, item);
    }
    lg_buf_add_byte(out, object ? '}' : ']');
    return status;
}

static lg_status print_value(lg_page *page, lg_buf *out, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_STRING)) {
        return print_text(page, out, lg_json_str(value));
    }
    if (lg_json_is(value, LG_JSON_OBJECT) || lg_json_is(value, LG_JSON_ARRAY)) {
        return print_container(page, out, value); // as deep as the parser lets it be
    }
    if (value) {
        lg_json_print(out, value);
    } else {
        lg_buf_add_c(out, "null");
    }
    return LG_OK;
}

// A record of the ledger is an object of many short texts, and the same in many conversations: as one text it stands once.
static lg_status print_change(lg_page *page, lg_buf *out, const lg_json *change)
{
    lg_status status = LG_OK;
    lg_buf_add_byte(out, '{');
    for (size_t i = 0; i < lg_json_len(change) && status == LG_OK; i++) {
        const lg_json_member *member = lg_json_member_at(change, i);
        const lg_json *value = &member->value;
        lg_buf_add_c(out, i ? "," : "");
        lg_json_print_str(out, lg_json_key(member));
        lg_buf_add_byte(out, ':');
        if (!lg_json_is(value, LG_JSON_OBJECT) && !lg_json_is(value, LG_JSON_ARRAY)) {
            status = print_value(page, out, value);
            continue;
        }
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_json_print(&text, value);
        status = lg_buf_status(&text);
        if (status == LG_OK) {
            status = print_text(page, out, lg_buf_str(&text));
        }
        lg_buf_done(&text);
    }
    lg_buf_add_byte(out, '}');
    return status;
}

static lg_status print_ledger(lg_page *page, lg_buf *out, const lg_json *ledger)
{
    lg_status status = LG_OK;
    size_t written = 0;
    lg_buf_add_byte(out, '[');
    for (size_t i = 0; i < lg_json_len(ledger) && status == LG_OK; i++) {
        const lg_json *change = lg_json_item(ledger, i);
        if (lg_json_is(change, LG_JSON_OBJECT)) {
            lg_buf_add_c(out, written++ ? "," : "");
            status = print_change(page, out, change);
        }
    }
    lg_buf_add_byte(out, ']');
    return status;
}

lg_status page_print_artefact(lg_page *page, lg_buf *out, const lg_json *artefact)
{
    static const char *const members[] = {"conversation", "audit"};
    lg_buf_add_c(out, "{\"ledger\":");
    lg_status status = print_ledger(page, out, lg_json_get(artefact, LG_STR("ledger")));
    for (size_t i = 0; i < LG_COUNT(members) && status == LG_OK; i++) {
        lg_buf_addf(out, ",\"%s\":", members[i]);
        status = print_value(page, out, lg_json_get(artefact, lg_str_c(members[i])));
    }
    lg_buf_add_byte(out, '}');
    return status;
}
