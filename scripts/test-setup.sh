#!/usr/bin/env bash
# Installs what the tests need beyond Go and git: a C compiler for the race detector,
# strace to make reads fail where they never do, Python with what reads Arrow and Parquet,
# and the clients that the file server is tested with, nginx beside it.
set -euo pipefail
duckdb=2.0.0
pyarrow=26.0.1
h2spec=v2.2.1+incompatible # the newest that the module proxy has
bin=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/bin
venv=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/test-venv

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v strace >/dev/null || missing+=(strace)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
command -v curl >/dev/null || missing+=(curl)
command -v wget >/dev/null || missing+=(wget)
command -v chromium >/dev/null || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
[ -n "$(PATH=$PATH:/usr/sbin command -v nginx)" ] || missing+=(nginx-light)
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

# An interrupted installation is made again: the versions are asked of the packages themselves.
versions='import duckdb, pyarrow; print(duckdb.__version__, pyarrow.__version__)'
if [ "$("$venv/bin/python" -c "$versions" 2>/dev/null)" != "$duckdb $pyarrow" ]; then
	echo "== installing duckdb $duckdb and pyarrow $pyarrow in $venv"
	python3 -m venv --clear "$venv"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "duckdb==$duckdb" "pyarrow==$pyarrow"
fi

if [ ! -x "$bin/h2spec" ]; then
	echo "== building h2spec $h2spec in $bin"
	GOBIN=$bin go install "github.com/summerwind/h2spec/cmd/h2spec@$h2spec"
fi
