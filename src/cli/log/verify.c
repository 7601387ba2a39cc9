// verify.c: `log verify`: is the log what was written, and were its decisions right?
#include "cli/log/log.h"

#include <stdlib.h>

// --- Faults -------------------------------------------------------------------------------------

static void write_fault(void *of, const lg_log_fault *fault)
{
    log_task *t = of;
    if (t->json) {
        lg_json_writer w = {.out = &t->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "fault", fault->message);
        lg_jw_member_uint(&w, "sequence", fault->sequence);
        lg_jw_end_object(&w);
    } else if (fault->sequence) {
        lg_buf_addf(&t->out.buf, "record %llu: %s", (unsigned long long)fault->sequence,
                    fault->message);
    } else {
        lg_buf_addf(&t->out.buf, "the log: %s", fault->message);
    }
    lg_buf_add_c(&t->out.buf, "\n");
    cli_out_flush_some(&t->out);
}

static const char *agreement_name(lg_journal_agreement agreement)
{
    switch (agreement) {
    case LG_JOURNAL_SAME:
        return "same";
    case LG_JOURNAL_DIFFERENT:
        return "different";
    case LG_JOURNAL_NOT_EXECUTABLE:
        return "not re-executable";
    case LG_JOURNAL_BROKEN:
        break;
    }
    return "broken";
}

static void write_check_json(log_task *t, const lg_journal_check *check)
{
    lg_json_writer w = {.out = &t->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "decision", check->id);
    lg_jw_member_uint(&w, "sequence", check->sequence);
    lg_jw_member_c(&w, "agreement", agreement_name(check->agreement));
    lg_jw_member_c(&w, "why", check->why);
    if (check->agreement == LG_JOURNAL_DIFFERENT) {
        lg_jw_member_str(&w, "then", check->then);
        lg_jw_member_str(&w, "now", check->now);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(&t->out.buf, "\n");
}

// Those that are the same say nothing.
static void write_check(void *of, const lg_journal_check *check)
{
    log_task *t = of;
    if (check->agreement == LG_JOURNAL_SAME) {
        return;
    }
    if (t->json) {
        write_check_json(t, check);
    } else {
        lg_buf_addf(&t->out.buf, "record %llu: %s: ", (unsigned long long)check->sequence,
                    agreement_name(check->agreement));
        cli_add_text(&t->out, lg_str_c(check->why));
        lg_buf_add_c(&t->out.buf, "\n");
        if (check->agreement == LG_JOURNAL_DIFFERENT) {
            lg_buf_add_c(&t->out.buf, "    then  ");
            cli_add_cut(&t->out, check->then, 300);
            lg_buf_add_c(&t->out.buf, "\n    now   ");
            cli_add_cut(&t->out, check->now, 300);
            lg_buf_add_c(&t->out.buf, "\n");
        }
    }
    cli_out_flush_some(&t->out);
}

// --- The summary --------------------------------------------------------------------------------

static void write_head(lg_buf *out, const lg_log_head *head)
{
    char hex[2 * LG_DIGEST_BYTES + 1];
    lg_hex(head->chain.bytes, LG_DIGEST_BYTES, hex);
    lg_buf_addf(out, "%llu:%s", (unsigned long long)head->sequence, hex);
}

static void write_summary(log_task *t, const lg_log_verdict *verdict,
                          const lg_journal_counts *counts)
{
    char hex[2 * LG_SIGN_KEY_BYTES + 1];
    lg_buf *buf = &t->out.buf;
    lg_hex(verdict->head.public_key, LG_SIGN_KEY_BYTES, hex);
    lg_buf_addf(buf, "records       %llu, %llu with their payload, %llu redacted\n",
                (unsigned long long)verdict->records, (unsigned long long)verdict->payloads,
                (unsigned long long)verdict->redacted);
    lg_buf_add_c(buf, "head          ");
    write_head(buf, &verdict->head);
    lg_buf_addf(buf, "\nsigned by     %s%s\n", hex,
                t->has_keys || t->public_key ? ""
                                             : " (as the log says; no key file to compare with)");
    if (t->execute) {
        lg_buf_addf(buf,
                    "decided again %llu: %llu the same, %llu different, %llu not re-executable, "
                    "%llu broken\n",
                    (unsigned long long)counts->decisions, (unsigned long long)counts->same,
                    (unsigned long long)counts->different,
                    (unsigned long long)counts->not_executable, (unsigned long long)counts->broken);
    }
    uint64_t wrong = verdict->fault_count + counts->different + counts->broken;
    cli_colour(&t->out, wrong ? "31" : "1");
    if (wrong) {
        lg_buf_addf(buf, "%llu thing%s wrong", (unsigned long long)wrong,
                    wrong == 1 ? " is" : "s are");
    } else {
        lg_buf_add_c(buf, "the log is whole");
    }
    cli_colour(&t->out, "0");
    lg_buf_add_c(buf, "\n");
}

static void write_summary_json(log_task *t, const lg_log_verdict *verdict,
                               const lg_journal_counts *counts)
{
    char hex[2 * LG_SIGN_KEY_BYTES + 1];
    lg_buf head;
    lg_json_writer w = {.out = &t->out.buf};
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"records", verdict->records},    {"payloads", verdict->payloads},
                   {"redacted", verdict->redacted},  {"faults", verdict->fault_count},
                   {"decisions", counts->decisions}, {"same", counts->same},
                   {"different", counts->different}, {"not_executable", counts->not_executable},
                   {"broken", counts->broken}};
    size_t shown = t->execute ? LG_COUNT(numbers) : 4;
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < shown; i++) {
        lg_jw_member_uint(&w, numbers[i].name, numbers[i].value);
    }
    lg_buf_init(&head, 0);
    write_head(&head, &verdict->head);
    lg_jw_member_str(&w, "head", lg_buf_str(&head));
    lg_buf_done(&head);
    lg_hex(verdict->head.public_key, LG_SIGN_KEY_BYTES, hex);
    lg_jw_member_c(&w, "public_key", hex);
    lg_jw_member_bool(&w, "key_compared", t->has_keys || t->public_key);
    lg_jw_end_object(&w);
    lg_buf_add_c(&t->out.buf, "\n");
}

// --- The action ---------------------------------------------------------------------------------

// "12:0123..."
static bool read_head(const char *text, lg_log_trust *ret)
{
    lg_str head = lg_str_c(text);
    size_t colon = lg_str_find(head, LG_STR(":"));
    bool digits = colon != SIZE_MAX && colon > 0 && colon < 19;
    uint64_t number = 0;
    for (size_t i = 0; digits && i < colon; i++) {
        digits = head.ptr[i] >= '0' && head.ptr[i] <= '9';
        number = number * 10 + (uint64_t)(head.ptr[i] - '0');
    }
    ret->head_sequence = number;
    ret->has_head = true;
    return digits && lg_unhex(lg_str_slice(head, colon + 1, head.len), ret->head_chain.bytes,
                              LG_DIGEST_BYTES);
}

int log_verify(log_task *t, char **operands, size_t count)
{
    lg_error err;
    lg_log_trust trust = {.public_key = t->has_keys ? t->keys.public_key : NULL};
    unsigned char given[LG_SIGN_KEY_BYTES];
    lg_log_verdict verdict;
    lg_journal_counts counts = {0};
    (void)operands;
    (void)count;
    if (t->head && !read_head(t->head, &trust)) {
        return cli_usage("log", "--head is what `log verify` has printed: N:DIGEST");
    }
    if (t->public_key && !lg_unhex(lg_str_c(t->public_key), given, sizeof(given))) {
        return cli_usage("log",
                         "--public-key is 64 hexadecimal digits, as `log verify` prints them");
    }
    trust.public_key = t->public_key ? given : trust.public_key;
    lg_status status = lg_log_verify(t->log, &trust, write_fault, t, &verdict, &err);
    if (status == LG_OK && t->execute) {
        lg_str secret = t->has_keys ? (lg_str){(const char *)t->keys.secret, sizeof(t->keys.secret)}
                                    : LG_STR("");
        status = lg_journal_verify(t->log, secret, 0, write_check, t, &counts, &err);
    }
    if (status != LG_OK) {
        return log_fail(&err);
    }
    (t->json ? write_summary_json : write_summary)(t, &verdict, &counts);
    return verdict.fault_count + counts.different + counts.broken ? EXIT_FINDINGS : EXIT_FINE;
}
