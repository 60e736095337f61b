#!/usr/bin/env bash
# Runs tests under the race detector. It needs cgo and a C compiler. It does not support mapped
# memory, so the packages that scan mappings are left out, and so is jsontext, which takes two minutes and
# has no goroutines.
set -euo pipefail
source "$(dirname "$0")/env.sh"
echo "== race detector"
export THRESH_REQUIRE='' # a race build only has the plain twins
if ! command -v cc >/dev/null; then
	echo "race: no C compiler (cc); install one to run the race detector" >&2
	exit 1
fi
# The skipped tests repeat, for each byte of a compressed file, what other tests do once.
CGO_ENABLED=1 go test -race -short -timeout 10m -skip '^(TestDamage|TestBytesBeforeAFault|TestTruncation|TestMixedMembers)$' \
	./internal/machine/cpu ./internal/plan ./internal/search/count ./internal/kernel/stats/exact ./internal/input/decompress ./internal/scan ./internal/input/source \
	./internal/machine/limits/... ./internal/machine/wall \
	./internal/kernel/fields/records ./internal/table/decimal ./internal/table/sketch ./internal/table/spill ./internal/table/quantiles ./internal/table/key ./internal/table/filter ./internal/table/group \
	./internal/table ./internal/output/encode ./internal/output/outfile \
	./internal/engine/pread ./internal/engine/stream \
	./internal/net/sendfile ./internal/net/splice ./internal/net/activation ./internal/net/httpsem ./internal/net/docroot ./zerocopy/... \
	./serve ./relay ./lab/copy
CGO_ENABLED=1 go test -race -short -timeout 5m -run 'TestVanished|TestManyFiles|TestTotals' ./internal/run
CGO_ENABLED=1 go test -race -short -timeout 5m . ./internal/engine/memory
