#!/usr/bin/env bash
# Generates the kernels' assembly from their Go sources. With -check it only fails if the committed
# files differ.
set -euo pipefail
source "$(dirname "$0")/env.sh"
generator=$(mktemp -d)
trap 'rm -rf "$generator"' EXIT
(cd internal/kernel/_gen && go build -o "$generator/gen" .)
"$generator/gen" "$@"
