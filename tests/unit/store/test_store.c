// test_store.c: what is appended is there, in its order, and the chain holds.
#include "store/store.h"

#include "temp_folder.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static const lg_time NOW = {1700000000, 123456000};

typedef struct desk {
    char folder[128];
    char path[256];
    lg_store *store;
    lg_error err;
} desk;

static void open_desk(desk *d)
{
    *d = (desk){0};
    lg_temp_folder(d->folder);
    lg_temp_path(d->path, sizeof(d->path), d->folder, "log.db");
    CHECK(lg_store_open(&(lg_store_options){.path = d->path}, &d->store, &d->err) == LG_OK);
}

static void close_desk(desk *d)
{
    lg_store_close(d->store);
    lg_temp_remove(d->folder);
}

// What has a key has it as its mark as well.
static uint64_t put(desk *d, const char *kind, const char *key, const char *body)
{
    uint64_t ticket = 0;
    lg_store_item item = {.kind = {kind, strlen(kind)},
                          .time = NOW,
                          .key = {key, strlen(key)},
                          .mark = {key, strlen(key)},
                          .body = {body, strlen(body)}};
    CHECK(lg_store_append(d->store, &item, 1, NULL, NULL, &ticket, &d->err) == LG_OK);
    CHECK(lg_store_wait(d->store, ticket, &d->err) == LG_OK);
    return ticket;
}

static void print_fault(void *context, const lg_log_fault *fault)
{
    (void)context;
    printf("    record %llu: %s\n", (unsigned long long)fault->sequence, fault->message);
}

static lg_log_verdict verify(desk *d)
{
    lg_log *log = NULL;
    lg_log_verdict verdict = {0};
    lg_log_trust trust = {0};
    CHECK(lg_log_open(d->path, NULL, &log, &d->err) == LG_OK);
    CHECK(lg_log_verify(log, &trust, print_fault, NULL, &verdict, &d->err) == LG_OK);
    lg_log_close(log);
    return verdict;
}

static void what_is_appended_is_there(void)
{
    desk d;
    open_desk(&d);
    put(&d, "event", "", "one");
    put(&d, "decision", "k", "two");
    put(&d, "event", "", "");
    lg_log *log = NULL;
    lg_log_record record;
    CHECK(lg_log_open(d.path, NULL, &log, &d.err) == LG_OK);
    CHECK(lg_log_next(log, 1, LG_STR(""), &record, &d.err) == LG_OK);
    CHECK(record.sequence == 1 && record.time.seconds == NOW.seconds &&
          record.time.nanos == NOW.nanos);
    CHECK_STR(record.kind, "event");
    CHECK_STR(record.body, "one");
    CHECK(lg_log_find(log, LG_STR("k"), &record, &d.err) == LG_OK && record.sequence == 2);
    CHECK(lg_log_next(log, 2, LG_STR("event"), &record, &d.err) == LG_OK && record.sequence == 3);
    CHECK(record.has_payload && record.body.len == 0);
    CHECK(lg_log_next(log, 4, LG_STR(""), &record, &d.err) == LG_ERR_MISSING);
    CHECK(lg_log_at(log, 7, &record, &d.err) == LG_ERR_MISSING);
    lg_log_close(log);
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 3 && verdict.payloads == 3 && verdict.fault_count == 0);
    close_desk(&d);
}

static void a_key_is_there_once(void)
{
    desk d;
    open_desk(&d);
    put(&d, "event", "same", "one");
    put(&d, "event", "same", "another");
    put(&d, "event", "other", "two");
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 2 && verdict.fault_count == 0);
    close_desk(&d);
}

static void a_log_goes_on_where_it_ended(void)
{
    desk d;
    open_desk(&d);
    put(&d, "event", "a", "one");
    lg_store_close(d.store);
    CHECK(lg_store_open(&(lg_store_options){.path = d.path}, &d.store, &d.err) == LG_OK);
    put(&d, "event", "a", "one");
    put(&d, "event", "b", "two");
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 2 && verdict.head.sequence == 2 && verdict.fault_count == 0);
    close_desk(&d);
}

static void one_process_writes(void)
{
    desk d;
    open_desk(&d);
    lg_store *other = NULL;
    CHECK(lg_store_open(&(lg_store_options){.path = d.path}, &other, &d.err) == LG_ERR_IO);
    CHECK(strstr(d.err.msg, "another process writes to this log"));
    close_desk(&d);
}

static void files_are_their_owners(void)
{
    desk d;
    char path[300];
    struct stat info;
    open_desk(&d);
    put(&d, "event", "", "secret");
    const char *endings[] = {"", ".key", "-wal", "-lock"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof(path), "%s%s", d.path, endings[i]);
        CHECK_MSG(stat(path, &info) == 0 && (info.st_mode & 077) == 0, path);
    }
    lg_store_close(d.store);
    snprintf(path, sizeof(path), "%s.key", d.path);
    CHECK(chmod(path, 0644) == 0);
    CHECK(lg_store_open(&(lg_store_options){.path = d.path}, &d.store, &d.err) == LG_ERR_IO);
    CHECK(strstr(d.err.msg, "chmod 600"));
    CHECK(unlink(path) == 0);
    CHECK(lg_store_open(&(lg_store_options){.path = d.path}, &d.store, &d.err) == LG_ERR_IO);
    CHECK(strstr(d.err.msg, "key file"));
    lg_temp_remove(d.folder);
}

// How often `text` stands in the database and its write-ahead log, whichever is there.
static size_t count_in_files(const desk *d, const char *text)
{
    const char *endings[] = {"", "-wal"};
    size_t found = 0;
    for (size_t i = 0; i < 2; i++) {
        char path[300];
        snprintf(path, sizeof(path), "%s%s", d->path, endings[i]);
        FILE *file = fopen(path, "rb");
        CHECK(file || i > 0);
        size_t matched = 0;
        for (int c = file ? getc(file) : EOF; c != EOF; c = getc(file)) {
            matched = c == text[matched] ? matched + 1 : c == text[0];
            if (!text[matched]) {
                found++;
                matched = 0;
            }
        }
        if (file) {
            fclose(file);
        }
    }
    return found;
}

static lg_status take_out(desk *d, const uint64_t *sequences, size_t count, size_t *ret_count)
{
    lg_store_redaction redaction = {
        .sequences = sequences, .count = count, .why = LG_STR("asked for"), .now = NOW};
    return lg_store_redact(d->store, &redaction, ret_count, &d->err);
}

// One by one in any order: pages are never merged, so that no copy of what is redacted later is left behind.
static void many_redactions_leave_nothing(void)
{
    enum { RECORDS = 1000 };
    desk d;
    char body[800];
    uint64_t order[RECORDS];
    uint64_t state = 1;
    open_desk(&d);
    for (uint64_t i = 0; i < RECORDS; i++) {
        char key[17];
        lg_store_item item = {.kind = LG_STR("event"), .time = NOW, .key = {key, 16}};
        state = state * 6364136223846793005u + 1442695040888963407u;
        int said = snprintf(body, sizeof(body), "PRIVATE%04llu", (unsigned long long)i);
        size_t size = (size_t)said + (size_t)(state >> 33) % 700;
        memset(body + said, 'x', size - (size_t)said);
        snprintf(key, sizeof(key), "%016llx", (unsigned long long)state);
        item.body = (lg_str){body, size};
        CHECK(lg_store_append(d.store, &item, 1, NULL, NULL, NULL, &d.err) == LG_OK);
        order[i] = i + 1;
    }
    for (uint64_t i = RECORDS - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t k = (state >> 33) % (i + 1);
        uint64_t moved = order[i];
        order[i] = order[k];
        order[k] = moved;
    }
    for (uint64_t i = 0; i < RECORDS; i++) {
        size_t count = 0;
        CHECK(take_out(&d, &order[i], 1, &count) == LG_OK && count == 1);
    }
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.redacted == RECORDS && verdict.fault_count == 0);
    lg_store_close(d.store);
    CHECK(count_in_files(&d, "PRIVATE") == 0);
    lg_temp_remove(d.folder);
}

// Who reads keeps what was there in the files: it is said, and mended when he has gone.
static void a_reader_is_told_of(void)
{
    desk d;
    const uint64_t first[] = {1};
    size_t count = 0;
    lg_log *reader = NULL;
    lg_temp_folder(d.folder);
    lg_temp_path(d.path, sizeof(d.path), d.folder, "log.db");
    lg_store_options options = {.path = d.path, .busy_ms = 50};
    CHECK(lg_store_open(&options, &d.store, &d.err) == LG_OK);
    put(&d, "event", "a", "a very private thing");
    put(&d, "event", "b", "two");
    CHECK(lg_log_open(d.path, NULL, &reader, &d.err) == LG_OK);
    CHECK(take_out(&d, first, 1, &count) == LG_ERR_BUSY && count == 1);
    CHECK(strstr(d.err.msg, "reading") && count_in_files(&d, "a very private thing") > 0);
    lg_log_close(reader);
    CHECK(take_out(&d, first, 1, &count) == LG_OK && count == 0);
    CHECK(count_in_files(&d, "a very private thing") == 0);
    CHECK(verify(&d).redacted == 1);
    close_desk(&d);
}

static void a_link_is_no_second_log(void)
{
    desk d;
    char path[300];
    lg_store *second = NULL;
    open_desk(&d);
    snprintf(path, sizeof(path), "%s.link", d.path);
    CHECK(symlink("log.db", path) == 0);
    CHECK(lg_store_open(&(lg_store_options){.path = path}, &second, &d.err) == LG_ERR_IO);
    CHECK(strstr(d.err.msg, "another process"));
    lg_store_close(d.store);
    CHECK_MSG(lg_store_open(&(lg_store_options){.path = path}, &second, &d.err) == LG_OK, d.err.msg);
    lg_store_close(second);
    second = NULL;
    CHECK(unlink(path) == 0 && link(d.path, path) == 0);
    CHECK(lg_store_open(&(lg_store_options){.path = path}, &second, &d.err) == LG_ERR_IO);
    CHECK(strstr(d.err.msg, "second name"));
    lg_temp_remove(d.folder);
}

static void what_was_redacted_is_gone(void)
{
    desk d;
    open_desk(&d);
    put(&d, "event", "a", "a very private thing");
    put(&d, "event", "b", "two");
    put(&d, "event", "c", "three");
    const uint64_t gone[] = {1, 3, 99};
    size_t count = 0;
    CHECK(
        lg_store_redact(d.store,
                        &(lg_store_redaction){
                            .sequences = gone, .count = 3, .why = LG_STR("asked for"), .now = NOW},
                        &count, &d.err) == LG_OK);
    CHECK(count == 2);
    CHECK(lg_store_redact(d.store,
                          &(lg_store_redaction){
                              .sequences = gone, .count = 3, .why = LG_STR("again"), .now = NOW},
                          &count, &d.err) == LG_OK &&
          count == 0);
    const uint64_t redaction[] = {4};
    CHECK(lg_store_redact(d.store,
                          &(lg_store_redaction){
                              .sequences = redaction, .count = 1, .why = LG_STR(""), .now = NOW},
                          &count, &d.err) == LG_OK &&
          count == 0);
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 4 && verdict.redacted == 2 && verdict.payloads == 2 &&
          verdict.fault_count == 0);
    lg_store_close(d.store);
    CHECK(count_in_files(&d, "a very private thing") == 0);
    CHECK(count_in_files(&d, "two") > 0);
    lg_temp_remove(d.folder);
}

// --- Threads ------------------------------------------------------------------------------------

#define THREADS 8
#define EACH 100

typedef struct worker {
    pthread_t thread;
    lg_store *store;
    pthread_mutex_t mutex;
    pthread_cond_t told;
    bool is_told;
    lg_status status;
    uint64_t sequence;
    size_t fine;
} worker;

// A program that sends the same again does not bring it back.
static void what_was_redacted_stays_away(void)
{
    desk d;
    size_t count = 0;
    const uint64_t one = 1;
    open_desk(&d);
    put(&d, "event", "the same", "a card number");
    const lg_str mark = LG_STR("the same");
    lg_store_redaction redaction = {
        .sequences = &one, .marks = &mark, .count = 1, .why = LG_STR("asked for"), .now = NOW};
    CHECK(lg_store_redact(d.store, &redaction, &count, &d.err) == LG_OK && count == 1);
    put(&d, "event", "the same", "a card number");
    lg_store_close(d.store);
    CHECK(lg_store_open(&(lg_store_options){.path = d.path}, &d.store, &d.err) == LG_OK);
    put(&d, "event", "the same", "a card number");
    put(&d, "event", "another", "of today");
    CHECK(lg_store_redact(d.store, &redaction, &count, &d.err) == LG_OK && count == 0);
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 3 && verdict.redacted == 1 && verdict.fault_count == 0);
    const uint64_t three = 3;
    redaction.sequences = &three;
    redaction.marks = NULL; // of this its like may come back
    CHECK(lg_store_redact(d.store, &redaction, &count, &d.err) == LG_OK && count == 1);
    put(&d, "event", "another", "of today");
    verdict = verify(&d);
    CHECK(verdict.records == 5 && verdict.redacted == 2 && verdict.fault_count == 0);
    close_desk(&d);
}

// --- Two beside each other ----------------------------------------------------------------------

static void one_writes_beside_another(void)
{
    desk d;
    lg_store *other = NULL;
    size_t count = 0;
    const uint64_t gone[] = {1, 2};
    open_desk(&d);
    put(&d, "event", "a", "one");
    lg_store_options beside = {.path = d.path, .beside = true};
    CHECK(lg_store_open(&beside, &other, &d.err) == LG_OK);
    put(&d, "event", "b", "two");
    const lg_str marks[] = {LG_STR("a"), LG_STR("b")};
    lg_store_redaction redaction = {.sequences = gone, .marks = marks, .count = 2, .now = NOW};
    CHECK(lg_store_redact(other, &redaction, &count, &d.err) == LG_OK && count == 2);
    put(&d, "event", "a", "one"); // the first one knows what the other has taken out
    put(&d, "event", "c", "three");
    desk beside_desk = d;
    beside_desk.store = other;
    put(&beside_desk, "event", "d", "four");
    put(&d, "event", "d", "four");
    put(&d, "event", "e", "five");
    lg_store_close(other);
    put(&d, "event", "f", "six");
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 7 && verdict.redacted == 2 && verdict.fault_count == 0);
    close_desk(&d);
}

typedef struct other_writer {
    const char *path;
    size_t rounds;
    lg_status status;
} other_writer;

// Opens, writes and closes again and again, as a command does.
static void *write_beside(void *of)
{
    other_writer *w = of;
    lg_error err;
    w->status = LG_OK;
    for (size_t i = 0; i < w->rounds && w->status == LG_OK; i++) {
        lg_store *store = NULL;
        uint64_t ticket = 0;
        lg_store_options options = {.path = w->path, .beside = true, .busy_ms = 60000};
        lg_store_item item = {.kind = LG_STR("event"), .time = NOW, .body = LG_STR("beside")};
        w->status = lg_store_open(&options, &store, &err);
        for (size_t n = 0; n < 20 && w->status == LG_OK; n++) {
            w->status = lg_store_append(store, &item, 1, NULL, NULL, &ticket, &err);
        }
        if (w->status == LG_OK) {
            w->status = lg_store_wait(store, ticket, &err);
        }
        lg_store_close(store);
    }
    return NULL;
}

static void many_write_beside_each_other(void)
{
    desk d;
    pthread_t threads[3];
    other_writer writers[3];
    open_desk(&d);
    lg_store_close(d.store);
    lg_store_options options = {.path = d.path, .busy_ms = 60000};
    CHECK(lg_store_open(&options, &d.store, &d.err) == LG_OK);
    for (size_t i = 0; i < 3; i++) {
        writers[i] = (other_writer){.path = d.path, .rounds = 8};
        CHECK(pthread_create(&threads[i], NULL, write_beside, &writers[i]) == 0);
    }
    for (size_t i = 0; i < 200; i++) {
        put(&d, "event", "", "mine");
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0 && writers[i].status == LG_OK);
    }
    put(&d, "event", "", "the last");
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 3 * 8 * 20 + 201 && verdict.fault_count == 0);
    close_desk(&d);
}

static void told(void *context, const lg_store_receipt *receipt)
{
    worker *w = context;
    pthread_mutex_lock(&w->mutex);
    w->is_told = true;
    w->status = receipt->status;
    w->sequence = receipt->first;
    pthread_cond_signal(&w->told);
    pthread_mutex_unlock(&w->mutex);
}

static void *work(void *of)
{
    worker *w = of;
    uint64_t last = 0;
    for (size_t i = 0; i < EACH; i++) {
        lg_store_item items[2] = {{.kind = LG_STR("event"), .time = NOW, .body = LG_STR("x")},
                                  {.kind = LG_STR("decision"), .time = NOW, .body = LG_STR("y")}};
        w->is_told = false;
        if (lg_store_append(w->store, items, 2, told, w, NULL, NULL) != LG_OK) {
            return NULL;
        }
        pthread_mutex_lock(&w->mutex);
        while (!w->is_told) {
            pthread_cond_wait(&w->told, &w->mutex);
        }
        w->fine += w->status == LG_OK && w->sequence > last;
        last = w->sequence;
        pthread_mutex_unlock(&w->mutex);
    }
    return NULL;
}

static void many_threads_append(void)
{
    desk d;
    static worker workers[THREADS];
    open_desk(&d);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.store = d.store};
        pthread_mutex_init(&workers[i].mutex, NULL);
        pthread_cond_init(&workers[i].told, NULL);
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        CHECK(workers[i].fine == EACH);
    }
    CHECK(lg_store_wait(d.store, THREADS * EACH, &d.err) == LG_OK); // who is called is called first
    lg_store_counts counts = lg_store_counts_of(d.store);
    CHECK(counts.records == 2 * THREADS * EACH && counts.commits < THREADS * EACH &&
          counts.waiting == 0);
    CHECK(lg_store_settled(d.store) == THREADS * EACH);
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 2 * THREADS * EACH && verdict.fault_count == 0);
    close_desk(&d);
}

static void close_writes_what_waits(void)
{
    desk d;
    open_desk(&d);
    for (size_t i = 0; i < 500; i++) {
        lg_store_item item = {.kind = LG_STR("event"), .time = NOW, .body = LG_STR("x")};
        CHECK(lg_store_append(d.store, &item, 1, NULL, NULL, NULL, &d.err) == LG_OK);
    }
    lg_store_close(d.store);
    lg_log_verdict verdict = verify(&d);
    CHECK(verdict.records == 500 && verdict.fault_count == 0);
    lg_temp_remove(d.folder);
}

int main(void)
{
    RUN(what_is_appended_is_there);
    RUN(a_key_is_there_once);
    RUN(a_log_goes_on_where_it_ended);
    RUN(one_process_writes);
    RUN(files_are_their_owners);
    RUN(what_was_redacted_is_gone);
    RUN(many_redactions_leave_nothing);
    RUN(a_reader_is_told_of);
    RUN(a_link_is_no_second_log);
    RUN(what_was_redacted_stays_away);
    RUN(one_writes_beside_another);
    RUN(many_write_beside_each_other);
    RUN(many_threads_append);
    RUN(close_writes_what_waits);
    return lg_test_done();
}
