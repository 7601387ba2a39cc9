// The strings extension: positions count code points, from 0. A position outside of the text is a
// RANGE failure.
#include "cel/cel_internal.h"

// --- A text under construction, in scratch ------------------------------------------------------

void lg_cel_builder_add(lg_cel_builder *b, lg_str text)
{
    if (b->failed || text.len == 0 || !lg_cel_charge(b->vm, 1 + text.len / 16)) {
        b->failed |= b->vm->limit != NULL;
        return;
    }
    if (text.len > b->capacity - b->len) {
        size_t capacity = b->capacity < 64 ? 64 : b->capacity * 2;
        capacity = capacity - b->len < text.len ? b->len + text.len : capacity;
        char *grown = capacity < UINT32_MAX ? lg_cel_scratch(b->vm, capacity, 1) : NULL;
        if (!grown) {
            b->failed = true;
            return;
        }
        if (b->len) {
            memcpy(grown, b->text, b->len);
        }
        b->text = grown;
        b->capacity = capacity;
    }
    memcpy(b->text + b->len, text.ptr, text.len);
    b->len += text.len;
}

lg_cel_value lg_cel_builder_done(lg_cel_builder *b)
{
    return b->failed ? lg_cel_out_of_memory(b->vm)
                     : lg_cel_make_str((lg_str){b->text ? b->text : "", b->len});
}

// --- Positions ----------------------------------------------------------------------------------

static bool are_strings(const lg_cel_value *args, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        if (args[i].kind != LG_CEL_STRING) {
            return false;
        }
    }
    return true;
}

static lg_cel_value bad_position(lg_cel_vm *vm)
{
    return lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "position outside of the text");
}

// The byte of code point `position`, which may be the end of the text. SIZE_MAX if it is beyond, and at
// a limit.
static size_t byte_of(lg_cel_vm *vm, lg_str text, int64_t position)
{
    size_t at = 0;
    uint64_t passed = position > 0 ? (uint64_t)position : 0;
    passed = passed < text.len ? passed : text.len;
    if (position < 0 || !lg_cel_charge(vm, passed / 4)) {
        return SIZE_MAX;
    }
    for (; position > 0 && at < text.len; position--) {
        lg_utf8_next(text, &at);
    }
    return position == 0 ? at : SIZE_MAX;
}

static int64_t position_of(lg_cel_vm *vm, lg_str text, size_t byte)
{
    lg_cel_charge(vm, byte / 16);
    return (int64_t)lg_utf8_count(lg_str_slice(text, 0, byte));
}

lg_cel_value lg_cel_fn_char_at(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if (count != 2 || args[0].kind != LG_CEL_STRING || args[1].kind != LG_CEL_INT) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    size_t at = byte_of(vm, text, args[1].as.i64);
    if (at == SIZE_MAX) {
        return bad_position(vm);
    }
    size_t end = at;
    if (at < text.len) {
        lg_utf8_next(text, &end);
    }
    return lg_cel_make_str(lg_str_slice(text, at, end));
}

// The arguments of indexOf and lastIndexOf: text, what to find, and from where.
static bool search_arguments(const lg_cel_value *args, uint32_t count)
{
    return (count == 2 || (count == 3 && args[2].kind == LG_CEL_INT)) && are_strings(args, 0, 2);
}

lg_cel_value lg_cel_fn_index_of(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if (!search_arguments(args, count)) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    size_t from = count == 3 ? byte_of(vm, text, args[2].as.i64) : 0;
    if (from == SIZE_MAX) {
        return bad_position(vm);
    }
    size_t found = lg_cel_find(vm, lg_str_slice(text, from, text.len), lg_cel_str(args[1]));
    return lg_cel_make_int(found == SIZE_MAX ? -1 : position_of(vm, text, from + found));
}

lg_cel_value lg_cel_fn_last_index_of(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if (!search_arguments(args, count)) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    lg_str wanted = lg_cel_str(args[1]);
    size_t at = count == 3 ? byte_of(vm, text, args[2].as.i64) : text.len;
    if (at == SIZE_MAX) {
        return bad_position(vm);
    }
    uint64_t a_look = 4 + wanted.len / 16; // of which a step has 16
    for (at++; at-- > 0;) { // a match begins with the first byte of a code point, as `wanted` does
        if ((at % 16 == 0 || a_look > 16) && !lg_cel_charge(vm, a_look)) {
            break;
        }
        if (lg_str_starts(lg_str_slice(text, at, text.len), wanted)) {
            return lg_cel_make_int(position_of(vm, text, at));
        }
    }
    return lg_cel_make_int(-1);
}

lg_cel_value lg_cel_fn_substring(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    bool typed = args[0].kind == LG_CEL_STRING && (count == 2 || count == 3) &&
                 args[1].kind == LG_CEL_INT && (count == 2 || args[2].kind == LG_CEL_INT);
    if (!typed) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    size_t from = byte_of(vm, text, args[1].as.i64);
    size_t to = count == 3 ? byte_of(vm, text, args[2].as.i64) : text.len;
    return from == SIZE_MAX || to == SIZE_MAX || from > to
               ? bad_position(vm)
               : lg_cel_make_str(lg_str_slice(text, from, to));
}

// --- Whole texts --------------------------------------------------------------------------------

static lg_cel_value change_case(lg_cel_vm *vm, const lg_cel_value *args, char first, char last)
{
    if (args[0].kind != LG_CEL_STRING || !lg_cel_charge(vm, args[0].aux / 16)) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    char *copy = lg_cel_scratch(vm, text.len + 1, 1);
    if (!copy) {
        return lg_cel_out_of_memory(vm);
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        copy[i] = c >= first && c <= last ? (char)(c ^ 0x20) : c;
    }
    return lg_cel_make_str((lg_str){copy, text.len});
}

lg_cel_value lg_cel_fn_lower_ascii(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return change_case(vm, args, 'A', 'Z');
}

lg_cel_value lg_cel_fn_upper_ascii(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return change_case(vm, args, 'a', 'z');
}

// White space as Unicode has it.
static bool is_space(uint32_t c)
{
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

lg_cel_value lg_cel_fn_trim(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind != LG_CEL_STRING || !lg_cel_charge(vm, args[0].aux / 8)) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    size_t from = text.len;
    size_t to = 0;
    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        if (!is_space(lg_utf8_next(text, &at))) {
            from = from == text.len ? start : from;
            to = at;
        }
    }
    return lg_cel_make_str(from < to ? lg_str_slice(text, from, to) : LG_STR(""));
}

// Reverses a text by code points.
static lg_cel_value reverse_text(lg_cel_vm *vm, lg_str text)
{
    char *copy = lg_cel_charge(vm, text.len / 4) ? lg_cel_scratch(vm, text.len + 1, 1) : NULL;
    if (!copy) {
        return lg_cel_out_of_memory(vm);
    }
    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        lg_utf8_next(text, &at);
        memcpy(copy + (text.len - at), text.ptr + start, at - start);
    }
    return lg_cel_make_str((lg_str){copy, text.len});
}

lg_cel_value lg_cel_fn_reverse(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind == LG_CEL_STRING) {
        return reverse_text(vm, lg_cel_str(args[0]));
    }
    return args[0].kind == LG_CEL_LIST ? lg_cel_reverse_list(vm, args[0]) : lg_cel_no_overload(vm);
}

// replace(old, new[, limit]): a negative limit means all. An empty `old` matches before each code
// point and at the end.
lg_cel_value lg_cel_fn_replace(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if ((count != 3 && !(count == 4 && args[3].kind == LG_CEL_INT)) || !are_strings(args, 0, 3)) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    lg_str old = lg_cel_str(args[1]);
    int64_t limit = count == 4 ? args[3].as.i64 : -1;
    lg_cel_builder out = {.vm = vm};
    size_t at = 0;
    while (limit != 0 && !out.failed && !vm->limit) {
        size_t found = lg_cel_find(vm, lg_str_slice(text, at, text.len), old);
        if (found == SIZE_MAX) {
            break;
        }
        lg_cel_builder_add(&out, lg_str_slice(text, at, at + found));
        lg_cel_builder_add(&out, lg_cel_str(args[2]));
        lg_cel_charge(vm, 1);
        at += found + old.len;
        limit -= limit > 0; // below zero it is no limit
        if (old.len == 0) { // step over one code point, or end
            size_t start = at;
            if (at >= text.len) {
                break;
            }
            lg_utf8_next(text, &at);
            lg_cel_builder_add(&out, lg_str_slice(text, start, at));
        }
    }
    lg_cel_builder_add(&out, lg_str_slice(text, at, text.len));
    return lg_cel_builder_done(&out);
}

// --- Lists of texts -----------------------------------------------------------------------------

// Where the next piece ends: at the separator, or after one code point if that is empty.
static size_t piece_end(lg_cel_vm *vm, lg_str text, size_t at, lg_str separator)
{
    if (separator.len == 0) {
        size_t end = at;
        if (end < text.len) {
            lg_utf8_next(text, &end);
        }
        return end;
    }
    size_t found = lg_cel_find(vm, lg_str_slice(text, at, text.len), separator);
    return found == SIZE_MAX ? text.len : at + found;
}

// Cuts `text` into at most `limit` pieces; counts only, if `items` is NULL.
static size_t cut(lg_cel_vm *vm, lg_str text, lg_str separator, size_t limit, lg_cel_value *items)
{
    size_t count = 0;
    size_t at = 0;
    while (count < limit && lg_cel_charge(vm, 1)) {
        size_t end = count + 1 == limit ? text.len : piece_end(vm, text, at, separator);
        if (items) {
            items[count] = lg_cel_make_str(lg_str_slice(text, at, end));
        }
        count++;
        at = end + separator.len;
        if (end >= text.len) {
            break;
        }
    }
    return count;
}

lg_cel_value lg_cel_fn_split(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if ((count != 2 && !(count == 3 && args[2].kind == LG_CEL_INT)) || !are_strings(args, 0, 2)) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    lg_str separator = lg_cel_str(args[1]);
    int64_t given = count == 3 ? args[2].as.i64 : -1;
    size_t limit = given < 0 ? SIZE_MAX : (size_t)given;
    if (text.len == 0 && separator.len == 0) {
        limit = 0;
    }
    size_t pieces = cut(vm, text, separator, limit, NULL);
    lg_cel_value *items = lg_cel_charge(vm, pieces) ? lg_cel_new_items(vm, pieces) : NULL;
    if (!items) {
        return lg_cel_out_of_memory(vm);
    }
    return lg_cel_list_of(vm, items, cut(vm, text, separator, limit, items));
}

lg_cel_value lg_cel_fn_join(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    bool typed = args[0].kind == LG_CEL_LIST &&
                 (count == 1 || (count == 2 && args[1].kind == LG_CEL_STRING));
    if (!typed) {
        return lg_cel_no_overload(vm);
    }
    lg_cel_builder out = {.vm = vm};
    for (size_t i = 0; i < lg_cel_len(args[0]); i++) {
        lg_cel_value item = lg_cel_item(args[0], i);
        if (item.kind != LG_CEL_STRING || !lg_cel_charge(vm, 1)) {
            return lg_cel_no_overload(vm);
        }
        if (i > 0 && count == 2) {
            lg_cel_builder_add(&out, lg_cel_str(args[1]));
        }
        lg_cel_builder_add(&out, lg_cel_str(item));
    }
    return lg_cel_builder_done(&out);
}

// --- Quoting ------------------------------------------------------------------------------------

// The text as a literal in double quotes. What is not valid UTF-8 cannot occur in a string.
lg_cel_value lg_cel_fn_quote(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    static const char special[] = "\a\b\f\n\r\t\v\\\"";
    static const char letters[] = "abfnrtv\\\"";
    (void)count;
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    lg_cel_builder out = {.vm = vm};
    lg_cel_charge(vm, text.len / 8);
    lg_cel_builder_add(&out, LG_STR("\""));
    size_t start = 0;
    for (size_t i = 0; i < text.len && !vm->limit; i++) {
        const char *found = text.ptr[i] ? strchr(special, text.ptr[i]) : NULL;
        if (found) {
            char escape[2] = {'\\', letters[found - special]};
            lg_cel_builder_add(&out, lg_str_slice(text, start, i));
            lg_cel_builder_add(&out, (lg_str){escape, 2});
            start = i + 1;
        }
    }
    lg_cel_builder_add(&out, lg_str_slice(text, start, text.len));
    lg_cel_builder_add(&out, LG_STR("\""));
    return lg_cel_builder_done(&out);
}
