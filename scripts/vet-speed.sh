#!/usr/bin/env bash
# Times thresh vet against go vet on all packages of a module, with an empty build cache and with a full one:
#   scripts/vet-speed.sh PROGRAM MODULE@VERSION [RUNNER]
# ROUNDS is how often, 3 if it is not set.
# PROGRAM is thresh-vet. RUNNER is put before each command that is timed, for machines on which measurements take turns.
set -euo pipefail
source "$(dirname "$0")/env.sh"

program=$(realpath "$1")
module=$2
runner=${3:-}
export GOWORK=off CGO_ENABLED=0 # compiling C would be most of a cold run

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
dir=$(go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
install -m 644 "$dir/go.mod" "$dir/go.sum" "$scratch"
cd "$dir"
flags=(-mod=mod "-modfile=$scratch/go.mod")

# seconds CACHE FLAG… prints how long go vet took. Findings make it fail; only that is ignored.
seconds() {
	# shellcheck disable=SC2016,SC2086 # the inner shell expands; the runner is several words
	GOCACHE=$1 $runner bash -c 'begin=$(date +%s%N)
		go vet "$@" ./... >"$0" 2>&1 || test $? = 1
		echo $((($(date +%s%N) - begin) / 1000000))' "$scratch/out" "${flags[@]}" "${@:2}"
}

echo "$module: $(go list "${flags[@]}" ./... | wc -l) packages, with what they import and their tests" \
	"$(go list "${flags[@]}" -deps -test ./... | wc -l)"
for round in $(seq "${ROUNDS:-3}"); do
	for tool in "" "-vettool=$program"; do
		cache=$(mktemp -d "$scratch/cacheXXXX")
		cold=$(seconds "$cache" ${tool:+"$tool"})
		echo "round $round, ${tool:-go vet}: cold $cold ms, warm $(seconds "$cache" ${tool:+"$tool"}) ms"
	done
done
