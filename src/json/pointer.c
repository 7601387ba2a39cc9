// pointer.c: JSON Pointer (RFC 6901), both ways: from a pointer to a value, and from a place in the
// text to a pointer.
#include "json/json_internal.h"

// Whether the escaped `token` stands for `key`. False for a `~` that is no escape.
static bool token_is(lg_str token, lg_str key)
{
    size_t j = 0;
    for (size_t i = 0; i < token.len; i++, j++) {
        char c = token.ptr[i];
        if (c == '~') {
            char next = ++i < token.len ? token.ptr[i] : '\0';
            if (next != '0' && next != '1') {
                return false;
            }
            c = next == '0' ? '~' : '/';
        }
        if (j >= key.len || key.ptr[j] != c) {
            return false;
        }
    }
    return j == key.len;
}

static const lg_json *member_at(const lg_json *object, lg_str token)
{
    if (!memchr(token.ptr, '~', token.len)) {
        return lg_json_get(object, token);
    }
    for (size_t i = 0; i < object->len; i++) {
        if (token_is(token, lg_json_key(lg_json_member_at(object, i)))) {
            return &lg_json_member_at(object, i)->value;
        }
    }
    return NULL;
}

// An index is `0` or digits without a leading zero. `-`, the element after the last, is none.
static const lg_json *item_at(const lg_json *array, lg_str token)
{
    if (token.len == 0 || token.len > 10 || (token.len > 1 && token.ptr[0] == '0')) {
        return NULL;
    }
    uint64_t index = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9') {
            return NULL;
        }
        index = index * 10 + (uint64_t)(token.ptr[i] - '0');
    }
    return index < array->len ? &array->as.items[index] : NULL;
}

const lg_json *lg_json_at(const lg_json *root, lg_str pointer)
{
    const lg_json *value = root;
    size_t at = 0;
    while (value && at < pointer.len) {
        if (pointer.ptr[at] != '/') {
            return NULL;
        }
        size_t from = ++at;
        while (at < pointer.len && pointer.ptr[at] != '/') {
            at++;
        }
        lg_str token = lg_str_slice(pointer, from, at);
        if (value->type == LG_JSON_OBJECT) {
            value = member_at(value, token);
        } else {
            value = value->type == LG_JSON_ARRAY ? item_at(value, token) : NULL;
        }
    }
    return value;
}

void lg_json_pointer_add(lg_buf *out, lg_str token)
{
    lg_buf_add_byte(out, '/');
    size_t from = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] == '~' || token.ptr[i] == '/') {
            lg_buf_add(out, lg_str_slice(token, from, i));
            lg_buf_add(out, token.ptr[i] == '~' ? LG_STR("~0") : LG_STR("~1"));
            from = i + 1;
        }
    }
    lg_buf_add(out, lg_str_slice(token, from, token.len));
}

// The last child that begins at or before `offset`, or SIZE_MAX. Children made without a text come
// after all offsets.
static size_t child_at(const lg_json *container, uint32_t offset)
{
    size_t low = 0;
    size_t high = lg_json_len(container);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t begin = container->type == LG_JSON_OBJECT
                             ? lg_json_member_at(container, middle)->key_offset
                             : container->as.items[middle].offset;
        if (begin <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? low - 1 : SIZE_MAX;
}

void lg_json_pointer_of(lg_buf *out, const lg_json *root, uint32_t offset)
{
    const lg_json *value = root;
    for (size_t i = child_at(value, offset); i != SIZE_MAX; i = child_at(value, offset)) {
        if (value->type == LG_JSON_OBJECT) {
            const lg_json_member *m = lg_json_member_at(value, i);
            lg_json_pointer_add(out, lg_json_key(m));
            value = &m->value;
        } else {
            lg_buf_addf(out, "/%zu", i);
            value = &value->as.items[i];
        }
    }
}
