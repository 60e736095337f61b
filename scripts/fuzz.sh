#!/usr/bin/env bash
# Runs tests with THRESH_ROUNDS times as many cases as an ordinary run, every fuzz target of the project for the
# given time, and the generated matrix of the whole library: THRESH_CASES cases of each test, or as many
# as fit in three times the given time.
set -euo pipefail
source "$(dirname "$0")/env.sh"
time=${1:-20s}
export THRESH_PYTHON=${THRESH_PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/thresh/test-venv/bin/python}
# An ordinary run of these tests tries a part of their cases, and with the same seeds.
section "more cases of all tests that can try any number"
export THRESH_ROUNDS=${THRESH_ROUNDS:-10}
# shellcheck disable=SC2046 # one word a package
go test -p 1 -count=1 -timeout 2h $(grep -rlF --include='*_test.go' '"github.com/thresh-dev/thresh/internal/test/rounds"' . | xargs -n 1 dirname | sort -u)
unset THRESH_ROUNDS
section "the programs of all modules, installed from a proxy"
THRESH_INSTALL=1 go test -count=1 -timeout 30m ./internal/test/modules
section "all expressions of RE2's exhaustive tests, and many random lines in parts"
THRESH_EXHAUSTIVE=all go test -count=1 -timeout 2h -run '^TestExhaustive$' ./internal/kernel/regex
THRESH_CASES=${THRESH_CASES:-100000} go test -count=1 -timeout 2h -run '^TestRegexpOf' ./internal/search/find
grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | while read -r _ name; do
		section "$name in $(dirname "$file")"
		# Without the last flag, each new input is first made shorter for up to a minute, which is most of
		# the time: FuzzDecode of inflate ran 33 inputs in 30 s, and 34,000 in 20 s with it.
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 10x "$(dirname "$file")"
	done
done

section "the generated matrix"
if [ -z "${THRESH_CASES:-}" ]; then
	unit=${time//[0-9]/}
	export THRESH_CASES=$((3 * ${time%%[^0-9]*}))$unit
fi
go test -count=1 -timeout 0 -v ./internal/test/matrix | grep -v '^=== '
