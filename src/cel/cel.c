// The face of the room: the steps of a compilation, and its errors.
#include "cel/cel_internal.h"

#include <stdarg.h>
#include <stdio.h>

// --- Errors -------------------------------------------------------------------------------------

// Where byte `offset` of the source stands in the file: the first line begins at the column of the
// expression, the others at 1.
static lg_position place_of(const lg_cel_build *build, uint32_t offset)
{
    lg_position inside = lg_text_position(build->source, offset);
    lg_position at = build->at;
    at.line = (at.line ? at.line : 1) + inside.line - 1;
    at.column = inside.line == 1 ? (at.column ? at.column : 1) + inside.column - 1 : inside.column;
    return at;
}

void *lg_cel_report(lg_cel_build *build, lg_status status, uint32_t offset, const char *format, ...)
{
    lg_error error;
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(&error, status, place_of(build, offset), format, args);
    va_end(args);
    lg_errors_add(build->errors, &error);
    build->failed = true;
    return NULL;
}

void *lg_cel_oom(lg_cel_build *build)
{
    build->out_of_memory = true;
    build->failed = true;
    return NULL;
}

void lg_cel_closest_offer(lg_cel_closest *closest, lg_str name)
{
    uint32_t distance = lg_str_distance(closest->wanted, name);
    if (!closest->best.ptr || distance < closest->distance) {
        closest->best = name;
        closest->distance = distance;
    }
}

// One slip in three letters, and not a different word altogether.
bool lg_cel_closest_good(const lg_cel_closest *closest)
{
    size_t slips = closest->wanted.len / 3;
    return closest->best.ptr && closest->distance <= (slips ? slips : 1) &&
           closest->distance < closest->wanted.len;
}

// --- Compilation --------------------------------------------------------------------------------

static bool prepare(lg_cel_build *build, lg_str source)
{
    const lg_limits *limits = &build->env->limits;
    build->source = LG_STR("");
    if (source.len > limits->cel_bytes || source.len >= UINT32_MAX / 2) {
        lg_cel_report(build, LG_ERR_LIMIT, 0,
                      "an expression of %zu bytes is longer than %zu (limit cel_bytes)", source.len,
                      limits->cel_bytes);
        return false;
    }
    build->source = lg_arena_str(build->arena, source);
    if (!build->source.ptr) {
        build->source = LG_STR("");
        lg_cel_oom(build);
        return false;
    }
    size_t valid = lg_utf8_valid_prefix(build->source);
    if (valid != source.len) {
        build->source.len = valid;
        lg_cel_report(build, LG_ERR_PARSE, (uint32_t)valid, "the expression is not valid UTF-8");
        return false;
    }
    return true;
}

static const lg_cel_program *compile(lg_cel_build *build, lg_str source)
{
    if (!prepare(build, source)) {
        return NULL;
    }
    lg_cel_node *root = lg_cel_parse(build);
    if (!root || !lg_cel_check(build, root)) {
        return NULL;
    }
    return lg_cel_emit(build, root);
}

const lg_cel_program *lg_cel_compile(lg_arena *arena, const lg_cel_env *env, lg_str source,
                                     lg_position at, lg_errors *errors)
{
    lg_arena work;
    lg_arena_init(&work, env->limits.document_bytes);
    uint32_t depth =
        env->limits.cel_depth < LG_CEL_DEPTH_MAX ? env->limits.cel_depth : LG_CEL_DEPTH_MAX;
    lg_cel_build build = {.arena = arena,
                          .work = env->keep_trees ? arena : &work,
                          .env = env,
                          .at = at,
                          .errors = errors,
                          .definitions = UINT32_MAX,
                          .depth_limit = depth};
    const lg_cel_program *program = compile(&build, source);
    lg_arena_done(&work);
    if (build.out_of_memory) {
        lg_error error;
        lg_fail_oom(&error);
        error.file = at.file;
        error.line = at.line;
        error.column = at.column;
        lg_errors_add(errors, &error);
    }
    return build.failed ? NULL : program;
}

const lg_cel_node *lg_cel_program_tree(const lg_cel_program *program)
{
    return program->tree;
}

const lg_cel_type *lg_cel_program_type(const lg_cel_program *program)
{
    return program->type;
}

lg_str lg_cel_program_source(const lg_cel_program *program)
{
    return program->source;
}
