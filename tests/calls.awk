# calls.awk: prints a line CALL(name, (arguments)) for every public function of the headers given, with zero for each argument: NULL for a
# pointer, {0} for a value of one of Vinea's own types. tests/core/open_close.c makes functions of them.
{ text = text " " $0 }
END {
    while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//)) text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
    gsub(/[ \t]+/, " ", text)
    while (match(text, /VN_API [^;{]*\) *;/)) {
        declaration = substr(text, RSTART + 7, RLENGTH - 7)
        text = substr(text, RSTART + RLENGTH)
        match(declaration, /vn_[a-z0-9_]+\(/)
        name = substr(declaration, RSTART, RLENGTH - 1)
        parameters = substr(declaration, RSTART + RLENGTH)
        sub(/\) *;$/, "", parameters)
        if (name !~ /^vn__/) print "CALL(" name ", (" zeros(parameters) "))"
    }
}
# A zero for each parameter; a comma inside of parentheses parts nothing.
function zeros(parameters, out, depth, part, i, c) {
    parameters = parameters ","
    for (i = 1; i <= length(parameters); i++) {
        c = substr(parameters, i, 1)
        depth += (c == "(") - (c == ")")
        if (c != "," || depth) { part = part c; continue }
        gsub(/^ +| +$/, "", part)
        if (part != "" && part != "void" && part != "...") out = out (out == "" ? "" : ", ") zero(part)
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
