// aside.c: one thread and its queue.
#include "serve/aside.h"

static aside_work *take(aside *a)
{
    aside_work *work = NULL;
    pthread_mutex_lock(&a->lock);
    while (!a->first && !a->ending) {
        pthread_cond_wait(&a->more, &a->lock);
    }
    if (!a->ending) {
        work = a->first;
        a->first = work->next;
        a->end = a->first ? a->end : &a->first;
    }
    pthread_mutex_unlock(&a->lock);
    return work;
}

static void *run(void *data)
{
    aside *a = data;
    for (aside_work *work = take(a); work; work = take(a)) {
        work->run(work->data);
    }
    return NULL;
}

lg_status aside_open(aside *a, lg_error *reterr)
{
    *a = (aside){.end = &a->first};
    if (pthread_mutex_init(&a->lock, NULL) != 0) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no lock");
    }
    if (pthread_cond_init(&a->more, NULL) != 0 || pthread_create(&a->thread, NULL, run, a) != 0) {
        pthread_mutex_destroy(&a->lock);
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no more threads");
    }
    a->is_open = true;
    return LG_OK;
}

void aside_give(aside *a, aside_work *work)
{
    pthread_mutex_lock(&a->lock);
    work->next = NULL;
    *a->end = work;
    a->end = &work->next;
    pthread_cond_signal(&a->more);
    pthread_mutex_unlock(&a->lock);
}

void aside_close(aside *a)
{
    if (!a->is_open) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    a->ending = true;
    pthread_cond_signal(&a->more);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->more);
    pthread_mutex_destroy(&a->lock);
    a->is_open = false;
}
