// fuzz_mock.c: requests to the simulator's server, without sockets: any bytes as a list of them.
//
//     POST /sessions/s1/calls?from=1      a line, then headers, an empty line, a body up to a line that is `%%`
//
// Laws: every request is answered, with a status of HTTP or a closed connection; what says that it is JSON is; the same
// requests have the same answers.
#include "drive.h"
#include "mock/mock.h"

#define REQUESTS_MAX 64u
#define HEADERS_MAX 16u

static const char document[] =
    "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"t\",\"version\":\"1\"},\"paths\":{"
    "\"/notes\":{\"post\":{\"operationId\":\"add\",\"requestBody\":{\"content\":{\"application/"
    "json\":"
    "{\"schema\":{\"$ref\":\"#/components/schemas/"
    "Note\"}}}},\"responses\":{\"201\":{\"description\":"
    "\"d\",\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
    "Note\"}}}}}},"
    "\"get\":{\"operationId\":\"list\",\"parameters\":[{\"name\":\"limit\",\"in\":\"query\","
    "\"schema\":{\"type\":\"integer\"}}],\"responses\":{\"200\":{\"description\":\"d\",\"content\":"
    "{\"application/json\":{\"schema\":{\"type\":\"array\",\"items\":{\"$ref\":"
    "\"#/components/schemas/Note\"}}}}}}}},"
    "\"/notes/{id}\":{\"get\":{\"operationId\":\"read\",\"parameters\":[{\"name\":\"id\",\"in\":"
    "\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}}],\"responses\":{\"200\":"
    "{\"description\":\"d\",\"content\":{\"application/json\":{\"schema\":{\"$ref\":"
    "\"#/components/schemas/Note\"}}}}}}}},"
    "\"components\":{\"schemas\":{\"Note\":{\"type\":\"object\",\"required\":[\"id\"],"
    "\"properties\":"
    "{\"id\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}}}}}}";

typedef struct requests {
    lg_mock_request items[REQUESTS_MAX];
    lg_http_header headers[REQUESTS_MAX][HEADERS_MAX];
    size_t count;
} requests;

static lg_str take_line(lg_str *rest)
{
    size_t end = lg_str_find(*rest, LG_STR("\n"));
    lg_str line = lg_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? LG_STR("") : lg_str_slice(*rest, end + 1, rest->len);
    return line;
}

static void read_first(lg_str line, lg_mock_request *r)
{
    size_t blank = lg_str_find(line, LG_STR(" "));
    lg_str target = blank == SIZE_MAX ? LG_STR("") : lg_str_slice(line, blank + 1, line.len);
    size_t mark = lg_str_find(target, LG_STR("?"));
    r->method = lg_str_slice(line, 0, blank);
    r->path = lg_str_slice(target, 0, mark);
    r->query = mark == SIZE_MAX ? (lg_str){0} : lg_str_slice(target, mark + 1, target.len);
}

static void read_requests(lg_str text, requests *all)
{
    while (text.len && all->count < REQUESTS_MAX) {
        lg_mock_request *r = &all->items[all->count];
        lg_http_header *headers = all->headers[all->count];
        size_t count = 0;
        read_first(take_line(&text), r);
        for (lg_str line = take_line(&text); line.len; line = take_line(&text)) {
            size_t colon = lg_str_find(line, LG_STR(": "));
            if (colon != SIZE_MAX && count < HEADERS_MAX) {
                headers[count++] = (lg_http_header){lg_str_slice(line, 0, colon),
                                                    lg_str_slice(line, colon + 2, line.len)};
            }
        }
        size_t end = lg_str_find(text, LG_STR("\n%%\n"));
        r->headers = (lg_http_headers){headers, count};
        r->body = lg_str_slice(text, 0, end);
        text = end == SIZE_MAX ? LG_STR("") : lg_str_slice(text, end + 4, text.len);
        all->count++;
    }
}

static void check_response(const lg_mock_response *r)
{
    lg_str type = LG_STR("");
    drive_require(r->status == 0 || (r->status >= 200 && r->status <= 599));
    for (size_t i = 0; i < r->header_count; i++) {
        drive_require(r->headers[i].name.len > 0);
        if (lg_str_eq_any_case(r->headers[i].name, LG_STR("content-type"))) {
            type = r->headers[i].value;
        }
    }
    if (r->status && r->body.len && lg_str_eq(type, LG_STR("application/json"))) {
        lg_json_doc *doc = NULL;
        drive_require(lg_json_parse(r->body, NULL, &doc, NULL) == LG_OK);
        lg_json_doc_free(doc);
    }
}

// One server's answers to all of them, as one text.
static void answer_all(const lg_sim *sim, const lg_catalogue *catalogue, const requests *all,
                       lg_buf *out)
{
    lg_mock *mock = NULL;
    lg_mock_options options = {
        .sim = sim, .catalogue = catalogue, .limits = {.sessions = 8, .answer_bytes = 4096}};
    drive_require(lg_mock_new(&options, &mock, NULL) == LG_OK);
    for (size_t i = 0; i < all->count; i++) {
        lg_arena arena;
        lg_mock_response response = {0};
        lg_arena_init(&arena, 0);
        drive_require(lg_mock_answer(mock, &all->items[i], &arena, &response) == LG_OK);
        check_response(&response);
        lg_buf_addf(out, "%u ", response.status);
        lg_buf_add(out, response.body);
        lg_arena_done(&arena);
    }
    lg_mock_free(mock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static requests all;
    lg_arena arena;
    lg_errors errors;
    lg_sim *sim = NULL;
    lg_buf first;
    lg_buf second;
    const lg_catalogue *catalogue = NULL;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 5);
    drive_require(lg_catalogue_read(&arena, lg_str_c(document), NULL, &catalogue, NULL) == LG_OK);
    lg_sim_options options = {.catalogue = catalogue,
                              .session_bytes = (size_t)1 << 20,
                              .history_calls = 8,
                              .snapshots = 4};
    drive_require(lg_sim_new(&options, &sim, &errors) == LG_OK);
    all.count = 0;
    read_requests(lg_str_of((const char *)data, size), &all);
    lg_buf_init(&first, 0);
    lg_buf_init(&second, 0);
    answer_all(sim, catalogue, &all, &first);
    answer_all(sim, catalogue, &all, &second);
    drive_require(lg_str_eq(lg_buf_str(&first), lg_buf_str(&second)));
    lg_buf_done(&first);
    lg_buf_done(&second);
    lg_sim_free(sim);
    lg_arena_done(&arena);
    return 0;
}
