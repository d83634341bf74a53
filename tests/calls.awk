# calls.awk: prints a line CALL(name, (arguments)) for every public function of the headers given, with zero for each argument: NULL for a
# pointer, {0} for a value of one of Vinea's own types. tests/core/open_close.c makes functions of them. For a function that takes an option struct
# there is a line OPTIONS(name, what VN_OPTS takes, (arguments)) too, with a struct without a size and good objects: tests/core/options_size.c.
{ text = text " " $0 }
END {
    while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//)) text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
    gsub(/ VN_OR\([^()]*\)/, "", text)
    gsub(/[ \t]+/, " ", text)
    while (match(text, /VN_API [^;{]*\) *;/)) {
        declaration = substr(text, RSTART + 7, RLENGTH - 7)
        text = substr(text, RSTART + RLENGTH)
        match(declaration, /vn_[a-z0-9_]+\(/)
        name = substr(declaration, RSTART, RLENGTH - 1)
        parameters = substr(declaration, RSTART + RLENGTH)
        sub(/\) *;$/, "", parameters)
        if (name ~ /^vn__/) continue
        print "CALL(" name ", (" list(parameters, 0) "))"
        if (match(parameters, /vn_[a-z0-9_]+_opts/))
            print "OPTIONS(" name ", " substr(parameters, RSTART + 3, RLENGTH - 8) ", (" list(parameters, 1) "))"
    }
}
# A zero, or something good, for each parameter; a comma inside of parentheses parts nothing.
function list(parameters, fine, out, depth, part, i, c) {
    parameters = parameters ","
    for (i = 1; i <= length(parameters); i++) {
        c = substr(parameters, i, 1)
        depth += (c == "(") - (c == ")")
        if (c != "," || depth) { part = part c; continue }
        gsub(/^ +| +$/, "", part)
        if (part != "" && part != "void" && part != "...") out = out (out == "" ? "" : ", ") (fine ? good(part) : zero(part))
        part = ""
    }
    return out
}
function zero(parameter) {
    if (parameter ~ /[*\[(]/ || parameter !~ /^(const )?vn_/) return "0"
    sub(/^const /, "", parameter)
    sub(/ .*/, "", parameter)
    return "(" parameter "){0}"
}
function good(parameter) {
    if (match(parameter, /vn_[a-z0-9_]+_opts/)) return "&(" substr(parameter, RSTART, RLENGTH) "){0}"
    if (match(parameter, /^(const )?(vn_(array|tree|module|module_class|dataset)|char|FILE) \*[a-z0-9_]+$/)) {
        sub(/^const /, "", parameter)
        sub(/ .*/, "", parameter)
        return "a_" parameter
    }
    return parameter ~ /^const char \*const \*/ ? "a_list" : zero(parameter)
}
