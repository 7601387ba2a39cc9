# lg_room(NAME [USES room...] [LIBRARIES lib...]): one folder of src/ as one static library.
#
# Linking follows the same table that tests/structure/rooms.txt states and the layering test
# compares every #include with. A room that has headers only becomes an INTERFACE library, so that
# the tree configures at every stage of a room's life.
function(lg_room name)
    cmake_parse_arguments(ROOM "" "" "USES;LIBRARIES" ${ARGN})
    set(folder ${CMAKE_SOURCE_DIR}/src/${name})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*/*.c)
    if(sources)
        add_library(lg_${name} STATIC ${sources})
        set(scope PUBLIC)
    else()
        add_library(lg_${name} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(lg_${name} ${scope} ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    list(TRANSFORM ROOM_USES PREPEND lg_)
    target_link_libraries(lg_${name} ${scope} ${ROOM_USES} ${ROOM_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY LG_ROOMS lg_${name})
endfunction()
