// arguments.c: validates first, and only explains what was refused.
//
// Most calls are valid, and a validation without a report neither writes words nor needs room for
// them. A refused call is validated once more, for its list of errors.
#include "catalogue/arguments.h"

#include "base/utf8.h"

#include <stdio.h>

#define SHOWN_BYTES 120u // of arguments that are no object

// What stands there in place of an object may be anything: lg_fail() keeps bytes that are no
// printable text out of the message.
static lg_status refuse_shape(lg_arena *arena, const lg_json *args, lg_str args_text,
                              lg_argument_check *check)
{
    lg_error worded;
    char room[SHOWN_BYTES + 1];
    lg_buf text;
    lg_buf_init_in(&text, room, sizeof(room), sizeof(room));
    if (!args_text.len && args) { // whoever has parsed them has the value alone
        lg_json_print(&text, args);
        args_text = lg_buf_str(&text);
    }
    (void)lg_fail(&worded, LG_ERR_TYPE, "The arguments are not a JSON object%s%.*s",
                  args_text.len ? ": " : "", LG_FMT(lg_str_cut(args_text, SHOWN_BYTES)));
    lg_buf_done(&text);
    lg_schema_violation *error = LG_NEW(arena, lg_schema_violation);
    check->message = lg_arena_str(arena, lg_str_c(worded.msg));
    if (!error || !check->message.ptr) {
        return LG_ERR_OOM;
    }
    *error = (lg_schema_violation){
        .fault = LG_FAULT_TYPE, .keyword = "type", .instance = args, .member = LG_STR("")};
    snprintf(error->msg, sizeof(error->msg), "must be a JSON object");
    check->errors = error;
    check->count = 1;
    return LG_OK;
}

static lg_status word_errors(lg_arena *arena, const lg_schema_report *report, lg_str *ret)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (report->count == 0) { // the words ended before the first error was found again
        lg_buf_add_c(&text, "The arguments do not fit the tool's schema.");
    }
    for (size_t i = 0; i < report->count; i++) {
        const lg_schema_violation *v = &report->items[i];
        lg_buf_add_c(&text, i ? "; " : "");
        lg_utf8_add_printable(&text, lg_str_c(v->msg)); // which begins with the place
    }
    if (report->dropped) {
        lg_buf_addf(&text, "; and %zu more", report->dropped);
    }
    lg_status status = lg_buf_status(&text);
    *ret = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return status == LG_OK && ret->ptr ? LG_OK : LG_ERR_OOM;
}

lg_status lg_tool_check_arguments_within(lg_arena *arena, const lg_schema *schema,
                                         const lg_json *args, lg_str args_text,
                                         lg_argument_check *ret_check, lg_budget *budget,
                                         lg_budget *words)
{
    *ret_check = (lg_argument_check){.message = LG_STR("")};
    if (!lg_json_is(args, LG_JSON_OBJECT)) {
        return refuse_shape(arena, args, args_text, ret_check);
    }
    if (!schema || lg_schema_validate_within(schema, args, NULL, budget)) {
        ret_check->valid = true;
        return LG_OK;
    }
    if (lg_budget_is_spent(budget)) {
        return LG_OK;
    }
    lg_schema_report report = {.capacity = LG_ARGUMENT_ERRORS_MAX};
    report.items = lg_arena_alloc(arena, report.capacity * sizeof(*report.items),
                                  _Alignof(lg_schema_violation));
    if (!report.items) {
        return LG_ERR_OOM;
    }
    (void)lg_schema_validate_within(schema, args, &report, words);
    ret_check->errors = report.items;
    ret_check->count = report.count;
    ret_check->dropped = report.dropped;
    return word_errors(arena, &report, &ret_check->message);
}

lg_status lg_tool_check_arguments(lg_arena *arena, const lg_schema *schema, const lg_json *args,
                                  lg_str args_text, lg_argument_check *ret_check)
{
    return lg_tool_check_arguments_within(arena, schema, args, args_text, ret_check, NULL, NULL);
}
