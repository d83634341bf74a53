# Command.cmake: the command `vinea`, a user of the shared library like any other program. `vinea check` brings the conformance suites and
# the dashboard with it, which are libraries so that tests can reach them. bench/workloads.c is for `vinea bench`.

# What stands on the C library alone, for the command and the dashboard as for the library, which keeps its own inside.
file(GLOB sources CONFIGURE_DEPENDS src/base/*.c)
add_library(vinea_base STATIC ${sources})
target_include_directories(vinea_base PUBLIC "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(vinea_base PRIVATE vinea_flags)
target_compile_options(vinea_base PRIVATE ${fuzz_flags})

# The conformance dashboard: its page, the seeds' tables and the list of known failures reach the C code as text.
set(embedded)
set(texts "${PROJECT_BINARY_DIR}/texts")
file(MAKE_DIRECTORY "${texts}")
file(GLOB files CONFIGURE_DEPENDS conformance/report/*.html conformance/report/*.css conformance/report/*.js conformance/seeds/seed_matrix.csv
                                  conformance/suite/known.txt)
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
add_library(vinea_suite STATIC ${sources})
add_dependencies(vinea_suite vinea_commit)
target_include_directories(vinea_suite PRIVATE "${texts}")
target_compile_definitions(vinea_suite PRIVATE VINEA_CONFORMANCE="${PROJECT_SOURCE_DIR}/conformance")
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

# The man page and the shells' completion, printed by the command itself. (A sanitizer's build prints nothing: it may not even start.)
if(NOT VINEA_SANITIZE)
    set(texts "${PROJECT_BINARY_DIR}/texts")
    file(MAKE_DIRECTORY "${texts}")
    set(printed)
    foreach(text "manual;vinea.1" "completion bash;vinea" "completion zsh;_vinea" "completion fish;vinea.fish")
        list(GET text 0 words)
        list(GET text 1 file)
        separate_arguments(words)
        add_custom_command(OUTPUT "${texts}/${file}" COMMAND vinea_command ${words} > "${texts}/${file}"
                           DEPENDS vinea_command VERBATIM COMMENT "Printing ${file} from the table of commands")
        list(APPEND printed "${texts}/${file}")
    endforeach()
    add_custom_target(vinea_texts ALL DEPENDS ${printed})
    install(FILES "${texts}/vinea.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${texts}/vinea" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${texts}/_vinea" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${texts}/vinea.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
