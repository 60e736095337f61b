#!/usr/bin/env bash
# Makes what a release has, in out/release: static archives, deb and rpm packages, files for package managers, for each
# binary the list of what is in it (SPDX), and checksums; then checks them. It is a snapshot: nothing is published, no tag
# is needed. "scripts/release.sh --test" then installs the deb in a clean root, which takes root, debootstrap and a
# Debian mirror.
set -euo pipefail
source "$(dirname "$0")/env.sh"
export CGO_ENABLED=0 GOFLAGS=-trimpath # all of it is compiled with the same flags, and so only once

tools=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/release-tools
mkdir -p "$tools"
section "tools"
go build -modfile=tools/go.mod -o "$tools/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
go build -o "$tools/thresh-sbom" ./scripts/sbom

# The tag of this commit; otherwise one before the next patch release, and before 0.1.0 at first.
# The g keeps a hash of digits only from being read as a number.
version=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null || true)
if [ -z "$version" ]; then
	last=$(git describe --tags --abbrev=0 --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null || true)
	version=v0.1.0
	[ -z "$last" ] || version=${last%.*}.$((${last##*.} + 1))
	version+=-dev.g$(git rev-parse --short HEAD)
fi
# All files have the time of the commit, so that the same commit makes the same archives.
SOURCE_DATE_EPOCH=$(git show --no-patch --format=%ct HEAD)
export SOURCE_DATE_EPOCH

section "manual pages and completions"
rm -rf out/man out/man-lab out/man-vet out/man-cluster out/completions
mkdir -p out/completions
make --no-print-directory man
gzip -9nk out/man/*.1 out/man-lab/*.1 out/man-vet/*.1 out/man-cluster/*.1
go build -o "$tools/thresh" ./cmd/thresh
"$tools/thresh" completion bash >out/completions/thresh.bash
"$tools/thresh" completion zsh >out/completions/_thresh
"$tools/thresh" completion fish >out/completions/thresh.fish
"$tools/thresh" completion powershell >out/completions/thresh.ps1

section "programs, archives and packages"
go run ./scripts/release -version "${version#v}" -seconds "$SOURCE_DATE_EPOCH" -tools "$tools" -o out/release
scripts/release-test.sh out/release
section "out/release is complete"

if [ "${1:-}" = --test ]; then
	scripts/release-test.sh out/release/thresh_*_linux_amd64.deb
fi
