// work.c: the conversations that are held, from the file that make_work.py writes: a turn a line.
#include "base/file.h"
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_NUMBER UINT64_C(1000000000) // a JSON number has no zeros in front

static size_t place_of(lg_str body, const char *mark)
{
    const char *found = memmem(body.ptr, body.len, mark, strlen(mark));
    if (!found) {
        load_fail("a request in the work has no place for its number");
    }
    return (size_t)(found - body.ptr);
}

static turn *add_turn(work *w, size_t talk_number)
{
    if (talk_number >= w->count) {
        w->talks = realloc(w->talks, (talk_number + 1) * sizeof(*w->talks));
        w->talks[talk_number] = (talk){0};
        w->count = talk_number + 1;
    }
    talk *of = &w->talks[talk_number];
    of->turns = realloc(of->turns, (of->count + 1) * sizeof(*of->turns));
    return &of->turns[of->count++];
}

static lg_str member(const lg_json *line, const char *name)
{
    return lg_json_str(lg_json_get(line, lg_str_c(name)));
}

static void read_line(work *w, lg_str text)
{
    lg_json_doc *doc; // kept: the turns point into it
    lg_error err;
    if (lg_json_parse(text, NULL, &doc, &err) != LG_OK) {
        load_fail(err.msg);
    }
    const lg_json *line = lg_json_root(doc);
    lg_str request = member(line, "request");
    int64_t number = 0;
    (void)lg_json_int(lg_json_get(line, LG_STR("talk")), &number);
    *add_turn(w, (size_t)number) =
        (turn){.request = request,
               .number_at = place_of(request, "@number@@@"),
               .subject_at = place_of(request, "@subject@@"),
               .reply = member(line, "reply"),
               .expect = member(line, "expect"),
               .gated = lg_json_is_true(lg_json_get(line, LG_STR("gated")))};
}

void work_read(work *w, const char *path)
{
    lg_file file = {0};
    lg_error err;
    if (lg_file_open(path, SIZE_MAX, &file, &err) != LG_OK) {
        load_fail(err.msg);
    }
    for (lg_str left = file.text; left.len > 0;) {
        size_t end = lg_str_find(left, LG_STR("\n"));
        read_line(w, lg_str_slice(left, 0, end));
        left = end == SIZE_MAX ? (lg_str){"", 0} : lg_str_slice(left, end + 1, left.len);
    }
    lg_file_close(&file);
    if (w->count == 0) {
        load_fail("there is no work in the file");
    }
}

static void put_number(char *at, uint64_t number)
{
    for (size_t i = NUMBER_DIGITS; i > 0; i--, number /= 10) {
        at[i - 1] = (char)('0' + number % 10);
    }
}

void work_fill(const turn *t, uint64_t number, uint64_t subject, lg_buf *room)
{
    size_t from = room->len;
    lg_buf_add(room, t->request);
    if (lg_buf_status(room) != LG_OK) {
        load_fail("no memory");
    }
    put_number(room->ptr + from + t->number_at, FIRST_NUMBER + number);
    put_number(room->ptr + from + t->subject_at, subject);
}

uint64_t work_number(lg_str body)
{
    static const char mark[] = "\"seed\":";
    const char *found = memmem(body.ptr, body.len, mark, sizeof(mark) - 1);
    uint64_t number = found ? strtoull(found + sizeof(mark) - 1, NULL, 10) : 0;
    return number >= FIRST_NUMBER ? number - FIRST_NUMBER : UINT64_MAX;
}
