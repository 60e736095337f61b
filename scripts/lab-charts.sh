#!/usr/bin/env bash
# Bundles what the lab's report uses of Apache ECharts into lab/report/charts/charts.min.js.gz, from the
# versions that package-lock.json there pins, with their licences beside it, and records the hashes of all of
# them in SHA256SUMS: a test compares. Needs npm and the network. With -check it only fails if the committed
# bundle differs. With -lock it renews package-lock.json first, after package.json was changed.
set -euo pipefail
source "$(dirname "$0")/env.sh"

folder=$PWD/lab/report/charts
sources=(charts.js package.json package-lock.json)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$folder"/{charts.js,package.json} "$work"
cd "$work"
if [ "${1:-}" = -lock ]; then
	npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund
	cp package-lock.json "$folder"
fi
cp "$folder/package-lock.json" .
npm ci --silent --ignore-scripts --no-audit --no-fund # esbuild's own script only makes its start faster

echo "== licences"
{
	for package in echarts zrender tslib; do
		version=$(node -p "require('./node_modules/$package/package.json').version")
		printf '==== %s %s ====\n\n' "$package" "$version"
		for text in "node_modules/$package"/{NOTICE,LICENSE,LICENSE.txt,licenses/*}; do
			if [ -f "$text" ]; then
				sed 's/[[:space:]]*$//' "$text"
				echo
			fi
		done
	done
} >LICENSES.txt

echo "== bundle"
# Every copy of a report carries the bundle, and so the notices that the licences ask for.
{
	echo '/*!'
	cat node_modules/echarts/NOTICE
	printf '\nIt is under the Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0\n\nIt contains zrender:\n\n'
	cat node_modules/zrender/LICENSE
	printf '\nand d3:\n\n'
	cat node_modules/echarts/licenses/LICENSE-d3
	printf '\nand tslib:\n\n'
	cat node_modules/tslib/LICENSE.txt
	printf '\n*/\n'
} | tr -d '\r' >banner.txt
"node_modules/@esbuild/$(node -p 'process.platform + "-" + process.arch')/bin/esbuild" charts.js \
	--bundle --minify --format=iife --global-name=echarts --target=es2020 --charset=utf8 \
	"--define:process.env.NODE_ENV='production'" --legal-comments=none --log-level=warning \
	"--banner:js=$(cat banner.txt)" --outfile=charts.min.js
gzip -9n charts.min.js -c >charts.min.js.gz # the tree keeps no file above 256 KiB

sha256sum "${sources[@]}" charts.min.js LICENSES.txt >SHA256SUMS
if [ "${1:-}" = -check ]; then
	diff "$folder/SHA256SUMS" SHA256SUMS
	echo "the bundle is what its sources make"
	exit
fi
cp charts.min.js.gz LICENSES.txt SHA256SUMS "$folder"
echo "$(stat -c %s charts.min.js) bytes, $(stat -c %s charts.min.js.gz) compressed"
