# docs-blocks.awk: takes the examples out of one Markdown page, for docs.sh, which says what the marks mean.
#     awk -v folder=OUT -f docs-blocks.awk PAGE
# writes into OUT: steps, one line "kind N exit-code name" for each thing to be done, in the page's order; N.c, N.cpp, N.sh, N.text, N.file with the block that
# begins in line N of the page; and fragments.c and fragments.cpp, the page's fragments as functions of one program, which runs the one of the line it is given.

function bad(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
}

function step(kind, name) { print kind, begin, code, name > (folder "/steps") }

function save(ending,   path) {
    path = folder "/" begin ending
    printf "%s", body > path
    close(path)
}

function source() { return "#line " begin + 1 " \"" FILENAME "\"\n" body }

# C and C++: `language` is c or cpp.
function finish_c() {
    if (word == "shown") return
    if (word == "file") { save(".file"); step("file", rest); return }
    if (word == "define") { shared[language] = shared[language] source(); return }
    if (body ~ /(^|\n)int main\(/) { body = source(); save("." language); step("program", language); return }
    if (word != "run") { bad("a block of C without a mark: <!-- run -->, <!-- define -->, <!-- file NAME --> or <!-- shown -->"); return }
    functions[language] = functions[language] shared[language] "static void fragment_" begin "(void)\n{\n    VN_SCOPE;\n" source() "}\n"
    shared[language] = ""
    calls[language] = calls[language] "    if (line == " begin ") fragment_" begin "();\n"
    step("fragment", language)
}

function finish_sh() {
    if (word == "shown") return
    if (word != "run") { bad("a block of shell without a mark: <!-- run --> or <!-- shown -->"); return }
    save(".sh")
    step("shell")
}

function finish() {
    if (language == "c" || language == "cpp") finish_c()
    else if (language == "sh") finish_sh()
    else if (word == "file") { save(".file"); step("file", rest) }
    else if (word == "output") { save(".text"); step("output") }
    else if (word != "" && word != "shown") bad("the mark '" word "' does not go with a block of '" language "'")
    word = rest = ""
    code = 0
}

BEGIN { code = 0; printf "" > (folder "/steps") }

!inside && /^<!-- (run|output|file|define|shown)( [^ ]+)? -->$/ {
    word = $2
    rest = $3 == "-->" ? "" : $3
    if (word == "run" && rest ~ /^exit=[0-9]+$/) code = substr(rest, 6) + 0
    else if (rest != "" && word != "file") bad("a mark that is not known: " $0)
    else if (rest == "" && word == "file") bad("a file needs a name: " $0)
    next
}
!inside && /^<!--/ { bad("a mark that is not known: " $0) }
!inside && /^```/ { inside = 1; language = substr($0, 4); body = ""; begin = FNR; next }
inside && /^```$/ { inside = 0; finish(); next }
inside { body = body $0 "\n"; next }
word != "" && NF { bad("a mark that is not followed by a block"); word = "" }

END {
    if (inside) bad("a block that does not end")
    headers["c"] = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <vinea/vinea.h>\n"
    headers["cpp"] = "#include <cstdlib>\n#include <iostream>\n#include <vinea/vinea.hpp>\n"
    for (language in functions) {
        printf "%s%s#line 1 \"main\"\nint main(int argc, char **argv)\n{\n    int line = argc > 1 ? atoi(argv[1]) : 0;\n%s" \
               "    if (vn_status()) fprintf(stderr, \"%%s\\n\", vn_message());\n    return vn_close();\n}\n", headers[language], functions[language], calls[language] > (folder "/fragments." language)
    }
    exit failed
}
