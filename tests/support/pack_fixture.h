// pack_fixture.h: packs for tests, from texts that must be sound.
#ifndef LG_PACK_FIXTURE_H
#define LG_PACK_FIXTURE_H

#include "json_fixture.h"
#include "pack/pack.h"

// The pack, or the end of the test with what is wrong with it.
static inline lg_pack *fixture_pack_with(const char *yaml, const lg_limits *limits)
{
    lg_pack *pack = NULL;
    lg_error errors[8];
    size_t count = 0;
    if (lg_pack_load_text(lg_str_c(yaml), "fixture.yaml", limits, &pack, errors, 8, &count) ==
        LG_OK) {
        return pack;
    }
    for (size_t i = 0; i < count && i < 8; i++) {
        printf("fixture.yaml:%u:%u: %s\n", errors[i].line, errors[i].column, errors[i].msg);
    }
    exit(1);
}

static inline lg_pack *fixture_pack(const char *yaml)
{
    return fixture_pack_with(yaml, NULL);
}

#endif
