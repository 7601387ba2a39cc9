# Files as a C source: cmake -DOUTPUT=x.c -DFOLDER=web "-DNAMES=a;b" -DHEADER=page/page_internal.h -DTYPE=page_file
#     -DTABLE=page_web_files -P Embed.cmake
#
# In bytes, so that nothing in them means anything to CMake or to the compiler.
set(arrays "")
set(rows "")
set(number 0)
foreach(name ${NAMES})
    file(READ ${FOLDER}/${name} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND arrays "static const unsigned char file_${number}[] = {\n    ${hex}0};\n")
    string(APPEND rows "    {\"${name}\", {(const char *)file_${number}, sizeof(file_${number}) - 1}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made from ${NAMES}.\n#include \"${HEADER}\"\n\n${arrays}
const ${TYPE} ${TABLE}[] = {\n${rows}    {0},\n};\n")
