// read.c: one line of an audit becomes a row, or is no result, or is bad.
#include "stats/stats_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define VERSION 1

// What a line that is no result may be about (docs/audit.md, docs/reports.md).
static const char *const others[] = {"summary",      "broken_file", "skipped_file",
                                     "import_error", "lost",        "duplicate",
                                     "no_pack",      "broken_line", "import_errors_dropped"};

typedef struct reading {
    lg_stats *stats;
    const lg_json *root;
    lg_status status;
    lg_error *reterr;
} reading;

static const lg_json *member(const lg_json *object, const char *key)
{
    const lg_json *value = lg_json_get(object, lg_str_c(key));
    return lg_json_is(value, LG_JSON_NULL) ? NULL : value;
}

// What is wrong first is what is said.
static void refuse(reading *r, const char *key, const char *what)
{
    if (r->status == LG_OK) {
        r->status = lg_fail(r->reterr, LG_ERR_FORMAT, "`%s` of a result %s", key, what);
    }
}

static void run_out(reading *r)
{
    if (r->status == LG_OK) {
        r->status = lg_fail_oom(r->reterr);
    }
}

// --- Members --------------------------------------------------------------------------------------

static lg_str text_of(reading *r, const lg_json *object, const char *key)
{
    const lg_json *value = member(object, key);
    if (value && !lg_json_is(value, LG_JSON_STRING)) {
        refuse(r, key, "is no text");
    }
    return lg_json_str(value);
}

static double number_of(reading *r, const lg_json *value, const char *key)
{
    double number = LG_UNKNOWN;
    if (value && !lg_json_double(value, &number)) {
        refuse(r, key, "is no number");
    }
    return number;
}

static const lg_json *of_type(reading *r, const lg_json *object, const char *key, lg_json_type type)
{
    const lg_json *value = member(object, key);
    if (value && !lg_json_is(value, type)) {
        refuse(r, key, type == LG_JSON_ARRAY ? "is no list" : "is no object");
        return NULL;
    }
    return value;
}

static uint32_t name_in(reading *r, lg_names *names, lg_str text)
{
    uint32_t number = lg_names_put(&r->stats->arena, names, text);
    if (number == LG_NO_NAME) {
        run_out(r);
    }
    return number;
}

static uint32_t name_or_none(reading *r, lg_names *names, lg_str text)
{
    return text.len ? name_in(r, names, text) : LG_NO_NAME;
}

static int64_t trial_of(reading *r)
{
    int64_t trial = -1;
    const lg_json *value = member(r->root, "trial");
    if (value && (!lg_json_int(value, &trial) || trial < 0)) {
        refuse(r, "trial", "is no number from 0");
    }
    return trial;
}

static uint64_t carried_out_of(reading *r)
{
    int64_t count = 0;
    const lg_json *value = member(of_type(r, r->root, "counts", LG_JSON_OBJECT), "carried_out");
    if (value && (!lg_json_int(value, &count) || count < 0)) {
        refuse(r, "counts.carried_out", "is no number from 0");
        return 0;
    }
    return (uint64_t)count;
}

// --- Scores ---------------------------------------------------------------------------------------

static uint32_t column_of(reading *r, lg_str name)
{
    lg_names *columns = &r->stats->columns;
    uint32_t column = lg_names_find(columns, name);
    if (column != LG_NO_NAME && column < LG_SCORES) {
        refuse(r, "evaluators", "has one with the name of a score");
    } else if (column == LG_NO_NAME && columns->count >= LG_COLUMNS_MAX) {
        refuse(r, "evaluators", "has a name more than the 28 that are counted");
    } else if (column == LG_NO_NAME) {
        column = name_in(r, columns, name);
    }
    return column;
}

static void read_evaluators(reading *r, double scores[LG_COLUMNS_MAX])
{
    const lg_json *list = of_type(r, r->root, "evaluators", LG_JSON_ARRAY);
    for (size_t i = 0; i < lg_json_len(list) && r->status == LG_OK; i++) {
        const lg_json *evaluator = lg_json_item(list, i);
        lg_str name = text_of(r, evaluator, "name");
        double score = number_of(r, member(evaluator, "score"), "evaluators.score");
        if (name.len == 0) {
            refuse(r, "evaluators", "has one without a name");
        } else if (!isnan(score)) { // one that never ran has no column
            uint32_t column = column_of(r, name);
            if (r->status == LG_OK) {
                scores[column] = score;
            }
        }
    }
}

static void read_scores(reading *r, lg_stats_row *row)
{
    double scores[LG_COLUMNS_MAX];
    const lg_json *object = of_type(r, r->root, "scores", LG_JSON_OBJECT);
    for (uint32_t i = 0; i < LG_COLUMNS_MAX; i++) {
        scores[i] = LG_UNKNOWN;
        if (i < LG_SCORES) {
            lg_str name = r->stats->columns.texts[i];
            scores[i] = number_of(r, member(object, name.ptr), name.ptr);
        }
    }
    read_evaluators(r, scores);
    row->score_count = r->stats->columns.count;
    double *kept = LG_NEW_ARRAY(&r->stats->arena, double, row->score_count);
    if (!kept) {
        run_out(r);
        return;
    }
    memcpy(kept, scores, row->score_count * sizeof(*kept));
    row->scores = kept;
}

// --- Findings and checks --------------------------------------------------------------------------

static uint32_t severity_of(reading *r, lg_str name)
{
    static const char *const names[LG_SEVERITIES] = {"hint", "minor", "moderate", "severe"};
    for (uint32_t i = 0; i < LG_SEVERITIES; i++) {
        if (lg_str_eq(name, lg_str_c(names[i]))) {
            return i;
        }
    }
    refuse(r, "findings", "has one whose severity is none of hint, minor, moderate, severe");
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Equal ones become one with their number.
static void keep_found(reading *r, lg_stats_row *row, uint64_t *all, size_t count)
{
    lg_stats_found *found = LG_NEW_ARRAY(&r->stats->arena, lg_stats_found, count + 1);
    if (!found) {
        run_out(r);
        return;
    }
    qsort(all, count, sizeof(*all), by_number);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || all[i] != all[i - 1]) {
            found[row->found_count++] = (lg_stats_found){(uint32_t)(all[i] / LG_SEVERITIES),
                                                         (uint32_t)(all[i] % LG_SEVERITIES), 0};
        }
        found[row->found_count - 1].count++;
    }
    row->found = found;
}

static void read_findings(reading *r, lg_stats_row *row)
{
    const lg_json *list = of_type(r, r->root, "findings", LG_JSON_ARRAY);
    size_t count = lg_json_len(list);
    uint64_t *all = LG_NEW_ARRAY(&r->stats->scratch, uint64_t, count + 1);
    if (!all) {
        run_out(r);
        return;
    }
    for (size_t i = 0; i < count && r->status == LG_OK; i++) {
        const lg_json *finding = lg_json_item(list, i);
        lg_str kind = text_of(r, finding, "kind");
        uint32_t severity = severity_of(r, text_of(r, finding, "severity"));
        if (kind.len == 0) {
            refuse(r, "findings", "has one without a kind");
        }
        all[i] = (uint64_t)name_or_none(r, &r->stats->kinds, kind) * LG_SEVERITIES + severity;
    }
    if (r->status == LG_OK && count) {
        keep_found(r, row, all, count);
    }
}

static double check_of(reading *r, const lg_json *value)
{
    return lg_json_is(value, LG_JSON_BOOL) ? value->as.boolean : number_of(r, value, "checks");
}

static void read_checks(reading *r, lg_stats_row *row)
{
    const lg_json *object = of_type(r, r->root, "checks", LG_JSON_OBJECT);
    size_t count = lg_json_len(object);
    lg_stats_check *checks = count ? LG_NEW_ARRAY(&r->stats->arena, lg_stats_check, count) : NULL;
    if (count && !checks) {
        run_out(r);
        return;
    }
    for (size_t i = 0; i < count && r->status == LG_OK; i++) {
        const lg_json_member *one = lg_json_member_at(object, i);
        if (!lg_json_is(&one->value, LG_JSON_NULL)) {
            checks[row->check_count++] = (lg_stats_check){
                name_in(r, &r->stats->checks, lg_json_key(one)), check_of(r, &one->value)};
        }
    }
    row->checks = checks;
}

// --- The whole ------------------------------------------------------------------------------------

static bool is_other(const lg_json *root)
{
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        if (lg_json_get(root, lg_str_c(others[i]))) {
            return true;
        }
    }
    return false;
}

// As recorded; where no model was recorded, the folder of the file stands for it: "(tau-trait)".
static uint32_t model_of(reading *r)
{
    lg_str model = text_of(r, r->root, "model");
    lg_str file = text_of(r, r->root, "file");
    char room[256];
    size_t end = file.len;
    while (end > 0 && file.ptr[end - 1] != '/') {
        end--;
    }
    lg_str folder = lg_str_slice(file, 0, end > 0 ? end - 1 : 0);
    while (folder.len > 0 && memchr(folder.ptr, '/', folder.len)) {
        folder = lg_str_slice(
            folder, (size_t)((const char *)memchr(folder.ptr, '/', folder.len) - folder.ptr) + 1,
            folder.len);
    }
    if (model.len == 0 && folder.len > 0 && folder.len < sizeof(room) - 2) {
        int length = snprintf(room, sizeof(room), "(%.*s)", LG_FMT(folder));
        model = lg_str_of(room, (size_t)length);
    }
    return name_in(r, &r->stats->models, model);
}

static void read_row(reading *r, lg_stats_row *row)
{
    lg_stats *stats = r->stats;
    const lg_json *version = member(r->root, "version");
    int64_t number = 0;
    if (version && (!lg_json_int(version, &number) || number != VERSION)) {
        refuse(r, "version", "is not 1: it is of a later program");
    }
    row->domain = name_in(r, &stats->domains, text_of(r, r->root, "domain"));
    row->model = model_of(r);
    row->task = name_or_none(r, &stats->tasks, text_of(r, r->root, "task"));
    row->customer = name_or_none(r, &stats->customers, text_of(r, r->root, "customer"));
    row->failure = name_or_none(r, &stats->failures, text_of(r, r->root, "class"));
    row->did = name_or_none(r, &stats->dids, text_of(r, r->root, "did"));
    row->trial = trial_of(r);
    row->reward = number_of(r, member(r->root, "reward"), "reward");
    row->carried_out = carried_out_of(r);
    read_findings(r, row);
    read_checks(r, row);
    if (r->status == LG_OK) { // last: what is bad adds no column
        read_scores(r, row);
    }
}

static lg_status read_result(reading *r, lg_str id, lg_stats_row **ret, lg_stats_added *ret_added)
{
    lg_stats *stats = r->stats;
    uint32_t known = lg_names_find(&stats->ids, id);
    if (known != LG_NO_NAME) {
        *ret_added = (lg_stats_added){LG_STATS_DUPLICATE, stats->ids.texts[known]};
        return LG_OK;
    }
    lg_stats_row *row = LG_NEW(&stats->arena, lg_stats_row);
    if (!row) {
        return lg_fail_oom(r->reterr);
    }
    read_row(r, row);
    if (r->status != LG_OK) {
        return r->status;
    }
    uint32_t number =
        lg_names_put(&stats->arena, &stats->ids, id); // last: what is bad may come again
    if (number == LG_NO_NAME) {
        return lg_fail_oom(r->reterr);
    }
    row->id = stats->ids.texts[number];
    ret_added->id = row->id;
    *ret = row;
    return LG_OK;
}

lg_status lg_stats_read(lg_stats *stats, lg_str line, lg_stats_row **ret, lg_stats_added *ret_added,
                        lg_error *reterr)
{
    reading r = {.stats = stats, .reterr = reterr, .status = LG_OK};
    if (lg_str_trim(line).len == 0) {
        return LG_OK;
    }
    lg_status status = lg_json_parse_in(&stats->scratch, line, 0, line.len, NULL, &r.root, reterr);
    if (status != LG_OK) {
        return status;
    }
    const lg_json *id = lg_json_get(r.root, LG_STR("id"));
    if (lg_json_is(id, LG_JSON_STRING) && lg_json_is(member(r.root, "scores"), LG_JSON_OBJECT)) {
        return read_result(&r, lg_json_str(id), ret, ret_added);
    }
    return is_other(r.root) ? LG_OK
                            : lg_fail(reterr, LG_ERR_FORMAT,
                                      "this is no result of an audit: it has no `id` and `scores`");
}
