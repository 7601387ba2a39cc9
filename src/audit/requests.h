// requests.h: what was asked for, for the checks of this room.
#ifndef LG_AUDIT_REQUESTS_H
#define LG_AUDIT_REQUESTS_H

#include "audit/audit_internal.h"
#include "request/request.h"

// Hints about what is permitted and was not done.
void audit_check_requests(audit_case *c, const lg_requests *found);

#endif
