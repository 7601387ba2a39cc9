// verify.c: everything that the chain, the signature and the redactions promise, looked at from the first record on.
//
// Two passes: what was taken out is known when all redactions have been read. Redactions are believed if they stand in
// the chain themselves; a chain that is broken is said before what follows from it.
#include "store/log_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct gone_run { // records whose payloads a redaction says to be gone
    uint64_t from, to;
} gone_run;

typedef struct verification {
    lg_log *log;
    const lg_log_trust *trust;
    lg_log_fault_sink sink;
    void *context;
    lg_log_verdict verdict;
    lg_arena memory;
    lg_arena scratch;
    gone_run *runs;
    size_t run_count, run_capacity;
    bool out_of_memory;
    bool seen_head; // the head that was seen before
} verification;

LG_PRINTF(3, 4) static void fault(verification *v, uint64_t sequence, const char *format, ...)
{
    lg_log_fault found = {.sequence = sequence};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(found.message, sizeof(found.message), format, args);
    va_end(args);
    v->verdict.fault_count++;
    v->sink(v->context, &found);
}

// --- Redactions ---------------------------------------------------------------------------------

static void add_run(void *of, uint64_t from, uint64_t to)
{
    verification *v = of;
    gone_run *runs =
        lg_arena_grow(&v->memory, v->runs, v->run_count, &v->run_capacity, sizeof(*runs));
    if (!runs) {
        v->out_of_memory = true;
        return;
    }
    v->runs = runs;
    v->runs[v->run_count++] = (gone_run){from, to};
}

static int by_start(const void *a, const void *b)
{
    const gone_run *left = a;
    const gone_run *right = b;
    return (left->from > right->from) - (left->from < right->from);
}

// Sorted, and none touches another.
static void merge_runs(verification *v)
{
    size_t kept = 0;
    if (v->run_count) {
        qsort(v->runs, v->run_count, sizeof(*v->runs), by_start);
    }
    for (size_t i = 0; i < v->run_count; i++) {
        if (kept && v->runs[i].from <= v->runs[kept - 1].to) {
            uint64_t to = v->runs[i].to;
            v->runs[kept - 1].to = to > v->runs[kept - 1].to ? to : v->runs[kept - 1].to;
        } else {
            v->runs[kept++] = v->runs[i];
        }
    }
    v->run_count = kept;
}

static bool is_gone(const verification *v, uint64_t sequence)
{
    size_t low = 0;
    size_t high = v->run_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->runs[middle].to < sequence) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < v->run_count && v->runs[low].from <= sequence;
}

static lg_status read_redactions(verification *v, lg_error *reterr)
{
    log_row row;
    lg_status status = LG_OK;
    for (uint64_t from = 1; status == LG_OK && !v->out_of_memory; from = row.record.sequence + 1) {
        status = log_next_row(v->log, from, REDACTION, &row, reterr);
        if (status == LG_OK && !store_read_redaction(&v->scratch, row.record.body, add_run, v)) {
            fault(v, row.record.sequence, "the redaction does not say what it has taken out");
        }
        lg_arena_reset(&v->scratch);
    }
    merge_runs(v);
    if (v->out_of_memory) {
        return lg_fail_oom(reterr);
    }
    return status == LG_ERR_MISSING ? LG_OK : status;
}

// --- Records ------------------------------------------------------------------------------------

static void check_payload(verification *v, const log_row *row)
{
    const lg_log_record *record = &row->record;
    lg_digest digest;
    bool gone = is_gone(v, record->sequence) && !lg_str_eq(record->kind, REDACTION);
    if (!record->has_payload) {
        v->verdict.redacted += gone;
        if (!gone) {
            fault(v, record->sequence, "its payload is gone, and no redaction says so");
        }
        return;
    }
    v->verdict.payloads++;
    store_payload_digest(row->salt, record->key, record->body, &digest);
    if (memcmp(digest.bytes, record->payload.bytes, LG_DIGEST_BYTES) != 0) {
        fault(v, record->sequence, "its payload is not what was written");
    } else if (gone) {
        fault(v, record->sequence, "it was redacted, and its payload is there");
    }
}

static void see_head(verification *v, uint64_t sequence, const lg_digest *chain)
{
    if (v->trust->has_head && sequence == v->trust->head_sequence) {
        v->seen_head = memcmp(chain->bytes, v->trust->head_chain.bytes, LG_DIGEST_BYTES) == 0;
    }
}

static void check_record(verification *v, const log_row *row, uint64_t expected, lg_digest *chain)
{
    const lg_log_record *record = &row->record;
    store_link link = {record->sequence, row->time_us, record->kind, &record->payload};
    if (record->sequence != expected) {
        fault(v, expected, "it is missing: record %llu follows",
              (unsigned long long)record->sequence);
    }
    store_add_link(&link, chain);
    if (memcmp(chain->bytes, record->chain.bytes, LG_DIGEST_BYTES) != 0) {
        fault(v, record->sequence,
              "the chain breaks here: this record, or what came before it, was changed");
    }
    *chain = record->chain; // what comes behind is judged by itself
    check_payload(v, row);
    see_head(v, record->sequence, chain);
}

static lg_status check_records(verification *v, lg_error *reterr)
{
    const lg_log_head *head = &v->verdict.head;
    log_row row;
    lg_digest chain;
    uint64_t expected = 1;
    lg_status status;
    store_first_link(head->log_id, head->public_key, &chain);
    see_head(v, 0, &chain);
    for (;;) {
        status = log_next_row(v->log, expected, LG_STR(""), &row, reterr);
        if (status != LG_OK) {
            break;
        }
        check_record(v, &row, expected, &chain);
        v->verdict.records++;
        expected = row.record.sequence + 1;
    }
    if (status != LG_ERR_MISSING) {
        return status;
    }
    if (head->sequence != expected - 1) {
        fault(v, 0, "the head is that of record %llu, and the last record is %llu",
              (unsigned long long)head->sequence, (unsigned long long)(expected - 1));
    } else if (memcmp(head->chain.bytes, chain.bytes, LG_DIGEST_BYTES) != 0) {
        fault(v, 0, "the head is not that of the last record");
    }
    return LG_OK;
}

// Nobody signs for these.
static lg_status check_kept_out(verification *v, lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(&v->log->db, DB_KEPT_OUT, reterr);
    int code = SQLITE_DONE;
    if (!statement) {
        return LG_ERR_IO;
    }
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        uint64_t sequence = (uint64_t)sqlite3_column_int64(statement, 0);
        if (!is_gone(v, sequence)) {
            fault(v, sequence, "its like is kept out of the log, and no redaction says so");
        }
    }
    lg_status status =
        code == SQLITE_DONE ? LG_OK : db_fail(&v->log->db, "it cannot be read", reterr);
    (void)sqlite3_reset(statement);
    return status;
}

// --- The head -----------------------------------------------------------------------------------

static void check_head(verification *v)
{
    const lg_log_head *head = &v->verdict.head;
    const unsigned char *wanted = v->trust->public_key;
    if (wanted && memcmp(wanted, head->public_key, LG_SIGN_KEY_BYTES) != 0) {
        fault(v, 0, "the log is not signed with the key that was asked for");
    }
    if (!head_is_signed(head)) {
        fault(v, 0, "the signature of the head does not hold");
    }
}

static lg_status verify(verification *v, lg_error *reterr)
{
    lg_status status = lg_log_head_of(v->log, &v->verdict.head, reterr);
    if (status != LG_OK) {
        return status;
    }
    check_head(v);
    status = read_redactions(v, reterr);
    if (status == LG_OK) {
        status = check_records(v, reterr);
    }
    if (status == LG_OK) {
        status = check_kept_out(v, reterr);
    }
    if (status == LG_OK && v->trust->has_head && !v->seen_head) {
        fault(v, 0,
              "the log does not have the head that was seen before: it was cut, or is another log");
    }
    return status;
}

lg_status lg_log_verify(lg_log *log, const lg_log_trust *trust, lg_log_fault_sink sink,
                        void *context, lg_log_verdict *ret, lg_error *reterr)
{
    verification v = {.log = log, .trust = trust, .sink = sink, .context = context};
    lg_arena_init(&v.memory, 0);
    lg_arena_init(&v.scratch, 0);
    lg_status status = verify(&v, reterr);
    *ret = v.verdict;
    lg_arena_done(&v.memory);
    lg_arena_done(&v.scratch);
    return status;
}
