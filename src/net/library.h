// library.h: the functions of libcurl and libmicrohttpd that are called, found when they are first needed.
//
// The program is not linked with them. They bring three dozen libraries of their own, which the system
// would load each time that `ledgergate` begins: 8 ms where it takes under one. Their headers are needed to build and
// give each function its type, so that a call through these tables is checked like any other:
// `mhd.run(...)` is MHD_run(...), `curl.easy_init()` is curl_easy_init().
//
// To call another function: its name in the list.
#ifndef LG_NET_LIBRARY_H
#define LG_NET_LIBRARY_H

#include "base/types.h"

#define CURL_DISABLE_TYPECHECK // its macros know the functions by their own names only
#include <curl/curl.h>
#include <microhttpd.h>

// clang-format off
#define CURL_FUNCTIONS(X)                                                             \
    X(easy_cleanup) X(easy_getinfo) X(easy_init) X(easy_pause) X(easy_setopt)         \
    X(easy_strerror) X(global_init) X(multi_add_handle)                \
    X(multi_assign) X(multi_cleanup) X(multi_info_read) X(multi_init)                 \
    X(multi_remove_handle) X(multi_setopt) X(multi_socket_action) X(slist_append)     \
    X(slist_free_all)
#define MHD_FUNCTIONS(X)                                                              \
    X(add_response_header) X(create_response_from_buffer)                             \
    X(create_response_from_callback) X(destroy_response) X(get_connection_info)       \
    X(get_connection_values_n) X(get_daemon_info) X(get_timeout) X(queue_response)    \
    X(quiesce_daemon) X(resume_connection) X(run) X(start_daemon) X(stop_daemon)      \
    X(suspend_connection)
// clang-format on

typedef struct curl_functions {
#define X(name) __typeof__(&curl_##name) name;
    CURL_FUNCTIONS(X)
#undef X
} curl_functions;

typedef struct mhd_functions {
#define X(name) __typeof__(&MHD_##name) name;
    MHD_FUNCTIONS(X)
#undef X
} mhd_functions;

extern curl_functions curl; // filled by library_load(), and then never changed
extern mhd_functions mhd;

// Loads both once for the process: from these files, or where they are NULL from where the system keeps its
// libraries. Later calls answer as the first did that succeeded; a failure may be tried again. Fails with
// LG_ERR_ENVIRONMENT, and says what to install. May be called by several threads.
LG_NODISCARD lg_status library_load(const char *curl_file, const char *mhd_file, lg_error *reterr);

#endif
