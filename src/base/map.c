// map.c: a weight-balanced tree by key (Adams, "Implementing Sets Efficiently in a Functional
// Language", 1992; the parameters of Hirai and Yamamoto, 2011), and a trie of 16 slots a node by the
// order of arrival.
//
// Replacing an item touches the trie alone. A slot that was left stays empty: then the trie is asked
// by counting, which it does for each of its nodes.
#include "base/map.h"

#include "base/str.h"

_Static_assert(_Alignof(void *) <= 8, "nodes are aligned to 8");

#define BITS 4u
#define WIDTH (1u << BITS)
#define DELTA 3u       // a subtree weighs at most so many times what its sibling does
#define RATIO 2u       // a single rotation will do while the inner grandchild weighs less than this
#define EMPTY_SHARE 8u // slots an item, beyond which the empty ones are given up
#define COUNT_MAX (1u << 28)
#define KEY_DEPTH_MAX                                                                              \
    80u // of a tree of fewer than 2^32 keys: of weight 2^32, each level down at most 3/4 of it

typedef struct lg_map_key {
    const struct lg_map_key *left, *right;
    const char *text;
    uint64_t tail; // the end of the text
    uint32_t len;
    uint32_t slot;
    uint32_t size; // of the subtree
} key_node;

// A node of the trie. One of the lowest level is cut off before `live`: its items are their own count.
typedef struct lg_map_slots {
    uint64_t edit;            // whose node it is
    const void *below[WIDTH]; // nodes, or items
    uint32_t live[WIDTH];     // items below each
} slots_node;

// --- Slots --------------------------------------------------------------------------------------

// Levels of the trie for so many slots.
static uint32_t levels_of(uint32_t slots)
{
    uint32_t levels = 1;
    for (uint64_t room = WIDTH; room < slots; room *= WIDTH) {
        levels++;
    }
    return levels;
}

static uint32_t digit_of(uint32_t slot, uint32_t level)
{
    return slot >> (level * BITS) & (WIDTH - 1);
}

static size_t size_of_node(uint32_t level)
{
    return level > 0 ? sizeof(slots_node) : offsetof(slots_node, live);
}

static uint32_t live_at(const slots_node *node, uint32_t level, uint32_t digit)
{
    return level > 0 ? node->live[digit] : node->below[digit] != NULL;
}

static uint32_t live_in(const slots_node *node, uint32_t level)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < WIDTH; i++) {
        live += live_at(node, level, i);
    }
    return live;
}

static const void *item_at(const lg_map *map, uint32_t slot)
{
    const void *node = map->slots;
    for (uint32_t level = levels_of(map->next); level-- > 0;) {
        node = ((const slots_node *)node)->below[digit_of(slot, level)];
    }
    return node;
}

const void *lg_map_at(const lg_map *map, uint32_t index)
{
    LG_ASSERT(index < map->count);
    if (map->count == map->next) {
        return item_at(map, index);
    }
    const void *node = map->slots;
    for (uint32_t level = levels_of(map->next); level-- > 0;) {
        const slots_node *s = node;
        uint32_t digit = 0;
        for (uint32_t live; index >= (live = live_at(s, level, digit)); digit++) {
            index -= live;
        }
        node = s->below[digit];
    }
    return node;
}

static slots_node *own_node(lg_arena *arena, const slots_node *old, uint32_t level, uint64_t edit)
{
    size_t size_bytes = size_of_node(level);
    if (old && edit && old->edit == edit) {
        union {
            const slots_node *from;
            slots_node *to;
        } own = {old}; // made by an earlier put of the same edit
        return own.to;
    }
    slots_node *node = lg_arena_alloc(arena, size_bytes, _Alignof(slots_node));
    if (node && old) {
        memcpy(node, old, size_bytes);
    } else if (node) {
        memset(node, 0, size_bytes);
    }
    if (node) {
        node->edit = edit;
    }
    return node;
}

// The node with `item`, or nothing, in the slot. False when out of memory. A node without items is
// NULL.
static bool with_slot(lg_arena *arena, const slots_node *old, uint32_t level, uint32_t slot,
                      const void *item, uint64_t edit, const slots_node **ret)
{
    uint32_t digit = digit_of(slot, level);
    const void *below = item;
    if (level > 0) {
        const slots_node *child = old ? old->below[digit] : NULL;
        const slots_node *made;
        if (!with_slot(arena, child, level - 1, slot, item, edit, &made)) {
            return false;
        }
        below = made;
    }
    slots_node *node = own_node(arena, old, level, edit);
    if (!node) {
        return false;
    }
    node->below[digit] = below;
    if (level > 0) {
        node->live[digit] = below ? live_in(below, level - 1) : 0;
    }
    *ret = below || live_in(node, level) > 0 ? node : NULL;
    return true;
}

// --- Keys ---------------------------------------------------------------------------------------

#define TAIL_BYTES sizeof(uint64_t)

// Keys that are alike differ most often at their end, which is compared without going to the text.
static uint64_t tail_of(lg_str key)
{
    uint64_t tail = 0;
    size_t len = key.len < TAIL_BYTES ? key.len : TAIL_BYTES;
    if (len) {
        memcpy(&tail, key.ptr + key.len - len, len);
    }
    return tail;
}

// By length, then by the tail, then by what is before it. Nobody sees this order.
static int cmp_key(const key_node *node, lg_str key, uint64_t tail)
{
    if (node->len != key.len) {
        return node->len < key.len ? -1 : 1;
    }
    if (node->tail != tail) {
        return node->tail < tail ? -1 : 1;
    }
    return key.len > TAIL_BYTES ? memcmp(node->text, key.ptr, key.len - TAIL_BYTES) : 0;
}

const key_node *lg_map_find(const lg_map *map, lg_str key)
{
    const key_node *node = map->keys;
    uint64_t tail = tail_of(key);
    while (node) {
        int order = cmp_key(node, key, tail);
        if (order == 0) {
            break;
        }
        node = order < 0 ? node->right : node->left;
    }
    return node;
}

static uint32_t size_of(const key_node *node)
{
    return node ? node->size : 0;
}

static uint64_t weight_of(const key_node *node)
{
    return (uint64_t)size_of(node) + 1;
}

// A copy of `key` with these children; NULL when out of memory.
static const key_node *join(lg_arena *arena, const key_node *key, const key_node *left,
                            const key_node *right)
{
    key_node *node = lg_arena_alloc(arena, sizeof(*node), _Alignof(key_node));
    if (node) {
        *node = *key;
        node->left = left;
        node->right = right;
        node->size = size_of(left) + size_of(right) + 1;
    }
    return node;
}

static const key_node *rotate_left(lg_arena *arena, const key_node *key, const key_node *left,
                                   const key_node *right)
{
    const key_node *inner = right->left;
    if (weight_of(inner) < RATIO * weight_of(right->right)) {
        const key_node *lower = join(arena, key, left, inner);
        return lower ? join(arena, right, lower, right->right) : NULL;
    }
    const key_node *low = join(arena, key, left, inner->left);
    const key_node *high = low ? join(arena, right, inner->right, right->right) : NULL;
    return high ? join(arena, inner, low, high) : NULL;
}

static const key_node *rotate_right(lg_arena *arena, const key_node *key, const key_node *left,
                                    const key_node *right)
{
    const key_node *inner = left->right;
    if (weight_of(inner) < RATIO * weight_of(left->left)) {
        const key_node *lower = join(arena, key, inner, right);
        return lower ? join(arena, left, left->left, lower) : NULL;
    }
    const key_node *low = join(arena, left, left->left, inner->left);
    const key_node *high = low ? join(arena, key, inner->right, right) : NULL;
    return high ? join(arena, inner, low, high) : NULL;
}

// As join, where one side may have become too heavy by one key.
static const key_node *balance(lg_arena *arena, const key_node *key, const key_node *left,
                               const key_node *right)
{
    if (weight_of(left) * DELTA < weight_of(right)) {
        return rotate_left(arena, key, left, right);
    }
    if (weight_of(right) * DELTA < weight_of(left)) {
        return rotate_right(arena, key, left, right);
    }
    return join(arena, key, left, right);
}

// The tree with one key more. As deep as the tree.
static const key_node *with_key(lg_arena *arena, const key_node *node, const key_node *key)
{
    if (!node) {
        return join(arena, key, NULL, NULL);
    }
    bool right = cmp_key(node, (lg_str){key->text, key->len}, key->tail) < 0;
    const key_node *below = with_key(arena, right ? node->right : node->left, key);
    if (!below) {
        return NULL;
    }
    return right ? balance(arena, node, node->left, below)
                 : balance(arena, node, below, node->right);
}

// The tree without its first key, which is given back. False when out of memory.
static bool without_first(lg_arena *arena, const key_node *node, const key_node **ret_first,
                          const key_node **ret)
{
    if (!node->left) {
        *ret_first = node;
        *ret = node->right;
        return true;
    }
    const key_node *left;
    if (!without_first(arena, node->left, ret_first, &left)) {
        return false;
    }
    *ret = balance(arena, node, left, node->right);
    return *ret != NULL;
}

// The tree without a key that it has. False when out of memory.
static bool without_key(lg_arena *arena, const key_node *node, lg_str key, const key_node **ret)
{
    int order = cmp_key(node, key, tail_of(key));
    const key_node *below;
    if (order != 0) {
        if (!without_key(arena, order < 0 ? node->right : node->left, key, &below)) {
            return false;
        }
        *ret = order < 0 ? balance(arena, node, node->left, below)
                         : balance(arena, node, below, node->right);
        return *ret != NULL;
    }
    if (!node->left || !node->right) {
        *ret = node->left ? node->left : node->right;
        return true;
    }
    const key_node *first;
    if (!without_first(arena, node->right, &first, &below)) {
        return false;
    }
    *ret = balance(arena, first, node->left, below);
    return *ret != NULL;
}

// --- The map ------------------------------------------------------------------------------------

const void *lg_map_get(const lg_map *map, lg_str key)
{
    const key_node *found = lg_map_find(map, key);
    return found ? lg_map_item(map, found) : NULL;
}

const void *lg_map_item(const lg_map *map, const key_node *found)
{
    return item_at(map, found->slot);
}

uint32_t lg_map_index(const lg_map *map, lg_str key)
{
    const key_node *found = lg_map_find(map, key);
    if (!found || map->count == map->next) {
        return found ? found->slot : map->count;
    }
    uint32_t index = 0;
    const void *node = map->slots;
    for (uint32_t level = levels_of(map->next); level-- > 0;) {
        const slots_node *s = node;
        uint32_t digit = digit_of(found->slot, level);
        for (uint32_t i = 0; i < digit; i++) {
            index += live_at(s, level, i);
        }
        node = s->below[digit];
    }
    return index;
}

// Slots that were left are given up, so that there are new ones. False when out of memory.
static bool renumber(lg_arena *arena, lg_map *map);

// One level more over what there is.
static bool raise(lg_arena *arena, lg_map *map, uint32_t level, uint64_t edit)
{
    slots_node *node = own_node(arena, NULL, level, edit);
    if (node) {
        node->below[0] = map->slots;
        node->live[0] = map->count;
        map->slots = node;
    }
    return node != NULL;
}

static bool append(lg_arena *arena, lg_map *map, lg_str key, const void *item, uint64_t edit)
{
    lg_map grown = *map;
    if (map->next / EMPTY_SHARE > map->count + WIDTH && !renumber(arena, &grown)) {
        return false;
    }
    key_node made = {
        .text = key.ptr, .tail = tail_of(key), .len = (uint32_t)key.len, .slot = grown.next};
    uint32_t levels = levels_of(grown.next + 1);
    bool taller = grown.next > 0 && levels > levels_of(grown.next);
    grown.keys = with_key(arena, grown.keys, &made);
    if (!grown.keys || (taller && grown.slots && !raise(arena, &grown, levels - 1, edit)) ||
        !with_slot(arena, grown.slots, levels - 1, grown.next, item, edit, &grown.slots)) {
        return false;
    }
    grown.next++;
    grown.count++;
    *map = grown;
    return true;
}

static bool renumber(lg_arena *arena, lg_map *map)
{
    lg_map fresh = {0};
    // The keys know their slots and not the other way round: they are put in the order of slots.
    const key_node **by_index = LG_NEW_ARRAY(arena, const key_node *, map->count);
    const key_node *above[KEY_DEPTH_MAX];
    uint32_t depth = 0;
    if (!by_index) {
        return false;
    }
    for (const key_node *node = map->keys; node || depth > 0; node = node->right) {
        for (; node; node = node->left) {
            LG_ASSERT(depth < KEY_DEPTH_MAX);
            above[depth++] = node;
        }
        node = above[--depth];
        by_index[lg_map_index(map, (lg_str){node->text, node->len})] = node;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        lg_str key = {by_index[i]->text, by_index[i]->len};
        if (!append(arena, &fresh, key, item_at(map, by_index[i]->slot), 0)) {
            return false;
        }
    }
    *map = fresh;
    return true;
}

bool lg_map_put(lg_arena *arena, lg_map *map, lg_str key, const void *item, uint64_t edit)
{
    LG_ASSERT(item);
    const key_node *found = lg_map_find(map, key);
    if (key.len > UINT32_MAX || map->count == COUNT_MAX) {
        return false;
    }
    return found ? lg_map_replace(arena, map, found, item, edit)
                 : append(arena, map, key, item, edit);
}

bool lg_map_replace(lg_arena *arena, lg_map *map, const key_node *found, const void *item,
                    uint64_t edit)
{
    LG_ASSERT(item && found->slot < map->next);
    return with_slot(arena, map->slots, levels_of(map->next) - 1, found->slot, item, edit,
                     &map->slots);
}

bool lg_map_remove(lg_arena *arena, lg_map *map, lg_str key)
{
    const key_node *old = lg_map_find(map, key);
    lg_map left = *map;
    if (!old) {
        return true;
    }
    if (!without_key(arena, map->keys, key, &left.keys) ||
        !with_slot(arena, map->slots, levels_of(map->next) - 1, old->slot, NULL, 0, &left.slots)) {
        return false;
    }
    left.count--;
    *map = left.count ? left : (lg_map){0};
    return true;
}

// --- What is new --------------------------------------------------------------------------------

static bool each_new(const slots_node *before, const slots_node *after, uint32_t level,
                     lg_map_visit visit, void *context)
{
    for (uint32_t i = 0; i < WIDTH; i++) {
        const void *below = after->below[i];
        const void *old = before ? before->below[i] : NULL;
        if (!below || below == old) {
            continue;
        }
        if (!(level ? each_new(old, below, level - 1, visit, context) : visit(context, below))) {
            return false;
        }
    }
    return true;
}

// A taller trie has the other one, or what has become of it, at its left edge.
static bool each_new_above(const slots_node *before, uint32_t before_level, const slots_node *after,
                           uint32_t level, lg_map_visit visit, void *context)
{
    if (level == before_level) {
        return each_new(before, after, level, visit, context);
    }
    slots_node rest = *after; // above the lowest level, so it is whole
    rest.below[0] = NULL;
    return (!after->below[0] ||
            each_new_above(before, before_level, after->below[0], level - 1, visit, context)) &&
           each_new(NULL, &rest, level, visit, context);
}

bool lg_map_each_new(const lg_map *before, const lg_map *after, lg_map_visit visit, void *context)
{
    uint32_t level = levels_of(after->next) - 1;
    const slots_node *old = before ? before->slots : NULL;
    uint32_t old_level = old ? levels_of(before->next) - 1 : level;
    for (; old && old_level > level;
         old_level--) { // of the taller one, the left edge has these slots
        old = old->below[0];
    }
    return !after->slots ||
           each_new_above(old, old ? old_level : level, after->slots, level, visit, context);
}

// --- Moving -------------------------------------------------------------------------------------

typedef struct moving {
    lg_mover *mover;
    bool once;
    lg_map_move_item move_item;
} moving;

static void *move_node(const moving *m, const void *node, size_t size_bytes, bool *ret_fresh)
{
    return m->once ? lg_mover_once(m->mover, node, size_bytes, 8, ret_fresh)
                   : lg_mover_block(m->mover, node, size_bytes, 8, ret_fresh);
}

// As deep as the tree.
static bool move_keys(const moving *m, const key_node **node)
{
    bool fresh;
    if (!*node || !lg_mover_leaves(m->mover, *node)) {
        return true;
    }
    key_node *copy = move_node(m, *node, sizeof(**node), &fresh);
    *node = copy;
    return copy && (!fresh || (lg_mover_text(m->mover, &copy->text, copy->len) &&
                               move_keys(m, &copy->left) && move_keys(m, &copy->right)));
}

static bool move_slots(const moving *m, const slots_node **node, uint32_t level)
{
    bool fresh;
    slots_node *copy = move_node(m, *node, size_of_node(level), &fresh);
    *node = copy;
    for (uint32_t i = 0; copy && fresh && i < WIDTH; i++) {
        const slots_node *below = copy->below[i];
        if (!below || !lg_mover_leaves(m->mover, below)) {
            continue; // nearly always: a change is one path
        }
        if (level == 0) {
            copy->below[i] = m->move_item(m->mover, below);
        } else {
            copy->below[i] = move_slots(m, &below, level - 1) ? below : NULL;
        }
        if (!copy->below[i]) {
            return false;
        }
    }
    return copy != NULL;
}

bool lg_map_move(lg_mover *mover, lg_map *map, bool once, lg_map_move_item move_item)
{
    moving m = {mover, once, move_item};
    return move_keys(&m, &map->keys) &&
           (!map->slots || move_slots(&m, &map->slots, levels_of(map->next) - 1));
}
