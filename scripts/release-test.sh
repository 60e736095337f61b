#!/usr/bin/env bash
# Installs a deb in a clean Debian root, and asks there for what a user does: the program, its
# manual pages, its completion. Needs root, debootstrap and a Debian mirror.
#
#	scripts/release-test.sh out/release/thresh_0.1.0_linux_amd64.deb
set -euo pipefail
deb=$(realpath "${1:?usage: release-test.sh FILE.deb}")
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
