// fuzz_audit.c: the whole audit of every conversation of a recording in any format, by small packs and by none.
//
// Laws: the result is one line of JSON that is read again; a second audit by the same auditor gives the same bytes; what a
// finding points at exists; scores are in their ranges.
#include "audit/audit.h"
#include "drive.h"

static const char shop_pack[] =
    "pack: shop\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
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
    "    parameters: {type: object, properties: {order_id: {type: string}, amount: {type: "
    "number},\n"
    "      on: {type: string, format: date}}, required: [order_id]}\n"
    "  calculate: {kind: generic, parameters: {type: object, properties: {expression: {type: "
    "string}}}}\n"
    "  transfer_to_human_agents: {kind: generic, parameters: {type: object, properties: {summary:\n"
    "    {type: string}}}}\n"
    "rules:\n"
    "  open:\n"
    "    tools: [cancel_order]\n"
    "    that: \"ledger.orders[args.order_id].status == 'pending'\"\n"
    "    say: \"{args.order_id} is {ledger.orders[args.order_id].status}\"\n";

typedef struct desk {
    lg_pack *shop;
    const lg_pack *packs[2];
    lg_audit *audit;
} desk;

static const desk *open_desk(void)
{
    static desk d;
    lg_limits limits = {.memory_bytes = (size_t)64 << 20, .cel_cost = 20000, .ledger_entries = 50};
    if (!d.audit) {
        lg_str text = {shop_pack, sizeof(shop_pack) - 1};
        drive_require(lg_pack_load_text(text, "shop", NULL, &d.shop, NULL, 0, NULL) == LG_OK);
        d.packs[0] = d.shop;
        d.packs[1] = drive_pack();
        lg_audit_options options = {.packs = d.packs, .pack_count = 2, .limits = &limits};
        drive_require(lg_audit_new(&options, &d.audit, NULL) == LG_OK);
    }
    return &d;
}

static void check_result(const lg_audit_result *r)
{
    drive_require(!r->has_aggregate || (r->aggregate >= 0 && r->aggregate <= 100));
    drive_require(!r->has_aggregate || (r->aggregate_once >= 0 && r->aggregate_once <= 100));
    drive_require(!r->has_outcome || (r->outcome >= 0 && r->outcome <= 1));
    drive_require(r->process >= 0 && r->process <= 100);
    drive_require(r->first_unrecoverable == LG_NO_EVENT ||
                  r->first_unrecoverable < r->trace->count);
    for (size_t i = 0; i < LG_EVAL_COUNT; i++) {
        const lg_audit_score *s = &r->scores[i];
        drive_require(!s->ran || (s->score >= 0 && s->score <= 100));
    }
    for (size_t i = 0; i < r->finding_count; i++) {
        const lg_audit_finding *f = &r->findings[i];
        drive_require(f->root < r->finding_count && f->message.len > 0);
        drive_require(f->event == LG_NO_EVENT || f->event < r->trace->count);
    }
}

static void write_result(const lg_audit_result *r, lg_buf *out)
{
    lg_json_writer w = {.out = out};
    lg_json_doc *doc = NULL;
    lg_buf_init(out, 0);
    lg_audit_write(&w, r, LG_STR("fuzz"), 1);
    drive_require(lg_buf_status(out) == LG_OK);
    lg_buf safe;
    lg_buf_init(&safe, 0);
    lg_json_add_safe(&safe, lg_buf_str(out)); // as it is printed
    drive_require(lg_str_find(lg_buf_str(&safe), LG_STR("\n")) == SIZE_MAX);
    drive_require(lg_json_parse(lg_buf_str(&safe), NULL, &doc, NULL) == LG_OK);
    drive_require(lg_json_is(lg_json_root(doc), LG_JSON_OBJECT));
    lg_json_doc_free(doc);
    lg_buf_done(&safe);
}

static void audit_one(const desk *d, const lg_trace_set *set, const lg_trace *trace)
{
    lg_buf texts[2];
    for (size_t i = 0; i < 2; i++) {
        const lg_audit_result *result;
        drive_require(lg_audit_conversation(d->audit, set, trace, &result, NULL) == LG_OK);
        check_result(result);
        write_result(result, &texts[i]);
    }
    drive_require(lg_str_eq(lg_buf_str(&texts[0]), lg_buf_str(&texts[1])));
    lg_buf_done(&texts[0]);
    lg_buf_done(&texts[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const desk *d = open_desk();
    lg_limits limits = {.json_depth = 64,
                        .document_bytes = 64u << 20,
                        .memory_bytes = 64u << 20,
                        .trace_events = 1000};
    lg_trace_options options = {.limits = &limits};
    lg_trace_set *set;
    if (lg_trace_import((lg_str){(const char *)data, size}, "fuzz", &options, &set, NULL) !=
        LG_OK) {
        return 0;
    }
    for (size_t i = 0; i < set->count && i < 4; i++) {
        audit_one(d, set, &set->traces[i]);
    }
    lg_trace_close(set);
    return 0;
}
