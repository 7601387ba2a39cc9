// mock.c: a server's life: options, threads, the end.
#include "mock/mock.h"

#include "base/alloc.h"
#include "base/str.h"
#include "mock/mock_internal.h"

#define SESSIONS 10000u
#define MEMORY_BYTES ((size_t)2 << 30)
#define IDLE_S 3600u
#define BODY_BYTES ((size_t)16 << 20)
#define BODIES_BYTES ((size_t)64 << 20) // of all requests in flight
#define ANSWER_BYTES ((size_t)16 << 20)
#define WORKERS 4u
#define WORKERS_MOST 64u
#define STOP_MS 2000u
#define SWEEP_MS 1000
#define OUT_BYTES ((size_t)1 << 30) // of one answer

// --- Options ------------------------------------------------------------------------------------

static lg_mock_limits resolve(const lg_mock_limits *l)
{
    return (lg_mock_limits){
        .sessions = l->sessions ? l->sessions : SESSIONS,
        .memory_bytes = l->memory_bytes ? l->memory_bytes : MEMORY_BYTES,
        .idle_s = l->idle_s ? l->idle_s : IDLE_S,
        .body_bytes = l->body_bytes ? l->body_bytes : BODY_BYTES,
        .answer_bytes = l->answer_bytes ? l->answer_bytes : ANSWER_BYTES,
    };
}

static bool is_loopback(lg_str address)
{
    return lg_str_starts(address, LG_STR("127.")) || lg_str_starts(address, LG_STR("localhost:")) ||
           lg_str_starts(address, LG_STR("[::1]:"));
}

static bool is_hash(lg_str text)
{
    bool is = text.len == 7 + 64 && lg_str_starts(text, LG_STR("sha256:"));
    for (size_t i = 7; is && i < text.len; i++) {
        is = lg_is_digit(text.ptr[i]) || (text.ptr[i] >= 'a' && text.ptr[i] <= 'f');
    }
    return is;
}

static lg_status check_options(const lg_mock_options *o, lg_error *reterr)
{
    if (o->listen.len && !is_loopback(o->listen) && !o->allow_remote) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "whoever reaches %.*s could use the simulator: --allow-remote allows that",
                       LG_FMT(o->listen));
    }
    if (o->token_hash.len && !is_hash(o->token_hash)) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "a token's hash is sha256: and 64 hexadecimal digits in lower case");
    }
    return LG_OK;
}

static bool asks_models(const lg_mock_models *m)
{
    return m->validator || m->responder || m->estimator || m->judge || m->planner;
}

static lg_status open_faces(lg_mock *mock, lg_error *reterr)
{
    lg_status status = mock_rest_open(mock, reterr);
    if (status == LG_OK) {
        status = mock_mcp_open(mock, &mock->mcp, false, reterr);
    }
    return status == LG_OK ? mock_mcp_open(mock, &mock->mcp_user, true, reterr) : status;
}

lg_status lg_mock_new(const lg_mock_options *options, lg_mock **ret_mock, lg_error *reterr)
{
    lg_status status = check_options(options, reterr);
    if (status != LG_OK) {
        return status;
    }
    size_t workers = options->real ? 1 : options->workers ? options->workers : WORKERS;
    lg_mock *mock = lg_zalloc(sizeof(*mock));
    if (!mock) {
        return lg_fail_oom(reterr);
    }
    mock->options = *options;
    mock->limits = resolve(&options->limits);
    mock->may_wait = asks_models(&options->models) || options->real;
    mock->end = &mock->first;
    lg_buf_init(&mock->out, OUT_BYTES);
    lg_arena_init(&mock->arena, 0);
    mock->worker_count = workers > WORKERS_MOST ? WORKERS_MOST : workers;
    mock->workers = lg_zalloc(mock->worker_count * sizeof(*mock->workers));
    if (!mock_sessions_open(mock) || !mock->workers) {
        status = lg_fail_oom(reterr);
    } else {
        status = open_faces(mock, reterr);
    }
    if (status == LG_OK) {
        status = mock_workers_open(mock, reterr);
    }
    if (status != LG_OK) {
        lg_mock_free(mock);
        return status;
    }
    *ret_mock = mock;
    return LG_OK;
}

// --- The loop -----------------------------------------------------------------------------------

static void on_stopped(void *data)
{
    lg_mock *mock = data;
    lg_loop_stop(mock->loop);
}

static void on_stop(void *data)
{
    lg_mock *mock = data;
    lg_server_stop(mock->server, STOP_MS, on_stopped, mock);
}

static void on_sweep(void *data)
{
    lg_mock *mock = data;
    mock_sessions_expire(mock);
    lg_timer_set(mock->loop, &mock->sweep, lg_loop_now_ns(mock->loop) + SWEEP_MS * LG_NS_PER_MS);
}

static void *run_loop(void *data)
{
    lg_mock *mock = data;
    lg_status status = lg_loop_run(mock->loop, NULL); // what ends it otherwise is the system's end
    (void)status;
    return NULL;
}

static lg_status begin_threads(lg_mock *mock, lg_error *reterr)
{
    if (pthread_mutex_init(&mock->lock, NULL) != 0) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no lock");
    }
    if (pthread_cond_init(&mock->more, NULL) != 0) {
        pthread_mutex_destroy(&mock->lock);
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no lock");
    }
    mock->has_lock = true;
    lg_status status = mock_workers_start(mock, reterr);
    if (status == LG_OK && pthread_create(&mock->thread, NULL, run_loop, mock) != 0) {
        status = lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no more threads");
    }
    mock->has_thread = status == LG_OK;
    return status;
}

// What is in flight is no session's, and has a bound of its own. One body of the largest size always fits.
static size_t bodies_bytes(const lg_mock_limits *l)
{
    size_t all = l->memory_bytes / 4 < BODIES_BYTES ? l->memory_bytes / 4 : BODIES_BYTES;
    return all > l->body_bytes ? all : l->body_bytes;
}

lg_status lg_mock_listen(lg_mock *mock, lg_error *reterr)
{
    lg_server_options options = {
        .listen = mock->options.listen,
        .limits = {.body_bytes = mock->limits.body_bytes,
                   .bodies_bytes = bodies_bytes(&mock->limits)},
        .handler = {mock, mock_front_request, mock_front_refuse},
    };
    mock->stop = (lg_task){.run = on_stop, .data = mock};
    mock->sweep = (lg_timer){.fire = on_sweep, .data = mock};
    lg_status status = lg_loop_new(&mock->loop, reterr);
    if (status == LG_OK) {
        status = lg_server_new(mock->loop, &options, &mock->server, reterr);
    }
    if (status == LG_OK) {
        on_sweep(mock);
        status = begin_threads(mock, reterr);
    }
    return status;
}

uint16_t lg_mock_port(const lg_mock *mock)
{
    return mock->server ? lg_server_port(mock->server) : 0;
}

// --- The end ------------------------------------------------------------------------------------

void lg_mock_free(lg_mock *mock)
{
    if (!mock) {
        return;
    }
    if (mock->has_thread) {
        lg_loop_post(mock->loop, &mock->stop);
        pthread_join(mock->thread, NULL);
    }
    if (mock->has_lock) {
        mock_workers_stop(mock);
        pthread_cond_destroy(&mock->more);
        pthread_mutex_destroy(&mock->lock);
    }
    lg_server_free(mock->server);
    lg_loop_free(mock->loop);
    while (mock->own) {
        mock_front_drop(mock->own);
    }
    if (mock->sessions.buckets) {
        mock_sessions_close(mock);
    }
    if (mock->workers) {
        mock_workers_close(mock);
    }
    lg_free(mock->workers);
    lg_arena_done(&mock->arena);
    lg_buf_done(&mock->out);
    lg_free(mock);
}
