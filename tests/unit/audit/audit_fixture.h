// audit_fixture.h: small conversations of a shop, and what an audit says of them in a line.
#ifndef LG_AUDIT_FIXTURE_H
#define LG_AUDIT_FIXTURE_H

#include "audit/audit.h"
#include "lg_test.h"
#include "pack_fixture.h"

// Orders that can be read, cancelled and sent again; a customer who is found by mail.
static const char shop_pack[] =
    "pack: shop\n"
    "version: '1'\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties:\n"
    "      order_id: {type: string}\n"
    "      status: {type: string}\n"
    "      total: {type: number}\n"
    "ledger:\n"
    "  auth.user_id: {type: string}\n"
    "  orders.*: Order\n"
    "tools:\n"
    "  find_user_id_by_email:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {email: {type: string}}}\n"
    "    returns: text\n"
    "    stores: [{at: auth.user_id}]\n"
    "  get_order_details:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}\n"
    "    returns: Order\n"
    "    stores: [{at: 'orders[args.order_id]'}]\n"
    "  cancel_order:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}\n"
    "  pay_order:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {order_id: {type: string}, insurance: {type: "
    "string}}, required: [order_id]}\n"
    "  calculate: {kind: generic, parameters: {type: object, properties: {expression: {type: "
    "string}}}}\n"
    "  transfer_to_human_agents: {kind: generic, parameters: {type: object, properties: {summary: "
    "{type: string}}}}\n";

typedef struct audit_desk {
    lg_pack *pack;
    const lg_pack *packs[1];
    lg_audit *audit;
    lg_trace_set *set;
    const lg_audit_result *result;
    lg_buf text; // of the conversation, then of the answer
} audit_desk;

static inline void audit_open(audit_desk *d, const char *more_of_pack)
{
    char yaml[8192];
    *d = (audit_desk){0};
    snprintf(yaml, sizeof(yaml), "%s%s", shop_pack, more_of_pack);
    d->pack = fixture_pack(yaml);
    d->packs[0] = d->pack;
    lg_buf_init(&d->text, 0);
    lg_audit_options options = {.packs = d->packs, .pack_count = 1};
    CHECK(lg_audit_new(&options, &d->audit, NULL) == LG_OK);
}

static inline void audit_close(audit_desk *d)
{
    lg_audit_free(d->audit);
    lg_trace_close(d->set);
    lg_pack_free(d->pack);
    lg_buf_done(&d->text);
}

// What a conversation consists of.
#define SYSTEM(words) "{\"role\": \"system\", \"content\": \"" words "\"}"
#define USER(words) "{\"role\": \"user\", \"content\": \"" words "\"}"
#define AGENT(words) "{\"role\": \"assistant\", \"content\": \"" words "\"}"
#define CALL_SAYING(words, id, tool, args)                                                         \
    "{\"role\": \"assistant\", \"content\": " words ", \"tool_calls\": [{\"id\": \"" id            \
    "\", \"type\": \"function\", \"function\": {\"name\": \"" tool "\", \"arguments\": \"" args    \
    "\"}}]}"
#define CALL(id, tool, args) CALL_SAYING("null", id, tool, args)
#define ORDER(id) "{\\\"order_id\\\": \\\"" id "\\\"}"
#define ANSWER(id, text)                                                                           \
    "{\"role\": \"tool\", \"tool_call_id\": \"" id "\", \"content\": \"" text "\"}"

static inline const lg_audit_result *audit_of(audit_desk *d, const char *messages)
{
    lg_error why = {0};
    lg_trace_close(d->set);
    d->set = NULL;
    d->result = NULL;
    lg_buf_clear(&d->text);
    lg_buf_addf(&d->text, "{\"messages\": [%s]}", messages);
    lg_trace_options options = {.format = LG_TRACE_OPENAI};
    if (CHECK(lg_trace_import(lg_buf_str(&d->text), "test", &options, &d->set, &why) == LG_OK)) {
        CHECK(d->set->count == 1);
        CHECK(lg_audit_conversation(d->audit, d->set, &d->set->traces[0], &d->result, NULL) ==
              LG_OK);
    } else {
        printf("    %s\n", why.msg);
    }
    return d->result;
}

// Findings of one kind: "severity@event severity@event", or "" without one; "?@event" is undecided.
static inline lg_str audit_says_of(audit_desk *d, const char *messages, const char *kind)
{
    static char room[512];
    const lg_audit_result *r = audit_of(d, messages);
    size_t len = 0;
    for (size_t i = 0; r && i < r->finding_count; i++) {
        if (strcmp(r->findings[i].kind->name, kind) == 0 && len < sizeof(room) - 40) {
            len += (size_t)snprintf(room + len, sizeof(room) - len, "%s%s@%d", len ? " " : "",
                                    lg_severity_name(r->findings[i].severity),
                                    (int)r->findings[i].event);
        }
    }
    for (size_t i = 0; r && i < r->undecided_count; i++) {
        if (strcmp(r->undecided[i].kind->name, kind) == 0 && len < sizeof(room) - 40) {
            len += (size_t)snprintf(room + len, sizeof(room) - len, "%s?@%d", len ? " " : "",
                                    (int)r->undecided[i].event);
        }
    }
    return lg_str_of(room, len);
}

typedef struct audit_sample {
    const char *kind, *want, *messages;
} audit_sample;

static inline void audit_run_samples(const char *more_of_pack, const audit_sample *samples,
                                     size_t count)
{
    audit_desk d;
    audit_open(&d, more_of_pack);
    for (size_t i = 0; i < count; i++) {
        lg_str got = audit_says_of(&d, samples[i].messages, samples[i].kind);
        if (!CHECK_STR(got, samples[i].want)) {
            printf("    sample %zu of %s\n", i, samples[i].kind);
        }
    }
    audit_close(&d);
}

#endif
