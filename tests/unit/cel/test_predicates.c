// The predicates of the worked domains: all of them compile, and some decide as they should.
#include "cel_fixture.h"

#include "base/file.h"

static const lg_cel_type *map_of_dyn(cel_fixture *f)
{
    return lg_cel_type_map(&f->arena, lg_cel_type_of_kind(LG_CEL_STRING),
                           lg_cel_type_of_kind(LG_CEL_DYN));
}

static void declare_usual(cel_fixture *f, const char *ledger, const char *args)
{
    fixture_declare(f, "ledger", map_of_dyn(f), fixture_json(f, ledger));
    fixture_declare(f, "args", map_of_dyn(f), fixture_json(f, args));
    fixture_declare(f, "now", lg_cel_type_of_kind(LG_CEL_TIMESTAMP),
                    lg_cel_make_timestamp(1715785200, 0)); // 2024-05-15T15:00:00Z
    fixture_declare(f, "tool", lg_cel_type_of_kind(LG_CEL_STRING),
                    lg_cel_make_str(LG_STR("cancel_reservation")));
}

static void compiles(cel_fixture *f, const char *id, const lg_json *source)
{
    if (!fixture_compile(f, lg_json_str(source))) {
        printf("%s: %.*s\n", id, LG_FMT(f->text));
        CHECK_MSG(false, id);
    } else {
        CHECK(true);
    }
}

static void predicate_compiles(const lg_json *predicate)
{
    cel_fixture f;
    fixture_init(&f);
    declare_usual(&f, "{}", "{}");
    char id[128];
    snprintf(id, sizeof(id), "%.*s", LG_FMT(lg_json_str(lg_json_get(predicate, LG_STR("id")))));
    const lg_json *let = lg_json_get(predicate, LG_STR("let"));
    for (size_t i = 0; i < lg_json_len(let); i++) {
        const lg_json *pair = lg_json_item(let, i);
        compiles(&f, id, lg_json_item(pair, 1));
        uint32_t slot = lg_cel_env_declare(f.env, lg_json_str(lg_json_item(pair, 0)),
                                           lg_cel_type_of_kind(LG_CEL_DYN));
        CHECK_MSG(slot == 4 + i, id);
    }
    if (lg_json_is(lg_json_get(predicate, LG_STR("when")), LG_JSON_STRING)) {
        compiles(&f, id, lg_json_get(predicate, LG_STR("when")));
    }
    compiles(&f, id, lg_json_get(predicate, LG_STR("condition")));
    fixture_done(&f);
}

static size_t domain_compiles(const char *data, const char *domain)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/data/tau2/%s/predicates.json", data, domain);
    lg_file file;
    lg_json_doc *doc = NULL;
    lg_error error;
    if (!CHECK_MSG(lg_file_open(path, 1 << 24, &file, &error) == LG_OK, path)) {
        return 0;
    }
    size_t count = 0;
    if (CHECK_MSG(lg_json_parse(file.text, NULL, &doc, &error) == LG_OK, path)) {
        count = lg_json_len(lg_json_root(doc));
        for (size_t i = 0; i < count; i++) {
            predicate_compiles(lg_json_item(lg_json_root(doc), i));
        }
    }
    lg_json_doc_free(doc);
    lg_file_close(&file);
    return count;
}

static void all_real_predicates_compile(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: predicates of the worked domains (no shared data)\n");
        return;
    }
    size_t count = domain_compiles(data, "airline") + domain_compiles(data, "retail") +
                   domain_compiles(data, "telecom");
    CHECK(count == 77);
}

static void predicates_decide(void)
{
    static const struct {
        const char *source;
        const char *want;
    } cases[] = {
        {"args.user_id == ledger.user.user_id", "bool true"},
        {"ledger.reservations[args.reservation_id].user_id == 'sara'", "bool true"},
        {"ledger.reservations['NONE'].user_id == 'sara'", "missing: no such key `NONE`"},
        {"ledger.reservations[args.reservation_id].flights.exists(f, f.flight_number in "
         "ledger.flight_status && f.date in ledger.flight_status[f.flight_number] && "
         "ledger.flight_status[f.flight_number][f.date] == 'cancelled')",
         "bool true"},
        {"timestamp(ledger.reservations[args.reservation_id].created_at + 'Z') >= now - "
         "duration('24h')",
         "bool true"},
        {"!has(ledger.reservations.R1.status) || ledger.reservations.R1.status != 'cancelled'",
         "bool true"},
        {"sum(ledger.reservations.R1.flights.map(f, f.price)) * double(size("
         "ledger.reservations.R1.flights))",
         "double 601"},
        {"range(size(args.ids)).all(i, args.ids[i] != args.new_ids[i])", "bool false"},
        {"args.ids.all(i, size(args.ids.filter(x, x == i)) <= 1)", "bool true"},
        {"ledger.history.exists(h, h.name == tool && h.args == args)", "bool false"},
        {"args.dob.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}$')", "bool true"},
    };
    cel_fixture f;
    fixture_init(&f);
    declare_usual(
        &f,
        "{\"user\":{\"user_id\":\"sara\"},\"history\":[],\"flight_status\":{\"HAT1\":{"
        "\"2024-05-16\":\"cancelled\"}},\"reservations\":{\"R1\":{\"user_id\":\"sara\","
        "\"created_at\":\"2024-05-14T16:00:00\",\"status\":null,\"flights\":[{\"flight_number\":"
        "\"HAT0\",\"date\":\"2024-05-15\",\"price\":100.5},{\"flight_number\":\"HAT1\",\"date\":"
        "\"2024-05-16\",\"price\":200}]}}}",
        "{\"user_id\":\"sara\",\"reservation_id\":\"R1\",\"ids\":[\"1\",\"2\"],\"new_ids\":[\"3\","
        "\"2\"],\"dob\":\"1990-01-02\"}");
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        CHECK_STR(fixture_run(&f, cases[i].source), cases[i].want);
    }
    fixture_done(&f);
}

int main(void)
{
    RUN(all_real_predicates_compile);
    RUN(predicates_decide);
    return lg_test_done();
}
