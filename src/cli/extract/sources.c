// sources.c: the prompts, each once, and the rules that a model reads from them.
#include "cli/extract/extract.h"

void extract_sources_init(extract_sources *sources)
{
    *sources = (extract_sources){.count = 0};
    lg_arena_init(&sources->arena, 0);
}

void extract_sources_done(extract_sources *sources)
{
    lg_arena_done(&sources->arena);
}

static lg_str print_tools(lg_arena *arena, const lg_json *tools)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (tools) {
        lg_json_print(&text, tools);
    }
    lg_str kept =
        lg_buf_status(&text) == LG_OK ? lg_arena_str(arena, lg_buf_str(&text)) : (lg_str){NULL, 0};
    lg_buf_done(&text);
    return kept;
}

static extract_source *find(const extract_sources *sources, const char *id)
{
    for (size_t i = 0; i < sources->count; i++) {
        if (memcmp(sources->items[i].id, id, 64) == 0) {
            return &sources->items[i];
        }
    }
    return NULL;
}

// The source with this content, which may be a new one; NULL when out of memory.
static extract_source *add(extract_sources *sources, lg_str prompt, const lg_json *tools)
{
    char id[65];
    lg_error ignored;
    if (lg_prompt_id(prompt, tools, id, &ignored) != LG_OK) {
        return NULL;
    }
    extract_source *known = find(sources, id);
    if (known) {
        return known;
    }
    extract_source *items = lg_arena_grow(&sources->arena, sources->items, sources->count,
                                          &sources->capacity, sizeof(*items));
    lg_str tools_text = print_tools(&sources->arena, tools);
    if (!items || !tools_text.ptr) {
        return NULL;
    }
    sources->items = items;
    extract_source *source = &items[sources->count++];
    *source = (extract_source){
        .prompt = prompt, .tools = tools, .tools_text = tools_text, .why = LG_STR("")};
    memcpy(source->id, id, sizeof(id));
    return source;
}

static bool add_trace(extract_sources *sources, const lg_trace_set *set, const lg_trace *trace)
{
    if (trace->prompt.len == 0) {
        sources->without++;
        return true;
    }
    extract_source *source = add(sources, trace->prompt, trace->tools);
    if (source && source->conversations++ == 0) {
        source->first = trace;
        source->name =
            lg_arena_printf(&sources->arena, "%.*s: %.*s", LG_FMT(set->path), LG_FMT(trace->name));
    }
    return source && source->name.ptr;
}

bool extract_from_traces(extract_sources *sources, const cli_traces *traces)
{
    bool fine = true;
    for (size_t i = 0; i < traces->count && fine; i++) {
        for (size_t j = 0; j < traces->sets[i]->count && fine; j++) {
            fine = add_trace(sources, traces->sets[i], &traces->sets[i]->traces[j]);
        }
    }
    return fine;
}

bool extract_from_text(extract_sources *sources, const char *path, lg_str prompt,
                       const lg_json *tools)
{
    extract_source *source = add(sources, prompt, tools);
    if (source) {
        source->name = lg_str_c(path);
    }
    return source != NULL;
}

int extract_read_rules(extract_sources *sources, lg_judge *judge)
{
    for (size_t i = 0; i < sources->count; i++) {
        extract_source *source = &sources->items[i];
        lg_error why;
        cli_progress("reading prompt", i + 1, sources->count);
        lg_status status = lg_judge_rules(judge, source->prompt, source->tools, &source->rules,
                                          &source->why, &why);
        if (status != LG_OK) {
            cli_progress("", 0, 0);
            cli_say("ledgergate extract: %s", why.msg);
            return cli_exit_code(status);
        }
    }
    cli_progress("", 0, 0);
    return EXIT_FINE;
}

size_t extract_failures(const extract_sources *sources)
{
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        count += sources->items[i].why.len > 0;
    }
    return count;
}

bool extract_merge(extract_sources *sources, lg_prompt_rules *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        count += sources->items[i].rules->count;
    }
    lg_prompt_rule *items = LG_NEW_ARRAY(&sources->arena, lg_prompt_rule, count + 1);
    *ret = (lg_prompt_rules){.items = items};
    for (size_t i = 0; items && i < sources->count; i++) {
        const lg_prompt_rules *rules = sources->items[i].rules;
        for (size_t j = 0; j < rules->count; j++) {
            lg_prompt_rule *rule = &items[ret->count++];
            *rule = rules->items[j];
            rule->prompt = sources->count > 1 ? lg_str_of(sources->items[i].id, 64) : LG_STR("");
        }
        ret->unquoted += rules->unquoted;
        ret->repeated += rules->repeated;
    }
    return items != NULL;
}
