#!/usr/bin/env bash
# Installs what the tests need beyond Go and git: a C compiler for the race detector, and
# strace to make reads fail where they never do.
set -euo pipefail
missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v strace >/dev/null || missing+=(strace)
[ ${#missing[@]} -eq 0 ] && exit 0
echo "== installing ${missing[*]}"
if ! command -v apt-get >/dev/null; then
	echo "please install: ${missing[*]}" >&2
	exit 1
fi
sudo=''
[ "$(id -u)" -eq 0 ] || sudo=sudo
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
