# Tests.cmake: registers everything ctest runs. A test program says itself how it wants to be run, in comment lines of its source:
#     /* ctest: engines */          once per engine, as <name>.<engine> with the engine's name as argument
#     /* ctest: args WORDS */       with these arguments, after the engine's name
#     /* ctest: env NAME=VALUE */   with that environment variable
#     /* ctest: timeout SECONDS */  instead of 900
#     /* ctest: full */             label full: only `make test-full` runs it
#     /* ctest: sanitize */         in the sanitizer builds too (which have nothing else)
#     /* ctest: sanitize-address */ in that of the address sanitizer only: the thread sanitizer delivers signals later
#     /* ctest: valgrind */         under valgrind as well, as valgrind.<name>
#     /* ctest: links LIBRARY */    with a library of the project besides libvinea
# Exit code 77 means skipped (an engine that is not installed).
set(environment "VINEA_ENGINE_PATH=${PROJECT_BINARY_DIR}/engines")
find_program(VALGRIND valgrind)

# Registers `name` with labels and environment as all tests have them: vinea_test(name TIMEOUT s LABELS ... ENV ... COMMAND ...)
function(vinea_test name)
    cmake_parse_arguments(PARSE_ARGV 1 t "" "TIMEOUT" "LABELS;ENV;COMMAND")
    add_test(NAME ${name} COMMAND ${t_COMMAND})
    if(NOT t_TIMEOUT)
        set(t_TIMEOUT 900)
    endif()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment};${t_ENV}" LABELS "${t_LABELS}" TIMEOUT ${t_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

# Registers a program in the ways its source asks for. `always` lists requests every source of its kind makes.
function(vinea_register name source always)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" requests REGEX "^/\\* ctest: .* \\*/$")
    list(TRANSFORM requests REPLACE "^/\\* ctest: (.*) \\*/$" "\\1")
    list(APPEND requests ${always})
    set(labels)
    set(env)
    set(timeout 900)
    set(arguments)
    foreach(request ${requests})
        if(request MATCHES "^env (.+)$")
            list(APPEND env "${CMAKE_MATCH_1}")
        elseif(request MATCHES "^args (.+)$")
            separate_arguments(arguments UNIX_COMMAND "${CMAKE_MATCH_1}")
        elseif(request MATCHES "^timeout ([0-9]+)$")
            set(timeout ${CMAKE_MATCH_1})
        elseif(request MATCHES "^links (.+)$")
            target_link_libraries(test_${name} PRIVATE ${CMAKE_MATCH_1} vinea_static)
        elseif(request STREQUAL "full")
            list(APPEND labels full)
        elseif(NOT request MATCHES "^(engines|sanitize|sanitize-address|valgrind)$")
            message(FATAL_ERROR "${source}: ctest has no request '${request}'")
        endif()
    endforeach()
    set(argument)
    if("engines" IN_LIST requests)
        set(argument native)
        foreach(engine native ${plugins})
            vinea_test(${name}.${engine} TIMEOUT ${timeout} LABELS ${labels} ${engine} ENV ${env} COMMAND test_${name} ${engine} ${arguments})
        endforeach()
    else()
        vinea_test(${name} TIMEOUT ${timeout} LABELS ${labels} ENV ${env} COMMAND test_${name} ${arguments})
    endif()
    if("valgrind" IN_LIST requests AND VALGRIND AND NOT VINEA_SANITIZE)
        math(EXPR timeout "${timeout} * 3")
        vinea_test(valgrind.${name} TIMEOUT ${timeout} LABELS ${labels} valgrind ENV ${env} VINEA_ISA=avx2
                   COMMAND "${VALGRIND}" -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --error-exitcode=9 $<TARGET_FILE:test_${name}> ${argument} ${arguments})
    endif()
endfunction()

# A call of every public function, printed from the headers.
file(GLOB headers CONFIGURE_DEPENDS include/vinea/*.h)
list(FILTER headers EXCLUDE REGEX "/(engine|types)\\.h$")
set(calls "${PROJECT_BINARY_DIR}/generated/tests/calls.inc")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated/tests")
add_custom_command(OUTPUT "${calls}" COMMAND awk -f "${PROJECT_SOURCE_DIR}/tests/calls.awk" ${headers} > "${calls}"
                   DEPENDS tests/calls.awk ${headers} VERBATIM COMMENT "Printing a call of every public function")

# A program of the tests: reaches inside the library, so it takes the static one and its include folders.
function(vinea_program target)
    add_executable(${target} ${ARGN})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    target_include_directories(${target} PRIVATE src "${generated}" "${generated}/tests" tests)
    target_compile_definitions(${target} PRIVATE VN_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" VN_TEST_PLUGINS="${PROJECT_BINARY_DIR}/tests/plugins"
                                                 VN_SYMBOLS="${PROJECT_SOURCE_DIR}/src/vinea.symbols")
    target_link_libraries(${target} PRIVATE vinea_flags vinea_static m dl pthread)
    add_dependencies(${target} vinea_generated)
endfunction()

# Engines of the tests: plugins like any other, in a folder where nothing looks for them by itself.
file(GLOB sources CONFIGURE_DEPENDS tests/plugins/*.c)
foreach(source ${sources})
    get_filename_component(name "${source}" NAME_WE)
    add_library(test_plugin_${name} MODULE "${source}")
    set_target_properties(test_plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/plugins")
    target_link_libraries(test_plugin_${name} PRIVATE vinea_flags dl)
endforeach()

file(GLOB sources CONFIGURE_DEPENDS tests/*.c)
foreach(source ${sources})
    get_filename_component(name "${source}" NAME_WE)
    file(STRINGS "${source}" sanitize REGEX "^/\\* ctest: sanitize(-address)? \\*/$")
    if(VINEA_SANITIZE AND (NOT sanitize OR (sanitize MATCHES "-address" AND NOT VINEA_SANITIZE MATCHES "address")))
        continue()
    endif()
    set(printed)
    file(STRINGS "${source}" uses REGEX "^#include \"calls.inc\"")
    if(uses)
        set(printed "${calls}")
    endif()
    vinea_program(test_${name} "${source}" ${printed})
    set_target_properties(test_${name} PROPERTIES OUTPUT_NAME ${name})
    vinea_register(${name} "${source}" "")
endforeach()

# Random programs: the cases, a fixed part, and seconds of what changes with the commit, on every engine; for threads at once also under the sanitizers,
# where all of it takes ten times as long. The full tests go on for an hour.
file(GLOB sources CONFIGURE_DEPENDS tests/programs/*.c)
if(sources)
    vinea_program(programs ${sources})
    target_compile_options(programs PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
    function(vinea_programs name engine labels fixed seconds)
        vinea_test(programs.${name} TIMEOUT 7200 LABELS ${engine} ${labels}
                   COMMAND "${PROJECT_SOURCE_DIR}/tests/programs/check.sh" $<TARGET_FILE:programs> "${PROJECT_SOURCE_DIR}" ${engine} ${fixed} ${seconds} ${ARGN})
    endfunction()
    if(VINEA_SANITIZE)
        vinea_programs(native native "" 40 10 --at-once 3 --limit 600)
    else()
        vinea_programs(native native "" 2000 30)
        vinea_programs(threads native "" 500 8 --at-once 3)
        vinea_programs(long.native native full 1 3300)
        foreach(engine ${plugins})
            vinea_programs(${engine} ${engine} "" 24 4 --together 8 --limit 300)
            vinea_programs(long.${engine} ${engine} full 1 800 --together 8 --limit 300)
        endforeach()
    endif()
endif()

# Everything that reads files, over the corpus of tests/fuzz/corpus and the files of tests/data; with -DVINEA_FUZZ=ON (clang; `make fuzz`)
# they are programs of libFuzzer instead.
file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/*.c)
foreach(source ${sources})
    get_filename_component(name "${source}" NAME_WE)
    vinea_program(fuzz_${name} "${source}")
    file(STRINGS "${source}" links REGEX "^/\\* ctest: links .* \\*/$")
    string(REGEX REPLACE "^/\\* ctest: links (.*) \\*/$" "\\1" links "${links}")
    target_link_libraries(fuzz_${name} PRIVATE ${links})
    if(VINEA_FUZZ)
        target_compile_definitions(fuzz_${name} PRIVATE VINEA_FUZZ)
        target_compile_options(fuzz_${name} PRIVATE ${fuzz_flags})
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    else()
        vinea_test(fuzz.${name} COMMAND fuzz_${name} "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}" "${PROJECT_SOURCE_DIR}/tests/data")
    endif()
endforeach()

# The suites of `vinea check`, on every engine, by the strict tolerances. Of the ops all cases on the native engine.
foreach(engine native ${plugins})
    foreach(suite seeds ops nn)
        set(tier quick)
        if(engine STREQUAL "native" AND suite STREQUAL "ops")
            set(tier full)
        endif()
        set(labels ${engine})
        if(engine STREQUAL "jax" AND suite STREQUAL "ops") # it compiles some thousand programs; cases.jax has the golden lines anyway
            list(APPEND labels full)
        endif()
        vinea_test(${suite}.${engine} LABELS ${labels} COMMAND vinea_command check --suite ${suite} --engine ${engine} --tier ${tier} --strict
                                                                --out "${PROJECT_BINARY_DIR}/${suite}-${engine}")
        set_tests_properties(${suite}.${engine} PROPERTIES COST 90 SKIP_REGULAR_EXPRESSION "no engine is there: nothing was run")
    endforeach()
endforeach()

# The case files, on every engine, in parts of about equal work so that they fill all processors.
set(case_parts 4)
file(GLOB sources CONFIGURE_DEPENDS conformance/*.c)
if(sources)
    vinea_program(vinea-cases ${sources})
    foreach(engine native ${plugins})
        foreach(part RANGE 1 ${case_parts})
            vinea_test(cases.${engine}.${part} TIMEOUT 1800 LABELS ${engine}
                       COMMAND vinea-cases --engine ${engine} --part ${part}/${case_parts}
                               "${PROJECT_SOURCE_DIR}/conformance/cases" "${PROJECT_SOURCE_DIR}/conformance/known")
            set_tests_properties(cases.${engine}.${part} PROPERTIES COST 100) # the longest start first
        endforeach()
        # Without native kernels standing in: each op, and in the full run each op and dtype (an engine that compiles takes minutes for it).
        foreach(tier ops full)
            vinea_test(strict.${tier}.${engine} LABELS ${tier} ${engine} COMMAND vinea-cases --strict$<$<STREQUAL:${tier},ops>:=ops> --engine ${engine}
                       "${PROJECT_SOURCE_DIR}/conformance/cases" "${PROJECT_SOURCE_DIR}/conformance/known")
        endforeach()
    endforeach()
endif()

if(VINEA_SANITIZE)
    return()
endif()

# Examples: as a user builds them, with the shared library and nothing of the inside, run where they find data/. Their arrays are
# small: one thread is enough for the frameworks, and threads that wait for each other are slow where several tests run at once.
file(GLOB sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${sources})
    get_filename_component(name "${source}" NAME_WE)
    add_executable(test_${name} "${source}")
    set_target_properties(test_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
    target_link_libraries(test_${name} PRIVATE vinea_flags vinea)
    vinea_register(${name} "${source}" "engines;env OMP_NUM_THREADS=1;env OPENBLAS_NUM_THREADS=1")
    foreach(engine native ${plugins})
        set_tests_properties(${name}.${engine} PROPERTIES WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    endforeach()
endforeach()

# What is printed from the op table and committed is what the table prints now.
foreach(pair header=include/vinea/ops.h docs=docs/ops.md)
    string(REGEX MATCH "^(.*)=(.*)$" pair "${pair}")
    vinea_test(committed.${CMAKE_MATCH_1} COMMAND sh -c "\"$1\" $2 | diff - \"$3\" || { echo 'stale: run make ops'; exit 1; }"
               sh $<TARGET_FILE:vinea_gen> ${CMAKE_MATCH_1} "${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2}")
endforeach()

# Scripts that look at what was built, and at what an installation gives its users. Each gets source and build folder, and the engines, and may
# ask for the label full and another time limit in lines "# ctest: full", "# ctest: timeout SECONDS".
file(GLOB scripts CONFIGURE_DEPENDS tests/package/*.sh)
foreach(script ${scripts})
    get_filename_component(name "${script}" NAME_WE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}")
    file(STRINGS "${script}" requests REGEX "^# ctest: ")
    set(labels)
    set(timeout 600)
    foreach(request ${requests})
        if(request MATCHES "^# ctest: timeout ([0-9]+)$")
            set(timeout ${CMAKE_MATCH_1})
        elseif(request STREQUAL "# ctest: full")
            set(labels full)
        else()
            message(FATAL_ERROR "${script}: ctest has no request '${request}'")
        endif()
    endforeach()
    vinea_test(package.${name} TIMEOUT ${timeout} LABELS ${labels} COMMAND bash "${script}" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}" native ${plugins})
endforeach()

# The benchmark: built to be ready for `make bench`, run here only to show that it works.
file(GLOB sources CONFIGURE_DEPENDS bench/*.c)
add_executable(vinea-bench ${sources})
set_target_properties(vinea-bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
target_link_libraries(vinea-bench PRIVATE vinea_flags vinea m)
vinea_test(bench.quick COMMAND python3 "${PROJECT_SOURCE_DIR}/bench/run.py" --quick "${PROJECT_BINARY_DIR}")
