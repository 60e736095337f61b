#!/usr/bin/env bash
# What to run before every commit: under three minutes on two cores, and hermetic. It installs
# nothing, needs no rights and no programs but Go, git and a shell, and no network once Go has the
# modules and the toolchain. CONTRIBUTING.md says what it leaves to make test.
set -euo pipefail
source "$(dirname "$0")/env.sh"
export CGO_ENABLED=0 # no C compiler

# Benchmarks, tools, the reference of tables, clients of the server, and what measures this machine.
left='/(lab/.*|cluster(/.*)?|vet/cmd/thresh-vet|vet/internal/(corpus|mutate|proof)|internal/table/tabletest|serve/servetest|wall|internal/machine/wall)$'
# Of the command line, what needs other programs, a network or minutes.
skip='^(TestRefusedCalls|TestPairsOfFlags|TestSandbox|TestSQL|TestGrepLikePeers|TestOwnOutput|TestInterrupts|TestInterruptedMessages'
skip+='|TestInterruptsOfFiles)$|^TestScripts$/^(count-trouble|decompress|interrupted|minify-trouble|readerror|recognise|relay|remote|serve'
skip+='|serve-tls|table-trouble|wall)$'

section "gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "not formatted: $unformatted" >&2
	exit 1
fi
section "vet"
each ". ./vet ./lab" go vet ./...
section "the kernels' assembly is what their sources make"
scripts/generate.sh -check
section "staticcheck"
# Not U1000, unused code: some is used in the build with the experiment only; make lint looks at both.
each ". ./vet" staticcheck -checks inherit,-U1000 ./...
section "tests"
# The longest come first, and three packages run at a time, because servers wait for time to pass. go vet has run.
# shellcheck disable=SC2046,SC2086 # one word a package
go test -vet=off -short -p 3 -timeout 3m -skip "$repeated|$skip" $longest $(go list ./... | grep -vE "$left")
# shellcheck disable=SC2046
each ./vet go test -vet=off -short -timeout 3m $(each ./vet go list ./... | grep -vE "$left")
section "checked"
