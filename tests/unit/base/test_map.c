// The persistent map beside a plain list, with snapshots, holes, and moves from arena to arena.
#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"

#include "lg_test.h"

#define KEYS 400u
#define ROUNDS 20000u
#define SNAPSHOTS 8u

// What the map must be: keys in order of arrival, each with the number of its item.
typedef struct model {
    uint32_t keys[KEYS];
    uint32_t items[KEYS];
    uint32_t count;
} model;

typedef struct pair {
    lg_map map;
    model model;
} pair;

static uint64_t random_state = 1;

static uint32_t pick(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(random_state >> 33) % below;
}

static lg_str key_of(lg_arena *arena, uint32_t number)
{
    return lg_arena_printf(arena, "key %u%*s", number, (int)(number % 60), "");
}

static void model_put(model *m, uint32_t key, uint32_t item)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->keys[i] == key) {
            m->items[i] = item;
            return;
        }
    }
    m->keys[m->count] = key;
    m->items[m->count++] = item;
}

static void model_remove(model *m, uint32_t key)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->keys[i] != key) {
            m->keys[kept] = m->keys[i];
            m->items[kept++] = m->items[i];
        }
    }
    m->count = kept;
}

static bool put(lg_arena *arena, lg_map *map, uint32_t key, uint32_t number, uint64_t edit)
{
    uint32_t *item = lg_arena_alloc(arena, sizeof(*item), 4);
    lg_str text = key_of(arena, key);
    if (!item || !text.ptr) {
        return false;
    }
    *item = number;
    const struct lg_map_key *found = pick(2) ? lg_map_find(map, text) : NULL;
    CHECK(!found || lg_map_item(map, found) == lg_map_get(map, text));
    return found ? lg_map_replace(arena, map, found, item, edit)
                 : lg_map_put(arena, map, text, item, edit);
}

static bool same(const pair *p, lg_arena *scratch)
{
    bool fine = p->map.count == p->model.count;
    for (uint32_t i = 0; i < p->model.count && fine; i++) {
        lg_str key = key_of(scratch, p->model.keys[i]);
        const uint32_t *at = lg_map_at(&p->map, i);
        fine = *at == p->model.items[i] && lg_map_get(&p->map, key) == at &&
               lg_map_index(&p->map, key) == i;
    }
    fine = fine && !lg_map_get(&p->map, LG_STR("key")) &&
           lg_map_index(&p->map, LG_STR("key")) == p->map.count;
    lg_arena_reset(scratch);
    return fine;
}

static const void *move_number(lg_mover *mover, const void *item)
{
    bool fresh;
    return lg_mover_block(mover, item, sizeof(uint32_t), 4, &fresh);
}

static void it_is_what_a_list_is(void)
{
    lg_arena arenas[2];
    lg_arena scratch;
    static pair now, kept[SNAPSHOTS];
    lg_arena_init(&arenas[0], 0);
    lg_arena_init(&arenas[1], 0);
    lg_arena_init(&scratch, 0);
    uint32_t in = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t key = pick(KEYS);
        if (pick(3) > 0) {
            CHECK(put(&arenas[in], &now.map, key, round, 0));
            model_put(&now.model, key, round);
        } else {
            CHECK(lg_map_remove(&arenas[in], &now.map, key_of(&arenas[in], key)));
            model_remove(&now.model, key);
        }
        if (round % 500 == 0) {
            kept[pick(SNAPSHOTS)] = now;
            now = kept[pick(SNAPSHOTS)];
        }
        if (round % 700 != 699) {
            continue;
        }
        lg_mover mover; // all that is wanted into the other arena; then the first is emptied
        CHECK(lg_mover_init(&mover, &arenas[in], &arenas[!in]));
        CHECK(lg_map_move(&mover, &now.map, false, move_number));
        for (uint32_t i = 0; i < SNAPSHOTS; i++) {
            CHECK(lg_map_move(&mover, &kept[i].map, false, move_number));
        }
        lg_mover_done(&mover);
        lg_arena_done(&arenas[in]);
        in = !in;
        CHECK(same(&now, &scratch));
        for (uint32_t i = 0; i < SNAPSHOTS; i++) {
            CHECK(same(&kept[i], &scratch));
        }
    }
    lg_arena_done(&arenas[0]);
    lg_arena_done(&arenas[1]);
    lg_arena_done(&scratch);
}

static void a_move_keeps_what_is_shared_shared(void)
{
    lg_arena from, to;
    lg_map maps[100] = {{0}};
    lg_arena_init(&from, 0);
    lg_arena_init(&to, 0);
    for (uint32_t i = 0; i < 5000; i++) {
        CHECK(put(&from, &maps[0], i, i, 1));
    }
    for (uint32_t i = 1; i < 100; i++) {
        maps[i] = maps[i - 1];
        CHECK(put(&from, &maps[i], i, i + 10000, 0));
    }
    lg_mover mover;
    CHECK(lg_mover_init(&mover, &from, &to));
    for (uint32_t i = 100; i-- > 0;) {
        CHECK(lg_map_move(&mover, &maps[i], false, move_number));
    }
    lg_mover_done(&mover);
    lg_arena_done(&from);
    CHECK(to.held_bytes < (size_t)2 << 20); // 5,000 items once, and 100 paths
    CHECK(*(const uint32_t *)lg_map_at(&maps[50], 50) == 10050);
    CHECK(*(const uint32_t *)lg_map_at(&maps[50], 51) == 51);
    lg_arena_done(&to);
}

static void an_edit_changes_its_own_nodes_alone(void)
{
    lg_arena arena, scratch;
    static pair before, after;
    lg_arena_init(&arena, 0);
    lg_arena_init(&scratch, 0);
    for (uint32_t i = 0; i < 300; i++) {
        CHECK(put(&arena, &before.map, i, i, 7));
        model_put(&before.model, i, i);
    }
    after = before;
    size_t held = arena.held_bytes;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t key = pick(KEYS);
        CHECK(put(&arena, &after.map, key, i + 1000, 8));
        model_put(&after.model, key, i + 1000);
    }
    CHECK(same(&before, &scratch));
    CHECK(same(&after, &scratch));
    CHECK(arena.held_bytes - held < (size_t)512 << 10);
    lg_arena_done(&arena);
    lg_arena_done(&scratch);
}

static void what_comes_and_goes_leaves_nothing(void)
{
    lg_arena arena, scratch;
    static pair p;
    lg_arena_init(&arena, 0);
    lg_arena_init(&scratch, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        CHECK(put(&arena, &p.map, i % KEYS, i, 0));
        model_put(&p.model, i % KEYS, i);
        if (i % KEYS != 7) {
            CHECK(lg_map_remove(&arena, &p.map, key_of(&scratch, (i + KEYS - 5) % KEYS)));
            model_remove(&p.model, (i + KEYS - 5) % KEYS);
        }
        lg_arena_reset(&scratch);
    }
    CHECK(same(&p, &scratch));
    CHECK(p.map.next < 2000); // of a hundred thousand
    lg_arena_done(&arena);
    lg_arena_done(&scratch);
}

static void memory_may_end_anywhere(void)
{
    for (uint64_t n = 1; n < 40; n++) {
        lg_arena arena, scratch;
        static pair p;
        p = (pair){0};
        lg_arena_init(&arena, 0);
        lg_arena_init(&scratch, 0);
        bool full = false;
        lg_alloc_fail_at(n);
        for (uint32_t i = 0; i < 2000 && !full; i++) {
            if (put(&arena, &p.map, i % KEYS, i, 0)) {
                model_put(&p.model, i % KEYS, i);
            } else {
                full = true;
            }
        }
        lg_alloc_fail_at(0);
        CHECK(same(&p, &scratch));
        lg_arena_done(&arena);
        lg_arena_done(&scratch);
    }
}

static bool count_visit(void *context, const void *item)
{
    ++*(uint32_t *)context;
    return item != NULL;
}

// What is new in one of two maps, whichever is the later and the larger, is found without looking at the rest.
static void what_is_new_is_found(void)
{
    lg_arena arena;
    lg_map before = {0};
    uint32_t seen = 0;
    lg_arena_init(&arena, 0);
    for (uint32_t i = 0; i < 250; i++) {
        CHECK(put(&arena, &before, i, i, 0));
    }
    lg_map after = before;
    for (uint32_t i = 240; i < 270; i++) { // ten others, and a taller trie
        CHECK(put(&arena, &after, i, i + 1, 0));
    }
    CHECK(lg_map_remove(&arena, &after, key_of(&arena, 7)));
    CHECK(lg_map_each_new(&before, &after, count_visit, &seen) && seen == 30);
    seen = 0;
    CHECK(lg_map_each_new(&after, &before, count_visit, &seen) && seen == 11);
    seen = 0;
    CHECK(lg_map_each_new(&after, &after, count_visit, &seen) && seen == 0);
    CHECK(lg_map_each_new(NULL, &after, count_visit, &seen) && seen == 269);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(what_is_new_is_found);
    RUN(it_is_what_a_list_is);
    RUN(a_move_keeps_what_is_shared_shared);
    RUN(an_edit_changes_its_own_nodes_alone);
    RUN(what_comes_and_goes_leaves_nothing);
    RUN(memory_may_end_anywhere);
    return lg_test_done();
}
