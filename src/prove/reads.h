// reads.h: which read puts a record into the ledger?
#ifndef LG_PROVE_READS_H
#define LG_PROVE_READS_H

#include "prove/rehearse.h"

// A read of which the arguments, and perhaps the result, are not known.
typedef struct reading_call {
    problem *p;
    const lg_pack *pack;
    const lg_tool *tool;
    val args;
    val result;
} reading_call;

// When the store puts `value` under these keys (of a place; those of fixed names are not looked at).
term read_stores(const reading_call *c, const lg_tool_store *store, const val *keys, val value);

// When some read gives this record: every record of a ledger is one of that kind, as far as lists
// were unrolled.
term record_is_read(problem *p, const lg_pack *pack, const lg_place *place, const val *keys,
                    val value, val ledger, val now);

// A solver of its own, for one small question, which may take so many of Z3's steps (0: as the options
// say). False when out of memory.
bool problem_open(problem *p, lg_arena *work, const task *t, uint32_t steps);
void problem_close(problem *p, lg_arena *work);

// Does some store of the read make records of this place, whole ones?
bool stores_at(const lg_tool *tool, const lg_place *place);

// What stands under `root` where the record has its place; NULL: nothing.
const lg_json *record_in(const lg_json *root, const record *wanted);
// Makes a read that puts the record into the ledger, with a result that fits what is declared of it.
// False, and `at` as it was, if none is found.
bool rehearse_record(rehearsal *r, stand *at, const record *wanted);
// Makes a write with these arguments, if the gate allows it, with a result that keeps its contract.
bool rehearse_given_write(rehearsal *r, stand *at, const lg_tool *tool, const lg_json *args);

#endif
