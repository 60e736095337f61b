#!/usr/bin/env bash
# Builds, and runs short tests of the packages with kernels, with the oldest Go that go.mod allows.
# Users of the module may have it, and the pinned toolchain would not reveal problems with it.
set -euo pipefail
source "$(dirname "$0")/env.sh"
GOTOOLCHAIN=go$(awk '$1 == "go" { print $2 }' go.mod)
export GOTOOLCHAIN GOEXPERIMENT=''
echo "== $GOTOOLCHAIN, the oldest Go that go.mod allows"
if ! go version >/dev/null 2>&1; then
	echo "oldest: $GOTOOLCHAIN is not installed and cannot be downloaded: skipped"
	exit 0
fi
CGO_ENABLED=0 go build ./...
GOARCH=arm64 CGO_ENABLED=0 go build . ./serve ./relay ./zerocopy # the library
# shellcheck disable=SC2086 # one word a package
go test -vet=off -count=1 -short -skip "$lengthy|$twins" ./internal/machine/cpu $kernels
# What package zerocopy knows of the inside of net/http, os and the compiler.
go test -vet=off -count=1 -run '^(TestLayout|TestTable|TestBrokenLayout)' ./zerocopy
