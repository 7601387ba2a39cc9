// recall.h: recorded answers, found by tool and arguments.
//
// Arguments are the same if they are equal as JSON: numbers by value, members in any order. What was answered to equal
// calls stays in the order in which it was recorded: the first such call gets the first answer, the second the second,
// and all beyond the last get the last one again. Who asks counts: `group` names the equal calls.
//
//     lg_recalled found;
//     if (lg_recall_find(recall, tool, args, asked_before, &found)) ... // found.result, found.is_error
//
// Nothing is copied: what was added must outlive the recall. Once all is added any number of threads may search.
#ifndef LG_SIMULATE_RECALL_H
#define LG_SIMULATE_RECALL_H

#include "json/json.h"

typedef struct lg_recall lg_recall; // Lives in an arena.

// An empty one, or NULL when out of memory. `arena` is used by lg_recall_add() too.
lg_recall *lg_recall_new(lg_arena *arena);

// Adds an array of {"name", "arguments", "result" (text or JSON), "error": bool}; `arguments` may be missing, and stand for
// none. What else an entry has stays with it: `entry` of what is found, such as MCP's "structuredContent". Fails with
// LG_ERR_FORMAT, which names the entry, or LG_ERR_OOM; then some may have been added.
LG_NODISCARD lg_status lg_recall_add(lg_recall *recall, const lg_json *calls, lg_error *reterr);

typedef struct lg_recalled {
    const lg_json *result; // a string or JSON; JSON null where the entry has none
    bool is_error;
    unsigned status;      // of HTTP, the entry's `status`; 0: it has none
    const lg_json *entry; // as it was added
    size_t group;         // a number, one for all equal calls
    size_t count;         // of the answers to equal calls
} lg_recalled;

// The answer to the call that is asked for the `nth` time, from 0. False: none was recorded. O(length of the arguments).
bool lg_recall_find(const lg_recall *recall, lg_str tool, const lg_json *args, size_t nth,
                    lg_recalled *ret);

#endif
