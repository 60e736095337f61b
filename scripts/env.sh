# Sourced by every script: the toolchain that the project is built with, and no experiment.
export GOTOOLCHAIN=go1.27.4
export GOEXPERIMENT=
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
