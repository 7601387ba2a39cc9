// schema.h: JSON Schema: compile once, validate often.
//
// Draft 2020-12 or draft 7, as `$schema` says (2019-09 and 6 are read too, as far as they are the
// same), or the dialect of OpenAPI 3.0 on request. A keyword whose assertion cannot be honoured is
// an error when the schema is compiled, never silently passed; an unknown keyword is an annotation.
//
// Validation works on the stack, of which it takes at most 1 MiB and seldom more than 50 KiB; only a
// pattern that backtracks deeply borrows up to 4 MiB from the system. It reports every violation up
// to the room it is given, in words that a model can act on. Steps, depth and memory are bounded:
// what cannot be checked within the bounds counts as invalid, with LG_FAULT_LIMIT.
//
//     const lg_schema *schema = lg_schema_compile(&pack, parameters, &options, &errors);
//     lg_schema_violation items[8];
//     lg_schema_report report = {.items = items, .capacity = 8};
//     if (!lg_schema_validate(schema, arguments, &report)) // items[0].msg
#ifndef LG_SCHEMA_H
#define LG_SCHEMA_H

#include "json/json.h"

typedef struct lg_schema lg_schema; // Compiled; lives in an arena; may be shared by threads.

// A known `$schema` in a document always counts; this says what holds without one.
typedef enum lg_schema_dialect {
    LG_SCHEMA_DETECT, // 2020-12
    LG_SCHEMA_2020_12,
    LG_SCHEMA_7,
    LG_SCHEMA_OPENAPI_3_0, // `nullable`, boolean exclusiveMinimum, nothing beside `$ref`
} lg_schema_dialect;

// A named schema that `$ref` may reach. Nothing is ever fetched.
typedef struct lg_schema_resource {
    lg_str uri;
    const lg_json *schema;
} lg_schema_resource;

typedef struct lg_schema_options {
    lg_schema_dialect dialect;
    // `format` is an assertion, not an annotation.
    bool assert_formats;
    // `format: int32` and `int64` are bounds, as OpenAPI means them (3.1.1 section 4.4.2); `minimum` and `maximum` go before.
    bool integer_formats;
    // The schema is that of a tool's arguments: where it names `properties` and says nothing of
    // others, unknown members are refused at the top level.
    bool closed_arguments;
    // What `schema` is a part of: `$ref: "#/types/Order"` is looked up from its root. NULL: `schema`
    // is a document of its own.
    const lg_json *document;
    const lg_schema_resource *registry;
    size_t registry_count;
    const lg_limits *limits; // regex_steps
    uint64_t steps;          // work of one validation, some 20 ns each; 0: 4,000,000
} lg_schema_options;

// Compiles `schema` into `arena`. The result points into `schema` and into the document and the
// registered schemas of `options`, which must outlive it. Adds every problem to `errors`, with the
// JSON pointer in the message, and returns NULL if there was one. `options` may be NULL.
const lg_schema *lg_schema_compile(lg_arena *arena, const lg_json *schema,
                                   const lg_schema_options *options, lg_errors *errors);

// What kind of rule a violation broke: the syntactic rules of Gecko, appendix A.3.1.
typedef enum lg_schema_fault {
    LG_FAULT_REQUIRED, // a required member is absent
    LG_FAULT_UNKNOWN,  // a member that the schema does not allow
    LG_FAULT_TYPE,
    LG_FAULT_ENUM,    // enum, const
    LG_FAULT_RANGE,   // minimum, maximum, multipleOf ...
    LG_FAULT_LENGTH,  // minLength, minItems, maxProperties, uniqueItems ...
    LG_FAULT_PATTERN, // pattern, propertyNames
    LG_FAULT_FORMAT,
    LG_FAULT_COMBINATION, // anyOf, oneOf, not, if, contains, false
    LG_FAULT_LIMIT,       // a bound on work was hit; the instance counts as invalid
} lg_schema_fault;

// "required", "unknown_argument", "type", "enum", "range", "length", "pattern", "format",
// "combination" or "limit".
const char *lg_schema_fault_name(lg_schema_fault fault);

typedef struct lg_schema_violation {
    lg_schema_fault fault;
    const char *keyword;        // "required", "maxLength", ...
    const lg_json *instance;    // the offending value
    const lg_json *schema;      // the schema object whose keyword failed
    lg_str member;              // required, unknown: the member's name
    char instance_pointer[256]; // "/flights/0/date", cut with "..." if longer
    char schema_pointer[256];
    char msg[256]; // "`cabin` must be one of \"economy\", \"business\"; got \"first\""
} lg_schema_violation;

// count + dropped is not zero for every invalid instance. A limit is always told of: it takes the
// last place of a full report.
typedef struct lg_schema_report {
    lg_schema_violation *items; // caller's room
    size_t capacity;
    size_t count;   // stored
    size_t dropped; // more than the room
} lg_schema_report;

// True if `instance` is valid. `report` may be NULL: then it stops at the first violation.
bool lg_schema_validate(const lg_schema *schema, const lg_json *instance, lg_schema_report *report);

// The same with steps of a budget, so far as they are fewer than the schema's own. When they are spent
// the answer is false, and nothing is known: ask lg_budget_is_spent() first. `budget` may be NULL.
bool lg_schema_validate_within(const lg_schema *schema, const lg_json *instance,
                               lg_schema_report *report, lg_budget *budget);

#endif
