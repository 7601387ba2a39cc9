// prove.c: `ledgergate prove`: what does a pack promise, and is it so?
#include "prove/prove.h"
#include "cli/prove_explain.h"

#include <stdlib.h>
#include <time.h>

static const char help[] =
    "usage: ledgergate prove PACK [OPTIONS]\n"
    "       ledgergate prove --diff OLD NEW [OPTIONS]\n"
    "       ledgergate prove --explain PACK [--tool NAME] [--state FILE --calls FILE]\n"
    "\n"
    "Proves that each tool can be called at all, that no rule is vacuous, and that no two rules\n"
    "exclude each other; or how the verdicts of two packs differ. Every example is executed by "
    "the\n"
    "gate before it is shown.\n"
    "\n"
    "  --diff         compare two packs: stricter, looser, equal or incomparable, tool by tool\n"
    "  --explain      show tools as Hoare triples; with a state and calls, the derivation of each\n"
    "  --tool NAME    of this tool only\n"
    "  --effects      also: whether allowed calls keep the invariants of the state\n"
    "  --timeout MS   of one question to the prover (1000)\n"
    "  --width N      elements of a list or map that are looked at one by one, 1 to 4 (2)\n"
    "  --examples     show an example for what is proved by one, too\n"
    "  --json         one JSON object\n"
    "\n"
    "Exit codes: 0 fine, 1 findings (with --diff: the packs differ), 2 bad input, 3 internal or\n"
    "environment.\n";

typedef struct prove_request {
    lg_prove_options options;
    bool json;
    bool examples;
} prove_request;

static uint64_t clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static bool read_number(const char *text, uint32_t least, uint32_t most, uint32_t *ret)
{
    if (!text) {
        return true;
    }
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < least || value > most) {
        return false;
    }
    *ret = (uint32_t)value;
    return true;
}

// --- One pack -----------------------------------------------------------------------------------

static void add_subject(lg_buf *out, const lg_claim *o)
{
    lg_buf_add(out, o->tool.len ? o->tool : o->rule);
    if (o->tool.len && o->rule.len) {
        lg_buf_addf(out, "/%.*s", LG_FMT(o->rule));
    }
    if (o->other.len) {
        lg_buf_addf(out, " + %.*s", LG_FMT(o->other));
    }
}

static void print_example(cli_out *out, const lg_json *example)
{
    if (example) {
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_json_print(&text, example);
        lg_buf_add_c(&out->buf, "      ");
        cli_add_text(out, lg_buf_str(&text));
        lg_buf_add_c(&out->buf, "\n");
        lg_buf_done(&text);
    }
}

static void print_claim(cli_out *out, const lg_pack *pack, const lg_claim *o, bool examples)
{
    lg_buf subject;
    lg_buf_init(&subject, 0);
    add_subject(&subject, o);
    cli_pad(out, lg_buf_str(&subject), 68);
    lg_buf_add_c(&out->buf, " ");
    cli_pad(out, lg_str_c(lg_claim_word(o->kind)), 12);
    cli_colour(out, o->finding ? "31" : o->outcome == LG_PROVED ? "32" : "33");
    cli_pad(out, lg_str_c(lg_proof_outcome_name(o->outcome)), 9);
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, "%6.1f ms\n", o->micros / 1000.0);
    lg_buf_done(&subject);
    if (o->why.len) {
        lg_position at = lg_pack_position(pack, o->offset);
        lg_buf_addf(&out->buf, "      %s:%u:%u: ", at.file, at.line, at.column);
        cli_add_text(out, o->why);
        lg_buf_add_c(&out->buf, "\n");
    }
    if (examples || o->outcome != LG_PROVED) {
        print_example(out, o->example);
    }
}

static void print_proof(cli_out *out, const lg_pack *pack, const lg_proof *proof, bool examples)
{
    for (size_t i = 0; i < proof->count; i++) {
        print_claim(out, pack, &proof->items[i], examples);
    }
    lg_buf_addf(&out->buf,
                "%.*s: %zu proved, %zu refuted (%zu findings), %zu assumed, %zu unknown; "
                "%.1f s\n",
                LG_FMT(pack->name), proof->outcomes[LG_PROVED], proof->outcomes[LG_REFUTED],
                proof->findings, proof->outcomes[LG_ASSUMED], proof->outcomes[LG_UNDECIDED],
                (double)proof->micros / 1e6);
}

static void write_claim(lg_json_writer *w, const lg_pack *pack, const lg_claim *o)
{
    lg_position at = lg_pack_position(pack, o->offset);
    lg_jw_begin_object(w);
    lg_jw_key(w, "obligation");
    lg_jw_c(w, lg_claim_word(o->kind));
    lg_jw_key(w, "claim");
    lg_jw_c(w, lg_claim_text(o->kind));
    lg_jw_key(w, "tool");
    lg_jw_str(w, o->tool);
    lg_jw_key(w, "rule");
    lg_jw_str(w, o->rule);
    lg_jw_key(w, "other");
    lg_jw_str(w, o->other);
    lg_jw_key(w, "outcome");
    lg_jw_c(w, lg_proof_outcome_name(o->outcome));
    lg_jw_key(w, "finding");
    lg_jw_bool(w, o->finding);
    lg_jw_key(w, "line");
    lg_jw_uint(w, at.line);
    lg_jw_key(w, "column");
    lg_jw_uint(w, at.column);
    lg_jw_key(w, "ms");
    lg_jw_double(w, o->micros / 1000.0);
    lg_jw_key(w, "why");
    lg_jw_str(w, o->why);
    lg_jw_key(w, "example");
    lg_jw_json(w, o->example);
    lg_jw_end_object(w);
}

static void write_proof(cli_out *out, const lg_pack *pack, const lg_proof *proof)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "pack");
    lg_jw_str(&w, pack->name);
    lg_jw_key(&w, "obligations");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < proof->count; i++) {
        write_claim(&w, pack, &proof->items[i]);
    }
    lg_jw_end_array(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    for (int i = LG_PROVED; i <= LG_UNDECIDED; i++) {
        lg_jw_key(&w, lg_proof_outcome_name((lg_proof_outcome)i));
        lg_jw_uint(&w, proof->outcomes[i]);
    }
    lg_jw_key(&w, "findings");
    lg_jw_uint(&w, proof->findings);
    lg_jw_key(&w, "seconds");
    lg_jw_double(&w, (double)proof->micros / 1e6);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

static int prove_one(const char *path, const prove_request *r)
{
    int code;
    lg_pack *pack = cli_load_pack(path, &code);
    if (!pack) {
        return code;
    }
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_proof proof;
    lg_error err;
    cli_out out;
    cli_out_init(&out, r->json);
    lg_status status = lg_prove(pack, &r->options, &arena, &proof, &err);
    if (status != LG_OK) {
        cli_say_error(&err, LG_STR(""));
        code = cli_exit_code(status);
    } else {
        if (r->json) {
            write_proof(&out, pack, &proof);
        } else {
            print_proof(&out, pack, &proof, r->examples);
        }
        code = proof.findings ? EXIT_FINDINGS : EXIT_FINE;
    }
    code = cli_out_done(&out, code);
    lg_arena_done(&arena);
    lg_pack_free(pack);
    return code;
}

// --- Two packs ----------------------------------------------------------------------------------

static void print_difference(cli_out *out, const lg_difference *d)
{
    for (size_t i = 0; i < d->count; i++) {
        const lg_tool_difference *tool = &d->tools[i];
        cli_pad(out, tool->tool, 34);
        cli_pad(out, lg_str_c(lg_relation_name(tool->relation)), 13);
        lg_buf_addf(&out->buf, "%-8s %6.1f ms  ", tool->proved ? "proved" : "assumed",
                    tool->micros / 1000.0);
        cli_add_text(out, tool->why);
        lg_buf_add_c(&out->buf, "\n");
        print_example(out, tool->stricter);
        print_example(out, tool->looser);
    }
    lg_buf_addf(&out->buf, "the new pack is %s%s; %.1f s\n",
                d->relation == LG_RELATION_EQUAL ? "equal to the old one"
                                                 : lg_relation_name(d->relation),
                d->proved ? ", proved" : ", as far as it was looked", (double)d->micros / 1e6);
}

static void write_difference(cli_out *out, const lg_difference *d)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "relation");
    lg_jw_c(&w, lg_relation_name(d->relation));
    lg_jw_key(&w, "proved");
    lg_jw_bool(&w, d->proved);
    lg_jw_key(&w, "seconds");
    lg_jw_double(&w, (double)d->micros / 1e6);
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < d->count; i++) {
        const lg_tool_difference *tool = &d->tools[i];
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "tool");
        lg_jw_str(&w, tool->tool);
        lg_jw_key(&w, "relation");
        lg_jw_c(&w, lg_relation_name(tool->relation));
        lg_jw_key(&w, "proved");
        lg_jw_bool(&w, tool->proved);
        lg_jw_key(&w, "why");
        lg_jw_str(&w, tool->why);
        lg_jw_key(&w, "stricter");
        lg_jw_json(&w, tool->stricter);
        lg_jw_key(&w, "looser");
        lg_jw_json(&w, tool->looser);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

static int prove_difference(const char *before, const char *after, const prove_request *r)
{
    int code;
    lg_pack *old = cli_load_pack(before, &code);
    lg_pack *new = old ? cli_load_pack(after, &code) : NULL;
    if (!new) {
        lg_pack_free(old);
        return code;
    }
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_difference d;
    lg_error err;
    cli_out out;
    cli_out_init(&out, r->json);
    lg_status status = lg_prove_difference(old, new, &r->options, &arena, &d, &err);
    if (status != LG_OK) {
        cli_say_error(&err, LG_STR(""));
        code = cli_exit_code(status);
    } else {
        if (r->json) {
            write_difference(&out, &d);
        } else {
            print_difference(&out, &d);
        }
        code = d.relation == LG_RELATION_EQUAL ? EXIT_FINE : EXIT_FINDINGS;
    }
    code = cli_out_done(&out, code);
    lg_arena_done(&arena);
    lg_pack_free(new);
    lg_pack_free(old);
    return code;
}

static int prove_explain(const char *path, lg_str tool, const char *state, const char *calls)
{
    int code;
    lg_pack *pack = cli_load_pack(path, &code);
    if (!pack) {
        return code;
    }
    explain_request request = {.pack = pack, .only = tool, .state = state, .calls = calls};
    code = explain(&request);
    lg_pack_free(pack);
    return code;
}

int cli_prove(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    prove_request r = {.options = {.now_us = clock_us}};
    const char *timeout = NULL;
    const char *width = NULL;
    const char *tool = NULL;
    const char *state = NULL;
    const char *calls = NULL;
    bool diff = false;
    bool derive = false;
    const cli_option options[] = {
        {"--json", NULL, &r.json},         {"--diff", NULL, &diff},
        {"--examples", NULL, &r.examples}, {"--timeout", &timeout, NULL},
        {"--width", &width, NULL},         {"--tool", &tool, NULL},
        {"--explain", NULL, &derive},      {"--state", &state, NULL},
        {"--calls", &calls, NULL},         {"--effects", NULL, &r.options.effects}};
    size_t operands;
    int code = cli_parse("prove", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (!read_number(timeout, 1, 600000, &r.options.timeout_ms)) {
        return cli_usage("prove", "--timeout is a number of milliseconds from 1 to 600000");
    }
    if (!read_number(width, 1, 4, &r.options.width)) {
        return cli_usage("prove", "--width is a number from 1 to 4");
    }
    if (operands != (diff ? 2u : 1u)) {
        return cli_usage("prove", diff ? "give the old pack and the new one" : "give one pack");
    }
    if (diff && derive) {
        return cli_usage("prove", "--diff and --explain exclude each other");
    }
    if (derive) {
        return prove_explain(argv[0], lg_str_c(tool), state, calls);
    }
    r.options.only = lg_str_c(tool);
    return diff ? prove_difference(argv[0], argv[1], &r) : prove_one(argv[0], &r);
}
