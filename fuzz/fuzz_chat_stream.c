// fuzz_chat_stream.c: streams of all three APIs, in one piece and cut.
//
// The first byte chooses the API and the options, the second what is allowed, the third where the stream is cut. Of any
// bytes: both ways end alike, a stream that is released has exactly the calls that were allowed, and the most lenient of
// clients finds no other in it.
#include "chat_laws.h"
#include "chat_lenient.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static void run(chat_run *r, lg_chat_api api, const lg_chat_options *options, lg_str text,
                size_t cut, size_t step, const lg_chat_ruling *ruling)
{
    chat_run_begin(r, api, options, text, cut, step);
    chat_run_finish(r, ruling);
    require(r->status == LG_OK || r->error.msg[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    chat_run whole, pieces, again;
    chat_ruling room;
    if (size < 3) {
        return 0;
    }
    lg_chat_api api = (lg_chat_api)(data[0] % LG_CHAT_API_COUNT);
    lg_chat_options options = {
        .limits = {.json_depth = 64}, .hold_text = data[0] >> 6 & 1, .pass_unknown = data[0] >> 7};
    lg_str text = {(const char *)data + 3, size - 3};
    const lg_chat_ruling *ruling = chat_rule(&room, data[1], CHAT_FIELD, "Not now.");
    run(&whole, api, &options, text, 0, 0, ruling);
    run(&pieces, api, &options, text, data[2], 1u + data[2] % 7, ruling);
    require(chat_same_runs(&whole, &pieces));
    require(options.pass_unknown ||
            !chat_broken_by_lenient(lg_buf_str(&whole.all),
                                    whole.status == LG_OK ? whole.reply : NULL, ruling));
    if (whole.status == LG_OK) {
        chat_run_begin(&again, api, &options, lg_buf_str(&whole.all), 0, 0);
        require(again.status == LG_OK && chat_has_allowed(whole.reply, ruling, again.reply));
        chat_run_done(&again);
    }
    chat_run_done(&whole);
    chat_run_done(&pieces);
    return 0;
}
