// cel_conformance.c: runs the conformance tests of the Common Expression Language.
//
//     cel_conformance [--json FILE]
//
// Prints passed, failed and skipped cases of each file. Skipped are the cases that need protobuf
// messages or enums, which this library does not have, and those that name a time zone where the
// system has no time zone data. A failure in any file fails the run. With
// LG_VERBOSE set, each failed case is shown; with --json the sums and the names of what failed and what
// was skipped go to a file. Without the data the whole test counts as skipped.
#include "lg_test.h"

#include "base/file.h"
#include "base/zone.h"
#include "cel/cel.h"

typedef struct tally {
    int passed;
    int failed;
    int skipped;
    lg_buf failures; // names, as the items of a JSON array
    lg_buf skips;
} tally;

static const char *const files[] = {
    "basic",
    "comparisons",
    "conversions",
    "dynamic",
    "fields",
    "fp_math",
    "integer_math",
    "lists",
    "logic",
    "macros",
    "namespace",
    "parse",
    "plumbing",
    "string",
    "timestamps",
    "type_deduction",
    // extensions
    "bindings_ext",
    "block_ext",
    "encoders_ext",
    "macros2",
    "math_ext",
    "network_ext",
    "optionals",
    "string_ext",
    // all of whose cases need protobuf
    "enums",
    "proto2",
    "proto2_ext",
    "proto3",
    "wrappers",
};

// --- Typed values -----------------------------------------------------------------------------------

static bool decode_base64(lg_arena *arena, lg_str text, lg_str *ret)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = lg_arena_alloc(arena, text.len + 1, 1);
    uint32_t bits = 0;
    uint32_t count = 0;
    size_t len = 0;
    for (size_t i = 0; out && i < text.len && text.ptr[i] != '='; i++) {
        const char *letter = strchr(letters, text.ptr[i]);
        if (!letter) {
            return false;
        }
        bits = bits << 6 | (uint32_t)(letter - letters);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[len++] = (char)(bits >> count & 0xff);
        }
    }
    *ret = (lg_str){out, len};
    return out != NULL;
}

static lg_cel_value to_value(lg_arena *arena, const lg_json *typed);

static lg_cel_value to_list(lg_arena *arena, const lg_json *items)
{
    size_t count = lg_json_len(items);
    lg_cel_value *values = LG_NEW_ARRAY(arena, lg_cel_value, count + 1);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = to_value(arena, lg_json_item(items, i));
    }
    return lg_cel_make_list(arena, values, count);
}

static lg_cel_value to_map(lg_arena *arena, const lg_json *pairs)
{
    size_t count = lg_json_len(pairs);
    lg_cel_value *values = LG_NEW_ARRAY(arena, lg_cel_value, count * 2 + 1);
    for (size_t i = 0; values && i < count * 2; i++) {
        values[i] = to_value(arena, lg_json_item(lg_json_item(pairs, i / 2), i % 2));
    }
    return lg_cel_make_map(arena, values, count);
}

static double to_double(lg_str text)
{
    char copy[64];
    snprintf(copy, sizeof(copy), "%.*s", LG_FMT(text));
    return strtod(copy, NULL);
}

static lg_cel_value to_time(const lg_json *time, bool timestamp)
{
    char copy[32];
    snprintf(copy, sizeof(copy), "%.*s", LG_FMT(lg_json_str(lg_json_get(time, LG_STR("seconds")))));
    int64_t seconds = strtoll(copy, NULL, 10);
    int64_t nanos = 0;
    const lg_json *given = lg_json_get(time, LG_STR("nanos"));
    if (given && lg_json_int(given, &nanos) && nanos < 0) {
        nanos += 1000000000;
        seconds--;
    }
    return timestamp ? lg_cel_make_timestamp(seconds, (uint32_t)nanos)
                     : lg_cel_make_duration(seconds, (uint32_t)nanos);
}

static lg_cel_value to_value(lg_arena *arena, const lg_json *typed)
{
    if (lg_json_len(typed) != 1) {
        return (lg_cel_value){.kind = LG_CEL_ERROR};
    }
    const lg_json_member *member = lg_json_member_at(typed, 0);
    lg_str kind = lg_json_key(member);
    lg_str text = lg_json_str(&member->value);
    char copy[64];
    snprintf(copy, sizeof(copy), "%.*s", LG_FMT(lg_str_slice(text, 0, 60)));
    lg_str bytes;
    if (lg_str_eq(kind, LG_STR("bool"))) {
        return lg_cel_make_bool(lg_json_is_true(&member->value));
    }
    if (lg_str_eq(kind, LG_STR("int"))) {
        return lg_cel_make_int(strtoll(copy, NULL, 10));
    }
    if (lg_str_eq(kind, LG_STR("uint"))) {
        return lg_cel_make_uint(strtoull(copy, NULL, 10));
    }
    if (lg_str_eq(kind, LG_STR("double"))) {
        return lg_cel_make_double(to_double(text));
    }
    if (lg_str_eq(kind, LG_STR("string"))) {
        return lg_cel_make_str(text);
    }
    if (lg_str_eq(kind, LG_STR("bytes")) && decode_base64(arena, text, &bytes)) {
        return lg_cel_make_bytes(bytes);
    }
    if (lg_str_eq(kind, LG_STR("list"))) {
        return to_list(arena, &member->value);
    }
    if (lg_str_eq(kind, LG_STR("map"))) {
        return to_map(arena, &member->value);
    }
    if (lg_str_eq(kind, LG_STR("timestamp")) || lg_str_eq(kind, LG_STR("duration"))) {
        return to_time(&member->value, kind.ptr[0] == 't');
    }
    return lg_cel_make_null();
}

// --- Types ------------------------------------------------------------------------------------------

typedef struct type_reader {
    lg_arena *arena;
    lg_str text;
    size_t at;
} type_reader;

static const lg_cel_type *read_type(type_reader *r);

static lg_str read_word(type_reader *r)
{
    size_t first = r->at;
    while (r->at < r->text.len && !strchr("(),", r->text.ptr[r->at])) {
        r->at++;
    }
    return lg_str_slice(r->text, first, r->at);
}

// "(a, b)"; returns how many.
static size_t read_params(type_reader *r, const lg_cel_type **params, size_t room)
{
    size_t count = 0;
    while (r->at < r->text.len && r->text.ptr[r->at] != ')' && count < room) {
        r->at++; // the parenthesis or comma
        while (r->at < r->text.len && r->text.ptr[r->at] == ' ') {
            r->at++;
        }
        params[count++] = read_type(r);
    }
    r->at++;
    return count;
}

static const lg_cel_type *make_type(type_reader *r, lg_cel_type type)
{
    lg_cel_type *copy = LG_NEW(r->arena, lg_cel_type);
    if (copy) {
        *copy = type;
    }
    return copy;
}

static const lg_cel_type *compound_type(type_reader *r, lg_str word)
{
    if (lg_str_eq(word, LG_STR("param"))) {
        r->at++;
        lg_str name = read_word(r);
        r->at++;
        return make_type(r, (lg_cel_type){.kind = LG_CEL_PARAM, .name = name});
    }
    const lg_cel_type **params = LG_NEW_ARRAY(r->arena, const lg_cel_type *, 8);
    size_t count = read_params(r, params, 8);
    if (lg_str_eq(word, LG_STR("list"))) {
        return lg_cel_type_list(r->arena, params[0]);
    }
    if (lg_str_eq(word, LG_STR("map"))) {
        return lg_cel_type_map(r->arena, params[0], params[1]);
    }
    if (lg_str_eq(word, LG_STR("wrapper"))) {
        return lg_cel_type_nullable(r->arena, params[0]);
    }
    if (lg_str_eq(word, LG_STR("type"))) {
        return lg_cel_type_of_kind(LG_CEL_TYPE);
    }
    if (lg_str_eq(word, LG_STR("optional_type"))) {
        return make_type(r, (lg_cel_type){.kind = LG_CEL_OPTIONAL, .element = params[0]});
    }
    return make_type(
        r,
        (lg_cel_type){.kind = LG_CEL_OPAQUE, .name = word, .params = params, .param_count = count});
}

static const lg_cel_type *read_type(type_reader *r)
{
    static const struct {
        const char *name;
        lg_cel_kind kind;
    } plain[] = {
        {"int", LG_CEL_INT},           {"uint", LG_CEL_UINT},
        {"double", LG_CEL_DOUBLE},     {"bool", LG_CEL_BOOL},
        {"string", LG_CEL_STRING},     {"bytes", LG_CEL_BYTES},
        {"null_type", LG_CEL_NULL},    {"dyn", LG_CEL_DYN},
        {"any", LG_CEL_DYN},           {"timestamp", LG_CEL_TIMESTAMP},
        {"duration", LG_CEL_DURATION},
    };
    lg_str word = read_word(r);
    if (r->at < r->text.len && r->text.ptr[r->at] == '(') {
        return compound_type(r, word);
    }
    for (size_t i = 0; i < LG_COUNT(plain); i++) {
        if (lg_str_eq(word, lg_str_c(plain[i].name))) {
            return lg_cel_type_of_kind(plain[i].kind);
        }
    }
    return make_type(r, (lg_cel_type){.kind = LG_CEL_OPAQUE, .name = word});
}

static const lg_cel_type *to_type(lg_arena *arena, const lg_json *text)
{
    type_reader r = {arena, lg_json_str(text), 0};
    return read_type(&r);
}

// --- Comparison -------------------------------------------------------------------------------------

static bool same(lg_cel_value a, lg_cel_value b);

static bool same_maps(lg_cel_value a, lg_cel_value b)
{
    for (size_t i = 0; i < lg_cel_len(a); i++) {
        lg_cel_value key_a, value_a, key_b, value_b;
        bool found = false;
        lg_cel_entry(a, i, &key_a, &value_a);
        for (size_t k = 0; k < lg_cel_len(b) && !found; k++) {
            lg_cel_entry(b, k, &key_b, &value_b);
            found = same(key_a, key_b) && same(value_a, value_b);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

// Stricter than CEL: an int is no double here, and any NaN is as good as another.
static bool same(lg_cel_value a, lg_cel_value b)
{
    if (a.kind != b.kind || a.kind == LG_CEL_ERROR) {
        return false;
    }
    if (a.kind == LG_CEL_DOUBLE) {
        bool nan_a = a.as.f64 != a.as.f64;
        return nan_a ? b.as.f64 != b.as.f64 : memcmp(&a.as.f64, &b.as.f64, sizeof(double)) == 0;
    }
    if (a.kind != LG_CEL_LIST && a.kind != LG_CEL_MAP) {
        return lg_cel_equal(a, b);
    }
    if (lg_cel_len(a) != lg_cel_len(b)) {
        return false;
    }
    if (a.kind == LG_CEL_MAP) {
        return same_maps(a, b);
    }
    for (size_t i = 0; i < lg_cel_len(a); i++) {
        if (!same(lg_cel_item(a, i), lg_cel_item(b, i))) {
            return false;
        }
    }
    return true;
}

// --- Cases ------------------------------------------------------------------------------------------

enum { VARIABLES_MAX = 16 };

typedef struct test_case {
    const lg_json *json;
    lg_arena *arena;
    lg_cel_env *env;
    lg_cel_value values[VARIABLES_MAX];
    char why[512];
} test_case;

static const lg_json *member(const lg_json *object, const char *name)
{
    return lg_json_get(object, lg_str_c(name));
}

static void declare_function(test_case *t, const lg_json *declared)
{
    const lg_json *overloads = member(declared, "overloads");
    for (size_t i = 0; i < lg_json_len(overloads); i++) {
        const lg_json *given = lg_json_item(overloads, i);
        const lg_json *params = member(given, "params");
        lg_cel_overload *overload = LG_NEW(t->arena, lg_cel_overload);
        overload->result = to_type(t->arena, member(given, "result"));
        overload->member = lg_json_is_true(member(given, "member"));
        overload->arg_count = (uint8_t)lg_json_len(params);
        for (size_t k = 0; k < lg_json_len(params) && k < LG_COUNT(overload->args); k++) {
            overload->args[k] = to_type(t->arena, lg_json_item(params, k));
        }
        (void)lg_cel_env_declare_function(t->env, lg_json_str(member(declared, "name")), overload);
    }
}

static void bind(test_case *t, lg_str name, const lg_cel_type *type)
{
    uint32_t slot = lg_cel_env_declare(t->env, name, type);
    const lg_json *bound = lg_json_get(member(t->json, "bindings"), name);
    if (slot < VARIABLES_MAX) {
        t->values[slot] = bound ? to_value(t->arena, member(bound, "value")) : lg_cel_make_null();
    }
}

static void declare_all(test_case *t)
{
    const lg_json *declared = member(t->json, "type_env");
    for (size_t i = 0; i < lg_json_len(declared); i++) {
        const lg_json *one = lg_json_item(declared, i);
        if (member(one, "overloads")) {
            declare_function(t, one);
        } else {
            bind(t, lg_json_str(member(one, "name")), to_type(t->arena, member(one, "type")));
        }
    }
    const lg_json *bindings = member(t->json, "bindings");
    for (size_t i = 0; i < lg_json_len(bindings); i++) { // those that were not declared
        bind(t, lg_json_key(lg_json_member_at(bindings, i)), lg_cel_type_of_kind(LG_CEL_DYN));
    }
    lg_cel_env_set_container(t->env, lg_json_str(member(t->json, "container")));
    lg_cel_env_set_unchecked(t->env, lg_json_is_true(member(t->json, "disable_check")));
}

static bool differs(test_case *t, const char *what, lg_cel_value got)
{
    lg_buf shown;
    lg_buf_init(&shown, 0);
    lg_cel_type_print(&shown, lg_cel_type_of(got));
    lg_buf_add_c(&shown, " ");
    lg_cel_print(&shown, got);
    snprintf(t->why, sizeof(t->why), "%s, got %.*s", what, LG_FMT(lg_buf_str(&shown)));
    lg_buf_done(&shown);
    return false;
}

static bool type_fits(test_case *t, const lg_cel_program *program, const lg_json *wanted)
{
    lg_buf shown;
    if (!wanted || lg_cel_type_equal(lg_cel_program_type(program), to_type(t->arena, wanted))) {
        return true;
    }
    lg_buf_init(&shown, 0);
    lg_cel_type_print(&shown, lg_cel_program_type(program));
    snprintf(t->why, sizeof(t->why), "wanted type %.*s, got %.*s", LG_FMT(lg_json_str(wanted)),
             LG_FMT(lg_buf_str(&shown)));
    lg_buf_done(&shown);
    return false;
}

static bool value_fits(test_case *t, lg_cel_value got, const lg_json *wanted)
{
    const lg_json *type = member(wanted, "type");
    if (type) {
        lg_buf shown;
        lg_buf_init(&shown, 0);
        lg_cel_print(&shown, got);
        bool ok = got.kind == LG_CEL_TYPE && lg_str_eq(lg_buf_str(&shown), lg_json_str(type));
        lg_buf_done(&shown);
        return ok || differs(t, "wanted a type", got);
    }
    return same(got, to_value(t->arena, wanted)) || differs(t, "wrong value", got);
}

static bool run_case(test_case *t)
{
    lg_errors errors;
    lg_errors_init(&errors, t->arena, 10);
    declare_all(t);
    const lg_json *expect = member(t->json, "expect");
    const lg_cel_program *program = lg_cel_compile(
        t->arena, t->env, lg_json_str(member(t->json, "expr")), (lg_position){0}, &errors);
    const lg_json *wanted = member(expect, "value");
    bool wants_error = member(expect, "error") != NULL;
    if (!program) {
        snprintf(t->why, sizeof(t->why), "%u: %s", errors.items[0].column, errors.items[0].msg);
        return wants_error && !lg_json_is_true(member(t->json, "disable_check"));
    }
    if (!wants_error && !type_fits(t, program, member(expect, "type"))) {
        return false;
    }
    if (lg_json_is_true(member(t->json, "check_only"))) {
        return true;
    }
    lg_cel_value got =
        lg_cel_eval(program, &(lg_cel_activation){.values = t->values, .scratch = t->arena});
    if (wants_error) {
        return got.kind == LG_CEL_ERROR || differs(t, "wanted an error", got);
    }
    return value_fits(t, got, wanted);
}

// The cases with a zone like 'Asia/Kathmandu', on a system without time zone data.
static bool lacks_zones(lg_arena *arena, const lg_json *json)
{
    const lg_zone *zone;
    lg_str expr = lg_json_str(member(json, "expr"));
    bool named = lg_str_find(expr, LG_STR("timestamp(")) != SIZE_MAX &&
                 (lg_str_find(expr, LG_STR("('Asia/")) != SIZE_MAX ||
                  lg_str_find(expr, LG_STR("('Australia/")) != SIZE_MAX ||
                  lg_str_find(expr, LG_STR("('America/")) != SIZE_MAX ||
                  lg_str_find(expr, LG_STR("('US/")) != SIZE_MAX);
    return named && lg_zone_load(arena, LG_STR("Asia/Kathmandu"), &zone, NULL) == LG_ERR_NAME;
}

// Counts a case and notes its name, as `file: section: name`.
static void note(int *count, lg_buf *names, const char *file, const lg_json *json)
{
    lg_buf name;
    lg_buf_init(&name, 0);
    lg_buf_addf(&name, "%s: %.*s: %.*s", file, LG_FMT(lg_json_str(member(json, "section"))),
                LG_FMT(lg_json_str(member(json, "name"))));
    lg_buf_add_c(names, names->len ? "," : "");
    lg_json_print_str(names, lg_buf_str(&name));
    lg_buf_done(&name);
    ++*count;
}

static void run_line(lg_str line, const char *file, tally *sum)
{
    lg_arena arena;
    const lg_json *json;
    lg_arena_init(&arena, 0);
    lg_error error;
    test_case t = {.arena = &arena};
    if (lg_json_parse_in(&arena, line, 0, line.len, NULL, &json, &error) != LG_OK) {
        printf("%s: %s\n", file, error.msg);
        sum->failed++;
    } else if (lg_json_is_true(member(json, "needs_proto"))) {
        note(&sum->skipped, &sum->skips, file, json);
    } else if (lacks_zones(&arena, json)) {
        printf("skipped: %s (no time zone data)\n", file);
        note(&sum->skipped, &sum->skips, file, json);
    } else {
        t.json = json;
        t.env = lg_cel_env_new(&arena, NULL, NULL);
        if (run_case(&t)) {
            sum->passed++;
        } else {
            note(&sum->failed, &sum->failures, file, json);
            if (getenv("LG_VERBOSE")) {
                printf("%s/%.*s/%.*s: %.*s\n    %s\n", file,
                       LG_FMT(lg_json_str(member(json, "section"))),
                       LG_FMT(lg_json_str(member(json, "name"))),
                       LG_FMT(lg_json_str(member(json, "expr"))), t.why);
            }
        }
    }
    lg_arena_done(&arena);
}

static void run_file(const char *data, const char *name, tally *sum)
{
    char path[4096];
    lg_file file;
    lg_error error;
    snprintf(path, sizeof(path), "%s/data/cel-conformance/%s.jsonl", data, name);
    if (lg_file_open(path, 1u << 24, &file, &error) != LG_OK) {
        printf("%s\n", error.msg);
        sum->failed++;
        return;
    }
    lg_str rest = file.text;
    while (rest.len > 0) {
        size_t end = lg_str_find(rest, LG_STR("\n"));
        lg_str line = lg_str_slice(rest, 0, end);
        if (lg_str_trim(line).len > 0) {
            run_line(line, name, sum);
        }
        rest = lg_str_slice(rest, end == SIZE_MAX ? rest.len : end + 1, rest.len);
    }
    lg_file_close(&file);
}

static void run_all(const char *data, tally *all)
{
    for (size_t i = 0; i < LG_COUNT(files); i++) {
        tally before = *all;
        run_file(data, files[i], all);
        int passed = all->passed - before.passed;
        int failed = all->failed - before.failed;
        int skipped = all->skipped - before.skipped;
        printf("%-16s %4d passed %4d failed %4d skipped\n", files[i], passed, failed, skipped);
        CHECK_MSG(failed == 0 && passed + skipped > 0, files[i]);
    }
    printf("== cel: %d passed, %d failed, %d skipped\n", all->passed, all->failed, all->skipped);
}

static void write_json(const char *path, const tally *all)
{
    FILE *file = fopen(path, "w");
    if (CHECK_MSG(file, path)) {
        fprintf(file,
                "{\"cel\":{\"passed\":%d,\"failed\":%d,\"skipped\":%d,\"failures\":[%.*s],"
                "\"skips\":[%.*s]}}\n",
                all->passed, all->failed, all->skipped, LG_FMT(lg_buf_str(&all->failures)),
                LG_FMT(lg_buf_str(&all->skips)));
        CHECK(fclose(file) == 0);
    }
}

int main(int argc, char **argv)
{
    const char *data = lg_test_data_dir();
    bool to_file = argc == 3 && strcmp(argv[1], "--json") == 0;
    CHECK_MSG(argc == 1 || to_file, "usage: cel_conformance [--json FILE]");
    if (!data) {
        printf("skipped: cel-conformance (no shared data)\n");
        return 77;
    }
    tally all = {0};
    lg_buf_init(&all.failures, 0);
    lg_buf_init(&all.skips, 0);
    lg_test_name = "conformance";
    run_all(data, &all);
    if (to_file) {
        write_json(argv[2], &all);
    }
    lg_buf_done(&all.failures);
    lg_buf_done(&all.skips);
    return lg_test_done();
}
