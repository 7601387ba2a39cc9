// bench_cel_lines.c: evaluates expressions, one a line, for a comparison with another implementation.
//
//     bench_cel_lines VARIABLES.json < expressions > results
//
// VARIABLES is {"name": {"type": "list(int)", "value": typed value}, ...}, in the forms of
// cel_typed.h. A result is one line: `?` if the expression does not compile, `!` if it fails, else the
// value in a form that has one text for one value. See bench/peers/cel/differential.
#include "cel_typed.h"

#include "base/file.h"

#define VARIABLES_MAX 64
#define LINE_MAX_BYTES (1u << 16)

// --- Types ------------------------------------------------------------------------------------------

static const lg_cel_type *read_type(lg_arena *arena, lg_str *text);

static lg_str read_word(lg_str *text)
{
    size_t at = 0;
    while (at < text->len && !strchr("(), ", text->ptr[at])) {
        at++;
    }
    lg_str word = lg_str_slice(*text, 0, at);
    *text = lg_str_slice(*text, at, text->len);
    return word;
}

static void skip(lg_str *text, const char *bytes)
{
    while (text->len && strchr(bytes, text->ptr[0])) {
        *text = lg_str_slice(*text, 1, text->len);
    }
}

static const lg_cel_type *read_type(lg_arena *arena, lg_str *text)
{
    static const struct {
        const char *name;
        lg_cel_kind kind;
    } plain[] = {
        {"int", LG_CEL_INT},        {"uint", LG_CEL_UINT},           {"double", LG_CEL_DOUBLE},
        {"bool", LG_CEL_BOOL},      {"string", LG_CEL_STRING},       {"bytes", LG_CEL_BYTES},
        {"null_type", LG_CEL_NULL}, {"timestamp", LG_CEL_TIMESTAMP}, {"duration", LG_CEL_DURATION},
    };
    lg_str word = read_word(text);
    skip(text, "(");
    const lg_cel_type *type = lg_cel_type_of_kind(LG_CEL_DYN);
    if (lg_str_eq(word, LG_STR("list"))) {
        type = lg_cel_type_list(arena, read_type(arena, text));
    } else if (lg_str_eq(word, LG_STR("map"))) {
        const lg_cel_type *key = read_type(arena, text);
        skip(text, ", ");
        type = lg_cel_type_map(arena, key, read_type(arena, text));
    }
    for (size_t i = 0; i < LG_COUNT(plain); i++) {
        if (lg_str_eq(word, lg_str_c(plain[i].name))) {
            return lg_cel_type_of_kind(plain[i].kind);
        }
    }
    skip(text, ")");
    return type;
}

// --- Results ----------------------------------------------------------------------------------------

static void show(lg_buf *out, lg_cel_value value);

static void show_hex(lg_buf *out, char kind, lg_str bytes)
{
    lg_buf_addf(out, "%c:", kind);
    for (size_t i = 0; i < bytes.len; i++) {
        lg_buf_addf(out, "%02x", (unsigned)(unsigned char)bytes.ptr[i]);
    }
}

static int by_text(const void *a, const void *b)
{
    return lg_str_cmp(*(const lg_str *)a, *(const lg_str *)b);
}

// Entries in the order of their text.
static void show_map(lg_buf *out, lg_cel_value map)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    size_t count = lg_cel_len(map);
    lg_str *entries = LG_NEW_ARRAY(&arena, lg_str, count + 1);
    for (size_t i = 0; entries && i < count; i++) {
        lg_cel_value key, value;
        lg_buf entry;
        lg_buf_init(&entry, 0);
        lg_cel_entry(map, i, &key, &value);
        show(&entry, key);
        lg_buf_add_byte(&entry, '=');
        show(&entry, value);
        entries[i] = lg_arena_str(&arena, lg_buf_str(&entry));
        lg_buf_done(&entry);
    }
    if (entries) {
        qsort(entries, count, sizeof(*entries), by_text);
    }
    lg_buf_add_byte(out, '{');
    for (size_t i = 0; entries && i < count; i++) {
        lg_buf_add_c(out, i ? "," : "");
        lg_buf_add(out, entries[i]);
    }
    lg_buf_add_byte(out, '}');
    lg_arena_done(&arena);
}

static void show_list(lg_buf *out, lg_cel_value list)
{
    lg_buf_add_byte(out, '[');
    for (size_t i = 0; i < lg_cel_len(list); i++) {
        lg_buf_add_c(out, i ? "," : "");
        show(out, lg_cel_item(list, i));
    }
    lg_buf_add_byte(out, ']');
}

static void show_double(lg_buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (value != value) {
        lg_buf_add_c(out, "d:nan");
    } else {
        lg_buf_addf(out, "d:%016llx", (unsigned long long)bits);
    }
}

// Recursion is as deep as the value, which the limits of expressions and of JSON bound.
static void show(lg_buf *out, lg_cel_value value)
{
    switch ((lg_cel_kind)value.kind) {
    case LG_CEL_NULL:
        lg_buf_add_c(out, "null");
        break;
    case LG_CEL_BOOL:
        lg_buf_add_c(out, value.as.boolean ? "true" : "false");
        break;
    case LG_CEL_INT:
        lg_buf_addf(out, "i:%lld", (long long)value.as.i64);
        break;
    case LG_CEL_UINT:
        lg_buf_addf(out, "u:%llu", (unsigned long long)value.as.u64);
        break;
    case LG_CEL_DOUBLE:
        show_double(out, value.as.f64);
        break;
    case LG_CEL_STRING:
        show_hex(out, 's', lg_cel_str(value));
        break;
    case LG_CEL_BYTES:
        show_hex(out, 'b', lg_cel_str(value));
        break;
    case LG_CEL_TIMESTAMP:
    case LG_CEL_DURATION:
        lg_buf_addf(out, "%c:%lld.%09u", value.kind == LG_CEL_TIMESTAMP ? 't' : 'D',
                    (long long)value.as.i64, value.aux);
        break;
    case LG_CEL_LIST:
        show_list(out, value);
        break;
    case LG_CEL_MAP:
        show_map(out, value);
        break;
    case LG_CEL_TYPE:
        lg_buf_add_c(out, "y:");
        lg_cel_print(out, value);
        break;
    case LG_CEL_ERROR:
        lg_buf_add_byte(out, '!');
        break;
    case LG_CEL_DYN:
    case LG_CEL_OBJECT:
    case LG_CEL_OPTIONAL:
    case LG_CEL_OPAQUE:
    case LG_CEL_PARAM:
        lg_buf_add_c(out, "no form");
        break;
    }
}

// --- Lines ------------------------------------------------------------------------------------------

typedef struct fixed {
    lg_arena arena;
    lg_cel_env *env;
    lg_cel_value values[VARIABLES_MAX];
} fixed;

static bool read_variables(fixed *f, const char *path)
{
    lg_file file;
    lg_error error;
    const lg_json *json;
    if (lg_file_open(path, 1u << 24, &file, &error) != LG_OK ||
        lg_json_parse_in(&f->arena, file.text, 0, file.text.len, NULL, &json, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return false;
    }
    for (size_t i = 0; i < lg_json_len(json) && i < VARIABLES_MAX; i++) {
        const lg_json_member *member = lg_json_member_at(json, i);
        lg_str type = lg_json_str(lg_json_get(&member->value, LG_STR("type")));
        (void)lg_cel_env_declare(f->env, lg_arena_str(&f->arena, lg_json_key(member)),
                                 read_type(&f->arena, &type));
        f->values[i] = typed_read(&f->arena, lg_json_get(&member->value, LG_STR("value")));
    }
    return true; // the file stays open: values may point into it
}

static void evaluate(const fixed *f, lg_arena *scratch, lg_str source, lg_buf *out)
{
    lg_errors errors;
    lg_errors_init(&errors, scratch, 10);
    const lg_cel_program *program =
        lg_cel_compile(scratch, f->env, source, (lg_position){0}, &errors);
    if (!program) {
        lg_buf_add_byte(out, '?');
        return;
    }
    show(out, lg_cel_eval(program, &(lg_cel_activation){.values = f->values, .scratch = scratch}));
}

int main(int argc, char **argv)
{
    static char line[LINE_MAX_BYTES];
    fixed f = {.env = NULL};
    lg_arena scratch;
    lg_buf out;
    lg_arena_init(&f.arena, 0);
    lg_arena_init(&scratch, 0);
    lg_buf_init(&out, 0);
    f.env = lg_cel_env_new(&f.arena, NULL, NULL);
    if (argc != 2 || !f.env || !read_variables(&f, argv[1])) {
        fprintf(stderr, "usage: bench_cel_lines VARIABLES.json < expressions\n");
        return 2;
    }
    while (fgets(line, sizeof(line), stdin)) {
        lg_arena_reset(&scratch);
        lg_buf_clear(&out);
        evaluate(&f, &scratch, lg_str_trim(lg_str_c(line)), &out);
        printf("%.*s\n", LG_FMT(lg_buf_str(&out)));
    }
    lg_buf_done(&out);
    lg_arena_done(&scratch);
    lg_arena_done(&f.arena);
    return 0;
}
