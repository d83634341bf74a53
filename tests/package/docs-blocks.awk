# docs-blocks.awk: takes the examples out of one Markdown page, for docs.sh, which says what the marks mean.
#     awk -v folder=OUT -f docs-blocks.awk PAGE
# writes into OUT: steps, one line "kind N exit-code name" for each thing to be done, in the page's order; N.c, N.sh, N.text, N.file with the block that
# begins in line N of the page; and fragments.c, the page's fragments as functions of one program, which runs the one of the line it is given.

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

function finish_c() {
    if (word == "shown") return
    if (word == "file") { save(".file"); step("file", rest); return }
    if (word == "define") { shared = shared source(); return }
    if (body ~ /(^|\n)int main\(/) { body = source(); save(".c"); step("program"); return }
    if (word != "run") { bad("a block of C without a mark: <!-- run -->, <!-- define -->, <!-- file NAME --> or <!-- shown -->"); return }
    functions = functions shared "static void fragment_" begin "(void)\n{\n    VN_SCOPE;\n" source() "}\n"
    shared = ""
    calls = calls "    if (line == " begin ") fragment_" begin "();\n"
    step("fragment")
}

function finish_sh() {
    if (word == "shown") return
    if (word != "run") { bad("a block of shell without a mark: <!-- run --> or <!-- shown -->"); return }
    save(".sh")
    step("shell")
}

function finish() {
    if (language == "c") finish_c()
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
    if (functions != "") {
        printf "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <vinea/vinea.h>\n%s" \
               "#line 1 \"main\"\nint main(int argc, char **argv)\n{\n    int line = argc > 1 ? atoi(argv[1]) : 0;\n%s" \
               "    if (vn_status()) fprintf(stderr, \"%%s\\n\", vn_message());\n    return vn_close();\n}\n", functions, calls > (folder "/fragments.c")
    }
    exit failed
}
