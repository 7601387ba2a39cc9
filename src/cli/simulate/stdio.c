// stdio.c: `ledgergate simulate --stdio`: MCP over standard input and output, for clients that start their servers themselves.
//
// A line is a message, and so is an answer; nothing else goes to standard output. Its end is the end of the session.
#include "cli/simulate/simulation.h"

#include "cli/lines.h"

static lg_status answer_line(simulation *s, lg_mock *mock, lg_str line, lg_arena *arena,
                             cli_out *out, lg_error *reterr)
{
    lg_str said = LG_STR("");
    lg_arena_reset(arena);
    if (lg_str_trim(line).len == 0) {
        return LG_OK;
    }
    lg_status status = lg_mock_line(mock, line, s->words.user_tools, arena, &said, reterr);
    if (status == LG_OK && said.len) {
        lg_buf_add(&out->buf, said);
        lg_buf_add_c(&out->buf, "\n");
        cli_out_flush(out);
    }
    return status;
}

// A line that is too long is said, and passed over: its id is not known.
static lg_status answer_lines(simulation *s, lg_mock *mock, cli_out *out, lg_error *reterr)
{
    cli_lines lines;
    lg_arena arena;
    bool more = true;
    lg_arena_init(&arena, 0);
    lg_status status = cli_lines_open(&lines, "-", reterr);
    while (status == LG_OK && more && !out->failed) {
        lg_str line = LG_STR("");
        status = cli_lines_next(&lines, &line, &more, reterr);
        if (status == LG_ERR_LIMIT) {
            cli_say("ledgergate simulate: %s", reterr->msg);
            status = LG_OK;
        } else if (status == LG_OK && more) {
            status = answer_line(s, mock, line, &arena, out, reterr);
        }
    }
    cli_lines_close(&lines);
    lg_arena_done(&arena);
    return status;
}

int simulate_stdio(simulation *s)
{
    lg_mock *mock = NULL;
    lg_error error = {0};
    cli_out out;
    cli_out_init(&out, true);
    lg_status status = lg_mock_new(&s->options, &mock, &error);
    if (status == LG_OK) {
        status = answer_lines(s, mock, &out, &error);
    }
    if (status != LG_OK) {
        cli_say("ledgergate simulate: %s", error.msg);
    }
    lg_mock_free(mock);
    return cli_out_done(&out, status == LG_OK ? EXIT_FINE : cli_exit_code(status));
}
