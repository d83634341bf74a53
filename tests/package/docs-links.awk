# docs-links.awk: prints what Markdown pages link to, and what can be linked to, for docs.sh:
#     link PAGE:LINE TARGET         of [text](TARGET) and ![text](TARGET) outside of code
#     anchor PAGE#NAME              of each heading, by the rule of GitHub: small letters, blanks to '-', nothing but letters, digits, '-' and '_'
# Called with the path of each page as it is to be printed.

function anchor(text,   name) {
    gsub(/`/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    name = FILENAME "#" text
    if (name in seen) name = name "-" seen[name]++
    else seen[name] = 1
    print "anchor", name
}

FNR == 1 { inside = 0 }
/^ *```/ { inside = !inside; next }
inside { next }
/^#+ / { sub(/^#+ /, ""); anchor($0); next }
{
    gsub(/`[^`]*`/, "")
    while (match($0, /\]\([^)]*\)/)) {
        print "link", FILENAME ":" FNR, substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
    }
}
