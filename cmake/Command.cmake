# Command.cmake: the `vinea` command, which uses the shared library like any other program. It contains the conformance suites and
# the dashboard, which are libraries so that tests can link them. bench/workloads.c is for `vinea bench`.

# Code that needs only the C library, for the command and the dashboard; the library has its own copy.
file(GLOB sources CONFIGURE_DEPENDS src/base/*.c src/os/*.c)
add_library(vinea_base STATIC ${sources})
target_include_directories(vinea_base PUBLIC "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(vinea_base PRIVATE vinea_flags m dl pthread)
target_compile_options(vinea_base PRIVATE ${fuzz_flags})

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
target_link_libraries(vinea_report PRIVATE vinea_flags m PUBLIC vinea_base)
target_compile_options(vinea_report PRIVATE ${fuzz_flags})

# The conformance suites and their runner. Reports name the commit they are about: looked up at every build, written when it changed.
add_custom_target(vinea_commit BYPRODUCTS "${texts}/commit.h" COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${PROJECT_SOURCE_DIR}" -D "OUT=${texts}/commit.h"
                                          -P "${PROJECT_SOURCE_DIR}/cmake/commit.cmake" VERBATIM)
file(GLOB sources CONFIGURE_DEPENDS conformance/suite/*.c conformance/lines/*.c)
file(GLOB shown CONFIGURE_DEPENDS conformance/suite/*.[ch] conformance/suite/*.inc)
list(APPEND shown "${PROJECT_SOURCE_DIR}/conformance/lines/number.h" "${PROJECT_SOURCE_DIR}/conformance/lines/number.c" "${PROJECT_SOURCE_DIR}/src/base/hash.h"
                  "${PROJECT_SOURCE_DIR}/src/base/minmax.h")
add_custom_command(OUTPUT "${texts}/suite_sources.h" DEPENDS ${shown} cmake/embed.cmake VERBATIM COMMENT "Embedding suite_sources"
                   COMMAND "${CMAKE_COMMAND}" -D "IN=${shown}" -D "OUT=${texts}/suite_sources.h" -D NAME=suite_sources -D HEADED=1
                           -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
set(differences "${PROJECT_SOURCE_DIR}/conformance/lines/differences.h")
add_custom_command(OUTPUT "${texts}/differences_h.h" DEPENDS ${differences} cmake/embed.cmake VERBATIM COMMENT "Embedding differences_h"
                   COMMAND "${CMAKE_COMMAND}" -D "IN=${differences}" -D "OUT=${texts}/differences_h.h" -D NAME=differences_h
                           -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
add_library(vinea_suite STATIC ${sources} "${texts}/suite_sources.h" "${texts}/differences_h.h") # source.c and snippet.c print parts of them
target_compile_options(vinea_suite PRIVATE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=") # rows know their file
add_dependencies(vinea_suite vinea_commit)
target_include_directories(vinea_suite PRIVATE "${texts}")
# Programs of the build folder find the case lines as installed ones do: no binary names the source folder.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/vinea")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/conformance" "${PROJECT_BINARY_DIR}/share/vinea/conformance" SYMBOLIC)
install(DIRECTORY conformance/cases conformance/known DESTINATION "${CMAKE_INSTALL_DATADIR}/vinea/conformance")
target_link_libraries(vinea_suite PRIVATE vinea_flags PUBLIC vinea_report m)

file(GLOB sources CONFIGURE_DEPENDS cli/*.c)
add_executable(vinea_command ${sources} bench/workloads.c)
target_include_directories(vinea_command PRIVATE "${generated}") # names from the tables
add_dependencies(vinea_command vinea_generated)
set_target_properties(vinea_command vinea_suite vinea_report PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(vinea_command PROPERTIES OUTPUT_NAME vinea RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_link_libraries(vinea_command PRIVATE vinea_flags vinea_suite vinea_report vinea_base vinea m)
file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(vinea_command PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")

# The data that `vinea train` knows by name, for the command as it is in the build folder.
file(GLOB data CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" data/*.csv)
foreach(file ${data})
    configure_file("${file}" "${PROJECT_BINARY_DIR}/${file}" COPYONLY)
endforeach()

# The man page and the shell completion, generated by the command itself. (Not in sanitizer builds, which may not start here.)
if(NOT VINEA_SANITIZE)
    set(texts "${PROJECT_BINARY_DIR}/texts")
    file(MAKE_DIRECTORY "${texts}")
    set(printed)
    foreach(text "manual;vinea.1" "manual library;vinea.3" "completion bash;vinea" "completion zsh;_vinea" "completion fish;vinea.fish")
        list(GET text 0 words)
        list(GET text 1 file)
        separate_arguments(words)
        add_custom_command(OUTPUT "${texts}/${file}" COMMAND vinea_command ${words} > "${texts}/${file}"
                           DEPENDS vinea_command VERBATIM COMMENT "Generating ${file}")
        list(APPEND printed "${texts}/${file}")
    endforeach()
    add_custom_target(vinea_texts ALL DEPENDS ${printed})
    install(FILES "${texts}/vinea.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${texts}/vinea.3" DESTINATION "${CMAKE_INSTALL_MANDIR}/man3")
    install(FILES "${texts}/vinea" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${texts}/_vinea" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${texts}/vinea.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
