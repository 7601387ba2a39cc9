// course.h: what the loaders of conversation rules share. Not for other rooms.
//
// An expression stands under patterns (a condition under its own), and they decide what its names
// are: `args` has the arguments that the tools share, `result` is there only of results.
#ifndef LG_PACK_COURSE_H
#define LG_PACK_COURSE_H

#include "pack/conversation.h"
#include "pack/loader.h"

typedef struct course_loader {
    loader *l;
    lg_course *course;
    lg_signal *signals; // those of `course`; signal_count of them are read
    lg_course_rule *rules;
    struct named_pattern {
        lg_str name;
        lg_pattern pattern;
    } * named;
    size_t named_count;
} course_loader;

// --- patterns.c ---------------------------------------------------------------------------------

typedef enum course_key {
    COURSE_KEY_NONE,    // a key would have no meaning
    COURSE_KEY_ALLOWED, // some of the parts may have one
} course_key;

// Reads a pattern: a name, a map, or a list of these. Adds errors; what is wrong is left out.
lg_pattern course_read_pattern(course_loader *c, const lg_json *json, course_key key);

// The environment of an expression about events that one of the patterns matches; NULL after adding
// an error.
lg_cel_env *course_env(course_loader *c, const lg_pattern *pattern);

// `within`, or no window.
lg_window course_read_window(course_loader *c, const lg_json *json);

#endif
