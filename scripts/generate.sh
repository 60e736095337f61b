#!/usr/bin/env bash
# Makes the kernels' assembly from their sources; with -check, fails where what is checked in
# differs.
set -euo pipefail
source "$(dirname "$0")/env.sh"
generator=$(mktemp -d)
trap 'rm -rf "$generator"' EXIT
(cd internal/kernel/_gen && go build -trimpath -o "$generator/gen" .)
"$generator/gen" "$@"
