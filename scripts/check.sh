#!/usr/bin/env bash
# What to run before every commit: under three minutes on two cores, and hermetic. It installs
# nothing, needs no rights and no programs but Go, git and a shell, and no network once Go has the
# modules and the toolchain. CONTRIBUTING.md says what it leaves to make test.
set -euo pipefail
source "$(dirname "$0")/env.sh"
export CGO_ENABLED=0 # no C compiler

# Packages whose tests take long, need programs that make test installs, or measure.
slow='/internal/(input/decompress|kernel/(regex|stats)|table|table/(group|tabletest)|search/find)$|/(bench|lab/.*|cmd/thresh)$|/internal/run$'

echo "== gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "not formatted: $unformatted" >&2
	exit 1
fi
echo "== vet"
go vet ./...
echo "== the kernels' assembly is what their sources make"
scripts/generate.sh -check
echo "== staticcheck"
# Not U1000, unused code: some is used in the build with the experiment only; make lint looks at both.
go tool staticcheck -checks inherit,-U1000 ./...
echo "== tests"
# shellcheck disable=SC2046 # one word a package
go test -short -timeout 2m $(go list ./... | grep -vE "$slow")
# Of the runs and the command line a part; internal/test/matrix has run every kind of question.
go test -short -timeout 2m -run '^(TestVanished|TestManyFiles|TestTotals)$' ./internal/run
go test -short -timeout 2m -run '^TestScripts$/^(help|usage|companion|nonzero|text|values|count|table|minify|lines)$' ./cmd/thresh
echo "== check: $SECONDS seconds"
