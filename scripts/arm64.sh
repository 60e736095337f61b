#!/usr/bin/env bash
# The tests on arm64, by qemu-user: the kernels' own, and the command line's with the
# program emulated (what the scripts do beside it runs as it is).
#
# With NEON everything runs, and the kernels in both builds. With SVE of 128, 256 and 512 bits
# only what differs: the packages that hold an SVE form, and the scripts that ask for it. A name in
# THRESH_REQUIRE that did not run, or a vector of another length, fails.
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
chmod 755 "$program" # a script runs the program as nobody
GOARCH=arm64 go build -o "$program/thresh" ./cmd/thresh

# emulated PROCESSOR ARGUMENT...: go test for arm64, without what is lengthy, and without what
# starts the test binary again, which no emulator would run.
emulated() {
	local processor=$1
	shift
	GOARCH=arm64 go test -count=1 -short -timeout 15m -exec "qemu-aarch64 -cpu $processor" \
		-skip "$lengthy|^(TestSandbox|TestScripts|TestWalls|TestRequiredInstructionSetRuns)\$" "$@"
}

# commands PROCESSOR SCRIPTS: the command line's scripts whose names fit the expression.
commands() {
	THRESH_UNDER_TEST="qemu-aarch64 -cpu $1 $program/thresh" go test -count=1 -short -timeout 15m \
		-run "^(TestScripts|TestRequiredInstructionSetRuns)\$/$2" ./cmd/thresh
}

# The packages with an SVE form, and the scripts that run one, found by what they hold.
families=$(find internal lab -name '*_sve_arm64.s' -printf './%h\n' | sort -u)
scripts=$(grep -lE '^exec thresh find .*--nonzero' cmd/thresh/testdata/*.txtar | xargs -n 1 basename -s .txtar | paste -sd '|')

echo "== arm64, NEON"
kernels="./internal/kernel/... ./internal/table/key ./internal/table/group"
export THRESH_REQUIRE=neon
# shellcheck disable=SC2086 # one word a package
emulated cortex-a72 ./internal/machine/cpu $kernels ./internal/search/find ./internal/search/count ./cmd/thresh
commands cortex-a72 ''
echo "== arm64, NEON with the experiment"
# shellcheck disable=SC2086
GOEXPERIMENT=simd emulated cortex-a72 $kernels
for bits in 128 256 512; do
	echo "== arm64, SVE of $bits bits"
	export THRESH_REQUIRE=neon,sve THRESH_SVE_BITS=$bits
	processor=max,sve$bits=on
	# shellcheck disable=SC2086
	emulated "$processor" $families
	commands "$processor" "^($scripts)\$"
done
echo "== arm64: $SECONDS seconds"
