// JUnit XML: counts, cases, and text that would make it no XML.
#include "lg_test.h"

#include "base/alloc.h"
#include "base/str.h"
#include "report/junit.h"

static lg_buf out;

static bool holds(const char *part)
{
    return lg_str_find(lg_buf_str(&out), lg_str_c(part)) != SIZE_MAX;
}

// A document of one case that fails with this text.
static void write_failure(lg_str text)
{
    lg_junit j;
    lg_buf_clear(&out);
    lg_junit_begin(&j, &out, LG_STR("audit"), (lg_junit_counts){.cases = 1, .failed = 1});
    lg_junit_case_begin(&j, LG_STR("airline"), LG_STR("12/0"), LG_STR("runs/day.json"));
    lg_junit_failure(&j, LG_STR("severe"), text, text);
    lg_junit_case_end(&j);
    lg_junit_end(&j);
}

static void cases_are_counted_and_whole(void)
{
    lg_junit j;
    lg_buf_clear(&out);
    lg_junit_begin(&j, &out, LG_STR("a \"suite\""), (lg_junit_counts){3, 1});
    lg_junit_case_begin(&j, LG_STR("g"), LG_STR("one"), LG_STR(""));
    lg_junit_case_end(&j);
    lg_junit_case_begin(&j, LG_STR("g"), LG_STR("two"), LG_STR("f.json"));
    lg_junit_failure(&j, LG_STR("severe"), LG_STR("m"), LG_STR("t"));
    lg_junit_failure(&j, LG_STR("moderate"), LG_STR("n"), LG_STR(""));
    lg_junit_case_end(&j);
    lg_junit_case_begin(&j, LG_STR("g"), LG_STR("three"), LG_STR(""));
    lg_junit_case_end(&j);
    lg_junit_end(&j);
    CHECK(lg_buf_status(&out) == LG_OK);
    CHECK_STR(lg_buf_str(&out), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                                "<testsuite name=\"a &quot;suite&quot;\" tests=\"3\" "
                                "failures=\"1\" errors=\"0\">\n"
                                "  <testcase classname=\"g\" name=\"one\">\n  </testcase>\n"
                                "  <testcase classname=\"g\" name=\"two\" file=\"f.json\">\n"
                                "    <failure type=\"severe\" message=\"m\">t</failure>\n"
                                "    <failure type=\"moderate\" message=\"n\"></failure>\n"
                                "  </testcase>\n"
                                "  <testcase classname=\"g\" name=\"three\">\n"
                                "  </testcase>\n"
                                "</testsuite>\n</testsuites>\n");
}

static void text_is_text(void)
{
    write_failure(LG_STR("a<b>&\"c\"]]>\r\n\t"));
    CHECK(holds("message=\"a&lt;b&gt;&amp;&quot;c&quot;]]&gt;&#13;&#10;&#9;\""));
    CHECK(holds(">a&lt;b&gt;&amp;\"c\"]]&gt;&#13;\n\t</failure>"));
}

// Nothing that XML 1.0 forbids gets through, whatever the bytes are.
static void what_xml_forbids_is_replaced(void)
{
    write_failure(lg_str_of("\x00\x01\x0b\x1b\x1f", 5));
    CHECK(holds("message=\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""));
    write_failure(LG_STR("\xEF\xBF\xBE\xEF\xBF\xBF"
                         "x"));
    CHECK(holds(">\xEF\xBF\xBD\xEF\xBF\xBDx</failure>"));
    write_failure(LG_STR("\xff\xed\xa0\x80\xc3"));
    CHECK(holds(">\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD</failure>"));
    write_failure(LG_STR("\xc3\xa9 \xf0\x9f\x98\x80"));
    CHECK(holds(">\xc3\xa9 \xf0\x9f\x98\x80</failure>"));
    for (int c = 0; c < 256; c++) {
        char byte = (char)c;
        write_failure(lg_str_of(&byte, 1));
        for (size_t i = 0; i < out.len; i++) {
            unsigned char got = (unsigned char)out.ptr[i];
            CHECK(got >= 0x20 || got == '\n' || got == '\t');
        }
    }
}

static void memory_may_end(void)
{
    uint64_t before = lg_alloc_count();
    lg_buf_done(&out);
    lg_buf_init(&out, 0);
    write_failure(LG_STR("x"));
    uint64_t count = lg_alloc_count() - before;
    for (uint64_t n = 1; n <= count; n++) {
        lg_buf_done(&out);
        lg_buf_init(&out, 0);
        lg_alloc_fail_at(n);
        write_failure(LG_STR("x"));
        lg_alloc_fail_at(0);
        CHECK(lg_buf_status(&out) == LG_ERR_OOM);
    }
}

int main(void)
{
    lg_buf_init(&out, 0);
    RUN(cases_are_counted_and_whole);
    RUN(text_is_text);
    RUN(what_xml_forbids_is_replaced);
    RUN(memory_may_end);
    lg_buf_done(&out);
    return lg_test_done();
}
