// z3_api.c: loading Z3.
#include "symbolic/z3_api.h"
#include "base/error.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

z3_functions z3;

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define X(name) {"Z3_" #name, offsetof(z3_functions, name)},
    Z3_FUNCTIONS(X)
#undef X
};

// The name of Debian's package libz3-4 first; the other is what those have who build with it.
static const char *const usual_names[] = {"libz3.so.4", "libz3.so"};

// What the system says of a library that was named names it, too.
static lg_status fail_missing(const char *path, const char *why, lg_error *reterr)
{
    if (path) {
        return lg_fail(
            reterr, LG_ERR_ENVIRONMENT,
            "Z3 cannot be loaded from where LEDGERGATE_Z3 says: %s; name its library there, "
            "or unset it (Debian and Ubuntu: apt install libz3-4)",
            why ? why : path);
    }
    return lg_fail(reterr, LG_ERR_ENVIRONMENT,
                   "proofs need Z3, and its library libz3.so.4 is not on this machine: install it "
                   "(Debian and Ubuntu: apt install libz3-4), or name it in LEDGERGATE_Z3");
}

static void *open_library(const char *path)
{
    if (path) {
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    void *library = NULL;
    for (size_t i = 0; i < LG_COUNT(usual_names) && !library; i++) {
        library = dlopen(usual_names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static lg_status find_functions(void *library, const char *path, lg_error *reterr)
{
    z3_functions found;
    for (size_t i = 0; i < LG_COUNT(functions); i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address) {
            return lg_fail(reterr, LG_ERR_ENVIRONMENT,
                           "%s is not Z3, or too old a version of it: it has no function %s",
                           path ? path : "the library libz3", functions[i].name);
        }
        // POSIX promises what C does not: that the address fits a pointer to a function.
        memcpy((char *)&found + functions[i].offset, &address, sizeof(address));
    }
    z3 = found;
    return LG_OK;
}

// The library stays for as long as the process: Z3 keeps state of its own.
static lg_status load(const char *path, lg_error *reterr)
{
    void *library = open_library(path);
    if (!library) {
        return fail_missing(path, dlerror(), reterr);
    }
    lg_status status = find_functions(library, path, reterr);
    if (status != LG_OK) {
        dlclose(library);
    }
    return status;
}

lg_status z3_load(const char *path, lg_error *reterr)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    pthread_mutex_lock(&lock);
    lg_status status = loaded ? LG_OK : load(path, reterr);
    loaded = status == LG_OK;
    pthread_mutex_unlock(&lock);
    return status;
}
