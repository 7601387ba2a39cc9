// draft.h: rules of a prompt as entries of a pack: drafted by a model, and offered once they have proved to be sound.
//
// A draft is nothing but data until all of this has been seen: its parts are texts without anything that YAML or a terminal
// obeys, the pack with it loads and is otherwise what it was, it can apply and refuse, its tools can still be called, the
// pack does not say it already, and it refuses nothing that recordings were rewarded for.
#ifndef LG_CLI_EXTRACT_DRAFT_H
#define LG_CLI_EXTRACT_DRAFT_H

#include "cli/extract/extract.h"

#define DRAFT_ROUNDS 3u

// clang-format off
// name, word, what it means
#define DRAFT_FATE_MAP(X)                                                            \
    X(PENDING,  "pending",              "is being drafted")                          \
    X(OFFERED,  "offered",              "stands in the patch")                       \
    X(CANNOT,   "cannot be said",       "the model says that it is no rule of calls") \
    X(UNASKED,  "not drafted",          "the model did not answer")                  \
    X(ILL_TYPED, "does not type-check", "after all rounds")                          \
    X(VACUOUS,  "vacuous",              "no call can violate it, or none meets it")  \
    X(IMPLIED,  "implied",              "the pack says so already")                  \
    X(UNPROVED, "unproved",             "nobody could show that it is not vacuous")  \
    X(REFUSES,  "refuses rewarded calls", "calls of conversations with reward 1")
// clang-format on
typedef enum draft_fate {
#define X(name, word, what) DRAFT_##name,
    DRAFT_FATE_MAP(X)
#undef X
        DRAFT_FATES
} draft_fate;

const char *draft_fate_word(draft_fate fate);

// What an entry says. All of it has been looked at: draft_read_entry().
typedef struct draft_entry {
    lg_str id, when, that, otherwise, say, because; // `when` may be empty
    const lg_str *tools, *needs;
    size_t tool_count, need_count;
} draft_entry;

typedef struct draft {
    const lg_prompt_rule *rule;
    draft_fate fate;
    lg_str why; // of the fate, or a remark; or empty
    draft_entry entry;
    bool has_entry;
    uint32_t rounds;
    bool tried;
    size_t newly_refused, rewarded; // calls; and those of conversations with reward 1
    lg_llm_message messages[2 * DRAFT_ROUNDS];
    size_t message_count;
} draft;

typedef struct drafting {
    lg_arena arena;
    lg_llm *llm;
    const lg_pack *pack;     // as it is
    const char *path;        // of its file
    lg_str before, now;      // its text, and with what is offered
    const cli_traces *tries; // or NULL
    bool all;                // offer what refuses rewarded calls, too
    draft *items;
    size_t count;
} drafting;

// Drafts all of `rules`. False when out of memory, or after saying that the recording of questions failed.
bool draft_all(drafting *d, const lg_prompt_rules *rules);

// --- Asking (prompt.c) --------------------------------------------------------------------------------

extern const char draft_task[];
extern const char draft_schema[];
// What the model is shown, as JSON: the rule, and what the pack has.
void draft_add_material(lg_buf *out, const lg_pack *pack, const lg_prompt_rule *rule);

// --- Entries (entry.c) --------------------------------------------------------------------------------

// False: `why` says what is wrong with it. `because` is not the model's to say.
bool draft_read_entry(lg_arena *arena, const lg_json *value, draft_entry *ret, lg_buf *why);
lg_str draft_because(lg_arena *arena, const lg_pack *pack, lg_str quote);
// The text with the entry at the end of its rules, all else byte for byte. False: `why` says what cannot be done.
bool draft_insert(lg_arena *arena, lg_str text, const draft_entry *entry, lg_str *ret, lg_buf *why);
// Loads the text, which is `before` with one more rule, `id`, and nothing else. NULL: `why` says what is wrong.
lg_pack *draft_load(const drafting *d, lg_str text, lg_str before, lg_str id, lg_buf *why);

// --- Trying (trial.c) -------------------------------------------------------------------------------------

// Sets fate and reason where it is vacuous, implied or unproved.
void draft_prove(draft *item, const lg_pack *with);
// Counts what `with` refuses and `without` allows. False when out of memory.
bool draft_try(draft *item, const cli_traces *traces, const lg_pack *without, const lg_pack *with);

// --- The patch (patch.c) ------------------------------------------------------------------------------

// A unified diff with one hunk, for `patch -p1` and `git apply`; nothing if the texts are equal.
void draft_patch(lg_buf *out, const char *path, lg_str before, lg_str after);

// --- Printing (table.c) -----------------------------------------------------------------------------------

void draft_show(const drafting *d, cli_out *out);
void draft_write(const drafting *d, cli_out *out);
void draft_write_counts(const drafting *d, lg_json_writer *w); // one object

#endif
