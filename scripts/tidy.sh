#!/usr/bin/env bash
# Tidies the go.mod of all modules of the workspace. go mod tidy knows no workspace: those that need the root get a
# replacement for as long as it runs.
set -euo pipefail
source "$(dirname "$0")/env.sh"
root=$(go list -m)
for module in $modules; do
	(
		cd "$module"
		if [ "$module" != . ] && grep -q "$root v" go.mod; then
			trap 'go mod edit -dropreplace="$root"' EXIT
			go mod edit -replace="$root=../"
		fi
		go mod tidy "$@"
	)
done
