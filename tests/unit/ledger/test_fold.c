// test_fold.c: what enters the ledger, what does not, and what a write leaves behind.
#include "ledger_fixture.h"

#include "base/alloc.h"

#define EMPTY "{\"auth\":{},\"orders\":{},\"lines\":{},\"notes\":{},\"history\":[]}"

static void a_ledger_begins_with_empty_collections(void)
{
    shop s;
    shop_open(&s, NULL);
    CHECK_STR(shop_root(&s), EMPTY);
    CHECK(s.ledger.state.entries.count == 0);
    shop_close(&s);
}

// --- What a read stores ---------------------------------------------------------------------------

typedef struct store_case {
    const char *tool, *args, *result;
    const char *root; // after it, of an empty ledger
    uint32_t entries;
} store_case;

static const store_case stores[] = {
    {"find_user", "{}", "ada_1",
     "{\"auth\":{\"user_id\":\"ada_1\"},\"orders\":{},\"lines\":{},\"notes\":{},\"history\":[]}",
     1},
    {"find_user", "{}", "{\"not\": \"read as JSON\"}",
     "{\"auth\":{\"user_id\":\"{\\\"not\\\": \\\"read as JSON\\\"}\"},\"orders\":{},"
     "\"lines\":{},\"notes\":{},\"history\":[]}",
     1},
    {"get_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"total\":5}",
     "{\"auth\":{},\"orders\":{\"1\":{\"id\":\"1\",\"total\":5}},\"lines\":{},\"notes\":{},"
     "\"history\":[]}",
     1},
    // The key is of the arguments, whatever the record says.
    {"get_order", "{\"id\":\"2\"}", "{\"id\":\"1\"}",
     "{\"auth\":{},\"orders\":{\"2\":{\"id\":\"1\"}},\"lines\":{},\"notes\":{},\"history\":[]}", 1},
    // A key that is absent or null: the store is skipped.
    {"get_order", "{}", "{\"id\":\"1\"}", EMPTY, 0},
    {"get_order", "{\"id\":null}", "{\"id\":\"1\"}", EMPTY, 0},
    {"get_note", "{\"id\":\"a\"}", "{\"text\":1}",
     "{\"auth\":{},\"orders\":{},\"lines\":{},\"notes\":{\"a\":{\"text\":1}},\"history\":[]}", 1},
    {"get_note", "{}", "{\"key\":\"k\"}", EMPTY, 0}, // no value to store
    {"get_note", "{}", "{\"key\":\"k\",\"text\":null}",
     "{\"auth\":{},\"orders\":{},\"lines\":{},\"notes\":{\"k\":null},\"history\":[]}", 1},
    // Keys are opaque.
    {"get_order", "{\"id\":\"#W1.a['b']\"}", "{\"id\":\"\"}",
     "{\"auth\":{},\"orders\":{\"#W1.a['b']\":{\"id\":\"\"}},\"lines\":{},\"notes\":{},\"history\":"
     "[]}",
     1},
    {"get_order", "{\"id\":\"\"}", "{\"id\":\"\"}",
     "{\"auth\":{},\"orders\":{\"\":{\"id\":\"\"}},\"lines\":{},\"notes\":{},\"history\":[]}", 1},
    {"get_order", "{\"id\":\"\xc3\xa9\xf0\x9f\x8d\xb0\"}", "{\"id\":\"\"}",
     "{\"auth\":{},\"orders\":{\"\xc3\xa9\xf0\x9f\x8d\xb0\":{\"id\":\"\"}},\"lines\":{},\"notes\":{"
     "},"
     "\"history\":[]}",
     1},
    {"get_order", "{\"id\":\"a\\u0000b\"}", "{\"id\":\"\"}",
     "{\"auth\":{},\"orders\":{\"a\\u0000b\":{\"id\":\"\"}},\"lines\":{},\"notes\":{},\"history\":["
     "]}",
     1},
    // Lists, and lists in lists.
    {"list_orders", "{}",
     "[{\"id\":\"1\",\"total\":3},{\"id\":\"2\",\"total\":1},{\"id\":\"1\",\"total\":3.0}]",
     "{\"auth\":{},\"orders\":{\"1\":{\"id\":\"1\",\"total\":3.0},\"2\":{\"id\":\"2\",\"total\":1}}"
     ","
     "\"lines\":{},"
     "\"notes\":{},\"history\":[]}",
     2},
    {"list_orders", "{}", "[]", EMPTY, 0},
    {"list_lines", "{\"id\":\"1\"}",
     "[{\"lines\":[{\"sku\":1},{\"sku\":2}]},{},{\"lines\":[]},{\"lines\":[{\"sku\":3}]}]",
     "{\"auth\":{},\"orders\":{},\"lines\":{\"1\":{\"1\":{\"sku\":1},\"2\":{\"sku\":2},\"3\":{"
     "\"sku\":3}}},"
     "\"notes\":{},\"history\":[]}",
     3},
    // Conditions.
    {"get_open_order", "{}", "{\"id\":\"1\",\"status\":\"open\"}",
     "{\"auth\":{},\"orders\":{\"1\":{\"id\":\"1\",\"status\":\"open\"}},\"lines\":{},\"notes\":{},"
     "\"history\":[]}",
     1},
    {"get_open_order", "{}", "{\"id\":\"1\",\"status\":\"shut\"}", EMPTY, 0},
    {"get_open_order", "{}", "{\"id\":\"1\"}", EMPTY, 0},
    // A field below a declared path, where no record stands yet.
    {"get_mark", "{\"id\":\"1\"}", "\"red\"",
     "{\"auth\":{},\"orders\":{},\"lines\":{},\"notes\":{\"1\":{\"mark\":\"red\"}},\"history\":[]}",
     1},
};

static void a_read_stores_what_the_pack_says(void)
{
    for (size_t i = 0; i < LG_COUNT(stores); i++) {
        shop s;
        shop_open(&s, NULL);
        CHECK(shop_observe(&s, stores[i].tool, stores[i].args, stores[i].result) ==
              LG_OBSERVED_RECORDS);
        CHECK_STR(shop_root(&s), stores[i].root);
        CHECK(s.ledger.state.entries.count == stores[i].entries);
        shop_close(&s);
    }
}

static void a_record_knows_where_it_came_from(void)
{
    shop s;
    shop_open(&s, NULL);
    s.turn = 7;
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\"}");
    const lg_ledger_entry *entry = shop_entry(&s, "orders", "1");
    if (CHECK(entry != NULL)) {
        CHECK_STR(entry->tool, "get_order");
        CHECK_STR(fixture_print(&s.arena, entry->args), "{\"id\":\"1\"}");
        CHECK_STR(fixture_print(&s.arena, entry->value), "{\"id\":\"1\"}");
        CHECK_STR(entry->declared->text, "orders.*");
        CHECK(entry->turn == 7 && !entry->stale);
    }
    CHECK(!shop_entry(&s, "orders", "2"));
    CHECK(!shop_entry(&s, "orders", NULL));
    lg_str deep[] = {LG_STR("orders"), LG_STR("1"), LG_STR("id"), LG_STR("x")};
    CHECK(lg_ledger_find(&s.ledger.state, deep, 4) == entry);
    // Two paths are not mistaken for one: `a.b` as one key is not `a` and then `b`.
    lg_str joined[] = {LG_STR("orders.1")};
    CHECK(!lg_ledger_find(&s.ledger.state, joined, 1));
    shop_close(&s);
}

static void a_read_replaces_the_whole_record_and_keeps_its_place(void)
{
    shop s;
    shop_open(&s, NULL);
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"total\":5}");
    shop_observe(&s, "get_order", "{\"id\":\"2\"}", "{\"id\":\"2\"}");
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"status\":\"open\"}");
    CHECK_STR(shop_root(&s), "{\"auth\":{},\"orders\":{\"1\":{\"id\":\"1\",\"status\":\"open\"},"
                             "\"2\":{\"id\":\"2\"}},\"lines\":{},\"notes\":{},\"history\":[]}");
    CHECK(s.ledger.state.entries.count == 2);
    CHECK(lg_ledger_entry_at(&s.ledger.state, 0)->turn == 3);
    CHECK(lg_ledger_entry_at(&s.ledger.state, 1)->turn == 2);
    shop_close(&s);
}

// A record that is shown again is held once, and is as fresh as its latest read. What prints otherwise is shown otherwise.
static void a_record_that_is_shown_again_is_the_same(void)
{
    static const char first[] = "{\"id\":\"1\",\"total\":1}";
    static const char *const others[] = {
        "{\"total\":1,\"id\":\"1\"}",
        "{\"total\":1.5,\"id\":\"1\"}",
        "{\"id\":\"1\"}",
    };
    shop s;
    shop_open(&s, NULL);
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", first);
    const lg_json *root = s.ledger.state.root;
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", first);
    CHECK(s.ledger.state.root == root);
    CHECK(shop_entry(&s, "orders", "1")->turn == 2);
    shop_observe(&s, "get_order", "{\"id\":\"1\",\"number\":2}", first);
    CHECK(s.ledger.state.root == root);
    CHECK_STR(fixture_print(&s.arena, shop_entry(&s, "orders", "1")->args),
              "{\"id\":\"1\",\"number\":2}");
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        shop_observe(&s, "get_order", "{\"id\":\"1\"}", others[i]);
        CHECK_STR(fixture_print(&s.arena, lg_json_at(s.ledger.state.root, LG_STR("/orders/1"))),
                  others[i]);
        CHECK_STR(fixture_print(&s.arena, shop_entry(&s, "orders", "1")->value), others[i]);
    }
    shop_close(&s);
}

static void one_field_of_a_record_can_be_replaced(void)
{
    shop s;
    shop_open(&s, NULL);
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"status\":\"a\",\"total\":5}");
    shop_observe(&s, "get_status", "{\"id\":\"1\"}", "{\"status\":\"b\"}");
    const lg_ledger_entry *entry = shop_entry(&s, "orders", "1");
    CHECK_STR(fixture_print(&s.arena, entry->value), "{\"id\":\"1\",\"status\":\"b\",\"total\":5}");
    CHECK_STR(entry->tool, "get_status");
    CHECK_STR(
        shop_root(&s),
        "{\"auth\":{},\"orders\":{\"1\":{\"id\":\"1\",\"status\":\"b\",\"total\":5}},\"lines\":{},"
        "\"notes\":{},\"history\":[]}");
    shop_close(&s);
}

// --- What stores nothing --------------------------------------------------------------------------

static void only_reads_that_succeeded_store(void)
{
    static const struct {
        const char *why, *tool;
        bool failed, by_user;
    } silent[] = {
        {"a failed read", "get_order", true, false},
        {"a read by the user", "get_order", false, true},
        {"a write by the user", "cancel_order", false, true},
        {"a generic tool", "think", false, false},
    };
    shop s;
    shop_open(&s, NULL);
    shop_observe(&s, "get_order", "{\"id\":\"0\"}", "{\"id\":\"0\"}");
    lg_ledger_state before = s.ledger.state;
    for (size_t i = 0; i < LG_COUNT(silent); i++) {
        lg_ledger_call call = shop_call(&s, silent[i].tool, "{\"id\":\"1\"}", "{\"id\":\"1\"}");
        call.failed = silent[i].failed;
        call.by_user = silent[i].by_user;
        lg_observed observed = LG_OBSERVED_WRITE;
        CHECK_MSG(lg_ledger_observe(&s.ledger, &call, &observed, NULL) == LG_OK, silent[i].why);
        CHECK_MSG(observed == LG_OBSERVED_NOTHING, silent[i].why);
        CHECK_MSG(shop_same_state(&s.ledger.state, &before), silent[i].why);
    }
    shop_close(&s);
}

static void what_a_write_returns_is_not_stored(void)
{
    shop s;
    shop_open(&s, NULL);
    CHECK(shop_observe(&s, "cancel_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"status\":\"x\"}") ==
          LG_OBSERVED_WRITE);
    CHECK_STR(shop_root(&s),
              "{\"auth\":{},\"orders\":{},\"lines\":{},\"notes\":{},\"history\":"
              "[{\"name\":\"cancel_order\",\"args\":{\"id\":\"1\"},\"outcome\":\"done\"}]}");
    CHECK(s.ledger.state.entries.count == 0);
    shop_close(&s);
}

typedef struct unreadable_case {
    const char *tool, *args, *result;
    const char *reason;
} unreadable_case;

static const unreadable_case unreadable[] = {
    {"get_order", "{\"id\":\"1\"}", "not JSON",
     "the result of get_order is not JSON: line 1, column 1: "},
    {"get_order", "{\"id\":\"1\"}", "", "the result of get_order is not JSON: line 1, column 1: "},
    {"get_order", "{\"id\":\"1\"}", "{\"id\":\"1\"} and more",
     "the result of get_order is not JSON: line 1, column 12: "},
    {"get_order", "{\"id\":\"1\"}", "\"Error: no such order\"",
     "the result of get_order is not what the pack declares: "},
    {"get_order", "{\"id\":\"1\"}", "{\"total\":1}",
     "the result of get_order is not what the pack declares: "},
    {"get_order", "{\"id\":\"1\"}", "{\"id\":1}",
     "the result of get_order is not what the pack declares: /id: "},
    {"list_orders", "{}", "[{\"id\":\"1\"},{\"id\":2}]",
     "the result of list_orders is not what the pack declares: /1/id: "},
    // Without a declared type, what the stores cannot make sense of.
    {"get_note", "{}", "{\"key\":1,\"text\":1}",
     "the result of get_note does not have the shape that the pack declares: `result.key`: not of "
     "the expected type"},
    {"get_note", "{}", "[]",
     "the result of get_note does not have the shape that the pack declares: `result.key`: "},
    // A sku that cannot be converted, after others that could.
    {"list_lines", "{\"id\":\"1\"}", "[{\"lines\":[{\"sku\":1},{\"sku\":[]}]}]",
     "the result of list_lines does not have the shape that the pack declares: "
     "`string(item.sku)`: "},
    {"find_user", "{}", "ada\xff", "the result of find_user is not UTF-8 at byte 3"},
    // A field alone, where no record stands yet, is no order.
    {"get_status", "{\"id\":\"2\"}", "{\"status\":\"open\"}",
     "what get_status returned is no record of ledger place orders.*: "},
};

static void an_unreadable_result_leaves_the_ledger_and_gives_a_reason(void)
{
    for (size_t i = 0; i < LG_COUNT(unreadable); i++) {
        shop s;
        shop_open(&s, NULL);
        shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\"}");
        lg_ledger_state before = s.ledger.state;
        CHECK_MSG(shop_observe(&s, unreadable[i].tool, unreadable[i].args, unreadable[i].result) ==
                      LG_OBSERVED_UNREADABLE,
                  unreadable[i].reason);
        CHECK(s.ledger.state.root == before.root);
        bool of_this_record = lg_str_eq(lg_str_c(unreadable[i].tool), LG_STR("get_order"));
        CHECK_MSG(shop_entry(&s, "orders", "1")->stale == of_this_record, unreadable[i].reason);
        lg_str start = lg_str_slice(lg_str_c(s.error.msg), 0, strlen(unreadable[i].reason));
        CHECK_STR(start, unreadable[i].reason);
        CHECK(s.error.status != LG_OK);
        shop_close(&s);
    }
}

// --- Writes ---------------------------------------------------------------------------------------

static void fill(shop *s)
{
    shop_observe(s, "get_user", "{}", "{\"name\":\"Ada\"}");
    shop_observe(s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\"}");
    shop_observe(s, "get_order", "{\"id\":\"2\"}", "{\"id\":\"2\"}");
    shop_observe(s, "list_lines", "{\"id\":\"1\"}", "[{\"lines\":[{\"sku\":1},{\"sku\":2}]}]");
}

typedef struct stale_case {
    const char *tool, *args;
    const char *stale; // one letter a record in the order of fill: s or .
} stale_case;

static const stale_case stale_cases[] = {
    {"cancel_order", "{\"id\":\"1\"}", ".s..."},
    {"cancel_order", "{\"id\":\"3\"}", "....."},
    {"cancel_order", "{}", ".ss.."},            // which order is not known: any
    {"cancel_order", "{\"id\":null}", ".ss.."}, // likewise
    {"pay", "{\"id\":\"1\"}", "s..ss"},
    {"log_in", "{\"id\":\"1\"}", "....."},
    {"anything", "{\"id\":\"1\"}", "sssss"},
};

static void a_write_makes_stale_exactly_what_it_may_change(void)
{
    for (size_t i = 0; i < LG_COUNT(stale_cases); i++) {
        shop s;
        shop_open(&s, NULL);
        fill(&s);
        s.turn = 9;
        CHECK(shop_observe(&s, stale_cases[i].tool, stale_cases[i].args, "done") ==
              LG_OBSERVED_WRITE);
        CHECK(s.ledger.state.entries.count == 5);
        char got[6] = {0};
        for (uint32_t e = 0; e < 5; e++) {
            const lg_ledger_entry *entry = lg_ledger_entry_at(&s.ledger.state, e);
            got[e] = entry->stale ? 's' : '.';
            CHECK(!entry->stale || (lg_str_eq(entry->stale_tool, lg_str_c(stale_cases[i].tool)) &&
                                    entry->stale_turn == 9));
        }
        CHECK_STR(lg_str_c(got), stale_cases[i].stale);
        shop_close(&s);
    }
}

static void a_write_is_appended_to_history(void)
{
    shop s;
    shop_open(&s, NULL);
    shop_observe(&s, "log_in", "{\"id\":\"1\"}", "");
    shop_observe(&s, "log_in", "{\"id\":\"1\"}", "");
    lg_ledger_call failed = shop_call(&s, "pay", "{\"number\":2}", "timeout");
    lg_observed observed;
    failed.failed = true; // and may have been carried out all the same
    CHECK(lg_ledger_observe(&s.ledger, &failed, &observed, NULL) == LG_OK);
    CHECK(observed == LG_OBSERVED_UNKNOWN);
    CHECK_STR(fixture_print(&s.arena, lg_json_get(s.ledger.state.root, LG_STR("history"))),
              "[{\"name\":\"log_in\",\"args\":{\"id\":\"1\"},\"outcome\":\"done\"},"
              "{\"name\":\"log_in\",\"args\":{\"id\":\"1\"},\"outcome\":\"done\"},"
              "{\"name\":\"pay\",\"args\":{\"number\":2},\"outcome\":\"unknown\"}]");
    shop_close(&s);
}

static void a_stale_record_is_fresh_once_it_was_read_again(void)
{
    shop s;
    shop_open(&s, NULL);
    fill(&s);
    shop_observe(&s, "anything", "{}", "");
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"total\":1}");
    const lg_ledger_entry *read = shop_entry(&s, "orders", "1");
    const lg_ledger_entry *other = shop_entry(&s, "orders", "2");
    CHECK(!read->stale && read->stale_tool.len == 0);
    CHECK(other->stale);
    // The record is used as it stands until then.
    CHECK_STR(fixture_print(&s.arena, other->value), "{\"id\":\"2\"}");
    shop_close(&s);
}

// --- Snapshots ------------------------------------------------------------------------------------

static void going_back_to_a_snapshot_is_as_if_nothing_had_happened(void)
{
    shop s;
    shop_open(&s, NULL);
    fill(&s);
    lg_ledger_state before = s.ledger.state;
    lg_str root = shop_root(&s);
    lg_buf first, second;
    lg_buf_init(&first, 0);
    lg_buf_init(&second, 0);
    lg_ledger_render(&s.ledger, &s.ledger.state, NULL, &first);
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"total\":8}");
    shop_observe(&s, "anything", "{}", "");
    shop_observe(&s, "get_order", "{\"id\":\"9\"}", "{\"id\":\"9\"}");
    CHECK(!lg_str_eq(shop_root(&s), root));
    lg_ledger_state after = s.ledger.state;
    lg_str after_root = shop_root(&s);
    s.ledger.state = before;
    CHECK(lg_str_eq(shop_root(&s), root));
    lg_ledger_render(&s.ledger, &s.ledger.state, NULL, &second);
    CHECK(lg_str_eq(lg_buf_str(&first), lg_buf_str(&second)));
    // And the other way: what was done later is there still.
    shop_observe(&s, "get_order", "{\"id\":\"5\"}", "{\"id\":\"5\"}");
    s.ledger.state = after;
    CHECK(lg_str_eq(shop_root(&s), after_root));
    lg_buf_done(&first);
    lg_buf_done(&second);
    shop_close(&s);
}

// The history grows in place: two courses from one state must not see each other's writes.
static void writes_after_going_back_leave_the_other_course_alone(void)
{
    shop s;
    shop_open(&s, NULL);
    lg_ledger_state states[20];
    lg_str roots[20];
    for (size_t i = 0; i < LG_COUNT(states); i++) {
        shop_observe(&s, "anything", "{\"n\":1}", "");
        states[i] = s.ledger.state;
        roots[i] = shop_root(&s);
    }
    for (size_t i = 0; i < LG_COUNT(states); i++) {
        s.ledger.state = states[i];
        shop_observe(&s, "anything", "{\"n\":2}", "");
        shop_observe(&s, "anything", "{\"n\":3}", "");
        CHECK(lg_json_len(lg_json_get(s.ledger.state.root, LG_STR("history"))) == i + 3);
        CHECK(lg_str_find(shop_root(&s),
                          LG_STR("{\"n\":2},\"outcome\":\"done\"},{\"name\":\"anything\",\"args\":{"
                                 "\"n\":3},\"outcome\":\"done\"}]")) != SIZE_MAX);
        for (size_t k = 0; k < LG_COUNT(states); k++) {
            s.ledger.state = states[k];
            CHECK(lg_str_eq(shop_root(&s), roots[k]));
        }
    }
    shop_close(&s);
}

static void a_reset_ledger_is_a_new_one(void)
{
    shop s;
    shop_open(&s, NULL);
    fill(&s);
    lg_ledger_reset(&s.ledger);
    CHECK_STR(shop_root(&s), EMPTY);
    CHECK(s.ledger.state.entries.count == 0);
    fill(&s);
    CHECK(s.ledger.state.entries.count == 5);
    shop_close(&s);
}

// --- Limits ---------------------------------------------------------------------------------------

static void records_are_limited(void)
{
    shop s;
    shop_open(&s, &(lg_limits){.ledger_entries = 2});
    shop_observe(&s, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\"}");
    shop_observe(&s, "get_order", "{\"id\":\"2\"}", "{\"id\":\"2\"}");
    // A record that is there already takes no room.
    CHECK(shop_observe(&s, "get_order", "{\"id\":\"2\"}", "{\"id\":\"2\",\"total\":1}") ==
          LG_OBSERVED_RECORDS);
    lg_ledger_state before = s.ledger.state;
    lg_ledger_call call = shop_call(&s, "list_orders", "{}", "[{\"id\":\"1\"},{\"id\":\"3\"}]");
    lg_observed observed;
    CHECK(lg_ledger_observe(&s.ledger, &call, &observed, &s.error) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(s.error.msg), "the ledger has reached its limit of 2 records "
                                     "(ledger_entries)");
    CHECK(shop_same_state(&s.ledger.state, &before));
    shop_close(&s);
}

// A list of ten thousand records, and then a write that touches them all: within the default
// limits, in little time and memory.
static void a_full_ledger_stays_cheap(void)
{
    shop s;
    shop_open(&s, &(lg_limits){.memory_bytes = (size_t)64 << 20});
    uint32_t count = lg_limits_resolve(NULL).ledger_entries;
    lg_buf text;
    lg_buf_init(&text, 0);
    for (uint32_t i = 0; i < count; i++) {
        lg_buf_addf(&text, "%s{\"id\":\"%u\"}", i ? "," : "[", i);
    }
    lg_buf_add_c(&text, "]");
    lg_buf_add_byte(&text, '\0');
    CHECK(shop_observe(&s, "list_orders", "{}", text.ptr) == LG_OBSERVED_RECORDS);
    bool full = CHECK(s.ledger.state.entries.count == count);
    for (int i = 0; full && i < 5; i++) {
        CHECK(shop_observe(&s, "anything", "{}", "") == LG_OBSERVED_WRITE);
    }
    CHECK(full && lg_ledger_entry_at(&s.ledger.state, count - 1)->stale);
    lg_buf_done(&text);
    shop_close(&s);
}

// --- Memory ---------------------------------------------------------------------------------------

static void without_memory_the_state_is_as_before(void)
{
    static const struct {
        const char *tool, *args, *result;
    } calls[] = {
        {"list_lines", "{\"id\":\"1\"}", "[{\"lines\":[{\"sku\":1},{\"sku\":2}]}]"},
        {"find_user", "{}", "ada"},
        {"get_both", "{}", "{\"user\":{\"name\":\"A\"},\"order\":{\"id\":\"1\"}}"},
        {"anything", "{}", ""},
        {"get_note", "{\"id\":\"1\"}", "{\"key\":\"\\u0041\",\"text\":[[1,2],\"\\u0042\"]}"},
    };
    for (size_t c = 0; c < LG_COUNT(calls); c++) {
        bool done = false;
        for (size_t limit = 1; limit < 40000 && !done; limit += limit < 2000 ? 16 : 512) {
            shop s;
            shop_open(&s, &(lg_limits){.memory_bytes = limit});
            lg_ledger_state before = s.ledger.state;
            lg_ledger_call call = shop_call(&s, calls[c].tool, calls[c].args, calls[c].result);
            lg_observed observed;
            lg_status status = lg_ledger_observe(&s.ledger, &call, &observed, &s.error);
            CHECK(status == LG_OK || status == LG_ERR_OOM);
            CHECK(status == LG_OK ||
                  (shop_same_state(&s.ledger.state, &before) && s.error.status == LG_ERR_OOM));
            CHECK(status != LG_OK || observed != LG_OBSERVED_UNREADABLE);
            done = status == LG_OK;
            shop_close(&s);
        }
        CHECK(done);
    }
}

int main(void)
{
    RUN(a_ledger_begins_with_empty_collections);
    RUN(a_read_stores_what_the_pack_says);
    RUN(a_record_knows_where_it_came_from);
    RUN(a_read_replaces_the_whole_record_and_keeps_its_place);
    RUN(a_record_that_is_shown_again_is_the_same);
    RUN(one_field_of_a_record_can_be_replaced);
    RUN(only_reads_that_succeeded_store);
    RUN(what_a_write_returns_is_not_stored);
    RUN(an_unreadable_result_leaves_the_ledger_and_gives_a_reason);
    RUN(a_write_makes_stale_exactly_what_it_may_change);
    RUN(a_write_is_appended_to_history);
    RUN(a_stale_record_is_fresh_once_it_was_read_again);
    RUN(going_back_to_a_snapshot_is_as_if_nothing_had_happened);
    RUN(writes_after_going_back_leave_the_other_course_alone);
    RUN(a_reset_ledger_is_a_new_one);
    RUN(records_are_limited);
    RUN(a_full_ledger_stays_cheap);
    RUN(without_memory_the_state_is_as_before);
    return lg_test_done();
}
