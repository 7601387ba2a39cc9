// serve.h: the gateway: from a configuration to sockets that are listened to.
//
//     lg_serve_config *config;  // read, or made
//     lg_serve *gateway;
//     if (lg_serve_start(config, &host, &gateway, &problems) != LG_OK) ...   // takes the configuration
//     ... signals: lg_serve_reload(gateway, other_config, &problems)
//     lg_serve_stop(gateway); // finishes what is in flight, and frees everything
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
    lg_time (*now)(void);
    const char *(*environment)(const char *name);
    int log_fd; // lines of JSON; -1: none
    const lg_limits *limits;
} lg_serve_host;

// Takes `config`, also if it fails. Loads packs, opens the log, listens. Problems have a place where there is one.
LG_NODISCARD lg_status lg_serve_start(lg_serve_config *config, const lg_serve_host *host,
                                      lg_serve **ret_serve, lg_serve_problems *problems);

// Goes on with another configuration: routes, packs, tokens. Exchanges that run end as they began. If anything is wrong
// with it, or it changes what cannot be changed (where it listens, the log), everything stays. Takes `config`.
LG_NODISCARD lg_status lg_serve_reload(lg_serve *serve, lg_serve_config *config,
                                       lg_serve_problems *problems);

// The port of the first listener: for those who asked for any.
uint16_t lg_serve_port(const lg_serve *serve);
uint16_t lg_serve_admin_port(const lg_serve *serve); // 0: there is no second one

// Listens no more, finishes what is in flight or cuts it when the time for that is over, writes what the log has to say.
// LG_ERR_IO: the log had failed.
LG_NODISCARD lg_status lg_serve_stop(lg_serve *serve, lg_error *reterr);

#endif
