# Flags.cmake: how every C file of the project is compiled. Targets take these flags by linking vinea_flags.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

add_library(vinea_flags INTERFACE)
target_compile_definitions(vinea_flags INTERFACE _GNU_SOURCE)
target_compile_options(vinea_flags INTERFACE -fvisibility=hidden -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # clang warns about every code and dtype stored in an int; gcc still checks for real sign conversions.
    target_compile_options(vinea_flags INTERFACE -Wno-sign-conversion)
endif()
if(VINEA_WERROR AND NOT VINEA_SANITIZE) # sanitizer instrumentation causes false positives in gcc
    target_compile_options(vinea_flags INTERFACE -Werror)
endif()
target_include_directories(vinea_flags INTERFACE "${PROJECT_SOURCE_DIR}/include")

# Hardening of everything that is built; tests/package/hardened.sh checks the result. Not with sanitizers, which have their own checks, and
# _FORTIFY_SOURCE needs optimisation.
include(CheckCCompilerFlag)
set(hardened_link LINKER:-z,relro,-z,now LINKER:-z,noexecstack)
if(NOT VINEA_SANITIZE AND NOT VINEA_FUZZ)
    target_compile_options(vinea_flags INTERFACE -fstack-protector-strong)
    target_compile_options(vinea_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
    foreach(flag fcf-protection=full fstack-clash-protection) # the first on x86, the second not by every clang
        string(MAKE_C_IDENTIFIER "VINEA_HAS_${flag}" has)
        check_c_compiler_flag(-${flag} ${has})
        if(${has})
            target_compile_options(vinea_flags INTERFACE -${flag})
        endif()
    endforeach()
    target_link_options(vinea_flags INTERFACE ${hardened_link})
endif()

# With sanitizers, low optimisation compiles in a third of the time. The undefined-behaviour sanitizer
# omits some checks unless they are named: floats cast to integers that cannot hold them, and arrays at the end of structs, which
# only gcc can check.
if(VINEA_SANITIZE)
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")
    set(sanitizers ${VINEA_SANITIZE})
    if(sanitizers MATCHES "undefined")
        string(APPEND sanitizers ",float-cast-overflow$<$<C_COMPILER_ID:GNU>:,bounds-strict>")
    endif()
    add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${sanitizers})
endif()

# Coverage for libFuzzer. Kernels, which read no files, are not instrumented: clang would take
# minutes for them.
set(fuzz_flags)
if(VINEA_FUZZ)
    set(fuzz_flags -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all)
endif()
