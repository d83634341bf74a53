# Python.cmake: the Python package, where Python's headers are installed. In the build folder it is <build>/python/vinea, made of links
# to python/vinea and the extension; a wheel (python/pyproject.toml) also contains the library, the engines and the command.
option(VINEA_PYTHON_PACKAGE "Build the Python package if Python's headers are installed" ON)
option(VINEA_WHEEL "Install only what a wheel contains" OFF)
if(NOT VINEA_PYTHON_PACKAGE OR (VINEA_SANITIZE AND NOT VINEA_SANITIZE MATCHES address)) # the interpreter can load the address sanitizer beforehand
    return()
endif()
find_package(Python 3.11 COMPONENTS Interpreter Development.Module QUIET)
set(usable FALSE)
if(Python_Development.Module_FOUND) # and for this processor and C library
    set(CMAKE_REQUIRED_INCLUDES ${Python_INCLUDE_DIRS})
    check_c_source_compiles("#include <Python.h>
int main(void) { return 0; }" VINEA_HAS_PYTHON)
    unset(CMAKE_REQUIRED_INCLUDES)
    set(usable ${VINEA_HAS_PYTHON})
endif()
if(NOT usable)
    if(VINEA_WHEEL)
        message(FATAL_ERROR "the headers of Python 3.11 or newer are needed (Debian: python3-dev)")
    endif()
    return()
endif()

set(package "${PROJECT_BINARY_DIR}/python/vinea")
file(GLOB sources CONFIGURE_DEPENDS python/src/*.c)
add_library(vinea_python MODULE ${sources})
set_target_properties(vinea_python PROPERTIES PREFIX "" OUTPUT_NAME _vinea SUFFIX ".abi3.so" LIBRARY_OUTPUT_DIRECTORY "${package}"
                                              INSTALL_RPATH "$ORIGIN")
target_include_directories(vinea_python SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
target_include_directories(vinea_python PRIVATE src) # train/fit.def, and no header
target_link_libraries(vinea_python PRIVATE vinea_flags vinea)

file(MAKE_DIRECTORY "${package}")
file(GLOB modules CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python/vinea" python/vinea/*.py python/vinea/*.pyi python/vinea/nn python/vinea/py.typed)
foreach(module ${modules})
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/vinea/${module}" "${package}/${module}" SYMBOLIC)
endforeach()

if(VINEA_WHEEL)
    install(TARGETS vinea_python LIBRARY DESTINATION vinea COMPONENT python)
    install(PROGRAMS $<TARGET_FILE:vinea> DESTINATION vinea COMPONENT python RENAME $<TARGET_SONAME_FILE_NAME:vinea>) # wheels have no links
    set_target_properties(vinea_command PROPERTIES INSTALL_RPATH "$ORIGIN/..")
    install(TARGETS vinea_command RUNTIME DESTINATION vinea/bin COMPONENT python)
    foreach(name ${plugins})
        install(TARGETS engine_${name} LIBRARY DESTINATION vinea/engines COMPONENT python)
    endforeach()
    file(GLOB manifests CONFIGURE_DEPENDS engines/*/*.manifest)
    list(FILTER manifests EXCLUDE REGEX "/template/")
    install(FILES ${manifests} DESTINATION vinea/engines COMPONENT python)
    install(DIRECTORY data/ DESTINATION vinea/share/vinea/data COMPONENT python)
endif()
