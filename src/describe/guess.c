// guess.c: what a tool gives, by the verb and the noun of its name.
//
// The paper asks a model for a result by the tool's purpose. Much of that is in the name: what is calculated is a number,
// what is listed is a list, what is checked is a yes or no, what is created has happened. It is a guess, and is marked so.
#include "describe/describe_internal.h"

typedef enum form {
    FORM_ONE,   // an object of which nothing more is known
    FORM_MANY,  // a list
    FORM_VALUE, // a number, if the words speak of one
    FORM_YES,   // true or false
    FORM_TEXT,
    FORM_DONE, // a change was made
} form;

static const struct {
    const char *verb;
    form form;
} forms[] = {
    {"list", FORM_MANY},      {"search", FORM_MANY},   {"find", FORM_MANY},
    {"query", FORM_MANY},     {"browse", FORM_MANY},   {"calculate", FORM_VALUE},
    {"compute", FORM_VALUE},  {"count", FORM_VALUE},   {"convert", FORM_VALUE},
    {"estimate", FORM_VALUE}, {"sum", FORM_VALUE},     {"factorial", FORM_VALUE},
    {"check", FORM_YES},      {"is", FORM_YES},        {"has", FORM_YES},
    {"validate", FORM_YES},   {"verify", FORM_YES},    {"translate", FORM_TEXT},
    {"summarize", FORM_TEXT}, {"generate", FORM_TEXT}, {"format", FORM_TEXT},
};

static bool is_one_of(lg_str word, const char *verb)
{
    return lg_str_eq_any_case(word, lg_str_c(verb));
}

static form form_of(lg_str verb, lg_words kind)
{
    for (size_t i = 0; i < LG_COUNT(forms); i++) {
        if (is_one_of(verb, forms[i].verb)) {
            return forms[i].form;
        }
    }
    switch (kind) {
    case LG_WORDS_WRITE:
        return FORM_DONE;
    case LG_WORDS_GENERIC:
        return FORM_VALUE;
    case LG_WORDS_READ:
    case LG_WORDS_UNKNOWN:
        break;
    }
    return FORM_ONE;
}

// "triangle_area" of `calculate_triangle_area`; "" if there is no more than a verb.
static lg_str noun_of(job *j, lg_str name, lg_str *ret_verb)
{
    lg_buf out;
    size_t at = 0;
    lg_buf_init(&out, 0);
    *ret_verb = lg_words_next(name, &at);
    bool is_verb = lg_words_kind(*ret_verb, LG_STR("")) != LG_WORDS_UNKNOWN;
    if (!is_verb) {
        at = 0;
    }
    for (size_t i = 0; i < 6; i++) {
        lg_str word = lg_words_next(name, &at);
        if (word.len == 0 || is_one_of(word, "by") || is_one_of(word, "from") ||
            is_one_of(word, "with")) {
            break;
        }
        lg_buf_add_c(&out, out.len ? "_" : "");
        for (size_t k = 0; k < word.len && out.len < 48; k++) {
            lg_buf_add_byte(&out, lg_lower(word.ptr[k]));
        }
    }
    lg_str kept = lg_buf_keep(&out, j->arena);
    j->oom = j->oom || !kept.ptr;
    return kept.ptr ? kept : LG_STR("");
}

// An object with one required member.
static lg_json holding(job *j, lg_str name, lg_json value, lg_str said)
{
    draft properties = {.j = j};
    draft d = {.j = j};
    lg_json required = lg_json_make_str(name);
    describe_put(&properties, name, describe_said(j, &value, said));
    describe_put_c(&d, "type", "object");
    describe_put(&d, LG_STR("properties"), describe_object(&properties));
    describe_put(&d, LG_STR("required"), describe_list(j, &required, 1));
    return describe_object(&d);
}

lg_json describe_guess(job *j, lg_str name, lg_str description)
{
    lg_str verb;
    lg_str noun = noun_of(j, name, &verb);
    lg_words kind = lg_words_kind(name, description);
    lg_str said = describe_phrase(j, noun.len ? noun : LG_STR("result"));
    lg_json object = describe_type(j, "object");
    noun = noun.len && !is_one_of(noun, "error") ? noun : LG_STR("result");
    if (kind == LG_WORDS_UNKNOWN) {
        describe_unknown(j, "what it gives");
        return describe_type(j, NULL);
    }
    switch (form_of(verb, kind)) {
    case FORM_MANY:
        describe_unknown(j, "what the entries of `%.*s` hold", LG_FMT(noun));
        return holding(j, noun, describe_array(j, &object), said);
    case FORM_VALUE: {
        lg_json types[2] = {describe_type(j, "number"), describe_type(j, "string")};
        describe_unknown(j, "whether `%.*s` is a number", LG_FMT(noun));
        return holding(j, noun, describe_either(j, types, 2), said);
    }
    case FORM_YES:
        return holding(j, noun, describe_type(j, "boolean"), said);
    case FORM_TEXT:
        return holding(j, noun, describe_type(j, "string"), said);
    case FORM_DONE:
        return holding(j, LG_STR("success"), describe_type(j, "boolean"),
                       LG_STR("Whether it was done"));
    case FORM_ONE:
        break;
    }
    describe_unknown(j, "what `%.*s` holds", LG_FMT(noun));
    return holding(j, noun, object, said);
}
