// keys.c: by what things are remembered: keyed hashes, so that nobody who does not know the process's secret can make
// two things have one key.
//
// What the agent said is compared as it is read, not as it is written: a client writes messages in its own way, with
// other blanks, orders of members, and fields that it leaves out.
#include "base/sign.h"
#include "proxy/proxy_internal.h"

static void add_digest(lg_hash_state *state, const lg_hash_digest *digest)
{
    lg_hash_add(state, digest->bytes, sizeof(digest->bytes));
}

static lg_hash_state begin(const lg_proxy *proxy, const char *kind)
{
    lg_hash_state state;
    lg_hash_begin(&state, &proxy->key);
    lg_hash_add_str(&state, lg_str_c(kind));
    return state;
}

lg_hash_digest key_scope(const lg_proxy_route *route, lg_str principal)
{
    lg_hash_state state = begin(route->proxy, "scope");
    lg_hash_add_str(&state, principal);
    lg_hash_add_str(&state, route->options.name);
    return lg_hash_now(&state);
}

lg_str key_hex(const lg_hash_digest *key, char room[33])
{
    lg_hex(key->bytes, sizeof(key->bytes), room);
    return lg_str_of(room, 2 * sizeof(key->bytes));
}

lg_hash_digest key_session(const lg_proxy *proxy, const lg_hash_digest *base,
                           const lg_hash_digest *prefix)
{
    lg_hash_state state = begin(proxy, "session");
    add_digest(&state, base);
    add_digest(&state, prefix);
    return lg_hash_now(&state);
}

lg_str key_mark(const lg_proxy *proxy, const lg_hash_digest *base, const lg_hash_digest *prefix,
                char room[33])
{
    lg_hash_state state = begin(proxy, "mark");
    add_digest(&state, base);
    add_digest(&state, prefix);
    lg_hash_digest mark = lg_hash_now(&state);
    return lg_str_cut(key_hex(&mark, room), PROXY_MARK_BYTES);
}

lg_hash_digest key_response(const lg_proxy *proxy, const lg_hash_digest *scope, lg_str id)
{
    lg_hash_state state = begin(proxy, "response");
    add_digest(&state, scope);
    lg_hash_add_str(&state, id);
    return lg_hash_now(&state);
}

// The id, the tool and the arguments as a value, if they are one.
static bool add_call(lg_hash_state *state, const lg_trace_event *call)
{
    lg_buf args;
    lg_buf_init(&args, 0);
    lg_buf_add_byte(&args, call->args ? 'j' : 't');
    if (call->args) {
        lg_json_print_canonical(&args, call->args);
    } else {
        lg_buf_add(&args, call->text);
    }
    lg_hash_add_str(state, call->id);
    lg_hash_add_str(state, call->tool);
    lg_hash_add_str(state, lg_buf_str(&args));
    bool made = lg_buf_status(&args) == LG_OK;
    lg_buf_done(&args);
    return made;
}

bool key_call(const lg_proxy *proxy, const lg_hash_digest *scope, const lg_trace_event *call,
              lg_hash_digest *ret)
{
    lg_hash_state state = begin(proxy, "call");
    add_digest(&state, scope);
    bool made = add_call(&state, call);
    *ret = lg_hash_now(&state);
    return made;
}

// --- What was said ------------------------------------------------------------------------------

void key_said_begin(key_said *said, const lg_proxy *proxy, const lg_hash_digest *base,
                    const lg_hash_digest *prefix)
{
    *said = (key_said){.state = begin(proxy, "said"), .made = true};
    add_digest(&said->state, base);
    lg_hash_add(&said->state, prefix ? "1" : "0", 1);
    if (prefix) {
        add_digest(&said->state, prefix);
    }
    said->calls = begin(proxy, "calls");
    said->texts = begin(proxy, "texts");
}

// Texts are one, however they come in pieces.
void key_said_text(key_said *said, lg_str text)
{
    lg_hash_add(&said->texts, text.ptr, text.len);
}

void key_said_call(key_said *said, const lg_trace_event *call)
{
    said->made = add_call(&said->calls, call) && said->made;
}

bool key_said_end(key_said *said, lg_hash_digest *ret)
{
    lg_hash_digest texts = lg_hash_now(&said->texts);
    lg_hash_digest calls = lg_hash_now(&said->calls);
    add_digest(&said->state, &texts);
    add_digest(&said->state, &calls);
    *ret = lg_hash_now(&said->state);
    return said->made;
}
