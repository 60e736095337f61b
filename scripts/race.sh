#!/usr/bin/env bash
# Runs tests under the race detector: of the packages that start goroutines or whose tests do, and of
# tables only tests that read with several workers. The detector needs cgo and a C compiler. It does not
# support mapped memory, so the packages that scan mappings are left out.
set -euo pipefail
source "$(dirname "$0")/env.sh"
section "race detector"
export THRESH_REQUIRE='' # a race build only has the plain twins
if ! command -v cc >/dev/null; then
	echo "race: no C compiler (cc); install one to run the race detector" >&2
	exit 1
fi
export CGO_ENABLED=1
# Tests of the root package that take long here, and start no goroutines that others do not.
slow='^(TestCompareHoles|TestColumnsByName|TestNoInternalTypes)$'
# Servers wait for time to pass, so they come first, and three packages run at a time.
go test -vet=off -race -short -p 3 -timeout 10m -skip "$repeated|$slow" \
	./serve ./relay ./zerocopy/... ./internal/input/decompress ./internal/input/source ./internal/scan \
	./internal/machine/limits ./internal/machine/wall ./internal/table/quantiles ./internal/engine/pread \
	./internal/engine/stream ./internal/engine/memory ./internal/net/sendfile ./internal/net/splice ./internal/net/docroot \
	.
each ./lab go test -vet=off -race -short -timeout 10m ./copy ./concurrency
go test -vet=off -race -short -timeout 5m -run '^(TestVanished|TestManyFiles|TestManyBigFiles|TestTotals)$' ./internal/run
go test -vet=off -race -short -timeout 5m -run '^(TestRandom|TestUnreadInABlock)$' ./internal/table
go test -vet=off -race -short -timeout 5m -run '^(TestGroupsShrunk|TestRunsOfRuns|TestMergeInParts|TestMergeEndsEarly)$' ./internal/table/group
