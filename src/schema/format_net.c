// format_net.c: host names, addresses, URIs and IRIs.
#include "schema/schema_internal.h"

#include "base/utf8.h"

// --- Characters -----------------------------------------------------------------------------------

static bool is_hex(char c)
{
    return lg_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static size_t find_byte(lg_str s, char byte)
{
    const char *hit = s.len ? memchr(s.ptr, byte, s.len) : NULL;
    return hit ? (size_t)(hit - s.ptr) : s.len;
}

// --- Hosts ----------------------------------------------------------------------------------------

// RFC 1123 section 2.1. A label that begins with "xn--" is checked by its letters alone: whether it
// stands for a name that IDNA 2008 allows would take Unicode's tables.
bool lg_format_hostname(lg_str s)
{
    if (s.len == 0 || s.len > 253) {
        return false;
    }
    for (size_t at = 0; at <= s.len;) {
        lg_str rest = lg_str_slice(s, at, s.len);
        lg_str label = lg_str_slice(rest, 0, find_byte(rest, '.'));
        if (label.len == 0 || label.len > 63 || label.ptr[0] == '-' ||
            label.ptr[label.len - 1] == '-') {
            return false;
        }
        for (size_t i = 0; i < label.len; i++) {
            if (!lg_is_letter(label.ptr[i]) && !lg_is_digit(label.ptr[i]) && label.ptr[i] != '-') {
                return false;
            }
        }
        at += label.len + 1;
    }
    return true;
}

// RFC 2673 section 3.2: four numbers without leading zeros.
bool lg_format_ipv4(lg_str s)
{
    size_t at = 0;
    for (int part = 0; part < 4; part++) {
        if (part > 0 && (at >= s.len || s.ptr[at++] != '.')) {
            return false;
        }
        size_t start = at;
        int value = 0;
        while (at < s.len && at - start < 3 && lg_is_digit(s.ptr[at])) {
            value = value * 10 + (s.ptr[at++] - '0');
        }
        if (at == start || value > 255 || (at - start > 1 && s.ptr[start] == '0')) {
            return false;
        }
    }
    return at == s.len;
}

// RFC 4291 section 2.2: groups of 16 bits, one "::" for a run of zeros, perhaps IPv4 at the end.
bool lg_format_ipv6(lg_str s)
{
    int groups = 0;
    bool elided = false;
    size_t at = 0;
    if (lg_str_starts(s, LG_STR("::"))) {
        elided = true;
        at = 2;
    }
    while (at < s.len) {
        size_t digits = 0;
        while (at + digits < s.len && digits < 5 && is_hex(s.ptr[at + digits])) {
            digits++;
        }
        if (at + digits < s.len && s.ptr[at + digits] == '.') {
            return lg_format_ipv4(lg_str_slice(s, at, s.len)) &&
                   (elided ? groups <= 5 : groups == 6);
        }
        if (digits == 0 || digits > 4) {
            return false;
        }
        groups++;
        at += digits;
        if (at == s.len) {
            break;
        }
        if (s.ptr[at++] != ':' || at == s.len) {
            return false;
        }
        if (s.ptr[at] == ':') {
            if (elided) {
                return false;
            }
            elided = true;
            at++;
        }
    }
    return elided ? groups <= 7 : groups == 8;
}

// --- E-mail (RFC 5321 section 4.1.2, RFC 6531) ----------------------------------------------------

static bool is_atom_char(char c, bool international)
{
    return lg_is_letter(c) || lg_is_digit(c) || is_one_of(c, "!#$%&'*+-/=?^_`{|}~") ||
           (international && (c & 0x80));
}

static bool is_quoted_local(lg_str s, bool international)
{
    for (size_t i = 1; i + 1 < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '\\' && i + 2 < s.len) {
            i++;
            c = (unsigned char)s.ptr[i];
            if (c < 0x20 || c > 0x7E) {
                return false;
            }
        } else if (c == '"' || c == '\\' || c < 0x20 || c == 0x7F ||
                   (c >= 0x80 && !international)) {
            return false;
        }
    }
    return s.len >= 2 && s.ptr[s.len - 1] == '"';
}

static bool is_local(lg_str s, bool international)
{
    if (s.len == 0 || s.len > 64) {
        return false;
    }
    if (s.ptr[0] == '"') {
        return is_quoted_local(s, international);
    }
    for (size_t i = 0; i < s.len; i++) {
        bool dot = s.ptr[i] == '.';
        bool edge = i == 0 || i + 1 == s.len || s.ptr[i - 1] == '.';
        if (dot ? edge : !is_atom_char(s.ptr[i], international)) {
            return false;
        }
    }
    return true;
}

static bool is_address_literal(lg_str s)
{
    lg_str inner = lg_str_slice(s, 1, s.len - 1);
    if (lg_str_starts(inner, LG_STR("IPv6:"))) {
        return lg_format_ipv6(lg_str_slice(inner, 5, inner.len));
    }
    return lg_format_ipv4(inner);
}

// Labels of letters, digits, hyphens and whatever is not ASCII.
static bool is_international_domain(lg_str s)
{
    size_t label = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool edge = i == 0 || i + 1 == s.len || s.ptr[i - 1] == '.' || s.ptr[i + 1] == '.';
        if (c == '.' ? label == 0 : c == '-' ? edge : !is_atom_char(c, true)) {
            return false;
        }
        if (c != '.' && !(c & 0x80) && !lg_is_letter(c) && !lg_is_digit(c) && c != '-') {
            return false;
        }
        label = c == '.' ? 0 : label + 1;
    }
    return label > 0 && s.len <= 1024;
}

static bool is_email(lg_str s, bool international)
{
    size_t at = s.len;
    while (at > 0 && s.ptr[at - 1] != '@') {
        at--;
    }
    if (at == 0 || !is_local(lg_str_slice(s, 0, at - 1), international)) {
        return false;
    }
    lg_str domain = lg_str_slice(s, at, s.len);
    if (lg_str_starts(domain, LG_STR("[")) && lg_str_ends(domain, LG_STR("]"))) {
        return is_address_literal(domain);
    }
    return international ? is_international_domain(domain) : lg_format_hostname(domain);
}

bool lg_format_email(lg_str s)
{
    return is_email(s, false);
}

bool lg_format_idn_email(lg_str s)
{
    return is_email(s, true);
}

// --- URIs (RFC 3986 appendix A) and IRIs (RFC 3987 section 2.2) -----------------------------------

// Beyond ASCII: ucschar, and in a query also iprivate.
static bool is_iri_char(uint32_t c, bool query)
{
    if (c >= 0xE000 && c <= 0xF8FF) {
        return query;
    }
    if (c >= 0xF0000) {
        return query && (c & 0xFFFF) <= 0xFFFD;
    }
    bool plane0 =
        (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) || (c >= 0xFDF0 && c <= 0xFFEF);
    bool higher = c >= 0x10000 && (c & 0xFFFF) <= 0xFFFD && !(c >= 0xE0000 && c < 0xE1000);
    return plane0 || higher;
}

// All of `s` is unreserved, sub-delims, an escape, or one of `extra`.
static bool is_uri_text(lg_str s, const char *extra, bool iri, bool query)
{
    for (size_t i = 0; i < s.len;) {
        char c = s.ptr[i];
        if (c & 0x80) {
            if (!iri || !is_iri_char(lg_utf8_next(s, &i), query)) {
                return false;
            }
        } else if (c == '%') {
            if (i + 2 >= s.len || !is_hex(s.ptr[i + 1]) || !is_hex(s.ptr[i + 2])) {
                return false;
            }
            i += 3;
        } else if (lg_is_letter(c) || lg_is_digit(c) || is_one_of(c, "-._~!$&'()*+,;=") ||
                   is_one_of(c, extra)) {
            i++;
        } else {
            return false;
        }
    }
    return true;
}

// "v" hex "." and the rest: addresses of a future version.
static bool is_future_address(lg_str s)
{
    size_t dot = find_byte(s, '.');
    if (s.len == 0 || (s.ptr[0] != 'v' && s.ptr[0] != 'V') || dot < 2 || dot + 1 >= s.len) {
        return false;
    }
    for (size_t i = 1; i < dot; i++) {
        if (!is_hex(s.ptr[i])) {
            return false;
        }
    }
    lg_str rest = lg_str_slice(s, dot + 1, s.len);
    return find_byte(rest, '%') == rest.len && is_uri_text(rest, ":", false, false);
}

static bool is_authority(lg_str s, bool iri)
{
    size_t at = find_byte(s, '@');
    if (at < s.len) {
        if (!is_uri_text(lg_str_slice(s, 0, at), ":", iri, false)) {
            return false;
        }
        s = lg_str_slice(s, at + 1, s.len);
    }
    size_t end = find_byte(s, ':');
    bool literal = s.len > 0 && s.ptr[0] == '[';
    if (literal) {
        size_t close = find_byte(s, ']');
        lg_str inner = lg_str_slice(s, 1, close);
        end = close + 1;
        if (close == s.len || !(lg_format_ipv6(inner) || is_future_address(inner))) {
            return false;
        }
    }
    for (size_t i = end + 1; i < s.len; i++) {
        if (!lg_is_digit(s.ptr[i])) {
            return false;
        }
    }
    return (end >= s.len || s.ptr[end] == ':') &&
           (literal || is_uri_text(lg_str_slice(s, 0, end), "", iri, false));
}

static bool has_scheme(lg_str s, size_t *ret_end)
{
    size_t i = 0;
    while (i < s.len && (lg_is_letter(s.ptr[i]) ||
                         (i > 0 && (lg_is_digit(s.ptr[i]) || is_one_of(s.ptr[i], "+-."))))) {
        i++;
    }
    *ret_end = i;
    return i > 0 && i < s.len && s.ptr[i] == ':';
}

static bool is_reference(lg_str s, bool iri, bool want_scheme)
{
    size_t scheme = 0;
    bool absolute = has_scheme(s, &scheme);
    if (want_scheme && !absolute) {
        return false;
    }
    s = absolute ? lg_str_slice(s, scheme + 1, s.len) : s;
    size_t hash = find_byte(s, '#');
    if (hash < s.len && !is_uri_text(lg_str_slice(s, hash + 1, s.len), ":@/?", iri, false)) {
        return false;
    }
    s = lg_str_slice(s, 0, hash);
    size_t question = find_byte(s, '?');
    if (question < s.len && !is_uri_text(lg_str_slice(s, question + 1, s.len), ":@/?", iri, true)) {
        return false;
    }
    s = lg_str_slice(s, 0, question);
    if (lg_str_starts(s, LG_STR("//"))) {
        lg_str rest = lg_str_slice(s, 2, s.len);
        size_t slash = find_byte(rest, '/');
        return is_authority(lg_str_slice(rest, 0, slash), iri) &&
               is_uri_text(lg_str_slice(rest, slash, rest.len), ":@/", iri, false);
    }
    // The first segment of a relative path has no colon: it would be a scheme.
    lg_str first = lg_str_slice(s, 0, find_byte(s, '/'));
    return is_uri_text(s, ":@/", iri, false) && (absolute || find_byte(first, ':') == first.len);
}

bool lg_format_uri(lg_str s)
{
    return is_reference(s, false, true);
}

bool lg_format_uri_reference(lg_str s)
{
    return is_reference(s, false, false);
}

bool lg_format_iri(lg_str s)
{
    return is_reference(s, true, true);
}

bool lg_format_iri_reference(lg_str s)
{
    return is_reference(s, true, false);
}

// --- URI templates (RFC 6570 section 2) -----------------------------------------------------------

static bool is_escape_at(lg_str s, size_t at)
{
    return s.ptr[at] == '%' && at + 2 < s.len && is_hex(s.ptr[at + 1]) && is_hex(s.ptr[at + 2]);
}

// A name with its modifier: `user.name:3`, `list*`.
static bool is_variable(lg_str s)
{
    size_t at = 0;
    bool wants = true; // a character of the name: at the start and after a dot
    while (at < s.len && s.ptr[at] != ':' && s.ptr[at] != '*') {
        bool dot = s.ptr[at] == '.';
        bool escape = is_escape_at(s, at);
        if (dot ? wants
                : !escape && !lg_is_letter(s.ptr[at]) && !lg_is_digit(s.ptr[at]) &&
                      s.ptr[at] != '_') {
            return false;
        }
        wants = dot;
        at += escape ? 3 : 1;
    }
    if (wants || at == s.len || s.ptr[at] == '*') {
        return !wants && at + 1 >= s.len;
    }
    size_t digits = s.len - at - 1;
    bool ok = digits >= 1 && digits <= 4 && s.ptr[at + 1] != '0';
    for (size_t i = at + 1; i < s.len; i++) {
        ok = ok && lg_is_digit(s.ptr[i]);
    }
    return ok;
}

static bool is_expression(lg_str s)
{
    if (s.len && is_one_of(s.ptr[0], "+#./;?&=,!@|")) {
        s = lg_str_slice(s, 1, s.len);
    }
    for (size_t at = 0; at <= s.len;) {
        lg_str rest = lg_str_slice(s, at, s.len);
        lg_str one = lg_str_slice(rest, 0, find_byte(rest, ','));
        if (!is_variable(one)) {
            return false;
        }
        at += one.len + 1;
    }
    return true;
}

// The apostrophe is allowed since erratum 6937.
static bool is_template_literal(uint32_t c)
{
    if (c < 0x80) {
        return c > 0x20 && c != 0x7F && !strchr("\"%<>\\^`{|}", (int)c);
    }
    return is_iri_char(c, true);
}

bool lg_format_uri_template(lg_str s)
{
    for (size_t at = 0; at < s.len;) {
        if (s.ptr[at] == '{') {
            lg_str rest = lg_str_slice(s, at + 1, s.len);
            size_t close = find_byte(rest, '}');
            if (close == rest.len || !is_expression(lg_str_slice(rest, 0, close))) {
                return false;
            }
            at += close + 2;
        } else if (is_escape_at(s, at)) {
            at += 3;
        } else if (!is_template_literal(lg_utf8_next(s, &at))) {
            return false;
        }
    }
    return true;
}
