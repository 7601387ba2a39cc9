// temp_folder.h: a folder that is gone after the test.
#ifndef LG_TEMP_FOLDER_H
#define LG_TEMP_FOLDER_H

#include "lg_test.h"

#include <dirent.h>
#include <unistd.h>

// Beside the test's own program and not in /tmp, which may be no disk.
static inline bool lg_temp_folder(char room[128])
{
    snprintf(room, 128, "temp-folder-XXXXXX");
    return CHECK(mkdtemp(room) != NULL);
}

static inline void lg_temp_path(char *room, size_t size, const char *folder, const char *name)
{
    snprintf(room, size, "%s/%s", folder, name);
}

// Files alone stand in it.
static inline void lg_temp_empty(const char *folder)
{
    char path[512];
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
            (void)unlink(path);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static inline void lg_temp_remove(const char *folder)
{
    lg_temp_empty(folder);
    (void)rmdir(folder);
}

#endif
