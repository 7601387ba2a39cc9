// proxy_internal.h: what the files of this room share.
#ifndef LG_PROXY_INTERNAL_H
#define LG_PROXY_INTERNAL_H

#include "proxy/proxy.h"
#include "proxy/shelf.h"

#include <pthread.h>
#include <stdatomic.h>

// --- proxy.c: what all loops share --------------------------------------------------------------

typedef enum proxy_number {
#define X(name, text) COUNT_##name,
    LG_PROXY_COUNT_MAP(X)
#undef X
        COUNT_NUMBERS
} proxy_number;

struct lg_proxy {
    lg_journal *journal; // or NULL
    lg_limits limits;
    lg_chat_limits chat_limits;
    size_t session_entries, session_bytes;
    size_t out_bytes;
    lg_hash_key key;
    shelf feedback;  // what the model is still to be told, by what was delivered
    shelf hidden;    // the rounds that the client has not seen, likewise
    shelf responses; // what a response id continues
    shelf readings;  // what was read of messages (prefix.c), by their bytes
    bool reads_anew; // there are none
    shelf judged;    // what came of a call, by what it was
    _Atomic uint64_t counts[COUNT_NUMBERS];
    _Atomic uint64_t tokens;
    _Atomic size_t held_bytes; // by all exchanges
    size_t most_held_bytes;
};

static inline void proxy_add(lg_proxy *proxy, proxy_number number, uint64_t more)
{
    atomic_fetch_add_explicit(&proxy->counts[number], more, memory_order_relaxed);
}

#define PROXY_EARLIER_LAWS 4u

struct lg_proxy_route {
    lg_proxy *proxy;
    pthread_mutex_t lock; // of `earlier`
    // What it came instead of and that has another pack, the latest first: what they have folded stays theirs. Held
    // until the host gives up the route.
    lg_proxy_route *earlier[PROXY_EARLIER_LAWS];
    size_t earlier_count;
    lg_hash_digest settings;        // all but the pack
    lg_proxy_route_options options; // its texts are the route's own
    bool *shadows;                  // by rule of the pack and its course
    bool judges_text;               // a rule can refuse what the agent says
    shelf sessions;                 // folded conversations, `talk`
    lg_journal_id law;
    _Atomic uint64_t users;      // the host and the exchanges
    _Atomic uint64_t *decisions; // by tool, rule and verdict
    lg_arena arena;
};

typedef struct talk talk;

// A conversation that `*route` has folded; or, with `earlier`, one of those that it came instead of: that one is
// `*route` then, and held instead of it. NULL: there is none.
talk *route_take(lg_proxy_route **route, const lg_hash_digest *key, bool earlier);

void route_ref(lg_proxy_route *route);
void route_unref(lg_proxy_route *route);
bool route_shadows(const lg_proxy_route *route, lg_str rule);
void route_count(lg_proxy_route *route, const lg_decision *decision, lg_str tool);

// --- talk.c: one folded conversation ------------------------------------------------------------

// When the host's clock was read while events went in: what is judged later must be judged by the same.
typedef struct talk_clock {
    uint32_t event; // from this one on
    lg_time time;
} talk_clock;

// A call whose result comes with a request that does not show the call.
typedef struct talk_call {
    lg_str id;      // the protocol's
    uint32_t event; // its number
    lg_str tool;
} talk_call;

#define PROXY_MARK_BYTES 12u // of blocks, in hexadecimal digits

// Whether the journal has come to keep what was handed over to it while nobody waited. Two hold it: the conversation,
// and what waits for the journal, which may outlive all else here.
typedef struct talk_word talk_word;

struct talk {
    shelf_item item;
    lg_session *session;
    uint32_t events; // that are folded
    lg_arena arena;  // of what follows
    lg_chat_insert
        *inserts; // that stand in what is folded; `at` counts from the conversation's beginning
    size_t insert_count, insert_capacity, insert_bytes;
    // `append`: a fork of the session that stands where the blocks so far have told of it, once there is one.
    lg_session *told;
    bool told_any;
    lg_ledger_shown shown; // `current`: the lines of the latest block
    size_t since_whole;    // bytes of blocks since the last whole one
    size_t whole_bytes;    // of that; 0: there was nothing to tell yet
    char mark[PROXY_MARK_BYTES];
    bool has_said;           // the agent has said something:
    lg_hash_digest said;     // this, last (key_said)
    lg_journal_id logged_at; // the last event that is in the log
    uint32_t logged;         // events that are
    talk_word *word;         // on what was handed over last, of which nobody knows yet; or NULL
    lg_journal_id word_at;   // its last event
    uint32_t word_events;    // events up to there
    talk_clock *clocks;
    size_t clock_count, clock_capacity;
    talk_call *calls;
    size_t call_count, call_capacity;
};

LG_NODISCARD lg_status talk_new(lg_proxy_route *route, const lg_journal_id *scope, talk **ret);
void talk_free(talk *t); // NULL is allowed
void talk_free_item(shelf_item *item);
size_t talk_bytes(const talk *t);
LG_NODISCARD bool talk_insert(talk *t, const lg_chat_insert *insert);
LG_NODISCARD bool talk_add_call(talk *t, lg_str id, lg_str tool, uint32_t event);
LG_NODISCARD bool talk_add_clock(talk *t, lg_time time);
// The log has all events, and the last one there is `at`.
void talk_logged(talk *t, const lg_journal_id *at);
// All events are handed to the log, and the last one is `at`. NULL: there is one already of which nobody knows, or no memory: what
// is behind it is handed over again.
talk_word *talk_hand_over(talk *t, const lg_journal_id *at);
void talk_settle(talk *t);                      // takes notice of the word on them, if there is one
void talk_word_say(talk_word *word, bool kept); // from any thread; NULL is allowed

// --- keys.c: by what things are remembered ------------------------------------------------------

// Whose, by which route: nothing that is remembered crosses it. What one law has folded stands on a shelf of its own.
lg_hash_digest key_scope(const lg_proxy_route *route, lg_str principal);
// A text that the log takes as the scope of its events.
lg_str key_hex(const lg_hash_digest *key, char room[33]);

// `base` stands for all that came before the request's first message: the scope, or what is continued.
lg_hash_digest key_session(const lg_proxy *proxy, const lg_hash_digest *base,
                           const lg_hash_digest *prefix);
// The mark of blocks of which the first stands behind `prefix`.
lg_str key_mark(const lg_proxy *proxy, const lg_hash_digest *base, const lg_hash_digest *prefix,
                char room[33]);
lg_hash_digest key_response(const lg_proxy *proxy, const lg_hash_digest *scope, lg_str id);

// Of one call, wherever it stands. False: out of memory.
LG_NODISCARD bool key_call(const lg_proxy *proxy, const lg_hash_digest *scope,
                           const lg_trace_event *call, lg_hash_digest *ret);

// What the agent said and called as the message behind `prefix` (NULL: the first).
typedef struct key_said {
    lg_hash_state state, texts, calls;
    bool made; // false: out of memory
} key_said;
void key_said_begin(key_said *said, const lg_proxy *proxy, const lg_hash_digest *base,
                    const lg_hash_digest *prefix);
void key_said_text(key_said *said, lg_str text);
void key_said_call(key_said *said, const lg_trace_event *call);
LG_NODISCARD bool key_said_end(key_said *said, lg_hash_digest *ret); // false: out of memory

// --- prefix.c: what was read of messages --------------------------------------------------------

void prefix_free_item(shelf_item *item);

// --- block.c: the ledger in the prompt ----------------------------------------------------------

// What stands in a prompt that the client has not written, as it stands inside a JSON string.
typedef struct prompt_text {
    lg_buf json;
    size_t plain_bytes; // outside of one
} prompt_text;

void prompt_clear(prompt_text *text);
void prompt_add(prompt_text *text, lg_str plain);

// Appends the block for a prompt that ends here; with `append` the changes since the blocks that `t` has had, under
// their mark, or `mark` where this is the first. `commits`: `t` has had it then.
LG_NODISCARD lg_status block_write(const lg_proxy_route *route, talk *t, lg_str mark, bool commits,
                                   prompt_text *out, lg_error *reterr);

#endif
