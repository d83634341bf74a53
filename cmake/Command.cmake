# Command.cmake: the command `vinea`, a user of the shared library like any other program, with the conformance suites of `vinea check`.
file(GLOB sources CONFIGURE_DEPENDS cli/*.c conformance/suite/*.c)
add_executable(vinea_command ${sources})
set_target_properties(vinea_command PROPERTIES OUTPUT_NAME vinea RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_link_libraries(vinea_command PRIVATE vinea_flags vinea m)
file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(vinea_command PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
