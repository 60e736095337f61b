#!/usr/bin/env bash
# Runs what the README shows in demo/, which stays, half a gigabyte. Then generates more data in a temporary folder, runs
# real queries, shows answers and receipts, and cleans up. DEMO_SCALE scales that data (default 1: about 3 GB).
set -euo pipefail
source "$(dirname "$0")/env.sh"

scale=${DEMO_SCALE:-1}
data=$(mktemp -d "${TMPDIR:-/tmp}/thresh-demo.XXXXXX")
trap 'rm -rf "$data"' EXIT
bytes() { awk -v n="$1" -v s="$scale" 'BEGIN { printf "%d", n * s }'; }

need=$(bytes 3200000000)
have=$(($(df -Pk "$data" | awk 'NR==2 {print $4}') * 1024))
if [ "$have" -lt "$need" ]; then
	echo "demo: $data has $have bytes free, but $need are needed; set TMPDIR, or DEMO_SCALE=0.1" >&2
	exit 1
fi

say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
ask() {
	printf '$ thresh %s\n' "$(printf '%q ' "$@" | sed "s|$data/||g")"
	bin/thresh "$@" --receipt || [ $? -eq 1 ]
}

say "Generating the README's files in demo/"
go build -o "$data/gen" ./internal/test/gen/cmd/gen
mkdir -p demo
"$data/gen" -kind demo -o demo
cp -r cmd/thresh/testdata/docs/. demo/
ls -lh demo | awk 'NR>1 {print "  " $9, $5}'

say "What the README shows"
awk '/^```/ {inside = $0 == "```console"} inside && sub(/^\$ /, "")' README.md | (
	PATH=$PWD/bin:$PATH
	cd demo
	while read -r line; do
		printf '$ %s\n' "$line"
		eval "$line" </dev/null || [ $? -eq 1 ]
	done
)

say "Generating larger data: a log, an array of numbers, a disk, a haystack, tables"
"$data/gen" -kind log -bytes "$(bytes 1000000000)" -plant \
	'2026-01-02T09:41:07.113Z ERROR billing req=7f3a9c01 user=555000111 card declined, retry 3 of 3' -o "$data/app.log"
"$data/gen" -kind floats -bytes "$(bytes 256000000)" -o "$data/weights.bin"
"$data/gen" -kind disk -bytes "$(bytes 256000000)" -o "$data/usb.img"
"$data/gen" -kind haystack -bytes "$(bytes 640000000)" -o "$data/wiped.img"
"$data/gen" -kind donations -bytes "$(bytes 400000000)" -o "$data/itcont.txt"
"$data/gen" -kind json -bytes "$(bytes 200000000)" -o "$data/export.json"
"$data/gen" -kind orders -bytes "$(bytes 100000000)" -o "$data/orders.csv"
ls -lh "$data" | awk 'NR>1 && $9 != "gen" {print "  " $9, $5}'

say "How fast could this machine be?"
bin/thresh limits "$data"

say "On call: where is request 7f3a9c01 in the log, and what is its line?"
ask find --text 'req=7f3a9c01' --line "$data/app.log"

say "Which users had a declined card? An expression with a literal in it."
ask find --regex 'user=[0-9]{9} card declined' --all --line "$data/app.log"

say "Is the wiped disk blank? Not quite: where are bytes left, and which?"
ask find --nonzero -C 16 "$data/wiped.img"

say "Is there a NaN in the weights?"
ask find --type f64 --nan "$data/weights.bin"

say "Which programs were on the disk? A pattern with wildcards."
ask find --hex '7F 45 4C 46 ?? 01 01 00' --limit 3 "$data/usb.img"

say "How many lines does the log have, and how many of them are errors?"
ask count --lines "$data/app.log"
ask count --text ' ERROR ' "$data/app.log"

say "What is in the weights? Minimum, maximum, exact sum; and their distribution"
ask count --type f64 --stats "$data/weights.bin"
ask count --type f64 --histogram --bins 12 "$data/weights.bin"

say "Campaign donations: how many, who made number 0, 432 and 43243, how many per month, most common first names? One pass"
ask table "$data/itcont.txt" -d '|' --quote none --rows --nth 0,432,43243:8 --group '5[:6]' --sort value --limit 5 \
	--top '3:8~, *([^, ]+)'

say "Orders, with line feeds in quotes: which cities spent the most?"
ask table "$data/orders.csv" --where 'amount > 100' --group city --agg 'count,sum(amount),p99(amount)' \
	--top-by 'sum(amount)' --limit 5 --format table

say "A JSON export, validated and without its white space"
ask minify "$data/export.json" -o "$data/small.json"
ls -lh "$data/export.json" "$data/small.json" | awk '{sub(".*/", "", $9); print "  " $9, $5}'

say "Do the conclusions of published experiments hold here? A small lab, one minute"
ask_lab() {
	printf '$ thresh lab %s\n' "$*"
	XDG_CACHE_HOME=$data bin/thresh lab "$@"
}
report=${TMPDIR:-/tmp}/thresh-lab.html
ask_lab run --quick --budget 5s 2>/dev/null | grep -E '^(needle|donations|tens|copy|simd|go),|/(v03|v04|v07|rev9|thresh)' | cut -c1-100
ask_lab claims | grep -A1 '^[A-Z][0-9]* ' | grep -v '^--'
ask_lab report -o "$report"
echo "  the report is $report"

say "A needle through a pipe, as JSON"
printf '$ cat app.log | thresh find --text req=7f3a9c01 --json -\n'
bin/thresh find --text 'req=7f3a9c01' --json --receipt - < <(cat "$data/app.log")

say "Why did thresh read the file that way? (--dry-run)"
bin/thresh find --text 'req=7f3a9c01' --dry-run "$data/app.log"
