#!/usr/bin/env bash
# Checks formatting, builds and vets for all systems, checks the generated assembly and
# the record of the public API, and runs staticcheck and our own linter.
set -euo pipefail
source "$(dirname "$0")/env.sh"

section "gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "not formatted: $unformatted" >&2
	exit 1
fi
section "build and vet"
echo "   linux/amd64"
each "$modules" env CGO_ENABLED=0 go vet ./...
echo "   linux/arm64"
# The linter, the cluster and the benchmarks are the same everywhere.
GOARCH=arm64 CGO_ENABLED=0 go vet ./...
# shellcheck disable=SC2046
each ./lab env GOARCH=arm64 CGO_ENABLED=0 go vet $(each ./lab go list ./... | grep -v '/versus')
echo "   linux/riscv64, which has no kernels of its own"
GOARCH=riscv64 CGO_ENABLED=0 go build ./internal/kernel/...
# What people install or import elsewhere. Whether it compiles does not depend on inlining or debug information,
# which take a third of the time.
for system in darwin/arm64 windows/amd64; do
	echo "   $system"
	GOOS=${system%/*} GOARCH=${system#*/} CGO_ENABLED=0 go build -gcflags='all=-l -dwarf=false' . ./cmd/... ./remote ./serve ./relay ./wall ./zerocopy
	GOOS=${system%/*} GOARCH=${system#*/} CGO_ENABLED=0 each './vet ./lab' go build -gcflags='all=-l -dwarf=false' ./...
done
section "the kernels' assembly matches its sources"
scripts/generate.sh -check
(cd internal/kernel/_gen && go vet . && go test -count=1 .)
section "the public API matches api/*.txt"
scripts/api.sh -check
go vet -tags man ./internal/command/usage
section "staticcheck"
# Packages that the experiment changes, those with sources of generated assembly, are looked at with and without it, merged
# by -matrix: code that is used in one of the two counts as used. That the sources compile for arm64 the generator has shown.
sources=$(grep -rl '"simd/archsimd"' --include='*.go' internal/kernel internal/table/key internal/table/group internal/machine/limits |
	grep -v /_gen/ | xargs -n 1 dirname | sort -u | sed 's,^,./,')
# shellcheck disable=SC2086
ordinary=$(go list ./... | grep -vxF "$(go list $sources)")
# shellcheck disable=SC2086
staticcheck $ordinary
each ./vet staticcheck ./...
each ./lab staticcheck $(each ./lab go list ./... | grep -vE '/(simd|needle)$')
# shellcheck disable=SC2086
staticcheck -matrix $sources <<-END
	ordinary: GOEXPERIMENT=
	experiment: GOEXPERIMENT=simd
END
each ./lab staticcheck -matrix ./simd ./needle <<-END
	ordinary: GOEXPERIMENT=
	experiment: GOEXPERIMENT=simd
END
section "thresh-vet"
# A warm build cache makes this as fast as go vet.
program=$(mktemp -d)
trap 'rm -rf "$program"' EXIT
each ./vet go build -o "$program/thresh-vet" ./cmd/thresh-vet
each "$modules" "$program/thresh-vet" ./...
