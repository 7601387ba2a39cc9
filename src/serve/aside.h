// aside.h: a thread beside a loop, for what would hold up everybody whom the loop serves: long bodies and replies.
//
// Work is embedded in what it works on, and done in the order in which it was given.
#ifndef LG_SERVE_ASIDE_H
#define LG_SERVE_ASIDE_H

#include "base/error.h"

#include <pthread.h>

typedef struct aside_work {
    void (*run)(void *data); // on the thread
    void *data;
    struct aside_work *next;
} aside_work;

typedef struct aside {
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_t thread;
    aside_work *first, **end;
    bool ending, is_open;
} aside;

LG_NODISCARD lg_status aside_open(aside *a, lg_error *reterr);
void aside_give(aside *a, aside_work *work); // of any thread
void aside_close(
    aside *a); // finishes what it is at; what waits is dropped. Also if it was never opened

#endif
