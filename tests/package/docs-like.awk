# docs-like.awk: is the output what the page shows?    awk -f docs-like.awk SHOWN OUTPUT
# "..." in a shown line stands for any text, a line of "..." alone for any number of lines. Prints the first difference and ends with 1 if there is one.

function like(line, shown,   n, i, part, at) {
    n = split(shown, part, /\.\.\./)
    if (n <= 1) return line == shown
    if (substr(line, 1, length(part[1])) != part[1]) return 0
    line = substr(line, length(part[1]) + 1)
    for (i = 2; i < n; i++) {
        if (part[i] == "") continue
        at = index(line, part[i])
        if (!at) return 0
        line = substr(line, at + length(part[i]))
    }
    return length(line) >= length(part[n]) && substr(line, length(line) - length(part[n]) + 1) == part[n]
}

FNR == 1 { file++ }
file == 1 { shown[++n_shown] = $0 }
file == 2 { got[++n_got] = $0 }

END {
    for (i = j = 1; i <= n_shown; i++) {
        if (shown[i] == "...") {
            if (i == n_shown) j = n_got + 1
            while (j <= n_got && !like(got[j], shown[i + 1])) j++
            continue
        }
        if (j > n_got) { print "shown, but not printed: " shown[i]; exit 1 }
        if (!like(got[j], shown[i])) { print "shown:   " shown[i] "\nprinted: " got[j]; exit 1 }
        j++
    }
    if (j <= n_got) { print "printed, but not shown: " got[j]; exit 1 }
}
