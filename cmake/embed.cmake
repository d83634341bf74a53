# embed.cmake: writes the bytes of the files IN, in a row, as the C text NAME into the header OUT (cmake -D IN= -D OUT= -D NAME= -P embed.cmake). With
# -D HEADED=1 each follows a form feed and a line with its name.
set(bytes)
foreach(file ${IN})
    if(HEADED)
        get_filename_component(name "${file}" NAME)
        string(HEX "${name}" hex)
        string(APPEND bytes "0c${hex}0a")
    endif()
    file(READ "${file}" hex HEX)
    string(APPEND bytes "${hex}")
endforeach()
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}") # characters: bytes above 127 do not fit a char
file(WRITE "${OUT}" "/* ${NAME}, as text */\nstatic const char ${NAME}[] = {\n${bytes}0};\n")
