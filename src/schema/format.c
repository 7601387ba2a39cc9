// format.c: the formats that can be asserted.
#include "schema/schema_internal.h"

const format_rule *lg_format_find(lg_str name)
{
    (void)name;
    return NULL;
}
