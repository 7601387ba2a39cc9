// live.c: tells recordings to the public interface, event by event, as a program beside an agent would.
//
//     live PACK RECORDING [FORKS]
//
// Prints a JSON line for each thing that comes back: decisions, findings, rejections, what is owed at the end; the
// test compares them with what `ledgergate replay --json` prints. With FORKS it also keeps a fork before each
// event, goes back to so many of them in each conversation (0: all), and goes on from there, in the session
// itself and in the fork: what comes then must be, byte for byte, what came before.
#include <ledgergate/ledgergate.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

#define TOGETHER_MAX 256u

typedef struct telling {
    lg_session *session;
    const lg_trace *trace;
    lg_buf out;
    size_t judged; // all calls before it are
} telling;

static void fail(const char *what, const lg_error *error)
{
    fprintf(stderr, "live: %s: %s\n", what, error ? error->msg : "");
    exit(3);
}

static void add_line(lg_buf *out, const char *kind, lg_str json)
{
    lg_buf_addf(out, "{\"%s\":", kind);
    lg_buf_add(out, json);
    lg_buf_add_c(out, "}\n");
}

static void add_findings(telling *t, const lg_finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lg_str json;
        if (lg_finding_json(t->session, &findings[i], &json, NULL) != LG_OK) {
            fail("a finding as JSON", NULL);
        }
        add_line(&t->out, "finding", json);
    }
}

// --- What comes back ----------------------------------------------------------------------------

static void decide(telling *t, size_t index, size_t count)
{
    lg_event proposed[TOGETHER_MAX] = {{0}};
    char ids[TOGETHER_MAX][LG_TRACE_ID_BYTES];
    const lg_decision *decisions;
    lg_error error;
    if (count > TOGETHER_MAX) {
        fail("a message of too many calls", NULL);
    }
    for (size_t i = 0; i < count; i++) {
        proposed[i] = lg_trace_event_at(t->trace, index + i, ids[i]);
    }
    if (lg_decide(t->session, proposed, count, &decisions, &error) != LG_OK) {
        fail("no verdict", &error);
    }
    for (size_t i = 0; i < count; i++) {
        lg_str json;
        if (lg_decision_json(t->session, &decisions[i], &json, NULL) != LG_OK) {
            fail("a decision as JSON", NULL);
        }
        if (decisions[i].gated) {
            add_line(&t->out, "decision", json);
        }
        add_findings(t, decisions[i].reports, decisions[i].report_count);
    }
}

static void observe(telling *t, size_t index)
{
    char id[LG_TRACE_ID_BYTES];
    lg_event event = lg_trace_event_at(t->trace, index, id);
    lg_observed observed;
    lg_error error;
    bool is_answer = event.kind == LG_EVENT_RESULT || event.kind == LG_EVENT_ERROR;
    if (is_answer && t->trace->events[index].other == LG_NO_EVENT) {
        return; // to no call
    }
    if (lg_observe(t->session, &event, &observed, &error) != LG_OK) {
        fail("not taken in", &error);
    }
    const lg_rejection *rejection = lg_rejected(t->session);
    if (rejection) {
        lg_str json;
        if (lg_rejection_json(t->session, rejection, &json, NULL) != LG_OK) {
            fail("a rejection as JSON", NULL);
        }
        add_line(&t->out, "rejection", json);
    }
    size_t count;
    const lg_finding *found = lg_found(t->session, &count);
    add_findings(t, found, count);
}

static void owe(telling *t)
{
    const lg_obligation *owed;
    size_t count;
    lg_error error;
    if (lg_owed(t->session, &owed, &count, &error) != LG_OK) {
        fail("what is owed", &error);
    }
    for (size_t i = 0; i < count; i++) {
        lg_str json;
        if (lg_obligation_json(t->session, &owed[i], true, &json, NULL) != LG_OK) {
            fail("a debt as JSON", NULL);
        }
        add_line(&t->out, "owed", json);
    }
}

static void tell_event(telling *t, size_t index)
{
    size_t together = index < t->judged ? 0 : lg_trace_calls_together(t->trace, index);
    if (together) {
        decide(t, index, together);
        t->judged = index + together;
    }
    observe(t, index);
}

// --- Forks --------------------------------------------------------------------------------------

typedef struct stand {
    lg_session *fork;
    size_t printed;
    size_t judged;
} stand;

// Goes on from the stand in `session`: must print what was printed before.
static bool again(const telling *first, const stand *at, size_t index, lg_session *session)
{
    telling t = {.session = session, .trace = first->trace, .judged = at->judged};
    lg_buf_init(&t.out, 0);
    for (size_t i = index; i < t.trace->count; i++) {
        tell_event(&t, i);
    }
    owe(&t);
    lg_str text = lg_buf_str(&first->out);
    bool same = lg_str_eq(lg_buf_str(&t.out), lg_str_slice(text, at->printed, text.len));
    if (!same) {
        fprintf(stderr, "live: %.*s: from event %zu on it is different after going back\n",
                LG_FMT(t.trace->name), index);
    }
    lg_buf_done(&t.out);
    return same;
}

static bool go_back(telling *t, const stand *stands, size_t forks)
{
    bool same = true;
    size_t count = t->trace->count;
    size_t step = forks && forks < count ? count / forks : 1;
    for (size_t i = 0; i < count && same; i += step) {
        if (lg_session_restore(t->session, stands[i].fork) != LG_OK) {
            fail("going back", NULL);
        }
        same = again(t, &stands[i], i, t->session) && again(t, &stands[i], i, stands[i].fork);
    }
    return same;
}

static bool tell(lg_session *session, const lg_trace *trace, bool with_forks, size_t forks)
{
    telling t = {.session = session, .trace = trace};
    bool same = true;
    stand *stands = lg_zalloc((trace->count + 1) * sizeof(*stands));
    if (!stands) {
        fail("out of memory", NULL);
    }
    lg_buf_init(&t.out, 0);
    lg_session_reset(session);
    for (size_t i = 0; i < trace->count; i++) {
        stands[i] = (stand){.printed = t.out.len, .judged = t.judged};
        if (with_forks && lg_session_fork(session, &stands[i].fork) != LG_OK) {
            fail("no fork", NULL);
        }
        tell_event(&t, i);
    }
    owe(&t);
    printf("%.*s", LG_FMT(lg_buf_str(&t.out)));
    if (with_forks) {
        same = go_back(&t, stands, forks);
    }
    for (size_t i = 0; i < trace->count; i++) {
        lg_session_free(stands[i].fork);
    }
    lg_free(stands);
    lg_buf_done(&t.out);
    return same;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: live PACK RECORDING [FORKS]\n");
        return 2;
    }
    lg_pack *pack;
    lg_error error = {0};
    size_t errors;
    lg_trace_set *set;
    lg_session *session;
    if (lg_pack_load(argv[1], NULL, &pack, &error, 1, &errors) != LG_OK) {
        fail("no pack", &error);
    }
    if (lg_trace_open(argv[2], NULL, &set, &error) != LG_OK) {
        fprintf(stderr, "live: %s\n", error.msg);
        lg_pack_free(pack);
        return 2; // no recording
    }
    if (lg_session_new(pack, NULL, &session) != LG_OK) {
        fail("no session", NULL);
    }
    lg_session_set_recorded(session, true);
    bool same = true;
    for (size_t i = 0; i < set->count; i++) {
        same =
            tell(session, &set->traces[i], argc == 4, argc == 4 ? strtoul(argv[3], NULL, 10) : 0) &&
            same;
    }
    lg_session_free(session);
    lg_trace_close(set);
    lg_pack_free(pack);
    return same ? 0 : 1;
}
