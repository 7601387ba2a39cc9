# The small programs beside the library: tests, fuzz targets, examples, benchmarks. Each is one file.

pkg_check_modules(JANSSON IMPORTED_TARGET GLOBAL jansson)

# lg_program(RET TARGET SOURCE LIBRARY...): one executable of one file with tests/support on its
# path. Sets RET to the target, or to nothing where there is none to run: a file needs jansson and it is not here
# (jansson is the oracle we compare ourselves with, never a part of the product), or this is the fuzzers' tree, where all
# but the fuzz targets is compiled for clang's warnings alone, in the cheapest way that gives them all.
function(lg_program ret target source)
    set(${ret} "" PARENT_SCOPE)
    file(STRINGS ${source} wants_jansson REGEX "^#include <jansson.h>")
    if(wants_jansson AND NOT JANSSON_FOUND)
        message(STATUS "${target} is not built: libjansson is not here")
        return()
    endif()
    if(LG_FUZZ AND NOT target MATCHES "^fuzz_")
        add_library(${target} OBJECT ${source})
        target_compile_options(${target} PRIVATE -O0 -g0 -fno-sanitize=all)
    else()
        add_executable(${target} ${source})
        set(${ret} ${target} PARENT_SCOPE)
    endif()
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support)
    target_compile_definitions(${target} PRIVATE LG_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_link_libraries(${target} PRIVATE ${ARGN})
    if(wants_jansson)
        target_link_libraries(${target} PRIVATE PkgConfig::JANSSON)
    endif()
endfunction()

# Exact settings for every sanitizer run. A test may ask for an absurd size to see it refused, so
# the allocator answers NULL as it would without a sanitizer.
set(LG_SANITIZER_ENV
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1" "TSAN_OPTIONS=halt_on_error=1:suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan.supp")

# lg_test(NAME LABEL TIMEOUT_S COMMAND...): one ctest entry. Exit code 77 means that all of it was
# skipped; scripts/check.py counts and names these, so that no skip passes for a success.
function(lg_test name label timeout_s)
    if(LG_SANITIZE STREQUAL "thread") # which makes some of them five times as slow
        math(EXPR timeout_s "5 * ${timeout_s}")
    endif()
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout_s}
        SKIP_RETURN_CODE 77 ENVIRONMENT "${LG_SANITIZER_ENV}")
endfunction()
