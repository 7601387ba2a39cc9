// guess.c: does a tool read or write? What its source says outright goes first, then its HTTP method, then words.
//
// A document in which every operation is a POST (tools converted to OpenAPI) says nothing with its methods. Such an
// operation is known by a path without parameters that ends in the operation's own name, and the words of the name decide.
#include "simulate/open_world.h"

#include "catalogue/kind.h"
#include "simulate/open_world_internal.h"

static bool said_outright(const lg_catalogue_tool *tool, lg_tool_kind *ret)
{
    lg_str word = lg_json_str(lg_json_get(tool->source, LG_STR("x-ledgergate-kind")));
    const lg_json *annotations = lg_json_get(tool->source, LG_STR("annotations"));
    const lg_json *read_only = lg_json_get(annotations, LG_STR("readOnlyHint"));
    if (lg_str_eq(word, LG_STR("read"))) {
        *ret = LG_TOOL_READ;
    } else if (lg_str_eq(word, LG_STR("write"))) {
        *ret = LG_TOOL_WRITE;
    } else if (lg_str_eq(word, LG_STR("generic"))) {
        *ret = LG_TOOL_GENERIC;
    } else if (lg_json_is_true(lg_json_get(annotations, LG_STR("destructiveHint")))) {
        *ret = LG_TOOL_WRITE;
    } else if (lg_json_is(read_only, LG_JSON_BOOL)) {
        *ret = read_only->as.boolean ? LG_TOOL_READ : LG_TOOL_WRITE;
    } else {
        return false;
    }
    return true;
}

static lg_tool_kind kind_of_words(lg_words words, lg_tool_kind otherwise)
{
    switch (words) {
    case LG_WORDS_READ:
        return LG_TOOL_READ;
    case LG_WORDS_WRITE:
        return LG_TOOL_WRITE;
    case LG_WORDS_GENERIC:
        return LG_TOOL_GENERIC;
    case LG_WORDS_UNKNOWN:
        return otherwise;
    }
    return otherwise;
}

bool ow_is_rpc(const lg_catalogue_tool *tool)
{
    if (tool->path.len == 0) {
        return true;
    }
    if (lg_json_get(tool->source, LG_STR("x-ledgergate-kind"))) {
        return lg_str_find(tool->path, LG_STR("{")) == SIZE_MAX;
    }
    size_t from = tool->path.len;
    while (from > 0 && tool->path.ptr[from - 1] != '/') {
        from--;
    }
    return lg_str_eq(tool->method, LG_STR("POST")) &&
           lg_str_find(tool->path, LG_STR("{")) == SIZE_MAX &&
           lg_str_eq(lg_str_slice(tool->path, from, tool->path.len), tool->name);
}

// `create` of `checks/create`: what stands before is a group, whatever its words.
static lg_str bare_name(const lg_catalogue_tool *tool)
{
    lg_str name = tool->id.len ? tool->id : tool->path;
    size_t from = name.len;
    while (from > 0 && name.ptr[from - 1] != '/' && name.ptr[from - 1] != '.') {
        from--;
    }
    return lg_str_slice(name, from, name.len);
}

// Of a POST of a REST interface: is it a question? Only if its path ends in a verb that asks (`/customers/search`), and the
// first word of its operation's own name, if it has one, is such a verb too. `lists` and `statuses` are things.
static bool is_question(const lg_catalogue_tool *tool)
{
    static const char *const asking[] = {"search", "query",    "find",  "lookup", "list",
                                         "get",    "fetch",    "check", "filter", "count",
                                         "read",   "retrieve", NULL};
    size_t from = tool->path.len;
    while (from > 0 && tool->path.ptr[from - 1] != '/' && tool->path.ptr[from - 1] != ':') {
        from--;
    }
    size_t at = from;
    ow_word last = ow_plain(lg_words_next(tool->path, &at));
    lg_str name = tool->id.len ? bare_name(tool) : lg_str_slice(tool->path, from, tool->path.len);
    at = 0;
    lg_str first = lg_words_next(name, &at);
    ow_word word = ow_plain(first);
    bool plural = ow_is_plural(first);
    return ow_word_in(&last, asking) && !plural &&
           (ow_word_in(&word, asking) || lg_words_kind(first, LG_STR("")) == LG_WORDS_READ);
}

lg_tool_kind lg_guess_kind(const lg_catalogue_tool *tool, bool *ret_of_words)
{
    static const char *const reading[] = {"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"};
    lg_tool_kind kind;
    *ret_of_words = false;
    if (said_outright(tool, &kind)) {
        return kind;
    }
    if (ow_is_rpc(tool)) {
        *ret_of_words = true;
        return kind_of_words(lg_words_kind(tool->name, tool->description), LG_TOOL_GENERIC);
    }
    for (size_t i = 0; i < LG_COUNT(reading); i++) {
        if (lg_str_eq(tool->method, lg_str_c(reading[i]))) {
            return LG_TOOL_READ;
        }
    }
    bool asks = lg_str_eq(tool->method, LG_STR("POST")) && is_question(tool);
    *ret_of_words = asks;
    return asks ? LG_TOOL_READ : LG_TOOL_WRITE;
}
