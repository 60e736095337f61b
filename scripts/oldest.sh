#!/usr/bin/env bash
# Builds what people import, and runs short tests of some packages with kernels, with the oldest Go that go.mod allows.
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
# Whether it compiles does not depend on inlining or debug information, which take a third of the time.
quick='all=-l -dwarf=false'
CGO_ENABLED=0 go build -gcflags="$quick" . ./cmd/thresh ./remote ./serve ./relay ./wall ./zerocopy ./vet
# Assembly is the same for every Go; these kernels also have the most Go of their own.
go test -gcflags="$quick" -vet=off -count=1 -short -skip "$lengthy|$twins" ./internal/machine/cpu ./internal/kernel/nonzero \
	./internal/kernel/stats/... ./internal/kernel/literals ./internal/kernel/fields ./internal/table/group
# What package zerocopy knows of the inside of net/http, os and the compiler.
go test -vet=off -count=1 -run '^(TestLayout|TestTable|TestBrokenLayout)' ./zerocopy
