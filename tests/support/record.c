// record.c: tells recordings to sessions and puts all of it into a log, as a server would.
//
//     record PACK LOG RECORDING...
//
// Each conversation is sent twice, as clients do who send all of it each time; each has one outcome. Prints what was decided:
// "DECISIONS GATED". The records' times begin with 2023-11-14T22:13:20Z and grow by a second a conversation.
#include "base/buf.h"
#include "journal/journal.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

#define TOGETHER_MAX 256u

typedef struct recorder {
    lg_store *store;
    lg_journal *journal;
    lg_session *session;
    lg_journal_id law;
    lg_time now;
    size_t decisions, gated;
} recorder;

static void fail(const char *what, const lg_error *error)
{
    fprintf(stderr, "record: %s: %s\n", what, error ? error->msg : "");
    exit(3);
}

static void decide(recorder *r, lg_journal_batch *batch, const lg_trace *trace, size_t index,
                   size_t count, const lg_journal_id *at)
{
    lg_event proposed[TOGETHER_MAX] = {{0}};
    char ids[TOGETHER_MAX][LG_TRACE_ID_BYTES];
    lg_journal_id id;
    lg_error error = {.status = LG_OK};
    if (count > TOGETHER_MAX) {
        fail("a message of too many calls", NULL);
    }
    for (size_t i = 0; i < count; i++) {
        proposed[i] = lg_trace_event_at(trace, index + i, ids[i]);
    }
    lg_journal_decision decision = {.conversation = trace->name,
                                    .about = LG_STR("{\"route\":\"/v1\"}"),
                                    .law = r->law,
                                    .last = *at,
                                    .session = r->session,
                                    .proposed = proposed,
                                    .count = count,
                                    .error = &error};
    if (lg_decide(r->session, proposed, count, &decision.decisions, &error) != LG_OK) {
        decision.decisions = NULL;
    }
    for (size_t i = 0; decision.decisions && i < count; i++) {
        r->gated += decision.decisions[i].gated;
    }
    r->decisions++;
    lg_journal_add_decision(batch, &decision, &id);
    lg_journal_add_outcome(batch,
                           &(lg_journal_outcome){.decision = id, .kind = LG_OUTCOME_DELIVERED});
}

static void tell(recorder *r, const lg_trace *trace, bool decides)
{
    lg_error error;
    lg_journal_id at;
    size_t judged = 0;
    lg_journal_batch *batch = lg_journal_begin(r->journal, r->now);
    lg_session_reset(r->session);
    lg_journal_scope(r->journal, trace->name, &at);
    for (size_t i = 0; i < trace->count; i++) {
        char id[LG_TRACE_ID_BYTES];
        size_t together = i < judged || !decides ? 0 : lg_trace_calls_together(trace, i);
        if (together) {
            decide(r, batch, trace, i, together, &at);
            judged = i + together;
        }
        lg_journal_event told = {.event = lg_trace_event_at(trace, i, id)};
        lg_status ignored = lg_observe(r->session, &told.event, NULL, NULL);
        (void)ignored;
        lg_journal_add_event(batch, &at, &told, &at);
    }
    if (lg_journal_commit(batch, NULL, NULL, &error) != LG_OK) {
        fail("not written", &error);
    }
}

static void record(recorder *r, const char *path)
{
    lg_trace_set *set;
    lg_error error;
    if (lg_trace_open(path, NULL, &set, &error) != LG_OK) {
        fail(path, &error);
    }
    for (size_t i = 0; i < set->count; i++) {
        tell(r, &set->traces[i], true);
        tell(r, &set->traces[i], false);
        r->now.seconds++;
    }
    lg_trace_close(set);
}

int main(int argc, char **argv)
{
    recorder r = {.now = {1700000000, 0}};
    lg_pack *pack;
    lg_error error;
    size_t count;
    if (argc < 3) {
        fail("give a pack, a log and recordings", NULL);
    }
    if (lg_pack_load(argv[1], NULL, &pack, &error, 1, &count) != LG_OK ||
        lg_store_open(&(lg_store_options){.path = argv[2]}, &r.store, &error) != LG_OK) {
        fail("cannot be opened", &error);
    }
    lg_journal_law law = {.now = r.now, .pack = pack, .explain = LG_EXPLAIN_ALL, .recorded = true};
    if (lg_journal_new(r.store, &r.journal) != LG_OK ||
        lg_session_new(pack, NULL, &r.session) != LG_OK ||
        lg_journal_add_law(r.journal, &law, &r.law, &error) != LG_OK) {
        fail("cannot begin", NULL);
    }
    lg_session_set_recorded(r.session, true);
    for (int i = 3; i < argc; i++) {
        record(&r, argv[i]);
    }
    lg_session_free(r.session);
    lg_journal_free(r.journal);
    lg_store_close(r.store);
    lg_pack_free(pack);
    printf("%zu %zu\n", r.decisions, r.gated);
    return 0;
}
