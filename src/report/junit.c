// junit.c: XML 1.0 with nothing in it that would make it none.
#include "report/junit.h"

#include "base/str.h"
#include "base/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD"

// Char of XML 1.0 section 2.2; surrogates are no UTF-8.
static bool is_allowed(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xFFFE && c != 0xFFFF);
}

// What stands for it: in text and, with `quoted`, in the value of an attribute, where line ends would become blanks
// (section 3.3.3). NULL: it stands for itself.
static const char *reference(uint32_t c, bool quoted)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;"; // "]]>" ends no text
    case '&':
        return "&amp;";
    case '"':
        return quoted ? "&quot;" : NULL;
    case '\n':
        return quoted ? "&#10;" : NULL;
    case '\t':
        return quoted ? "&#9;" : NULL;
    case '\r':
        return "&#13;"; // a parser makes a line feed of one that stands as it is (section 2.11)
    default:
        return is_allowed(c) ? NULL : REPLACEMENT;
    }
}

static void add_escaped(lg_buf *out, lg_str text, bool quoted)
{
    for (size_t at = 0; at < text.len;) {
        lg_str rest = lg_str_slice(text, at, text.len);
        size_t length = lg_utf8_length(rest);
        if (length == 0) {
            lg_buf_add_c(out, REPLACEMENT);
            at++;
            continue;
        }
        size_t next = 0;
        const char *instead = reference(lg_utf8_next(rest, &next), quoted);
        if (instead) {
            lg_buf_add_c(out, instead);
        } else {
            lg_buf_add(out, lg_str_slice(rest, 0, length));
        }
        at += length;
    }
}

static void attribute(lg_buf *out, const char *name, lg_str value)
{
    lg_buf_addf(out, " %s=\"", name);
    add_escaped(out, value, true);
    lg_buf_add_byte(out, '"');
}

void lg_junit_begin(lg_junit *j, lg_buf *out, lg_str name, lg_junit_counts counts)
{
    *j = (lg_junit){.out = out};
    lg_buf_add_c(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    attribute(out, "name", name);
    lg_buf_addf(out, " tests=\"%llu\" failures=\"%llu\" errors=\"0\">\n",
                (unsigned long long)counts.cases, (unsigned long long)counts.failed);
}

void lg_junit_case_begin(lg_junit *j, lg_str group, lg_str name, lg_str file)
{
    lg_buf_add_c(j->out, "  <testcase");
    attribute(j->out, "classname", group);
    attribute(j->out, "name", name);
    if (file.len) {
        attribute(j->out, "file", file);
    }
    lg_buf_add_c(j->out, ">\n");
}

void lg_junit_failure(lg_junit *j, lg_str type, lg_str message, lg_str text)
{
    lg_buf_add_c(j->out, "    <failure");
    attribute(j->out, "type", type);
    attribute(j->out, "message", message);
    lg_buf_add_byte(j->out, '>');
    add_escaped(j->out, text, false);
    lg_buf_add_c(j->out, "</failure>\n");
}

void lg_junit_case_end(lg_junit *j)
{
    lg_buf_add_c(j->out, "  </testcase>\n");
}

void lg_junit_end(lg_junit *j)
{
    lg_buf_add_c(j->out, "</testsuite>\n</testsuites>\n");
}
