#!/usr/bin/env bash
# The race detector needs cgo and a C compiler; it does not know what a mapping is, so the
# packages that scan mapped memory stay out.
set -euo pipefail
source "$(dirname "$0")/env.sh"
echo "== race detector"
export THRESH_REQUIRE='' # such a build has the plain twins alone
if ! command -v cc >/dev/null; then
	echo "race: no C compiler (cc); install one to run the race detector" >&2
	exit 1
fi
# Left out is what repeats, for each byte of a compressed file, what other tests do once.
CGO_ENABLED=1 go test -race -short -timeout 10m -skip '^(TestDamage|TestBytesBeforeAFault|TestTruncation|TestMixedMembers)$' \
	./internal/cpu ./internal/plan ./internal/count ./internal/exact ./internal/unpack ./internal/scan ./internal/source \
	./internal/limits/... ./internal/wall \
	./internal/records ./internal/decimal ./internal/sketch ./internal/spill ./internal/values ./internal/key ./internal/where ./internal/group \
	./internal/table ./internal/present ./internal/jsontext ./internal/outfile \
	./internal/engine/pread ./internal/engine/stream \
	./internal/sendfile ./internal/splice ./internal/activation ./internal/httpsem ./internal/site ./zerocopy/... \
	./serve ./relay ./lab/copy
CGO_ENABLED=1 go test -race -short -timeout 5m -run 'TestVanished|TestManyFiles|TestTotals' .
