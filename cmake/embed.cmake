# embed.cmake: writes the bytes of file IN as the C text NAME into the header OUT (cmake -D IN= -D OUT= -D NAME= -P embed.cmake).
file(READ "${IN}" bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}") # characters: bytes above 127 do not fit a char
get_filename_component(file "${IN}" NAME)
file(WRITE "${OUT}" "/* ${file}, as text */\nstatic const char ${NAME}[] = {\n${bytes}0};\n")
