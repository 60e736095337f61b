# Sourced by every script. Sets the project's toolchain, and no GOEXPERIMENT.
export GOTOOLCHAIN=go1.27.4
export GOEXPERIMENT=

# Lengthy tests that compare regular expressions with the standard library. They test no code that is
# specific to an instruction set, so they need not run for each one.
export lengthy='^(TestRandomLarge|TestLongLine|TestHardLines|TestLinear|TestExhaustive)$'
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
