// head.c: the signed end of the chain, and what the log says of itself.
#include "store/store_internal.h"

#define FORMAT LG_STR("2")

static lg_status put_meta(db *d, const char *name, const void *value, size_t size_bytes,
                          lg_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(d->handle, "INSERT INTO meta(name, value) VALUES(?1, ?2)", -1,
                                  &statement, NULL);
    if (code != SQLITE_OK) {
        return db_fail(d, "it cannot be written", reterr);
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    db_bind_bytes(statement, 2, value, size_bytes);
    lg_status status = db_run(d, statement, reterr);
    (void)sqlite3_finalize(statement);
    return status;
}

lg_status head_write(db *d, const store_secrets *secrets, const unsigned char log_id[LOG_ID_BYTES],
                     uint64_t sequence, const lg_digest *chain, lg_error *reterr)
{
    char room[HEAD_TEXT_BYTES];
    unsigned char signature[LG_SIGNATURE_BYTES];
    sqlite3_stmt *statement = db_prepare(d, DB_PUT_HEAD, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    lg_sign(&secrets->sign, store_head_text(log_id, sequence, chain, room), signature);
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)sequence);
    db_bind_bytes(statement, 2, chain->bytes, LG_DIGEST_BYTES);
    db_bind_bytes(statement, 3, signature, sizeof(signature));
    return db_run(d, statement, reterr);
}

// Of a log without records.
lg_status head_make(db *d, const store_secrets *secrets, lg_error *reterr)
{
    unsigned char log_id[LOG_ID_BYTES];
    lg_digest chain;
    const unsigned char *public_key = lg_sign_public(&secrets->sign);
    lg_random(log_id, sizeof(log_id));
    store_first_link(log_id, public_key, &chain);
    lg_status status = put_meta(d, "format", FORMAT.ptr, FORMAT.len, reterr);
    if (status == LG_OK) {
        status = put_meta(d, "log", log_id, sizeof(log_id), reterr);
    }
    if (status == LG_OK) {
        status = put_meta(d, "public_key", public_key, LG_SIGN_KEY_BYTES, reterr);
    }
    return status == LG_OK ? head_write(d, secrets, log_id, 0, &chain, reterr) : status;
}

static lg_status read_meta(db *d, const char *name, void *ret, size_t size_bytes, lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(d, DB_META, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    lg_status status = LG_OK;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        status = db_fail(d, "it cannot be read", reterr);
    } else if (code == SQLITE_DONE || !db_read_bytes(statement, 0, ret, size_bytes)) {
        status = lg_fail(reterr, LG_ERR_FORMAT,
                         "%s: the log does not say its %s, or not as it should", d->path, name);
    }
    (void)sqlite3_reset(statement);
    return status;
}

static lg_status check_format(db *d, lg_error *reterr)
{
    char format;
    lg_status status = read_meta(d, "format", &format, 1, reterr);
    return status == LG_OK && format != FORMAT.ptr[0]
               ? lg_fail(reterr, LG_ERR_FORMAT,
                         "%s: the log is of format %c, and this program knows %c alone", d->path,
                         format, FORMAT.ptr[0])
               : status;
}

lg_status head_read(db *d, lg_log_head *ret, lg_error *reterr)
{
    lg_status status = check_format(d, reterr);
    if (status == LG_OK) {
        status = read_meta(d, "log", ret->log_id, sizeof(ret->log_id), reterr);
    }
    if (status == LG_OK) {
        status = read_meta(d, "public_key", ret->public_key, sizeof(ret->public_key), reterr);
    }
    sqlite3_stmt *statement = status == LG_OK ? db_prepare(d, DB_HEAD, reterr) : NULL;
    if (!statement) {
        return status == LG_OK ? LG_ERR_IO : status;
    }
    int code = sqlite3_step(statement);
    sqlite3_int64 sequence = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        status = db_fail(d, "it cannot be read", reterr);
    } else if (sequence < 0 || !db_read_bytes(statement, 1, ret->chain.bytes, LG_DIGEST_BYTES) ||
               !db_read_bytes(statement, 2, ret->signature, LG_SIGNATURE_BYTES)) {
        status = lg_fail(reterr, LG_ERR_FORMAT, "%s: the log has no head", d->path);
    }
    ret->sequence = (uint64_t)sequence;
    (void)sqlite3_reset(statement);
    return status;
}

bool head_is_signed(const lg_log_head *head)
{
    char room[HEAD_TEXT_BYTES];
    lg_str text = store_head_text(head->log_id, head->sequence, &head->chain, room);
    return lg_sign_verify(head->public_key, text, head->signature);
}

bool head_is_last(db *d, const lg_log_head *head)
{
    lg_digest last;
    sqlite3_stmt *statement = db_prepare(d, DB_LAST, NULL);
    if (!statement) {
        return false;
    }
    int code = sqlite3_step(statement);
    bool same = false;
    if (code == SQLITE_ROW) {
        same = (uint64_t)sqlite3_column_int64(statement, 0) == head->sequence &&
               db_read_bytes(statement, 1, last.bytes, LG_DIGEST_BYTES);
    } else if (code == SQLITE_DONE) {
        same = head->sequence == 0;
        store_first_link(head->log_id, head->public_key, &last);
    }
    (void)sqlite3_reset(statement);
    return same && memcmp(last.bytes, head->chain.bytes, LG_DIGEST_BYTES) == 0;
}
