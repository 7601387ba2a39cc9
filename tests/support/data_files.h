// data_files.h: every file below a folder, in a fixed order.
#ifndef LG_DATA_FILES_H
#define LG_DATA_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

// Called with the path and the contents of a file.
typedef void (*lg_data_visit)(void *context, const char *path, lg_str text);

static inline bool lg_data_ends(const char *path, const char *ending)
{
    size_t len = strlen(path);
    size_t end = strlen(ending);
    return len >= end && strcmp(path + len - end, ending) == 0;
}

static inline const char *lg_data_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static inline int lg_data_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

// Visits the files below `folder` whose name ends in `ending`; returns how many, -1 if the folder
// or one of its files cannot be read. Folders nest 16 deep at most.
static inline int lg_data_each(const char *folder, const char *ending, int levels,
                               lg_data_visit visit, void *context)
{
    struct dirent **entries = NULL;
    int count = levels > 16 ? -1 : scandir(folder, &entries, NULL, lg_data_by_name);
    int visited = count < 0 ? -1 : 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        int length = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        struct stat info;
        bool cut = length < 0 || (size_t)length >= sizeof(path);
        bool hidden = cut || entries[i]->d_name[0] == '.';
        int more = cut ? -1 : 0;
        if (!hidden && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
            more = lg_data_each(path, ending, levels + 1, visit, context);
        } else if (!hidden && lg_data_ends(path, ending)) {
            lg_file file = {0};
            more = lg_file_open(path, (size_t)1 << 30, &file, NULL) == LG_OK ? 1 : -1;
            if (more == 1) {
                visit(context, path, file.text);
            }
            lg_file_close(&file);
        }
        visited = more < 0 || visited < 0 ? -1 : visited + more;
        free(entries[i]);
    }
    free(entries);
    return visited;
}

#endif
