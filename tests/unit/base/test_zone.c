// Time zones: files made here, byte by byte, and those of the system where there are some.
#include "lg_test.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/time.h"
#include "base/zone.h"

static void put_u32(lg_buf *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        lg_buf_add_byte(out, (char)(value >> shift & 0xff));
    }
}

static void put_i64(lg_buf *out, int64_t value)
{
    put_u32(out, (uint32_t)((uint64_t)value >> 32));
    put_u32(out, (uint32_t)((uint64_t)value & UINT32_MAX));
}

static void put_header(lg_buf *out, uint32_t times, uint32_t types)
{
    lg_buf_add_c(out, "TZif2");
    lg_buf_add_repeat(out, '\0', 15);
    put_u32(out, 0);
    put_u32(out, 0);
    put_u32(out, 0);
    put_u32(out, times);
    put_u32(out, types);
    put_u32(out, 4);
}

// Offset 1000 at first, 7200 from second 100 on, 3600 from second 200 on, and then `rule`.
static void make_file(lg_buf *out, const char *rule)
{
    static const char kinds[] = {1, 2};
    lg_buf_clear(out);
    put_header(out, 0, 1);
    lg_buf_add_repeat(out, '\0', 6 + 4);
    put_header(out, 2, 3);
    put_i64(out, 100);
    put_i64(out, 200);
    lg_buf_add(out, (lg_str){kinds, 2});
    static const uint32_t offsets[] = {1000, 7200, 3600};
    for (size_t i = 0; i < 3; i++) {
        put_u32(out, offsets[i]);
        lg_buf_add_repeat(out, '\0', 2);
    }
    lg_buf_add_repeat(out, 'X', 4);
    lg_buf_add_c(out, "\n");
    lg_buf_add_c(out, rule);
    lg_buf_add_c(out, "\n");
}

static int64_t seconds_of(const char *text)
{
    lg_time time = {0, 0};
    CHECK_MSG(lg_time_parse(lg_str_c(text), &time), text);
    return time.seconds;
}

static void changes_are_looked_up(void)
{
    static const struct {
        int64_t seconds;
        int32_t offset;
    } cases[] = {
        {-1000000, 1000}, {99, 1000}, {100, 7200}, {199, 7200}, {200, 3600}, {1000000000, 3600},
    };
    lg_arena arena;
    lg_buf file;
    const lg_zone *zone = NULL;
    lg_arena_init(&arena, 0);
    lg_buf_init(&file, 0);
    make_file(&file, "");
    CHECK(lg_zone_parse(&arena, lg_buf_str(&file), &zone, NULL) == LG_OK);
    for (size_t i = 0; zone && i < LG_COUNT(cases); i++) {
        CHECK(lg_zone_offset(zone, cases[i].seconds) == cases[i].offset);
    }
    lg_buf_done(&file);
    lg_arena_done(&arena);
}

static void rules_continue_the_changes(void)
{
    static const struct {
        const char *rule;
        const char *time; // UTC
        int32_t offset;
    } cases[] = {
        {"EST5", "2024-07-01T00:00:00Z", -18000},
        {"<+0545>-5:45", "2024-07-01T00:00:00Z", 20700},
        {"CET-1CEST,M3.5.0,M10.5.0/3", "2024-03-31T00:59:59Z", 3600},
        {"CET-1CEST,M3.5.0,M10.5.0/3", "2024-03-31T01:00:00Z", 7200},
        {"CET-1CEST,M3.5.0,M10.5.0/3", "2024-10-27T00:59:59Z", 7200},
        {"CET-1CEST,M3.5.0,M10.5.0/3", "2024-10-27T01:00:00Z", 3600},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-01-15T00:00:00Z", 39600},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-04-06T15:59:59Z", 39600},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-04-06T16:00:00Z", 36000},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-12-31T23:59:59Z", 39600},
        {"A-1B,J60,J300", "2024-02-29T23:00:00Z", 3600},
        {"A-1B,J60,J300", "2024-03-01T01:00:00Z", 3600},
        {"AAA-1BBB,J60,J300", "2024-03-01T01:00:00Z", 7200},
        {"AAA-1BBB,59,300", "2024-02-29T01:00:00Z", 7200},
        {"AAA-1BBB-3,J1,J365", "2024-06-01T00:00:00Z", 10800},
        {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2024-03-31T00:59:59Z", -7200},
        {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2024-03-31T01:00:00Z", -3600},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_arena arena;
        lg_buf file;
        const lg_zone *zone = NULL;
        lg_arena_init(&arena, 0);
        lg_buf_init(&file, 0);
        make_file(&file, cases[i].rule);
        lg_status status = lg_zone_parse(&arena, lg_buf_str(&file), &zone, NULL);
        lg_test_name = cases[i].rule;
        if (strncmp(cases[i].rule, "A-1", 3) == 0) {
            CHECK_MSG(status == LG_ERR_FORMAT, "names have three letters at least");
        } else if (CHECK(status == LG_OK)) {
            CHECK_MSG(lg_zone_offset(zone, seconds_of(cases[i].time)) == cases[i].offset,
                      cases[i].time);
        }
        lg_buf_done(&file);
        lg_arena_done(&arena);
    }
}

static void bad_rules_are_refused(void)
{
    static const char *const rules[] = {
        "CET",
        "CET-25",
        "CET-1:60",
        "CET-1CEST",
        "CET-1CEST,M3",
        "CET-1CEST,M13.1.0,M10.5.0",
        "CET-1CEST,M3.0.0,M10.5.0",
        "CET-1CEST,M3.5.7,M10.5.0",
        "CET-1CEST,J0,J300",
        "CET-1CEST,366,300",
        "CET-1CEST,M3.5.0,M10.5.0/168",
        "CET-1CEST,M3.5.0,M10.5.0x",
        "<+01-1",
        "-1",
        "CET99999999999999999999",
    };
    for (size_t i = 0; i < LG_COUNT(rules); i++) {
        lg_arena arena;
        lg_buf file;
        const lg_zone *zone;
        lg_arena_init(&arena, 0);
        lg_buf_init(&file, 0);
        make_file(&file, rules[i]);
        CHECK_MSG(lg_zone_parse(&arena, lg_buf_str(&file), &zone, NULL) == LG_ERR_FORMAT, rules[i]);
        lg_buf_done(&file);
        lg_arena_done(&arena);
    }
}

// Every prefix, from memory of the exact size, and every file with one byte changed.
static void damaged_files_are_survived(void)
{
    lg_arena arena;
    lg_buf file;
    const lg_zone *zone;
    lg_buf_init(&file, 0);
    make_file(&file, "CET-1CEST,M3.5.0,M10.5.0/3");
    size_t len = file.len;
    for (size_t i = 0; i <= len; i++) {
        char *exact = malloc(i + (i == 0));
        lg_arena_init(&arena, 0);
        if (CHECK(exact)) {
            memcpy(exact, file.ptr, i);
            lg_status status = lg_zone_parse(&arena, (lg_str){exact, i}, &zone, NULL);
            CHECK((status == LG_OK) == (i == len));
        }
        free(exact);
        lg_arena_done(&arena);
    }
    for (size_t i = 0; i < len * 8; i++) {
        file.ptr[i / 8] = (char)(file.ptr[i / 8] ^ (1 << i % 8));
        lg_arena_init(&arena, 0);
        if (lg_zone_parse(&arena, lg_buf_str(&file), &zone, NULL) == LG_OK) {
            int32_t offset = lg_zone_offset(zone, 1715785200);
            CHECK(offset >= -100000 && offset <= 100000);
        }
        lg_arena_done(&arena);
        file.ptr[i / 8] = (char)(file.ptr[i / 8] ^ (1 << i % 8));
    }
    lg_buf_done(&file);
}

static void names_stay_in_the_folder(void)
{
    static const char *const names[] = {
        "",
        "/",
        "/etc/passwd",
        "../../etc/passwd",
        "Europe/../Europe/Berlin",
        "Europe//Berlin",
        "Europe/",
        "Nowhere/Atlantis",
        "zone.tab",
        "a b",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };
    lg_arena arena;
    const lg_zone *zone;
    lg_error error;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        CHECK_MSG(lg_zone_load(&arena, lg_str_c(names[i]), &zone, &error) == LG_ERR_NAME, names[i]);
    }
    CHECK(lg_zone_load(&arena, LG_STR("Atlantis"), &zone, &error) == LG_ERR_NAME);
    CHECK(strncmp(error.msg, "unknown time zone `Atlantis`", 28) == 0);
    lg_arena_done(&arena);
}

static void zones_of_the_system(void)
{
    static const struct {
        const char *zone;
        const char *time;
        int32_t offset;
    } cases[] = {
        {"Europe/Berlin", "2024-07-01T00:00:00Z", 7200},
        {"Europe/Berlin", "2098-12-01T00:00:00Z", 3600},
        {"Asia/Kathmandu", "2024-07-01T00:00:00Z", 20700},
        {"America/St_Johns", "2009-02-13T02:00:00Z", -12600},
        {"Australia/Sydney", "2009-02-13T23:31:30Z", 39600},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_arena arena;
        const lg_zone *zone;
        lg_arena_init(&arena, 0);
        if (lg_zone_load(&arena, lg_str_c(cases[i].zone), &zone, NULL) == LG_OK) {
            CHECK_MSG(lg_zone_offset(zone, seconds_of(cases[i].time)) == cases[i].offset,
                      cases[i].zone);
        } else {
            printf("skipped: %s (no time zone data)\n", cases[i].zone);
        }
        lg_arena_done(&arena);
    }
}

static void memory_that_runs_out(void)
{
    lg_buf file;
    const lg_zone *zone;
    lg_buf_init(&file, 0);
    make_file(&file, "EST5");
    for (size_t budget = 1; budget < 400; budget += 8) {
        lg_arena arena;
        lg_arena_init(&arena, budget);
        lg_status status = lg_zone_parse(&arena, lg_buf_str(&file), &zone, NULL);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        lg_arena_done(&arena);
    }
    lg_buf_done(&file);
}

int main(void)
{
    RUN(changes_are_looked_up);
    RUN(rules_continue_the_changes);
    RUN(bad_rules_are_refused);
    RUN(damaged_files_are_survived);
    RUN(names_stay_in_the_folder);
    RUN(zones_of_the_system);
    RUN(memory_that_runs_out);
    return lg_test_done();
}
