#!/usr/bin/env bash
# Installs what the tests need beyond Go and git: a C compiler for the race detector,
# strace to make reads fail where they never do, and Python with what reads Arrow and Parquet.
set -euo pipefail
duckdb=2.0.0
pyarrow=26.0.1
venv=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/test-venv

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v strace >/dev/null || missing+=(strace)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
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
