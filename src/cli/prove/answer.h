// answer.h: what files of `ledgergate prove` share about its answers.
//
// The answer is one JSON value, whether it was just found or read from the cache; table, JSON and
// SARIF are printed from it alone, so that they never say different things. It names no file: the
// same text under another name has the same answer.
#ifndef LG_CLI_PROVE_ANSWER_H
#define LG_CLI_PROVE_ANSWER_H

#include "cli/cli.h"
#include "prove/prove.h"

typedef struct prove_answer {
    const lg_json *root;
    bool is_difference;
    bool cached;
    const char *file;     // of the pack, or of the new one
    const char *old_file; // of a difference
} prove_answer;

// --- answer.c -----------------------------------------------------------------------------------

void prove_write_proof(lg_buf *out, const lg_pack *pack, const lg_proof *proof);
void prove_write_difference(lg_buf *out, const lg_pack *before, const lg_pack *after,
                            const lg_difference *d);

// Is `root` an answer that could have been written by these functions? A file that was damaged, or
// is something else, is not believed.
bool prove_is_proof(const lg_json *root);
bool prove_is_difference(const lg_json *root);

// Is nothing open for want of time? Only then will it be the same tomorrow.
bool prove_is_decided(const prove_answer *answer);

// Of a proof: claims that are refuted, and more than remarks.
size_t prove_count_findings(const prove_answer *answer);
size_t prove_count_open(const prove_answer *answer); // claims that are assumed or unknown

// Of a difference: are the relations of all tools, or of this one, equal or in the set (a bit
// `1u << relation` each)? A direction that was not decided counts as LG_RELATION_UNKNOWN as well.
bool prove_is_accepted(const prove_answer *answer, uint32_t accepted);
bool prove_tool_is_accepted(const lg_json *tool, uint32_t accepted);

// --json: the answer, with the names of the files and whether it was cached.
void prove_write_json(lg_buf *out, const prove_answer *answer);

// --- print.c ------------------------------------------------------------------------------------

// The table.
void prove_print(cli_out *out, const prove_answer *answer, bool examples);

// --- example.c ----------------------------------------------------------------------------------

// An example for people: what it is, the call, the records, the verdict, each on lines of its own
// that begin with `indent` blanks. Members that it does not know are printed as they are.
void prove_print_example(lg_buf *out, const lg_json *example, uint32_t indent);

// --- sarif.c ------------------------------------------------------------------------------------

// --sarif: claims that are not proved, all of them with `all`.
void prove_write_sarif(lg_buf *out, const prove_answer *answer, bool all, uint32_t accepted);

#endif
