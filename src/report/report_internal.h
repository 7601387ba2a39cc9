// report_internal.h: members of an object, for the files of the room.
#ifndef LG_REPORT_INTERNAL_H
#define LG_REPORT_INTERNAL_H

#include "report/report.h"

// A text that may have failed to be made: then the output fails, too.
static inline void write_buf(lg_json_writer *w, const char *key, const lg_buf *text)
{
    if (lg_buf_status(text) != LG_OK && lg_buf_status(w->out) == LG_OK) {
        w->out->status = text->status;
    }
    lg_jw_member_str(w, key, lg_buf_str(text));
}

#endif
