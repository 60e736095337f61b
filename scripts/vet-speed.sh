#!/usr/bin/env bash
# Times go vet, go vet with thresh-vet as its tool, and thresh vet, which also looks at the whole program, on all packages of
# a module, each with an empty build cache and with a full one:
#   scripts/vet-speed.sh PROGRAM MODULE@VERSION [RUNNER]
# ROUNDS is how often, 3 if it is not set.
# PROGRAM is thresh-vet. RUNNER is put before each command that is timed, for machines on which measurements take turns.
# The peak of memory is that of the largest process.
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

# measure CACHE COMMAND… prints what a command took. Findings make it fail; only that is ignored.
measure() {
	# shellcheck disable=SC2086 # the runner is several words
	GOCACHE=$1 $runner /usr/bin/time -q -o "$scratch/time" -f '%U %S %e %M' "${@:2}" ./... >"$scratch/out" 2>&1 || test $? = 1
	awk '{ printf "%.1f s of processor time, %.1f s, %d MB", $1 + $2, $3, $4 / 1024 }' "$scratch/time"
}

echo "$module: $(find . -name '*.go' -not -path '*/testdata/*' -exec cat {} + | wc -l) lines," \
	"$(go list "${flags[@]}" ./... | wc -l) packages, with what they import and their tests" \
	"$(go list "${flags[@]}" -deps -test ./... | wc -l)"
for round in $(seq "${ROUNDS:-3}"); do
	for command in "go vet" "go vet -vettool=$program" "$program"; do
		cache=$(mktemp -d "$scratch/cacheXXXX")
		dashed=("${flags[@]}")
		[ "$command" != "$program" ] || dashed=("${flags[@]/#/-}")
		for state in cold warm; do
			# shellcheck disable=SC2086 # the command is several words
			echo "round $round, ${command//$program/thresh-vet}, $state: $(measure "$cache" $command "${dashed[@]}")"
		done
		rm -rf "$cache"
	done
done
