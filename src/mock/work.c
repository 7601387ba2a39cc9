// work.c: the threads for what waits: for a model, or for a real tool.
#include "base/str.h"
#include "mock/mock_internal.h"

// --- Clients ------------------------------------------------------------------------------------

static const lg_llm_options *options_of(const lg_mock_models *m, size_t index)
{
    const lg_llm_options *all[MOCK_MODELS] = {m->validator, m->responder, m->estimator, m->judge,
                                              m->planner};
    return all[index];
}

// Those of the same options are one client.
static lg_status open_clients(mock_worker *w, const lg_mock_models *models, lg_error *reterr)
{
    lg_llm *by_use[MOCK_MODELS] = {NULL};
    lg_status status = LG_OK;
    for (size_t i = 0; i < MOCK_MODELS && status == LG_OK; i++) {
        const lg_llm_options *options = options_of(models, i);
        for (size_t j = 0; options && j < i && !by_use[i]; j++) {
            by_use[i] = options_of(models, j) == options ? by_use[j] : NULL;
        }
        if (options && !by_use[i]) {
            status = lg_llm_new(options, &w->clients[i], reterr);
            by_use[i] = w->clients[i];
        }
    }
    w->models = (lg_sim_models){by_use[0], by_use[1], by_use[2], by_use[3]};
    w->planner = by_use[4];
    return status;
}

lg_status mock_workers_open(lg_mock *mock, lg_error *reterr)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < mock->worker_count && status == LG_OK; i++) {
        mock->workers[i].mock = mock;
        status = open_clients(&mock->workers[i], &mock->options.models, reterr);
    }
    return status;
}

void mock_workers_close(lg_mock *mock)
{
    for (size_t i = 0; i < mock->worker_count; i++) {
        for (size_t c = 0; c < MOCK_MODELS; c++) {
            lg_llm_free(mock->workers[i].clients[c]);
        }
    }
}

// --- Threads ------------------------------------------------------------------------------------

static mock_exchange *take(lg_mock *mock)
{
    mock_exchange *x = NULL;
    pthread_mutex_lock(&mock->lock);
    while (!mock->first && !mock->ending) {
        pthread_cond_wait(&mock->more, &mock->lock);
    }
    if (!mock->ending) {
        x = mock->first;
        mock->first = x->queued;
        mock->end = mock->first ? mock->end : &mock->first;
        mock->queued--;
    }
    pthread_mutex_unlock(&mock->lock);
    return x;
}

static void *run(void *data)
{
    mock_worker *w = data;
    for (mock_exchange *x = take(w->mock); x; x = take(w->mock)) {
        x->work(x, w);
        lg_loop_post(w->mock->loop, &x->told);
    }
    return NULL;
}

lg_status mock_workers_start(lg_mock *mock, lg_error *reterr)
{
    for (size_t i = 0; i < mock->worker_count && mock->may_wait; i++) {
        if (pthread_create(&mock->workers[i].thread, NULL, run, &mock->workers[i]) != 0) {
            return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no more threads");
        }
        mock->workers[i].has_thread = true;
    }
    return LG_OK;
}

bool mock_workers_give(mock_exchange *x)
{
    lg_mock *mock = x->mock;
    pthread_mutex_lock(&mock->lock);
    bool fits = mock->queued < MOCK_QUEUE_MAX;
    if (fits) {
        x->queued = NULL;
        *mock->end = x;
        mock->end = &x->queued;
        mock->queued++;
        pthread_cond_signal(&mock->more);
    }
    pthread_mutex_unlock(&mock->lock);
    return fits;
}

void mock_workers_stop(lg_mock *mock)
{
    pthread_mutex_lock(&mock->lock);
    mock->ending = true;
    pthread_cond_broadcast(&mock->more);
    pthread_mutex_unlock(&mock->lock);
    if (mock->options.real) {
        lg_executor_stop(mock->options.real);
    }
    for (size_t i = 0; i < mock->worker_count; i++) {
        for (size_t c = 0; c < MOCK_MODELS && mock->workers[i].has_thread; c++) {
            if (mock->workers[i].clients[c]) {
                lg_llm_end_all(mock->workers[i].clients[c]);
            }
        }
    }
    for (size_t i = 0; i < mock->worker_count; i++) {
        if (mock->workers[i].has_thread) {
            pthread_join(mock->workers[i].thread, NULL);
        }
    }
}
