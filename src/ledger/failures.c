// failures.c: errors after which nothing has changed, because the pack says so.
//
// A tool's effects name its errors, each a step that ends the call and leaves the state as it was; a
// tool may list others under `errors`. Any other error, a timeout say, tells nothing: the call may
// have happened. A text with placeholders is a pattern: what it computes of the arguments is
// computed, and what it computes of the state may be any short text. Letter case and a last full stop tell
// nothing.
#include "ledger/ledger_internal.h"

#include "cel/tree.h"

#define UNKNOWN_BYTES_MAX 128u // of what a placeholder stands for
#define OWN_LETTERS_MIN 4u     // of a text with unknown parts, or any error might be it

// --- Placeholders -------------------------------------------------------------------------------

// Does the expression name nothing but the arguments? As deep as the tree.
static bool is_of_args(const lg_cel_node *node)
{
    if (node->kind == LG_NODE_IDENT && !node->as.ident.local &&
        node->as.ident.slot != LG_STEP_SLOT_ARGS) {
        return false;
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        if (!is_of_args(child)) {
            return false;
        }
    }
    return true;
}

// What the placeholder stands for in this call: of the state nothing is known, and what cannot be computed of
// the arguments is nothing that the tool can have said.
typedef enum standing { STANDS_FOR_TEXT, STANDS_FOR_ANY, STANDS_FOR_NONE } standing;

static standing print_known(fold *f, const lg_cel_program *program, lg_buf *out)
{
    const lg_cel_node *tree = lg_cel_program_tree(program);
    if (!tree || !is_of_args(tree)) {
        return STANDS_FOR_ANY;
    }
    lg_cel_value values[LG_STEP_SLOT_COUNT];
    values[LG_STEP_SLOT_STATE] = values[LG_STEP_SLOT_NOW] = lg_cel_make_null();
    values[LG_STEP_SLOT_ARGS] = lg_cel_from_json(f->call.args);
    lg_cel_activation activation = {.values = values,
                                    .scratch = f->work,
                                    .cost_limit = f->ledger->limits.cel_cost,
                                    .budget = &f->steps};
    lg_cel_value value = lg_cel_eval(program, &activation);
    if (value.kind == LG_CEL_ERROR) {
        return STANDS_FOR_NONE;
    }
    lg_cel_print(out, value);
    return lg_buf_status(out) == LG_OK ? STANDS_FOR_TEXT : STANDS_FOR_NONE;
}

// --- Matching -----------------------------------------------------------------------------------

// Goes through the text from left to right: what is known, then perhaps something unknown.
typedef struct match {
    lg_str left; // of the text
    bool open;   // something unknown comes before it
    bool failed;
    bool unknown; // anywhere
    size_t letters;
} match;

// Versions of a tool differ in the case of letters, and say the same.
static bool starts(lg_str text, lg_str with)
{
    size_t same = 0;
    while (same < with.len && same < text.len &&
           lg_lower(text.ptr[same]) == lg_lower(with.ptr[same])) {
        same++;
    }
    return same == with.len;
}

// Where `known` begins in the text, or beyond what an unknown part may be long.
static size_t find(lg_str text, lg_str known)
{
    size_t at = 0;
    while (at <= UNKNOWN_BYTES_MAX && !starts(lg_str_slice(text, at, text.len), known)) {
        at++;
    }
    return at;
}

static void take_known(match *m, lg_str known)
{
    if (known.len == 0 || m->failed) {
        return;
    }
    size_t at = m->open ? find(m->left, known) : 0;
    bool there = m->open ? at <= UNKNOWN_BYTES_MAX : starts(m->left, known);
    m->failed = !there;
    if (there) {
        LG_DEBUG_ASSERT(at + known.len <= m->left.len);
        m->left = lg_str_slice(m->left, at + known.len, m->left.len);
        m->open = false;
    }
}

static size_t count_letters(lg_str text)
{
    static const lg_str said = {"Error", 5}; // every error says that
    text = lg_str_starts(text, said) ? lg_str_slice(text, said.len, text.len) : text;
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        count += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    }
    return count;
}

static void take_part(fold *f, match *m, const lg_template_part *part)
{
    take_known(m, part->literal);
    m->letters += count_letters(part->literal);
    if (!part->program || m->failed) {
        return;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    standing known = print_known(f, part->program, &text);
    if (known == STANDS_FOR_TEXT) {
        take_known(m, lg_buf_str(&text));
    }
    m->open = m->open || known == STANDS_FOR_ANY;
    m->unknown = m->unknown || known == STANDS_FOR_ANY;
    m->failed = m->failed || known == STANDS_FOR_NONE;
    lg_buf_done(&text);
}

static lg_str without_stop(lg_str text)
{
    return lg_str_slice(text, 0, text.len - lg_str_ends(text, LG_STR(".")));
}

static bool says(fold *f, const lg_template *error, lg_str text)
{
    match m = {.left = text};
    for (size_t i = 0; i < error->count && !m.failed; i++) {
        lg_template_part part = error->parts[i];
        if (i + 1 == error->count && !part.program) {
            part.literal = without_stop(part.literal);
        }
        take_part(f, &m, &part);
    }
    bool ends = m.left.len == 0 || (m.open && m.left.len <= UNKNOWN_BYTES_MAX);
    return !m.failed && ends && (!m.unknown || m.letters >= OWN_LETTERS_MIN);
}

// As deep as steps stand in steps and procedures run procedures, which the loader bounds.
static bool steps_say(fold *f, const lg_step *steps, size_t count, lg_str text)
{
    for (size_t i = 0; i < count; i++) {
        const lg_step *step = &steps[i];
        bool here = step->kind == LG_STEP_FAIL && !step->keeps && says(f, &step->text, text);
        bool below = step->kind == LG_STEP_DO && steps_say(f, step->steps, step->step_count, text);
        bool run = step->kind == LG_STEP_RUN &&
                   steps_say(f, step->run->steps, step->run->step_count, text);
        if (here || below || run) {
            return true;
        }
    }
    return false;
}

// In the words of tau2's environment, and of `world`: there is no such tool, so nothing has happened.
static bool says_no_such_tool(lg_str text, lg_str tool)
{
    static const lg_str before = {"Error: Tool '", 13};
    static const lg_str after = {"' not found.", 12};
    return text.len == before.len + tool.len + after.len && lg_str_starts(text, before) &&
           lg_str_ends(text, after) &&
           lg_str_eq(lg_str_slice(text, before.len, before.len + tool.len), tool);
}

// In the words of the gate itself (gate/message.c): the call was refused.
static bool says_refused(lg_str text, lg_str tool)
{
    static const lg_str before = {"Error: ", 7}; // where a format has no other way to say so
    static const lg_str revise = {" was not carried out (revise).", 30};
    static const lg_str block = {" was not carried out (block).", 29};
    text = lg_str_starts(text, before) ? lg_str_slice(text, before.len, text.len) : text;
    lg_str after = lg_str_slice(text, tool.len, text.len);
    return lg_str_starts(text, tool) &&
           (lg_str_starts(after, revise) || lg_str_starts(after, block));
}

// Servers of MCP put words of their own before a tool's: "Error executing tool NAME: ". What comes behind
// them is said as the tool itself says it, or without its "Error: ".
static lg_str without_server(fold *f, lg_str text)
{
    static const lg_str before = {"Error executing tool ", 21};
    lg_str name = f->call.tool;
    size_t length = before.len + name.len + 2;
    bool is_server =
        text.len > length && lg_str_starts(text, before) &&
        lg_str_starts(lg_str_slice(text, before.len, text.len), name) &&
        lg_str_starts(lg_str_slice(text, before.len + name.len, text.len), LG_STR(": "));
    if (!is_server) {
        return text;
    }
    lg_str rest = lg_str_slice(text, length, text.len);
    lg_buf said;
    lg_buf_init(&said, 0);
    lg_buf_add_c(&said, lg_str_starts(rest, LG_STR("Error")) ? "" : "Error: ");
    lg_buf_add(&said, rest);
    lg_str copy = lg_arena_str(f->work, lg_buf_str(&said));
    lg_buf_done(&said);
    return copy.ptr ? copy : text;
}

bool is_declared_error(fold *f)
{
    LG_DEBUG_ASSERT(f->call.failed && !f->assumed);
    const lg_pack *pack = f->ledger->pack;
    lg_str text = without_server(f, lg_str_trim(f->call.result));
    bool known = says_no_such_tool(text, f->call.tool) || says_refused(text, f->call.tool);
    text = without_stop(text);
    for (size_t i = 0; f->tool && i < f->tool->error_count && !known; i++) {
        known = says(f, &f->tool->errors[i], text);
    }
    if (known || !f->tool) {
        return known;
    }
    return steps_say(f, f->tool->steps, f->tool->step_count, text) ||
           (f->tool->has_effects && steps_say(f, pack->settle, pack->settle_count, text));
}
