// JSON Pointer: the examples of RFC 6901, and the way back from an offset.
#include "lg_test.h"

#include "json/json.h"

static lg_json_doc *parse(const char *text)
{
    lg_json_doc *doc = NULL;
    CHECK_MSG(lg_json_parse(lg_str_c(text), NULL, &doc, NULL) == LG_OK, text);
    return doc;
}

static void check_at(const lg_json *root, const char *pointer, const char *want)
{
    const lg_json *value = lg_json_at(root, lg_str_c(pointer));
    lg_buf out;
    lg_buf_init(&out, 0);
    if (value) {
        lg_json_print(&out, value);
    } else {
        lg_buf_add_c(&out, "none");
    }
    if (!lg_test_check_str(lg_buf_str(&out), want, __FILE__, __LINE__, pointer)) {
        printf("    at %s\n", pointer);
    }
    lg_buf_done(&out);
}

static void names_a_value(void)
{
    static const struct {
        const char *pointer;
        const char *value;
    } rows[] = {
        // RFC 6901 section 5
        {"/foo", "[\"bar\",\"baz\"]"},
        {"/foo/0", "\"bar\""},
        {"/", "0"},
        {"/a~1b", "1"},
        {"/c%d", "2"},
        {"/e^f", "3"},
        {"/g|h", "4"},
        {"/i\\j", "5"},
        {"/k\"l", "6"},
        {"/ ", "7"},
        {"/m~0n", "8"},
        // and what it forbids
        {"foo", "none"},
        {"/foo/2", "none"},
        {"/foo/-", "none"},
        {"/foo/00", "none"},
        {"/foo/01", "none"},
        {"/foo/+1", "none"},
        {"/foo/", "none"},
        {"/foo/18446744073709551616", "none"},
        {"/foo/4294967296", "none"},
        {"/foo/0/x", "none"},
        {"/m~n", "none"},
        {"/m~", "none"},
        {"/m~2n", "none"},
        {"/m~01", "9"},
        {"/nothing", "none"},
        {"//", "none"},
    };
    lg_json_doc *doc = parse("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
                             "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"m~1\":9}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_at(lg_json_root(doc), rows[i].pointer, rows[i].value);
    }
    CHECK(lg_json_at(lg_json_root(doc), LG_STR("")) == lg_json_root(doc));
    CHECK(lg_json_at(NULL, LG_STR("/a")) == NULL);
    lg_json_doc_free(doc);
}

static void tokens_are_escaped(void)
{
    static const char *const keys[] = {"plain", "", "a/b", "~", "~1", "/", "~~//x"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_json_pointer_add(&out, lg_str_c(keys[i]));
        lg_json_member member = lg_json_make_member(lg_str_c(keys[i]), lg_json_make_int(42));
        lg_json object = lg_json_make_object(&member, 1);
        const lg_json *found = lg_json_at(&object, lg_buf_str(&out));
        CHECK_MSG(found == &member.value, keys[i]);
        lg_buf_done(&out);
    }
}

static void an_offset_has_a_pointer(void)
{
    const char *text = "{\"a\": [10, {\"b/c\": \"x\"}], \"d\": {}}";
    static const struct {
        const char *at; // the first place where this stands in the text
        const char *pointer;
    } rows[] = {
        {"{", ""},        {"\"a\"", "/a"},        {"[", "/a"},          {"10", "/a/0"},
        {"{\"b", "/a/1"}, {"\"b/c", "/a/1/b~1c"}, {"\"x", "/a/1/b~1c"}, {"\"d\"", "/d"},
        {"{}", "/d"},
    };
    lg_json_doc *doc = parse(text);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lg_buf out;
        lg_buf_init(&out, 0);
        uint32_t offset = (uint32_t)(strstr(text, rows[i].at) - text);
        lg_json_pointer_of(&out, lg_json_root(doc), offset);
        CHECK_STR(lg_buf_str(&out), rows[i].pointer);
        lg_buf_done(&out);
    }
    lg_json_doc_free(doc);
}

// Every value of a document is found again by the pointer of its own offset.
static void check_all(const lg_json *root, const lg_json *value)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_pointer_of(&out, root, value->offset);
    CHECK(lg_json_at(root, lg_buf_str(&out)) == value);
    lg_buf_done(&out);
    for (size_t i = 0; i < lg_json_len(value); i++) {
        check_all(root, value->type == LG_JSON_OBJECT ? &lg_json_member_at(value, i)->value
                                                      : &value->as.items[i]);
    }
}

static void pointers_and_offsets_agree(void)
{
    lg_json_doc *doc = parse("[[],[[1]],{\"\":{\"~\":[2,3,{\"/\":null}]},\"k\":\"v\"},\"end\"]");
    check_all(lg_json_root(doc), lg_json_root(doc));
    lg_json_doc_free(doc);
}

int main(void)
{
    RUN(names_a_value);
    RUN(tokens_are_escaped);
    RUN(an_offset_has_a_pointer);
    RUN(pointers_and_offsets_agree);
    return lg_test_done();
}
