// page.c: a page from its first conversation to its name.
#include "page/page_internal.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define EMBED_BYTES ((size_t)64 << 20)
#define ARTEFACT_BYTES ((size_t)16 << 20) // a longer one is not embedded
#define NAMES_KEPT (1u << 16)             // names and groups that rows have in common
#define GROUPS_KEPT 4096u
#define TEXTS_KEPT                                                                                 \
    (1u << 18) // texts that are known again: 6 MiB of digests, twice that while it grows

lg_status lg_page_begin(const lg_page_options *options, lg_page **ret_page, lg_error *reterr)
{
    lg_str title = lg_str_c(options->title ? options->title : "Audit");
    size_t path_bytes = strlen(options->path) + 1;
    lg_page *page = lg_zalloc(sizeof(*page) + path_bytes + title.len + 1);
    if (!page) {
        return lg_fail_oom(reterr);
    }
    char *room = (char *)(page + 1);
    memcpy(room, options->path, path_bytes);
    page->path = room;
    memcpy(room + path_bytes, title.ptr, title.len);
    page->title = room + path_bytes;
    page->embed_bytes = options->embed_bytes ? options->embed_bytes : EMBED_BYTES;
    page->limits = options->limits ? *options->limits : (lg_limits){0};
    page_table_init(&page->names, NAMES_KEPT);
    page_table_init(&page->groups, GROUPS_KEPT);
    page_table_init(&page->texts, TEXTS_KEPT);
    lg_buf_init(&page->name_list, 0);
    lg_buf_init(&page->group_list, 0);
    lg_buf_init(&page->line, 0);
    page_block_init(&page->conversations);
    page_block_init(&page->long_texts);
    lg_arena_init(&page->arena, 0);
    page_spool_open(&page->rows, page->path, false);
    page_spool_open(&page->blocks, page->path, false);
    const page_spool *failed = page->rows.status != LG_OK ? &page->rows : &page->blocks;
    if (failed->status != LG_OK) {
        lg_status status =
            lg_fail(reterr, LG_ERR_IO, "cannot write %s: %s", page->path, strerror(failed->why));
        lg_page_drop(page);
        return status;
    }
    *ret_page = page;
    return LG_OK;
}

void lg_page_drop(lg_page *page)
{
    if (!page) {
        return;
    }
    page_spool_close(&page->rows);
    page_spool_close(&page->blocks);
    page_table_done(&page->names);
    page_table_done(&page->groups);
    page_table_done(&page->texts);
    lg_buf_done(&page->name_list);
    lg_buf_done(&page->group_list);
    lg_buf_done(&page->line);
    page_block_done(&page->conversations);
    page_block_done(&page->long_texts);
    lg_arena_done(&page->arena);
    lg_free(page);
}

// --- Conversations ----------------------------------------------------------------------------------

static lg_status end_block(lg_page *page)
{
    char id[24];
    if (page->conversations.raw_bytes == 0) {
        return LG_OK;
    }
    (void)snprintf(id, sizeof(id), "c%u", (page->embedded - 1) / PAGE_BLOCK_CONVERSATIONS);
    return page_block_end(&page->conversations, &page->blocks, id, "");
}

static lg_status embed(lg_page *page, const lg_json *artefact)
{
    lg_buf_clear(&page->line);
    lg_status status = page_print_artefact(page, &page->line, artefact);
    lg_buf_add_byte(&page->line, '\n');
    if (status == LG_OK) {
        status = lg_buf_status(&page->line);
    }
    if (status == LG_OK) {
        status = page_block_add(&page->conversations, lg_buf_str(&page->line));
    }
    page->embedded++;
    if (status == LG_OK && page->embedded % PAGE_BLOCK_CONVERSATIONS == 0) {
        status = end_block(page);
    }
    return status;
}

// Somebody looks at what went wrong first: when the page becomes large, what is fine is left out earlier.
static bool is_embedded(const lg_page *page, const page_facts *facts, size_t artefact_bytes)
{
    bool failed = facts->findings[PAGE_SEVERE] + facts->findings[PAGE_MODERATE] > 0;
    size_t most = failed ? page->embed_bytes : page->embed_bytes / 2;
    return artefact_bytes <= ARTEFACT_BYTES && page->blocks.bytes < most;
}

static void count(page_totals *t, const page_facts *facts)
{
    uint64_t found = 0;
    for (int i = PAGE_HINT; i <= PAGE_SEVERE; i++) {
        t->findings[i] += facts->findings[i];
        t->in[i] += facts->findings[i] > 0;
        found += i == PAGE_HINT ? 0 : facts->findings[i];
    }
    t->conversations++;
    t->without_finding += found == 0;
    t->with_pack += facts->has_pack;
    t->undecided += facts->undecided;
    t->rewarded += facts->has_reward;
    t->passed += facts->has_reward && facts->reward >= 1;
    t->scored += facts->has_aggregate;
    t->aggregate += facts->has_aggregate ? facts->aggregate : 0;
}

static lg_status add_row(lg_page *page, const lg_json *audit, uint32_t place, lg_str path,
                         bool before)
{
    lg_buf_clear(&page->line);
    lg_buf_add_c(&page->line, page->row_count + page->before_count ? ",\n" : "");
    page_row(page, &page->line, audit, place, path, before);
    lg_status status = lg_buf_status(&page->line);
    status = status == LG_OK ? page->names.status : status;
    status = status == LG_OK ? page->groups.status : status;
    if (status == LG_OK) {
        page_add_data(&page->rows, lg_buf_str(&page->line));
    }
    return status;
}

static lg_status say(const lg_page *page, lg_status status, lg_error *reterr)
{
    const page_spool *failed = page->rows.status != LG_OK ? &page->rows : &page->blocks;
    if (status == LG_ERR_IO) {
        return lg_fail(reterr, status, "cannot write %s: %s", page->path, strerror(failed->why));
    }
    return status == LG_ERR_OOM ? lg_fail_oom(reterr)
                                : lg_fail(reterr, status, "%s", lg_status_text(status));
}

static lg_status parse(lg_page *page, lg_str text, const lg_json **ret, lg_error *reterr)
{
    lg_arena_reset(&page->arena);
    return lg_json_parse_in(&page->arena, text, 0, text.len, &page->limits, ret, reterr);
}

// What went wrong for good; LG_OK if nothing did.
static lg_status lasting(lg_page *page, lg_status status)
{
    status = status == LG_OK ? page->rows.status : status;
    status = status == LG_OK ? page->blocks.status : status;
    page->status = page->status == LG_OK ? status : page->status;
    return status;
}

lg_status lg_page_add(lg_page *page, lg_str artefact, lg_str path, lg_error *reterr)
{
    const lg_json *value;
    page_facts facts;
    lg_status status = parse(page, artefact, &value, reterr);
    if (status != LG_OK) {
        page->status = status == LG_ERR_OOM ? status : page->status;
        return status;
    }
    const lg_json *audit = lg_json_get(value, LG_STR("audit"));
    if (!lg_json_is(audit, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_TYPE, "an artefact has a member `audit`, an object");
    }
    page_look(audit, &facts);
    uint32_t place = UINT32_MAX;
    if (lg_json_is(lg_json_get(value, LG_STR("conversation")), LG_JSON_OBJECT) &&
        is_embedded(page, &facts, artefact.len)) {
        place = page->embedded;
        status = embed(page, value);
    }
    if (status == LG_OK) {
        status = add_row(page, audit, place, path, false);
    }
    status = lasting(page, status);
    if (status != LG_OK) {
        return say(page, status, reterr);
    }
    count(&page->totals, &facts);
    page->row_count++;
    return LG_OK;
}

lg_status lg_page_add_before(lg_page *page, lg_str audit, lg_error *reterr)
{
    const lg_json *value;
    lg_status status = parse(page, audit, &value, reterr);
    if (status != LG_OK) {
        page->status = status == LG_ERR_OOM ? status : page->status;
        return status;
    }
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_TYPE, "an audit is an object");
    }
    status = lasting(page, add_row(page, value, UINT32_MAX, LG_STR(""), true));
    if (status != LG_OK) {
        return say(page, status, reterr);
    }
    page->before_count++;
    return LG_OK;
}

// --- The end ----------------------------------------------------------------------------------------

static lg_status write_page(lg_page *page, lg_str stats, lg_error *reterr)
{
    page_spool whole;
    lg_status status = end_block(page);
    status = status == LG_OK ? page_end_texts(page) : status;
    status = status == LG_OK ? lg_buf_status(&page->name_list) : status;
    status = status == LG_OK ? lg_buf_status(&page->group_list) : status;
    status = lasting(page, status);
    if (status != LG_OK) {
        return say(page, status, reterr);
    }
    page_spool_open(&whole, page->path, true);
    status = whole.status == LG_OK ? page_write(page, stats, &whole) : whole.status;
    if (status == LG_OK && !page_spool_rename(&whole, page->path)) {
        status = whole.status;
    }
    if (status == LG_ERR_IO) {
        (void)lg_fail(reterr, status, "cannot write %s: %s", page->path, strerror(whole.why));
    } else if (status != LG_OK) {
        (void)say(page, status, reterr);
    }
    page_spool_close(&whole);
    return status;
}

lg_status lg_page_end(lg_page *page, lg_str stats, lg_error *reterr)
{
    const lg_json *value;
    lg_status status = page->status;
    if (status != LG_OK) {
        status = lg_fail(reterr, status, "cannot write %s: %s", page->path, lg_status_text(status));
    } else if (stats.len) {
        status = parse(page, stats, &value, reterr);
    }
    if (status == LG_OK) {
        status = write_page(page, stats, reterr);
    }
    lg_page_drop(page);
    return status;
}
