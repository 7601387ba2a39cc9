// export.c: recordings as request bodies, for tests that send them: one conversation a line.
//
// Usage: export completions|responses|messages FILE
#include <stdio.h>

#include "chat_export.h"

int main(int argc, char **argv)
{
    lg_trace_set *set = NULL;
    lg_error error = {0};
    size_t api = 0;
    while (argc == 3 && api < LG_CHAT_API_COUNT &&
           strcmp(argv[1], lg_chat_api_name((lg_chat_api)api)) != 0) {
        api++;
    }
    if (argc != 3 || api == LG_CHAT_API_COUNT) {
        fprintf(stderr, "usage: export completions|responses|messages FILE\n");
        return 2;
    }
    if (lg_trace_open(argv[2], NULL, &set, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 2;
    }
    for (size_t i = 0; i < set->count; i++) {
        lg_buf out;
        lg_buf_init(&out, 0);
        chat_export(&out, &set->traces[i], (lg_chat_api)api);
        printf("%.*s\n", LG_FMT(lg_buf_str(&out)));
        lg_buf_done(&out);
    }
    lg_trace_close(set);
    return 0;
}
