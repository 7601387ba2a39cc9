// sarif.c: one log with one run.
#include "report/sarif.h"

#include "base/hash.h"
#include "report/report_internal.h"

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static void text_object(lg_json_writer *w, const char *key, lg_str value)
{
    lg_jw_key(w, key);
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "text", value);
    lg_jw_end_object(w);
}

static void write_rules(lg_json_writer *w, const lg_sarif_rule *rules, size_t count)
{
    lg_jw_key(w, "rules");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "id", rules[i].id);
        text_object(w, "shortDescription", lg_str_c(rules[i].text));
        text_object(w, "fullDescription", lg_str_c(rules[i].text)); // some hosts show this one
        if (rules[i].help) {
            text_object(w, "help", lg_str_c(rules[i].help));
        }
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void lg_sarif_begin(lg_sarif *s, lg_buf *out, lg_str folder, const lg_sarif_rule *rules,
                    size_t count)
{
    *s = (lg_sarif){.w = {.out = out}, .folder = folder, .rules = rules, .count = count};
    lg_json_writer *w = &s->w;
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "$schema", LG_STR(SCHEMA));
    lg_jw_member_str(w, "version", LG_STR("2.1.0"));
    lg_jw_key(w, "runs");
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    lg_jw_key(w, "tool");
    lg_jw_begin_object(w);
    lg_jw_key(w, "driver");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", LG_STR("ledgergate"));
    lg_jw_member_c(w, "version", lg_version());
    write_rules(w, rules, count);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    lg_jw_member_str(w, "columnKind", LG_STR("unicodeCodePoints"));
    lg_jw_key(w, "results");
    lg_jw_begin_array(w);
}

// --- Places -------------------------------------------------------------------------------------

// What may stand in a path as it is (RFC 3986 section 3.3). A colon may not, in the first segment of
// a relative one.
static bool is_plain(unsigned char c)
{
    bool letter = lg_is_letter(c);
    return letter || lg_is_digit(c) || (c && strchr("-._~/", c));
}

static void add_escaped(lg_buf *out, lg_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        if (is_plain(c)) {
            lg_buf_add_byte(out, path.ptr[i]);
        } else {
            lg_buf_addf(out, "%%%02X", (unsigned)c);
        }
    }
}

// Relative to `folder`, if it lies in there.
static void add_uri(lg_buf *out, lg_str folder, const char *path)
{
    lg_str file = lg_str_c(path);
    while (lg_str_starts(file, LG_STR("./"))) {
        file = lg_str_slice(file, 2, file.len);
    }
    if (!lg_str_starts(file, LG_STR("/"))) {
        add_escaped(out, file);
        return;
    }
    lg_str below = lg_str_slice(file, folder.len, file.len);
    if (folder.len && lg_str_starts(file, folder) && lg_str_starts(below, LG_STR("/"))) {
        add_escaped(out, lg_str_slice(below, 1, below.len));
    } else {
        lg_buf_add_c(out, "file://");
        add_escaped(out, file);
    }
}

static void write_region(lg_json_writer *w, const lg_sarif_result *r)
{
    if (r->line <= 0) {
        return;
    }
    lg_jw_key(w, "region");
    lg_jw_begin_object(w);
    lg_jw_member_int(w, "startLine", r->line);
    if (r->column > 0) {
        lg_jw_member_int(w, "startColumn", r->column);
    }
    lg_jw_end_object(w);
}

static void write_location(lg_sarif *s, const lg_sarif_result *r)
{
    lg_json_writer *w = &s->w;
    lg_buf uri;
    lg_buf_init(&uri, 0);
    add_uri(&uri, s->folder, r->path);
    lg_jw_key(w, "locations");
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    lg_jw_key(w, "physicalLocation");
    lg_jw_begin_object(w);
    lg_jw_key(w, "artifactLocation");
    lg_jw_begin_object(w);
    write_buf(w, "uri", &uri);
    lg_jw_end_object(w);
    write_region(w, r);
    lg_jw_end_object(w);
    if (r->subject.len) {
        lg_jw_key(w, "logicalLocations");
        lg_jw_begin_array(w);
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "fullyQualifiedName", r->subject);
        lg_jw_end_object(w);
        lg_jw_end_array(w);
    }
    lg_jw_end_object(w);
    lg_jw_end_array(w);
    lg_buf_done(&uri);
}

// --- Results ------------------------------------------------------------------------------------

// A level is for what fails; of anything else it must be "none" (SARIF 2.1.0 section 3.27.10).
static const char *level_of(lg_sarif_kind kind)
{
    switch (kind) {
    case LG_SARIF_ERROR:
        return "error";
    case LG_SARIF_WARNING:
        return "warning";
    case LG_SARIF_NOTE:
        return "note";
    case LG_SARIF_OPEN:
    case LG_SARIF_REVIEW:
    case LG_SARIF_PASS:
        break;
    }
    return "none";
}

void lg_sarif_result_begin(lg_sarif *s, const lg_sarif_result *r)
{
    lg_json_writer *w = &s->w;
    const char *kind = r->kind == LG_SARIF_OPEN     ? "open"
                       : r->kind == LG_SARIF_REVIEW ? "review"
                       : r->kind == LG_SARIF_PASS   ? "pass"
                                                    : "fail";
    LG_ASSERT(r->rule < s->count);
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "ruleId", s->rules[r->rule].id);
    lg_jw_member_uint(w, "ruleIndex", r->rule);
    lg_jw_member_c(w, "kind", kind);
    lg_jw_member_c(w, "level", level_of(r->kind));
    text_object(w, "message", r->message);
    write_location(s, r);
    if (r->identity.len) {
        char hash[65];
        lg_sha256_hex(r->identity, hash);
        lg_jw_key(w, "partialFingerprints");
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "ledgergate/v1", hash);
        lg_jw_end_object(w);
    }
    lg_jw_key(w, "properties");
    lg_jw_begin_object(w);
}

void lg_sarif_result_end(lg_sarif *s)
{
    lg_jw_end_object(&s->w);
    lg_jw_end_object(&s->w);
}

void lg_sarif_end(lg_sarif *s)
{
    lg_jw_end_array(&s->w);
    lg_jw_end_object(&s->w);
    lg_jw_end_array(&s->w);
    lg_jw_end_object(&s->w);
    lg_buf_add_c(s->w.out, "\n");
}
