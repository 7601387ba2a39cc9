// journal.c: ids, and batches of records on their way to the log.
#include "base/alloc.h"
#include "journal/journal_internal.h"

struct lg_journal {
    lg_store *store;
};

// Where the texts of an item stand in the batch's one buffer, which moves while it grows.
typedef struct batch_item {
    lg_str kind;
    lg_journal_id id;
    bool has_id;
    bool is_event;
    size_t from, to;
} batch_item;

struct lg_journal_batch {
    lg_journal *journal;
    lg_time now;
    lg_arena arena;
    lg_buf bodies;
    batch_item *items;
    size_t count, capacity;
    lg_status status;
    lg_error error;
};

lg_status lg_journal_new(lg_store *store, lg_journal **ret_journal)
{
    lg_journal *journal = lg_zalloc(sizeof(*journal));
    if (!journal) {
        return LG_ERR_OOM;
    }
    journal->store = store;
    *ret_journal = journal;
    return LG_OK;
}

void lg_journal_free(lg_journal *journal)
{
    lg_free(journal);
}

// --- Ids ----------------------------------------------------------------------------------------

static void digest_content(lg_str secret, lg_str what, lg_str content, lg_digest *ret)
{
    const lg_str parts[] = {LG_STR("ledgergate "), what, LG_STR(" 1\n"), content};
    lg_digest_parts(secret, parts, LG_COUNT(parts), ret);
}

void id_of_content(lg_str secret, lg_str what, lg_str content, lg_journal_id *ret)
{
    lg_digest digest;
    digest_content(secret, what, content, &digest);
    memcpy(ret->bytes, digest.bytes, sizeof(ret->bytes));
    ret->bytes[0] &= 0x7f;
}

// Events whose ids begin alike are a cluster. Those that come before a user has spoken (instructions, which many
// conversations share) have beginnings of their own; so has the first thing that a user says, and one of 32 behind it, so that
// a cluster stays small where many begin with the same words.
#define CLUSTER_BYTES 5u // of an id: 88 bits are left to tell its events from each other
#define USER_SPOKE 0x40u // in the first byte

static bool is_in_cluster(const lg_journal_id *previous, const lg_digest *digest)
{
    return !id_is_scope(previous) && (previous->bytes[0] & USER_SPOKE) &&
           digest->bytes[LG_JOURNAL_ID_BYTES] % 32 != 0;
}

void id_of_event(lg_str secret, const lg_journal_id *previous, const lg_event *event,
                 lg_str content, lg_journal_id *ret)
{
    lg_digest digest;
    digest_content(secret, KIND_EVENT, content, &digest);
    bool spoke = event->role == LG_ROLE_USER ||
                 (!id_is_scope(previous) && (previous->bytes[0] & USER_SPOKE));
    bool inherits = is_in_cluster(previous, &digest);
    memcpy(ret->bytes, digest.bytes, sizeof(ret->bytes));
    ret->bytes[0] = (unsigned char)((ret->bytes[0] & 0x3fu) | (spoke ? USER_SPOKE : 0));
    if (inherits) {
        memcpy(ret->bytes, previous->bytes, CLUSTER_BYTES);
    }
}

void id_add_said(lg_str secret, const lg_journal_id *previous, lg_str text, lg_journal_id *ret)
{
    lg_digest digest;
    const lg_str parts[] = {LG_STR("ledgergate said 1\n"),
                            {(const char *)previous->said, sizeof(previous->said)},
                            text};
    lg_digest_parts(secret, parts, LG_COUNT(parts), &digest);
    memcpy(ret->said, digest.bytes, sizeof(ret->said));
}

void lg_journal_scope(const lg_journal *journal, lg_str scope, lg_journal_id *ret_id)
{
    id_of_content(lg_store_secret(journal->store), LG_STR("scope"), scope, ret_id);
    ret_id->bytes[0] |= 0x80;
    memset(ret_id->said, 0, sizeof(ret_id->said));
}

// Grows with time, so that new ones stand beside each other in the index: 48 bits of milliseconds, 80 of chance.
static void id_of_decision(lg_time time, lg_journal_id *ret)
{
    uint64_t ms = (uint64_t)time.seconds * 1000 + time.nanos / 1000000;
    for (unsigned i = 0; i < 6; i++) {
        ret->bytes[i] = (unsigned char)(ms >> (40 - 8 * i));
    }
    ret->bytes[0] &= 0x7f;
    lg_random(ret->bytes + 6, sizeof(ret->bytes) - 6);
}

// --- Batches ------------------------------------------------------------------------------------

lg_journal_batch *lg_journal_begin(lg_journal *journal, lg_time now)
{
    lg_journal_batch *batch = lg_zalloc(sizeof(*batch));
    if (batch) {
        batch->journal = journal;
        batch->now = now;
        lg_arena_init(&batch->arena, 0);
        lg_buf_init(&batch->bodies, 0);
    }
    return batch;
}

void lg_journal_drop(lg_journal_batch *batch)
{
    if (batch) {
        lg_buf_done(&batch->bodies);
        lg_arena_done(&batch->arena);
        lg_free(batch);
    }
}

static void fail_batch(lg_journal_batch *batch, lg_status status, const lg_error *why)
{
    if (batch->status == LG_OK) {
        batch->status = status;
        batch->error = *why;
    }
}

// The item whose body the caller has added since `from`; NULL if the batch has failed.
static batch_item *add_item(lg_journal_batch *batch, lg_str kind, size_t from)
{
    lg_error why;
    lg_status status = lg_buf_status(&batch->bodies);
    batch_item *items =
        lg_arena_grow(&batch->arena, batch->items, batch->count, &batch->capacity, sizeof(*items));
    if (status != LG_OK || !items) {
        fail_batch(batch, LG_ERR_OOM, (lg_fail_oom(&why), &why));
        return NULL;
    }
    batch->items = items;
    items[batch->count] = (batch_item){.kind = kind, .from = from, .to = batch->bodies.len};
    return &items[batch->count++];
}

static lg_str body_of(const lg_journal_batch *batch, const batch_item *item)
{
    return lg_str_slice(lg_buf_str(&batch->bodies), item->from, item->to);
}

void lg_journal_add_event(lg_journal_batch *batch, const lg_journal_id *previous,
                          const lg_journal_event *event, lg_journal_id *ret_id)
{
    lg_journal_id id = *previous;
    lg_journal_id said;
    if (!batch) {
        return;
    }
    lg_str secret = lg_store_secret(batch->journal->store);
    size_t from = batch->bodies.len;
    lg_json_writer w = {.out = &batch->bodies};
    write_event(&w, secret, &id, event, &said);
    batch_item *item = add_item(batch, KIND_EVENT, from);
    if (item) {
        id_of_event(secret, &id, &event->event, body_of(batch, item), &item->id);
        memcpy(item->id.said, said.said, sizeof(said.said));
        item->has_id = true;
        item->is_event = true;
        *ret_id = item->id;
    }
}

void lg_journal_add_decision(lg_journal_batch *batch, const lg_journal_decision *decision,
                             lg_journal_id *ret_id)
{
    lg_error why;
    if (!batch) {
        return;
    }
    size_t from = batch->bodies.len;
    lg_json_writer w = {.out = &batch->bodies};
    lg_status status = write_decision(&w, decision, &why);
    batch_item *item = add_item(batch, KIND_DECISION, from);
    if (status != LG_OK) {
        fail_batch(batch, status, &why);
    } else if (item) {
        id_of_decision(batch->now, &item->id);
        item->has_id = true;
        *ret_id = item->id;
    }
}

void lg_journal_add_outcome(lg_journal_batch *batch, const lg_journal_outcome *outcome)
{
    if (!batch) {
        return;
    }
    size_t from = batch->bodies.len;
    lg_json_writer w = {.out = &batch->bodies};
    write_outcome(&w, outcome);
    (void)add_item(batch, KIND_OUTCOME, from);
}

// Whom to tell; nobody: it may be later.
typedef struct receiver {
    lg_store_done done;
    void *context;
    bool later;
} receiver;

static lg_status hand_over(lg_journal_batch *batch, const receiver *to, lg_error *reterr)
{
    lg_store_item *items = LG_NEW_ARRAY(&batch->arena, lg_store_item, batch->count);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < batch->count; i++) {
        const batch_item *item = &batch->items[i];
        lg_str said = {(const char *)item->id.said, sizeof(item->id.said)};
        items[i] = (lg_store_item){.kind = item->kind,
                                   .time = batch->now,
                                   .key = item->has_id ? id_bytes(&item->id) : LG_STR(""),
                                   .mark = item->is_event ? said : LG_STR(""),
                                   .body = body_of(batch, item)};
    }
    lg_store *store = batch->journal->store;
    return to->later
               ? lg_store_append_later(store, items, batch->count, reterr)
               : lg_store_append(store, items, batch->count, to->done, to->context, NULL, reterr);
}

static lg_status commit(lg_journal_batch *batch, const receiver *to, lg_error *reterr)
{
    if (!batch) {
        return lg_fail_oom(reterr);
    }
    lg_status status = batch->status;
    if (status != LG_OK && reterr) {
        *reterr = batch->error;
    } else if (status == LG_OK && batch->count) {
        status = hand_over(batch, to, reterr);
    } else if (status == LG_OK && to->done) {
        to->done(to->context, &(lg_store_receipt){.status = LG_OK});
    }
    lg_journal_drop(batch);
    return status;
}

lg_status lg_journal_commit(lg_journal_batch *batch, lg_store_done done, void *context,
                            lg_error *reterr)
{
    return commit(batch, &(receiver){.done = done, .context = context}, reterr);
}

lg_status lg_journal_commit_later(lg_journal_batch *batch, lg_error *reterr)
{
    return commit(batch, &(receiver){.later = true}, reterr);
}

// --- Laws ---------------------------------------------------------------------------------------

lg_status lg_journal_add_law(lg_journal *journal, const lg_journal_law *law, lg_journal_id *ret_id,
                             lg_error *reterr)
{
    lg_buf body;
    lg_journal_id id;
    lg_buf_init(&body, 0);
    lg_json_writer w = {.out = &body};
    write_law(&w, law);
    lg_status status = lg_buf_status(&body);
    if (status != LG_OK) {
        lg_buf_done(&body);
        return lg_fail(reterr, status, "the law cannot be written down");
    }
    id_of_content(lg_store_secret(journal->store), KIND_LAW, lg_buf_str(&body), &id);
    lg_store_item item = {
        .kind = KIND_LAW, .time = law->now, .key = id_bytes(&id), .body = lg_buf_str(&body)};
    uint64_t ticket = 0;
    status = lg_store_append(journal->store, &item, 1, NULL, NULL, &ticket, reterr);
    if (status == LG_OK) { // else decisions could stand there later by a law that does not
        status = lg_store_wait(journal->store, ticket, reterr);
    }
    lg_buf_done(&body);
    *ret_id = status == LG_OK ? id : *ret_id;
    return status;
}
