// fault.c: what befalls calls: latency, and answers that do not come.
//
// Nothing is remembered but how many calls there were: what befalls the n-th is a function of the seed and n.
#include "base/str.h"
#include "mock/mock_internal.h"

#define TIMEOUT_MS 30000u

// SplitMix64, as a function: well-mixed bits of any two numbers.
static uint64_t draw(uint64_t seed, uint64_t number)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15u * (number + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double fraction(uint64_t bits)
{
    return (double)(bits >> 11) / 9007199254740992.0; // 2^53
}

bool lg_mock_fault_read(lg_str word, lg_mock_fault *ret)
{
    uint64_t status = 0;
    *ret = (lg_mock_fault){LG_MOCK_FAULT_NONE, 0};
    if (lg_str_eq(word, LG_STR("timeout"))) {
        ret->kind = LG_MOCK_FAULT_TIMEOUT;
    } else if (lg_str_eq(word, LG_STR("reset"))) {
        ret->kind = LG_MOCK_FAULT_RESET;
    } else if (lg_str_eq(word, LG_STR("lost"))) {
        ret->kind = LG_MOCK_FAULT_LOST;
    } else if (mock_read_number(word, &status) && status >= 400 && status <= 599) {
        *ret = (lg_mock_fault){LG_MOCK_FAULT_STATUS, (unsigned)status};
    }
    return ret->kind != LG_MOCK_FAULT_NONE;
}

static lg_mock_fault drawn_fault(const lg_mock_faults *f, uint64_t n)
{
    if (fraction(draw(f->seed, 3 * n)) >= f->rate) {
        return (lg_mock_fault){LG_MOCK_FAULT_NONE, 0};
    }
    if (!f->kind_count) {
        return (lg_mock_fault){LG_MOCK_FAULT_STATUS, 500};
    }
    return f->kinds[draw(f->seed, 3 * n + 1) % f->kind_count];
}

static uint32_t drawn_latency(const lg_mock_faults *f, uint64_t n)
{
    uint32_t span = f->most_ms > f->least_ms ? f->most_ms - f->least_ms : 0;
    return f->least_ms + (uint32_t)(draw(f->seed, 3 * n + 2) % ((uint64_t)span + 1));
}

// "code=503" of a list of preferences (RFC 7240, and Prism): a status that the client wants to see.
static lg_str preferred_code(lg_str prefer)
{
    while (prefer.len) {
        size_t end = 0;
        while (end < prefer.len && prefer.ptr[end] != ',' && prefer.ptr[end] != ';') {
            end++;
        }
        lg_str item = lg_str_trim(lg_str_slice(prefer, 0, end));
        if (lg_str_starts(item, LG_STR("code="))) {
            return lg_str_slice(item, 5, item.len);
        }
        prefer = end < prefer.len ? lg_str_slice(prefer, end + 1, prefer.len) : LG_STR("");
    }
    return LG_STR("");
}

// What the request itself wants. False after answering: it wants what there is not.
static bool wanted(mock_exchange *x, lg_mock_fault *fault)
{
    lg_http_headers headers = x->request.headers;
    lg_str word = lg_http_header_value(headers, LG_STR("x-ledgergate-fault"));
    lg_str latency = lg_http_header_value(headers, LG_STR("x-ledgergate-latency"));
    lg_str code = preferred_code(lg_http_header_value(headers, LG_STR("prefer")));
    uint64_t ms = x->delay_ms;
    if (word.ptr && lg_str_eq(word, LG_STR("none"))) {
        *fault = (lg_mock_fault){LG_MOCK_FAULT_NONE, 0};
    } else if (word.ptr && !lg_mock_fault_read(word, fault)) {
        mock_fail(x, 400, "bad_request",
                  "x-ledgergate-fault is none, timeout, reset, lost, or a status from 400 to 599");
        return false;
    }
    if (latency.ptr && (!mock_read_number(latency, &ms) || ms > LG_MOCK_LATENCY_MAX_MS)) {
        mock_fail(x, 400, "bad_request", "x-ledgergate-latency is a number of ms, up to %u",
                  LG_MOCK_LATENCY_MAX_MS);
        return false;
    }
    x->delay_ms = (uint32_t)ms;
    if (!word.ptr && code.len && !x->has_own_codes) {
        (void)lg_mock_fault_read(code, fault); // any other code is what comes anyway
    }
    return true;
}

bool mock_fault_strikes(mock_exchange *x)
{
    const lg_mock_faults *f = &x->mock->options.faults;
    uint64_t n = x->mock->calls++;
    lg_mock_fault fault = drawn_fault(f, n);
    x->delay_ms = drawn_latency(f, n);
    if (!wanted(x, &fault)) {
        return true;
    }
    if ((x->delay_ms || fault.kind == LG_MOCK_FAULT_TIMEOUT) &&
        x->mock->delayed >= MOCK_DELAYED_MAX) {
        x->delay_ms = 0;
        mock_fail(x, 503, "limit", "%u answers are held back already: come back later",
                  MOCK_DELAYED_MAX);
        return true;
    }
    switch (fault.kind) {
    case LG_MOCK_FAULT_NONE:
        return false;
    case LG_MOCK_FAULT_STATUS:
        mock_fail(x, fault.status, "fault", "this fault was injected; nothing was carried out");
        mock_header(x, LG_STR("x-ledgergate-fault"), LG_STR("injected"));
        return true;
    case LG_MOCK_FAULT_TIMEOUT:
        x->delay_ms = f->timeout_ms ? f->timeout_ms : TIMEOUT_MS;
        x->cut = true;
        return true;
    case LG_MOCK_FAULT_RESET:
        x->cut = true;
        return true;
    case LG_MOCK_FAULT_LOST:
        x->cut = true;
        return false;
    }
    return false;
}
