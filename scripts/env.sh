# Sourced by every script. Sets the project's toolchain, and no GOEXPERIMENT.
export GOTOOLCHAIN=go1.27.4
export GOEXPERIMENT=

# The modules of the workspace. The root and vet are built without it, so that no other module raises the versions of what
# they require; the laboratory and the cluster need it, for the root beside them.
export GOWORK=off
export modules='. ./vet ./lab ./cluster'
# each MODULES COMMAND...: runs a command in the folder of each module.
each() {
	local module
	for module in $1; do
		(
			cd "$module"
			case $module in ./lab | ./cluster) export GOWORK= ;; esac
			"${@:2}"
		)
	done
}

# Lengthy tests that compare regular expressions with the standard library, and of groups in partitions, runs and
# merges. They test no code that is specific to an instruction set, so they need not run for each one.
lengthy='^(TestRandomLarge|TestLongLine|TestHardLines|TestLinear|TestExhaustive'
export lengthy+='|TestMergeInParts|TestMergeEndsEarly|TestEach|TestEachAfterAnySteps|TestPartitionsGrow)$'

# Tests of decompress that repeat with many or large inputs what TestShrunk, TestBlocksCut, TestBlocksClose, TestBzip2Segments,
# TestSmallReads, TestReadError, TestTrailing and TestEarlyClose do with small ones, all goroutines at work; and those of
# zerocopy that repeat TestTable and TestLending with other sizes and reasons.
repeated='^(TestDamageAnywhere|TestBytesBeforeAFault|TestTruncation|TestMixedMembers|TestSizesAndMembers|TestHighRatio|TestLargeWindow.*|TestBlocksOfManyFiles|TestBlocksOfDamage'
repeated+='|TestBzip2Damage|TestBzip2Levels|TestBzip2LibrarysFiles|TestBzip2Truncation'
export repeated+='|TestLendingSizes|TestSizes|TestRawResponses|TestNoDescriptorStays)$'

# The plain variants among the subtests of a kernel, which are named after instruction sets. They are Go
# of which the ordinary tests have compiled and run every line; where a kernel is tested for another
# compiler or processor, its fast variants are compared with them anyhow. In -skip, go test wants it behind names
# without a slash.
export twins='/^plain$'

# The packages with kernels.
export kernels='./internal/kernel/... ./internal/table/key ./internal/table/group ./internal/machine/kernelbench'

# Packages whose tests measure the machine, and try again where others disturb them. The tests of other packages that
# measure have been run beside busy neighbours.
export measuring='./cmd/thresh ./wall ./internal/machine/...'
# Packages whose tests take longest, for the front of a list: then none of them is left alone at the end.
export longest='./internal/run ./serve ./internal/table ./internal/test/matrix ./internal/kernel/regex'

# section TITLE: a heading with the seconds since the outermost script began.
THRESH_BEGAN=${THRESH_BEGAN:-$(date +%s)}
export THRESH_BEGAN
section() { echo "== $(($(date +%s) - THRESH_BEGAN)) s: $*"; }

# Tools are requirements of a module of their own: who imports the library sees only its own.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
tools=$PWD/tools
staticcheck() { "$(cd "$tools" && GOWORK=off go tool -n staticcheck)" "$@"; }
