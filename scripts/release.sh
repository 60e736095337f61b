#!/usr/bin/env bash
# Makes what a release has, in out/release: static archives, deb and rpm packages, checksums, and
# for each binary the list of what is in it (SPDX). It is a snapshot: nothing is published, no tag
# is needed. "scripts/release.sh --test" then installs the deb in a clean root, which takes root,
# debootstrap and a Debian mirror.
set -euo pipefail
source "$(dirname "$0")/env.sh"
unset GOFLAGS # what .goreleaser.yaml says decides
export CGO_ENABLED=0

# 2.17 and newer need a module that is not on every proxy. The tag lets golang.org/x/net bring its
# own HTTP/2, whose names gRPC 1.80 uses; Go 1.27 has moved them.
goreleaser=v2.16.0
tools=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/goreleaser-$goreleaser
if [ ! -x "$tools/goreleaser" ]; then
	echo "== building goreleaser $goreleaser in $tools (10 minutes on two cores, once)"
	GOBIN=$tools go install -tags http2legacy "github.com/goreleaser/goreleaser/v2@$goreleaser"
fi
go build -o "$tools/thresh-sbom" ./scripts/sbom

# The tag of this commit; otherwise one before the next patch release, and before 0.1.0 at first.
# The g keeps a hash of digits only from being read as a number.
version=$(git describe --tags --exact-match --match 'v*' 2>/dev/null || true)
if [ -z "$version" ]; then
	last=$(git describe --tags --abbrev=0 --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null || true)
	version=v0.1.0
	[ -z "$last" ] || version=${last%.*}.$((${last##*.} + 1))
	version+=-dev.g$(git rev-parse --short HEAD)
fi
export RELEASE_VERSION=${version#v}
# All files have the time of the commit, so that the same commit makes the same archives.
RELEASE_SECONDS=$(git show --no-patch --format=%ct HEAD)
RELEASE_TIME=$(date -u -d "@$RELEASE_SECONDS" +%Y-%m-%dT%H:%M:%SZ)
export RELEASE_CHARTS=$PWD/lab/report/charts # thresh-lab embeds the bundle that lies there
export RELEASE_SECONDS RELEASE_TIME SOURCE_DATE_EPOCH=$RELEASE_SECONDS

echo "== manual pages and completions"
rm -rf out/man out/man-lab out/man-vet out/man-cluster out/completions
mkdir -p out/man out/man-lab out/man-vet out/man-cluster out/completions
go run -tags man ./cmd/thresh man out/man
go run -tags man ./cmd/thresh-lab man out/man-lab
go run -tags man ./cmd/thresh-vet man out/man-vet
go -C cluster run -tags man ./cmd/thresh-cluster man ../out/man-cluster
gzip -9nk out/man/*.1 out/man-lab/*.1 out/man-vet/*.1 out/man-cluster/*.1
go build -o "$tools/thresh" ./cmd/thresh
"$tools/thresh" completion bash >out/completions/thresh.bash
"$tools/thresh" completion zsh >out/completions/_thresh
"$tools/thresh" completion fish >out/completions/thresh.fish
"$tools/thresh" completion powershell >out/completions/thresh.ps1

echo "== archives and packages"
PATH=$tools:$PATH "$tools/goreleaser" release --snapshot --clean
(cd out/release && sha256sum --check --quiet checksums.txt)
ls -l out/release/*.tar.gz out/release/*.zip out/release/*.deb out/release/*.rpm out/release/*.spdx.json

if [ "${1:-}" = --test ]; then
	scripts/release-test.sh out/release/*_linux_amd64.deb
fi
