// offer.h: `--pack`: from the rules of prompts to a patch of a pack.
#ifndef LG_CLI_EXTRACT_OFFER_H
#define LG_CLI_EXTRACT_OFFER_H

#include "cli/extract/draft.h"

typedef struct offer_options {
    const char *pack, *patch; // paths; `patch` may be NULL: it goes to standard output
    cli_list tries;           // recordings
    bool all, json;
} offer_options;

typedef struct offer {
    const offer_options *options;
    lg_pack *pack;
    cli_traces tries;
    bool has_tries;
    drafting drafts;
} offer;

// Opens pack and recordings. Returns EXIT_FINE, or the code after saying what is wrong. offer_close() in either case.
int offer_open(offer *o, const offer_options *options);
void offer_close(offer *o);

// Drafts the rules and prints what became of them; the patch goes where it shall. Returns an exit code.
int offer_make(offer *o, const extract_sources *sources, lg_llm *llm, cli_out *out);

// How many drafts the model did not answer for.
size_t offer_failures(const offer *o);

#endif
