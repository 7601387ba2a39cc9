// prove.c: `ledgergate prove`: what does a pack promise, and is it so?
//
// The answer is found, or read from the cache; then it is printed, and gives the exit code.
#include "cli/prove/answer.h"
#include "cli/prove/cache.h"
#include "cli/prove/explain.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    "  --accept R,R   with --diff: relations of a tool that are fine, beside equal: stricter,\n"
    "                 looser, incomparable, each where it is proved; unknown: what is not proved,\n"
    "                 and parts of the packs that differ and are not compared\n"
    "  --require proved   exit code 1 if anything is assumed or unknown\n"
    "  --explain      show tools as Hoare triples; with a state and calls, the derivation of each\n"
    "  --tool NAME    of this tool only\n"
    "  --only K,K     these claims only, by their words: allowed, needed, ...\n"
    "  --timeout MS   of one question to the prover (1000)\n"
    "  --max-seconds N   of work in the whole run; what is not reached is unknown (120)\n"
    "  --max-memory MB   of formulas and prover (2048)\n"
    "  --width N      elements of a list or map that are looked at one by one, 1 to 4 (2)\n"
    "  --depth N      calls in the sequences that are tried against invariants, 1 to 8 (3)\n"
    "  --examples     show what is proved one by one, and the example that proves it\n"
    "  --json         one JSON object; with --explain one a line: tools, then calls\n"
    "  --sarif        one SARIF 2.1.0 log\n"
    "  --cache DIR    keep answers here ($XDG_CACHE_HOME/ledgergate/prove, or below ~/.cache)\n"
    "  --no-cache     neither read nor keep answers\n"
    "\n"
    "Proofs need Z3 (Debian: libz3-4). LEDGERGATE_Z3 names its library where it is not in the "
    "usual\n"
    "places.\n"
    "\n"
    "Exit codes: 0 fine, 1 findings (with --diff: a relation that is not accepted), 2 bad input,\n"
    "3 internal or environment.\n";

typedef struct prove_request {
    lg_prove_options options;
    bool json;
    bool sarif;
    bool examples;
    bool diff;
    bool no_cache;
    const char *cache; // the folder, or NULL
    bool proved_only;  // anything else is a finding
    uint32_t accepted; // relations, a bit `1u << relation` each
} prove_request;

// What the answer is of. `old` only for a difference.
typedef struct prove_subject {
    lg_pack *old;
    lg_pack *pack;
} prove_subject;

static uint64_t microseconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static uint64_t clock_us(void)
{
    return microseconds_of(CLOCK_MONOTONIC);
}

static uint64_t work_us(void)
{
    return microseconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static void show_progress(void *context, lg_str tool, size_t done, size_t count)
{
    (void)context;
    char what[64];
    lg_str name = lg_str_cut(tool, 40);
    snprintf(what, sizeof(what), "proving %.*s,", LG_FMT(name));
    cli_progress(what, done + 1, done < count ? count : 0);
}

// --- The answer ---------------------------------------------------------------------------------

static void add_pack_key(lg_buf *out, const lg_pack *pack)
{
    char text[65];
    lg_sha256_hex(pack->text, text); // positions are in the answer
    lg_buf_addf(out, "pack %s text %s\n", pack->hash, text);
}

// Everything that the answer depends on.
static bool key_of(const prove_subject *subject, const prove_request *r, char ret[65])
{
    const lg_prove_options *o = &r->options;
    lg_buf key;
    lg_buf_init(&key, 0);
    lg_buf_addf(&key, "%s %d solver %s program ", r->diff ? "difference" : "proof",
                LG_PROVE_VERSION, lg_prove_solver());
    cli_add_program(&key);
    lg_buf_addf(&key, "\ntimeout %u steps %u width %u depth %u kinds %u only %.*s\n", o->timeout_ms,
                o->steps, o->width, o->depth, o->kinds, LG_FMT(o->only));
    lg_buf_addf(&key, "seconds %u megabytes %u\n", o->seconds, o->megabytes);
    if (subject->old) {
        add_pack_key(&key, subject->old);
    }
    add_pack_key(&key, subject->pack);
    lg_sha256_hex(lg_buf_str(&key), ret);
    bool ok = lg_buf_status(&key) == LG_OK;
    lg_buf_done(&key);
    return ok;
}

// Says what to install if there is no Z3. What is kept was found by one version of it, so without it
// nothing can be looked up either.
static bool load_solver(int *ret_code)
{
    lg_error err;
    const char *path = getenv("LEDGERGATE_Z3");
    lg_status status = lg_prove_load_solver(path && *path ? path : NULL, &err);
    if (status != LG_OK) {
        cli_say_error(&err, LG_STR(""));
        *ret_code = cli_exit_code(status);
    }
    return status == LG_OK;
}

// Asks the prover. False after saying what is wrong.
static bool find_answer(const prove_subject *subject, const prove_request *r, lg_buf *out,
                        int *ret_code)
{
    lg_arena arena;
    lg_error err;
    lg_proof proof;
    lg_difference difference;
    lg_arena_init(&arena, 0);
    lg_status status = subject->old ? lg_prove_difference(subject->old, subject->pack, &r->options,
                                                          &arena, &difference, &err)
                                    : lg_prove(subject->pack, &r->options, &arena, &proof, &err);
    if (status == LG_OK && subject->old) {
        prove_write_difference(out, subject->old, subject->pack, &difference);
    } else if (status == LG_OK) {
        prove_write_proof(out, subject->pack, &proof);
    }
    if (status == LG_OK) {
        status = lg_buf_status(out);
        lg_fail(&err, status, "%s", lg_status_text(status));
    }
    lg_arena_done(&arena);
    if (status != LG_OK) {
        cli_say_error(&err, LG_STR(""));
        *ret_code = cli_exit_code(status);
    }
    return status == LG_OK;
}

static bool read_answer(lg_arena *arena, lg_str text, prove_answer *answer)
{
    lg_error ignored;
    return lg_json_parse_in(arena, text, 0, text.len, NULL, &answer->root, &ignored) == LG_OK &&
           (answer->is_difference ? prove_is_difference(answer->root)
                                  : prove_is_proof(answer->root));
}

// From the cache, if there is an answer that can be believed, else from the prover. `text` holds
// what the answer points into. False after saying what is wrong.
static bool get_answer(const prove_subject *subject, const prove_request *r, lg_arena *arena,
                       lg_buf *text, prove_answer *answer, int *ret_code)
{
    cli_cache cache = {.folder = ""};
    char key[65];
    if (!load_solver(ret_code)) {
        return false;
    }
    if (!r->no_cache && key_of(subject, r, key)) {
        cli_cache_open(&cache, r->cache, "prove");
    }
    answer->cached = cache.folder[0] && cli_cache_get(&cache, key, text) &&
                     read_answer(arena, lg_buf_str(text), answer) && prove_is_decided(answer);
    if (answer->cached) {
        return true;
    }
    lg_buf_clear(text);
    if (!find_answer(subject, r, text, ret_code)) {
        return false;
    }
    if (!read_answer(arena, lg_buf_str(text), answer)) {
        cli_say("ledgergate: the prover's answer is not well formed");
        *ret_code = EXIT_INTERNAL;
        return false;
    }
    if (cache.folder[0] && prove_is_decided(answer)) {
        cli_cache_put(&cache, key, lg_buf_str(text));
    }
    return true;
}

static int exit_code_of(const prove_answer *answer, const prove_request *r)
{
    bool fine = answer->is_difference ? prove_is_accepted(answer, r->accepted)
                                      : prove_count_findings(answer) == 0 &&
                                            !(r->proved_only && prove_count_open(answer) > 0);
    return fine ? EXIT_FINE : EXIT_FINDINGS;
}

static int print_answer(const prove_answer *answer, const prove_request *r)
{
    cli_out out;
    cli_out_init(&out, r->json || r->sarif);
    if (r->json) {
        prove_write_json(&out.buf, answer);
    } else if (r->sarif) {
        prove_write_sarif(&out.buf, answer, r->examples, r->accepted);
    } else {
        prove_print(&out, answer, r->examples);
    }
    return cli_out_done(&out, exit_code_of(answer, r));
}

// --- The request --------------------------------------------------------------------------------

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

// A word of a fixed list, by its index.
typedef const char *word_at(uint32_t index);

static const char *claim_at(uint32_t index)
{
    return lg_claim_word((lg_claim_kind)index);
}

static const char *relation_at(uint32_t index)
{
    return lg_relation_name((lg_relation)index);
}

static int unknown_word(const char *option, lg_str word, word_at *at, uint32_t count)
{
    lg_buf all;
    lg_buf_init(&all, 0);
    const char *best = NULL;
    uint32_t best_distance = 4;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t distance = lg_str_distance(word, lg_str_c(at(i)));
        lg_buf_addf(&all, "%s%s", i ? ", " : "", at(i));
        if (distance < best_distance) {
            best = at(i);
            best_distance = distance;
        }
    }
    int code = cli_usage("prove", "%s knows no `%.*s`%s%s%s; there are %.*s", option, LG_FMT(word),
                         best ? "; did you mean `" : "", best ? best : "", best ? "`?" : "",
                         LG_FMT(lg_buf_str(&all)));
    lg_buf_done(&all);
    return code;
}

// Words with commas between them, as a set. EXIT_FINE, or EXIT_USAGE after saying what is wrong.
static int read_words(const char *option, const char *text, word_at *at, uint32_t count,
                      uint32_t *ret)
{
    lg_str rest = lg_str_c(text);
    while (text) {
        size_t comma = lg_str_find(rest, LG_STR(","));
        lg_str word = lg_str_trim(lg_str_slice(rest, 0, comma));
        uint32_t i = 0;
        while (i < count && !lg_str_eq(word, lg_str_c(at(i)))) {
            i++;
        }
        if (i == count) {
            return unknown_word(option, word, at, count);
        }
        *ret |= 1u << i;
        if (comma == SIZE_MAX) {
            break;
        }
        rest = lg_str_slice(rest, comma + 1, rest.len);
    }
    return EXIT_FINE;
}

#define NEAR_MAX 5u

static bool is_near(lg_str wanted, lg_str name)
{
    uint32_t distance = lg_str_distance(wanted, name);
    bool inside = wanted.len > 2 && lg_str_find(name, wanted) != SIZE_MAX;
    return inside || distance <= 1 + wanted.len / 4;
}

// Appends the tools whose names are like `wanted`; returns how many.
static size_t add_near(lg_buf *out, const lg_pack *pack, lg_str wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < pack->tool_count && count < NEAR_MAX; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (is_near(wanted, tool->name)) {
            lg_buf_addf(out, "%s`%.*s`", count ? ", " : "", LG_FMT(tool->name));
            count++;
        }
    }
    return count;
}

// Is there such a tool in a pack, or is none asked for? EXIT_USAGE after saying what there is.
static int check_tool(const prove_subject *subject, lg_str name)
{
    if (name.len == 0 || (subject->old && lg_pack_tool(subject->old, name)) ||
        lg_pack_tool(subject->pack, name)) {
        return EXIT_FINE;
    }
    lg_buf near;
    lg_buf_init(&near, 0);
    size_t count = add_near(&near, subject->pack, name);
    int code =
        cli_usage("prove", "%s has no tool `%.*s`; %s%.*s%s", subject->pack->file, LG_FMT(name),
                  count ? "did you mean " : "`ledgergate show PACK` lists its tools",
                  LG_FMT(lg_buf_str(&near)), count ? "?" : "");
    lg_buf_done(&near);
    return code;
}

// No claims, no findings: that may not be what was meant.
static void tell_if_empty(const prove_answer *answer, lg_str only)
{
    const char *claims = answer->is_difference ? "tools" : "obligations";
    if (only.len && lg_json_len(lg_json_get(answer->root, lg_str_c(claims))) == 0) {
        cli_say("ledgergate: nothing is claimed of `%.*s`", LG_FMT(only));
    }
}

static int prove(const prove_subject *subject, const prove_request *r)
{
    int code = check_tool(subject, r->options.only);
    if (code != EXIT_FINE) {
        return code;
    }
    lg_arena arena;
    lg_buf text;
    lg_arena_init(&arena, 0);
    lg_buf_init(&text, 0);
    prove_answer answer = {.is_difference = subject->old != NULL,
                           .file = subject->pack->file,
                           .old_file = subject->old ? subject->old->file : NULL};
    if (get_answer(subject, r, &arena, &text, &answer, &code)) {
        tell_if_empty(&answer, r->options.only);
        code = print_answer(&answer, r);
    }
    lg_buf_done(&text);
    lg_arena_done(&arena);
    return code;
}

static int prove_paths(char **paths, const prove_request *r)
{
    int code;
    prove_subject subject = {0};
    subject.old = r->diff ? cli_load_pack(paths[0], &code) : NULL;
    subject.pack = r->diff && !subject.old ? NULL : cli_load_pack(paths[r->diff ? 1 : 0], &code);
    if (subject.pack) {
        code = prove(&subject, r);
    }
    lg_pack_free(subject.pack);
    lg_pack_free(subject.old);
    return code;
}

static const char *outcome_of(const lg_json *claim)
{
    lg_str word = lg_json_str(lg_json_get(claim, LG_STR("outcome")));
    int outcome = LG_PROVED;
    while (outcome < LG_UNDECIDED &&
           !lg_str_eq(word, lg_str_c(lg_proof_outcome_name((lg_proof_outcome)outcome)))) {
        outcome++;
    }
    return lg_proof_outcome_name((lg_proof_outcome)outcome);
}

static explain_obligation obligation_of(const lg_json *claim)
{
    bool proved = lg_str_eq(lg_json_str(lg_json_get(claim, LG_STR("outcome"))), LG_STR("proved"));
    lg_str kind = lg_json_str(lg_json_get(claim, LG_STR("obligation")));
    return (explain_obligation){
        .tool = lg_json_str(lg_json_get(claim, LG_STR("tool"))),
        .condition = lg_json_str(lg_json_get(claim, LG_STR("rule"))),
        .is_invariant = lg_str_eq(kind, lg_str_c(lg_claim_word(LG_OBLIGE_PRESERVES))),
        .outcome = outcome_of(claim),
        .why = proved ? LG_STR("") : lg_json_str(lg_json_get(claim, LG_STR("why")))};
}

// What is proved of the effects of tools, for the lines of equation 15; it points into `arena` and
// `text`. False after saying why not.
static bool find_proved(const prove_subject *subject, const prove_request *r, lg_arena *arena,
                        lg_buf *text, explain_request *e, int *ret_code)
{
    prove_answer answer = {.file = subject->pack->file};
    if (!get_answer(subject, r, arena, text, &answer, ret_code)) {
        return false;
    }
    const lg_json *claims = lg_json_get(answer.root, LG_STR("obligations"));
    size_t count = lg_json_len(claims);
    explain_obligation *items = LG_NEW_ARRAY(arena, explain_obligation, count + 1);
    if (!items) {
        cli_say("ledgergate: out of memory");
        *ret_code = EXIT_INTERNAL;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = obligation_of(&claims->as.items[i]);
    }
    e->obligations = items;
    e->obligation_count = count;
    return true;
}

static int explain_pack(const prove_subject *subject, const prove_request *r,
                        const explain_request *request)
{
    int code = EXIT_INTERNAL;
    lg_arena arena;
    lg_buf text;
    lg_arena_init(&arena, 0);
    lg_buf_init(&text, 0);
    explain_request whole = *request;
    whole.pack = subject->pack;
    if (find_proved(subject, r, &arena, &text, &whole, &code)) {
        code = explain(&whole);
    }
    lg_buf_done(&text);
    lg_arena_done(&arena);
    return code;
}

static int prove_explain(const char *path, const prove_request *r, const explain_request *request)
{
    int code;
    prove_subject subject = {.pack = cli_load_pack(path, &code)};
    if (!subject.pack) {
        return code;
    }
    lg_str name = request->only;
    const lg_tool *tool = lg_pack_tool(subject.pack, name);
    if (tool && tool->kind == LG_TOOL_GENERIC) {
        cli_say("ledgergate: `%.*s` is neither a read nor a write: it has no triple", LG_FMT(name));
    }
    prove_request asked = *r;
    asked.options.only = name;
    asked.options.kinds = 1u << LG_OBLIGE_PRESERVES | 1u << LG_OBLIGE_ENSURES;
    code = name.len && !tool ? check_tool(&subject, name) : explain_pack(&subject, &asked, request);
    lg_pack_free(subject.pack);
    return code;
}

// What the options mean together. EXIT_FINE, or EXIT_USAGE after saying what is wrong.
static int check_request(const prove_request *r, const explain_request *e, bool derive,
                         size_t operands)
{
    if (operands != (r->diff ? 2u : 1u)) {
        return cli_usage("prove", r->diff ? "give the old pack and the new one" : "give one pack");
    }
    if (r->diff && derive) {
        return cli_usage("prove", "--diff and --explain exclude each other");
    }
    if (r->json && r->sarif) {
        return cli_usage("prove", "--json and --sarif exclude each other");
    }
    if (r->cache && r->no_cache) {
        return cli_usage("prove", "--cache and --no-cache exclude each other");
    }
    if (!derive && (e->state || e->calls)) {
        return cli_usage("prove", "--state and --calls are for a derivation: they need --explain");
    }
    if (!e->state != !e->calls) {
        return cli_usage("prove", "a derivation needs both --state and --calls");
    }
    if (derive && (r->sarif || r->options.kinds)) {
        return cli_usage("prove", "--explain shows tools, not claims: not with --sarif or --only");
    }
    if (r->accepted && !r->diff) {
        return cli_usage("prove", "--accept is about the relation of two packs: it needs --diff");
    }
    if (r->proved_only && (r->diff || derive)) {
        return cli_usage("prove", "--require is about the claims of one pack: not with %s",
                         r->diff ? "--diff" : "--explain");
    }
    if (r->diff && r->options.kinds) {
        return cli_usage("prove", "--only is about claims of one pack: not with --diff");
    }
    return EXIT_FINE;
}

int cli_prove(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    prove_request r = {
        .options = {.now_us = clock_us, .work_us = work_us, .progress = show_progress}};
    const char *timeout = NULL;
    const char *width = NULL;
    const char *depth = NULL;
    const char *seconds = NULL;
    const char *memory = NULL;
    const char *require = NULL;
    const char *tool = NULL;
    const char *only = NULL;
    const char *accept = NULL;
    explain_request e = {.pack = NULL};
    bool derive = false;
    const cli_option options[] = {
        {"--json", NULL, &r.json},         {"--sarif", NULL, &r.sarif},
        {"--diff", NULL, &r.diff},         {"--accept", &accept, NULL},
        {"--examples", NULL, &r.examples}, {"--timeout", &timeout, NULL},
        {"--width", &width, NULL},         {"--depth", &depth, NULL},
        {"--tool", &tool, NULL},           {"--only", &only, NULL},
        {"--explain", NULL, &derive},      {"--state", &e.state, NULL},
        {"--calls", &e.calls, NULL},       {"--cache", &r.cache, NULL},
        {"--no-cache", NULL, &r.no_cache}, {"--require", &require, NULL},
        {"--max-seconds", &seconds, NULL}, {"--max-memory", &memory, NULL}};
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
    if (!read_number(depth, 1, 8, &r.options.depth)) {
        return cli_usage("prove", "--depth is a number from 1 to 8");
    }
    if (!read_number(seconds, 1, 86400, &r.options.seconds)) {
        return cli_usage("prove", "--max-seconds is a number from 1 to 86400");
    }
    if (!read_number(memory, 64, 1048576, &r.options.megabytes)) {
        return cli_usage("prove", "--max-memory is a number of megabytes from 64 to 1048576");
    }
    if (require && strcmp(require, "proved") != 0) {
        return cli_usage("prove", "--require knows no `%s`; there is proved", require);
    }
    r.proved_only = require != NULL;
    code = read_words("--only", only, claim_at, LG_OBLIGATION_KINDS, &r.options.kinds);
    if (code == EXIT_FINE) {
        code = read_words("--accept", accept, relation_at, LG_RELATION_UNKNOWN + 1, &r.accepted);
    }
    if (code == EXIT_FINE) {
        code = check_request(&r, &e, derive, operands);
    }
    if (code != EXIT_FINE) {
        return code;
    }
    if (derive) {
        e.only = lg_str_c(tool);
        e.json = r.json;
        return prove_explain(argv[0], &r, &e);
    }
    r.options.only = lg_str_c(tool);
    return prove_paths(argv, &r);
}
