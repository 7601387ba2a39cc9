// page.h: an audit as one HTML page that needs nothing beside it.
//
// The page holds the styles and the program of web/, the totals as plain HTML, a row for each conversation, and the
// conversations themselves, compressed and read when they are opened. It is written as it grows: what is held in
// memory is one conversation and a few tables, however many there are. Under its name it appears when it is whole.
//
//     lg_page *page;
//     lg_page_options options = {.path = "out/index.html", .title = "Audit of retail"};
//     if (lg_page_begin(&options, &page, &err) != LG_OK) ...
//     if (lg_page_add(page, artefact, "conversations/12-0.json", &err) != LG_OK) ... // of each conversation
//     if (lg_page_end(page, stats, &err) != LG_OK) ...                              // or lg_page_drop(page)
//
// Whatever is in a conversation is data for the page: its program shows it as text, and a policy in its head (CSP)
// keeps anything else from running. Deterministic. One thread at a time.
#ifndef LG_PAGE_PAGE_H
#define LG_PAGE_PAGE_H

#include "json/json.h"

typedef struct lg_page lg_page;

typedef struct lg_page_options {
    const char *path;  // of the page; what is written before it is whole lies in the same folder
    const char *title; // UTF-8; NULL: "Audit"
    size_t
        embed_bytes; // conversations are embedded until they take so many bytes of the page, those without a
                     // finding until half as many; 0: 64 MiB. A row says where the others lie
    const lg_limits *limits; // NULL: the defaults
} lg_page_options;

// Fails with LG_ERR_IO (names the file and the reason) or LG_ERR_OOM.
LG_NODISCARD lg_status lg_page_begin(const lg_page_options *options, lg_page **ret_page,
                                     lg_error *reterr);

// A conversation: `artefact` is one JSON text {"conversation": {...}, "ledger": [...], "audit": {...}} (docs/audit.md),
// whose member `conversation` may be null, and `ledger` (what was learnt of each event) may be left out. `path` is where it lies, relative to the page, or empty.
//
// Fails with LG_ERR_PARSE or LG_ERR_TYPE where it is none, and leaves the page as it was: the next one can be added.
// After LG_ERR_IO, LG_ERR_OOM and LG_ERR_LIMIT only lg_page_drop() is of use.
LG_NODISCARD lg_status lg_page_add(lg_page *page, lg_str artefact, lg_str path, lg_error *reterr);

// A conversation of an earlier run that this one is compared with: `audit` is the second member alone.
LG_NODISCARD lg_status lg_page_add_before(lg_page *page, lg_str audit, lg_error *reterr);

// Writes the page and frees it, in any case. `stats` is a JSON text of figures over all conversations, or empty.
// Fails as lg_page_add() does; then what stood under the name stands there still, and nothing else is left.
LG_NODISCARD lg_status lg_page_end(lg_page *page, lg_str stats, lg_error *reterr);

// Frees it and leaves nothing behind. NULL is allowed.
void lg_page_drop(lg_page *page);

#endif
