#!/usr/bin/env bash
# Runs the arm64 tests in qemu-user: those of the kernels, and the scripts of the command with only
# thresh itself emulated; all other programs in the scripts run natively.
#
# With NEON, the kernels run, and the scripts that work on data; the assembly is what the experiment makes. With SVE of 128, 256 and 512 bits, only what differs: the
# packages with an SVE variant, and with the longest vectors the scripts that use one. The tests fail if a name in
# THRESH_REQUIRE did not run, or if vectors have another length.
set -euo pipefail
source "$(dirname "$0")/env.sh"
if ! command -v qemu-aarch64 >/dev/null; then
	echo "arm64: no qemu-aarch64; scripts/test-setup.sh installs it" >&2
	exit 1
fi
export CGO_ENABLED=0
unset THRESH_ISA

program=$(mktemp -d)
trap 'rm -rf "$program"' EXIT
chmod 755 "$program" # one script runs the program as the user nobody
GOARCH=arm64 go build -o "$program/thresh" ./cmd/thresh

# emulated PROCESSOR ARGUMENT...: go test for arm64, without the lengthy tests, and without the plain twins, which the
# others are compared with anyhow. Of expressions and texts of numbers, random tests are enough here.
emulated() {
	local processor=$1
	shift
	GOARCH=arm64 go test -vet=off -count=1 -short -timeout 15m -exec "qemu-aarch64 -cpu $processor" \
		-skip "$lengthy|^(TestTable|TestPartsOfLongLine|TestNarrowText)\$|$twins" "$@"
}

# commands PROCESSOR SCRIPTS: the scripts of the command whose names match the expression.
commands() {
	THRESH_UNDER_TEST="qemu-aarch64 -cpu $1 $program/thresh" go test -vet=off -count=1 -short -timeout 15m \
		-run "^(TestScripts|TestRequiredInstructionSetRuns)\$/$2" ./cmd/thresh
}

# The scripts in which kernels of this processor work on data, and one that sends files. The others look at messages,
# names and formats, or at system calls that are those of any processor; tables took as long as all others together, and
# their kernels have been tested above.
working='^(count|decompress|engines|kernels|lines|minify|nonzero|serve|text|values)$'

# The packages with an SVE variant, found by file name, and the scripts that run one, by content.
families=$(find internal -name '*_sve_arm64.s' -printf './%h\n' | sort -u)
scripts=$(grep -lE '^exec thresh find .*--nonzero' cmd/thresh/testdata/*.txtar | xargs -n 1 basename -s .txtar | paste -sd '|')

# Package inflate has nothing for this architecture and no floating point, which is rounded otherwise here.
# shellcheck disable=SC2086 # one word a package
ordinary=$(go list $kernels | grep -v '/inflate$')

section "arm64, NEON"
export THRESH_REQUIRE=neon
# shellcheck disable=SC2086
emulated cortex-a72 ./internal/machine/cpu $ordinary ./internal/search/find ./internal/search/count
commands cortex-a72 "$working"
for bits in 128 256 512; do
	section "arm64, SVE of $bits bits"
	export THRESH_REQUIRE=neon,sve THRESH_SVE_BITS=$bits
	processor=max,sve$bits=on
	# shellcheck disable=SC2086
	emulated "$processor" $families
	each ./lab emulated "$processor" ./simd
done
commands "$processor" "^($scripts)\$"
