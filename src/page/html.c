// html.c: the page itself: web/report.html with its marks filled in.
#include "page/page_internal.h"

#include "base/base64.h"
#include "base/hash.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

static lg_str web_file(const char *name)
{
    for (const page_file *file = page_web_files; file->name; file++) {
        if (strcmp(file->name, name) == 0) {
            return file->text;
        }
    }
    return LG_STR("");
}

static void add_c(page_spool *to, const char *text)
{
    page_spool_add(to, lg_str_c(text));
}

// `special` are the bytes that `word` replaces.
static void add_replaced(page_spool *to, lg_str text, const char *special,
                         const char *(*word)(char))
{
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] && strchr(special, text.ptr[i])) {
            page_spool_add(to, lg_str_slice(text, from, i));
            add_c(to, word(text.ptr[i]));
            from = i + 1;
        }
    }
    page_spool_add(to, lg_str_slice(text, from, text.len));
}

static const char *in_json(char c)
{
    return c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
}

static const char *in_html(char c)
{
    return c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : "&#39;";
}

// `<`, `>` and `&` stand in strings alone, where an escape is the same.
void page_add_data(page_spool *to, lg_str json)
{
    add_replaced(to, json, "<>&", in_json);
}

static void add_text(page_spool *to, lg_str text)
{
    add_replaced(to, text, "<>&\"'", in_html);
}

// --- Program and styles -----------------------------------------------------------------------------

static bool ends(const char *name, const char *suffix)
{
    return lg_str_ends(lg_str_c(name), lg_str_c(suffix));
}

// The modules one after the other, without what makes them modules: a page that is opened as a file can import none.
static void join_program(lg_buf *out)
{
    for (const page_file *file = page_web_files; file->name; file++) {
        if (!ends(file->name, ".js")) {
            continue;
        }
        lg_buf_add_byte(out, '\n');
        for (size_t at = 0; at < file->text.len;) {
            size_t end = lg_str_line_end(file->text, at);
            lg_str line = lg_str_slice(file->text, at, end);
            at = end + 1;
            if (lg_str_starts(line, LG_STR("import "))) {
                continue;
            }
            if (lg_str_starts(line, LG_STR("export "))) {
                line = lg_str_slice(line, sizeof("export ") - 1, line.len);
            }
            lg_buf_add(out, line);
            lg_buf_add_byte(out, '\n');
        }
    }
}

// 'sha256-...' as a policy has it (CSP 3, section 2.3.1).
static void add_source_hash(page_spool *to, lg_str text)
{
    unsigned char digest[LG_SHA256_BYTES];
    char word[LG_SHA256_BYTES / 3 * 4 + 4];
    lg_sha256(text, digest);
    size_t length = lg_base64(word, (lg_str){(const char *)digest, sizeof(digest)});
    add_c(to, "'sha256-");
    page_spool_add(to, (lg_str){word, length});
    add_c(to, "'");
}

static void add_policy(page_spool *to, lg_str program, lg_str styles)
{
    add_c(to, "default-src 'none'; script-src ");
    add_source_hash(to, program);
    add_c(to, "; style-src ");
    add_source_hash(to, styles);
    add_c(to, "; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
              "trusted-types 'none'");
}

// --- Totals -----------------------------------------------------------------------------------------

static void add_count(page_spool *to, uint64_t count)
{
    char plain[24];
    int length = snprintf(plain, sizeof(plain), "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) {
            add_c(to, ",");
        }
        page_spool_add(to, (lg_str){plain + i, 1});
    }
}

static void add_severity(page_spool *to, const page_totals *t, page_severity severity,
                         const char *name)
{
    add_c(to, "<li data-severity=\"");
    add_c(to, name);
    add_c(to, "\"><a href=\"#/findings?severity=");
    add_c(to, name);
    add_c(to, "\"><b>");
    add_count(to, t->findings[severity]);
    add_c(to, "</b> ");
    add_c(to, name);
    add_c(to, "</a> <span>in ");
    add_count(to, t->in[severity]);
    add_c(to, "</span></li>\n");
}

static void add_share(page_spool *to, const char *words, uint64_t part, uint64_t all)
{
    add_c(to, "<li><b>");
    add_count(to, part);
    add_c(to, "/");
    add_count(to, all);
    add_c(to, "</b> ");
    add_c(to, words);
    add_c(to, "</li>\n");
}

static void add_totals(page_spool *to, const page_totals *t)
{
    char mean[32];
    add_c(to, "<ul class=\"totals\">\n<li><a href=\"#/findings\"><b>");
    add_count(to, t->conversations);
    add_c(to,
          t->conversations == 1 ? "</b> conversation</a></li>\n" : "</b> conversations</a></li>\n");
    add_severity(to, t, PAGE_SEVERE, "severe");
    add_severity(to, t, PAGE_MODERATE, "moderate");
    add_severity(to, t, PAGE_MINOR, "minor");
    add_severity(to, t, PAGE_HINT, "hint");
    add_c(to, "<li data-severity=\"undecided\"><a href=\"#/findings?severity=undecided\"><b>");
    add_count(to, t->undecided);
    add_c(to, "</b> undecided</a></li>\n");
    add_share(to, "without a finding", t->without_finding, t->conversations);
    if (t->scored) {
        (void)snprintf(mean, sizeof(mean), "%.1f", t->aggregate / (double)t->scored);
        add_c(to, "<li><b>");
        add_c(to, mean);
        add_c(to, "</b> mean aggregate <span>n ");
        add_count(to, t->scored);
        add_c(to, "</span></li>\n");
    }
    if (t->rewarded) {
        add_share(to, "with reward 1", t->passed, t->rewarded);
    }
    if (t->with_pack < t->conversations) {
        add_share(to, "fit no pack", t->conversations - t->with_pack, t->conversations);
    }
    add_c(to, "</ul>\n");
}

// --- The page ---------------------------------------------------------------------------------------

static void add_summary(lg_page *page, lg_str stats, page_spool *to)
{
    page_spool_add(to, LG_STR("{\"version\":1,\"names\":["));
    page_add_data(to, lg_buf_str(&page->name_list));
    page_spool_add(to, LG_STR("],\"groups\":["));
    page_add_data(to, lg_buf_str(&page->group_list));
    page_spool_add(to, LG_STR("],\"stats\":"));
    page_add_data(to, stats.len ? stats : LG_STR("null"));
    page_spool_add(to, LG_STR(",\"rows\":["));
    page_spool_copy(to, &page->rows);
    page_spool_add(to, LG_STR("]}"));
}

static void fill_mark(lg_page *page, lg_str mark, lg_str stats, lg_str program, page_spool *to)
{
    lg_str styles = web_file("report.css");
    if (lg_str_eq(mark, LG_STR("title"))) {
        add_text(to, lg_str_c(page->title));
    } else if (lg_str_eq(mark, LG_STR("policy"))) {
        add_policy(to, program, styles);
    } else if (lg_str_eq(mark, LG_STR("styles"))) {
        page_spool_add(to, styles);
    } else if (lg_str_eq(mark, LG_STR("totals"))) {
        add_totals(to, &page->totals);
    } else if (lg_str_eq(mark, LG_STR("summary"))) {
        add_summary(page, stats, to);
    } else if (lg_str_eq(mark, LG_STR("program"))) {
        page_spool_add(to, program);
    } else if (lg_str_eq(mark, LG_STR("blocks"))) {
        page_spool_copy(to, &page->blocks);
    }
}

// A mark is `@@name@@`.
lg_status page_write(lg_page *page, lg_str stats, page_spool *to)
{
    lg_str html = web_file("report.html");
    lg_buf program;
    lg_buf_init(&program, 0);
    join_program(&program);
    lg_status status = lg_buf_status(&program);
    while (html.len && status == LG_OK) {
        size_t begin = lg_str_find(html, LG_STR("@@"));
        page_spool_add(to, lg_str_slice(html, 0, begin));
        html = lg_str_slice(html, begin == SIZE_MAX ? html.len : begin + 2, html.len);
        size_t end = lg_str_find(html, LG_STR("@@"));
        if (begin == SIZE_MAX || end == SIZE_MAX) {
            break;
        }
        fill_mark(page, lg_str_slice(html, 0, end), stats, lg_buf_str(&program), to);
        html = lg_str_slice(html, end + 2, html.len);
        status = to->status;
    }
    lg_buf_done(&program);
    return status;
}
