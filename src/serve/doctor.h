// doctor.h: is everything there that a configuration needs, and is the gate in the path?
#ifndef LG_SERVE_DOCTOR_H
#define LG_SERVE_DOCTOR_H

#include "serve/serve.h"

typedef enum lg_doctor_state {
    LG_DOCTOR_FINE,
    LG_DOCTOR_NOTE,  // as it was asked for, and worth a thought
    LG_DOCTOR_WRONG, // it will not work, or does not guard
} lg_doctor_state;

typedef struct lg_doctor_finding {
    lg_doctor_state state;
    lg_str what; // "upstream http://..."
    lg_str text; // for people: no newline
} lg_doctor_finding;

typedef struct lg_doctor_options {
    const lg_serve_config *config; // that was checked (lg_serve_check)
    const lg_serve_host *host;
    bool probe;   // send canaries to the gateway that runs
    lg_str url;   // where it is; empty: where the configuration listens
    lg_str admin; // where its /readyz is; empty: as the configuration has it
    lg_str route; // the path of the route to send them to, with `one_route`; else to all
    bool one_route;
    lg_str token; // for it; empty: none
    void (*tell)(void *context, const lg_doctor_finding *finding);
    void *context;
} lg_doctor_options;

// Looks at one thing after the other and tells what it finds. `ret_wrong` is how much was wrong. Fails only for what is
// its own: memory, libraries.
LG_NODISCARD lg_status lg_doctor(const lg_doctor_options *options, size_t *ret_wrong,
                                 lg_error *reterr);

#endif
