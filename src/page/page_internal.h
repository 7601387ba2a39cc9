// page_internal.h: what the files of the room share.
//
//     row.c     an audit to a row of the summary; table.c keeps what rows have in common once
//     text.c    a conversation as JSON whose long texts stand elsewhere
//     block.c   JSON to deflated, base64-coded blocks
//     html.c    the page around it
//     spool.c   files that grow
#ifndef LG_PAGE_INTERNAL_H
#define LG_PAGE_INTERNAL_H

#include "page/page.h"

#define PAGE_BLOCK_CONVERSATIONS 16u

// --- spool.c: a file that grows. It fails once and stays failed. -------------------------------------

#define PAGE_PATH_BYTES 4096u

typedef struct page_spool {
    int fd;
    lg_buf waiting;
    uint64_t bytes; // added so far
    lg_status status;
    int why;                    // errno of a failure
    char path[PAGE_PATH_BYTES]; // empty: it has no name, and ends with its descriptor
} page_spool;

// In the folder of `beside`. With a name only if it is `named`.
void page_spool_open(page_spool *s, const char *beside, bool named);
void page_spool_add(page_spool *s, lg_str text);
void page_spool_copy(page_spool *to, page_spool *from); // all of it
bool page_spool_rename(page_spool *s, const char *to);  // onto the disk, and under its name
void page_spool_close(page_spool *s);                   // what has a name of its own goes

// --- table.c: a text to a number ---------------------------------------------------------------------

typedef struct page_slot {
    unsigned char digest[16];
    uint32_t value; // plus one; 0: empty
} page_slot;

// From digests of texts to numbers. Up to `limit`; then it is said to be full.
typedef struct page_table {
    page_slot *slots;
    size_t count, capacity, limit;
    lg_status status;
} page_table;

void page_table_init(page_table *t, size_t limit);
void page_table_done(page_table *t);
void page_table_clear(page_table *t);

// The number of the text that the parts are together; `next` if it is new, which is remembered then. UINT32_MAX if it is
// new and cannot be remembered, because the table is full or there is no memory (`status`).
uint32_t page_table_number(page_table *t, const lg_str *parts, size_t count, uint32_t next);

// --- block.c: bytes to a script element that the browser does not run ----------------------------------

typedef struct page_block {
    void *stream; // of zlib
    lg_buf packed;
    size_t raw_bytes; // since it was begun; 0: none is open
} page_block;

void page_block_init(page_block *b);
void page_block_done(page_block *b);
LG_NODISCARD lg_status page_block_add(page_block *b, lg_str text);
// Ends it as the element `id`, and is ready for the next. Nothing if none is open. `attribute` is " name=value" or empty.
LG_NODISCARD lg_status page_block_end(page_block *b, page_spool *to, const char *id,
                                      const char *attribute);

// --- The page ----------------------------------------------------------------------------------------

typedef enum page_severity { PAGE_HINT, PAGE_MINOR, PAGE_MODERATE, PAGE_SEVERE } page_severity;

typedef struct page_totals {
    uint64_t conversations, without_finding, with_pack;
    uint64_t findings[PAGE_SEVERE + 1],
        in[PAGE_SEVERE + 1]; // by severity; conversations that have one
    uint64_t undecided;
    uint64_t rewarded, passed;
    uint64_t scored; // have an aggregate
    double aggregate;
} page_totals;

struct lg_page {
    const char *path; // copied behind the struct
    const char *title;
    size_t embed_bytes;
    lg_limits limits;
    page_spool rows, blocks;
    page_table names, groups, texts;
    lg_buf name_list, group_list; // JSON, with commas
    uint32_t name_count, group_count;
    page_block conversations, long_texts;
    uint32_t embedded;                // conversations
    uint32_t text_count, text_blocks; // long texts, and the blocks of them
    uint32_t text_from;               // the first text of the open block
    uint64_t row_count, before_count;
    page_totals totals;
    lg_arena arena; // of one conversation
    lg_buf line;    // likewise
    lg_status status;
};

// --- row.c --------------------------------------------------------------------------------------------

typedef struct page_facts {
    uint64_t findings[PAGE_SEVERE + 1];
    uint64_t undecided;
    bool has_pack, has_reward, has_aggregate;
    double reward, aggregate;
} page_facts;

// Appends the row of `audit` to `out`. `place`: which of the embedded conversations it is, or UINT32_MAX.
void page_row(lg_page *page, lg_buf *out, const lg_json *audit, uint32_t place, lg_str path,
              bool before);
void page_look(const lg_json *audit, page_facts *ret);

// --- text.c -------------------------------------------------------------------------------------------

// Prints an artefact; a text of more than 256 bytes is put into a block, once, and its number stands in its place.
LG_NODISCARD lg_status page_print_artefact(lg_page *page, lg_buf *out, const lg_json *artefact);
LG_NODISCARD lg_status page_end_texts(lg_page *page);

// --- html.c -------------------------------------------------------------------------------------------

// Appends JSON such that it ends no element and begins none.
void page_add_data(page_spool *to, lg_str json);
LG_NODISCARD lg_status page_write(lg_page *page, lg_str stats, page_spool *to);

// The files of web/, which the build puts in here; the program's in the order in which they are joined.
typedef struct page_file {
    const char *name;
    lg_str text;
} page_file;

extern const page_file page_web_files[]; // the last has no name

#endif
