// action.c: actions of a checklist, compared with calls and with each other.
//
// As the tasks of tau2 mean them: all arguments are compared, or those that `compare_args` names, so that an empty list
// leaves the tool's name. tau2 lets a call that leaves arguments out pass for the whole; here it does not.
#include "simulate/checklist_internal.h"

static const lg_json *member(const lg_json *object, lg_str key)
{
    const lg_json *value = lg_json_get(object, key);
    return lg_json_is(value, LG_JSON_NULL) ? NULL : value;
}

check_action checklist_action(const lg_json *action)
{
    const lg_json *args = member(action, LG_STR("arguments"));
    lg_str requestor = lg_json_str(member(action, LG_STR("requestor")));
    return (check_action){.name = lg_json_str(member(action, LG_STR("name"))),
                          .by_user = lg_str_eq(requestor, LG_STR("user")),
                          .args = args ? args : &lg_json_no_members,
                          .names = member(action, LG_STR("compare_args"))};
}

static bool same(const lg_json *a, const lg_json *b, lg_budget *budget)
{
    bool both = a && b;
    return a == b || (both && lg_json_weigh(budget, a) && lg_json_equal(a, b));
}

static void count(lg_str name, size_t *wrong, lg_str *ret_names, size_t room)
{
    if (*wrong < room) {
        ret_names[*wrong] = name;
    }
    ++*wrong;
}

size_t checklist_wrong(const check_action *action, const lg_json *args, lg_budget *budget,
                       lg_str *ret_names, size_t room)
{
    size_t wrong = 0;
    for (size_t i = 0; action->names && i < lg_json_len(action->names); i++) {
        lg_str name = lg_json_str(lg_json_item(action->names, i));
        if (!lg_budget_take(budget, 1) ||
            !same(lg_json_get(action->args, name), lg_json_get(args, name), budget)) {
            count(name, &wrong, ret_names, room);
        }
    }
    for (size_t i = 0; !action->names && i < lg_json_len(action->args); i++) {
        const lg_json_member *m = lg_json_member_at(action->args, i);
        if (!same(&m->value, lg_json_get(args, lg_json_key(m)), budget)) {
            count(lg_json_key(m), &wrong, ret_names, room);
        }
    }
    for (size_t i = 0; !action->names && i < lg_json_len(args); i++) {
        lg_str name = lg_json_key(lg_json_member_at(args, i));
        if (!lg_budget_take(budget, 1) || !lg_json_get(action->args, name)) {
            count(name, &wrong, ret_names, room);
        }
    }
    return wrong;
}

static bool same_names(const lg_json *a, const lg_json *b)
{
    return a && b ? lg_json_equal(a, b) : a == b;
}

bool checklist_same_action(const check_action *a, const check_action *b)
{
    return a->by_user == b->by_user && lg_str_eq(a->name, b->name) &&
           same_names(a->names, b->names) && checklist_wrong(a, b->args, NULL, NULL, 0) == 0;
}
