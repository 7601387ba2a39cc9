// act.h: after the rehearsals, in earnest (Gecko, section 6.1, the experiment on tau2).
//
//     options.retries = 2; // three rehearsals at most
//     lg_sim_snapshot(session, &start, &err);
//     lg_refine(session, &options, &arena, &record, &err);
//     lg_sim_restore(session, start, &err);
//     lg_refine_render(&text, &record, 1, 0);
//     lg_refine_act(session, real, &options, lg_buf_str(&text), &arena, &attempt, &why, &err);
//
// The agent is the planner, which is shown the rehearsals, failures and what was said of them included, and now calls the real
// tools: once, with no way back and no second attempt.
#ifndef LG_REFINE_ACT_H
#define LG_REFINE_ACT_H

#include "refine/refine.h"
#include "tool/tool.h"

// Acts on `real`. Writes that were carried out are made in the session, too, so that it follows; then it is judged. `*ret_why`:
// why it broke off (a budget, the planner), or empty. All in `arena`. Fails with LG_ERR_USAGE, LG_ERR_OOM, LG_ERR_IO (a tape or a
// recording): what was called until then was called.
LG_NODISCARD lg_status lg_refine_act(lg_sim_session *session, lg_executor *real,
                                     const lg_refine_options *options, lg_str rehearsals,
                                     lg_arena *arena, lg_refine_attempt *ret, lg_str *ret_why,
                                     lg_error *reterr);

#endif
