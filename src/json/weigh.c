// weigh.c: what it costs to go through a value, before somebody does.
#include "json/json.h"

#include "json/json_internal.h"

// Nodes that are small and near each other cost some nanoseconds, long texts some 20 ns for 64 bytes.
static bool weigh(lg_budget *budget, const lg_json *value, uint32_t depth)
{
    bool container = lg_json_is(value, LG_JSON_ARRAY) || lg_json_is(value, LG_JSON_OBJECT);
    bool text = lg_json_is(value, LG_JSON_STRING) || lg_json_is(value, LG_JSON_BIGNUM);
    if (depth > LG_JSON_DEPTH_MAX || !lg_budget_take(budget, 1 + (text ? value->len / 32 : 0))) {
        return false;
    }
    for (uint32_t i = 0; container && i < value->len; i++) {
        const lg_json *child = &value->as.items[i];
        if (lg_json_is(value, LG_JSON_OBJECT)) {
            const lg_json_member *member = lg_json_member_at(value, i);
            child = &member->value;
            if (!lg_budget_take(budget, 1 + lg_json_key(member).len / 32)) {
                return false;
            }
        }
        if (!weigh(budget, child, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool lg_json_weigh(lg_budget *budget, const lg_json *value)
{
    return !budget || !value || weigh(budget, value, 0);
}

// Where a value begins or ends. A text with many of these bytes is counted a little too strictly.
static bool is_structural(char c)
{
    return c == ',' || c == ':' || c == '[' || c == '{';
}

uint64_t lg_json_read_steps(lg_str text)
{
    uint64_t structural = 0;
    for (size_t i = 0; i < text.len; i++) {
        structural += is_structural(text.ptr[i]);
    }
    return text.len / 10 + 2 * structural;
}
