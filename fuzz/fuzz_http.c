// fuzz_http.c: any bytes as the head of a request, after the daemon has cut it into lines.
//
// The law: what is let through says the length of its body at most once and plainly, has no byte that could end a header
// early, and one Host; and what is refused says why. A second reader of the same head, which knows nothing of the first
// one, is the judge.
#include "base/str.h"
#include "net/server_internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_HEADERS 64

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static lg_str next_part(lg_str *rest, char end)
{
    size_t at = 0;
    while (at < rest->len && rest->ptr[at] != end) {
        at++;
    }
    lg_str part = lg_str_slice(*rest, 0, at);
    *rest = lg_str_slice(*rest, at + 1, rest->len);
    return part;
}

static bool same_letters(lg_str a, const char *b)
{
    bool same = a.len == strlen(b);
    for (size_t i = 0; same && i < a.len; i++) {
        char upper = a.ptr[i] >= 'A' && a.ptr[i] <= 'Z' ? (char)(a.ptr[i] | 0x20) : a.ptr[i];
        same = upper == b[i];
    }
    return same;
}

static void judge(const lg_inbound *in)
{
    size_t framings = 0, hosts = 0;
    for (size_t i = 0; i < in->request.headers.count; i++) {
        lg_http_header header = in->request.headers.items[i];
        require(header.name.len > 0);
        for (size_t j = 0; j < header.value.len; j++) {
            require(header.value.ptr[j] != '\r' && header.value.ptr[j] != '\n' &&
                    header.value.ptr[j] != 0);
        }
        hosts += same_letters(header.name, "host");
        if (same_letters(header.name, "content-length")) {
            framings++;
            require(header.value.len > 0);
            for (size_t j = 0; j < header.value.len; j++) {
                require(header.value.ptr[j] >= '0' && header.value.ptr[j] <= '9');
            }
        }
        if (same_letters(header.name, "transfer-encoding")) {
            framings++;
            require(in->one_one && same_letters(header.value, "chunked"));
        }
    }
    require(framings <= 1 && hosts <= 1 && (hosts == 1 || !in->one_one));
    require(in->request.path.len > 0 &&
            (in->request.path.ptr[0] == '/' || lg_str_eq(in->request.method, LG_STR("OPTIONS"))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size + 1);
    require(exact != NULL);
    lg_copy_bytes(exact, data, size);
    lg_server server = {.limits = {.header_bytes = 4096}};
    lg_http_header headers[MOST_HEADERS];
    lg_str rest = {exact, size};
    lg_inbound in = {.server = &server};
    lg_str line = next_part(&rest, '\n');
    in.request.method = next_part(&line, ' ');
    in.request.path = next_part(&line, ' ');
    in.one_one = lg_str_eq(line, LG_STR("HTTP/1.1"));
    size_t count = 0;
    while (rest.len > 0 && count < MOST_HEADERS) {
        lg_str value = next_part(&rest, '\n');
        lg_str name = next_part(&value, ':');
        headers[count++] = (lg_http_header){name, lg_str_trim(value)};
    }
    in.request.headers = (lg_http_headers){headers, count};
    const char *why = NULL;
    unsigned status = inbound_faults(&in, &why);
    require(status == 0 || status == 400 || status == 431);
    require(status == 0 || (why && why[0]));
    if (status == 0) {
        judge(&in);
    }
    free(exact);
    return 0;
}
