// certificate.h: is this a certificate with its key, and is it valid now?
#ifndef LG_NET_CERTIFICATE_H
#define LG_NET_CERTIFICATE_H

#include "base/time.h"

typedef struct lg_certificate {
    bool is_dated;       // the two are known
    int64_t from, until; // seconds since 1970, both inclusive
} lg_certificate;

// Reads two PEM files as a server does. Fails with LG_ERR_IO (a file that cannot be read) or LG_ERR_USAGE (they are none, or
// do not belong together). Where the system has no library to look with, they are only read.
LG_NODISCARD lg_status lg_certificate_read(const char *cert_file, const char *key_file,
                                           lg_certificate *ret, lg_error *reterr);

#endif
