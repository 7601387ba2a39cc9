# The C dialect, the warnings, the sanitizers and the hardening that every target shares.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON) # clang-tidy and editors read it
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()

# Without this CMake compiles position independent code but does not link with -pie.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

set(LG_WARNINGS
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wswitch-enum
    -Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion -fno-common)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND LG_WARNINGS -Wlogical-op -Wduplicated-cond -Wduplicated-branches)
else()
    # Our tables hold texts of several lines; a forgotten comma is found by their own tests.
    list(APPEND LG_WARNINGS -Wno-string-concatenation)
endif()
if(LG_WERROR)
    list(APPEND LG_WARNINGS -Werror)
endif()

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(${LG_WARNINGS})

# -fno-sanitize-recover: undefined behaviour ends the test instead of scrolling past it.
if(LG_SANITIZE)
    add_compile_options(-fsanitize=${LG_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${LG_SANITIZE})
endif()

# Every room is compiled with the counters libFuzzer steers by; only the targets link its main.
if(LG_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "LG_FUZZ needs clang: use `cmake --preset fuzz`")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(LG_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
endif()

# -U first: some distributions define the macro themselves, and a second definition would warn.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT LG_SANITIZE)
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
    add_link_options(-Wl,-z,relro,-z,now)
endif()
add_compile_definitions(LG_VERSION="${PROJECT_VERSION}")
