// pattern.c: the one place that knows PCRE2. Patterns that need no backtracking go to linear.c.
//
// A pattern is compiled into the schema's arena and matched with room on the caller's stack, so
// that a compiled schema can be shared by threads and matching asks the system for nothing. The
// room holds a hundred or so backtracking points; an expression that needs more gets memory up to
// a fixed ceiling for the time of the validation.
//
// PCRE2 counts its match limit anew for each place where a match may start, and a single count may
// read the whole text, so that this limit alone bounds little. Patterns are therefore compiled with
// a callout before each of their items, where steps and characters are counted exactly; measured,
// this makes a usual match 10 to 60 % slower, some 50 ns.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "schema/schema_internal.h"

#include "base/alloc.h"

#define STEPS_A_CALLOUT 8u // with what PCRE2 does between two of them, some 0.2 us

struct lg_pattern {
    lg_str text;                  // as in the schema
    const linear_pattern *linear; // or
    pcre2_code *code;
    ecma_facts facts;
};

// --- Compilation ----------------------------------------------------------------------------------

// Where PCRE2 allocates now: in a scratch while it compiles, since it may need a hundred times what
// it leaves; then in the schema's arena, for the copy that is kept.
typedef struct pattern_memory {
    lg_arena *arena;
} pattern_memory;

enum { SCRATCH_MAX = 64 << 20 };

static void *allocate_in_arena(size_t size_bytes, void *data)
{
    const pattern_memory *memory = data;
    return lg_arena_alloc(memory->arena, size_bytes, 16);
}

static void free_in_arena(void *block, void *data)
{
    (void)block; // dies with the arena
    (void)data;
}

// Complains with PCRE2's own words about a translated pattern that it does not take.
static void complain_code(compiler *c, const place *where, const char *keyword, int code)
{
    if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED) {
        lg_schema_no_memory(c);
        return;
    }
    char words[160] = "";
    (void)pcre2_get_error_message(code, (PCRE2_UCHAR *)words, sizeof(words));
    lg_schema_complain(c, where, keyword, "is not a pattern that can be honoured: %s", words);
}

static pcre2_code *compile_translated(compiler *c, const place *where, const char *keyword,
                                      lg_str translated)
{
    pattern_memory *memory = LG_NEW(c->arena, pattern_memory); // the code keeps its address
    if (!memory) {
        lg_schema_no_memory(c);
        return NULL;
    }
    lg_arena scratch;
    lg_arena_init(&scratch, SCRATCH_MAX);
    memory->arena = &scratch;
    pcre2_general_context *general =
        pcre2_general_context_create(allocate_in_arena, free_in_arena, memory);
    pcre2_compile_context *context = general ? pcre2_compile_context_create(general) : NULL;
    int code = PCRE2_ERROR_NOMEMORY;
    PCRE2_SIZE offset = 0;
    uint32_t flags = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF |
                     PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
    pcre2_code *compiled = NULL;
    if (context) {
        compiled = pcre2_compile((PCRE2_SPTR)translated.ptr, translated.len, flags, &code, &offset,
                                 context);
    }
    memory->arena = c->arena;
    pcre2_code *kept = compiled ? pcre2_code_copy(compiled) : NULL;
    if (!kept) {
        complain_code(c, where, keyword, compiled ? PCRE2_ERROR_NOMEMORY : code);
    }
    lg_arena_done(&scratch);
    return kept;
}

const lg_pattern *lg_pattern_compile(compiler *c, const place *where, const char *keyword,
                                     lg_str text)
{
    if (text.len > LG_SCHEMA_PATTERN_BYTES_MAX) {
        lg_schema_complain(c, where, keyword, "is a pattern of more than %u bytes",
                           LG_SCHEMA_PATTERN_BYTES_MAX);
        return NULL;
    }
    lg_error error;
    ecma_facts facts = {0};
    lg_buf out;
    lg_buf_init(&out, (size_t)64 * LG_SCHEMA_PATTERN_BYTES_MAX);
    lg_pattern *made = NULL;
    if (!lg_ecma_translate(text, &out, &facts, &error)) {
        lg_schema_complain(c, where, keyword, "is not a regular expression of ECMA-262: %s",
                           error.msg);
    } else if (lg_buf_status(&out) == LG_ERR_LIMIT) {
        lg_schema_complain(c, where, keyword, "is too long once its classes are written out");
    } else if (lg_buf_status(&out) != LG_OK || !(made = LG_NEW(c->arena, lg_pattern))) {
        lg_schema_no_memory(c);
    } else {
        made->text = text;
        made->facts = facts;
        if (!lg_linear_compile(c->arena, text, &made->linear)) {
            lg_schema_no_memory(c);
        } else if (!made->linear) {
            made->code = compile_translated(c, where, keyword, lg_buf_str(&out));
        }
        made = made->linear || made->code ? made : NULL;
    }
    lg_buf_done(&out);
    return made;
}

lg_str lg_pattern_text(const lg_pattern *pattern)
{
    return pattern->text;
}

// --- Matching -------------------------------------------------------------------------------------

// Blocks come from the run's own room; what does not fit, since an expression backtracks deeply,
// from the system.
static void *allocate_in_run(size_t size_bytes, void *data)
{
    pattern_run *run = data;
    size_t rounded = (size_bytes + 15) & ~(size_t)15;
    if (rounded <= sizeof(run->room) - run->used) {
        void *memory = run->room + run->used;
        run->used += rounded;
        return memory;
    }
    return lg_alloc(size_bytes);
}

static void free_in_run(void *memory, void *data)
{
    pattern_run *run = data;
    char *at = memory;
    if (at && (at < run->room || at >= run->room + sizeof(run->room))) {
        lg_free(memory);
    }
}

void lg_pattern_run_done(pattern_run *run)
{
    if (run->match_data) {
        pcre2_match_data_free(run->match_data); // with the backtracking points that it keeps
        lg_pattern_run_init(run, run->limit);
    }
}

typedef struct meter {
    uint64_t left;
    uint64_t a_step; // what one step costs
    size_t last;     // where the last one was
} meter;

// Called before each item of the pattern is tried.
static int count_step(pcre2_callout_block *block, void *data)
{
    meter *m = data;
    size_t here = block->current_position;
    size_t moved = here > m->last ? here - m->last : m->last - here;
    uint64_t cost = m->a_step + moved / 16;
    m->last = here;
    if (cost > m->left) {
        return PCRE2_ERROR_CALLOUT;
    }
    m->left -= cost;
    return 0;
}

static bool prepare(pattern_run *run)
{
    if (run->general) {
        return run->match_data && run->match_context;
    }
    run->general = pcre2_general_context_create(allocate_in_run, free_in_run, run);
    run->match_data = run->general ? pcre2_match_data_create(1, run->general) : NULL;
    run->match_context = run->general ? pcre2_match_context_create(run->general) : NULL;
    if (!run->match_data || !run->match_context) {
        return false;
    }
    pcre2_set_match_limit(run->match_context, run->limit);
    pcre2_set_depth_limit(run->match_context, run->limit);
    pcre2_set_heap_limit(run->match_context, LG_SCHEMA_PATTERN_HEAP_KIB);
    return true;
}

pattern_result lg_pattern_match(const lg_pattern *pattern, pattern_run *run, lg_str subject,
                                uint64_t *steps)
{
    uint64_t most = *steps < run->limit ? *steps : run->limit;
    uint64_t reading = 1 + subject.len / 64; // its UTF-8 is checked, its first character sought
    if (pattern->linear) {
        reading = 1 + subject.len / 16;
        if (reading > most) {
            *steps = reading > *steps ? 0 : *steps;
            return PATTERN_LIMIT;
        }
        *steps -= reading;
        return lg_linear_match(pattern->linear, subject) ? PATTERN_YES : PATTERN_NO;
    }
    if (reading > *steps || !prepare(run)) {
        *steps = reading > *steps ? 0 : *steps;
        return PATTERN_LIMIT;
    }
    uint64_t afford = *steps / STEPS_A_CALLOUT;
    most = afford < most ? afford : most;
    meter m = {.left = most, .a_step = 1 + pattern->facts.largest_count / 64};
    m.a_step += pattern->facts.backreferences ? subject.len / 64 : 0;
    pcre2_set_callout(run->match_context, count_step, &m);
    int found = pcre2_match(pattern->code, (PCRE2_SPTR)subject.ptr, subject.len, 0, 0,
                            run->match_data, run->match_context);
    uint64_t spent = reading + STEPS_A_CALLOUT * (most - m.left);
    *steps -= spent < *steps ? spent : *steps;
    return found >= 0 ? PATTERN_YES : found == PCRE2_ERROR_NOMATCH ? PATTERN_NO : PATTERN_LIMIT;
}
