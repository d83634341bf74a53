# Engines.cmake: every folder engines/<name>/ with C files becomes the plugin <build>/engines/<name>.so, with its manifest next to it.
# native is part of the library, common is compiled into each plugin, template is to be copied (a test builds it outside the tree).
# A Python file in the folder is embedded as text: <stem>_py.h defines `static const char <stem>_py[]`.
set(plugins)
add_custom_target(plugins)
file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE "${PROJECT_SOURCE_DIR}/engines" engines/*)
list(REMOVE_ITEM folders native common template)
if(VINEA_SANITIZE)
    set(folders)
endif()
file(GLOB common CONFIGURE_DEPENDS engines/common/*.c)

foreach(name ${folders})
    set(folder "${PROJECT_SOURCE_DIR}/engines/${name}")
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.c")
    if(NOT sources)
        continue()
    endif()
    list(APPEND plugins ${name})
    set(texts "${PROJECT_BINARY_DIR}/generated/${name}")
    file(GLOB scripts CONFIGURE_DEPENDS "${folder}/*.py")
    set(headers)
    foreach(script ${scripts})
        get_filename_component(stem "${script}" NAME_WE)
        add_custom_command(OUTPUT "${texts}/${stem}_py.h"
                           COMMAND "${CMAKE_COMMAND}" -D "IN=${script}" -D "OUT=${texts}/${stem}_py.h" -D "NAME=${stem}_py"
                                   -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
                           DEPENDS "${script}" cmake/embed.cmake VERBATIM COMMENT "Embedding ${name}/${stem}.py")
        list(APPEND headers "${texts}/${stem}_py.h")
    endforeach()

    add_library(engine_${name} MODULE ${sources} ${common} ${headers})
    add_dependencies(plugins engine_${name})
    set_target_properties(engine_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/engines")
    target_include_directories(engine_${name} PRIVATE engines/common "${texts}")
    target_link_libraries(engine_${name} PRIVATE vinea_flags m dl pthread)
    target_link_options(engine_${name} PRIVATE LINKER:--no-undefined)
    install(TARGETS engine_${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/vinea/engines")

    file(GLOB manifests CONFIGURE_DEPENDS "${folder}/*.manifest")
    foreach(manifest ${manifests})
        get_filename_component(file "${manifest}" NAME)
        configure_file("${manifest}" "${PROJECT_BINARY_DIR}/engines/${file}" COPYONLY)
        install(FILES "${manifest}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/vinea/engines")
    endforeach()
endforeach()
