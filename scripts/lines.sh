#!/usr/bin/env bash
# Counts lines of Go and assembly by area: code, tests (_test.go, testdata, and packages that only tests import), and what
# is generated.
set -euo pipefail
cd "$(dirname "$0")/.."
row='%-20s %8s %8s %9s %6s\n'
# shellcheck disable=SC2059 # the format is ours
printf "$row" area code tests generated files
git ls-files -- '*.go' '*.s' | awk -v row="$row" '
	{
		n = split($0, folder, "/")
		area = n == 1 ? "." : folder[1] == "internal" && n > 2 ? "internal/" folder[2] : folder[1]
		kind = /_test\.go$|(^|\/)testdata\/|^internal\/test\/|\/(engine|decompress|kernel|serve|table)test\// ? "tests" : "code"
		files[area]++
		for (first = 1; (getline line < $0) > 0; first = 0) {
			if (first && kind == "code" && line ~ /^\/\/ Code generated .* DO NOT EDIT\.$/) kind = "generated"
			lines[area, kind]++; lines["total", kind]++
		}
		close($0)
	}
	END {
		for (area in files) printf row, area, lines[area, "code"] + 0, lines[area, "tests"] + 0, lines[area, "generated"] + 0, files[area]
		printf row, "~total", lines["total", "code"], lines["total", "tests"], lines["total", "generated"], NR
	}' | LC_ALL=C sort | tr -d '~'
