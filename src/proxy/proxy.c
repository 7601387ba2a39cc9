// proxy.c: what all loops share: memory between exchanges, numbers, routes.
#include "proxy/proxy_internal.h"

#include "base/alloc.h"
#include "base/sign.h"
#include "pack/conversation.h"

#define MEMORY_ENTRIES 65536u
#define MEMORY_BYTES ((size_t)64 << 20)
#define SESSION_ENTRIES 1024u
#define SESSION_BYTES ((size_t)256 << 20)
#define READINGS_SHARE 4u // of session_bytes
#define OUT_BYTES ((size_t)64 << 20)
#define EXCHANGE_BYTES ((size_t)1 << 30)
#define BLOCK_AGAIN_BYTES 4096u

static size_t or_default(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

lg_status lg_proxy_new(const lg_proxy_options *options, lg_proxy **ret_proxy)
{
    lg_proxy *proxy = lg_zalloc(sizeof(*proxy));
    if (!proxy || !lg_sign_begin()) {
        lg_free(proxy);
        return LG_ERR_OOM;
    }
    size_t entries = or_default(options->memory_entries, MEMORY_ENTRIES);
    size_t bytes = or_default(options->memory_bytes, MEMORY_BYTES);
    proxy->journal = options->journal;
    proxy->limits = lg_limits_resolve(&options->limits);
    proxy->chat_limits.request_bytes = options->request_bytes;
    proxy->chat_limits.reply_bytes = options->reply_bytes;
    proxy->out_bytes = or_default(options->out_bytes, OUT_BYTES);
    proxy->most_held_bytes = or_default(options->exchange_bytes, EXCHANGE_BYTES);
    proxy->session_entries = or_default(options->session_entries, SESSION_ENTRIES);
    proxy->session_bytes = or_default(options->session_bytes, SESSION_BYTES);
    if (options->key) {
        proxy->key = *options->key;
    } else {
        lg_random(&proxy->key, sizeof(proxy->key));
    }
    shelf_init(&proxy->feedback, entries, bytes, shelf_free_text);
    shelf_init(&proxy->hidden, entries, bytes, shelf_free_text);
    shelf_init(&proxy->responses, entries, bytes, shelf_free_text);
    shelf_init(&proxy->readings, proxy->session_entries, proxy->session_bytes / READINGS_SHARE,
               prefix_free_item);
    proxy->reads_anew = options->reads_anew;
    shelf_init(&proxy->judged, entries, bytes, shelf_free_text);
    *ret_proxy = proxy;
    return LG_OK;
}

void lg_proxy_free(lg_proxy *proxy)
{
    if (proxy) {
        shelf_done(&proxy->feedback);
        shelf_done(&proxy->hidden);
        shelf_done(&proxy->responses);
        shelf_done(&proxy->readings);
        shelf_done(&proxy->judged);
        lg_free(proxy);
    }
}

void lg_proxy_count(const lg_proxy *proxy, lg_proxy_counts *ret)
{
#define X(name, text)                                                                              \
    ret->name = atomic_load_explicit(&proxy->counts[COUNT_##name], memory_order_relaxed);
    LG_PROXY_COUNT_MAP(X)
#undef X
}

// --- Rules of a route ---------------------------------------------------------------------------

// The rules in one row: none, the gate's own two, any other, the pack's, those about the conversation.
enum { RULE_NONE, RULE_ARGUMENTS, RULE_KNOWN_TOOL, RULE_OTHER, RULE_FIRST };

static size_t rule_rows(const lg_pack *pack)
{
    return RULE_FIRST + pack->rule_count + (pack->course ? pack->course->rule_count : 0);
}

static lg_str rule_at(const lg_pack *pack, size_t row)
{
    static const char *const own[] = {"", "arguments", "known_tool", "other"};
    if (row < RULE_FIRST) {
        return lg_str_c(own[row]);
    }
    row -= RULE_FIRST;
    return row < pack->rule_count ? pack->rules[row].id
                                  : pack->course->rules[row - pack->rule_count].id;
}

static size_t row_of(const lg_pack *pack, lg_str rule)
{
    for (size_t row = 0; row < rule_rows(pack); row++) {
        if (lg_str_eq(rule_at(pack, row), rule)) {
            return row;
        }
    }
    return RULE_OTHER;
}

bool route_shadows(const lg_proxy_route *route, lg_str rule)
{
    return route->options.shadow_rule_count && route->shadows[row_of(route->options.pack, rule)];
}

static bool speaks_of_agent(const lg_pattern *pattern)
{
    for (size_t i = 0; i < pattern->count; i++) {
        if (pattern->parts[i].on & LG_ON_AGENT) {
            return true;
        }
    }
    return false;
}

// Can a message of the agent be refused? Also what opens or closes a rule counts: where its condition cannot be
// evaluated, that is a finding of the rule.
static bool judges_text(const lg_pack *pack)
{
    const lg_course *course = pack ? pack->course : NULL;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        const lg_course_rule *rule = &course->rules[i];
        bool ends =
            rule->kind == LG_COURSE_AFTER && course->has_ends && speaks_of_agent(&course->ends);
        bool speaks = speaks_of_agent(&rule->judged) || speaks_of_agent(&rule->opens) ||
                      speaks_of_agent(&rule->closes);
        if (rule->otherwise != LG_ALLOW && (ends || speaks)) {
            return true;
        }
    }
    return false;
}

// --- Numbers of a route -------------------------------------------------------------------------

static _Atomic uint64_t *decision_cell(const lg_proxy_route *route, size_t tool, size_t row,
                                       lg_verdict verdict)
{
    return &route->decisions[(tool * rule_rows(route->options.pack) + row) * 3 + (size_t)verdict];
}

void route_count(lg_proxy_route *route, const lg_decision *decision, lg_str tool)
{
    const lg_pack *pack = route->options.pack;
    const lg_tool *known = lg_pack_tool(pack, tool);
    size_t index = known ? (size_t)(known - pack->tools) : pack->tool_count;
    lg_str rule = LG_STR("");
    for (size_t i = decision->finding_count; i > 0; i--) { // the first of the severest
        const lg_finding *finding = &decision->findings[i - 1];
        rule = finding->verdict == decision->verdict ? finding->rule : rule;
    }
    atomic_fetch_add_explicit(decision_cell(route, index, row_of(pack, rule), decision->verdict), 1,
                              memory_order_relaxed);
}

void lg_proxy_route_decisions(const lg_proxy_route *route, lg_proxy_visit visit, void *context)
{
    const lg_pack *pack = route->options.pack;
    for (size_t tool = 0; pack && tool <= pack->tool_count; tool++) {
        for (size_t row = 0; row < rule_rows(pack); row++) {
            for (lg_verdict v = LG_ALLOW; v <= LG_BLOCK; v++) {
                uint64_t count =
                    atomic_load_explicit(decision_cell(route, tool, row, v), memory_order_relaxed);
                if (count) {
                    visit(context, v, rule_at(pack, row),
                          tool < pack->tool_count ? pack->tools[tool].name : LG_STR(""), count);
                }
            }
        }
    }
}

// --- What a route comes instead of --------------------------------------------------------------

static void add_number(lg_hash_state *state, uint64_t number)
{
    lg_hash_add(state, &number, sizeof(number));
}

// All that a reload may change beside the pack.
static lg_hash_digest hash_settings(const lg_proxy *proxy, const lg_proxy_route_options *o)
{
    lg_hash_state state;
    lg_hash_begin(&state, &proxy->key);
    lg_hash_add_str(&state, o->name);
    uint64_t numbers[] = {o->mode,
                          o->block,
                          o->block_bytes,
                          o->block_compact,
                          o->block_as_system,
                          o->block_again_bytes,
                          o->on_refusal,
                          o->no_revisions,
                          o->max_revisions,
                          o->hold_text,
                          o->allow_unseen,
                          o->shares_upstream,
                          o->shadow_rule_count};
    for (size_t i = 0; i < LG_COUNT(numbers); i++) {
        add_number(&state, numbers[i]);
    }
    for (size_t i = 0; i < o->shadow_rule_count; i++) {
        lg_hash_add_str(&state, o->shadow_rules[i]);
    }
    return lg_hash_now(&state);
}

static void add_earlier(lg_proxy_route *route, lg_proxy_route *other)
{
    bool other_pack = other->options.pack && !lg_str_eq(lg_pack_hash(other->options.pack),
                                                        lg_pack_hash(route->options.pack));
    if (other_pack && route->earlier_count < PROXY_EARLIER_LAWS &&
        lg_hash_digest_eq(&other->settings, &route->settings)) {
        route_ref(other);
        route->earlier[route->earlier_count++] = other;
    }
}

static void follow(lg_proxy_route *route, lg_proxy_route *before)
{
    add_earlier(route, before);
    pthread_mutex_lock(&before->lock);
    for (size_t i = 0; i < before->earlier_count; i++) {
        add_earlier(route, before->earlier[i]);
    }
    pthread_mutex_unlock(&before->lock);
}

static void forget_earlier(lg_proxy_route *route)
{
    lg_proxy_route *earlier[PROXY_EARLIER_LAWS];
    pthread_mutex_lock(&route->lock);
    size_t count = route->earlier_count;
    memcpy(earlier, route->earlier, sizeof(earlier));
    route->earlier_count = 0;
    pthread_mutex_unlock(&route->lock);
    for (size_t i = 0; i < count; i++) {
        route_unref(earlier[i]);
    }
}

static talk *take(lg_proxy_route *route, const lg_hash_digest *key)
{
    shelf_item *item = shelf_take(&route->sessions, key);
    return (talk *)item;
}

talk *route_take(lg_proxy_route **route, const lg_hash_digest *key, bool earlier)
{
    lg_proxy_route *from = *route;
    talk *t = take(from, key);
    if (t || !earlier) {
        return t;
    }
    pthread_mutex_lock(&from->lock);
    for (size_t i = 0; i < from->earlier_count && !t; i++) {
        t = take(from->earlier[i], key);
        if (t) {
            *route = from->earlier[i];
            route_ref(*route);
        }
    }
    pthread_mutex_unlock(&from->lock);
    if (t) {
        route_unref(from);
    }
    return t;
}

// --- Lifetime of a route ------------------------------------------------------------------------

static lg_status read_shadows(lg_proxy_route *route, const lg_proxy_route_options *options,
                              lg_error *reterr)
{
    const lg_pack *pack = options->pack;
    for (size_t i = 0; i < options->shadow_rule_count; i++) {
        lg_str rule = options->shadow_rules[i];
        size_t row = row_of(pack, rule);
        if (row == RULE_OTHER || row == RULE_NONE) {
            return lg_fail(reterr, LG_ERR_NAME,
                           "the pack has no rule `%.*s` that could be in shadow mode",
                           LG_FMT(rule));
        }
        route->shadows[row] = true;
    }
    return LG_OK;
}

static lg_status set_up(lg_proxy_route *route, const lg_proxy_route_options *options,
                        lg_error *reterr)
{
    const lg_pack *pack = options->pack;
    route->options = *options;
    route->options.name = lg_arena_str(&route->arena, options->name);
    route->options.shadow_rules = NULL;
    route->options.before = NULL;
    route->settings = hash_settings(route->proxy, options);
    route->options.max_revisions = options->no_revisions    ? 0
                                   : options->max_revisions ? options->max_revisions
                                                            : LG_PROXY_REVISIONS;
    route->options.block_again_bytes = or_default(options->block_again_bytes, BLOCK_AGAIN_BYTES);
    route->judges_text = judges_text(pack);
    if (!route->options.name.ptr) {
        return lg_fail_oom(reterr);
    }
    if (!pack) {
        return LG_OK;
    }
    size_t cells = (pack->tool_count + 1) * rule_rows(pack) * 3;
    route->shadows = LG_NEW_ARRAY(&route->arena, bool, rule_rows(pack));
    route->decisions = lg_arena_zalloc(&route->arena, cells, sizeof(*route->decisions), 8);
    if (!route->shadows || !route->decisions) {
        return lg_fail_oom(reterr);
    }
    lg_status status = read_shadows(route, options, reterr);
    if (status == LG_OK && route->proxy->journal) {
        lg_journal_law law = {.now = options->now,
                              .pack = pack,
                              .limits = &route->proxy->limits,
                              .explain = LG_EXPLAIN_ALL,
                              .recorded = true};
        status = lg_journal_add_law(route->proxy->journal, &law, &route->law, reterr);
    }
    return status;
}

lg_status lg_proxy_route_new(lg_proxy *proxy, const lg_proxy_route_options *options,
                             lg_proxy_route **ret_route, lg_error *reterr)
{
    lg_proxy_route *route = lg_zalloc(sizeof(*route));
    if (!route) {
        return lg_fail_oom(reterr);
    }
    route->proxy = proxy;
    lg_arena_init(&route->arena, 0);
    pthread_mutex_init(&route->lock, NULL);
    lg_status status = set_up(route, options, reterr);
    if (status != LG_OK) {
        pthread_mutex_destroy(&route->lock);
        lg_arena_done(&route->arena);
        lg_free(route);
        return status;
    }
    shelf_init(&route->sessions, proxy->session_entries, proxy->session_bytes, talk_free_item);
    atomic_store(&route->users, 1);
    if (options->before && options->pack) {
        follow(route, options->before);
    }
    *ret_route = route;
    return LG_OK;
}

void route_ref(lg_proxy_route *route)
{
    atomic_fetch_add(&route->users, 1);
}

void route_unref(lg_proxy_route *route)
{
    if (atomic_fetch_sub(&route->users, 1) > 1) {
        return;
    }
    void (*released)(void *) = route->options.released;
    void *context = route->options.context;
    shelf_done(&route->sessions); // before the pack, which they read
    pthread_mutex_destroy(&route->lock);
    lg_arena_done(&route->arena);
    lg_free(route);
    if (released) {
        released(context);
    }
}

void lg_proxy_route_free(lg_proxy_route *route)
{
    if (route) {
        // What it has folded may go on, beside that of the route that came instead: all earlier ones together hold no more
        // than the current one.
        shelf_limit(&route->sessions, route->proxy->session_entries / PROXY_EARLIER_LAWS,
                    route->proxy->session_bytes / PROXY_EARLIER_LAWS);
        forget_earlier(route);
        route_unref(route);
    }
}

bool lg_proxy_holds_text(const lg_proxy_route *route)
{
    return route->judges_text || route->options.hold_text;
}
