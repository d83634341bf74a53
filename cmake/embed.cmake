# embed.cmake: writes the bytes of file IN as the C text NAME into the header OUT (cmake -D IN= -D OUT= -D NAME= -P embed.cmake).
file(READ "${IN}" bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
get_filename_component(file "${IN}" NAME)
file(WRITE "${OUT}" "/* ${file}, as text */\nstatic const char ${NAME}[] = {\n${bytes}0};\n")
