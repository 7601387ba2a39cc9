// fuzz_trace_otel.c: the importer of `otel`; the properties are in trace_fuzz.h.
#include "trace_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return trace_fuzz(data, size, LG_TRACE_OTEL);
}
