// model.c: options into the configuration of a client for models.
#include "cli/model.h"

#include <stdlib.h>

static bool read_price(const char *text, const char **ret_end, double *ret)
{
    char *end;
    bool digit = lg_is_digit(*text);
    *ret = digit ? strtod(text, &end) : 0;
    *ret_end = digit ? end : text;
    return digit && *ret >= 0 && *ret < 1e9;
}

static bool read_prices(const char *text, lg_llm_options *options)
{
    const char *end;
    return read_price(text, &end, &options->prompt_price) && *end == ',' &&
           read_price(end + 1, &end, &options->completion_price) && !*end;
}

static bool read_format(const char *text, lg_llm_format *ret)
{
    static const struct {
        const char *name;
        lg_llm_format format;
    } formats[] = {
        {"schema", LG_LLM_FORMAT_SCHEMA},
        {"object-schema", LG_LLM_FORMAT_OBJECT_SCHEMA},
        {"object", LG_LLM_FORMAT_OBJECT},
        {"prompt", LG_LLM_FORMAT_PROMPT},
    };
    for (size_t i = 0; i < LG_COUNT(formats); i++) {
        if (lg_str_eq(lg_str_c(text), lg_str_c(formats[i].name))) {
            *ret = formats[i].format;
            return true;
        }
    }
    return false;
}

// What goes together, and what does not.
static const char *wrong_with(const cli_model *m)
{
    bool others =
        m->url || m->key_env || m->record || m->replay || m->budget || m->prices || m->format;
    if (m->none && (m->name || others)) {
        return "--no-model goes with no other option of a model";
    }
    if (!m->name && others) {
        return "--model names the model that the other options are of";
    }
    if (m->record && m->replay) {
        return "--model-record asks, and --model-replay does not: give one of them";
    }
    if (m->name && !m->url && !m->replay) {
        return "--model needs --model-url, the address of its API, or --model-replay";
    }
    return NULL;
}

static int read_key(const char *verb, const cli_model *m, lg_llm_options *options)
{
    const char *key = m->key_env ? cli_environment(m->key_env) : NULL;
    if (m->key_env && !m->replay && (!key || !*key)) {
        return cli_usage(verb, "--model-key-env: the environment has no %s, or nothing in it",
                         m->key_env);
    }
    options->key = lg_str_c(m->replay ? "" : key);
    return EXIT_FINE;
}

static int read_all(const char *verb, const cli_model *m, lg_llm_options *options)
{
    lg_error error;
    const char *wrong = wrong_with(m);
    if (wrong) {
        return cli_usage(verb, "%s", wrong);
    }
    if (m->budget && lg_llm_budget_read(lg_str_c(m->budget), &options->budget, &error) != LG_OK) {
        return cli_usage(verb, "--model-budget: %s", error.msg);
    }
    if (m->prices && !read_prices(m->prices, options)) {
        return cli_usage(verb, "--model-prices is two numbers, as in 0.15,0.60");
    }
    if (m->format && !read_format(m->format, &options->format)) {
        return cli_usage(verb, "--model-format is schema, object-schema, object or prompt");
    }
    return read_key(verb, m, options);
}

int cli_model_options(const char *verb, const cli_model *model, lg_llm_options *ret, bool *ret_asks)
{
    *ret = (lg_llm_options){
        .base_url = lg_str_c(model->url),
        .model = lg_str_c(model->name),
        .mode = model->replay   ? LG_LLM_REPLAY
                : model->record ? LG_LLM_RECORD
                                : LG_LLM_OFF,
        .recording = model->replay ? model->replay : model->record,
    };
    *ret_asks = model->name != NULL;
    return read_all(verb, model, ret);
}

int cli_model_open(const char *verb, const cli_model *model, lg_llm **ret_llm)
{
    lg_error error = {0};
    lg_llm_options options;
    bool asks;
    *ret_llm = NULL;
    int code = cli_model_options(verb, model, &options, &asks);
    if (code != EXIT_FINE || !asks) {
        return code;
    }
    if (lg_llm_new(&options, ret_llm, &error) != LG_OK) {
        if (error.file) {
            cli_say_error(&error, LG_STR(""));
        } else {
            cli_say("ledgergate %s: %s", verb, error.msg);
        }
        return cli_exit_code(error.status);
    }
    return EXIT_FINE;
}

// --- What it took ---------------------------------------------------------------------------------

void cli_model_say(const char *verb, const cli_model *model, const lg_llm *llm)
{
    lg_llm_totals t = lg_llm_totals_of(llm);
    cli_say("ledgergate %s: %s: %llu question%s, %llu out of the recording, %llu request%s now, "
            "%llu + %llu tokens, %.4f spent; %llu failed",
            verb, model->name, (unsigned long long)t.made.exchanges, lg_plural(t.made.exchanges),
            (unsigned long long)t.reused, (unsigned long long)t.sent.attempts,
            lg_plural(t.sent.attempts), (unsigned long long)t.made.usage.prompt_tokens,
            (unsigned long long)t.made.usage.completion_tokens, t.sent.money,
            (unsigned long long)t.failed);
}

void cli_model_write(const char *name, const lg_llm *llm, lg_json_writer *w)
{
    if (!llm) {
        lg_jw_null(w);
        return;
    }
    lg_llm_totals t = lg_llm_totals_of(llm);
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "name", name);
    lg_jw_member_uint(w, "exchanges", t.made.exchanges);
    lg_jw_member_uint(w, "attempts", t.made.attempts);
    lg_jw_member_uint(w, "prompt_tokens", t.made.usage.prompt_tokens);
    lg_jw_member_uint(w, "completion_tokens", t.made.usage.completion_tokens);
    lg_jw_member_double(w, "money", t.made.money);
    lg_jw_member_uint(w, "failed", t.failed);
    lg_jw_end_object(w);
}
