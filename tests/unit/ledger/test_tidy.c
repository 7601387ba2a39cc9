// Memory is given back while a ledger lives: what it renders, and what its snapshots are, stays as it
// is, and what nobody needs any more goes.
#include "base/alloc.h"
#include "ledger_fixture.h"

#define SNAPSHOTS 6u

static lg_str rendered(shop *s, const lg_ledger_state *state)
{
    lg_ledger_state now = s->ledger.state;
    lg_buf text;
    lg_buf_init(&text, 0);
    s->ledger.state = *state;
    lg_ledger_render(&s->ledger, &s->ledger.state, &(lg_render_options){.types = true}, &text);
    s->ledger.state = now;
    CHECK(lg_buf_status(&text) == LG_OK);
    lg_json_print(&text, state->root);
    lg_str copy = lg_arena_str(&s->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

static void observe_something(shop *s, uint32_t i)
{
    lg_str args = lg_arena_printf(&s->arena, "{\"id\":\"%u\"}", i * 7 % 90);
    if (i % 10 == 9) {
        shop_observe(s, "anything", args.ptr, "");
    } else if (i % 10 == 8) {
        shop_observe(s, "list_lines", args.ptr, "[{\"lines\":[{\"sku\":1},{\"sku\":2}]}]");
    } else if (i % 10 == 7) {
        shop_observe(s, "get_both", "{}", "{\"user\":{\"name\":\"A\"},\"order\":{\"id\":\"1\"}}");
    } else {
        lg_str result = lg_arena_printf(
            &s->arena, "{\"key\":\"\\u0041\",\"text\":[[%u,2],\"%*s\"]}", i, (int)(i % 100), "");
        shop_observe(s, "get_note", args.ptr, result.ptr);
    }
}

static void what_is_kept_stays_as_it_was(void)
{
    shop s;
    shop_open(&s, NULL);
    lg_ledger_state states[SNAPSHOTS];
    lg_ledger_state *kept[SNAPSHOTS];
    lg_str want[SNAPSHOTS];
    for (uint32_t i = 0; i < SNAPSHOTS; i++) {
        states[i] = s.ledger.state;
        kept[i] = &states[i];
        want[i] = rendered(&s, &states[i]);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        observe_something(&s, i);
        if (i % 97 == 0) {
            states[i % SNAPSHOTS] = s.ledger.state;
            want[i % SNAPSHOTS] = rendered(&s, &s.ledger.state);
        }
        if (i % 331 == 0) { // back to one of them
            s.ledger.state = states[(i / 331) % SNAPSHOTS];
        }
        lg_str now = i % 50 == 0 ? rendered(&s, &s.ledger.state) : (lg_str){NULL, 0};
        if (i % 3 == 0) {
            lg_ledger_tidy(&s.ledger, kept, SNAPSHOTS);
        } else if (i % 50 == 0) {
            lg_ledger_tidy_now(&s.ledger, kept, SNAPSHOTS);
        }
        if (now.ptr) {
            CHECK_STR(rendered(&s, &s.ledger.state), now.ptr);
            for (uint32_t k = 0; k < SNAPSHOTS; k++) {
                CHECK_STR(rendered(&s, &states[k]), want[k].ptr);
            }
        }
    }
    CHECK(s.ledger.arena.held_bytes < (size_t)1 << 20);
    shop_close(&s);
}

static void one_record_read_again_holds_one_record(void)
{
    shop s;
    shop_open(&s, NULL);
    for (uint32_t i = 0; i < 20000; i++) {
        lg_ledger_call call = shop_call(&s, "get_note", "{\"id\":\"1\"}",
                                        "{\"key\":\"k\",\"text\":[[1,2],\"some text\"]}");
        lg_observed observed;
        CHECK(lg_ledger_observe(&s.ledger, &call, &observed, NULL) == LG_OK);
        CHECK(observed == LG_OBSERVED_RECORDS);
        lg_arena_reset(&s.arena);
        lg_ledger_tidy(&s.ledger, NULL, 0);
    }
    CHECK(s.ledger.arena.held_bytes + s.ledger.work.held_bytes <= (size_t)48 << 10);
    shop_close(&s);
}

// A part of one record is replaced again and again by another read: what it was before does not pile up.
static void parts_of_one_record_hold_one_record(void)
{
    shop s;
    shop_open(&s, NULL);
    for (uint32_t i = 0; i < 5000; i++) {
        shop_observe(&s, i % 2 ? "get_both" : "find_user", "{}",
                     i % 2 ? "{\"user\":{\"name\":\"A\"},\"order\":{\"id\":\"1\"}}" : "ada");
        lg_arena_reset(&s.arena);
        lg_ledger_tidy(&s.ledger, NULL, 0);
    }
    CHECK(s.ledger.arena.held_bytes + s.ledger.work.held_bytes <= (size_t)48 << 10);
    shop_close(&s);
}

static void records_one_by_one_hold_what_they_are(void)
{
    shop s;
    shop_open(&s, NULL);
    uint32_t count = lg_limits_resolve(NULL).ledger_entries;
    for (uint32_t i = 0; i < count; i++) {
        lg_str order = lg_arena_printf(&s.arena, "{\"id\":\"%u\"}", i);
        CHECK(shop_observe(&s, "get_order", order.ptr, order.ptr) == LG_OBSERVED_RECORDS);
        lg_arena_reset(&s.arena);
        lg_ledger_tidy(&s.ledger, NULL, 0);
    }
    CHECK(s.ledger.state.entries.count == count);
    CHECK(s.ledger.arena.held_bytes < (size_t)48 << 20);
    CHECK(lg_ledger_entry_at(&s.ledger.state, count / 2)->turn == count / 2 + 1);
    shop_close(&s);
}

static void without_memory_it_stays_untidy(void)
{
    shop s;
    shop_open(&s, NULL);
    for (uint32_t i = 0; i < 300; i++) {
        observe_something(&s, i);
    }
    lg_str want = rendered(&s, &s.ledger.state);
    size_t untidy = s.ledger.arena.held_bytes;
    uint64_t n = 1;
    for (bool done = false; !done && n < 100; n++) {
        lg_alloc_fail_at(n);
        done = lg_ledger_tidy_now(&s.ledger, NULL, 0);
        lg_alloc_fail_at(0);
        CHECK(done ? s.ledger.arena.held_bytes < untidy : s.ledger.arena.held_bytes == untidy);
        CHECK_STR(rendered(&s, &s.ledger.state), want.ptr);
    }
    CHECK_MSG(n > 3 && n < 100, "it succeeds after some failures");
    shop_close(&s);
}

int main(void)
{
    RUN(what_is_kept_stays_as_it_was);
    RUN(one_record_read_again_holds_one_record);
    RUN(parts_of_one_record_hold_one_record);
    RUN(records_one_by_one_hold_what_they_are);
    RUN(without_memory_it_stays_untidy);
    return lg_test_done();
}
