// replay_main.c: runs one fuzz target over files, without libFuzzer.
//
// Usage: replay_<name> FILE-OR-FOLDER...
//
// The target is given the empty input, each file, each prefix of a file, and each file with words of
// it made as long as buffers are, and longer (stretch.h). Every input lies in an
// allocation of its exact size, so that a sanitizer sees the first byte read beyond it. A folder
// that is not there holds no seeds: the empty input is then all there is to run. A target reports
// a broken property by trapping, which ends this program and fails the test.
#include "stretch.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_FILE = 1 << 20, // A seed is small; a larger file is a mistake in the folder.
    MAX_PREFIXES = 512, // Longer files are cut at this many even distances.
    MAX_WORDS = 64,     // Of longer files every n-th word.
    MAX_PATH_BYTES = 4096,
};

static size_t runs;

static bool run_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        fprintf(stderr, "out of memory\n");
        return false;
    }
    memcpy(copy, bytes, size);
    // malloc(0) may be shared or have room; one byte past its end stands for an empty input.
    LLVMFuzzerTestOneInput(size ? copy : copy + 1, size);
    free(copy);
    runs++;
    return true;
}

static bool run_prefixes(const uint8_t *bytes, size_t size)
{
    size_t step = size / MAX_PREFIXES + 1;
    for (size_t length = 0; length < size; length += step) {
        if (!run_copy(bytes, length)) {
            return false;
        }
    }
    return run_copy(bytes, size);
}

// Each word three times, so that all lengths are met: at 64, 64 words come to 192 runs.
static bool run_stretched(const uint8_t *bytes, size_t size)
{
    static const size_t lengths[] = {257, 600, 199, 513, 4097, 256, 70000};
    static uint8_t longer[MAX_FILE];
    size_t count = 0, turn = 0, index = 0;
    for (stretch_word w = stretch_find(bytes, size, 0); w.len; count++) {
        w = stretch_find(bytes, size, w.from + w.len);
    }
    size_t step = count / MAX_WORDS + 1;
    for (stretch_word w = stretch_find(bytes, size, 0); w.len; index++) {
        char fill[2];
        stretch_own_fill(bytes, w, fill);
        for (size_t i = 0; i < 3 && index % step == 0; i++, turn++) {
            size_t wanted = lengths[turn % (sizeof(lengths) / sizeof(lengths[0]))];
            const char *with = turn % 4 == 3 ? "\xC3\xA9" : fill; // or characters of two bytes
            size_t made = stretch(bytes, size, w, wanted, with, true, longer, sizeof(longer));
            if (made && !run_copy(longer, made)) {
                return false;
            }
        }
        w = stretch_find(bytes, size, w.from + w.len);
    }
    return true;
}

static bool run_file(const char *path)
{
    static uint8_t bytes[MAX_FILE];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    bool whole = !ferror(file) && fgetc(file) == EOF;
    fclose(file);
    if (!whole) {
        fprintf(stderr, "%s: not readable, or larger than a seed may be\n", path);
        return false;
    }
    return run_prefixes(bytes, size) && run_stretched(bytes, size);
}

static bool run_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        return false;
    }
    bool ok = true;
    for (struct dirent *entry = readdir(folder); ok && entry; entry = readdir(folder)) {
        char name[MAX_PATH_BYTES];
        int length = snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        bool hidden = entry->d_name[0] == '.';
        ok = length > 0 && (size_t)length < sizeof(name) && (hidden || run_file(name));
    }
    closedir(folder);
    return ok;
}

static bool run_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        printf("%s: no seeds\n", path);
        return true;
    }
    return S_ISDIR(info.st_mode) ? run_folder(path) : run_file(path);
}

int main(int argc, char **argv)
{
    bool ok = run_copy((const uint8_t *)"", 0);
    for (int i = 1; ok && i < argc; i++) {
        ok = run_path(argv[i]);
    }
    printf("%zu inputs\n", runs);
    return ok ? 0 : 1;
}
