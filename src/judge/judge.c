// judge.c: lifetime, and asking.
#include "judge/judge_internal.h"

#include "base/alloc.h"

#define TEXT_BYTES 4000u
#define PROMPT_BYTES 400000u

const char *lg_rule_family_name(lg_rule_family family)
{
    static const char *const names[LG_FAMILY_COUNT] = {"output", "transition", "forbidden_edge"};
    return names[family];
}

lg_status lg_judge_new(const lg_judge_options *options, lg_judge **ret_judge, lg_error *reterr)
{
    lg_judge *judge = lg_zalloc(sizeof(*judge));
    if (!judge) {
        return lg_fail_oom(reterr);
    }
    judge->options = *options;
    judge->options.extractor = options->extractor ? options->extractor : options->llm;
    judge->options.text_bytes = options->text_bytes ? options->text_bytes : TEXT_BYTES;
    judge->options.prompt_bytes = options->prompt_bytes ? options->prompt_bytes : PROMPT_BYTES;
    lg_arena_init(&judge->lasting, 0);
    lg_arena_init(&judge->arena, 0);
    *ret_judge = judge;
    return LG_OK;
}

void lg_judge_free(lg_judge *judge)
{
    if (judge) {
        lg_arena_done(&judge->lasting);
        lg_arena_done(&judge->arena);
        lg_free(judge);
    }
}

static lg_status read_schema(lg_arena *arena, const char *schema, const lg_json **ret,
                             lg_error *reterr)
{
    lg_str text = lg_str_c(schema);
    return lg_json_parse_in(arena, text, 0, text.len, NULL, ret, reterr);
}

lg_status judge_ask(lg_llm *llm, const judge_question *questions, size_t count, lg_arena *arena,
                    lg_llm_reply *replies, lg_error *reterr)
{
    lg_llm_request *requests = LG_NEW_ARRAY(arena, lg_llm_request, count);
    lg_llm_message *messages = LG_NEW_ARRAY(arena, lg_llm_message, count * 2);
    if (!requests || !messages) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *schema;
        lg_status status = read_schema(arena, questions[i].schema, &schema, reterr);
        if (status != LG_OK) {
            return status;
        }
        messages[2 * i] = (lg_llm_message){.role = LG_STR("system"), .text = questions[i].task};
        messages[2 * i + 1] =
            (lg_llm_message){.role = LG_STR("user"), .text = questions[i].material};
        requests[i] = (lg_llm_request){.kind = LG_LLM_CHAT,
                                       .messages = &messages[2 * i],
                                       .message_count = 2,
                                       .schema = schema,
                                       .has_temperature = true,
                                       .temperature = 0};
    }
    return lg_llm_ask_all(llm, requests, count, arena, replies, reterr);
}
