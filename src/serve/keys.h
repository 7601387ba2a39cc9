// keys.h: every key of a configuration, as a table: the reader goes by it, and the published schema is made of it.
#ifndef LG_SERVE_KEYS_H
#define LG_SERVE_KEYS_H

#include "serve/config.h"

typedef enum key_kind {
    KEY_TEXT,
    KEY_PATH,    // of a file; made to begin at the configuration's folder
    KEY_SECRET,  // a text that does not stand there itself: ${NAME} or file:PATH
    KEY_URL,     // http:// or https://, without a slash at its end
    KEY_ADDRESS, // HOST:PORT
    KEY_WORD,    // one of `words`; its number
    KEY_FLAG,
    KEY_COUNT,
    KEY_SIZE, // bytes: 65536, 64K, 16M, 1G
    KEY_TIME, // milliseconds: 500ms, 30s, 5m, 1h
    KEY_TEXTS,
    KEY_PAIRS, // a map of names to texts
    KEY_GROUP, // a map with the keys `below`
    KEY_ITEMS, // a list of those
} key_kind;

typedef struct key_set key_set;

typedef struct key {
    const char *name;
    key_kind kind;
    size_t at; // where in the set's struct it goes
    size_t
        count; // KEY_PAIRS, KEY_ITEMS: where their number goes; KEY_COUNT: where it is said that it was given
    const key_set *below;
    const char *const *words; // ends with NULL
    uint64_t least, most;     // of a number; of a list, how many at least
    bool required;
    const char *about;
} key;

struct key_set {
    const char *what; // "a route"
    const key *keys;
    size_t count;
    size_t size;   // of the struct, for KEY_ITEMS
    size_t offset; // where in it goes where it begins in the text; SIZE_MAX: nowhere
};

#define KEY_NOWHERE SIZE_MAX

extern const key_set keys_of_configuration;

#endif
