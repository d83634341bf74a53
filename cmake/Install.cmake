# Install.cmake: headers, libraries, the command, and how other builds find them: find_package(vinea) and pkg-config vinea.
# Engines.cmake installs the plugins into <libdir>/vinea/engines, where the library searches relative to its own location.
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/vinea")

install(DIRECTORY include/vinea DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS vinea vinea_static EXPORT vinea LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.ipynb")
install(DIRECTORY data/ DESTINATION "${CMAKE_INSTALL_DATADIR}/vinea/data")
install(TARGETS vinea_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

install(EXPORT vinea NAMESPACE vinea:: FILE vineaConfig.cmake DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/vineaConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/vineaConfigVersion.cmake" DESTINATION "${package}")

# The prefix is relative to this file, so that an installed tree can be moved.
file(RELATIVE_PATH up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" up "${up}")
configure_file(cmake/vinea.pc.in vinea.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/vinea.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
