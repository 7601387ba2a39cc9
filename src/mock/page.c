// page.c: /ui/: the page, out of files that stand in the program.
#include "base/str.h"
#include "mock/page_files.h"

#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "        \
    "'self'; "                                                                                     \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "                                \
    "require-trusted-types-for 'script'; trusted-types 'none'"

static const mock_page_file *find(lg_str name)
{
    for (const mock_page_file *f = mock_page_files; f->name; f++) {
        if (lg_str_eq(name, lg_str_c(f->name))) {
            return f;
        }
    }
    return NULL;
}

static lg_str type_of(lg_str name)
{
    return lg_str_ends(name, LG_STR(".js"))    ? LG_STR("text/javascript; charset=utf-8")
           : lg_str_ends(name, LG_STR(".svg")) ? LG_STR("image/svg+xml")
           : lg_str_ends(name, LG_STR(".css")) ? LG_STR("text/css; charset=utf-8")
                                               : LG_STR("text/html; charset=utf-8");
}

static void answer(mock_exchange *x, const mock_page_file *file)
{
    (void)mock_begin(x, 200);
    x->header_count = 0;
    mock_header(x, LG_STR("content-type"), type_of(lg_str_c(file->name)));
    mock_header(x, LG_STR("cache-control"), LG_STR("no-cache"));
    mock_header(x, LG_STR("content-security-policy"), LG_STR(POLICY));
    mock_header(x, LG_STR("x-content-type-options"), LG_STR("nosniff"));
    mock_header(x, LG_STR("referrer-policy"), LG_STR("no-referrer"));
    lg_buf_add(x->out, file->text);
}

void mock_page(mock_exchange *x)
{
    if (!mock_takes(x, "GET, HEAD")) {
        return;
    }
    if (x->segment_count == 1) { // relative names want a slash at the end
        (void)mock_begin(x, 308);
        x->header_count = 0;
        mock_header(x, LG_STR("location"), LG_STR("/ui/"));
        return;
    }
    lg_str name = x->segments[1].len ? x->segments[1] : LG_STR("sim.html");
    const mock_page_file *file = x->segment_count == 2 ? find(name) : NULL;
    if (file) {
        answer(x, file);
    } else {
        mock_fail(x, 404, "unknown_path", "the page has no such file");
    }
}
