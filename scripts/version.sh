#!/usr/bin/env bash
# Writes the version of the next release where the modules that are tied to the root's require it: scripts/version.sh v0.2.0
set -euo pipefail
version=${1:?usage: version.sh vX.Y.Z}
source "$(dirname "$0")/env.sh"
root=$(go list -m)
for module in lab cluster; do go mod edit -require="$root@$version" "$module/go.mod"; done
sed -i "s,^replace $root v[^ ]*,replace $root $version," go.work
