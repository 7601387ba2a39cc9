// schema.c: the JSON Schema of a configuration, made of the table that the reader goes by.
#include "serve/keys.h"
#include "serve/serve.h"
#include "json/writer.h"

#include <string.h>

static void write_set(lg_json_writer *w, const key_set *set);

static void text_of(lg_json_writer *w, const char *pattern)
{
    lg_jw_member_c(w, "type", "string");
    if (pattern) {
        lg_jw_member_c(w, "pattern", pattern);
    }
}

static void number_of(lg_json_writer *w, const key *k)
{
    lg_jw_member_c(w, "type", "integer");
    lg_jw_member_uint(w, "minimum", k->least);
    lg_jw_member_uint(w, "maximum", k->most);
}

// A number of bytes, or a text with a unit.
static void size_of(lg_json_writer *w, const key *k)
{
    lg_jw_key(w, "anyOf");
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    number_of(w, k);
    lg_jw_end_object(w);
    lg_jw_begin_object(w);
    text_of(w, "^[0-9]+[KMG]?$");
    lg_jw_end_object(w);
    lg_jw_end_array(w);
}

static void words_of(lg_json_writer *w, const key *k)
{
    lg_jw_key(w, "enum");
    lg_jw_begin_array(w);
    for (size_t i = 0; k->words[i]; i++) {
        lg_jw_c(w, k->words[i]);
    }
    lg_jw_end_array(w);
}

static void list_of(lg_json_writer *w, const key *k)
{
    lg_jw_member_c(w, "type", "array");
    lg_jw_member_uint(w, "minItems", k->least);
    lg_jw_key(w, "items");
    lg_jw_begin_object(w);
    if (k->below) {
        write_set(w, k->below);
    } else {
        text_of(w, NULL);
    }
    lg_jw_end_object(w);
}

static void pairs_of(lg_json_writer *w)
{
    lg_jw_member_c(w, "type", "object");
    lg_jw_key(w, "additionalProperties");
    lg_jw_begin_object(w);
    text_of(w, NULL);
    lg_jw_end_object(w);
}

static void write_kind(lg_json_writer *w, const key *k)
{
    switch (k->kind) {
    case KEY_TEXT:
    case KEY_PATH:
        text_of(w, NULL);
        break;
    case KEY_SECRET:
        text_of(w, "^(file:.+|.*\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}.*)$");
        break;
    case KEY_URL:
        text_of(w, "^(https?://|.*\\$\\{)");
        break;
    case KEY_ADDRESS:
        text_of(w, "^(.+:[0-9]+|.*\\$\\{.*)$");
        break;
    case KEY_WORD:
        words_of(w, k);
        break;
    case KEY_FLAG:
        lg_jw_member_c(w, "type", "boolean");
        break;
    case KEY_COUNT:
        number_of(w, k);
        break;
    case KEY_SIZE:
        size_of(w, k);
        break;
    case KEY_TIME:
        text_of(w, "^[0-9]+(ms|s|m|h)$");
        break;
    case KEY_TEXTS:
    case KEY_ITEMS:
        list_of(w, k);
        break;
    case KEY_PAIRS:
        pairs_of(w);
        break;
    case KEY_GROUP:
        write_set(w, k->below);
        break;
    }
}

// The members of the object that was begun.
static void write_set(lg_json_writer *w, const key_set *set)
{
    lg_jw_member_c(w, "type", "object");
    lg_jw_member_bool(w, "additionalProperties", false);
    lg_jw_key(w, "required");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < set->count; i++) {
        if (set->keys[i].required) {
            lg_jw_c(w, set->keys[i].name);
        }
    }
    lg_jw_end_array(w);
    lg_jw_key(w, "properties");
    lg_jw_begin_object(w);
    for (size_t i = 0; i < set->count; i++) {
        lg_jw_key(w, set->keys[i].name);
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "description", set->keys[i].about);
        write_kind(w, &set->keys[i]);
        lg_jw_end_object(w);
    }
    lg_jw_end_object(w);
}

lg_status lg_serve_schema(lg_buf *out)
{
    lg_buf line;
    lg_arena arena;
    const lg_json *value = NULL;
    lg_buf_init(&line, 0);
    lg_arena_init(&arena, 0);
    lg_json_writer w = {.out = &line};
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    lg_jw_member_c(&w, "title", "Configuration of ledgergate serve");
    write_set(&w, &keys_of_configuration);
    lg_jw_end_object(&w);
    lg_status status = lg_buf_status(&line);
    if (status == LG_OK) {
        lg_str text = lg_buf_str(&line);
        status = lg_json_parse_in(&arena, text, 0, text.len, NULL, &value, NULL);
    }
    if (status == LG_OK) {
        lg_json_print_pretty(out, value);
        lg_buf_add_c(out, "\n");
        status = lg_buf_status(out);
    }
    lg_buf_done(&line);
    lg_arena_done(&arena);
    return status;
}
