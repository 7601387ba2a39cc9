// say.h: lines of JSON for whoever operates the gateway.
#ifndef LG_SERVE_SAY_H
#define LG_SERVE_SAY_H

#include "base/time.h"
#include "json/writer.h"

#include <pthread.h>
#include <stdatomic.h>

#define SAY_LINE_BYTES 4096u
#define SAY_VALUE_BYTES 512u // of one text in a line; what is longer is cut

typedef struct say {
    int fd;
    lg_time (*now)(void);
    bool is_open;
    pthread_t thread;
    pthread_mutex_t lock; // of all below
    pthread_cond_t work;
    lg_buf waiting, writing;
    uint64_t dropped;                    // since it was last said
    atomic_uint_fast64_t dropped_in_all; // from any thread
    atomic_bool ending;
} say;

// `fd` below 0: nobody listens. LG_ERR_ENVIRONMENT: no thread.
LG_NODISCARD lg_status say_open(say *s, int fd, lg_time (*now)(void), lg_error *reterr);
static inline uint64_t say_dropped(const say *s)
{
    return atomic_load_explicit(&s->dropped_in_all, memory_order_relaxed);
}
void say_close(say *s); // what waits is written first. A zeroed one is allowed

// One line, from any thread: say_begin(), members, say_end(), which never waits.
typedef struct say_line {
    char room[1024];
    lg_buf text;
    lg_json_writer w;
} say_line;

void say_begin(say_line *line, const say *s, const char *level, const char *event);
void say_text(say_line *line, const char *key, lg_str value);
void say_number(say_line *line, const char *key, uint64_t value);
void say_end(say_line *line, say *s);

#endif
