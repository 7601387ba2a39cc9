// agentdojo.c: runs of AgentDojo: JSON Lines of {index, messages, metadata}, whose first line may
// hold metadata alone, and single files in its style: {run_id, messages, evaluation, ...}.
//
// The reward is the verdict on the user's task (`success`, `utility`); whether an injection was
// resisted is another question. A result's `error` is a string or null, and null is success.
#include "trace/trace_internal.h"

static void read_facts(lg_importer *imp, const lg_json *verdicts, const lg_json *run)
{
    static const char *const about[] = {"injection_task_id", "attack_type", "hierarchy_path",
                                        "condition",         "seed",        "available_tools",
                                        "ranking_modes",     "outcome"};
    lg_facts checks = {0};
    lg_facts metadata = {0};
    lg_facts_score(&checks, "utility", lg_get(verdicts, "utility"));
    lg_facts_score(&checks, "security", lg_get(verdicts, "security"));
    lg_facts_pick(&metadata, run, about, LG_COUNT(about));
    imp->trace.checks = lg_facts_make(imp, &checks);
    imp->trace.metadata = lg_facts_make(imp, &metadata);
    imp->trace.request = lg_json_str(lg_get(run, "user_prompt"));
    imp->trace.tools = lg_importer_tools(run);
    imp->trace.ended = lg_given(lg_get(run, "error")) ? LG_STR("error") : LG_STR("");
}

static void read_line_about(lg_importer *imp, const lg_json *metadata)
{
    lg_str suite = lg_json_str(lg_get(metadata, "suite_name"));
    lg_str name = lg_json_str(lg_get(metadata, "name"));
    lg_str task = lg_json_str(lg_get(metadata, "user_task_id"));
    imp->trace.domain = suite;
    imp->trace.model = lg_json_str(lg_get(metadata, "model"));
    imp->trace.task = task;
    imp->trace.name = lg_importer_printf(imp, "%.*s/%.*s", LG_FMT(suite), // unique with its suite
                                         LG_FMT(name.len ? name : task));
    lg_importer_reward(imp, lg_get(metadata, "success"));
    read_facts(imp, metadata, metadata);
}

static void read_file_about(lg_importer *imp, const lg_json *run)
{
    const lg_json *error = lg_get(run, "error");
    lg_str domain = lg_json_str(lg_get(run, "domain"));
    imp->trace.domain = domain.len ? domain : lg_json_str(lg_get(run, "suite_name"));
    imp->trace.model = lg_json_str(lg_get(run, "pipeline_name"));
    imp->trace.task = lg_importer_word(imp, lg_get(run, "task_id"));
    imp->trace.name = lg_importer_word(imp, lg_get(run, "run_id"));
    lg_importer_reward(imp, lg_get(lg_get(run, "evaluation"), "utility"));
    imp->trace.prompt = lg_json_str(lg_get(run, "system_prompt"));
    read_facts(imp, lg_get(run, "evaluation"), run);
    if (lg_given(error)) {
        lg_importer_issue(imp, error->offset, false, "the run failed: %.*s",
                          LG_FMT(lg_json_str(error)));
    }
}

void lg_import_agentdojo(lg_importer *imp, const lg_json *value)
{
    const lg_json *messages = lg_get(value, "messages");
    if (!messages) {
        return; // about the file as a whole
    }
    imp->null_error_is_success = true;
    lg_importer_begin(imp, value);
    if (lg_get(value, "run_id")) {
        read_file_about(imp, value);
    } else {
        read_line_about(imp, lg_get(value, "metadata"));
    }
    lg_importer_messages(imp, messages, value);
    lg_importer_end(imp);
}
