// The page as a file: what stands in it, what cannot, and that nothing is left when it fails.
#include "lg_test.h"
#include "temp_folder.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "page/page.h"

#include <sys/stat.h>

static char folder[128];
static char path[256];
static lg_error err;

static const char plain[] =
    "{\"conversation\":{\"messages\":[{\"event\":0,\"turn\":0,\"role\":\"user\",\"text\":\"hi\"}]},"
    "\"audit\":{\"id\":\"aa\",\"conversation\":\"1/"
    "0\",\"model\":\"m\",\"domain\":\"d\",\"reward\":1,"
    "\"pack\":{\"name\":\"p\",\"version\":\"1\"},"
    "\"checks\":{\"db\":1,\"said\":false},\"scores\":{\"aggregate\":85.5},\"evaluators\":[{"
    "\"name\":\"output\",\"score\":85}],"
    "\"findings\":[{\"id\":1,\"kind\":\"loop\",\"severity\":\"severe\",\"turn\":4,\"tool\":\"t\","
    "\"root\":1,\"message\":\"It went round.\"},"
    "{\"id\":2,\"kind\":\"loop\",\"severity\":\"minor\",\"root\":1}],\"undecided\":[{\"kind\":"
    "\"owed\",\"turn\":3}]}}";

static lg_page *begin(void)
{
    lg_page *page = NULL;
    lg_page_options options = {.path = path, .title = "A <b> & \"c\""};
    CHECK(lg_page_begin(&options, &page, &err) == LG_OK);
    return page;
}

static void add(lg_page *page, const char *artefact)
{
    CHECK_MSG(lg_page_add(page, lg_str_c(artefact), LG_STR("conversations/1.json"), &err) == LG_OK,
              err.msg);
}

static size_t times(lg_str text, const char *part)
{
    size_t n = 0;
    for (size_t at; (at = lg_str_find(text, lg_str_c(part))) != SIZE_MAX; n++) {
        text = lg_str_slice(text, at + 1, text.len);
    }
    return n;
}

static bool holds(lg_str text, const char *part)
{
    return lg_str_find(text, lg_str_c(part)) != SIZE_MAX;
}

// From behind `from` to before `to`.
static lg_str between(lg_str text, const char *from, const char *to)
{
    size_t at = lg_str_find(text, lg_str_c(from));
    text = at == SIZE_MAX ? LG_STR("") : lg_str_slice(text, at + strlen(from), text.len);
    return lg_str_slice(text, 0, lg_str_find(text, lg_str_c(to)));
}

static void what_is_known_stands_in_it(void)
{
    lg_file file;
    lg_page *page = begin();
    add(page, plain);
    add(page, plain);
    CHECK(lg_page_add_before(page, LG_STR("{\"id\":\"old\"}"), &err) == LG_OK);
    CHECK(lg_page_end(page, LG_STR("{\"roc_auc\":{}}"), &err) == LG_OK);
    if (!CHECK(lg_file_read(path, NULL, &file, &err) == LG_OK)) {
        return;
    }
    CHECK(holds(file.text, "<title>A &lt;b&gt; &amp; &quot;c&quot;</title>"));
    CHECK(holds(file.text, "<b>2</b> conversations"));
    CHECK(holds(file.text, "<b>2</b> severe</a> <span>in 2</span>"));
    CHECK(holds(file.text, "<b>2/2</b> with reward 1"));
    CHECK(holds(file.text, "<b>85.5</b> mean aggregate <span>n 2</span>"));
    CHECK(holds(file.text, "\"stats\":{\"roc_auc\":{}}"));
    lg_str summary = between(file.text, "id=\"summary\">", "</script>");
    lg_json_doc *doc = NULL;
    CHECK(lg_json_parse(summary, NULL, &doc, &err) == LG_OK);
    const lg_json *root = doc ? lg_json_root(doc) : NULL;
    CHECK(lg_json_len(lg_json_get(root, LG_STR("rows"))) == 3);
    CHECK(lg_json_len(lg_json_get(root, LG_STR("groups"))) == 2);
    const lg_json *row = lg_json_item(lg_json_get(root, LG_STR("rows")), 1);
    CHECK(lg_json_len(row) == 24);
    double composite = 0;
    CHECK(lg_json_double(lg_json_item(row, 10), &composite) && composite == 0.5);
    CHECK(lg_json_len(lg_json_item(lg_json_item(lg_json_item(row, 17), 1), 0)) == 0);
    CHECK(lg_json_len(lg_json_item(lg_json_item(row, 17), 1)) == 6); // a symptom names its root
    lg_json_doc_free(doc);
    CHECK(times(file.text, "<script type=\"text/plain\"") == 1);
    CHECK(!holds(file.text, "@@"));
    lg_file_close(&file);
}

// Base64 of SHA-256, as the page's policy names what may run.
static void the_policy_allows_this_program_alone(void)
{
    lg_file file;
    lg_page *page = begin();
    CHECK(lg_page_end(page, LG_STR(""), &err) == LG_OK);
    if (!CHECK(lg_file_read(path, NULL, &file, &err) == LG_OK)) {
        return;
    }
    lg_str program = between(file.text, "<script type=\"module\" async>", "</script>");
    lg_str named = between(file.text, "script-src 'sha256-", "'");
    char hex[65];
    lg_sha256_hex(program, hex);
    CHECK(program.len > 1000 && named.len == 44);
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < 42;
         i++) { // six bits of each digit, beside three of two hexadecimal ones
        unsigned got = (unsigned)(strchr(digits, named.ptr[i]) - digits);
        unsigned bits = 0;
        for (size_t bit = 6 * i; bit < 6 * i + 6; bit++) {
            unsigned nibble =
                (unsigned)(hex[bit / 4] <= '9' ? hex[bit / 4] - '0' : hex[bit / 4] - 'a' + 10);
            bits = bits << 1 | (nibble >> (3 - bit % 4) & 1);
        }
        CHECK(got == bits);
    }
    CHECK(!holds(program, "\nimport ") && !holds(program, "\nexport "));
    CHECK(!holds(program, "<!--"));
    lg_file_close(&file);
}

static void what_was_said_is_no_markup(void)
{
    lg_file file;
    lg_page *page = begin();
    add(page,
        "{\"conversation\":{\"prompt\":\"</script><img onerror=x>\"},\"audit\":{\"id\":\"</script>"
        "<b>\",\"model\":\"<!--\",\"findings\":[{\"kind\":\"<script>\",\"message\":\"&amp;</"
        "script>\"}]}}");
    CHECK(lg_page_end(page, LG_STR("{\"a\":\"</script>\"}"), &err) == LG_OK);
    if (!CHECK(lg_file_read(path, NULL, &file, &err) == LG_OK)) {
        return;
    }
    CHECK(!holds(file.text, "<!--") && !holds(file.text, "<img") && !holds(file.text, "&amp;<"));
    CHECK(times(file.text, "<script") == 3 && times(file.text, "</script>") == 3);
    CHECK(holds(file.text, "\\u003c/script\\u003e\\u003cb\\u003e"));
    lg_file_close(&file);
}

static void what_is_no_artefact_leaves_the_page_as_it_was(void)
{
    lg_file file;
    lg_page *page = begin();
    add(page, plain);
    CHECK(lg_page_add(page, LG_STR("{\"audit\":"), LG_STR(""), &err) == LG_ERR_PARSE);
    CHECK(lg_page_add(page, LG_STR("[]"), LG_STR(""), &err) == LG_ERR_TYPE);
    CHECK(lg_page_add(page, LG_STR("{\"audit\":3}"), LG_STR(""), &err) == LG_ERR_TYPE);
    CHECK(lg_page_add_before(page, LG_STR("3"), &err) == LG_ERR_TYPE);
    add(page, "{\"audit\":{}}");
    add(page, "{\"audit\":{\"id\":[],\"findings\":{\"a\":1},\"evaluators\":[1],\"scores\":[],"
              "\"undecided\":[null],\"counts\":7}}");
    CHECK(lg_page_end(page, LG_STR(""), &err) == LG_OK);
    if (CHECK(lg_file_read(path, NULL, &file, &err) == LG_OK)) {
        CHECK(holds(file.text, "<b>3</b> conversations"));
        lg_file_close(&file);
    }
}

// Conversations that are not embedded have a row that says where they lie.
static void a_large_page_leaves_conversations_out(void)
{
    lg_file file;
    lg_page *page = NULL;
    lg_page_options options = {.path = path, .embed_bytes = 1000};
    CHECK(lg_page_begin(&options, &page, &err) == LG_OK);
    for (int i = 0; i < 400; i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"conversation\":{\"prompt\":\"%d %d\"},\"audit\":{\"id\":\"%d\"}}", i, i * 7919,
                 i);
        add(page, text);
    }
    CHECK(lg_page_end(page, LG_STR(""), &err) == LG_OK);
    if (CHECK(lg_file_read(path, NULL, &file, &err) == LG_OK)) {
        CHECK(times(file.text, "<script type=\"text/plain\"") < 20);
        CHECK(times(file.text, ",null,\"conversations/1.json\",false]") > 200);
        CHECK(holds(file.text, "<b>400</b> conversations"));
        lg_file_close(&file);
    }
}

static void long_texts_stand_once(void)
{
    lg_file file;
    static char artefact[40000];
    static char prompt[30001];
    for (size_t i = 0; i < sizeof(prompt) - 1; i++) {
        prompt[i] = (char)('a' + (i * 7919 + i / 13 * 31) % 26);
    }
    lg_page *page = begin();
    for (int i = 0; i < 64; i++) {
        snprintf(artefact, sizeof(artefact),
                 "{\"conversation\":{\"prompt\":\"%s\"},\"audit\":{\"id\":\"%d\"}}", prompt, i);
        add(page, artefact);
    }
    CHECK(lg_page_end(page, LG_STR(""), &err) == LG_OK);
    if (CHECK(lg_file_read(path, NULL, &file, &err) == LG_OK)) {
        CHECK(times(file.text, "data-from=\"0\"") == 1 && times(file.text, " data-from=") == 1);
        CHECK(times(file.text, " id=\"c3\"") == 1 && times(file.text, " id=\"c4\"") == 0);
        lg_file_close(&file);
    }
}

static void nothing_is_left_beside_it(void)
{
    DIR *dir = opendir(folder);
    size_t files = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        files += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(dir);
    CHECK(files <= 1);
}

static void a_folder_that_is_not_there_is_named(void)
{
    lg_page *page = NULL;
    lg_page_options options = {.path = "no-such-folder/x.html"};
    CHECK(lg_page_begin(&options, &page, &err) == LG_ERR_IO && page == NULL);
    CHECK(strstr(err.msg, "no-such-folder/x.html") != NULL);
}

static bool whole(void)
{
    lg_page *page = NULL;
    lg_page_options options = {.path = path};
    if (lg_page_begin(&options, &page, &err) != LG_OK) {
        return false;
    }
    if (lg_page_add(page, lg_str_c(plain), LG_STR(""), &err) != LG_OK ||
        lg_page_add_before(page, LG_STR("{\"id\":\"x\"}"), &err) != LG_OK) {
        lg_page_drop(page);
        return false;
    }
    return lg_page_end(page, LG_STR("{}"), &err) == LG_OK;
}

// Whichever allocation fails, the old page stands, or the new one, and nothing else.
static void memory_may_end_anywhere(void)
{
    uint64_t before = lg_alloc_count();
    CHECK(whole());
    uint64_t count = lg_alloc_count() - before;
    CHECK(count > 10);
    for (uint64_t n = 1; n <= count; n++) {
        lg_alloc_fail_at(n);
        bool fine = whole();
        lg_alloc_fail_at(0);
        CHECK(!fine && err.status == LG_ERR_OOM);
        nothing_is_left_beside_it();
    }
    lg_file file;
    if (CHECK(lg_file_read(path, NULL, &file, &err) == LG_OK)) {
        CHECK(lg_str_ends(file.text, LG_STR("</html>\n")));
        lg_file_close(&file);
    }
}

int main(void)
{
    if (lg_temp_folder(folder)) {
        lg_temp_path(path, sizeof(path), folder, "page.html");
        RUN(what_is_known_stands_in_it);
        RUN(the_policy_allows_this_program_alone);
        RUN(what_was_said_is_no_markup);
        RUN(what_is_no_artefact_leaves_the_page_as_it_was);
        RUN(a_large_page_leaves_conversations_out);
        RUN(long_texts_stand_once);
        RUN(nothing_is_left_beside_it);
        RUN(a_folder_that_is_not_there_is_named);
        RUN(memory_may_end_anywhere);
        lg_temp_remove(folder);
    }
    return lg_test_done();
}
