// The public functions with ids, keys, names and texts of every length: 0 to 600 bytes, and those
// about the sizes of pages, of 16 bits, and beyond. Texts are plain, of characters of several bytes,
// and hostile. What is shown of them is right, is UTF-8, and holds nothing that a terminal obeys.
#include "base/buf.h"
#include "base/str.h"
#include "base/utf8.h"
#include "lg_test.h"
#include "json/json.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ledgergate/ledgergate.h>

static const size_t long_lengths[] = {4095, 4096, 4097, 65535, 65536, 70000};

#define SHORT_MAX 600u
#define LENGTHS (SHORT_MAX + 1 + LG_COUNT(long_lengths))

static size_t length; // that the test is at

static size_t length_at(size_t index)
{
    length = index <= SHORT_MAX ? index : long_lengths[index - SHORT_MAX - 1];
    return length;
}

// --- Texts --------------------------------------------------------------------------------------

typedef enum fill { PLAIN, WIDE, HOSTILE, FILLS } fill;

// Exactly `size` bytes, and UTF-8.
static lg_str text_of(lg_arena *arena, size_t size, fill with)
{
    static const char *const units[] = {"x", "\xC3\xA9",
                                        "\"\\\x1B[31m\n~/\x7F\xC2\x9B\xE2\x82\xAC"};
    lg_str unit = lg_str_c(units[with]);
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_buf_add_repeat(&out, 'a', size % unit.len);
    while (out.len < size) {
        lg_buf_add(&out, unit);
    }
    lg_str text = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return text;
}

static lg_str quoted(lg_arena *arena, lg_str text)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print_str(&out, text);
    lg_str made = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return made;
}

// `format` with each `@` as the text in quotes, and each `^` as the text alone.
static lg_str fill_in(lg_arena *arena, const char *format, lg_str text)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_str in_quotes = quoted(arena, text);
    for (const char *c = format; *c; c++) {
        if (*c == '@') {
            lg_buf_add(&out, in_quotes);
        } else if (*c == '^') {
            lg_buf_add(&out, text);
        } else {
            lg_buf_add_byte(&out, *c);
        }
    }
    lg_str made = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return made;
}

// --- What is shown ------------------------------------------------------------------------------

static bool is_utf8(lg_str s)
{
    return lg_utf8_valid_prefix(s) == s.len;
}

static bool is_clean(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool c1 = c == 0xC2 && i + 1 < s.len && (unsigned char)s.ptr[i + 1] < 0xA0;
        if ((c < 0x20 && c != '\n') || c == 0x7F || c1) {
            return false;
        }
    }
    return is_utf8(s);
}

// JSON, which may hold DEL and what follows U+0080 as they are.
static bool is_json_text(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.ptr[i] < 0x20 && s.ptr[i] != '\n') {
            return false;
        }
    }
    return is_utf8(s);
}

static void check_error(const lg_error *error)
{
    lg_str msg = lg_str_c(error->msg);
    CHECK(error->status != LG_OK && msg.len > 0 && msg.len < sizeof(error->msg));
    CHECK(is_clean(msg) && lg_str_find(msg, LG_STR("\n")) == SIZE_MAX);
    bool full = msg.len + 4 >= sizeof(error->msg);
    CHECK(!full || length <= SHORT_MAX || lg_str_ends(msg, LG_STR("..."))); // cut, and shown to be
}

static void check_finding(const lg_finding *f)
{
    CHECK(f->message.len > 0 && is_clean(f->message));
    CHECK(f->rule.len > 0);
    for (size_t i = 0; i < f->missing_count; i++) {
        CHECK(is_json_text(f->missing[i].path) && is_json_text(f->missing[i].read));
    }
}

static void check_decision(const lg_decision *d)
{
    CHECK((d->verdict == LG_ALLOW) == (d->message.len == 0) && is_clean(d->message));
    for (size_t i = 0; i < d->finding_count; i++) {
        check_finding(&d->findings[i]);
    }
    for (size_t i = 0; i < d->report_count; i++) {
        check_finding(&d->reports[i]);
    }
    for (size_t i = 0; i < d->evidence_count; i++) {
        CHECK(is_json_text(d->evidence[i].path) && is_json_text(d->evidence[i].value));
        CHECK(d->evidence[i].value.len <= LG_EVIDENCE_BYTES_MAX);
    }
    for (size_t i = 0; i < d->hint_count; i++) {
        CHECK(is_json_text(d->hints[i].path) && is_json_text(d->hints[i].value));
    }
}

// --- A conversation -----------------------------------------------------------------------------

static const char desk[] =
    "pack: desk\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "ledger: {orders.*: {type: object}, notes.*: {type: string}}\n"
    "tools:\n"
    "  get:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: {type: object}\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  note:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: text\n"
    "    stores: [{at: 'notes[args.id]'}]\n"
    "  pay:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}, to: {type: string},\n"
    "      way: {enum: [a, b]}}, required: [id]}\n"
    "  name: {kind: write, parameters: {type: object, properties: {id: {type: string}, to: {type: "
    "string}}}}\n"
    "rules:\n"
    "  named: {tools: [name], that: 'ledger.notes[args.id] == args.to', offer: [args.to], say: x}\n"
    "  known:\n"
    "    tools: [pay]\n"
    "    that: ledger.orders[args.id].name == args.to\n"
    "    needs: ['ledger.orders[args.id]']\n"
    "    say: 'order {args.id} is {ledger.orders[args.id]}'\n"
    "  keys:\n"
    "    tools: [pay]\n"
    "    that: ledger.orders[args.id].all(k, ledger.orders[args.id][k] == args.to)\n"
    "    say: '{args}'\n"
    "  noted:\n"
    "    tools: [pay]\n"
    "    that: ledger.notes[args.id] == args.to\n"
    "    needs: ['ledger.notes[args.id]']\n"
    "    stale: reread\n"
    "    otherwise: block\n"
    "    say: '{ledger.notes[args.id]}'\n"
    "conversation:\n"
    "  rules:\n"
    "    once: {never: {from: {result: pay, key: args.id}, to: {call: pay, key: args.id}}}\n"
    "    then: {after: {result: get, key: args.id}, must: {result: pay, key: args.id},\n"
    "      within: {events: 2}, say: 'pay {key}'}\n"
    "    short: {that: 'message.size() < 300', at: {message: agent}, say: '{message}'}\n";

// One line of JSON, and the same once more.
static void check_json(lg_session *session, const lg_decision *d)
{
    lg_str json[2] = {{0}};
    for (size_t i = 0; i < 2; i++) {
        CHECK(lg_decision_json(session, d, &json[i], NULL) == LG_OK);
    }
    CHECK(json[0].len > 0 && is_json_text(json[0]) && lg_str_eq(json[0], json[1]));
    CHECK(lg_str_find(json[0], LG_STR("\n")) == SIZE_MAX);
    lg_json_doc *doc = NULL;
    CHECK(lg_json_parse(json[0], NULL, &doc, NULL) == LG_OK);
    lg_json_doc_free(doc);
    for (size_t i = 0; i < d->finding_count; i++) {
        lg_str finding = {0};
        CHECK(lg_finding_json(session, &d->findings[i], &finding, NULL) == LG_OK);
        CHECK(is_json_text(finding) && lg_str_find(json[0], finding) != SIZE_MAX);
    }
}

static const lg_decision *decide_event(lg_session *session, const lg_event *proposed)
{
    const lg_decision *decision = NULL;
    lg_error error = {.status = LG_OK};
    if (!CHECK(lg_decide(session, proposed, 1, &decision, &error) == LG_OK)) {
        return NULL;
    }
    check_decision(decision);
    check_json(session, decision);
    return decision;
}

static const lg_decision *decide(lg_session *session, lg_str tool, lg_str args)
{
    lg_event call = {.kind = LG_EVENT_CALL, .tool = tool, .args = args};
    return decide_event(session, &call);
}

// A call and its answer at once.
static lg_event came(lg_str tool, lg_str args, lg_str text, uint32_t turn)
{
    return (lg_event){.kind = LG_EVENT_RESULT,
                      .has_turn = true,
                      .turn = turn,
                      .tool = tool,
                      .args = args,
                      .text = text};
}

static lg_observed observe(lg_session *session, const lg_event *event)
{
    lg_observed observed = LG_OBSERVED_NOTHING;
    lg_error error = {.status = LG_OK};
    CHECK(lg_observe(session, event, &observed, &error) == LG_OK);
    bool accepted = observed != LG_OBSERVED_UNREADABLE && observed != LG_OBSERVED_REJECTED &&
                    observed != LG_OBSERVED_UNVERIFIED;
    const lg_rejection *rejection = lg_rejected(session);
    CHECK(accepted == (rejection == NULL));
    if (rejection) {
        check_error(&error);
        CHECK(is_clean(lg_str_c(rejection->message)) && is_clean(rejection->condition));
        lg_str json = {0};
        CHECK(lg_rejection_json(session, rejection, &json, NULL) == LG_OK && is_json_text(json));
    }
    return observed;
}

static bool has_path(const lg_decision *d, lg_str path)
{
    for (size_t i = 0; d && i < d->evidence_count; i++) {
        if (lg_str_eq(d->evidence[i].path, path)) {
            return true;
        }
    }
    return false;
}

static bool is_plain(lg_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (id.ptr[i] != 'a' && id.ptr[i] != 'x') {
            return false;
        }
    }
    return id.len > 0;
}

// The path of record `id` in `place`, as it is written.
static lg_str path_of(lg_arena *arena, const char *place, lg_str id)
{
    lg_str in_quotes = quoted(arena, id);
    return is_plain(id) ? lg_arena_printf(arena, "ledger.%s.%.*s", place, LG_FMT(id))
                        : lg_arena_printf(arena, "ledger.%s[%.*s]", place, LG_FMT(in_quotes));
}

static void render(lg_session *session)
{
    static const lg_render_options options[] = {
        {.compact = true}, {.types = true}, {.compact = true, .budget_bytes = 700}};
    for (size_t i = 0; i < LG_COUNT(options); i++) {
        lg_str text;
        if (CHECK(lg_render(session, &options[i], &text, NULL) == LG_OK)) {
            CHECK(text.len > 0 && is_json_text(text));
        }
    }
}

// A write whose id is the text, in a fork and then in the session.
static void answered_by_id(lg_session *session, lg_str args, lg_str id)
{
    lg_session *fork = NULL;
    lg_event call = came(LG_STR("pay"), args, (lg_str){NULL, 0}, 2);
    call.kind = LG_EVENT_CALL;
    call.id = id;
    lg_event answer = {.kind = LG_EVENT_RESULT, .id = id, .text = id};
    if (!CHECK(lg_session_fork(session, &fork) == LG_OK)) {
        return;
    }
    CHECK(observe(fork, &call) == LG_OBSERVED_OPEN);
    render(fork);
    CHECK(observe(fork, &answer) == LG_OBSERVED_WRITE);
    lg_event again = {.kind = LG_EVENT_ERROR, .id = id, .text = id};
    lg_error error = {.status = LG_OK};
    CHECK(lg_observe(fork, &again, NULL, &error) == LG_ERR_USAGE);
    check_error(&error);
    CHECK(lg_session_restore(fork, session) == LG_OK);
    CHECK(observe(session, &call) == LG_OBSERVED_OPEN);
    CHECK(observe(session, &answer) == LG_OBSERVED_WRITE);
    CHECK(lg_session_restore(session, fork) == LG_OK); // before the call
    CHECK(observe(session, &call) == LG_OBSERVED_OPEN);
    CHECK(observe(session, &answer) == LG_OBSERVED_WRITE);
    lg_session_free(fork);
}

// Nothing is known of the id, then all, then all of it is stale.
static void judge(lg_session *session, lg_arena *arena, lg_str id)
{
    lg_str args = fill_in(arena, "{\"id\": @, \"to\": @}", id);
    lg_str to = fill_in(arena, "{\"id\": @, \"to\": @, \"way\": @}", id);
    lg_str order = path_of(arena, "orders", id);
    const lg_decision *d = decide(session, LG_STR("pay"), args);
    if (CHECK(d && d->finding_count >= 1 && d->findings[0].missing_count == 1)) {
        CHECK(lg_str_eq(d->findings[0].missing[0].path, order));
    }
    // Reads are not judged.
    lg_event read =
        came(LG_STR("get"), fill_in(arena, "{\"id\": @, @: 1}", id), (lg_str){NULL, 0}, 1);
    read.text = fill_in(arena, "{\"name\": \"n\", @: @, \"k@\": 1}", LG_STR("z"));
    CHECK(observe(session, &read) == LG_OBSERVED_UNREADABLE); // no JSON
    read.text = fill_in(arena, "{\"name\": \"n\", @: @}", id);
    CHECK(observe(session, &read) == LG_OBSERVED_RECORDS);
    lg_event note = came(LG_STR("note"), read.args, id, 1);
    CHECK(observe(session, &note) == LG_OBSERVED_RECORDS);
    d = decide(session, LG_STR("pay"), to);
    CHECK(has_path(d, lg_arena_printf(arena, "%.*s.name", LG_FMT(order))));
    CHECK(has_path(d, path_of(arena, "notes", id)));
    d = decide(session, LG_STR("name"), fill_in(arena, "{\"id\": @, \"to\": \"another\"}", id));
    CHECK(d && d->hint_count == 1); // that is checked like all of the decision
    answered_by_id(session, to, id);
    d = decide(session, LG_STR("pay"), to);
    CHECK(d && d->verdict != LG_ALLOW);
}

// Names that nobody declares, arguments that are none, results that are not readable.
static void stray(lg_session *session, lg_arena *arena, lg_str id)
{
    decide(session, id, LG_STR("{}"));
    decide(session, LG_STR("pay"), id);
    decide(session, LG_STR("pay"), fill_in(arena, "{@: @}", id));
    decide(session, LG_STR("pay"), fill_in(arena, "{\"id\": [@], \"way\": @}", id));
    lg_event nobodys = came(id, LG_STR("{}"), id, 3);
    if (id.len) {
        observe(session, &nobodys);
        nobodys.role = LG_ROLE_USER;
        observe(session, &nobodys);
    }
    lg_event read = came(LG_STR("get"), fill_in(arena, "{\"id\": @}", id), id, 3);
    CHECK(observe(session, &read) == LG_OBSERVED_UNREADABLE);
    read.kind = LG_EVENT_ERROR;
    observe(session, &read);
    read.args = fill_in(arena, "{^", id); // counts as {}
    observe(session, &read);
}

static void talk(lg_session *session, lg_str text)
{
    const lg_obligation *owed;
    size_t count;
    lg_event message = {.kind = LG_EVENT_MESSAGE, .has_turn = true, .turn = 4, .text = text};
    decide_event(session, &message);
    for (lg_role role = LG_ROLE_AGENT; role <= LG_ROLE_SYSTEM; role++) {
        message.role = role;
        CHECK(observe(session, &message) == LG_OBSERVED_NOTHING);
    }
    const lg_finding *found = lg_found(session, &count);
    for (size_t i = 0; i < count; i++) {
        check_finding(&found[i]);
    }
    CHECK(lg_owed(session, &owed, &count, NULL) == LG_OK);
    for (size_t i = 0; i < count; i++) {
        CHECK(owed[i].message.len > 0 && is_clean(owed[i].message) && is_utf8(owed[i].key));
        lg_str json = {0};
        CHECK(lg_obligation_json(session, &owed[i], true, &json, NULL) == LG_OK);
        CHECK(is_json_text(json));
    }
}

static void conversations(void)
{
    lg_pack *pack = NULL;
    lg_session *session = NULL;
    lg_arena arena;
    lg_str text = {desk, sizeof(desk) - 1};
    lg_arena_init(&arena, 0);
    if (!CHECK(lg_pack_load_text(text, "desk", NULL, &pack, NULL, 0, NULL) == LG_OK) ||
        !CHECK(lg_session_new(pack, NULL, &session) == LG_OK)) {
        return;
    }
    for (size_t i = 0; i < LENGTHS * FILLS; i++) {
        lg_str id = text_of(&arena, length_at(i / FILLS), (fill)(i % FILLS));
        lg_session_reset(session);
        judge(session, &arena, id);
        stray(session, &arena, id);
        talk(session, id);
        render(session);
        lg_arena_reset(&arena);
    }
    lg_session_free(session);
    lg_pack_free(pack);
    lg_arena_done(&arena);
}

// --- Packs --------------------------------------------------------------------------------------

// Whatever has a name has it of this length.
static const char named[] = "pack: @\n"
                            "version: @\n"
                            "description: @\n"
                            "types: {@: {type: object, properties: {^: {type: string}}}}\n"
                            "ledger: {^.*: {$ref: '#/types/^'}, ^s: {type: string}}\n"
                            "tools:\n"
                            "  ^:\n"
                            "    kind: write\n"
                            "    description: @\n"
                            "    parameters: {type: object, properties: {^: {type: string}}}\n"
                            "    effects: []\n"
                            "  ^r:\n"
                            "    kind: read\n"
                            "    parameters: {type: object, properties: {^: {type: string}}}\n"
                            "    returns: {type: object}\n"
                            "    stores: [{at: '^[args.^]'}]\n"
                            "rules:\n"
                            "  ^:\n"
                            "    tools: [^]\n"
                            "    let: {^: 'ledger.^[args.^].^'}\n"
                            "    that: ^ == args.^ + '^'\n"
                            "    needs: ['ledger.^[args.^]']\n"
                            "    say: '{^} ^ {args.^}'\n"
                            "    because: @\n"
                            "conversation:\n"
                            "  signals: {^: {once: {call: any, when: \"args.^ == '^'\"}}}\n"
                            "  rules:\n"
                            "    ^c: {that: \"^ || args.^ == '^'\", at: ^, say: '{args.^}'}\n";

// Each has a mistake that names it.
static const char *const mistaken[] = {
    "@: 1\n",
    "pack: p\nversion: 1.0.0\n@: 1\n",
    "pack: p\nversion: 1.0.0\nclock: @\n",
    "pack: p\nversion: 1.0.0\nunknown_tools: @\n",
    "pack: p\nversion: 1.0.0\nledger: {@: {type: string}, a: @}\n",
    "pack: p\nversion: 1.0.0\ntypes: {@: {type: @}, T: {enum: @}, U: {pattern: @, format: @}}\n",
    "pack: p\nversion: 1.0.0\ntypes: {@: {properties: {@: {type: [@]}}, required: @, $ref: @}}\n",
    "pack: p\nversion: 1.0.0\ntools: {@: {kind: @, @: @}, b: @}\n",
    "pack: p\nversion: 1.0.0\ntools: {@: {kind: read, parameters: {}, stores: [{at: @}]}}\n",
    "pack: p\nversion: 1.0.0\ntools: {a: {kind: write, parameters: {}}}\n"
    "rules: {@: {tools: [@], that: @, say: @}}\n",
    "pack: p\nversion: 1.0.0\ntools: {a: {kind: write, parameters: {}}}\n"
    "rules: {r: {tools: [a], that: 'ledger.^ == args.^', let: {@: @}, say: '{^}', needs: [@]}}\n",
    "pack: p\nversion: 1.0.0\ndefine: {@: @, '^(^)': ^}\n",
    "pack: p\nversion: 1.0.0\ninvariants: [{id: @, that: @}]\n",
    "pack: p\nversion: 1.0.0\nconversation: {patterns: {@: {call: @, @: @}}, signals: {@: @},\n"
    "  rules: {@: {never: {from: @, to: @}}, b: {after: @, must: @, within: {@: 1}}}}\n",
    "pack: p\nversion: 1.0.0\nledger: {s: {type: string}}\n"
    "state: {box: {type: object, additionalProperties: {type: object, properties: {a: {}},\n"
    "  additionalProperties: {enum: [@]}}}}\n"
    "tools:\n"
    "  a:\n"
    "    kind: write\n"
    "    parameters: {}\n"
    "    effects: [{set: box, to: \"{'^': {'^': '^!'}}\"}, {set: '^.^', to: @}]\n",
};

static void judge_named(const lg_pack *pack, lg_arena *arena, lg_str name)
{
    lg_session *session = NULL;
    if (!CHECK(lg_session_new(pack, NULL, &session) == LG_OK)) {
        return;
    }
    CHECK(lg_str_eq(lg_pack_name(pack), name) && lg_str_eq(lg_pack_version(pack), name));
    lg_str args = fill_in(arena, "{@: @}", name);
    decide(session, name, args);
    CHECK(lg_pack_tool_count(pack) == 2);
    CHECK(lg_str_eq(lg_pack_tool_at(pack, 0).name, name) && lg_pack_tool_at(pack, 0).writes);
    CHECK(lg_pack_tool_at(pack, 1).reads && !lg_pack_tool_at(pack, 1).by_user);
    lg_event read = came(lg_arena_printf(arena, "%.*sr", LG_FMT(name)), args, args, 1);
    CHECK(observe(session, &read) == LG_OBSERVED_RECORDS);
    const lg_decision *d = decide(session, name, args);
    CHECK(has_path(d, lg_arena_printf(arena, "args.%.*s", LG_FMT(name))));
    CHECK(d && d->verdict == LG_REVISE);
    render(session);
    lg_session_free(session);
}

// True if it loads; else all that is wrong is said.
static bool load(lg_str text, lg_pack **ret)
{
    lg_error errors[20];
    size_t count = 0;
    lg_status status =
        lg_pack_load_text(text, "sweep", NULL, ret, errors, LG_COUNT(errors), &count);
    CHECK((status == LG_OK) == (count == 0));
    for (size_t i = 0; i < count && i < LG_COUNT(errors); i++) {
        check_error(&errors[i]);
    }
    return status == LG_OK;
}

static void packs_with_names(void)
{
    lg_arena arena;
    size_t loaded = 0;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LENGTHS; i++) {
        lg_pack *pack = NULL;
        lg_str name = text_of(&arena, length_at(i), PLAIN);
        if (load(fill_in(&arena, named, name), &pack)) {
            judge_named(pack, &arena, name);
            loaded++;
        } else {
            CHECK(name.len == 0 || name.len > SHORT_MAX);
        }
        lg_pack_free(pack);
        lg_arena_reset(&arena);
    }
    CHECK(loaded >= SHORT_MAX);
    lg_arena_done(&arena);
}

static void packs_with_mistakes(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LENGTHS * LG_COUNT(mistaken); i++) {
        lg_pack *pack = NULL;
        size_t index = i / LG_COUNT(mistaken);
        lg_str name = text_of(&arena, length_at(index), (fill)(index % FILLS));
        CHECK(!load(fill_in(&arena, mistaken[i % LG_COUNT(mistaken)], name), &pack));
        lg_pack_free(pack);
        lg_arena_reset(&arena);
    }
    lg_arena_done(&arena);
}

// --- Files --------------------------------------------------------------------------------------

static const char tiny[] = "pack: p\nversion: '1'\nledger: {s: {type: string}}\n"
                           "tools: {a: {kind: generic, parameters: {}}}\n";

static void load_path(const char *path, bool wanted)
{
    lg_pack *pack = NULL;
    lg_error errors[2];
    size_t count = 0;
    lg_status status = lg_pack_load(path, NULL, &pack, errors, 2, &count);
    if (CHECK((status == LG_OK) == wanted) && status != LG_OK) {
        check_error(&errors[0]);
    }
    lg_pack_free(pack);
}

static void write_tiny(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        fputs(tiny, file);
        fclose(file);
    }
}

// `folder`/././...x of `size` bytes, which is a file unless the path is too long for one.
static void packs_by_path(void)
{
    char folder[] = "/tmp/ledgergate-sweep-XXXXXX";
    lg_arena arena;
    lg_arena_init(&arena, 0);
    if (!CHECK(mkdtemp(folder) != NULL)) {
        return;
    }
    const char *file = lg_arena_printf(&arena, "%s/p.yaml", folder).ptr;
    write_tiny(file);
    for (size_t i = 0; i < LENGTHS; i++) {
        size_t size = length_at(i);
        lg_str none = text_of(&arena, size, (fill)(i % FILLS));
        load_path(none.ptr, false);
        lg_buf path;
        lg_buf_init(&path, 0);
        lg_buf_add_c(&path, folder);
        while (path.len + sizeof("/p.yaml") <= size) {
            lg_buf_add_c(&path, (size - path.len) % 2 ? "/" : "/.");
        }
        lg_buf_add_c(&path, "/p.yaml");
        load_path(lg_arena_str(&arena, lg_buf_str(&path)).ptr, path.len < 4096);
        lg_buf_done(&path);
    }
    unlink(file);
    for (size_t size = 1; size <= 255; size++) {
        lg_str name = text_of(&arena, size, size % 2 ? PLAIN : WIDE);
        const char *path = lg_arena_printf(&arena, "%s/%.*s", folder, LG_FMT(name)).ptr;
        write_tiny(path);
        load_path(path, true);
        unlink(path);
    }
    rmdir(folder);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(packs_with_names);
    RUN(packs_with_mistakes);
    RUN(packs_by_path);
    RUN(conversations);
    return lg_test_done();
}
