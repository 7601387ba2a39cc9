// backup.c: `log backup`: a copy of the log as it is now.
#include "cli/log/log.h"

int log_backup(log_task *t, char **operands, size_t count)
{
    lg_error err;
    lg_log_head head;
    char hex[2 * LG_DIGEST_BYTES + 1];
    (void)count;
    lg_status status = lg_log_head_of(t->log, &head, &err);
    if (status == LG_OK) {
        status = lg_log_copy(t->log, operands[0], &err);
    }
    if (status != LG_OK) {
        return log_fail(&err);
    }
    lg_hex(head.chain.bytes, LG_DIGEST_BYTES, hex);
    if (t->json) {
        lg_json_writer w = {.out = &t->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_member_uint(&w, "records", head.sequence);
        lg_jw_key(&w, "head");
        lg_jw_str(&w,
                  lg_arena_printf(&t->arena, "%llu:%s", (unsigned long long)head.sequence, hex));
        lg_jw_end_object(&w);
        lg_buf_add_c(&t->out.buf, "\n");
        return EXIT_FINE;
    }
    lg_buf_addf(&t->out.buf,
                "%llu record%s copied; the key file is not among it\nhead          %llu:%s\n",
                (unsigned long long)head.sequence, lg_plural(head.sequence),
                (unsigned long long)head.sequence, hex);
    return EXIT_FINE;
}
