// fuzz_trace_ledgergate.c: the importer of `ledgergate`; the properties are in trace_fuzz.h.
#include "trace_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return trace_fuzz(data, size, LG_TRACE_LEDGERGATE);
}
