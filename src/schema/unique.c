// unique.c: `uniqueItems` in less than quadratic time, without asking for memory.
//
// Each item is hashed so that equal values (1 and 1.0, objects in any order) have equal hashes; the
// hashes are sorted in the run's scratch with the index beside them, and only items of equal hashes
// are compared. An array with more items than the scratch has words is done in passes, one a slice
// of the hashes. A few scalars are quicker compared directly.
#include "schema/schema_internal.h"

#include "base/hash.h"

enum {
    DIRECT_MAX = 16,
    HASH_DEPTH = 300, // more levels than a document may have by default
};

#define INDEX_BITS 28 // LG_JSON_LEN_MAX
#define INDEX_MASK ((UINT64_C(1) << INDEX_BITS) - 1)
_Static_assert(LG_JSON_LEN_MAX <= INDEX_MASK, "an index fits beside its hash");

// --- Hashes ---------------------------------------------------------------------------------------

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t pair[2] = {a, b};
    return lg_hash(lg_str_of((const char *)pair, sizeof(pair)));
}

static uint64_t hash_number(const lg_json *number)
{
    double nearest = 0;
    // Equal numbers have the same nearest double; those that have none share a hash.
    if (!lg_json_double(number, &nearest) || (nearest >= 0 && nearest <= 0)) {
        return 3;
    }
    return lg_hash(lg_str_of((const char *)&nearest, sizeof(nearest)));
}

// Counts what it reads into `*cost`.
static uint64_t hash_value(const lg_json *value, uint32_t depth, uint64_t *cost)
{
    lg_json_type type = lg_json_type_of(value);
    ++*cost;
    if (lg_json_is_number(value)) {
        *cost += type == LG_JSON_BIGNUM ? value->len / 8 : 0;
        return hash_number(value);
    }
    if (type == LG_JSON_STRING) {
        *cost += value->len / 64;
        return mix(5, lg_hash(lg_json_str(value)));
    }
    if (type == LG_JSON_NULL || type == LG_JSON_BOOL) {
        return type == LG_JSON_NULL ? 7 : value->as.boolean ? 11 : 13;
    }
    uint64_t sum = mix(type == LG_JSON_ARRAY ? 17 : 19, value->len);
    for (size_t i = 0; depth < HASH_DEPTH && i < value->len; i++) {
        if (type == LG_JSON_ARRAY) {
            sum = mix(sum, hash_value(&value->as.items[i], depth + 1, cost));
        } else {
            // A sum, since the order of members does not matter.
            const lg_json_member *member = lg_json_member_at(value, i);
            *cost += lg_json_key(member).len / 64;
            sum += mix(lg_hash(lg_json_key(member)), hash_value(&member->value, depth + 1, cost));
        }
    }
    return sum;
}

// --- Comparing ------------------------------------------------------------------------------------

static bool is_scalar(const lg_json *value)
{
    return !lg_json_is(value, LG_JSON_ARRAY) && !lg_json_is(value, LG_JSON_OBJECT);
}

// Whether to compare pair by pair: few items, and none that takes long.
static bool is_small(const lg_json *array)
{
    for (size_t i = 0; i < array->len && i <= DIRECT_MAX; i++) {
        if (!is_scalar(&array->as.items[i])) {
            return false;
        }
    }
    return array->len <= DIRECT_MAX;
}

static bool check_pairs(validation *v, const node *n, const spot *at)
{
    const lg_json *items = at->value->as.items;
    for (size_t i = 1; i < at->value->len; i++) {
        for (size_t j = 0; j < i; j++) {
            uint64_t bytes = lg_json_is(&items[i], LG_JSON_STRING) ? items[i].len : 0;
            if (!lg_spend(v, n, at, 1 + bytes / 64)) {
                return false;
            }
            if (lg_json_equal(&items[i], &items[j])) {
                return lg_report_repeat(v, n, at, j, i);
            }
        }
    }
    return true;
}

// Restores the heap below `root`, whose children are heaps.
static void sift_down(uint64_t *keys, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && keys[child + 1] > keys[child] ? 1 : 0;
        if (keys[root] >= keys[child]) {
            return;
        }
        uint64_t low = keys[root];
        keys[root] = keys[child];
        keys[child] = low;
        root = child;
    }
}

// Heapsort: qsort() of the C library may ask for memory.
static void sort_keys(uint64_t *keys, size_t count)
{
    for (size_t i = count / 2; i > 0; i--) {
        sift_down(keys, i - 1, count);
    }
    for (size_t last = count; last > 1; last--) {
        uint64_t greatest = keys[0];
        keys[0] = keys[last - 1];
        keys[last - 1] = greatest;
        sift_down(keys, 0, last - 1);
    }
}

// Compares the items of each run of equal hashes in the sorted `keys`.
static bool check_runs(validation *v, const node *n, const spot *at, const uint64_t *keys,
                       size_t count)
{
    const lg_json *items = at->value->as.items;
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && (keys[j - 1] ^ keys[i]) <= INDEX_MASK; j--) {
            size_t first = (size_t)(keys[j - 1] & INDEX_MASK);
            size_t second = (size_t)(keys[i] & INDEX_MASK);
            uint64_t cost = 0;
            // Unequal items of equal hashes are so rare that hashing again for the cost is no waste.
            (void)hash_value(&items[second], 0, &cost);
            if (!lg_spend(v, n, at, cost)) {
                return false;
            }
            if (lg_json_equal(&items[first], &items[second])) {
                return lg_report_repeat(v, n, at, first, second);
            }
        }
    }
    return true;
}

// One pass over the items whose hash leaves `pass` when divided by `passes`.
static bool check_pass(validation *v, const node *n, const spot *at, uint64_t pass, uint64_t passes)
{
    uint64_t *keys = v->words + v->words_used;
    size_t room = LG_SCHEMA_MARK_WORDS - v->words_used;
    size_t count = 0;
    for (size_t i = 0; i < at->value->len; i++) {
        uint64_t cost = 0;
        uint64_t hash = hash_value(&at->value->as.items[i], 0, &cost);
        if (!lg_spend(v, n, at, 3 + cost)) { // it will be sorted, too
            return false;
        }
        if (hash % passes != pass) {
            continue;
        }
        if (count == room) {
            return lg_stop(v, n, at, "has too many items to tell whether they are unique");
        }
        keys[count++] = (hash & ~INDEX_MASK) | i;
    }
    sort_keys(keys, count);
    return check_runs(v, n, at, keys, count);
}

bool lg_check_unique(validation *v, const node *n, const spot *at)
{
    if (is_small(at->value)) {
        return check_pairs(v, n, at);
    }
    size_t room = LG_SCHEMA_MARK_WORDS - v->words_used;
    // Half full on average, so that a pass overflows only when somebody has planned it.
    uint64_t passes = at->value->len <= room ? 1 : 2 + at->value->len / (room / 2 + 1);
    bool ok = true;
    for (uint64_t pass = 0; pass < passes && ok; pass++) {
        ok = check_pass(v, n, at, pass, passes);
    }
    return ok;
}
