// fuzz_trace_ledgergate_artifact.c: the importer of `ledgergate-artifact`; the properties are in trace_fuzz.h.
#include "trace_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return trace_fuzz(data, size, LG_TRACE_ARTIFACT);
}
