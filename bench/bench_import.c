// bench_import.c: how fast recordings are read.
//
//     bench_import FILE...
//
// Opens all files, round after round; the median round counts. Prints one JSON line.
#include "trace/trace.h"

#include "sampling.h"

#define ROUNDS 15

int main(int argc, char **argv)
{
    double rounds[ROUNDS];
    size_t bytes = 0;
    size_t traces = 0;
    size_t events = 0;
    for (int r = 0; r < ROUNDS; r++) {
        bytes = traces = events = 0;
        double start = sampling_now_ns();
        for (int i = 1; i < argc; i++) {
            lg_trace_set *set;
            if (lg_trace_open(argv[i], NULL, &set, NULL) != LG_OK) {
                continue; // no conversation
            }
            bytes += set->text.len;
            traces += set->count;
            for (size_t t = 0; t < set->count; t++) {
                events += set->traces[t].count;
            }
            lg_trace_close(set);
        }
        rounds[r] = (sampling_now_ns() - start) / 1e9;
    }
    qsort(rounds, ROUNDS, sizeof(rounds[0]), sampling_by_value);
    double seconds = rounds[ROUNDS / 2];
    printf("{\"bench\":\"import\",\"files\":%d,\"bytes\":%zu,\"traces\":%zu,\"events\":%zu,"
           "\"seconds\":%.4f,\"mb_per_second\":%.0f}\n",
           argc - 1, bytes, traces, events, seconds, (double)bytes / 1e6 / seconds);
    return 0;
}
