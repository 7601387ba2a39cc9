// fuzz_prove.c: an expression made of the bytes, as the rule of a pack, judged on ledgers of any size.
//
// Properties: with the values in place, and with formulas for all ledgers that are given the values
// of one, the prover says what the gate says, or leaves it open; what it takes for granted of all
// ledgers is so; Z3 evaluates the formulas to the same.
//
// A last byte from 0x80 makes every text and key of one letter long, in the expression as in the
// ledgers and calls: what was equal stays equal. The expression then works with texts.
#include "agreement.h"
#include "case_maker.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEPTH_MAX 4u
#define LOCALS_MAX 6u
#define CASES 6u

static const char head[] =
    "pack: p\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  Row:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, q: {type: number}, tag: {type: [string, 'null']}}\n"
    "    required: [id, q]\n"
    "ledger:\n"
    "  r:\n"
    "    type: object\n"
    "    properties:\n"
    "      n: {type: number}\n"
    "      s: {type: string}\n"
    "      t: {type: [string, 'null']}\n"
    "      b: {type: boolean}\n"
    "      o: {type: number}\n"
    "      xs: {type: array, items: {type: number}}\n"
    "      ys: {type: array, items: {type: string}}\n"
    "      rows: {type: array, items: {$ref: '#/types/Row'}}\n"
    "      m: {type: object, additionalProperties: {type: number}}\n"
    "    required: [n, s, t, b, xs, ys, rows, m]\n"
    "  recs.*: Row\n"
    "tools:\n"
    "  act:\n"
    "    kind: write\n"
    "    parameters:\n"
    "      type: object\n"
    "      properties:\n"
    "        k: {type: string}\n"
    "        n: {type: number}\n"
    "        ids: {type: array, items: {type: string}}\n"
    "      required: [k, n, ids]\n"
    "rules:\n"
    "  one: {tools: [act], otherwise: block, say: no, that: '";

static const char *const ledgers[] = {
    "{\"r\":{\"n\":3,\"s\":\"a\",\"t\":null,\"b\":true,\"xs\":[],\"ys\":[],\"rows\":[],\"m\":{}},"
    "\"recs\":{},\"history\":[]}",
    "{\"r\":{\"n\":-2,\"s\":\"ab\",\"t\":\"a\",\"b\":false,\"o\":2,\"xs\":[1,2,3,2],"
    "\"ys\":[\"a\",\"b\",\"c\",\"a\"],\"rows\":[{\"id\":\"a\",\"q\":1},{\"id\":\"b\",\"q\":2,"
    "\"tag\":null},{\"id\":\"a\",\"q\":3,\"tag\":\"a\"},{\"id\":\"c\",\"q\":0}],"
    "\"m\":{\"a\":1,\"b\":2,\"c\":3,\"d\":1}},\"recs\":{\"a\":{\"id\":\"a\",\"q\":1},"
    "\"b\":{\"id\":\"a\",\"q\":2,\"tag\":\"a\"},\"c\":{\"id\":\"b\",\"q\":0},"
    "\"d\":{\"id\":\"d\",\"q\":3}},\"history\":[]}",
    "{\"r\":{\"n\":2,\"s\":\"c\",\"t\":\"b\",\"b\":true,\"o\":1,\"xs\":[2,2],\"ys\":[\"b\"],"
    "\"rows\":[{\"id\":\"b\",\"q\":2,\"tag\":\"b\"},{\"id\":\"a\",\"q\":2}],\"m\":{\"b\":2}},"
    "\"recs\":{\"b\":{\"id\":\"b\",\"q\":2},\"a\":{\"id\":\"b\",\"q\":1}},\"history\":[]}",
};

static const char *const calls[] = {
    "{\"k\":\"a\",\"n\":2,\"ids\":[\"a\",\"b\",\"a\"]}",
    "{\"k\":\"b\",\"n\":0,\"ids\":[]}",
    "{\"k\":\"c\",\"n\":3,\"ids\":[\"c\"]}",
};

// --- Expressions ----------------------------------------------------------------------------------

typedef enum sort {
    A_BOOL,
    A_NUMBER,
    A_TEXT,
    NUMBERS,
    TEXTS,
    ROWS,
    A_ROW,
} sort;

typedef struct source {
    const uint8_t *at, *end;
    lg_buf text;
    sort locals[LOCALS_MAX];
    uint32_t local_count;
} source;

static uint32_t next(source *s, uint32_t below)
{
    return s->at < s->end ? *s->at++ % below : 0;
}

static void write_of(source *s, sort of, uint32_t depth);

// `pattern` with `B`, `N`, `T`, `n`, `t`, `r` for an expression of a sort, `x` for the name bound, and
// `|` before what is said under it; `,` ends its list's sort.
static void write_pattern(source *s, const char *pattern, uint32_t depth)
{
    static const struct {
        char letter;
        sort of;
    } letters[] = {{'B', A_BOOL}, {'N', A_NUMBER}, {'T', A_TEXT}, {'X', NUMBERS},
                   {'Y', TEXTS},  {'R', ROWS},     {'W', A_ROW}};
    for (const char *c = pattern; *c; c++) {
        bool found = false;
        for (size_t i = 0; i < LG_COUNT(letters) && !found; i++) {
            found = letters[i].letter == *c;
            if (found) {
                write_of(s, letters[i].of, depth + 1);
            }
        }
        if (!found) {
            lg_buf_add_byte(&s->text, *c);
        }
    }
}

// `list.all(v2, condition)` and the like.
static void write_fold(source *s, const char *macro, const char *step, uint32_t depth)
{
    static const struct {
        sort list, item;
    } lists[] = {{NUMBERS, A_NUMBER}, {TEXTS, A_TEXT}, {ROWS, A_ROW}};
    uint32_t which = next(s, LG_COUNT(lists));
    write_of(s, lists[which].list, depth + 1);
    lg_buf_addf(&s->text, ".%s(v%u, ", macro, s->local_count);
    s->locals[s->local_count++] = lists[which].item;
    write_pattern(s, step, depth);
    s->local_count--;
    lg_buf_add_byte(&s->text, ')');
}

static void write_fold_of(source *s, sort list, sort item, const char *macro, const char *step,
                          uint32_t depth)
{
    write_of(s, list, depth + 1);
    lg_buf_addf(&s->text, ".%s(v%u, ", macro, s->local_count);
    s->locals[s->local_count++] = item;
    write_pattern(s, step, depth);
    s->local_count--;
    lg_buf_add_byte(&s->text, ')');
}

static bool write_local(source *s, sort of)
{
    for (uint32_t i = s->local_count; i-- > 0;) {
        if (s->locals[i] == of && next(s, 3)) {
            lg_buf_addf(&s->text, "v%u", i);
            return true;
        }
    }
    return false;
}

static void write_leaf(source *s, sort of)
{
    static const char *const leaves[][6] = {
        [A_BOOL] = {"ledger.r.b", "true", "false", "has(ledger.r.o)", "ledger.r.b", "ledger.r.b"},
        [A_NUMBER] = {"args.n", "ledger.r.n", "ledger.r.o", "2.0", "1.0", "ledger.r.m.a"},
        [A_TEXT] = {"args.k", "ledger.r.s", "\"a\"", "\"b\"", "args.k", "ledger.r.s"},
        [NUMBERS] = {"ledger.r.xs", "[args.n, 2.0]", "ledger.r.xs", "[1.0]", "ledger.r.xs",
                     "ledger.r.xs"},
        [TEXTS] = {"ledger.r.ys", "args.ids", "[\"a\", args.k]", "args.ids", "ledger.r.ys",
                   "args.ids"},
        [ROWS] = {"ledger.r.rows", "ledger.r.rows", "ledger.r.rows", "ledger.r.rows",
                  "ledger.r.rows", "ledger.r.rows"},
        [A_ROW] = {"ledger.r.rows[0]", "ledger.recs[args.k]", "ledger.r.rows[2]", "ledger.recs.a",
                   "ledger.recs[ledger.r.s]", "ledger.r.rows[1]"},
    };
    if (!write_local(s, of)) {
        lg_buf_add_c(&s->text, leaves[of][next(s, 6)]);
    }
}

static void write_bool(source *s, uint32_t depth)
{
    static const char *const patterns[] = {"(B && B)",
                                           "(B || B)",
                                           "!(B)",
                                           "(N < N)",
                                           "(N <= N)",
                                           "(N == N)",
                                           "(T == T)",
                                           "(T != T)",
                                           "(T in Y)",
                                           "(N in X)",
                                           "(T in ledger.r.m)",
                                           "(T < T)",
                                           "(B ? B : B)",
                                           "(W.tag == T)",
                                           "has(W.tag)",
                                           "(T in ledger.recs)",
                                           "(ledger.r.t == T)",
                                           "(W.tag == null)",
                                           "(X == X)",
                                           "(Y == Y)",
                                           "(W == W)",
                                           "T.startsWith(T)"};
    uint32_t way = next(s, LG_COUNT(patterns) + 9);
    if (way < LG_COUNT(patterns)) {
        write_pattern(s, patterns[way], depth);
    } else if (s->local_count + 1 >= LOCALS_MAX) {
        write_leaf(s, A_BOOL);
    } else {
        static const char *const macros[] = {"all", "exists", "exists_one"};
        write_fold(s, macros[(way - LG_COUNT(patterns)) % 3], "B", depth);
    }
}

static void write_number(source *s, uint32_t depth)
{
    static const char *const patterns[] = {"(N + N)",
                                           "(N - N)",
                                           "double(size(X))",
                                           "double(size(Y))",
                                           "sum(X)",
                                           "(2.0 * N)",
                                           "ledger.r.m[T]",
                                           "W.q",
                                           "(B ? N : N)",
                                           "X[0]",
                                           "X[2]",
                                           "X[int(N)]",
                                           "-(N)",
                                           "math.abs(N)",
                                           "math.round(N)",
                                           "double(int(N))",
                                           "double(size(T))",
                                           "math.greatest(N, N)",
                                           "double(size(ledger.r.m))",
                                           "double(size(ledger.recs))",
                                           "double(int(N) % 2)"};
    write_pattern(s, patterns[next(s, LG_COUNT(patterns))], depth);
}

static void write_list(source *s, sort of, uint32_t depth)
{
    bool room = s->local_count + 1 < LOCALS_MAX;
    uint32_t way = next(s, 5);
    if (way == 0 || !room) {
        write_pattern(s, of == NUMBERS ? "(X + X)" : of == TEXTS ? "(Y + Y)" : "(R + R)", depth);
    } else if (way < 3) {
        sort item = of == NUMBERS ? A_NUMBER : of == TEXTS ? A_TEXT : A_ROW;
        write_fold_of(s, of, item, "filter", "B", depth);
    } else if (of == ROWS) {
        lg_buf_add_c(&s->text, "ledger.r.rows");
    } else if (way == 3) {
        write_fold_of(s, ROWS, A_ROW, "map", of == NUMBERS ? "N" : "T", depth);
    } else {
        write_fold_of(s, of == NUMBERS ? NUMBERS : TEXTS, of == NUMBERS ? A_NUMBER : A_TEXT, "map",
                      of == NUMBERS ? "N" : "T", depth);
    }
}

static void write_of(source *s, sort of, uint32_t depth)
{
    if (depth >= DEPTH_MAX || next(s, 4) == 0) {
        write_leaf(s, of);
        return;
    }
    switch (of) {
    case A_BOOL:
        write_bool(s, depth);
        return;
    case A_NUMBER:
        write_number(s, depth);
        return;
    case A_TEXT: {
        static const char *const patterns[] = {"W.id", "(B ? T : T)", "(T + T)", "Y[0]", "Y[2]"};
        write_pattern(s, patterns[next(s, LG_COUNT(patterns))], depth);
        return;
    }
    case NUMBERS:
    case TEXTS:
    case ROWS:
        write_list(s, of, depth);
        return;
    case A_ROW:
        write_pattern(s, next(s, 2) ? "ledger.recs[T]" : "R[0]", depth);
        return;
    }
}

// --- Long texts -----------------------------------------------------------------------------------

// A letter by itself that is a value or the key of a map: between quotes, or the name of a field. The
// fields of `r` itself are not meant; of these one has such a name, `b`, and is a bool.
static bool is_letter(lg_str text, size_t at)
{
    if (at < 2 || at + 3 >= text.len || text.ptr[at] < 'a' || text.ptr[at] > 'd') {
        return false;
    }
    const char *c = text.ptr + at;
    bool is_bool = c[2] == ':' && (c[3] == 't' || c[3] == 'f');
    bool quoted = c[-1] == '"' && c[1] == '"' && !is_bool;
    bool field = c[-1] == '.' && c[-2] != 'r' && !(c[1] >= 'a' && c[1] <= 'z');
    return quoted || field;
}

// `text` with its letters made `size` bytes long.
static lg_str lengthen(lg_arena *arena, lg_str text, size_t size)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    for (size_t i = 0; i < text.len; i++) {
        lg_buf_add_repeat(&out, text.ptr[i], is_letter(text, i) ? size : 1);
    }
    lg_str made = lg_arena_str(arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return made;
}

// A condition on texts that are put together with a constant, or searched for one: functions whose
// name, to the prover, is their text.
static void write_long(source *s)
{
    static const char *const patterns[] = {
        "((T + \"b\") == T || B)", "((\"a\" + T).startsWith(T) && B)",
        "(T.contains(\"c\") ? B : B)", "((T + \"a\") in Y || B)", "(T.lowerAscii() == \"d\" && B)"};
    write_pattern(s, patterns[next(s, LG_COUNT(patterns))], 0);
}

// Takes the last byte, if it is one that says so.
static size_t take_length(source *s)
{
    static const uint32_t sizes[] = {200, 256, 300, 490, 500,  505,  510,  511,
                                     512, 513, 514, 600, 1024, 2048, 4080, 4096};
    bool says = s->at < s->end && s->end[-1] >= 0x80;
    return says ? sizes[*--s->end % LG_COUNT(sizes)] : 1;
}

// --- One pack -------------------------------------------------------------------------------------

static void report(const char *what, const lg_agreement_rule *r, const made_case *c,
                   lg_arena *arena)
{
    printf("%s: the gate says %s, the prover %s\n%.*s\nargs %.*s\nledger %.*s\n", what,
           lg_said_name(r->gate), lg_said_name(r->prover),
           LG_FMT(lg_cel_program_source(r->rule->that)), LG_FMT(fixture_print(arena, c->args)),
           LG_FMT(fixture_print(arena, c->ledger)));
    fflush(stdout);
    abort();
}

static void require_agreement(const char *way, const lg_agreement_result *r, const made_case *c,
                              lg_arena *arena)
{
    if (r->unfit) {
        return;
    }
    if (r->differ || r->verdict_differs) {
        report(way, &r->rules[0], c, arena);
    }
    if (r->broken) {
        report(r->broken, &r->rules[0], c, arena);
    }
    if (r->z3_differs) {
        report("Z3", &r->rules[0], c, arena);
    }
}

static void run_cases(const lg_pack *pack, uint32_t width, uint64_t seed, size_t letters)
{
    static case_maker maker; // too large for the stack
    lg_arena arena;
    lg_error error;
    lg_agreement *a = NULL;
    const lg_tool *tool = lg_pack_tool(pack, LG_STR("act"));
    lg_arena_init(&arena, 0);
    maker_init_of(&maker, pack, seed, 16, 256);
    for (size_t i = 0; i < LG_COUNT(ledgers); i++) {
        for (size_t k = 0; k < LG_COUNT(calls); k++) {
            lg_str ledger = lengthen(&maker.data, lg_str_c(ledgers[i]), letters);
            lg_str args = lengthen(&maker.data, lg_str_c(calls[k]), letters);
            add_start(&maker, tool, fixture_json(&maker.data, ledger.ptr),
                      fixture_json(&maker.data, args.ptr));
        }
    }
    maker_ready(&maker);
    if (lg_agreement_open(pack, tool, width, &a, &error) != LG_OK) {
        abort();
    }
    for (uint32_t i = 0; i < CASES; i++) {
        made_case c = next_case(&maker);
        lg_agreement_case of = {
            .ledger = c.ledger, .args = c.args, .seed = i, .premises = true, .ask_z3 = i == 0};
        lg_agreement_result r;
        if (lg_agreement_of_formulas(a, &of, &arena, &r, &error) == LG_OK) {
            require_agreement("formulas", &r, &c, &arena);
        }
        if (lg_agreement_of_values(a, &of, &arena, &r, &error) == LG_OK) {
            require_agreement("values", &r, &c, &arena);
        }
        lg_arena_reset(&arena);
    }
    lg_agreement_close(a);
    maker_done(&maker);
    lg_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = {.at = data, .end = data + size};
    size_t letters = take_length(&s);
    uint32_t width = 1 + next(&s, 3);
    uint64_t seed = 1 + next(&s, 256);
    lg_pack *pack = NULL;
    lg_buf_init(&s.text, 0);
    lg_buf_add_c(&s.text, " ");
    if (letters > 1) {
        write_long(&s);
    } else {
        write_of(&s, A_BOOL, 0);
    }
    lg_buf_add_c(&s.text, "'}\n");
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str rule = lengthen(&arena, lg_buf_str(&s.text), letters);
    lg_str text = lg_arena_printf(&arena, "%s%.*s", head, LG_FMT(rule));
    if (lg_pack_load_text(text, "fuzz", NULL, &pack, NULL, 0, NULL) == LG_OK) {
        run_cases(pack, width, seed, letters);
        lg_pack_free(pack);
    }
    lg_arena_done(&arena);
    lg_buf_done(&s.text);
    return 0;
}
