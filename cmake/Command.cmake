# Command.cmake: the command `vinea`, a user of the shared library like any other program.
file(GLOB sources CONFIGURE_DEPENDS cli/*.c)
add_executable(vinea_command ${sources})
set_target_properties(vinea_command PROPERTIES OUTPUT_NAME vinea RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_link_libraries(vinea_command PRIVATE vinea_flags vinea)
file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(vinea_command PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")

# The conformance dashboard: its page and the seeds' tables reach the C code as text.
set(embedded)
set(texts "${PROJECT_BINARY_DIR}/texts")
file(MAKE_DIRECTORY "${texts}")
file(GLOB files CONFIGURE_DEPENDS conformance/report/*.html conformance/report/*.css conformance/report/*.js conformance/seeds/seed_matrix.csv)
foreach(file ${files})
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." "_" name "${name}")
    add_custom_command(OUTPUT "${texts}/${name}.h" DEPENDS ${file} cmake/embed.cmake VERBATIM COMMENT "Embedding ${name}"
                       COMMAND "${CMAKE_COMMAND}" -D "IN=${file}" -D "OUT=${texts}/${name}.h" -D NAME=${name}
                               -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
    list(APPEND embedded "${texts}/${name}.h")
endforeach()
file(GLOB sources CONFIGURE_DEPENDS conformance/report/*.c)
add_library(vinea_report STATIC ${sources} ${embedded})
target_include_directories(vinea_report PRIVATE "${texts}" PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(vinea_report PRIVATE vinea_flags m)
target_link_libraries(vinea_command PRIVATE vinea_report)
