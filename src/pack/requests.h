// requests.h: what a customer's words ask for: the writes that would fulfil it, and for which records.
//
// Patterns over messages are hints, never proof: nothing that judges a call looks at them. docs/pack-format.md
// describes the language; the room `request` follows it.
#ifndef LG_PACK_REQUESTS_H
#define LG_PACK_REQUESTS_H

#include "pack/pack.h"

// Slots of the activation that the expressions are evaluated with.
enum {
    LG_REQUEST_SLOT_LEDGER,
    LG_REQUEST_SLOT_NOW,      // the pack's clock, or when the conversation ended
    LG_REQUEST_SLOT_SENTENCE, // of `message`
    LG_REQUEST_SLOT_MESSAGE,
    LG_REQUEST_SLOT_SAID,   // all that the user has said, message by message
    LG_REQUEST_SLOT_KEY,    // of what is evaluated for one record alone
    LG_REQUEST_SLOT_RECORD, // likewise
    LG_REQUEST_SLOT_COUNT
};

typedef struct lg_request {
    lg_str id;
    const lg_tool *tool;
    const lg_cel_program *const *says; // one of them holds of a sentence that asks
    size_t says_count;
    const lg_cel_program *const *unless; // none of them does
    size_t unless_count;
    const lg_cel_program *about; // a map by key, or a list of keys; or NULL: of no record
    const lg_cel_program
        *means; // do words of the customer mean this record, where none is named; or NULL
    const lg_cel_program *likely; // which records, where none is named; or NULL
    const lg_cel_program *where;  // which of those that are meant; or NULL: all
    const lg_cel_program *when;   // what else the policy demands; or NULL
    const lg_cel_program *given;  // what only the customer can say, and has to; or NULL
    const lg_binding *args;       // by the names of arguments
    size_t arg_count;
    const lg_tool *const *also; // other tools that are taken for an answer
    size_t also_count;
    lg_str because;
    uint32_t offset; // in the pack's text
} lg_request;

#endif
