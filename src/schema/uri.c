// uri.c: references of RFC 3986, resolved against a base. Only text: nothing is ever fetched.
#include "schema/schema_internal.h"

typedef struct uri_parts {
    lg_str scheme;    // without ":"
    lg_str authority; // without "//"; ptr NULL: none
    lg_str path;
    lg_str query;    // without "?"; ptr NULL: none
    lg_str fragment; // without "#"; ptr NULL: none
} uri_parts;

static size_t find_any(lg_str s, size_t from, const char *stops)
{
    for (size_t i = from; i < s.len; i++) {
        if (s.ptr[i] && strchr(stops, s.ptr[i])) {
            return i;
        }
    }
    return s.len;
}

static bool is_scheme(lg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = lg_is_letter(c);
        bool later = lg_is_digit(c) || c == '+' || c == '-' || c == '.';
        if (!letter && (i == 0 || !later)) {
            return false;
        }
    }
    return s.len > 0;
}

// The regular expression of RFC 3986 appendix B, by hand.
static uri_parts split(lg_str s)
{
    uri_parts parts = {0};
    size_t hash = find_any(s, 0, "#");
    if (hash < s.len) {
        parts.fragment = lg_str_slice(s, hash + 1, s.len);
        s.len = hash;
    }
    size_t question = find_any(s, 0, "?");
    if (question < s.len) {
        parts.query = lg_str_slice(s, question + 1, s.len);
        s.len = question;
    }
    size_t colon = find_any(s, 0, ":/");
    if (colon < s.len && s.ptr[colon] == ':' && is_scheme(lg_str_slice(s, 0, colon))) {
        parts.scheme = lg_str_slice(s, 0, colon);
        s = lg_str_slice(s, colon + 1, s.len);
    }
    if (lg_str_starts(s, LG_STR("//"))) {
        size_t slash = find_any(s, 2, "/");
        parts.authority = lg_str_slice(s, 2, slash);
        s = lg_str_slice(s, slash, s.len);
    }
    parts.path = s;
    return parts;
}

lg_str lg_uri_without_fragment(lg_str uri)
{
    return lg_str_slice(uri, 0, find_any(uri, 0, "#"));
}

lg_str lg_uri_fragment(lg_str uri)
{
    size_t hash = find_any(uri, 0, "#");
    return hash < uri.len ? lg_str_slice(uri, hash + 1, uri.len) : (lg_str){NULL, 0};
}

// Drops the last segment of what was written, for "..".
static size_t without_last_segment(const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/') {
        len--;
    }
    return len > 0 ? len - 1 : 0;
}

// RFC 3986 section 5.2.4, in place: the output never overtakes the input.
static size_t remove_dot_segments(char *path, size_t len)
{
    size_t out = 0;
    size_t at = 0;
    while (at < len) {
        lg_str rest = lg_str_of(path + at, len - at);
        if (lg_str_starts(rest, LG_STR("../"))) {
            at += 3;
        } else if (lg_str_starts(rest, LG_STR("./")) || lg_str_starts(rest, LG_STR("/./"))) {
            at += 2;
        } else if (lg_str_eq(rest, LG_STR("/."))) {
            path[at + 1] = '/';
            at += 1;
        } else if (lg_str_starts(rest, LG_STR("/../"))) {
            at += 3;
            out = without_last_segment(path, out);
        } else if (lg_str_eq(rest, LG_STR("/.."))) {
            path[at + 2] = '/';
            at += 2;
            out = without_last_segment(path, out);
        } else if (lg_str_eq(rest, LG_STR(".")) || lg_str_eq(rest, LG_STR(".."))) {
            at = len;
        } else {
            do {
                path[out++] = path[at++];
            } while (at < len && path[at] != '/');
        }
    }
    return out;
}

static char *append(char *out, const char *before, lg_str s, const char *after)
{
    for (; *before; before++) {
        *out++ = *before;
    }
    if (s.len) {
        memcpy(out, s.ptr, s.len);
    }
    out += s.len;
    for (; *after; after++) {
        *out++ = *after;
    }
    return out;
}

// RFC 3986 section 5.2.3.
static char *append_merged(char *out, const uri_parts *base, lg_str path)
{
    if (base->authority.ptr && base->path.len == 0) {
        return append(out, "/", path, "");
    }
    size_t keep = base->path.len;
    while (keep > 0 && base->path.ptr[keep - 1] != '/') {
        keep--;
    }
    return append(append(out, "", lg_str_slice(base->path, 0, keep), ""), "", path, "");
}

static char *append_path(char *out, const uri_parts *base, const uri_parts *ref)
{
    char *start = out;
    bool own = ref->scheme.len || ref->authority.ptr || lg_str_starts(ref->path, LG_STR("/"));
    if (own) {
        out = append(out, "", ref->path, "");
    } else if (ref->path.len == 0) {
        return append(out, "", base->path, ""); // already free of dots
    } else {
        out = append_merged(out, base, ref->path);
    }
    // The path of a URN is opaque, and one without a slash has no segments to remove.
    return start + remove_dot_segments(start, (size_t)(out - start));
}

lg_str lg_uri_resolve(lg_arena *arena, lg_str base, lg_str reference)
{
    uri_parts ref = split(reference);
    uri_parts from = split(base);
    char *start = lg_arena_alloc(arena, base.len + reference.len + 8, 1);
    if (!start) {
        return (lg_str){NULL, 0};
    }
    char *out = start;
    lg_str scheme = ref.scheme.len ? ref.scheme : from.scheme;
    bool own_authority = ref.scheme.len || ref.authority.ptr;
    lg_str authority = own_authority ? ref.authority : from.authority;
    bool own_query = own_authority || ref.path.len || ref.query.ptr;
    lg_str query = own_query ? ref.query : from.query;
    out = scheme.len ? append(out, "", scheme, ":") : out;
    out = authority.ptr ? append(out, "//", authority, "") : out;
    out = append_path(out, &from, &ref);
    out = query.ptr ? append(out, "?", query, "") : out;
    out = ref.fragment.ptr ? append(out, "#", ref.fragment, "") : out;
    return lg_str_of(start, (size_t)(out - start));
}
