# Library.cmake: libvinea, shared and static, from one set of objects: the core (src/), the native engine (engines/native/) and the
# native engine's kernels (engines/native/isa/), which are compiled once per instruction-set level.

# Code generated from the op table: tools/gen/ includes ops.def and runs on the build machine.
set(generated "${PROJECT_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${generated}")
file(GLOB gen_sources CONFIGURE_DEPENDS tools/gen/*.c)
add_executable(vinea_gen ${gen_sources})
target_include_directories(vinea_gen PRIVATE src include)
target_link_libraries(vinea_gen PRIVATE vinea_flags)
set(printed)
foreach(part internal names table api)
    add_custom_command(OUTPUT "${generated}/ops_${part}.inc" COMMAND vinea_gen ${part} > "${generated}/ops_${part}.inc"
                       DEPENDS vinea_gen VERBATIM COMMENT "Generating ops_${part}.inc from the op table")
    list(APPEND printed "${generated}/ops_${part}.inc")
endforeach()
foreach(part structs table words)
    add_custom_command(OUTPUT "${generated}/objects_${part}.inc" COMMAND vinea_gen object_${part} > "${generated}/objects_${part}.inc"
                       DEPENDS vinea_gen VERBATIM COMMENT "Printing objects_${part}.inc from objects.def")
    list(APPEND printed "${generated}/objects_${part}.inc")
endforeach()
# How launchers are recognised is in the library too, for processes whose plugin is missing.
file(GLOB manifests CONFIGURE_DEPENDS groups/*/*.manifest)
add_custom_command(OUTPUT "${generated}/launchers.h" DEPENDS ${manifests} cmake/embed.cmake VERBATIM COMMENT "Embedding the launchers"
                   COMMAND ${CMAKE_COMMAND} "-DIN=${manifests}" "-DOUT=${generated}/launchers.h" -DNAME=launchers
                           -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
list(APPEND printed "${generated}/launchers.h")
add_custom_target(vinea_generated DEPENDS ${printed})

# The committed files that come from the tables: rewritten here, compared by the tests.
add_custom_target(ops COMMAND vinea_gen headers "${PROJECT_SOURCE_DIR}/include/vinea"
                      COMMAND vinea_gen cpp > "${PROJECT_SOURCE_DIR}/include/vinea/ops.hpp"
                      COMMAND vinea_gen docs > "${PROJECT_SOURCE_DIR}/docs/ops.md" VERBATIM)

set(objects)
function(vinea_objects name)
    add_library(${name} OBJECT ${ARGN})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${name} PRIVATE VINEA_BUILD)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${generated}")
    target_link_libraries(${name} PRIVATE vinea_flags)
    add_dependencies(${name} vinea_generated)
    set(objects ${objects} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/*.c)
file(GLOB native CONFIGURE_DEPENDS engines/native/*.c)
vinea_objects(vinea_core ${sources} ${native})
target_compile_options(vinea_core PRIVATE ${fuzz_flags})

# Code that runs once per program, model or file is compiled for size; files that run for every op, evaluation or element say
# "compiled for speed" in their first lines.
include(CheckCCompilerFlag)
check_c_compiler_flag(-Oz VINEA_SMALLEST) # gcc has it since version 12
set(for_size -Os)
if(VINEA_SMALLEST)
    set(for_size -Oz)
endif()
if(NOT VINEA_SANITIZE)
    foreach(source ${sources} ${native})
        file(STRINGS "${source}" for_speed REGEX "^/\\* compiled for speed \\*/$" LIMIT_COUNT 1)
        if(NOT for_speed)
            set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:${for_size}>)
        endif()
    endforeach()
endif()
# Functions and tables in sections of their own: a program that is linked statically with --gc-sections has those layers, optimizers, losses and metrics that it
# uses, and the shared library nothing that is not reached.
target_compile_options(vinea_core PRIVATE -ffunction-sections -fdata-sections)
# Nothing unwinds through the native engine: stack walks (VINEA_CHECK) start in the core.
set_property(SOURCE ${native} APPEND PROPERTY COMPILE_OPTIONS -fno-asynchronous-unwind-tables)

# VINEA_LEVELS=baseline builds a small library.
set(known_levels baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    list(APPEND known_levels avx2 avx512)
    set(flags_baseline -march=x86-64)
    set(flags_avx2 -mavx2 -mfma -mf16c -mbmi2)
    set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi2 -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    list(APPEND known_levels neon)
    set(flags_neon -DVN_NEON)
endif()
set(VINEA_LEVELS "${known_levels}" CACHE STRING "Instruction-set levels of the native engine; baseline is always there")
set(levels baseline ${VINEA_LEVELS})
list(REMOVE_DUPLICATES levels)
foreach(level ${levels})
    if(NOT level IN_LIST known_levels)
        list(JOIN known_levels ", " known_levels)
        message(FATAL_ERROR "VINEA_LEVELS: there is no level ${level} for ${CMAKE_SYSTEM_PROCESSOR}; it has ${known_levels}")
    endif()
    target_compile_definitions(vinea_core PRIVATE VN_LEVEL_${level})
endforeach()
set(small 0) # a library of one level, which is to be small
if(levels STREQUAL "baseline" AND NOT VINEA_SANITIZE)
    set(small 1)
endif()
file(GLOB blocks CONFIGURE_DEPENDS engines/native/isa/*.c)
set(loops)
set(special) # which use more of a level than the width of its vectors, and say so
foreach(source ${blocks})
    file(STRINGS "${source}" short_loops REGEX "^/\\* many short loops \\*/$" LIMIT_COUNT 1)
    file(STRINGS "${source}" own_instructions REGEX "^/\\* instructions of its level \\*/$" LIMIT_COUNT 1)
    if(short_loops)
        list(APPEND loops "${source}")
    endif()
    if(own_instructions)
        list(APPEND special "${source}")
    endif()
endforeach()
list(REMOVE_ITEM blocks ${loops})
# Kernels with many short loops, which say so in their first lines, are most of the size. At the baseline level, the only one of a small library, gcc vectorises
# them too, but without unrolled or half-width epilogues and without alignment padding.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT VINEA_SANITIZE)
    set(flags_baseline_loops -O2 -ftree-vectorize -fvect-cost-model=unlimited --param=vect-epilogues-nomask=0 -fno-align-functions -fno-align-loops)
endif()
set(fast -O3)
if(VINEA_SANITIZE)
    set(fast)
endif()
foreach(level ${levels})
    foreach(kind blocks loops)
        set(target vinea_${level}_${kind})
        set(compiled ${${kind}})
        if(level STREQUAL "neon") # vectors as wide as the baseline's: the other tables are the baseline's
            set(others ${compiled})
            list(REMOVE_ITEM others ${special})
            list(REMOVE_ITEM compiled ${others})
        endif()
        if(NOT compiled)
            continue()
        endif()
        vinea_objects(${target} ${compiled})
        target_compile_definitions(${target} PRIVATE VN_ISA=${level} VN_SMALL=${small})
        # Results must not depend on which products the compiler contracts; kernels use fma explicitly.
        # Kernels are leaf code, so nothing unwinds through them either.
        target_compile_options(${target} PRIVATE ${fast} -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-asynchronous-unwind-tables
                               ${flags_${level}} ${flags_${level}_${kind}}
                               $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>) # not every loop becomes one of vectors
    endforeach()
endforeach()

# A small library has no unwind tables, a tenth of its size: errors under VINEA_CHECK then do not name the functions of the program.
if(small)
    target_compile_options(vinea_core PRIVATE -fno-asynchronous-unwind-tables)
endif()

add_library(vinea SHARED ${objects})
add_library(vinea_static STATIC ${objects})
add_library(vinea::vinea ALIAS vinea)
add_library(vinea::vinea_static ALIAS vinea_static)
set_target_properties(vinea PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # until 1.0 a minor version may break the ABI
set_target_properties(vinea_static PROPERTIES OUTPUT_NAME vinea)
foreach(library vinea vinea_static)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                                                LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    target_include_directories(${library} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_link_libraries(${library} PRIVATE m dl pthread)
endforeach()
if(NOT VINEA_SANITIZE)
    target_link_options(vinea PRIVATE LINKER:--no-undefined ${hardened_link} LINKER:-Bsymbolic-functions
                        LINKER:--gc-sections LINKER:-O1) # -O1 shares the ends of strings
endif()

# The tables of ops and kernels contain many addresses. Compact relocations (DT_RELR) save 24 bytes for each.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS LINKER:-z,pack-relative-relocs LINKER:--fatal-warnings)
check_c_source_compiles("#include <features.h>
#if !defined(__x86_64__) || !__GLIBC_PREREQ(2, 36) /* for others GNU ld ignores the option, with a warning */
#error no DT_RELR
#endif
int main(void) { return 0; }" VINEA_PACKED_RELOCATIONS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(VINEA_PACKED_RELOCATIONS)
    target_link_options(vinea PRIVATE LINKER:-z,pack-relative-relocs)
endif()
