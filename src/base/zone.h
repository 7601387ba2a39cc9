// zone.h: time zones by name, from the time zone data of the system (RFC 8536, "TZif").
//
// A zone is read once and never changes. Which offset holds at a given time depends on the version
// of that data, so only what names a zone depends on it: UTC and fixed offsets (time.h) do not.
#ifndef LG_BASE_ZONE_H
#define LG_BASE_ZONE_H

#include "base/arena.h"

typedef struct lg_zone lg_zone; // Lives in an arena.

// Reads zone `name` ("Europe/Berlin") of the system's data. Fails with LG_ERR_NAME if there is no
// such zone or no such data, LG_ERR_FORMAT if its file is not well formed, or LG_ERR_OOM.
LG_NODISCARD lg_status lg_zone_load(lg_arena *arena, lg_str name, const lg_zone **ret_zone,
                                    lg_error *reterr);

// Reads the contents of a TZif file, of which nothing is kept. Fails with LG_ERR_FORMAT or
// LG_ERR_OOM.
LG_NODISCARD lg_status lg_zone_parse(lg_arena *arena, lg_str data, const lg_zone **ret_zone,
                                     lg_error *reterr);

// Seconds east of Greenwich at `seconds` since 1970-01-01T00:00:00Z.
int32_t lg_zone_offset(const lg_zone *zone, int64_t seconds);

#endif
