// store_internal.h: what the files of this room share.
#ifndef LG_STORE_INTERNAL_H
#define LG_STORE_INTERNAL_H

#include "store/store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

// Sizes of what stands in the file. docs/log.md draws the layout.
#define SALT_BYTES 16u
#define LOG_ID_BYTES 16u
#define REDACTION LG_STR("redaction")

// --- chain.c: what is digested and signed -------------------------------------------------------

// The digest of a payload, of its salt, key and body.
void store_payload_digest(const unsigned char salt[SALT_BYTES], lg_str key, lg_str body,
                          lg_digest *ret);

// What the first record has in place of a digest before it.
void store_first_link(const unsigned char log_id[LOG_ID_BYTES],
                      const unsigned char public_key[LG_SIGN_KEY_BYTES], lg_digest *ret);

// The chain's next link. `chain` is that of the record before, and becomes this one's.
typedef struct store_link {
    uint64_t sequence;
    int64_t time_us;
    lg_str kind;
    const lg_digest *payload;
} store_link;
void store_add_link(const store_link *link, lg_digest *chain);

// What is signed of a head.
#define HEAD_TEXT_BYTES 80u
lg_str store_head_text(const unsigned char log_id[LOG_ID_BYTES], uint64_t sequence,
                       const lg_digest *chain, char room[HEAD_TEXT_BYTES]);

// --- keys.c: the key file -----------------------------------------------------------------------

typedef struct store_secrets {
    lg_sign_key sign;
    unsigned char secret[32]; // of lg_store_secret()
} store_secrets;

// Puts on the disk that a new file has its name. False: it cannot be.
bool store_sync_folder(const char *path);

// Makes a key file if there is none and `make`.
LG_NODISCARD lg_status store_load_secrets(const char *path, bool make, store_secrets *ret,
                                          lg_error *reterr);

// --- sql.c: SQLite ------------------------------------------------------------------------------

typedef enum db_statement {
    DB_BEGIN,
    DB_LOOK, // for reading
    DB_COMMIT,
    DB_ROLLBACK,
    DB_PUT_RECORD,
    DB_PUT_HEAD,
    DB_TAKE_PAYLOAD,
    DB_KIND,
    DB_KEEP_OUT,
    DB_IS_KEPT_OUT,
    DB_ANY_KEPT_OUT,
    DB_HEAD,
    DB_LAST,
    DB_META,
    DB_NEXT,
    DB_NEXT_KIND,
    DB_KEPT_OUT,
    DB_FIND,
    DB_STATEMENTS
} db_statement;

typedef struct db {
    sqlite3 *handle;
    char *path;
    sqlite3_stmt *statements[DB_STATEMENTS]; // prepared when they are first used
} db;

// Opens the file and sets the connection up; a new one gets the tables. Nothing is left open after a failure.
typedef struct db_options {
    const char *path;
    const char *io;
    bool write;
    bool immutable; // nobody writes to it: no file beside it is needed
    uint32_t busy_ms;
} db_options;
LG_NODISCARD lg_status db_open(const db_options *options, db *ret, lg_error *reterr);

// `fine`: what is in the write-ahead log may be moved to the database. Else nothing is touched any more.
void db_close(db *d, bool fine);

// Has it no tables yet?
LG_NODISCARD lg_status db_is_new(db *d, bool *ret, lg_error *reterr);
LG_NODISCARD lg_status db_make_tables(db *d, lg_error *reterr);
// Are the tables ours, to the letter? A trigger or a view in somebody's file would act for us.
LG_NODISCARD lg_status db_check_tables(db *d, lg_error *reterr);

lg_status db_fail(const db *d, const char *what, lg_error *reterr);

// The statement, ready to bind; NULL after db_fail().
sqlite3_stmt *db_prepare(db *d, db_statement which, lg_error *reterr);
// Runs what returns no rows.
LG_NODISCARD lg_status db_run(db *d, sqlite3_stmt *statement, lg_error *reterr);
LG_NODISCARD lg_status db_run_plain(db *d, db_statement which, lg_error *reterr);

// Ends a transaction without it; whether that works tells nothing new.
void db_undo(db *d);

void db_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, size_t size_bytes);
// A column's bytes: exactly `size_bytes` of a blob, or false.
bool db_read_bytes(sqlite3_stmt *statement, int column, void *ret, size_t size_bytes);
lg_str db_column(sqlite3_stmt *statement, int column);

// --- head.c: the head and what the log says of itself -------------------------------------------

LG_NODISCARD lg_status head_make(db *d, const store_secrets *secrets, lg_error *reterr);
LG_NODISCARD lg_status head_read(db *d, lg_log_head *ret, lg_error *reterr);
LG_NODISCARD lg_status head_write(db *d, const store_secrets *secrets,
                                  const unsigned char log_id[LOG_ID_BYTES], uint64_t sequence,
                                  const lg_digest *chain, lg_error *reterr);
bool head_is_signed(const lg_log_head *head);
// Is it the head of the last record that there is? False, too, where that cannot be read.
bool head_is_last(db *d, const lg_log_head *head);

// --- The writer ---------------------------------------------------------------------------------

typedef struct store_item {
    lg_str kind;
    int64_t time_us;
    unsigned char salt[SALT_BYTES];
    lg_digest payload;
    lg_str key;
    lg_str mark;
    lg_str body;
} store_item;

typedef struct store_redaction {
    const lg_store_redaction *asked;
    int64_t time_us;
    size_t done; // how many were taken out
    bool wiped;  // nothing of what was taken out, now or before, stands in the files any more
} store_redaction;

// What somebody has handed over, in one allocation.
typedef struct store_entry {
    struct store_entry *next;
    uint64_t ticket;
    lg_store_done done;
    void *context;
    store_redaction *redaction; // or NULL; its owner waits
    bool patient;               // nobody waits: what cannot be written now is written later
    size_t size_bytes;
    uint64_t first, last; // numbers that it was given
    size_t count;
    store_item items[];
} store_entry;

// Tickets from one to another.
typedef struct store_tickets {
    uint64_t from, to;
} store_tickets;

#define STORE_PUT_OFF_MAX 64u

struct lg_store {
    db db; // the writer's thread alone
    uint64_t sequence;
    lg_digest chain;
    unsigned char log_id[LOG_ID_BYTES];
    store_secrets secrets;
    uint64_t device, inode; // of the database, as it was opened
    uint64_t wal_inode;     // of the write-ahead log; 0: not seen yet
    bool has_marks_out;     // there are marks whose records are not to come back
    bool has_turn;
    bool was_full;  // the latest commit had no room: whether there is some now, only a write tells
    bool empty_wal; // what was deleted may still stand in the write-ahead log
    unsigned wal_pages; // in it, since the latest checkpoint
    uint32_t busy_ms;
    // Entries with somebody waiting that the latest commit had: as many may come back.
    size_t wanted;
    int64_t began_ns; // the transaction
    uint64_t before;  // the number of the last record then
    int lock;
    char *path;
    size_t record_bytes, queue_records, queue_bytes;

    pthread_t thread;
    pthread_mutex_t mutex; // for all below
    pthread_cond_t work;
    pthread_cond_t settled_some;
    store_entry *first, **end;
    size_t entries, waiting_records, waiting_bytes; // in the queue; the others with what is in hand
    size_t urgent;                                  // of the entries: somebody waits for them
    size_t wake_at;                                 // so many urgent entries wake the writer
    bool asleep; // it waits for whatever comes, and not for a while only
    uint64_t next_ticket;
    uint32_t waiters;
    store_tickets put_off[STORE_PUT_OFF_MAX]; // which were not written, though later ones were
    size_t put_off_count;
    bool ending;
    bool finished; // the thread has ended; the owner's alone
    bool failed;   // nothing is taken any more
    bool over;     // and everyone who waited has been told
    lg_error why;

    _Atomic uint64_t settled;
    _Atomic uint64_t commits, records, bytes, commit_ns, waiting;
};

// commit.c: a transaction: begun, filled, committed. After a failure nothing is known of what is on the disk, but after
// one that passes (LG_ERR_BUSY: locked, no room, no memory): then nothing was written, and the next one may work.
LG_NODISCARD lg_status store_begin(lg_store *store, lg_error *reterr);
LG_NODISCARD lg_status store_put(lg_store *store, store_entry *entries, lg_error *reterr);
// `status` is what became of it so far: if it failed, it is undone, and that is returned.
LG_NODISCARD lg_status store_commit(lg_store *store, lg_status status, lg_error *reterr);
// Moves what was committed from the write-ahead log to the database, if it is so much, and empties it if something was taken
// out, or if it is to be ALL. What comes meanwhile waits.
typedef enum store_amount { STORE_ALL, STORE_SOME, STORE_MUCH } store_amount;
LG_NODISCARD lg_status store_checkpoint(lg_store *store, store_amount amount, lg_error *reterr);

// turn.c: among processes. No other one writes, or moves the write-ahead log, while this has the turn.
bool turn_take(lg_store *store, uint32_t within_ms);
void turn_give(lg_store *store);            // if it has it
bool turn_be_writer(const lg_store *store); // which there is one of, as long as the file is open

// store.c: what records are linked to, as the database says it. It has to be ours, and true.
LG_NODISCARD lg_status store_read_end(lg_store *store, lg_error *reterr);

// writer.c: the thread. `store` is an lg_store.
void *store_write(void *store);

// Microseconds since 1970; false if it is not within the years 1 to 9999.
bool store_time_us(lg_time time, int64_t *ret);
lg_time store_time_of(int64_t time_us);
bool store_is_kind(lg_str kind);

// redaction.c: runs of numbers, as the payload of a redaction has them.
LG_NODISCARD lg_status store_write_redaction(const uint64_t *sequences, size_t count, lg_str why,
                                             lg_buf *out);
// Calls `visit` with each run. False if `body` is no payload of a redaction.
bool store_read_redaction(lg_arena *scratch, lg_str body,
                          void (*visit)(void *context, uint64_t from, uint64_t to), void *context);

#endif
