# The four questions for awk, in one pass.
{
    lines++
    if (NR == 1 || NR == 433 || NR == 43244) name[NR] = $8
    months[substr($5, 1, 6)]++
    if (match($8, /, *[^, ]+/)) {
        first = substr($8, RSTART + 1, RLENGTH - 1)
        sub(/^ +/, "", first)
        names[first]++
    }
}
END {
    print "lines: " lines + 0
    print "name: " name[1]
    print "name: " name[433]
    print "name: " name[43244]
    for (month in months) print "month: " month " " months[month]
    for (first in names) if (names[first] > most) { most = names[first]; commonest = first }
    if (most) print "first: " commonest " " most
}
