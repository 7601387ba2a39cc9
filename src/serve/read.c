// read.c: a configuration from its text: by the table of keys, with a place for whatever is wrong.
//
// Everything that is wrong is found in one go, up to a bound. ${NAME} stands for a variable of the environment in
// every text; a secret must come from there or from a file, so that none stands in a configuration.
#include "base/file.h"
#include "base/str.h"
#include "net/http.h"
#include "pack/yaml.h"
#include "serve/files.h"
#include "serve/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#define SECRET_BYTES_MAX 8192u
#define PAIRS_MAX 30u // headers that are set

typedef struct reading {
    lg_serve_config *config;
    const lg_serve_host *host;
    lg_serve_problems *problems;
    size_t wrong;
} reading;

LG_PRINTF(3, 4) static void wrong(reading *r, uint32_t offset, const char *format, ...)
{
    lg_error err;
    lg_position at = lg_text_position(r->config->text, offset);
    at.file = r->config->file.ptr;
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(&err, LG_ERR_PARSE, at, format, args);
    va_end(args);
    (void)lg_serve_problem_add(r->problems, &err, r->config->text);
    r->wrong++;
}

static void wrong_memory(reading *r)
{
    lg_error err;
    (void)lg_fail_oom(&err);
    (void)lg_serve_problem_add(r->problems, &err, LG_STR(""));
    r->wrong++;
}

// --- Texts --------------------------------------------------------------------------------------

static bool is_variable(lg_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = lg_is_letter(c) || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
            return false;
        }
    }
    return name.len > 0 && name.len < 256;
}

// What stands behind "${", up to its end. False after saying what is wrong.
static bool add_variable(reading *r, const lg_json *value, lg_str rest, lg_buf *out,
                         size_t *ret_len)
{
    char name[256];
    size_t end = lg_str_find(rest, LG_STR("}"));
    lg_str named = lg_str_slice(rest, 0, end == SIZE_MAX ? 0 : end);
    if (!is_variable(named)) {
        wrong(r, value->offset,
              "`${` begins the name of a variable of the environment, such as "
              "${UPSTREAM_KEY}; write $${ for the two signs themselves");
        return false;
    }
    memcpy(name, named.ptr, named.len);
    name[named.len] = '\0';
    const char *found = r->host->environment ? r->host->environment(name) : NULL;
    if (!found) {
        wrong(r, value->offset, "the environment has no variable `%s`", name);
        return false;
    }
    lg_buf_add_c(out, found);
    *ret_len = end + 1;
    return true;
}

// With variables filled in. An empty text after saying what is wrong.
static lg_str expand(reading *r, const lg_json *value)
{
    lg_buf out;
    lg_str text = lg_json_str(value);
    lg_buf_init(&out, SECRET_BYTES_MAX * 8);
    for (size_t at = 0; at < text.len;) {
        lg_str rest = lg_str_slice(text, at, text.len);
        size_t used = 0;
        if (lg_str_starts(rest, LG_STR("$${"))) {
            lg_buf_add_c(&out, "${");
            at += 3;
        } else if (lg_str_starts(rest, LG_STR("${"))) {
            if (!add_variable(r, value, lg_str_slice(rest, 2, rest.len), &out, &used)) {
                lg_buf_done(&out);
                return LG_STR("");
            }
            at += 2 + used;
        } else {
            lg_buf_add_byte(&out, rest.ptr[0]);
            at++;
        }
    }
    lg_str copy = lg_arena_str(&r->config->arena, lg_buf_str(&out));
    bool fine = lg_buf_status(&out) == LG_OK && copy.ptr;
    lg_buf_done(&out);
    if (!fine) {
        wrong_memory(r);
        return LG_STR("");
    }
    return copy;
}

static bool is_line(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static lg_str from_folder(reading *r, lg_str path)
{
    lg_str file = r->config->file;
    size_t end = file.len;
    while (end && file.ptr[end - 1] != '/') {
        end--;
    }
    if (!path.len || path.ptr[0] == '/' || !end) {
        return path;
    }
    lg_str whole = lg_arena_printf(&r->config->arena, "%.*s%.*s", (int)end, file.ptr, LG_FMT(path));
    if (!whole.ptr) {
        wrong_memory(r);
        return LG_STR("");
    }
    return whole;
}

static lg_str read_secret(reading *r, const key *k, const lg_json *value)
{
    lg_str written = lg_json_str(value);
    lg_error err;
    if (!lg_str_starts(written, LG_STR("file:"))) {
        if (lg_str_find(written, LG_STR("${")) == SIZE_MAX) {
            wrong(r, value->offset,
                  "a secret does not stand in a configuration: `%s` is \"${NAME}\", of the "
                  "environment, or \"file:PATH\"",
                  k->name);
        }
        return expand(r, value);
    }
    lg_file file;
    lg_str text = expand(r, value);
    lg_str path = from_folder(r, lg_str_slice(text, 5, text.len));
    if (!path.len) {
        wrong(r, value->offset, "`file:` wants a path behind it");
        return LG_STR("");
    }
    if (lg_file_open(path.ptr, SECRET_BYTES_MAX, &file, &err) != LG_OK) {
        wrong(r, value->offset, "%s", err.msg);
        return LG_STR("");
    }
    lg_str copy = lg_arena_str(&r->config->arena, lg_str_trim(file.text));
    lg_file_close(&file);
    if (!copy.ptr) {
        wrong_memory(r);
        return LG_STR("");
    }
    return copy;
}

// --- Numbers ------------------------------------------------------------------------------------

// Digits, then a unit. False: it is none, or too large.
static bool read_unit(lg_str text, const char *const *units, const uint64_t *factors, size_t count,
                      uint64_t *ret)
{
    uint64_t number = 0;
    size_t digits = 0;
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
        number = 10 * number + (uint64_t)(text.ptr[digits++] - '0');
    }
    lg_str unit = lg_str_slice(text, digits, text.len);
    for (size_t i = 0; digits > 0 && digits < 13 && i < count; i++) {
        if (lg_str_eq(unit, lg_str_c(units[i])) && number <= UINT64_MAX / factors[i]) {
            *ret = number * factors[i];
            return true;
        }
    }
    return false;
}

static bool read_size(const lg_json *value, uint64_t *ret)
{
    static const char *const units[] = {"", "K", "M", "G"};
    static const uint64_t factors[] = {1, 1 << 10, 1 << 20, 1 << 30};
    int64_t number;
    if (lg_json_is(value, LG_JSON_STRING)) {
        return read_unit(lg_json_str(value), units, factors, LG_COUNT(units), ret);
    }
    bool fine = lg_json_is(value, LG_JSON_INT) && lg_json_int(value, &number) && number >= 0;
    *ret = fine ? (uint64_t)number : 0;
    return fine;
}

static bool read_time(const lg_json *value, uint64_t *ret)
{
    static const char *const units[] = {"ms", "s", "m", "h"};
    static const uint64_t factors[] = {1, 1000, 60000, 3600000};
    return lg_json_is(value, LG_JSON_STRING) &&
           read_unit(lg_json_str(value), units, factors, LG_COUNT(units), ret);
}

static void read_number(reading *r, const key *k, const lg_json *value, char *to)
{
    uint64_t number = 0;
    int64_t count = 0;
    bool fine = k->kind == KEY_SIZE ? read_size(value, &number)
                : k->kind == KEY_TIME
                    ? read_time(value, &number)
                    : lg_json_is(value, LG_JSON_INT) && lg_json_int(value, &count) && count >= 0;
    number = k->kind == KEY_COUNT && fine ? (uint64_t)count : number;
    if (!fine) {
        const char *form = k->kind == KEY_SIZE ? "a size, such as 65536, 64K, 16M or 1G"
                           : k->kind == KEY_TIME
                               ? "a time with its unit, such as 500ms, 30s, 5m or 1h"
                               : "a whole number";
        wrong(r, value->offset, "`%s` must be %s", k->name, form);
    } else if (number < k->least || number > k->most) {
        wrong(r, value->offset, "`%s` must be from %llu to %llu%s, and this is %llu", k->name,
              (unsigned long long)k->least, (unsigned long long)k->most,
              k->kind == KEY_TIME ? " ms" : "", (unsigned long long)number);
    } else {
        memcpy(to + k->at, &number, sizeof(number));
        if (k->kind == KEY_COUNT && k->count != KEY_NOWHERE) {
            *(bool *)(to + k->count) = true;
        }
    }
}

// --- What texts must be ---------------------------------------------------------------------------

static bool is_url(lg_str url)
{
    size_t scheme = lg_str_starts(url, LG_STR("http://"))    ? 7
                    : lg_str_starts(url, LG_STR("https://")) ? 8
                                                             : 0;
    for (size_t i = 0; i < url.len; i++) {
        if (strchr(" \"<>\\^`{|}?#@", url.ptr[i]) || (unsigned char)url.ptr[i] >= 0x7f) {
            return false;
        }
    }
    return scheme > 0 && url.len > scheme && url.ptr[scheme] != '/' && url.ptr[scheme] != ':';
}

static bool is_address(lg_str text)
{
    uint64_t port = 0;
    size_t colon = text.len;
    while (colon && text.ptr[colon - 1] != ':') {
        colon--;
    }
    static const char *const unit[] = {""};
    static const uint64_t factor[] = {1};
    bool has_slash = lg_str_find(text, LG_STR("/")) != SIZE_MAX; // an address of the web
    return colon > 1 && !has_slash &&
           read_unit(lg_str_slice(text, colon, text.len), unit, factor, 1, &port) && port < 65536;
}

static void read_text(reading *r, const key *k, const lg_json *value, char *to)
{
    if (!lg_json_is(value, LG_JSON_STRING)) {
        wrong(r, value->offset, "`%s` must be a text%s", k->name,
              lg_json_is(value, LG_JSON_OBJECT)  ? ", and this is a map"
              : lg_json_is(value, LG_JSON_ARRAY) ? ", and this is a list"
                                                 : "; put it in quotes");
        return;
    }
    size_t before = r->wrong;
    lg_str text = k->kind == KEY_SECRET ? read_secret(r, k, value) : expand(r, value);
    if (r->wrong > before) {
        return;
    }
    if (k->kind == KEY_URL) {
        while (lg_str_ends(text, LG_STR("/"))) {
            text.len--;
        }
    }
    if (!is_line(text)) {
        wrong(r, value->offset, "`%s` must be one line without control characters", k->name);
    } else if (!text.len && !(k->kind == KEY_TEXT && k->required)) {
        wrong(r, value->offset, "`%s` is empty; leave it out if it is not wanted", k->name);
    } else if (k->kind == KEY_URL && !is_url(text)) {
        wrong(r, value->offset,
              "`%s` must be an address that begins with http:// or https://, without a name, a "
              "query or a fragment in it",
              k->name);
    } else if (k->kind == KEY_ADDRESS && !is_address(text)) {
        wrong(r, value->offset,
              "`%s` must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080: no http:// before it, "
              "and a port of at most 65535",
              k->name);
    }
    text = k->kind == KEY_PATH ? from_folder(r, text) : text;
    memcpy(to + k->at, &text, sizeof(text));
}

static void read_word(reading *r, const key *k, const lg_json *value, char *to)
{
    char all[160] = "";
    size_t used = 0;
    for (uint32_t i = 0; k->words[i]; i++) {
        if (lg_str_eq(lg_json_str(value), lg_str_c(k->words[i]))) {
            memcpy(to + k->at, &i, sizeof(i));
            return;
        }
        int more = snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "", k->words[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    wrong(r, value->offset, "`%s` is one of %s", k->name, all);
}

static void read_flag(reading *r, const key *k, const lg_json *value, char *to)
{
    if (!lg_json_is(value, LG_JSON_BOOL)) {
        wrong(r, value->offset, "`%s` must be true or false", k->name);
        return;
    }
    *(bool *)(to + k->at) = value->as.boolean;
}

// --- Lists and maps -----------------------------------------------------------------------------

static void read_texts(reading *r, const key *k, const lg_json *value, char *to)
{
    if (!lg_json_is(value, LG_JSON_ARRAY)) {
        wrong(r, value->offset, "`%s` must be a list of texts", k->name);
        return;
    }
    size_t count = lg_json_len(value);
    lg_str *items = LG_NEW_ARRAY(&r->config->arena, lg_str, count + 1);
    if (!items) {
        wrong_memory(r);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *item = lg_json_item(value, i);
        if (!lg_json_is(item, LG_JSON_STRING) || !is_line(lg_json_str(item))) {
            wrong(r, item->offset, "`%s` is a list of texts of one line; put this in quotes",
                  k->name);
            continue;
        }
        items[i] = expand(r, item);
    }
    lg_serve_texts texts = {items, count};
    memcpy(to + k->at, &texts, sizeof(texts));
}

static void read_pairs(reading *r, const key *k, const lg_json *value, char *to)
{
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        wrong(r, value->offset, "`%s` must be a map of names to texts", k->name);
        return;
    }
    size_t count = lg_json_len(value);
    if (count > PAIRS_MAX) {
        wrong(r, value->offset, "`%s` has more than %u entries", k->name, PAIRS_MAX);
        return;
    }
    lg_serve_pair *items = LG_NEW_ARRAY(&r->config->arena, lg_serve_pair, count + 1);
    if (!items) {
        wrong_memory(r);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *m = lg_json_member_at(value, i);
        if (!lg_json_is(&m->value, LG_JSON_STRING)) {
            wrong(r, m->value.offset, "the value of a header must be a text; put it in quotes");
            continue;
        }
        items[i] = (lg_serve_pair){lg_json_key(m), expand(r, &m->value)};
        if (!lg_http_header_is_clean((lg_http_header){items[i].name, items[i].value}) ||
            lg_http_is_of_hop(items[i].name)) {
            wrong(r, m->key_offset, "this is no header that can be set");
        }
    }
    const lg_serve_pair *kept = items;
    memcpy(to + k->at, &kept, sizeof(kept));
    memcpy(to + k->count, &count, sizeof(count));
}

static void read_set(reading *r, const key_set *set, const lg_json *value, char *to);

static void read_items(reading *r, const key *k, const lg_json *value, char *to)
{
    size_t count = lg_json_is(value, LG_JSON_ARRAY) ? lg_json_len(value) : 0;
    if (!lg_json_is(value, LG_JSON_ARRAY) || count < k->least) {
        wrong(r, value->offset, "`%s` must be a list of at least %llu", k->name,
              (unsigned long long)k->least);
        return;
    }
    char *items = lg_arena_zalloc(&r->config->arena, count, k->below->size, 16);
    if (!items) {
        wrong_memory(r);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *item = lg_json_item(value, i);
        char *at = items + i * k->below->size;
        if (k->below->offset != KEY_NOWHERE) {
            memcpy(at + k->below->offset, &item->offset, sizeof(item->offset));
        }
        read_set(r, k->below, item, at);
    }
    memcpy(to + k->at, &items, sizeof(items));
    memcpy(to + k->count, &count, sizeof(count));
}

// --- Keys ---------------------------------------------------------------------------------------

static void read_key(reading *r, const key *k, const lg_json *value, char *to)
{
    switch (k->kind) {
    case KEY_TEXT:
    case KEY_PATH:
    case KEY_SECRET:
    case KEY_URL:
    case KEY_ADDRESS:
        read_text(r, k, value, to);
        break;
    case KEY_WORD:
        read_word(r, k, value, to);
        break;
    case KEY_FLAG:
        read_flag(r, k, value, to);
        break;
    case KEY_COUNT:
    case KEY_SIZE:
    case KEY_TIME:
        read_number(r, k, value, to);
        break;
    case KEY_TEXTS:
        read_texts(r, k, value, to);
        break;
    case KEY_PAIRS:
        read_pairs(r, k, value, to);
        break;
    case KEY_GROUP:
        read_set(r, k->below, value, to + k->at);
        break;
    case KEY_ITEMS:
        read_items(r, k, value, to);
        break;
    }
}

static const key *find_key(const key_set *set, lg_str name, const char **ret_close)
{
    uint32_t best = 3;
    *ret_close = NULL;
    for (size_t i = 0; i < set->count; i++) {
        if (lg_str_eq(name, lg_str_c(set->keys[i].name))) {
            return &set->keys[i];
        }
        uint32_t distance = lg_str_distance(name, lg_str_c(set->keys[i].name));
        *ret_close = distance < best ? set->keys[i].name : *ret_close;
        best = distance < best ? distance : best;
    }
    return NULL;
}

static void read_set(reading *r, const key_set *set, const lg_json *value, char *to)
{
    const char *close;
    if (!lg_json_is(value, LG_JSON_OBJECT)) {
        wrong(r, value->offset, "%s must be a map, such as {%s: ...}", set->what,
              set->keys[0].name);
        return;
    }
    for (size_t i = 0; i < lg_json_len(value); i++) {
        const lg_json_member *m = lg_json_member_at(value, i);
        const key *k = find_key(set, lg_json_key(m), &close);
        if (k) {
            read_key(r, k, &m->value, to);
        } else {
            wrong(r, m->key_offset, "unknown key `%.*s` in %s%s%s%s", LG_FMT(lg_json_key(m)),
                  set->what, close ? "; did you mean `" : "", close ? close : "",
                  close ? "`?" : "");
        }
    }
    for (size_t i = 0; i < set->count; i++) {
        if (set->keys[i].required && !lg_json_get(value, lg_str_c(set->keys[i].name))) {
            wrong(r, value->offset, "%s needs `%s`", set->what, set->keys[i].name);
        }
    }
}

// --- What belongs together ------------------------------------------------------------------------

// What is wrong with a path below which a route stands; NULL: nothing.
static const char *path_problem(lg_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        if (strchr(" \"<>\\^`{|}?#%", path.ptr[i]) || (unsigned char)path.ptr[i] >= 0x7f) {
            return "it is a plain path, without a query or signs that are coded";
        }
    }
    if (path.len && path.ptr[0] != '/') {
        return "it begins with a slash";
    }
    bool odd = lg_str_ends(path, LG_STR("/")) || lg_str_find(path, LG_STR("//")) != SIZE_MAX ||
               lg_str_find(path, LG_STR("/.")) != SIZE_MAX;
    return odd ? "no slash at its end, and no empty or dotted segments" : NULL;
}

static bool is_method(lg_str text)
{
    static const char *const methods[] = {"GET",   "HEAD",   "POST",   "PUT",
                                          "PATCH", "DELETE", "OPTIONS"};
    bool is = false;
    for (size_t i = 0; i < LG_COUNT(methods) && !is; i++) {
        is = lg_str_eq(text, lg_str_c(methods[i]));
    }
    return is;
}

static void check_passes(reading *r, const lg_serve_route *route)
{
    for (size_t i = 0; i < route->pass.count; i++) {
        lg_str item = route->pass.items[i];
        size_t blank = lg_str_find(item, LG_STR(" "));
        lg_str method = lg_str_slice(item, 0, blank == SIZE_MAX ? 0 : blank);
        lg_str path = lg_str_slice(item, blank == SIZE_MAX ? 0 : blank + 1, item.len);
        lg_str stem = lg_str_ends(path, LG_STR("/*")) ? lg_str_slice(path, 0, path.len - 2) : path;
        if ((blank != SIZE_MAX && !is_method(method)) || !stem.len || path_problem(stem)) {
            wrong(r, route->offset,
                  "`pass` of route `%.*s`: `%.*s` is not like `GET /files`, `GET /files/*` or, for "
                  "all methods, `/files`",
                  LG_FMT(route->path), LG_FMT(item));
        }
        bool judged = lg_str_starts(stem, LG_STR("/responses")) ||
                      lg_str_starts(stem, LG_STR("/chat/completions")) ||
                      lg_str_eq(stem, LG_STR("/messages")) ||
                      lg_str_starts(stem, LG_STR("/messages/batches"));
        if (judged && route->pack.len) {
            wrong(r, route->offset,
                  "`pass` of route `%.*s`: `%.*s` gives replies that the pack has not judged",
                  LG_FMT(route->path), LG_FMT(item));
        }
    }
}

static void check_routes(reading *r)
{
    const lg_serve_config *c = r->config;
    for (size_t i = 0; i < c->route_count; i++) {
        const lg_serve_route *route = &c->routes[i];
        const char *odd = path_problem(route->path);
        if (odd) {
            wrong(r, route->offset, "`path` of a route: %s", odd);
        }
        for (size_t j = 0; j < i; j++) {
            if (lg_str_eq(c->routes[j].path, route->path)) {
                wrong(r, route->offset, "two routes have the path `%.*s`", LG_FMT(route->path));
            }
        }
        check_passes(r, route);
        if (route->shadow_rules.count && !route->pack.len && !r->wrong) {
            wrong(r, route->offset,
                  "`shadow_rules` of route `%.*s`: without a `pack` there are none",
                  LG_FMT(route->path));
        }
    }
}

// What a browser says in `Origin`: a scheme and a host, or that there is none.
static bool is_origin(lg_str text)
{
    size_t scheme = lg_str_find(text, LG_STR("://"));
    lg_str host = scheme == SIZE_MAX ? LG_STR("") : lg_str_slice(text, scheme + 3, text.len);
    return lg_str_eq(text, LG_STR("null")) ||
           (scheme > 0 && host.len && lg_str_find(host, LG_STR("/")) == SIZE_MAX);
}

static void check_origins(reading *r, const lg_json *origins)
{
    const lg_serve_config *c = r->config;
    for (size_t i = 0; i < c->origins.count && !r->wrong; i++) {
        lg_str origin = c->origins.items[i];
        if (!is_origin(origin)) {
            wrong(r, lg_json_item(origins, i)->offset,
                  "`origins`: `%.*s` is none: it is like https://app.example.com, with the scheme "
                  "and without a path",
                  LG_FMT(lg_str_cut(origin, 80)));
        }
    }
}

static void check_admin(reading *r, const lg_json *admin)
{
    const lg_serve_config *c = r->config;
    bool any = lg_str_ends(c->listen, LG_STR(":0"));
    if (c->admin_listen.len && !any && lg_str_eq(c->listen, c->admin_listen)) {
        wrong(r, admin->offset,
              "`admin` listens where clients do: give it another port, or leave it out");
    }
}

static void check_tokens(reading *r, const lg_json *tokens)
{
    const lg_serve_config *c = r->config;
    for (size_t i = 0; i < c->token_count; i++) {
        unsigned char bytes[32];
        uint32_t at = lg_json_item(tokens, i)->offset;
        lg_str hash = c->tokens[i].hash;
        if (!lg_str_starts(hash, LG_STR("sha256:")) ||
            !lg_unhex(lg_str_slice(hash, 7, hash.len), bytes, sizeof(bytes))) {
            wrong(r, at,
                  "`hash` of a token is what `ledgergate serve --hash-token` says: sha256: and "
                  "64 hexadecimal digits");
        }
        if (!c->tokens[i].name.len) {
            wrong(r, at, "`name` of a token is empty");
        }
        for (size_t j = 0; j < i; j++) {
            if (lg_str_eq(c->tokens[j].hash, hash)) {
                wrong(r, at, "two tokens have the same hash");
            }
        }
    }
}

lg_status lg_serve_config_read(lg_str text, const char *file, const lg_serve_host *host,
                               lg_serve_config **ret_config, lg_serve_problems *problems)
{
    const lg_json *root;
    lg_error err;
    lg_serve_config *c = lg_serve_config_new();
    reading r = {.config = c, .host = host, .problems = problems};
    if (c) {
        c->text = lg_arena_str(&c->arena, text);
        c->file = lg_arena_str(&c->arena, lg_str_c(file));
    }
    if (!c || !c->text.ptr || !c->file.ptr) {
        lg_serve_config_free(c);
        (void)lg_fail_oom(&err);
        return lg_serve_problem_add(problems, &err, LG_STR(""));
    }
    lg_status status = lg_yaml_parse(&c->arena, c->text, c->file.ptr, host->limits, &root, &err);
    if (status != LG_OK) {
        (void)lg_serve_problem_add(problems, &err, c->text);
    } else {
        read_set(&r, &keys_of_configuration, root, (char *)c);
        check_routes(&r);
        check_tokens(&r, lg_json_get(root, LG_STR("tokens")));
        check_origins(&r, lg_json_get(root, LG_STR("origins")));
        check_admin(&r, lg_json_get(root, LG_STR("admin")));
        status = r.wrong ? LG_ERR_PARSE : LG_OK;
        if (r.wrong) { // all of it in one go
            files_check(c, host, problems);
            files_check_packs(c, host->limits, problems);
        }
    }
    if (status != LG_OK) {
        lg_serve_config_free(c);
        return status;
    }
    *ret_config = c;
    return LG_OK;
}

// To open one waits for somebody who writes into it, and a reload would wait for ever. Not what a shell hands over.
static bool is_named_pipe(const char *path)
{
    struct stat info;
    return !lg_str_starts(lg_str_c(path), LG_STR("/dev/")) && stat(path, &info) == 0 &&
           S_ISFIFO(info.st_mode);
}

lg_status lg_serve_config_open(const char *path, const lg_serve_host *host,
                               lg_serve_config **ret_config, lg_serve_problems *problems)
{
    lg_file file;
    lg_error err;
    if (is_named_pipe(path)) {
        (void)lg_fail(&err, LG_ERR_IO, "%s is a pipe: give a file, which can be read again", path);
        return lg_serve_problem_add(problems, &err, LG_STR(""));
    }
    lg_status status = lg_file_read(path, host->limits, &file, &err);
    if (status != LG_OK) {
        return lg_serve_problem_add(problems, &err, LG_STR(""));
    }
    status = lg_serve_config_read(file.text, path, host, ret_config, problems);
    lg_file_close(&file);
    return status;
}
