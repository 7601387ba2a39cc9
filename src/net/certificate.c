// certificate.c: looks at a certificate with GnuTLS, which libmicrohttpd has for TLS, and which comes with it.
#include "net/certificate.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"

#include <dlfcn.h>
#include <gnutls/x509.h>
#include <string.h>

#define PEM_BYTES ((size_t)1 << 20)

// clang-format off
#define TLS_FUNCTIONS(X)                                                              \
    X(certificate_allocate_credentials) X(certificate_free_credentials)               \
    X(certificate_set_x509_key_mem) X(x509_crt_init) X(x509_crt_deinit)               \
    X(x509_crt_import) X(x509_crt_get_activation_time)                                \
    X(x509_crt_get_expiration_time)
// clang-format on

typedef struct tls_functions {
#define X(name) __typeof__(&gnutls_##name) name;
    TLS_FUNCTIONS(X)
#undef X
} tls_functions;

// The library stays for as long as the process.
static bool load(tls_functions *ret)
{
    void *handle = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL);
    void *address = NULL;
    if (!handle) {
        return false;
    }
#define X(name)                                                                                    \
    address = dlsym(handle, "gnutls_" #name);                                                      \
    if (!address) {                                                                                \
        return false;                                                                              \
    }                                                                                              \
    memcpy(&ret->name, &address, sizeof(address));
    TLS_FUNCTIONS(X)
#undef X
    return true;
}

static gnutls_datum_t datum(lg_str text)
{
    return (gnutls_datum_t){(unsigned char *)(uintptr_t)text.ptr, (unsigned)text.len};
}

static bool is_pair(const tls_functions *tls, lg_str cert, lg_str key)
{
    gnutls_certificate_credentials_t both;
    gnutls_datum_t c = datum(cert);
    gnutls_datum_t k = datum(key);
    if (tls->certificate_allocate_credentials(&both) != 0) {
        return true; // nobody can tell
    }
    int got = tls->certificate_set_x509_key_mem(both, &c, &k, GNUTLS_X509_FMT_PEM);
    tls->certificate_free_credentials(both);
    return got >= 0;
}

static void read_dates(const tls_functions *tls, lg_str cert, lg_certificate *ret)
{
    gnutls_x509_crt_t one;
    gnutls_datum_t c = datum(cert);
    if (tls->x509_crt_init(&one) != 0) {
        return;
    }
    if (tls->x509_crt_import(one, &c, GNUTLS_X509_FMT_PEM) == 0) {
        ret->from = (int64_t)tls->x509_crt_get_activation_time(one);
        ret->until = (int64_t)tls->x509_crt_get_expiration_time(one);
        ret->is_dated = ret->from != -1 && ret->until != -1;
    }
    tls->x509_crt_deinit(one);
}

lg_status lg_certificate_read(const char *cert_file, const char *key_file, lg_certificate *ret,
                              lg_error *reterr)
{
    lg_file cert = {0};
    lg_file key = {0};
    tls_functions tls;
    *ret = (lg_certificate){.is_dated = false};
    lg_status status = lg_file_open(cert_file, PEM_BYTES, &cert, reterr);
    status = status == LG_OK ? lg_file_open(key_file, PEM_BYTES, &key, reterr) : status;
    if (status == LG_OK && load(&tls)) {
        if (is_pair(&tls, cert.text, key.text)) {
            read_dates(&tls, cert.text, ret);
        } else {
            status = lg_fail(reterr, LG_ERR_USAGE,
                             "%s and %s are no certificate and its key in PEM, or do not belong "
                             "together",
                             cert_file, key_file);
        }
    }
    lg_file_close(&cert);
    lg_file_close(&key);
    return status;
}
