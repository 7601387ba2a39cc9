// stdio.c: an MCP server that is a process of one's own.
//
// A line is a message. What is none is passed over: servers print words of their own there. A server's requests are answered
// as they come: that it may ping, and that this client has nothing else. Once a line is too long or its output has ended
// nothing more is said to it.
#include "tool/tool_internal.h"

#include "base/clock.h"
#include "base/utf8.h"

#define WORDS_MAX 256u // of a command

typedef struct stdio_peer {
    lg_peer peer;
    lg_child child;
} stdio_peer;

// --- the command ---

// Words between blanks; quotes of either kind keep blanks together, and stand for nothing else.
static bool next_word(lg_arena *arena, lg_str text, size_t *at, lg_str *ret)
{
    char quote = 0;
    while (*at < text.len && (text.ptr[*at] == ' ' || text.ptr[*at] == '\t')) {
        ++*at;
    }
    if (*at == text.len) {
        return false;
    }
    char *word = lg_arena_alloc(arena, text.len - *at + 1, 1);
    size_t len = 0;
    *ret = (lg_str){NULL, 0};
    for (; word && *at < text.len; ++*at) {
        char c = text.ptr[*at];
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        } else if (!quote && (c == ' ' || c == '\t')) {
            break;
        } else {
            word[len++] = c;
        }
    }
    if (word && !quote) {
        word[len] = '\0';
        *ret = (lg_str){word, len};
    }
    return true;
}

static lg_status split(lg_arena *arena, lg_str text, char **argv, lg_error *reterr)
{
    size_t at = 0, count = 0;
    lg_str word;
    while (next_word(arena, text, &at, &word)) {
        if (!word.ptr || count == WORDS_MAX) {
            return lg_fail(reterr, LG_ERR_USAGE,
                           "the command of an MCP server has a quote without its end, or more than "
                           "%u words",
                           WORDS_MAX);
        }
        argv[count++] = (char *)(uintptr_t)word.ptr;
    }
    return LG_OK;
}

static lg_status read_list(lg_arena *arena, lg_str text, char **argv, lg_error *reterr)
{
    const lg_json *list = NULL;
    lg_status status = lg_json_parse_in(arena, text, 0, text.len, NULL, &list, reterr);
    if (status != LG_OK) {
        return status == LG_ERR_OOM ? status : LG_ERR_USAGE;
    }
    for (size_t i = 0; i < lg_json_len(list); i++) {
        const lg_json *item = lg_json_item(list, i);
        lg_str word = lg_arena_str(arena, lg_json_str(item));
        if (!word.ptr) {
            return lg_fail_oom(reterr);
        }
        if (!lg_json_is(item, LG_JSON_STRING) || i == WORDS_MAX || strlen(word.ptr) != word.len) {
            return lg_fail(reterr, LG_ERR_USAGE,
                           "the command of an MCP server is a list of at most %u texts", WORDS_MAX);
        }
        argv[i] = (char *)(uintptr_t)word.ptr;
    }
    return LG_OK;
}

static lg_status read_command(lg_arena *arena, lg_str text, char **argv, lg_error *reterr)
{
    bool is_list = text.len && text.ptr[0] == '[';
    if (memchr(text.ptr, '\0', text.len)) {
        return lg_fail(reterr, LG_ERR_USAGE, "the command of an MCP server has a NUL in it");
    }
    lg_status status =
        is_list ? read_list(arena, text, argv, reterr) : split(arena, text, argv, reterr);
    if (status == LG_OK && (!argv[0] || !argv[0][0])) {
        return lg_fail(reterr, LG_ERR_USAGE, "stdio: needs the command of an MCP server");
    }
    return status;
}

// --- messages ---

static lg_status lost(const stdio_peer *p, const lg_peer_message *message, lg_arena *arena,
                      lg_child_got got, lg_peer_answer *ret)
{
    lg_str words = lg_str_trim((lg_str){p->child.words, p->child.words_len});
    lg_buf safe;
    lg_buf_init(&safe, 0);
    lg_utf8_add_printable(&safe, lg_str_cut(words, 200));
    lg_str shown = lg_buf_status(&safe) == LG_OK ? lg_buf_str(&safe) : LG_STR("");
    if (got == LG_CHILD_LATE) {
        ret->why = lg_arena_printf(arena, "the process did not answer within %u ms", message->ms);
    } else {
        ret->why =
            lg_arena_printf(arena, "%s%s%.*s",
                            p->child.is_too_long ? "the process wrote a line that is too long"
                                                 : "the process has ended",
                            shown.len ? "; it said: " : "", LG_FMT(shown));
    }
    lg_buf_done(&safe);
    return ret->why.ptr ? LG_OK : LG_ERR_OOM;
}

// Who waits no longer says so. It is not waited for that the server has read it.
static void tell_cancelled(stdio_peer *p, const lg_peer_message *message)
{
    lg_buf text;
    lg_str line, rest;
    lg_buf_init(&text, 0);
    lg_mcp_tell_cancelled(&text, message->id, LG_STR("it took too long"));
    lg_buf_add_byte(&text, '\n');
    rest = lg_buf_str(&text);
    if (lg_buf_status(&text) == LG_OK) {
        while (rest.len && lg_child_talk(&p->child, &rest, lg_monotonic_ns() + 50 * LG_NS_PER_MS,
                                         &p->peer.base.stop.is_told, &line) == LG_CHILD_LINE) {
        }
        p->child.has_ended = p->child.has_ended || (rest.len && rest.len < text.len);
    }
    lg_buf_done(&text);
}

// True: it is what was waited for.
static bool take_line(stdio_peer *p, const lg_peer_message *message, lg_str line, lg_buf *out,
                      lg_arena *arena, lg_peer_answer *ret)
{
    lg_mcp_message got;
    lg_arena_mark mark = lg_arena_mark_here(arena);
    if (!lg_peer_read(&p->peer, line, arena, &got)) {
        return false;
    }
    if (lg_mcp_answers(&got, message->id)) {
        ret->message = got;
        ret->end = LG_PEER_ANSWERED;
        return true;
    }
    if (got.kind == LG_MCP_REQUEST && p->peer.questions < LG_PEER_QUESTIONS_MAX) {
        p->peer.questions++;
        lg_mcp_answer_server(out, &got);
        lg_buf_add_byte(out, '\n');
    }
    lg_arena_rewind(arena, mark);
    return false;
}

static lg_status talk(stdio_peer *p, const lg_peer_message *message, lg_buf *out, lg_arena *arena,
                      lg_peer_answer *ret)
{
    int64_t until_ns = lg_monotonic_ns() + message->ms * LG_NS_PER_MS;
    size_t written = 0;
    lg_str line;
    for (;;) {
        lg_str rest = lg_str_slice(lg_buf_str(out), written, out->len);
        if (message->id == 0 && rest.len == 0) {
            ret->end = LG_PEER_ANSWERED;
            return LG_OK;
        }
        size_t before = rest.len;
        int64_t soon_ns = lg_monotonic_ns() + 20 * LG_NS_PER_MS;
        bool is_short = message->id == 0 && soon_ns < until_ns;
        lg_child_got got = lg_child_talk(&p->child, &rest, is_short ? soon_ns : until_ns,
                                         &p->peer.base.stop.is_told, &line);
        written += before - rest.len;
        if (got == LG_CHILD_LINE) {
            if (take_line(p, message, line, out, arena, ret)) {
                return LG_OK;
            }
        } else if (got == LG_CHILD_ENDED || lg_monotonic_ns() >= until_ns ||
                   atomic_load(&p->peer.base.stop.is_told)) {
            ret->end = written ? LG_PEER_LOST : LG_PEER_REFUSED;
            p->child.has_ended = p->child.has_ended || rest.len; // half a line
            return lost(p, message, arena, got, ret);
        }
    }
}

static lg_status exchange(lg_peer *peer, const lg_peer_message *message, lg_arena *arena,
                          lg_peer_answer *ret, lg_error *reterr)
{
    stdio_peer *p = (stdio_peer *)peer;
    lg_buf out;
    *ret = (lg_peer_answer){.end = LG_PEER_REFUSED};
    peer->questions = 0;
    if (p->child.has_ended) {
        lg_status status = lost(p, message, arena, LG_CHILD_ENDED, ret);
        return status == LG_OK ? status : lg_fail_oom(reterr);
    }
    lg_buf_init(&out, 0);
    lg_buf_add(&out, message->text);
    lg_buf_add_byte(&out, '\n');
    lg_status status = lg_buf_status(&out);
    status = status == LG_OK ? talk(p, message, &out, arena, ret) : status;
    lg_buf_done(&out);
    if (status == LG_OK && ret->end == LG_PEER_LOST && !p->child.has_ended && message->tool.len) {
        tell_cancelled(p, message);
    }
    return status == LG_OK ? status : lg_fail_oom(reterr);
}

// --- the executor ---

static void free_stdio(lg_executor *executor)
{
    lg_child_end(&((stdio_peer *)executor)->child);
}

lg_status lg_executor_stdio(lg_str command, const lg_executor_options *options, lg_executor **ret,
                            lg_error *reterr)
{
    static const lg_executor_kind kind = {lg_peer_list, lg_peer_run, free_stdio, NULL};
    char *argv[WORDS_MAX + 1] = {0};
    stdio_peer *p = lg_executor_make(&kind, sizeof(*p), options);
    if (!p) {
        return lg_fail_oom(reterr);
    }
    p->child = (lg_child){.in = -1, .out = -1, .err = -1};
    p->peer.exchange = exchange;
    p->peer.is_process = true;
    lg_peer_init(&p->peer);
    lg_status status = read_command(&p->peer.base.arena, command, argv, reterr);
    if (status == LG_OK) {
        status = lg_child_start(argv, options ? options->environment : NULL,
                                p->peer.base.options.reply_bytes, &p->child, reterr);
    }
    if (status == LG_OK && lg_peer_begin(&p->peer, reterr) != LG_OK) {
        status = LG_ERR_ENVIRONMENT;
    }
    if (status != LG_OK) {
        lg_executor_free(&p->peer.base);
        return status;
    }
    *ret = &p->peer.base;
    return LG_OK;
}
