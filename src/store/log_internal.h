// log_internal.h: what reading and verifying share.
#ifndef LG_STORE_LOG_INTERNAL_H
#define LG_STORE_LOG_INTERNAL_H

#include "store/store_internal.h"

struct lg_log {
    db db;
};

typedef struct log_row {
    lg_log_record record;
    int64_t time_us;
    unsigned char salt[SALT_BYTES];
} log_row;

// As lg_log_next().
LG_NODISCARD lg_status log_next_row(lg_log *log, uint64_t from, lg_str kind, log_row *ret,
                                    lg_error *reterr);

#endif
