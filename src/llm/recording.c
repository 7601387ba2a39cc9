// recording.c: what was asked, and what came of it, in a file of JSON Lines: one question a line.
//
//     {"hash":"<64 hexadecimal digits>","kind":"chat","sample":0,"request":{...},"end":"ok","status":200,
//      "attempts":1,"usage":{"prompt_tokens":9,"completion_tokens":4},"response":{...}}
//
// (`"error":"..."` in place of request and response where it ended otherwise: what was never sent may be large; `"estimated":true` in a usage that the server did not tell.)
// `hash` is the SHA-256 of {"kind","request","sample"} in canonical form (RFC 8785). Of several lines with one hash the last
// holds. There is no key in it, and an address
// only in the words of a failure.
//
// A line is appended by one write under a lock, so several programs may record into one file. What a crash has left of a
// last line is no line: it is passed over, and taken away before something is appended.
#define _GNU_SOURCE // F_OFD_SETLKW: locks that belong to a descriptor, so that two clients of one process exclude each other
#include "llm/llm_internal.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_LEN 64u
#define EDIT 1u // the map is this room's alone, and no older one is kept

typedef struct entry {
    lg_str hash;
    size_t offset, len; // of the line, in the file
    uint32_t number;    // of the line; 0: appended by this client
    bool fine;
    bool *told; // once it was found, or appended
} entry;

struct lg_llm_recording {
    const char *path;
    int fd; // to look lines up, and to append to unless it replays
    bool replays;
    bool lacks_end; // its last line is whole but for the line feed
    lg_arena arena; // of entries: lines stay in the file
    lg_map map;     // from a hash to its entry
};

static const char *const end_names[] = {
    [LG_LLM_OK] = "ok",
    [LG_LLM_REFUSED] = "refused",
    [LG_LLM_UNREACHABLE] = "unreachable",
    [LG_LLM_TIMEOUT] = "timeout",
    [LG_LLM_BAD] = "bad",
    [LG_LLM_INVALID] = "invalid",
    [LG_LLM_SPENT] = "spent",
    [LG_LLM_NOT_RECORDED] = "not_recorded",
    [LG_LLM_FAILED] = "failed",
};

const char *lg_llm_end_name(lg_llm_end end)
{
    return end_names[end];
}

static bool read_end(lg_str name, lg_llm_end *ret)
{
    for (size_t i = 0; i < LG_COUNT(end_names); i++) {
        if (lg_str_eq(name, lg_str_c(end_names[i]))) {
            *ret = (lg_llm_end)i;
            return true;
        }
    }
    return false;
}

// --- reading ---

static bool is_hash(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool letter = text.ptr[i] >= 'a' && text.ptr[i] <= 'f';
        if (!lg_is_digit(text.ptr[i]) && !letter) {
            return false;
        }
    }
    return text.len == HASH_LEN;
}

static lg_status add_entry(lg_llm_recording *r, lg_str hash, entry made)
{
    entry *e = LG_NEW(&r->arena, entry);
    if (!e) {
        return LG_ERR_OOM;
    }
    *e = made;
    e->hash = lg_arena_str(&r->arena, hash);
    e->told = LG_NEW(&r->arena, bool);
    if (e->told) {
        *e->told = e->number == 0;
    }
    bool put = e->hash.ptr && e->told && lg_map_put(&r->arena, &r->map, e->hash, e, EDIT);
    return put ? LG_OK : LG_ERR_OOM;
}

static lg_status take_line(lg_llm_recording *r, lg_arena *scratch, lg_str text, entry made,
                           lg_error *reterr)
{
    lg_str line = lg_str_slice(text, made.offset, made.offset + made.len);
    const lg_json *value = NULL;
    lg_error error = {0};
    lg_llm_end end;
    lg_arena_reset(scratch);
    lg_status status = lg_json_parse_in(scratch, line, 0, line.len, NULL, &value, &error);
    lg_position at = {r->path, made.number, status == LG_OK ? 1 : error.column};
    if (status != LG_OK) {
        return lg_fail_at(reterr, status, at, "a line of the recording: %s", error.msg);
    }
    lg_str hash = lg_json_str(lg_json_get(value, LG_STR("hash")));
    bool known = read_end(lg_json_str(lg_json_get(value, LG_STR("end"))), &end);
    if (!is_hash(hash) || !known) {
        return lg_fail_at(reterr, LG_ERR_FORMAT, at,
                          "a line of the recording has no `hash` of 64 hexadecimal digits or no "
                          "`end` that is known");
    }
    made.fine = end == LG_LLM_OK;
    status = add_entry(r, hash, made);
    return status == LG_OK ? status : lg_fail_oom(reterr);
}

// Sets `*ret_whole` to where the last whole line ends.
static lg_status take_lines(lg_llm_recording *r, lg_str text, size_t *ret_whole, lg_error *reterr)
{
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    lg_status status = LG_OK;
    uint32_t number = 0;
    size_t whole = 0;
    while (status == LG_OK && whole < text.len) {
        size_t end = lg_str_line_end(text, whole);
        entry made = {.offset = whole, .len = end - whole, .number = ++number};
        if (end == text.len) {
            // It was cut, or somebody's editor leaves out the last line end.
            lg_error cut;
            r->lacks_end = take_line(r, &scratch, text, made, &cut) == LG_OK;
            whole = r->lacks_end ? end : whole;
            break;
        }
        bool blank = lg_str_trim(lg_str_slice(text, whole, end)).len == 0;
        status = blank ? LG_OK : take_line(r, &scratch, text, made, reterr);
        whole = end + 1;
    }
    lg_arena_done(&scratch);
    *ret_whole = whole;
    return status;
}

// --- the file ---

static bool lock(int fd, short how)
{
    struct flock whole = {.l_type = how, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLKW, &whole) == 0;
}

static lg_status fail_io(const lg_llm_recording *r, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_IO, "the recording %s cannot be written: %s", r->path,
                   strerror(errno));
}

// Only a regular file: one that is a pipe or a device would hold nothing to look up.
static lg_status open_file(lg_llm_recording *r, lg_error *reterr)
{
    struct stat about;
    int how = r->replays ? O_RDONLY : O_RDWR | O_APPEND | O_CREAT;
    r->fd = open(r->path, how | O_CLOEXEC | O_NONBLOCK, 0600);
    bool fine = r->fd >= 0 && fstat(r->fd, &about) == 0;
    if (fine && !S_ISREG(about.st_mode)) {
        return lg_fail(reterr, LG_ERR_IO, "the recording %s is no regular file", r->path);
    }
    if (!fine || (!r->replays && !lock(r->fd, F_WRLCK))) {
        return lg_fail(reterr, LG_ERR_IO, "the recording %s cannot be opened: %s", r->path,
                       strerror(errno));
    }
    return LG_OK;
}

static lg_status read_all(lg_llm_recording *r, lg_error *reterr)
{
    size_t whole = 0;
    lg_file file;
    lg_status status = lg_file_read(r->path, NULL, &file, reterr);
    if (status != LG_OK) {
        return status;
    }
    status = take_lines(r, file.text, &whole, reterr);
    bool cut = whole < file.text.len;
    lg_file_close(&file);
    if (status != LG_OK || r->replays) {
        return status;
    }
    bool mended = !cut || ftruncate(r->fd, (off_t)whole) == 0;
    mended = mended && (!r->lacks_end || write(r->fd, "\n", 1) == 1);
    return mended ? LG_OK : fail_io(r, reterr);
}

lg_status lg_llm_recording_open(const char *path, lg_llm_mode mode, lg_llm_recording **ret,
                                lg_error *reterr)
{
    lg_llm_recording *r = lg_zalloc(sizeof(*r));
    if (!r) {
        return lg_fail_oom(reterr);
    }
    r->path = path;
    r->fd = -1;
    r->replays = mode == LG_LLM_REPLAY;
    lg_arena_init(&r->arena, 0);
    lg_status status = open_file(r, reterr);
    status = status == LG_OK ? read_all(r, reterr) : status;
    if (status != LG_OK) {
        lg_llm_recording_close(r);
        return status;
    }
    if (!r->replays) {
        (void)lock(r->fd, F_UNLCK);
    }
    *ret = r;
    return LG_OK;
}

void lg_llm_recording_close(lg_llm_recording *r)
{
    if (!r) {
        return;
    }
    if (r->fd >= 0) {
        close(r->fd); // and the lock with it
    }
    lg_arena_done(&r->arena);
    lg_free(r);
}

// --- finding ---

static bool read_count(const lg_json *object, lg_str key, uint64_t *ret)
{
    int64_t number;
    bool fine = lg_json_int(lg_json_get(object, key), &number) && number >= 0;
    *ret = fine ? (uint64_t)number : 0;
    return fine;
}

static bool read_exchange(const lg_json *value, lg_llm_exchange *ret)
{
    uint64_t status, attempts;
    const lg_json *usage = lg_json_get(value, LG_STR("usage"));
    *ret = (lg_llm_exchange){.body = lg_json_get(value, LG_STR("response"))};
    bool fine = read_end(lg_json_str(lg_json_get(value, LG_STR("end"))), &ret->end) &&
                read_count(value, LG_STR("status"), &status) &&
                read_count(value, LG_STR("attempts"), &attempts) &&
                read_count(usage, LG_STR("prompt_tokens"), &ret->usage.prompt_tokens) &&
                read_count(usage, LG_STR("completion_tokens"), &ret->usage.completion_tokens) &&
                status < 1000 && attempts <= UINT32_MAX;
    if (!fine || (ret->end == LG_LLM_OK && !lg_json_is(ret->body, LG_JSON_OBJECT))) {
        return false;
    }
    ret->status = (unsigned)status;
    ret->attempts = (uint32_t)attempts;
    ret->usage.estimated = lg_json_is_true(lg_json_get(usage, LG_STR("estimated")));
    lg_str words = lg_json_str(lg_json_get(value, LG_STR("error")));
    if (ret->end != LG_LLM_OK) {
        lg_fail(&ret->error, LG_ERR_MISSING, "%.*s", LG_FMT(words));
    }
    return true;
}

// The line as it is in the file now.
static lg_status read_line(const lg_llm_recording *r, lg_arena *arena, const entry *e, lg_str *ret,
                           lg_error *reterr)
{
    char *room = lg_arena_alloc(arena, e->len, 1);
    size_t got = 0;
    if (!room) {
        return lg_fail_oom(reterr);
    }
    while (got < e->len) {
        ssize_t count = pread(r->fd, room + got, e->len - got, (off_t)(e->offset + got));
        if (count <= 0) {
            return lg_fail(reterr, LG_ERR_IO, "the recording was cut since it was opened");
        }
        got += (size_t)count;
    }
    *ret = lg_str_of(room, got);
    return LG_OK;
}

static lg_status read_entry(const lg_llm_recording *r, lg_arena *arena, const entry *e,
                            const lg_llm_question *question, lg_llm_exchange *ret, lg_error *reterr)
{
    const lg_json *value = NULL;
    lg_str line;
    lg_status status = read_line(r, arena, e, &line, reterr);
    status =
        status == LG_OK ? lg_json_parse_in(arena, line, 0, line.len, NULL, &value, reterr) : status;
    if (status != LG_OK) {
        return status;
    }
    const lg_json *request = lg_json_get(value, LG_STR("request"));
    lg_str hash = lg_json_str(lg_json_get(value, LG_STR("hash")));
    bool other = request ? !lg_json_equal(request, question->body) : e->fine;
    if (other || !lg_str_eq(hash, e->hash)) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "this line of the recording was changed: its request is not the one that "
                       "its hash names");
    }
    if (!read_exchange(value, ret) || (ret->end == LG_LLM_OK) != e->fine) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "this line of the recording was changed: it does not say how the exchange "
                       "ended, or what it took");
    }
    return LG_OK;
}

lg_llm_found lg_llm_recording_find(lg_llm_recording *r, lg_arena *arena,
                                   const lg_llm_question *question, lg_llm_exchange *ret,
                                   lg_error *reterr)
{
    const entry *e = lg_map_get(&r->map, lg_str_of(question->hash, HASH_LEN));
    if (!e || (!e->fine && !r->replays && e->number)) {
        return LG_LLM_FOUND_NOTHING;
    }
    lg_error error = {0};
    lg_status status = read_entry(r, arena, e, question, ret, &error);
    if (status != LG_OK) {
        lg_fail(reterr, status, "%s:%u: %s", r->path, e->number, error.msg);
        return LG_LLM_FOUND_BROKEN;
    }
    bool again = *e->told;
    *e->told = true;
    return again ? LG_LLM_FOUND_FRESH : LG_LLM_FOUND;
}

// --- appending ---

static void write_line(lg_buf *out, const lg_llm_request *request, const lg_llm_question *question,
                       lg_str canonical, const lg_llm_exchange *exchange)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "hash", lg_str_of(question->hash, HASH_LEN));
    lg_jw_member_c(&w, "kind", lg_llm_kind_name(request->kind));
    lg_jw_member_uint(&w, "sample", request->sample);
    if (exchange->end == LG_LLM_OK) {
        lg_jw_member_raw(&w, "request", canonical);
    }
    lg_jw_member_c(&w, "end", lg_llm_end_name(exchange->end));
    lg_jw_member_uint(&w, "status", exchange->status);
    lg_jw_member_uint(&w, "attempts", exchange->attempts);
    lg_jw_key(&w, "usage");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "prompt_tokens", exchange->usage.prompt_tokens);
    lg_jw_member_uint(&w, "completion_tokens", exchange->usage.completion_tokens);
    if (exchange->usage.estimated) {
        lg_jw_member_bool(&w, "estimated", true);
    }
    lg_jw_end_object(&w);
    if (exchange->end == LG_LLM_OK) {
        lg_jw_member_json(&w, "response", exchange->body);
    } else {
        lg_jw_member_c(&w, "error", exchange->error.msg);
    }
    lg_jw_end_object(&w);
    lg_buf_add_byte(out, '\n');
}

// All of it or nothing: a disk that is full has room for half a line.
static bool append(int fd, lg_str line, size_t *ret_offset)
{
    struct stat about;
    if (!lock(fd, F_WRLCK)) {
        return false;
    }
    bool fine = fstat(fd, &about) == 0;
    ssize_t written = fine ? write(fd, line.ptr, line.len) : -1;
    bool whole = written >= 0 && (size_t)written == line.len;
    int why = written < 0 ? errno : ENOSPC;
    if (fine && !whole && written > 0 && ftruncate(fd, about.st_size) != 0) {
        why = errno;
    }
    (void)lock(fd, F_UNLCK);
    *ret_offset = fine ? (size_t)about.st_size : 0;
    errno = why;
    return whole;
}

lg_status lg_llm_recording_add(lg_llm_recording *r, const lg_llm_request *request,
                               const lg_llm_question *question, const lg_llm_exchange *exchange,
                               lg_error *reterr)
{
    lg_buf text, canonical;
    lg_buf_init(&text, 0);
    lg_buf_init(&canonical, 0);
    lg_json_print_canonical(&canonical, question->body);
    write_line(&text, request, question, lg_buf_str(&canonical), exchange);
    lg_status status = lg_buf_status(&canonical);
    status = status == LG_OK ? lg_buf_status(&text) : status;
    entry made = {.len = text.len ? text.len - 1 : 0, .fine = exchange->end == LG_LLM_OK};
    if (status != LG_OK) {
        status = lg_fail_oom(reterr);
    } else if (!append(r->fd, lg_buf_str(&text), &made.offset)) {
        status = fail_io(r, reterr);
    } else if (add_entry(r, lg_str_of(question->hash, HASH_LEN), made) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    lg_buf_done(&canonical);
    lg_buf_done(&text);
    return status;
}
