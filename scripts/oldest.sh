#!/usr/bin/env bash
# Builds what people import, and runs short tests of some packages with kernels, with the oldest Go that go.mod allows.
# Users of the module may have it, and the pinned toolchain would not reveal problems with it.
set -euo pipefail
source "$(dirname "$0")/env.sh"
GOTOOLCHAIN=go$(awk '$1 == "go" { print $2 }' go.mod)
export GOTOOLCHAIN GOEXPERIMENT='' CGO_ENABLED=0
section "$GOTOOLCHAIN, the oldest Go that go.mod allows"
if ! go version >/dev/null 2>&1; then
	echo "oldest: $GOTOOLCHAIN is not installed and cannot be downloaded: skipped"
	exit 0
fi
# Whether it compiles does not depend on inlining or debug information, which take a third of the time. The tests are
# built alike, or all of the standard library would be compiled once more.
quick='all=-l -dwarf=false'
go build -gcflags="$quick" . ./cmd/thresh ./remote ./serve ./relay ./wall ./zerocopy
each ./vet go build -gcflags="$quick" ./...
# Assembly is the same for every Go; these kernels also have the most Go of their own.
go test -gcflags="$quick" -vet=off -count=1 -short -skip "$lengthy|$twins" ./internal/machine/cpu ./internal/kernel/nonzero \
	./internal/kernel/stats/... ./internal/kernel/literals ./internal/kernel/fields ./internal/table/group
# What package zerocopy learns from os and net, and HTTP/2 on a *tls.Conn.
go test -gcflags="$quick" -vet=off -count=1 -run '^(TestHiding|TestTable)$' ./zerocopy
go test -gcflags="$quick" -vet=off -count=1 -run '^(TestTLS|TestStalledBesideMoving|TestTablesOfNetHTTP)$' ./serve
