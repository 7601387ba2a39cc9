// rest.h: the operations of an OpenAPI document as HTTP, and back. Functions over bytes; no sockets.
//
// A server reads a request into a call of a tool, lets somebody answer the call, and writes the answer as the document
// says it:
//
//     if (lg_rest_new(&arena, catalogue, NULL, &rest, &err) != LG_OK) ...
//     if (lg_rest_read(rest, &arena, &request, &call, &problem) != LG_OK) ... // out of memory alone
//     if (problem.status) lg_rest_refuse(rest, &arena, &call, &problem, &response);
//     else if (call.prefer.code || call.prefer.example.len) lg_rest_prefer(rest, &arena, &call, seed, &response);
//     else lg_rest_respond(rest, &arena, &call, &answer, &response);
//
// A client goes the other way: lg_rest_write() makes a request of a tool and its arguments, lg_rest_result() a result of the
// response. What one writes the other reads: the same arguments come back, but for what HTTP cannot say (README.md).
//
// What a document leaves open is decided as clients of mocks expect: paths as OpenAPI 3.1.1 section 4.8.8, parameters by
// style and explode (section 4.8.12; RFC 6570), problems as RFC 9457, statuses as RFC 9110, `Prefer` as RFC 7240 and Prism.
//
// **Values.** A parameter is text; its schema says what it is. What cannot be read so stays a string, and what is absent stays
// absent: then it is the schema of the arguments that complains, with a pointer. Numbers keep every digit.
//
// **Threads and memory.** An lg_rest never changes after it was made: any number of threads may use it. Everything else is
// made in the arena that a call is given, may point into the request, and dies with the shorter-lived of the two.
#ifndef LG_REST_REST_H
#define LG_REST_REST_H

#include "catalogue/catalogue.h"

#define LG_REST_PATH_VALUES_MAX 32u // braces of one path; more are no path here
#define LG_REST_FIELDS_MAX                                                                         \
    2000u // pairs of one query or form, parts of one multipart body; more are refused
#define LG_REST_RESPONSE_HEADERS_MAX 16u

typedef struct lg_rest lg_rest; // All operations of a document. Lives in an arena.
typedef struct lg_rest_operation lg_rest_operation; // One of them.

// Of a header. Names in any case.
typedef struct lg_rest_field {
    lg_str name;
    lg_str value;
} lg_rest_field;

typedef struct lg_rest_options {
    bool without_security; // do not ask for the credentials that the document demands
    // What credentials must be: the token, the key, or the password (also "user:password"). Empty: any will do, as with Prism.
    lg_str credential;
    // Preferred responses are synthesised where the request does not say; else examples go first.
    bool dynamic;
} lg_rest_options;

// Makes the operations of `catalogue` ready; it must outlive them, and so must the text that it was read from. Tools that are no
// operations are passed over. Fails with LG_ERR_OOM alone. `options` may be NULL.
LG_NODISCARD lg_status lg_rest_new(lg_arena *arena, const lg_catalogue *catalogue,
                                   const lg_rest_options *options, const lg_rest **ret_rest,
                                   lg_error *reterr);

size_t lg_rest_count(const lg_rest *rest); // of operations
const lg_rest_operation *lg_rest_at(const lg_rest *rest, size_t index);
const lg_rest_operation *lg_rest_named(const lg_rest *rest, lg_str tool); // or NULL
const lg_catalogue_tool *lg_rest_tool(const lg_rest_operation *operation);

// --- Requests -----------------------------------------------------------------------------------

typedef struct lg_rest_request {
    lg_str method;
    lg_str path;  // as on the wire, from the first slash to before the `?`
    lg_str query; // behind the `?`
    const lg_rest_field *headers;
    size_t header_count;
    lg_str body;
} lg_rest_request;

// What the client would rather have (RFC 7240, and `__code`, `__example`, `__dynamic`, `__seed` of the query, which the header beats).
typedef struct lg_rest_preference {
    uint32_t code;  // a final status, 200 to 599; 0: not said
    lg_str example; // name of an example; empty: not said
    bool has_dynamic, dynamic;
    bool has_seed;
    uint64_t seed;
} lg_rest_preference;

typedef struct lg_rest_call {
    const lg_rest_operation *operation; // NULL: no path of the document fits
    const lg_catalogue_tool *tool;
    const lg_json *args; // an object; NULL where there is a problem
    lg_rest_preference prefer;
    lg_str accept; // the request's, joined; empty: anything
    bool is_head;  // the response has no body
} lg_rest_call;

typedef struct lg_rest_violation {
    lg_str pointer; // into the arguments: "/limit"
    lg_str message;
} lg_rest_violation;

// Why a request is not carried out. A status of 0 says that nothing is wrong.
typedef struct lg_rest_problem {
    uint32_t status; // 400, 401, 404, 405, 406, 413, 415, 501
    lg_str detail;   // one sentence
    const lg_rest_violation *violations;
    size_t violation_count;
    lg_str allow;        // of 405: "GET, HEAD, POST"
    lg_str authenticate; // of 401: a challenge; may be empty
} lg_rest_problem;

// The whole request. Both results are always filled. Fails with LG_ERR_OOM alone.
LG_NODISCARD lg_status lg_rest_read(const lg_rest *rest, lg_arena *arena,
                                    const lg_rest_request *request, lg_rest_call *ret_call,
                                    lg_rest_problem *ret_problem);

// --- Responses ----------------------------------------------------------------------------------

typedef enum lg_rest_kind {
    LG_REST_DONE,     // with a value
    LG_REST_INVALID,  // the arguments do not fit: 422, 400, or what is documented
    LG_REST_ABSENT,   // something that the call names does not exist: 404
    LG_REST_CONFLICT, // it cannot be done as things are: 409, or another documented 4xx
    LG_REST_REFUSED, // the tool's own error, of no known status: 422, 400, 409 or 403, what is documented
    LG_REST_FAILED, // no answer could be made: 500
} lg_rest_kind;

typedef struct lg_rest_answer {
    lg_rest_kind kind;
    const lg_json *value; // of DONE; NULL: none is known, one is synthesised
    // As somebody else has answered: this status, and of an error `value` as its body. 0: by `kind`.
    uint32_t status;
    lg_str printed; // the value as lg_json_print() prints it, if that is there already
    lg_str message; // of the others
    const lg_rest_violation *violations;
    size_t violation_count;
    uint64_t seed; // of whatever else the document demands: headers, a value that is not known
} lg_rest_answer;

typedef struct lg_rest_response {
    uint32_t status;
    lg_rest_field
        headers[LG_REST_RESPONSE_HEADERS_MAX]; // content-type among them; no content-length
    size_t header_count;
    lg_str body; // empty also where the status or the method allows none
} lg_rest_response;

// The answer as the document says it. Fails with LG_ERR_OOM alone.
LG_NODISCARD lg_status lg_rest_respond(const lg_rest *rest, lg_arena *arena,
                                       const lg_rest_call *call, const lg_rest_answer *answer,
                                       lg_rest_response *ret_response);

// A problem likewise; `call` as lg_rest_read() left it.
LG_NODISCARD lg_status lg_rest_refuse(const lg_rest *rest, lg_arena *arena,
                                      const lg_rest_call *call, const lg_rest_problem *problem,
                                      lg_rest_response *ret_response);

// The response that `call->prefer` asks for, from examples or synthesised with the preference's seed, else `seed`; a problem (404) that
// says what there is, where the document has no such code or example.
LG_NODISCARD lg_status lg_rest_prefer(const lg_rest *rest, lg_arena *arena,
                                      const lg_rest_call *call, uint64_t seed,
                                      lg_rest_response *ret_response);

// --- The other way ------------------------------------------------------------------------------

// A request to a real server.
typedef struct lg_rest_sending {
    lg_str method;
    lg_str url; // base, path and query
    const lg_rest_field *headers;
    size_t header_count;
    lg_str body;
} lg_rest_sending;

// Makes the request of a call. `base` is what stands before the path, "https://host/v1"; empty: the first of the document's servers.
// No credentials are added: they are the caller's headers. Fails with LG_ERR_USAGE, and says which argument and why, if
// the arguments cannot be said: a path value that is absent or empty, an argument that the operation has not.
LG_NODISCARD lg_status lg_rest_write(const lg_rest_operation *operation, lg_arena *arena,
                                     lg_str base, const lg_json *args, lg_rest_sending *ret_sending,
                                     lg_error *reterr);

// What a response says: JSON where it is JSON, else text; null without a body. `*ret_is_error` from 400 on. Fails with LG_ERR_OOM, or
// LG_ERR_PARSE (or LG_ERR_LIMIT) where the body says it is JSON and is not.
LG_NODISCARD lg_status lg_rest_result(const lg_rest_operation *operation, lg_arena *arena,
                                      uint32_t status, const lg_rest_field *headers,
                                      size_t header_count, lg_str body, const lg_json **ret_value,
                                      bool *ret_is_error, lg_error *reterr);

// --- The document -------------------------------------------------------------------------------

// Appends the document as a client of this server should have it: each operation with the statuses that are answered here beside those
// that it names, and the server "/"; nothing else is changed. False when there is no document.
bool lg_rest_document(const lg_rest *rest, lg_buf *out);

#endif
