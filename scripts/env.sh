# Sourced by every script: the toolchain and the experiment that the project is built with.
export GOTOOLCHAIN=go1.27.4
export GOEXPERIMENT=simd
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
