# The C dialect, the warnings and the sanitizers that every target shares.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wswitch-enum
    -Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion -fno-common)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wlogical-op -Wduplicated-cond -Wduplicated-branches)
endif()
if(LG_WERROR)
    add_compile_options(-Werror)
endif()
if(LG_SANITIZE)
    add_compile_options(-fsanitize=${LG_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${LG_SANITIZE})
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_definitions(_FORTIFY_SOURCE=2)
    add_compile_options(-fstack-protector-strong)
    add_link_options(-Wl,-z,relro,-z,now)
endif()
