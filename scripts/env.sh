# Sourced by every script. Sets the project's toolchain, and no GOEXPERIMENT.
export GOTOOLCHAIN=go1.27.4
export GOEXPERIMENT=

# Lengthy tests that compare regular expressions with the standard library. They test no code that is
# specific to an instruction set, so they need not run for each one.
export lengthy='^(TestRandomLarge|TestLongLine|TestHardLines|TestLinear|TestExhaustive)$'

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
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
