// library.c: loading libcurl and libmicrohttpd.
#include "net/library.h"
#include "base/error.h"
#include "net/loop.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

curl_functions curl;
mhd_functions mhd;

typedef struct function {
    const char *name;
    size_t offset;
} function;

static const function curl_names[] = {
#define X(name) {"curl_" #name, offsetof(curl_functions, name)},
    CURL_FUNCTIONS(X)
#undef X
};

static const function mhd_names[] = {
#define X(name) {"MHD_" #name, offsetof(mhd_functions, name)},
    MHD_FUNCTIONS(X)
#undef X
};

typedef struct library {
    const char *name, *file, *package;
    const function *functions;
    size_t count;
} library;

static const library curl_library = {"libcurl", "libcurl.so.4", "libcurl4", curl_names,
                                     LG_COUNT(curl_names)};
static const library mhd_library = {"libmicrohttpd", "libmicrohttpd.so.12", "libmicrohttpd12",
                                    mhd_names, LG_COUNT(mhd_names)};

static lg_status find_functions(const library *which, void *handle, char *table, lg_error *reterr)
{
    for (size_t i = 0; i < which->count; i++) {
        void *address = dlsym(handle, which->functions[i].name);
        if (!address) {
            return lg_fail(reterr, LG_ERR_ENVIRONMENT,
                           "%s on this machine is too old: it has no function %s (Debian 12 and "
                           "newer have it: apt install %s)",
                           which->name, which->functions[i].name, which->package);
        }
        // POSIX promises what C does not: that the address fits a pointer to a function.
        memcpy(table + which->functions[i].offset, &address, sizeof(address));
    }
    return LG_OK;
}

// The libraries stay for as long as the process: both keep state of their own.
static lg_status load_one(const library *which, const char *file, char *table, lg_error *reterr)
{
    void *handle = dlopen(file ? file : which->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT,
                       "to serve, %s is needed, and it cannot be loaded: install it (Debian and "
                       "Ubuntu: apt install %s); the system says: %s",
                       which->name, which->package, dlerror());
    }
    lg_status status = find_functions(which, handle, table, reterr);
    if (status != LG_OK) {
        dlclose(handle);
    }
    return status;
}

static lg_status load_both(const char *curl_file, const char *mhd_file, lg_error *reterr)
{
    curl_functions found_curl;
    mhd_functions found_mhd;
    lg_status status = load_one(&curl_library, curl_file, (char *)&found_curl, reterr);
    if (status == LG_OK) {
        status = load_one(&mhd_library, mhd_file, (char *)&found_mhd, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    if (found_curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "libcurl does not start");
    }
    // A connection that closes while it is written to is an error to be read, and not the end of the process.
    signal(SIGPIPE, SIG_IGN);
    curl = found_curl;
    mhd = found_mhd;
    return LG_OK;
}

lg_status library_load(const char *curl_file, const char *mhd_file, lg_error *reterr)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    pthread_mutex_lock(&lock);
    lg_status status = loaded ? LG_OK : load_both(curl_file, mhd_file, reterr);
    loaded = status == LG_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

lg_status lg_net_load(lg_error *reterr)
{
    return library_load(NULL, NULL, reterr);
}
