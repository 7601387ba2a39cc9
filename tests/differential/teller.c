// teller.c: carries out calls that it is told line by line, and asks the gate about them.
//
//     teller PACK < COMMANDS
//
// Each command is one JSON object a line, and so is each answer:
//
//     {"load": STATE}          makes a state file's document the state, and forgets what was observed
//     {"start": true}          goes back to that state, and forgets likewise
//     {"do": CALL}             carries out {name, arguments, requestor}: {end, text}
//     {"do": CALL, "judge": true}  likewise, unless the gate refuses: {verdict, rules, message, end, text}
//     {"changed": true}        the records that differ from the loaded state: {PLACE: {KEY: RECORD or null}}
//
// What calls return is observed, so that the gate knows it, and so are their errors.
#include <ledgergate/ledgergate.h>

#include "base/buf.h"
#include "world/world.h"
#include "json/json.h"
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct teller {
    lg_world world;
    lg_session *session;
    lg_json_doc *state;
    lg_json_writer out;
} teller;

static void stop(const char *what, const lg_error *error)
{
    fprintf(stderr, "teller: %s: %s\n", what, error ? error->msg : "");
    exit(3);
}

// --- States -------------------------------------------------------------------------------------

// Takes over the document.
static void load(teller *t, lg_json_doc *command)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 5);
    lg_world_file file = {.value = lg_json_get(lg_json_root(command), LG_STR("load"))};
    if (lg_world_load(&t->world, &file, &errors) != LG_OK) {
        stop("the state does not fit the pack", errors.count ? &errors.items[0] : NULL);
    }
    lg_arena_done(&arena);
    lg_json_doc_free(t->state);
    t->state = command;
    lg_session_reset(t->session);
    lg_jw_key(&t->out, "loaded");
    lg_jw_bool(&t->out, true);
}

static bool differ(const lg_json *before, const lg_json *after)
{
    lg_world_differences differences = {.limit = 0};
    lg_world_compare(before, after, &differences);
    if (differences.oom) {
        stop("out of memory", NULL);
    }
    return differences.total > 0;
}

// A collection's records that differ, those that went away as null.
static void write_changed(lg_json_writer *w, const lg_json *before, const lg_json *after)
{
    for (size_t i = 0; i < lg_json_len(after); i++) {
        const lg_json_member *m = lg_json_member_at(after, i);
        lg_str key = {m->key, m->key_len};
        if (differ(lg_json_get(before, key), &m->value)) {
            lg_jw_key_str(w, key);
            lg_jw_json(w, &m->value);
        }
    }
    for (size_t i = 0; i < lg_json_len(before); i++) {
        const lg_json_member *m = lg_json_member_at(before, i);
        lg_str key = {m->key, m->key_len};
        if (!lg_json_get(after, key)) {
            lg_jw_key_str(w, key);
            lg_jw_null(w);
        }
    }
}

static void tell_changed(teller *t)
{
    const lg_json *root = t->world.root;
    lg_jw_key(&t->out, "changed");
    lg_jw_begin_object(&t->out);
    for (size_t i = 0; i < lg_json_len(root); i++) {
        const lg_json_member *m = lg_json_member_at(root, i);
        lg_str key = {m->key, m->key_len};
        lg_jw_key_str(&t->out, key);
        lg_jw_begin_object(&t->out);
        write_changed(&t->out, lg_json_get(t->world.start, key), &m->value);
        lg_jw_end_object(&t->out);
    }
    lg_jw_end_object(&t->out);
}

// --- Calls --------------------------------------------------------------------------------------

static void observe(teller *t, const lg_event *call, const lg_world_outcome *outcome)
{
    lg_error error;
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_world_print_outcome(&text, outcome);
    lg_event answer = {.kind = lg_world_is_error(outcome) ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                       .role = call->role,
                       .tool = call->tool,
                       .json = call->json,
                       .text = lg_buf_str(&text)};
    if (lg_observe(t->session, &answer, NULL, &error) != LG_OK) {
        stop("not observed", &error);
    }
    lg_jw_key(&t->out, "text");
    lg_jw_str(&t->out, lg_buf_str(&text));
    lg_buf_done(&text);
}

static bool judge(teller *t, const lg_event *call)
{
    const lg_decision *decision;
    lg_error error;
    if (lg_decide(t->session, call, 1, &decision, &error) != LG_OK) {
        stop("no verdict", &error);
    }
    lg_jw_key(&t->out, "verdict");
    lg_jw_c(&t->out, lg_verdict_name(decision->verdict));
    lg_jw_key(&t->out, "rules");
    lg_jw_begin_array(&t->out);
    for (size_t i = 0; i < decision->finding_count; i++) {
        lg_jw_str(&t->out, decision->findings[i].rule);
    }
    lg_jw_end_array(&t->out);
    lg_jw_key(&t->out, "message");
    lg_jw_str(&t->out, decision->message);
    return decision->verdict == LG_ALLOW;
}

static void carry_out(teller *t, const lg_event *call)
{
    lg_world_call world_call = {
        .tool = call->tool, .args = call->json, .by_user = call->role == LG_ROLE_USER};
    lg_world_outcome outcome;
    lg_error error;
    lg_world_tidy(&t->world, NULL, 0);
    if (lg_world_call_tool(&t->world, &world_call, &outcome, &error) != LG_OK) {
        stop("not carried out", &error);
    }
    lg_jw_key(&t->out, "end");
    lg_jw_c(&t->out, lg_world_end_name(outcome.end));
    if (outcome.end == LG_WORLD_FAULT) {
        lg_jw_key(&t->out, "fault");
        lg_jw_c(&t->out, outcome.fault.msg);
    }
    if (outcome.result) {
        observe(t, call, &outcome);
    }
}

static void do_call(teller *t, const lg_json *command, const lg_json *call)
{
    bool by_user = lg_str_eq(lg_json_str(lg_json_get(call, LG_STR("requestor"))), LG_STR("user"));
    lg_event event = {.kind = LG_EVENT_CALL,
                      .role = by_user ? LG_ROLE_USER : LG_ROLE_AGENT,
                      .tool = lg_json_str(lg_json_get(call, LG_STR("name"))),
                      .json = lg_json_get(call, LG_STR("arguments"))};
    if (!lg_json_is_true(lg_json_get(command, LG_STR("judge"))) || judge(t, &event)) {
        carry_out(t, &event);
    }
}

// True if the command's document was taken over.
static bool answer(teller *t, lg_json_doc *document)
{
    const lg_json *command = lg_json_root(document);
    const lg_json *call = lg_json_get(command, LG_STR("do"));
    if (call) {
        do_call(t, command, call);
    } else if (lg_json_get(command, LG_STR("changed"))) {
        tell_changed(t);
    } else if (lg_json_get(command, LG_STR("start"))) {
        t->world.root = t->world.start;
        lg_session_reset(t->session);
    } else if (lg_json_get(command, LG_STR("load"))) {
        load(t, document);
        return true;
    } else {
        stop("no such command", NULL);
    }
    return false;
}

static void listen(teller *t)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) > 0) {
        lg_buf text;
        lg_json_doc *document;
        lg_error error;
        if (lg_json_parse((lg_str){line, (size_t)len}, NULL, &document, &error) != LG_OK) {
            stop("a command", &error);
        }
        lg_buf_init(&text, 0);
        t->out = (lg_json_writer){.out = &text};
        lg_jw_begin_object(&t->out);
        if (!answer(t, document)) {
            lg_json_doc_free(document);
        }
        lg_jw_end_object(&t->out);
        printf("%.*s\n", LG_FMT(lg_buf_str(&text)));
        fflush(stdout);
        lg_buf_done(&text);
    }
    free(line);
}

int main(int argc, char **argv)
{
    teller t = {0};
    lg_pack *pack;
    lg_error error = {0};
    size_t errors;
    if (argc != 2) {
        fprintf(stderr, "usage: teller PACK < COMMANDS\n");
        return 2;
    }
    if (lg_pack_load(argv[1], NULL, &pack, &error, 1, &errors) != LG_OK ||
        lg_session_new(pack, NULL, &t.session) != LG_OK) {
        fprintf(stderr, "teller: %s:%u: %s\n", argv[1], error.line, error.msg);
        return 2;
    }
    lg_session_set_explain(t.session, LG_EXPLAIN_NOTHING);
    lg_session_set_recorded(t.session, true);
    lg_world_init(&t.world, pack, NULL);
    listen(&t);
    lg_world_done(&t.world);
    lg_session_free(t.session);
    lg_json_doc_free(t.state);
    lg_pack_free(pack);
    return 0;
}
