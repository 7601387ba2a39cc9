// chat_samples.h: replies as the three APIs write them, in tests/golden/chat: NAME.sse is the stream, NAME.json the same
// reply unstreamed. A name begins with its API.
//
// The shapes are those of the vendors' own streams; what they say is made up.
#ifndef LG_CHAT_SAMPLES_H
#define LG_CHAT_SAMPLES_H

#include "chat_laws.h"
#include "lg_test.h"

#include <dirent.h>

#include "base/file.h"

#define CHAT_SAMPLES LG_SOURCE_DIR "/tests/golden/chat/"

static inline void chat_check_sample(lg_chat_api api, const char *name)
{
    char path[512];
    lg_file files[2];
    memset(files, 0, sizeof(files));
    lg_limits limits = lg_limits_resolve(NULL);
    snprintf(path, sizeof(path), CHAT_SAMPLES "%s.sse", name);
    bool read = lg_file_read(path, &limits, &files[0], NULL) == LG_OK;
    snprintf(path, sizeof(path), CHAT_SAMPLES "%s.json", name);
    read = read && lg_file_read(path, &limits, &files[1], NULL) == LG_OK;
    lg_test_name = name;
    if (CHECK(read)) {
        chat_sample sample = {name, api, files[0].text, files[1].text};
        const char *broken = chat_broken_law(&sample);
        CHECK_MSG(!broken, broken ? broken : "");
    }
    lg_file_close(&files[0]);
    lg_file_close(&files[1]);
}

// All samples of `api`.
static inline void chat_check_samples(lg_chat_api api)
{
    const char *prefix = lg_chat_api_name(api);
    DIR *folder = opendir(CHAT_SAMPLES);
    size_t count = 0;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        lg_str name = lg_str_c(entry->d_name);
        if (lg_str_starts(name, lg_str_c(prefix)) && lg_str_ends(name, LG_STR(".sse"))) {
            char stem[256];
            snprintf(stem, sizeof(stem), "%.*s", (int)name.len - 4, name.ptr);
            chat_check_sample(api, stem);
            count++;
        }
    }
    CHECK(count >= 4);
    if (folder) {
        closedir(folder);
    }
}

#endif
