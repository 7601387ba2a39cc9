// test_tree.c: updates make a new root and leave the old one as it was.
#include "json/tree.h"

#include "base/alloc.h"
#include "json_fixture.h"
#include "lg_test.h"

typedef struct tree_case {
    const char *root;
    const char *path; // segments divided by blanks
    const char *value;
    const char *want;
} tree_case;

static const tree_case cases[] = {
    {"{}", "a", "1", "{\"a\":1}"},
    {"{\"a\":1}", "a", "2", "{\"a\":2}"},
    {"{\"a\":1,\"b\":2}", "a", "[]", "{\"a\":[],\"b\":2}"},
    {"{\"a\":1}", "b", "2", "{\"a\":1,\"b\":2}"},
    {"{\"a\":{\"x\":1},\"b\":2}", "a y", "3", "{\"a\":{\"x\":1,\"y\":3},\"b\":2}"},
    {"{}", "a b c d", "null", "{\"a\":{\"b\":{\"c\":{\"d\":null}}}}"},
    // What is no object gives way to one.
    {"{\"a\":[1,2]}", "a b", "1", "{\"a\":{\"b\":1}}"},
    {"{\"a\":\"text\"}", "a b", "1", "{\"a\":{\"b\":1}}"},
    {"[1]", "a", "1", "{\"a\":1}"},
    // Keys are opaque.
    {"{\"#W1.x\":{}}", "#W1.x [0]", "1", "{\"#W1.x\":{\"[0]\":1}}"},
    // No path: the value itself.
    {"{\"a\":1}", "", "2", "2"},
};

static size_t split(const char *path, lg_str *segments)
{
    size_t count = 0;
    for (const char *at = path; *at;) {
        size_t len = strcspn(at, " ");
        segments[count++] = lg_str_of(at, len);
        at += len + (at[len] == ' ');
    }
    return count;
}

static void paths_are_set(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        const lg_json *root = fixture_json(&arena, cases[i].root);
        const lg_json *value = fixture_json(&arena, cases[i].value);
        lg_str segments[8];
        size_t count = split(cases[i].path, segments);
        lg_json next;
        CHECK(lg_tree_with(&arena, root, segments, count, *value, &next) == LG_OK);
        CHECK_STR(fixture_print(&arena, &next), cases[i].want);
        CHECK_STR(fixture_print(&arena, root), cases[i].root);
        lg_arena_done(&arena);
    }
}

static void what_is_beside_the_path_is_shared(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *root = fixture_json(&arena, "{\"a\":{\"x\":[1]},\"b\":{\"y\":[2]}}");
    lg_str path[] = {LG_STR("a"), LG_STR("z")};
    lg_json next;
    CHECK(lg_tree_with(&arena, root, path, 2, lg_json_make_int(1), &next) == LG_OK);
    const lg_json *old_b = lg_json_get(root, LG_STR("b"));
    const lg_json *new_b = lg_json_get(&next, LG_STR("b"));
    CHECK(old_b && new_b && old_b->as.members == new_b->as.members);
    lg_arena_done(&arena);
}

// Past LG_JSON_INDEX_MIN an object carries an index, which must be made anew.
static void many_members_are_all_found_in_every_root(void)
{
    enum { COUNT = 3 * LG_JSON_INDEX_MIN };
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_json roots[COUNT + 1];
    lg_str keys[COUNT];
    roots[0] = lg_json_make_object(NULL, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        keys[i] = lg_arena_printf(&arena, "key %u", (i * 37) % 101);
        CHECK(lg_tree_with_member(&arena, &roots[i], keys[i], lg_json_make_int(i), &roots[i + 1]) ==
              LG_OK);
    }
    for (uint32_t r = 0; r <= COUNT; r++) {
        CHECK(lg_json_len(&roots[r]) == r);
        for (uint32_t k = 0; k < COUNT; k++) {
            const lg_json *found = lg_json_get(&roots[r], keys[k]);
            int64_t number = -1;
            CHECK((found != NULL) == (k < r));
            CHECK(!found || (lg_json_int(found, &number) && number == k));
        }
    }
    lg_json replaced;
    CHECK(lg_tree_with_member(&arena, &roots[COUNT], keys[50], lg_json_make_null(), &replaced) ==
          LG_OK);
    CHECK(lg_json_len(&replaced) == COUNT);
    CHECK(lg_json_is(lg_json_get(&replaced, keys[50]), LG_JSON_NULL));
    CHECK(lg_json_is(lg_json_get(&replaced, keys[51]), LG_JSON_INT));
    CHECK(lg_json_is(lg_json_get(&roots[COUNT], keys[50]), LG_JSON_INT));
    lg_arena_done(&arena);
}

// Many updates of large and small objects, beside a root that is copied whole each time: one that has
// its members side by side. What is removed and put again is at the end.
static void large_objects_are_what_small_ones_are(void)
{
    enum { ROUNDS = 6000, KEYS = 70 };
    uint32_t random = 1;
    lg_arena arenas[2];
    lg_arena_init(&arenas[0], 0);
    lg_arena_init(&arenas[1], 0);
    uint32_t in = 0;
    lg_json tree = *fixture_json(&arenas[0], "{\"a\":{},\"b\":{\"x\":[1,{}]}}");
    lg_str want = fixture_print(&arenas[0], &tree);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        random = random * 1103515245u + 12345u;
        lg_str path[2] = {LG_STR("a"),
                          lg_arena_printf(&arenas[in], "%u key", (random >> 8) % KEYS)};
        const lg_json *flat = fixture_json(&arenas[in], want.ptr); // parsed, so never mapped
        const lg_json *old = lg_json_get(flat, LG_STR("a"));
        lg_json made;
        if ((random >> 24) % 5 < 3 || i > ROUNDS - 200) {
            CHECK(lg_tree_with(&arenas[in], &tree, path, 2, lg_json_make_int(i), &tree) == LG_OK);
            CHECK(lg_tree_with(&arenas[in], flat, path, 2, lg_json_make_int(i), &made) == LG_OK);
        } else {
            lg_json a;
            CHECK(lg_tree_without_member(&arenas[in], lg_json_get(&tree, LG_STR("a")), path[1],
                                         &a) == LG_OK);
            CHECK(lg_tree_with_member(&arenas[in], &tree, LG_STR("a"), a, &tree) == LG_OK);
            CHECK(lg_tree_without_member(&arenas[in], old, path[1], &a) == LG_OK);
            CHECK(lg_tree_with_member(&arenas[in], flat, LG_STR("a"), a, &made) == LG_OK);
        }
        const lg_json *now = lg_json_get(&tree, LG_STR("a"));
        CHECK((now->offset == LG_JSON_MAPPED) == (lg_json_len(now) > LG_JSON_INDEX_MIN));
        CHECK(lg_json_equal(&tree, &made));
        const lg_json *copy = lg_json_copy(&arenas[in], &tree);
        CHECK(lg_json_equal(copy, &tree));
        want = fixture_print(&arenas[in], &made);
        CHECK_STR(fixture_print(&arenas[in], &tree), want.ptr);
        CHECK_STR(fixture_print(&arenas[in], copy), want.ptr);
        if (i % 50 == 49) { // into the other arena, and the text with it
            lg_mover mover;
            CHECK(lg_mover_init(&mover, &arenas[in], &arenas[!in]));
            CHECK(lg_tree_move(&mover, &tree));
            lg_mover_done(&mover);
            want = lg_arena_str(&arenas[!in], want);
            lg_arena_done(&arenas[in]);
            in = !in;
            CHECK_STR(fixture_print(&arenas[in], &tree), want.ptr);
        }
    }
    lg_arena_done(&arenas[0]);
    lg_arena_done(&arenas[1]);
}

static void a_write_to_a_large_object_copies_little(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_json tree = lg_json_make_object(NULL, 0);
    for (uint32_t i = 0; i < 20000; i++) {
        lg_str key = lg_arena_printf(&arena, "key %u", i);
        CHECK(lg_tree_with_member(&arena, &tree, key, lg_json_make_int(i), &tree) == LG_OK);
    }
    size_t held = arena.held_bytes;
    for (uint32_t i = 0; i < 1000; i++) {
        lg_str key = lg_arena_printf(&arena, "key %u", i * 17 % 20000);
        CHECK(lg_tree_with_member(&arena, &tree, key, lg_json_make_null(), &tree) == LG_OK);
    }
    CHECK(lg_json_len(&tree) == 20000);
    CHECK(arena.held_bytes - held <= (size_t)8 << 20); // a chunk at most, where 640 MB were copied
    lg_arena_done(&arena);
}

static void items_are_appended(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_json one, two, from_nothing;
    CHECK(lg_tree_with_item(&arena, NULL, lg_json_make_int(1), &one) == LG_OK);
    CHECK(lg_tree_with_item(&arena, &one, lg_json_make_int(2), &two) == LG_OK);
    CHECK_STR(fixture_print(&arena, &one), "[1]");
    CHECK_STR(fixture_print(&arena, &two), "[1,2]");
    lg_json text = lg_json_make_str(LG_STR("no array"));
    CHECK(lg_tree_with_item(&arena, &text, lg_json_make_int(3), &from_nothing) == LG_OK);
    CHECK_STR(fixture_print(&arena, &from_nothing), "[3]");
    lg_arena_done(&arena);
}

static void what_is_taken_away_is_gone_from_the_copy_alone(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *object = fixture_json(&arena, "{\"a\":1,\"b\":2,\"c\":3}");
    const lg_json *array = fixture_json(&arena, "[1,2,3]");
    lg_json next;
    CHECK(lg_tree_without_member(&arena, object, LG_STR("b"), &next) == LG_OK);
    CHECK_STR(fixture_print(&arena, &next), "{\"a\":1,\"c\":3}");
    CHECK(lg_tree_without_member(&arena, object, LG_STR("x"), &next) == LG_OK);
    CHECK_STR(fixture_print(&arena, &next), "{\"a\":1,\"b\":2,\"c\":3}");
    CHECK(lg_tree_without_item(&arena, array, 0, &next) == LG_OK);
    CHECK_STR(fixture_print(&arena, &next), "[2,3]");
    CHECK(lg_tree_without_item(&arena, array, 2, &next) == LG_OK);
    CHECK_STR(fixture_print(&arena, &next), "[1,2]");
    CHECK(lg_tree_with_item_at(&arena, array, 1, lg_json_make_null(), &next) == LG_OK);
    CHECK_STR(fixture_print(&arena, &next), "[1,null,3]");
    CHECK_STR(fixture_print(&arena, object), "{\"a\":1,\"b\":2,\"c\":3}");
    CHECK_STR(fixture_print(&arena, array), "[1,2,3]");
    lg_arena_done(&arena);
}

static void the_last_member_of_many_can_be_taken_away(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_json root = lg_json_make_object(NULL, 0);
    for (uint32_t i = 0; i < LG_JSON_INDEX_MIN + 2; i++) {
        CHECK(lg_tree_with_member(&arena, &root, lg_arena_printf(&arena, "%u", i),
                                  lg_json_make_int(i), &root) == LG_OK);
    }
    for (uint32_t i = LG_JSON_INDEX_MIN + 2; i-- > 0;) {
        lg_str key = lg_arena_printf(&arena, "%u", i);
        CHECK(lg_json_get(&root, key) != NULL);
        CHECK(lg_tree_without_member(&arena, &root, key, &root) == LG_OK);
        CHECK(lg_json_len(&root) == i && !lg_json_get(&root, key));
    }
    lg_arena_done(&arena);
}

static void without_memory_there_is_an_error_and_no_new_root(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    const lg_json *root = fixture_json(&arena, "{\"a\":{\"b\":1}}");
    const lg_json *list = fixture_json(&arena, "[1]");
    lg_str path[] = {LG_STR("a"), LG_STR("b")};
    lg_arena full;
    lg_arena_init(&full, 0);
    lg_alloc_fail_at(1);
    lg_json next = lg_json_make_null();
    CHECK(lg_tree_with(&full, root, path, 2, lg_json_make_int(2), &next) == LG_ERR_OOM);
    CHECK(lg_tree_with_item(&full, NULL, lg_json_make_int(2), &next) == LG_ERR_OOM);
    CHECK(lg_tree_without_member(&full, root, LG_STR("a"), &next) == LG_ERR_OOM);
    CHECK(lg_tree_with_item_at(&full, list, 0, lg_json_make_int(2), &next) == LG_ERR_OOM);
    CHECK(lg_tree_without_item(&full, list, 0, &next) == LG_ERR_OOM);
    lg_alloc_fail_at(0);
    CHECK(lg_json_is(&next, LG_JSON_NULL));
    CHECK_STR(fixture_print(&arena, root), "{\"a\":{\"b\":1}}");
    lg_arena_done(&full);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(paths_are_set);
    RUN(what_is_beside_the_path_is_shared);
    RUN(many_members_are_all_found_in_every_root);
    RUN(large_objects_are_what_small_ones_are);
    RUN(a_write_to_a_large_object_copies_little);
    RUN(items_are_appended);
    RUN(what_is_taken_away_is_gone_from_the_copy_alone);
    RUN(the_last_member_of_many_can_be_taken_away);
    RUN(without_memory_there_is_an_error_and_no_new_root);
    return lg_test_done();
}
