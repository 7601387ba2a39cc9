// models.c: a client for each part; parts with the same model share one.
#include "cli/refine/refine.h"

static bool is_same(const char *a, const char *b)
{
    return lg_str_eq(lg_str_c(a), lg_str_c(b));
}

static lg_llm *find_opened(const refine_models *m, const cli_model *wanted)
{
    for (size_t i = 0; i < m->opened_count; i++) {
        const cli_model *have = &m->asked[i];
        if (is_same(have->name, wanted->name) && is_same(have->url, wanted->url) &&
            is_same(have->key_env, wanted->key_env)) {
            return m->opened[i];
        }
    }
    return NULL;
}

static int open_part(refine_models *m, size_t part)
{
    cli_model wanted = m->shared;
    const refine_own *own = &m->own[part];
    wanted.name = own->name ? own->name : wanted.name;
    wanted.url = own->url ? own->url : wanted.url;
    wanted.key_env = own->key_env ? own->key_env : wanted.key_env;
    if (!wanted.name) {
        bool stray = own->url || own->key_env;
        return stray ? cli_usage("refine", "an address or a key of a part's own needs its model")
                     : EXIT_FINE;
    }
    m->llms[part] = find_opened(m, &wanted);
    if (m->llms[part]) {
        return EXIT_FINE;
    }
    int code = cli_model_open("refine", &wanted, &m->llms[part]);
    if (code == EXIT_FINE) {
        m->asked[m->opened_count] = wanted;
        m->opened[m->opened_count++] = m->llms[part];
    }
    return code;
}

int refine_models_open(refine_models *m)
{
    int code = EXIT_FINE;
    for (size_t part = 0; part < PART_COUNT && code == EXIT_FINE; part++) {
        code = open_part(m, part);
    }
    if (code == EXIT_FINE && !m->llms[PART_PLANNER]) {
        return cli_usage("refine", "somebody has to plan: give --planner-model or --model, and its "
                                   "address with --model-url");
    }
    m->models = (lg_sim_models){
        .validator = m->llms[PART_VALIDATOR],
        .responder = m->llms[PART_RESPONDER],
        .estimator = m->llms[PART_ESTIMATOR],
        .judge = m->llms[PART_JUDGE],
    };
    return code;
}

void refine_models_close(refine_models *m)
{
    for (size_t i = 0; i < m->opened_count; i++) {
        lg_llm_free(m->opened[i]);
    }
    m->opened_count = 0;
}

void refine_models_say(const refine_models *m)
{
    for (size_t i = 0; i < m->opened_count; i++) {
        cli_model_say("refine", &m->asked[i], m->opened[i]);
    }
}
