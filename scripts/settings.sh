#!/usr/bin/env bash
# Runs short tests of the kernels, and of what is built on them, in settings that a processor with the
# usual build does not try: compiled for GOAMD64=v3, and with fewer instruction sets. The ordinary
# tests hold each variant that can run here against its definition. A setting therefore runs only what it makes different.
set -euo pipefail
source "$(dirname "$0")/env.sh"
# -count=1, because the go command does not know that the tests read THRESH_ISA and would show cached
# results.
settled() { go test -vet=off -count=1 -short "$@"; }

if [ -n "${THRESH_REQUIRE:-}" ]; then
	section "kernels with GOAMD64=v3, which rounds a product and a sum once: those with floating point"
	GOAMD64=v3 settled ./internal/kernel/stats/... ./internal/kernel/histogram ./internal/kernel/compare ./internal/table/sketch
fi
# Where a kernel is chosen, the choice must not change an answer. The best one here is what the ordinary
# tests choose.
for isa in plain ${THRESH_REQUIRE:+avx2}; do
	[ "$isa" != "${THRESH_REQUIRE:-}" ] || continue
	section "only $isa"
	THRESH_REQUIRE='' THRESH_ISA=$isa settled -run DependOnNothing -skip TestShrunkDependOnNothing ./internal/run
	THRESH_REQUIRE='' THRESH_ISA=$isa settled -skip "$lengthy" ./internal/kernel/literals ./internal/kernel/regex \
		./internal/kernel/histogram ./internal/table/key ./internal/table/group ./internal/search/... \
		./internal/table/decimal ./internal/table/filter
	THRESH_REQUIRE='' THRESH_ISA=$isa settled -run 'Random|Shrunk' -skip "$lengthy" ./internal/table
done
