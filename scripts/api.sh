#!/usr/bin/env bash
# Records the public API in api/*.txt, what go doc -all says of each public package. With -check it only fails if the
# files differ, on any system: code that builds on one must build on the others.
set -euo pipefail
source "$(dirname "$0")/env.sh"
module=$(go list -m)
written=$(mktemp -d)
trap 'rm -rf "$written"' EXIT
for system in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do
	export GOOS=${system%/*} GOARCH=${system#*/}
	folder=$written/$GOOS-$GOARCH
	mkdir -p "$folder"
	# What the promise of compatibility covers: experiments and benchmarks are no part of it.
	for package in $(each '. ./vet' go list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./... | grep -vE "/internal(/|\$)|^$module/scripts(/|\$)"); do
		inside=.
		[[ $package != $module/vet* ]] || inside=./vet
		each $inside go doc -all "$package" >"$folder/package"
		if grep -qE '^(FUNCTIONS|TYPES|VARIABLES|CONSTANTS)$' "$folder/package"; then
			mv "$folder/package" "$folder/$(basename "$package").txt"
		fi
	done
	rm -f "$folder/package"
done
if [ "${1:-}" != -check ]; then
	rm -f api/*.txt
	cp "$written"/linux-amd64/*.txt api/
fi
for folder in "$written"/*; do
	alike=(-I '^    ' -I '^$') # doc comments may say what a system lacks
	[ "$(basename "$folder")" != linux-amd64 ] || alike=()
	if ! diff -ru "${alike[@]}" api "$folder"; then
		echo "the public API on $(basename "$folder") is not what api/*.txt record: run make api and commit the files;" >&2
		echo "CHANGELOG.md must name each incompatible change under Unreleased" >&2
		exit 1
	fi
done
