#!/usr/bin/env bash
# Installs the programs that `make bench` compares with, and prints their versions. The
# bench skips what is not there, so any part of this may be left out.
set -euo pipefail
source "$(dirname "$0")/env.sh"

ripgrep=15.2.0
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin

if command -v apt-get >/dev/null; then
	sudo=''
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	$sudo apt-get update -qq
	# diffutils holds cmp.
	$sudo apt-get install -y -qq --no-install-recommends fio hyperfine grep diffutils coreutils >/dev/null
else
	echo "no apt-get here; please install fio, hyperfine, GNU grep, diffutils and coreutils" >&2
fi

# Distributions ship old versions of ripgrep; the comparison is with this one.
if [[ $(rg --version 2>/dev/null) != "ripgrep $ripgrep"* ]]; then
	if command -v cargo >/dev/null; then
		cargo install ripgrep --locked --quiet --version "$ripgrep"
	else
		echo "no cargo here; please install ripgrep $ripgrep" >&2
	fi
fi

for program in rg grep cmp fio hyperfine; do
	if command -v "$program" >/dev/null; then
		printf '%-10s %s\n' "$program" "$("$program" --version | head -n 1)"
	else
		printf '%-10s not installed\n' "$program"
	fi
done
