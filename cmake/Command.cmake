# Command.cmake: the command `vinea`, a user of the shared library like any other program, with the conformance suites of `vinea check`.
file(GLOB sources CONFIGURE_DEPENDS cli/*.c conformance/suite/*.c)
add_executable(vinea_command ${sources})
set_target_properties(vinea_command PROPERTIES OUTPUT_NAME vinea RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_link_libraries(vinea_command PRIVATE vinea_flags vinea m)
file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(vinea_command PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")

# The conformance dashboard: its page and the seeds' tables reach the C code as text.
set(embedded)
set(texts "${PROJECT_BINARY_DIR}/texts")
file(MAKE_DIRECTORY "${texts}")
foreach(file conformance/report/page.html conformance/report/page.css conformance/report/page.js conformance/seeds/seed_matrix.csv conformance/suite/known.txt)
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." "_" name "${name}")
    add_custom_command(OUTPUT "${texts}/${name}.h" DEPENDS ${file} cmake/embed.cmake VERBATIM COMMENT "Embedding ${file}"
                       COMMAND "${CMAKE_COMMAND}" -D "IN=${PROJECT_SOURCE_DIR}/${file}" -D "OUT=${texts}/${name}.h" -D NAME=${name}
                               -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
    list(APPEND embedded "${texts}/${name}.h")
endforeach()
file(GLOB sources CONFIGURE_DEPENDS conformance/report/*.c)
add_library(vinea_report STATIC ${sources} ${embedded})
target_include_directories(vinea_report PRIVATE "${texts}")
target_link_libraries(vinea_report PRIVATE vinea_flags m)
target_include_directories(vinea_command PRIVATE "${PROJECT_SOURCE_DIR}" "${texts}")
target_link_libraries(vinea_command PRIVATE vinea_report)

# Reports name the commit they are about: looked up at every build, written when it changed.
add_custom_target(vinea_commit BYPRODUCTS "${texts}/commit.h" COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${PROJECT_SOURCE_DIR}" -D "OUT=${texts}/commit.h"
                                          -P "${PROJECT_SOURCE_DIR}/cmake/commit.cmake" VERBATIM)
add_dependencies(vinea_command vinea_commit)
