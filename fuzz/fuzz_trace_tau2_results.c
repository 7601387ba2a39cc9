// fuzz_trace_tau2_results.c: the importer of `tau2-results`; the properties are in trace_fuzz.h.
#include "trace_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return trace_fuzz(data, size, LG_TRACE_TAU2_RESULTS);
}
