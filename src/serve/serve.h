// serve.h: the gateway: from a configuration to sockets that are listened to.
//
//     lg_serve_config *config;
//     lg_serve_config_open("ledgergate.yaml", &host, &config, &problems);
//     lg_serve *gateway;
//     if (lg_serve_start(config, &host, &gateway, &problems) != LG_OK) ...   // takes the configuration
//     ... on SIGHUP: lg_serve_reload(gateway, "ledgergate.yaml")
//     lg_serve_stop(gateway, &error); // finishes what is in flight, and frees everything
//
// All of it by one thread; the gateway has others of its own.
//
// Each core has a thread with a loop of its own, and the kernel deals connections out among them. An exchange
// belongs to its loop from the first byte to the last. What the loops share is the routing (never changed, replaced
// whole, counted), the proxy's memory, the log, and counters.
#ifndef LG_SERVE_H
#define LG_SERVE_H

#include "net/client.h"
#include "net/server.h"
#include "serve/config.h"

typedef struct lg_serve lg_serve;

// What the program around it gives: rooms ask neither for the time nor for the environment.
typedef struct lg_serve_host {
    lg_time (*now)(void); // the wall clock; of any thread
    const char *(*environment)(const char *name);
    int log_fd; // lines of JSON; -1: none
    const lg_limits *limits;
} lg_serve_host;

// Reads YAML or JSON; `file` names it in messages, and its folder is where relative paths begin. Everything that is wrong
// comes as a problem with its place; then the first one's status is returned.
LG_NODISCARD lg_status lg_serve_config_read(lg_str text, const char *file,
                                            const lg_serve_host *host, lg_serve_config **ret_config,
                                            lg_serve_problems *problems);

// The same of a file.
LG_NODISCARD lg_status lg_serve_config_open(const char *path, const lg_serve_host *host,
                                            lg_serve_config **ret_config,
                                            lg_serve_problems *problems);

// The JSON Schema of a configuration, for editors: docs/serve.schema.json.
LG_NODISCARD lg_status lg_serve_schema(lg_buf *out);

// Loads all that a configuration names, looks for the files, and lets go of it again: whatever is wrong is told at once.
// Takes `config`.
LG_NODISCARD lg_status lg_serve_check(lg_serve_config *config, const lg_serve_host *host,
                                      lg_serve_problems *problems);

// What is lawful and may not have been meant: tells each in a sentence, of the key `what`.
typedef void (*lg_serve_advice)(void *context, lg_str what, lg_str text);
void lg_serve_advise(const lg_serve_config *config, const lg_serve_host *host, lg_serve_advice told,
                     void *context);

// What stands in a configuration for a token; and a token that nobody can guess. Ended by NUL.
#define LG_SERVE_HASH_BYTES 72u
#define LG_SERVE_TOKEN_BYTES 68u
void lg_serve_hash_token(lg_str token, char out[LG_SERVE_HASH_BYTES]);
void lg_serve_make_token(char out[LG_SERVE_TOKEN_BYTES]);

// Takes `config`, also if it fails. Loads packs, opens the log, listens. Problems have a place where there is one.
LG_NODISCARD lg_status lg_serve_start(lg_serve_config *config, const lg_serve_host *host,
                                      lg_serve **ret_serve, lg_serve_problems *problems);

// Goes on with another configuration: routes, packs, tokens, hosts, origins, times of upstreams. Takes `config`; NULL: there
// is none, for what `problems` say. Exchanges that run end as they began. If anything is wrong with it, or it changes what
// cannot be changed (where it listens, the log), everything stays as it is. What came of it is said in the log, too.
LG_NODISCARD lg_status lg_serve_reload(lg_serve *serve, lg_serve_config *config,
                                       lg_serve_problems *problems);

// The port of the first listener: for those who asked for any.
uint16_t lg_serve_port(const lg_serve *serve);

// Listens no more, finishes what is in flight or cuts it when the time for that is over, writes what the log has to say.
// LG_ERR_IO: the log had failed.
LG_NODISCARD lg_status lg_serve_stop(lg_serve *serve, lg_error *reterr);

#endif
