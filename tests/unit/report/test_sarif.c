// SARIF: places of files, levels of kinds, fingerprints.
#include "lg_test.h"

#include "report/sarif.h"

static lg_buf out;

static const lg_sarif_rule rules[] = {{"first", "The first.", NULL},
                                      {"second", "The second.", "Mend it."}};

// Writes a log of one result in folder `/home/me`.
static lg_str log_of(const lg_sarif_result *result)
{
    lg_sarif s;
    lg_buf_clear(&out);
    lg_sarif_begin(&s, &out, LG_STR("/home/me"), rules, LG_COUNT(rules));
    lg_sarif_result_begin(&s, result);
    lg_jw_key(&s.w, "why");
    lg_jw_c(&s.w, "so");
    lg_sarif_result_end(&s);
    lg_sarif_end(&s);
    CHECK(lg_buf_status(&out) == LG_OK);
    return lg_buf_str(&out);
}

static bool holds(lg_str text, const char *part)
{
    return lg_str_find(text, lg_str_c(part)) != SIZE_MAX;
}

static bool is_at(const char *path, const char *uri)
{
    char want[256];
    (void)snprintf(want, sizeof(want), "\"artifactLocation\":{\"uri\":\"%s\"}", uri);
    lg_sarif_result result = {.path = path};
    return CHECK_MSG(holds(log_of(&result), want), path);
}

static void places_are_what_a_code_host_finds(void)
{
    is_at("packs/retail/pack.yaml", "packs/retail/pack.yaml");
    is_at("././pack.yaml", "pack.yaml");
    is_at("/home/me/packs/pack.yaml", "packs/pack.yaml");
    is_at("/home/meet/pack.yaml", "file:///home/meet/pack.yaml");
    is_at("/pack.yaml", "file:///pack.yaml");
    is_at("a b:%\xc3\xa9.yaml", "a%20b%3A%25%C3%A9.yaml");
}

static void a_result_is_whole(void)
{
    lg_sarif_result result = {.rule = 1,
                              .kind = LG_SARIF_WARNING,
                              .message = LG_STR("It is."),
                              .path = "p.yaml",
                              .line = 3,
                              .column = 5,
                              .subject = LG_STR("act"),
                              .identity = LG_STR("abc")};
    lg_str text = log_of(&result);
    size_t at = lg_str_find(text, LG_STR("\"results\":"));
    CHECK_STR(lg_str_slice(text, at, text.len),
              "\"results\":[{\"ruleId\":\"second\",\"ruleIndex\":1,\"kind\":\"fail\","
              "\"level\":\"warning\",\"message\":{\"text\":\"It is.\"},\"locations\":["
              "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"p.yaml\"},\"region\":"
              "{\"startLine\":3,\"startColumn\":5}},\"logicalLocations\":"
              "[{\"fullyQualifiedName\":\"act\"}]}],\"partialFingerprints\":{\"ledgergate/v1\":"
              "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"},"
              "\"properties\":{\"why\":\"so\"}}]}]}\n");
    CHECK(holds(text, "\"version\":\"2.1.0\""));
    CHECK(holds(text, "{\"id\":\"second\",\"shortDescription\":{\"text\":\"The second.\"},"
                      "\"fullDescription\":{\"text\":\"The second.\"},"
                      "\"help\":{\"text\":\"Mend it.\"}}"));
}

// SARIF 2.1.0 section 3.27.10: what does not fail has no level.
static void only_what_fails_has_a_level(void)
{
    static const struct {
        lg_sarif_kind kind;
        const char *want;
    } cases[] = {{LG_SARIF_ERROR, "\"kind\":\"fail\",\"level\":\"error\""},
                 {LG_SARIF_NOTE, "\"kind\":\"fail\",\"level\":\"note\""},
                 {LG_SARIF_OPEN, "\"kind\":\"open\",\"level\":\"none\""},
                 {LG_SARIF_REVIEW, "\"kind\":\"review\",\"level\":\"none\""},
                 {LG_SARIF_PASS, "\"kind\":\"pass\",\"level\":\"none\""}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_sarif_result result = {.kind = cases[i].kind, .path = "p.yaml"};
        lg_str text = log_of(&result);
        CHECK_MSG(holds(text, cases[i].want), cases[i].want);
        CHECK(!holds(text, "region") && !holds(text, "partialFingerprints"));
    }
}

int main(void)
{
    lg_buf_init(&out, 0);
    RUN(places_are_what_a_code_host_finds);
    RUN(a_result_is_whole);
    RUN(only_what_fails_has_a_level);
    lg_buf_done(&out);
    return lg_test_done();
}
