// page_files.h: the files of web/ that the page of the simulator is made of, as the build puts them into the program.
#ifndef LG_MOCK_PAGE_FILES_H
#define LG_MOCK_PAGE_FILES_H

#include "mock/mock_internal.h"

typedef struct mock_page_file {
    const char *name;
    lg_str text;
} mock_page_file;

extern const mock_page_file mock_page_files[]; // up to one without a name

#endif
