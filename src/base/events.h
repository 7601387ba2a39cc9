// events.h: server-sent events read from a text that may still grow (HTML, section 9.2).
//
// Each byte is looked at once, however small the pieces are that it comes in:
//
//     lg_events events;
//     lg_events_init(&events);
//     lg_buf_add(&text, bytes);
//     while (lg_events_next(&events, lg_buf_str(&text), false, &data)) ... // `data` until the next call
//
// Only what an event says is told, its `data` lines joined by line feeds; events without any are passed over, and so are
// names, ids, comments and retry times. An event ends with a blank line: what was cut within one is never told.
#ifndef LG_BASE_EVENTS_H
#define LG_BASE_EVENTS_H

#include "base/buf.h"

typedef struct lg_events {
    // Private.
    size_t line;    // where the line at hand begins
    size_t scanned; // up to here it has no end
    size_t lines;   // of data, of the event at hand
    bool told;
    lg_buf data;
} lg_events;

void lg_events_init(lg_events *events);
void lg_events_done(lg_events *events);

// The next event of `text`, which begins with what it was in the call before. `is_all`: nothing will follow, so that its end ends
// a line. False: there is no more whole one yet, or
// lg_buf_status(&events->data) is not LG_OK.
bool lg_events_next(lg_events *events, lg_str text, bool is_all, lg_str *ret_data);

// What has come of an event that is not complete.
lg_str lg_events_rest(const lg_events *events);

#endif
