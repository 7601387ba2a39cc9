// store.h: a log that loses nothing which it has acknowledged, and shows what was done to it.
//
// A log is a sequence of records. Each has a number, a kind, a time, the digest of its payload, and a chain digest
// over these and the chain digest before it; the last one is signed with every commit. Payloads stand apart, each
// with a salt of its own that goes into its digest: so a payload can be taken out for good, the chain still holds,
// and what is left tells nothing of what it was. docs/log.md has all of it byte by byte, for other verifiers.
//
// One thread writes. Whoever appends hands over records and goes on; all that waits is committed together, and the
// writer tells each when its records are on the disk:
//
//     lg_store *store;
//     if (lg_store_open(&(lg_store_options){.path = "ledgergate.db"}, &store, &err) != LG_OK) ...
//     lg_store_item item = {.kind = LG_STR("decision"), .time = now, .body = json};
//     // on the writer's thread: post it to your own loop, take no lock that may be held for long
//     static void done(void *context, const lg_store_receipt *r) { lg_loop_post(context, ...r->status...); }
//     if (lg_store_append(store, &item, 1, done, loop, NULL, &err) != LG_OK) refuse();
//
// It fails closed. After anything that leaves in doubt what is on the disk (a failed fsync, a full disk, a
// database that somebody else has replaced) every append that waits and every later one fails, until the
// log is opened again, which looks at what is really there. A database that another program has locked is waited for;
// then what waits fails with LG_ERR_BUSY, nothing of it was written, and what comes later is tried anew.
//
// The way to keep is not seen here: today it is SQLite. A process has a log open for writing, and no second one has, but
// for a moment and beside it (`beside`); readers (lg_log_open) are as many as there are.
#ifndef LG_STORE_H
#define LG_STORE_H

#include "base/sign.h"
#include "base/time.h"
#include "json/json.h"

typedef struct lg_store lg_store;

// --- Writing ------------------------------------------------------------------------------------

#define LG_STORE_KIND_BYTES_MAX 32u
#define LG_STORE_KEY_BYTES_MAX 32u

typedef struct lg_store_options {
    const char *path; // of the database; it is made if it is not there
    const char
        *key_path; // of its secret keys; NULL: `path` with ".key" behind it. Made with mode 0600
    size_t record_bytes;  // most of one payload; 0: 16 MiB
    size_t queue_records; // most records that wait; 0: 65,536
    size_t queue_bytes;   // and most bytes; 0: 256 MiB
    uint32_t busy_ms; // how long a database that another program has locked is waited for; 0: 2,000
    bool beside;      // another process may have it open for writing: each takes its turn
    const char *io;   // name of the way to the disk, for tests; NULL: the system's
} lg_store_options;

// Opens a log, or makes it. Its texts are copied. Fails with LG_ERR_IO (it cannot be read, written or locked; its key
// file is missing or open to others), LG_ERR_FORMAT (it is no log, or of another version, or the key is not its own)
// or LG_ERR_OOM.
LG_NODISCARD lg_status lg_store_open(const lg_store_options *options, lg_store **ret_store,
                                     lg_error *reterr);

// Writes what waits, tells everyone, and writes no more: nobody may append any longer. LG_OK, or why something of it is not on
// the disk.
LG_NODISCARD lg_status lg_store_finish(lg_store *store, lg_error *reterr);

// Ends it, finished or not. NULL is allowed.
void lg_store_close(lg_store *store);

// Nothing that it points to is kept.
typedef struct lg_store_item {
    lg_str kind; // 1 to 32 bytes of a to z, 0 to 9, `-` and `_`
    lg_time time;
    // Empty, or up to 32 bytes by which it is found again, and of which there is one in the log: an item whose key is
    // there already is not written a second time. It counts to the payload, and goes with it.
    lg_str key;
    // Empty, or up to 32 bytes: it is not written if something with this mark was redacted. The log keeps only marks of that.
    lg_str mark;
    lg_str body;
} lg_store_item;

typedef struct lg_store_receipt {
    // LG_OK: all records are on the disk. LG_ERR_BUSY: none is (another program has locked the log, the disk is full, memory
    // is short), and the log is fine. Any other: the log has failed.
    lg_status status;
    uint64_t first, last;  // their numbers; 0: all of them were there already
    const lg_error *error; // of any other status; valid for the call
} lg_store_receipt;

// Called once for each append that was accepted, on the writer's thread, in the order of the appends. It may append; it must
// not wait, for nothing is written meanwhile.
typedef void (*lg_store_done)(void *context, const lg_store_receipt *receipt);

// Hands over records, which are written in this order and together or not at all. From any thread. `done` may be
// NULL. `ret_ticket` (may be NULL) is a number that grows from append to append, for lg_store_wait() and
// lg_store_settled().
//
// Fails with LG_ERR_BUSY (too much waits: try again when some of it is written; the log is fine), LG_ERR_LIMIT (a
// payload is too large), LG_ERR_IO (the log has failed, and says why) or LG_ERR_OOM; then nothing is written, and
// `done` is not called.
LG_NODISCARD lg_status lg_store_append(lg_store *store, const lg_store_item *items, size_t count,
                                       lg_store_done done, void *context, uint64_t *ret_ticket,
                                       lg_error *reterr);

// The same for records that nobody waits for: where others are told LG_ERR_BUSY, these stay in the queue, before all that
// comes later. They are lost only with the log, or the process; and go with the next commit that somebody waits for, or make
// one of their own after 50 ms.
LG_NODISCARD lg_status lg_store_append_later(lg_store *store, const lg_store_item *items,
                                             size_t count, lg_error *reterr);

// Waits until the append of this ticket is on the disk, or has failed, and its `done` was called. Fails as its receipt
// says.
LG_NODISCARD lg_status lg_store_wait(lg_store *store, uint64_t ticket, lg_error *reterr);

// Up to this ticket, all is on the disk, but for what was told LG_ERR_BUSY. For those who would rather look than be
// called.
uint64_t lg_store_settled(const lg_store *store);

// LG_OK, or why everything fails from now on. An append of no records tells more: whether it could be written to just now.
LG_NODISCARD lg_status lg_store_status(lg_store *store, lg_error *reterr);

// What the writer has done so far, for metrics. From any thread; the numbers are of one moment each.
typedef struct lg_store_counts {
    uint64_t commits, records, bytes; // bytes: of what was handed over
    uint64_t commit_ns;               // that all commits took together
    uint64_t waiting;                 // records
} lg_store_counts;
lg_store_counts lg_store_counts_of(const lg_store *store);

// A key of 32 bytes that is not in the log, and that nobody has but who has the key file: for keys (lg_store_item)
// that tell nothing of what they are the digest of. As long as the store.
lg_str lg_store_secret(const lg_store *store);

// --- Taking out ---------------------------------------------------------------------------------

typedef struct lg_store_redaction {
    const uint64_t *sequences;
    size_t count;
    lg_str why;
    lg_time now;
    const lg_str
        *marks; // of each, so that its like is not written again; or empty. NULL: none has one
} lg_store_redaction;

// Takes out the payloads of these records for good (they are overwritten, not only forgotten), and appends a record of
// kind "redaction" that says which, when and why; of many records, in portions of a thousand. Returns when that is on the disk. What is not there any more is passed
// over, and so are redactions. `ret_count` is how many were taken out, also where a
// later portion has failed. Fails as lg_store_append does; and with
// LG_ERR_BUSY and the count where they are taken out, but somebody who reads the log keeps what they were in its files: it
// is overwritten with the next commit, or redaction (of nothing, if need be), behind the reader's end.
LG_NODISCARD lg_status lg_store_redact(lg_store *store, const lg_store_redaction *redaction,
                                       size_t *ret_count, lg_error *reterr);

// --- Reading ------------------------------------------------------------------------------------

typedef struct lg_log lg_log; // A reader. It belongs to one thread at a time.

// Opens a log that is there, while somebody writes to it or not. It sees the log as it is now, until it is closed.
// Where files beside it are needed and cannot be made (a read-only folder), nobody may write to it meanwhile. Fails as
// lg_store_open does.
LG_NODISCARD lg_status lg_log_open(const char *path, const char *io, lg_log **ret_log,
                                   lg_error *reterr);
void lg_log_close(lg_log *log); // NULL is allowed

typedef struct lg_log_head {
    uint64_t sequence; // of the last record; 0: there is none
    lg_digest chain;
    unsigned char signature[LG_SIGNATURE_BYTES];
    unsigned char public_key[LG_SIGN_KEY_BYTES]; // as the log says
    unsigned char log_id[16];
} lg_log_head;
LG_NODISCARD lg_status lg_log_head_of(lg_log *log, lg_log_head *ret, lg_error *reterr);

// A record as it stands there. Its texts are valid until the next call on the log; a call that fails
// leaves an empty one.
typedef struct lg_log_record {
    uint64_t sequence;
    lg_str kind;
    lg_time time;
    lg_digest payload; // its digest
    lg_digest chain;
    bool has_payload; // false: it was taken out
    lg_str key;
    lg_str body;
} lg_log_record;

// The first record from number `from` on; `kind` empty: of any. LG_ERR_MISSING: there is none.
LG_NODISCARD lg_status lg_log_next(lg_log *log, uint64_t from, lg_str kind, lg_log_record *ret,
                                   lg_error *reterr);
// The record of this number, or with this key. LG_ERR_MISSING: there is none.
LG_NODISCARD lg_status lg_log_at(lg_log *log, uint64_t sequence, lg_log_record *ret,
                                 lg_error *reterr);
LG_NODISCARD lg_status lg_log_find(lg_log *log, lg_str key, lg_log_record *ret, lg_error *reterr);

// Writes a copy of the log as the reader sees it, in a file that is not there yet, with mode 0600, and on the disk when it
// returns. The copy is a log, without its key file.
LG_NODISCARD lg_status lg_log_copy(lg_log *log, const char *path, lg_error *reterr);

// --- Verifying ----------------------------------------------------------------------------------

typedef struct lg_log_trust {
    // Of whom the signature must be; NULL: of the key that the log names, which proves only that it was not changed
    // by somebody without that key.
    const unsigned char *public_key;
    // A head that was seen before, for example on another machine. A log that was cut does not have it.
    bool has_head;
    uint64_t head_sequence; // 0: of a log that had no record yet
    lg_digest head_chain;
} lg_log_trust;

typedef struct lg_log_fault {
    uint64_t sequence; // 0: of the log as a whole
    char message[256];
} lg_log_fault;

typedef struct lg_log_verdict {
    uint64_t records;
    uint64_t payloads;
    uint64_t redacted; // payloads that are gone, with a redaction that says so
    lg_log_head head;
    size_t fault_count; // found in all
} lg_log_verdict;

// Goes through all of the log: numbers, chain, payloads, redactions, signature, head. Calls `fault` for each thing that
// is wrong. Fails only where the log cannot be read.
typedef void (*lg_log_fault_sink)(void *context, const lg_log_fault *fault);
LG_NODISCARD lg_status lg_log_verify(lg_log *log, const lg_log_trust *trust,
                                     lg_log_fault_sink fault, void *context, lg_log_verdict *ret,
                                     lg_error *reterr);

// The public key, and the secret of lg_store_secret(), of a key file.
typedef struct lg_store_keys {
    unsigned char public_key[LG_SIGN_KEY_BYTES];
    unsigned char secret[32];
} lg_store_keys;
LG_NODISCARD lg_status lg_store_read_keys(const char *key_path, lg_store_keys *ret,
                                          lg_error *reterr);

#endif
