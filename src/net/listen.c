// listen.c: from "127.0.0.1:8080" to a socket that listens.
//
// Several loops share an address with SO_REUSEPORT, and with it any other process of this user could join them
// unseen. So the first one binds without it for a moment, and does not listen: if anybody else does there, that fails.
#define _DEFAULT_SOURCE // SO_REUSEPORT
#include "base/error.h"
#include "base/str.h"
#include "net/server_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 1024

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

static socklen_t size_of(const address *at)
{
    return at->any.sa_family == AF_INET6 ? sizeof(at->v6) : sizeof(at->v4);
}

static bool read_port(lg_str text, uint16_t *ret_port)
{
    uint32_t port = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || port > UINT16_MAX) {
            return false;
        }
        port = port * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    *ret_port = (uint16_t)port;
    return text.len > 0 && port <= UINT16_MAX;
}

static bool read_address(lg_str text, address *ret)
{
    size_t colon = text.len;
    while (colon > 0 && text.ptr[colon - 1] != ':') {
        colon--;
    }
    uint16_t port;
    if (colon == 0 || !read_port(lg_str_slice(text, colon, text.len), &port)) {
        return false;
    }
    lg_str host = lg_str_slice(text, 0, colon - 1);
    if (lg_str_eq(host, LG_STR("localhost"))) {
        host = LG_STR("127.0.0.1");
    }
    bool v6 = host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
    host = v6 ? lg_str_slice(host, 1, host.len - 1) : host;
    char name[INET6_ADDRSTRLEN];
    if (host.len >= sizeof(name)) {
        return false;
    }
    lg_copy_bytes(name, host.ptr, host.len);
    name[host.len] = 0;
    *ret = (address){0};
    if (v6) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons(port);
        return inet_pton(AF_INET6, name, &ret->v6.sin6_addr) == 1;
    }
    ret->v4.sin_family = AF_INET;
    ret->v4.sin_port = htons(port);
    return inet_pton(AF_INET, name, &ret->v4.sin_addr) == 1;
}

static lg_status fail_bind(lg_str text, int error, lg_error *reterr)
{
    const char *why = error == EADDRINUSE ? "something listens there already: stop it, or take "
                                            "another port"
                      : error == EACCES   ? "ports below 1024 need a right that this user has not"
                      : error == EADDRNOTAVAIL ? "this machine has no such address"
                      : error == EMFILE || error == ENFILE
                          ? "the system gives no more descriptors (see `ulimit -n`)"
                          : NULL;
    if (why) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "cannot listen on %.*s: %s", LG_FMT(text), why);
    }
    return lg_fail(reterr, LG_ERR_ENVIRONMENT, "cannot listen on %.*s (error %d)", LG_FMT(text),
                   error);
}

// Returns the socket, which listens if it is shared, or -1 with errno.
static int bind_to(const address *at, bool shared)
{
    int one = 1;
    int fd = socket(at->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (shared) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
    }
    if (bind(fd, &at->any, size_of(at)) == 0 && (!shared || listen(fd, BACKLOG) == 0)) {
        return fd;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

lg_status listen_on(lg_str text, bool joins, int *ret_fd, uint16_t *ret_port, lg_error *reterr)
{
    address at;
    if (!read_address(text, &at)) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "`%.*s` is no address to listen on: write it as 127.0.0.1:8080, "
                       "[::1]:8080, or 0.0.0.0:8080 for all that this machine has",
                       LG_FMT(text));
    }
    if (!joins) {
        int probe = bind_to(&at, false);
        if (probe < 0) {
            return fail_bind(text, errno, reterr);
        }
        close(probe);
    }
    int fd = bind_to(&at, true);
    if (fd < 0) {
        return fail_bind(text, errno, reterr);
    }
    address bound;
    socklen_t size = sizeof(bound);
    if (getsockname(fd, &bound.any, &size) != 0) {
        close(fd);
        return fail_bind(text, errno, reterr);
    }
    bool v6 = bound.any.sa_family == AF_INET6;
    *ret_port = ntohs(v6 ? bound.v6.sin6_port : bound.v4.sin_port);
    *ret_fd = fd;
    return LG_OK;
}
