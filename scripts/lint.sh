#!/usr/bin/env bash
# Formatting, vet over the matrix of systems and experiments, staticcheck.
set -euo pipefail
source "$(dirname "$0")/env.sh"

echo "== gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "not formatted: $unformatted" >&2
	exit 1
fi
echo "== build and vet"
for system in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do
	for experiment in simd none; do
		[ "$experiment" = none ] && value='' || value=$experiment
		echo "   $system, GOEXPERIMENT=$value"
		GOOS=${system%/*} GOARCH=${system#*/} GOEXPERIMENT=$value CGO_ENABLED=0 go build ./...
		GOOS=${system%/*} GOARCH=${system#*/} GOEXPERIMENT=$value CGO_ENABLED=0 go vet ./...
	done
done
GOAMD64=v3 go build ./...
echo "== the kernels' assembly is what their sources make"
scripts/generate.sh -check
(cd internal/kernel/_gen && go vet . && go test -count=1 .)
go vet -tags man ./cmd/thresh
echo "== staticcheck"
# Both builds: what only one of them uses is used.
go tool staticcheck -matrix ./... <<-END
	ordinary: GOEXPERIMENT=
	experiment: GOEXPERIMENT=simd
END
