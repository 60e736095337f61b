# Sourced by every script: the toolchain that the project is built with, and no experiment.
export GOTOOLCHAIN=go1.27.4
export GOEXPERIMENT=

# Tests of the regular expressions that compare at length with the standard library. They hold
# no code of an instruction set's own, and need not be run for each.
export lengthy='^(TestRandomLarge|TestLongLine|TestHardLines|TestLinear|TestExhaustive)$'
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
