// test_request.c: what was asked for in small conversations, of which records, and what comes of it.
#include "base/alloc.h"
#include "lg_test.h"
#include "pack_fixture.h"
#include "request/request.h"

static const char pack_text[] =
    "pack: shop\n"
    "version: '1'\n"
    "customer: ledger.user.id\n"
    "types:\n"
    "  Order: {type: object, properties: {status: {type: string}, note: {type: string}}, required: "
    "[status]}\n"
    "ledger: {user: {type: object, properties: {id: {type: string}}}, orders.*: Order}\n"
    "tools:\n"
    "  get_user: {kind: read, parameters: {type: object, properties: {}}, returns: {type: object, "
    "properties: {id: {type: string}}}, stores: [{at: user}]}\n"
    "  get: {kind: read, parameters: {type: object, properties: {id: {type: string}}}, returns: "
    "Order, stores: [{at: 'orders[args.id]'}]}\n"
    "  cancel: {kind: write, parameters: {type: object, properties: {id: {type: string}}, "
    "required: [id]}, effects: []}\n"
    "  exchange: {kind: write, parameters: {type: object, properties: {id: {type: string}, item: "
    "{type: string}}, required: [id, item]}, effects: []}\n"
    "  gift: {kind: write, parameters: {type: object, properties: {user: {type: string}}, "
    "required: [user]}}\n"
    "  hand_over: {kind: generic, parameters: {type: object, properties: {}}}\n"
    "state: {x: {type: string}}\n"
    "rules:\n"
    "  is_open:\n"
    "    tools: [cancel, exchange]\n"
    "    that: ledger.orders[args.id].status == 'open'\n"
    "    needs: ['ledger.orders[args.id]']\n"
    "    otherwise: block\n"
    "    say: It is not open.\n"
    "    because: Only open orders.\n"
    "  once:\n"
    "    tools: [cancel]\n"
    "    that: \"!ledger.history.exists(h, h.name == 'exchange' && h.args.id == args.id)\"\n"
    "    otherwise: block\n"
    "    say: It was exchanged.\n"
    "  other_item: {tools: [exchange], that: args.item != 'same', say: Another one.}\n"
    "conversation:\n"
    "  rules:\n"
    "    agreed: {before: {first: {message: user, when: \"message.contains('yes')\"}, then: "
    "writes}}\n"
    "requests:\n"
    "  cancel:\n"
    "    tool: cancel\n"
    "    says: sentence.contains('cancel')\n"
    "    unless: [sentence.contains('keep'), \"sentence.contains('not cancel')\"]\n"
    "    about: ledger.orders\n"
    "    means: said.contains('fragile') && record.note == 'fragile'\n"
    "    likely: record.status == 'open'\n"
    "    args: {id: key}\n"
    "    fulfils_also: [hand_over]\n"
    "    because: Orders can be cancelled.\n"
    "  exchange:\n"
    "    tool: exchange\n"
    "    says: sentence.contains('exchange')\n"
    "    about: ledger.orders\n"
    "    where: record.status != 'gone'\n"
    "    when: record.note != 'final'\n"
    "    args: {id: key}\n"
    "  gift:\n"
    "    tool: gift\n"
    "    says: message.contains('gift') && sentence.contains('please')\n"
    "    given: said.contains('birthday')\n"
    "    args: {user: ledger.user.id}\n";

#define USER(words) "{\"role\": \"user\", \"content\": \"" words "\"}, "
#define AGENT(words) "{\"role\": \"assistant\", \"content\": \"" words "\"}, "
#define CALL(tool, args, result)                                                                   \
    "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c\", \"type\": "     \
    "\"function\", \"function\": {\"name\": \"" tool "\", \"arguments\": \"" args "\"}}]}, "       \
    "{\"role\": \"tool\", \"tool_call_id\": \"c\", \"content\": \"" result "\"}, "
#define ID(id) "{\\\"id\\\": \\\"" id "\\\"}"
#define READ(id, status)                                                                           \
    CALL("get", ID(id), "{\\\"status\\\": \\\"" status "\\\", \\\"note\\\": \\\"\\\"}")
#define LOGIN CALL("get_user", "{}", "{\\\"id\\\": \\\"ann\\\"}")
#define TWO READ("#W1", "open") READ("#W2", "open")

typedef struct asked_case {
    const char *what;
    const char *messages; // each ends in ", "
    const char *
        expected; // request key verdict how, one after the other; `-` was withdrawn, `?` incomplete
} asked_case;

static const asked_case cases[] = {
    {"nothing is asked for", TWO USER("Hello."), ""},
    {"a record that is named", TWO USER("cancel #W2"), "cancel #W2 permitted named;"},
    {"in another case, without its sign", TWO USER("cancel w2, now."),
     "cancel #W2 permitted named;"},
    {"no word but a part of one", TWO USER("cancel #W22"),
     "cancel #W1 permitted any;cancel #W2 permitted any;"},
    {"in the sentence that asks, not beside it", TWO USER("cancel #W2. Tell me of #W1!"),
     "cancel #W2 permitted named;"},
    {"beside the sentence that asks", TWO USER("Tell me of #W1. Then cancel it"),
     "cancel #W1 permitted named;"},
    {"in another message", TWO USER("It is W1.") USER("cancel it"), "cancel #W1 permitted said;"},
    {"one that is described",
     TWO CALL("get", ID("#W3"), "{\\\"status\\\": \\\"open\\\", \\\"note\\\": \\\"fragile\\\"}")
         USER("W1 is here.") USER("cancel the fragile one"),
     "cancel #W3 permitted meant;"},
    {"the only one", READ("#W1", "open") USER("cancel it"), "cancel #W1 permitted only;"},
    {"the only one that is likely", READ("#W1", "open") READ("#W2", "shut") USER("cancel it"),
     "cancel #W1 permitted only;"},
    {"one that the agent has named", TWO AGENT("#W2?") USER("cancel it"),
     "cancel #W2 permitted spoken;"},
    {"no record is known", USER("cancel it"), "?cancel  undecided nothing;"},
    {"a rule is against it", READ("#W1", "shut") USER("cancel W1"),
     "cancel #W1 refused named is_open;"},
    {"done", TWO USER("cancel W1") USER("yes") CALL("cancel", ID("#W1"), "ok"),
     "cancel #W1 done named;"},
    {"done of another", TWO USER("cancel W1") CALL("cancel", ID("#W2"), "ok"),
     "cancel #W1 permitted named;"},
    {"done of one of those that may be meant",
     TWO USER("cancel it") CALL("cancel", ID("#W2"), "ok"), "cancel #W1 done any;"},
    {"it failed", TWO USER("cancel W1") CALL("cancel", ID("#W1"), "Error: no"),
     "cancel #W1 permitted named tried;"},
    {"answered in another way", TWO USER("cancel W1") CALL("hand_over", "{}", "ok"),
     "cancel #W1 done named;"},
    {"lost by what was done",
     TWO USER("cancel W1")
         CALL("exchange", "{\\\"id\\\": \\\"#W1\\\", \\\"item\\\": \\\"x\\\"}", "ok"),
     "cancel #W1 forfeited named once;"},
    {"not asked for", TWO USER("Do not cancel #W1."), ""},
    {"taken back", TWO USER("cancel #W1") USER("No, keep it."), "-cancel #W1 permitted named;"},
    {"taken back, and asked for again", TWO USER("cancel #W1") USER("keep it") USER("cancel #W1"),
     "cancel #W1 permitted named;"},
    {"asked for beside what is not", TWO USER("keep #W1. cancel #W2."),
     "cancel #W2 permitted named;"},
    {"arguments that are not known", TWO USER("exchange #W1"), "?exchange #W1 permitted named;"},
    {"a rule is against it whatever they are", READ("#W1", "shut") USER("exchange W1"),
     "?exchange #W1 refused named is_open;"},
    {"what it is not about", READ("#W1", "gone") USER("exchange W1"), ""},
    {"what the pack refuses",
     CALL("get", ID("#W1"), "{\\\"status\\\": \\\"open\\\", \\\"note\\\": \\\"final\\\"}")
         USER("exchange W1"),
     "?exchange #W1 refused named exchange;"},
    {"what the pack cannot tell",
     CALL("get", ID("#W1"), "{\\\"status\\\": \\\"open\\\"}") USER("exchange W1"),
     "?exchange #W1 undecided named exchange;"},
    {"what the customer has to say", LOGIN USER("A gift, please."),
     "gift  undecided nothing gift;"},
    {"and says", LOGIN USER("It is my birthday.") USER("A gift, please."),
     "gift  permitted nothing;"},
    {"without a customer an argument is not known", USER("A birthday gift, please."),
     "?gift  permitted nothing;"},
    {"two requests", TWO USER("cancel #W1. exchange #W2."),
     "cancel #W1 permitted named;?exchange #W2 permitted named;"},
};

typedef struct desk {
    lg_pack *pack;
    lg_session *session;
    lg_trace_set *set;
    lg_arena arena;
} desk;

static void open_talk(desk *d, const char *messages)
{
    static char text[1 << 16];
    size_t length = strlen(messages);
    *d = (desk){.pack = fixture_pack(pack_text)};
    lg_arena_init(&d->arena, 0);
    CHECK(length + 32 < sizeof(text));
    snprintf(text, sizeof(text), "{\"messages\": [%.*s]}", (int)(length - 2), messages);
    lg_error why = {0};
    CHECK_MSG(lg_trace_import(lg_str_c(text), "talk.json", NULL, &d->set, &why) == LG_OK, why.msg);
    CHECK(lg_session_new(d->pack, NULL, &d->session) == LG_OK);
    const lg_trace *trace = &d->set->traces[0];
    for (size_t i = 0; i < trace->count; i++) {
        char id[LG_TRACE_ID_BYTES];
        lg_event event = lg_trace_event_at(trace, i, id);
        CHECK(lg_observe(d->session, &event, NULL, &why) == LG_OK);
    }
}

static void close_talk(desk *d)
{
    lg_session_free(d->session);
    lg_trace_close(d->set);
    lg_pack_free(d->pack);
    lg_arena_done(&d->arena);
}

static void print(lg_buf *out, const lg_requests *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const lg_asked *asked = &found->items[i];
        lg_buf_addf(out, "%s%s%.*s %.*s %s %s%s%.*s%s;", asked->withdrawn == LG_NO_EVENT ? "" : "-",
                    asked->complete ? "" : "?", LG_FMT(asked->request->id), LG_FMT(asked->key),
                    lg_asked_verdict_name(asked->verdict), lg_asked_how_name(asked->how),
                    asked->rule.len ? " " : "", LG_FMT(asked->rule),
                    asked->tried == LG_NO_EVENT ? "" : " tried");
    }
}

static void what_was_asked_for(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        desk d;
        lg_requests found;
        lg_buf out;
        lg_buf_init(&out, 0);
        open_talk(&d, cases[i].messages);
        CHECK(lg_requests_find(d.session, &d.set->traces[0], &d.arena, &found, NULL) == LG_OK);
        CHECK(!found.cut);
        print(&out, &found);
        if (!lg_str_eq(lg_buf_str(&out), lg_str_c(cases[i].expected))) {
            printf("%s: got %.*s, not %s\n", cases[i].what, LG_FMT(lg_buf_str(&out)),
                   cases[i].expected);
            CHECK_MSG(false, cases[i].what);
        }
        lg_buf_done(&out);
        close_talk(&d);
    }
}

static void whom_it_is_about(void)
{
    desk d;
    lg_str customer;
    open_talk(&d, LOGIN USER("Hello"));
    CHECK(lg_customer_of(d.session, &d.arena, &customer, NULL) == LG_OK);
    CHECK(lg_str_eq(customer, LG_STR("ann")));
    close_talk(&d);
    open_talk(&d, USER("Hello"));
    CHECK(lg_customer_of(d.session, &d.arena, &customer, NULL) == LG_OK);
    CHECK(customer.len == 0);
    close_talk(&d);
}

// Nothing that happens in between: the session decides as before.
static void the_session_is_left_as_it_was(void)
{
    desk d;
    lg_requests found;
    const lg_decision *decision;
    open_talk(&d, TWO USER("cancel #W1. yes"));
    CHECK(lg_requests_find(d.session, &d.set->traces[0], &d.arena, &found, NULL) == LG_OK);
    lg_event call = {
        .kind = LG_EVENT_CALL, .tool = LG_STR("cancel"), .args = LG_STR("{\"id\": \"#W1\"}")};
    CHECK(lg_decide(d.session, &call, 1, &decision, NULL) == LG_OK);
    CHECK(decision->verdict == LG_ALLOW && decision->evidence_count > 0);
    close_talk(&d);
}

// More records than a request is followed to, and more words than there are steps for: cut, and said.
static void what_is_too_much_is_cut(void)
{
    desk d;
    lg_requests found;
    lg_buf text;
    lg_buf_init(&text, 0);
    for (int i = 0; i < 40; i++) {
        lg_buf_addf(&text, "%s\\\"id\\\": \\\"k%d\\\"%s",
                    "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c\", "
                    "\"type\": \"function\", \"function\": {\"name\": \"get\", \"arguments\": \"{",
                    i,
                    "}\"}}]}, {\"role\": \"tool\", \"tool_call_id\": \"c\", \"content\": "
                    "\"{\\\"status\\\": "
                    "\\\"open\\\"}\"}, ");
    }
    lg_buf_add_c(&text, USER("cancel it"));
    lg_buf_add(&text, (lg_str){"", 1});
    open_talk(&d, lg_buf_str(&text).ptr);
    CHECK(lg_requests_find(d.session, &d.set->traces[0], &d.arena, &found, NULL) == LG_OK);
    CHECK(found.cut && found.count == LG_ASKED_RECORDS_MAX);
    close_talk(&d);
    lg_buf_done(&text);
}

// Whichever allocation fails: no crash, and no answer that is another one.
static void memory_may_fail(void)
{
    desk d;
    open_talk(&d, TWO LOGIN USER("cancel #W1. exchange it. A birthday gift, please.")
                      CALL("exchange", "{\\\"id\\\": \\\"#W1\\\", \\\"item\\\": \\\"x\\\"}", "ok"));
    lg_requests whole;
    CHECK(lg_requests_find(d.session, &d.set->traces[0], &d.arena, &whole, NULL) == LG_OK);
    bool through = false;
    for (uint64_t n = 1; n < 400 && !through; n++) {
        lg_arena arena;
        lg_requests found;
        lg_error why = {0};
        lg_arena_init(&arena, 0);
        lg_alloc_fail_at(n);
        uint64_t before = lg_alloc_count();
        lg_status status = lg_requests_find(d.session, &d.set->traces[0], &arena, &found, &why);
        through = status == LG_OK && lg_alloc_count() - before < n;
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        CHECK(status != LG_OK || found.count == whole.count);
        for (size_t i = 0; status == LG_OK && i < found.count; i++) {
            CHECK(found.items[i].verdict == whole.items[i].verdict);
        }
        lg_arena_done(&arena);
    }
    CHECK(through);
    close_talk(&d);
}

int main(void)
{
    RUN(what_was_asked_for);
    RUN(whom_it_is_about);
    RUN(the_session_is_left_as_it_was);
    RUN(what_is_too_much_is_cut);
    RUN(memory_may_fail);
    return lg_test_done();
}
