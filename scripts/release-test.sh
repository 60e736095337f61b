#!/usr/bin/env bash
# Of a folder checks that a release is whole: its checksums, what archives and packages hold, and whether the files for
# package managers are what those read, as far as their programs are here. Of a deb installs it in a clean Debian root,
# and asks there for what a user does: the program, its manual pages, its completion. That needs root, debootstrap and a
# Debian mirror.
#
#	scripts/release-test.sh out/release
#	scripts/release-test.sh out/release/thresh_0.1.0_linux_amd64.deb
set -euo pipefail

# has LIST NAME...: a list of files contains each name.
has() {
	for name in "${@:2}"; do
		grep -q "$name\$" <<<"$1" || { echo "release-test: no $name in $(head -n 3 <<<"$1")" >&2; exit 1; }
	done
}
# with PROGRAM COMMAND...: runs the command if there is such a program.
with() {
	if command -v "$1" >/dev/null; then "${@:2}"; else echo "   not checked, no $1: ${*:2}"; fi
}

if [ -d "${1:?usage: release-test.sh FOLDER, or FILE.deb}" ]; then
	cd "$1"
	sha256sum --check --quiet checksums.txt
	[ "$(find . -type f ! -name checksums.txt | wc -l)" = "$(wc -l <checksums.txt)" ]
	for program in thresh thresh-lab thresh-vet thresh-cluster; do
		for archive in "$program"_*.tar.gz; do has "$(tar -tf "$archive")" "/$program" /LICENSE "/man/$program.1"; done
		[ "$program" != thresh-cluster ] || continue # only for Linux
		with unzip has "$(unzip -Z1 "$program"_*_windows_amd64.zip)" "/$program.exe" /LICENSE "/man/$program.1"
		with jq jq -e .packages "$program"_*_linux_amd64.spdx.json >/dev/null
		# Each URL is that of a file with that sum; all four files name the same version.
		for manifest in "homebrew/$program.rb" "$program.json" "$program.nix" "winget/thresh-dev.$program.installer.yaml"; do
			sums=$(grep -Eo '\b[0-9a-f]{64}\b' "$manifest")
			names=$(grep -Eo "$program"'_[^/"$]*\.(tar\.gz|zip)' "$manifest" | grep -v '\$')
			[ -n "$names" ] && paste -d' ' <(echo "$sums") <(sed 's/^/ /' <<<"$names") | sha256sum --check --quiet
		done
		with jq jq -e '.version and .architecture."64bit".hash and .bin' "$program.json" >/dev/null
		with ruby ruby -c "homebrew/$program.rb" >/dev/null
		with ruby ruby -ryaml -e 'ARGV.each { |name|
			all = YAML.unsafe_load_file(name)
			%w[PackageIdentifier PackageVersion ManifestType ManifestVersion].each { |key| all.fetch(key) } }' \
			"winget/thresh-dev.$program".*yaml
		with nix-instantiate nix-instantiate --parse "$program.nix" >/dev/null 2>&1
	done
	for program in thresh thresh-lab thresh-vet; do
		files=("/usr/bin/$program" "/usr/share/man/man1/$program.1.gz" "/usr/share/doc/$program/copyright")
		for deb in "$program"_*.deb; do with dpkg-deb has "$(dpkg-deb --contents "$deb")" "${files[@]}"; done
		for rpm in "$program"_*.rpm; do with rpm has "$(rpm -qpl "$rpm")" "${files[@]}"; done
	done
	echo "release-test: $(wc -l <checksums.txt) files in $1 are good"
	exit
fi
deb=$(realpath "$1")
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
	echo "release-test: needs root and debootstrap" >&2
	exit 1
fi
root=$(mktemp -d "${TMPDIR:-/tmp}/thresh-root.XXXXXX")
# THRESH_ROOT names a folder in which an earlier run left such a root, to save the download.
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
if [ -n "${THRESH_ROOT:-}" ]; then
	cp -a "$THRESH_ROOT/." "$root"
else
	echo "== a clean Debian in $root"
	debootstrap --variant=minbase --include=man-db,bash-completion bookworm "$root" >/dev/null
fi
mount -t proc proc "$root/proc"
cp "$deb" "$root/thresh.deb"
# Images of containers are often set up without documentation; this one is not.
rm -f "$root/etc/dpkg/dpkg.cfg.d/docker"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 MANPAGER=cat "$@"; }

echo "== install"
inside dpkg --install /thresh.deb
inside dpkg --verify thresh

echo "== run"
inside thresh --version
inside sh -c 'head -c 1000000 /dev/zero >/zeros && printf x >>/zeros && thresh find --nonzero /zeros' | grep -x 1000000

echo "== manual pages"
for page in thresh thresh-grep thresh-find thresh-count thresh-table thresh-minify thresh-blank thresh-serve thresh-relay thresh-wall thresh-limits; do
	inside man "$page" >"$root/page"
	grep -q '^EXAMPLE' "$root/page"
	echo "   $page: $(wc -l <"$root/page") lines"
done

echo "== completion"
# What bash does for a user who types "thresh co" and "thresh find --non", and presses tab.
complete() {
	inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader thresh
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
		compopt() { :; } # works only while readline completes
		__start_thresh && printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
complete thresh co | tee "$root/reply"
grep -q '^count' "$root/reply"
complete thresh find --nonz | tee "$root/reply"
grep -q '^--nonzero' "$root/reply"

echo "== remove"
inside dpkg --purge thresh
[ ! -e "$root/usr/bin/thresh" ] && [ ! -e "$root/usr/share/man/man1/thresh.1.gz" ]
echo "release-test: $(basename "$deb") is good"
