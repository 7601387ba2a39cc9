// types.h: the public basic types plus what only the library itself needs of them.
#ifndef LG_BASE_TYPES_H
#define LG_BASE_TYPES_H

#include <string.h>

#include <ledgergate/types.h> // lg_str, lg_status, lg_error, lg_limits

// For our own mistakes only, never for input: prints the broken condition and aborts.
#define LG_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : lg_assert_failed(#condition, __FILE__, __LINE__))
// The same where looking costs something: a release build does not look.
#ifdef NDEBUG
#define LG_DEBUG_ASSERT(condition) ((void)(0 && (condition)))
#else
#define LG_DEBUG_ASSERT(condition) LG_ASSERT(condition)
#endif
_Noreturn void lg_assert_failed(const char *condition, const char *file, int line);

// What lg_limits_resolve replaces zeroes with.
extern const lg_limits lg_limits_default;

#define LG_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// memcpy where nothing may be copied from nowhere, which memcpy itself may not be asked for (C17, 7.24.1).
static inline void lg_copy_bytes(void *to, const void *from, size_t size_bytes)
{
    if (size_bytes) {
        memcpy(to, from, size_bytes);
    }
}

#endif
