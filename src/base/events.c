// events.c: see events.h.
#include "base/events.h"

#include "base/str.h"

void lg_events_init(lg_events *events)
{
    *events = (lg_events){0};
    lg_buf_init(&events->data, 0);
}

void lg_events_done(lg_events *events)
{
    lg_buf_done(&events->data);
}

static bool is_data(lg_str line, lg_str *ret)
{
    if (!lg_str_starts(line, LG_STR("data")) || (line.len > 4 && line.ptr[4] != ':')) {
        return false;
    }
    size_t at = line.len > 4 ? 5 : 4;
    at += at < line.len && line.ptr[at] == ' ';
    *ret = lg_str_slice(line, at, line.len);
    return true;
}

// A line ends with LF, CR or both. What stands behind a CR at the very end of the text is not known yet, and an LF there
// would be a blank line of its own: so that CR waits.
static bool next_line(lg_events *events, lg_str text, bool is_all, lg_str *ret)
{
    size_t at = events->scanned;
    while (at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r') {
        at++;
    }
    events->scanned = at;
    bool is_last = at >= text.len || (text.ptr[at] == '\r' && at + 1 == text.len);
    if (is_last && (!is_all || events->line >= text.len)) {
        return false;
    }
    *ret = lg_str_slice(text, events->line, at);
    bool is_pair = !is_last && text.ptr[at] == '\r' && text.ptr[at + 1] == '\n';
    events->line = at + (is_pair ? 2 : 1);
    events->scanned = events->line;
    return true;
}

bool lg_events_next(lg_events *events, lg_str text, bool is_all, lg_str *ret_data)
{
    lg_str line, value;
    if (events->told) {
        lg_buf_clear(&events->data);
        events->told = false;
        events->lines = 0;
    }
    if (events->line == 0 && text.len >= 3 && lg_str_starts(text, LG_STR("\xEF\xBB\xBF"))) {
        events->line = events->scanned = 3;
    }
    while (next_line(events, text, is_all, &line)) {
        if (is_data(line, &value)) {
            lg_buf_add_c(&events->data, events->lines++ ? "\n" : "");
            lg_buf_add(&events->data, value);
        } else if (line.len == 0 && events->lines) {
            events->told = true;
            *ret_data = lg_buf_str(&events->data);
            return lg_buf_status(&events->data) == LG_OK;
        }
    }
    return false;
}

lg_str lg_events_rest(const lg_events *events)
{
    return events->told ? LG_STR("") : lg_buf_str(&events->data);
}
