// report.h: what was decided, found, owed and observed, as JSON.
//
// A command, a server and an audit write the same bytes, because all of them write with these. What is
// written says nothing of where it happened (file, session, turn of the call): its writer adds that
// beside it.
//
//     lg_json_writer w = {.out = &buf};
//     lg_jw_begin_object(&w);
//     lg_jw_key(&w, "tool"); lg_jw_str(&w, tool);
//     lg_jw_key(&w, "decision"); lg_report_decision(&w, decision);
//     lg_jw_end_object(&w);
//
// Nothing here fails: a buffer that ran out of memory or over its limit says so (lg_buf_status).
// Names that end in `_members` write members of the object that their caller has begun; all others
// write one whole value. docs/reports.md names the members, and what each of them may be.
#ifndef LG_REPORT_REPORT_H
#define LG_REPORT_REPORT_H

#include "ledger/ledger.h"
#include "json/writer.h"

#include <ledgergate/ledgergate.h>

// --- Decisions ----------------------------------------------------------------------------------

// All that a decision says but the steps it took: these depend on how the arguments came (as text or
// as a value), and the same call is to have the same report.
void lg_report_decision(lg_json_writer *w, const lg_decision *decision);

void lg_report_finding(lg_json_writer *w, const lg_finding *finding);
void lg_report_finding_members(lg_json_writer *w, const lg_finding *finding);
void lg_report_evidence(lg_json_writer *w, const lg_evidence *items, size_t count); // an array

// --- The conversation ---------------------------------------------------------------------------

// How severe a rule is: "report" for one that refuses nothing, else its verdict.
const char *lg_report_severity(lg_verdict verdict);

// What is owed. Once the conversation has `ended` there is no time left: it is "late" or "unmet".
void lg_report_obligation_members(lg_json_writer *w, const lg_obligation *owed, bool ended);

// --- Results and the ledger ---------------------------------------------------------------------

// Why a result was not accepted.
void lg_report_rejection_members(lg_json_writer *w, const lg_rejection *rejection);

// The records and the history of a ledger.
void lg_report_ledger_members(lg_json_writer *w, const lg_ledger_state *state);

#endif
