#!/usr/bin/env bash
# Starts a Beam job server with a Spark of two workers inside, asks it the questions of the tests, and ends everything.
# It needs Java 17, Maven and 4 GB of memory. SPARK_LOGS is a folder that keeps the logs.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
work=${SPARK_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/thresh/spark}
mkdir -p "$work"
started=()
finish() {
	trap - EXIT
	for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	if [ -n "${SPARK_LOGS:-}" ]; then rm -rf "$SPARK_LOGS" && cp -r "$work/run/logs" "$SPARK_LOGS"; fi
	rm -rf "$work/run"
}
trap finish EXIT

echo "== job server and Spark, from Maven"
if [ ! -f "$work/ready" ]; then
	mvn -q -B -f pom.xml dependency:copy-dependencies -DoutputDirectory="$work/jobserver"
	touch "$work/ready"
fi

rm -rf "$work/run"
mkdir -p "$work/run/logs" "$work/run/temp"
java=(java -Djava.io.tmpdir="$work/run/temp" -Dspark.local.dir="$work/run/temp" -Dspark.ui.enabled=false)
for package in java.lang java.lang.invoke java.lang.reflect java.net java.io java.nio java.util java.util.concurrent \
	java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
	java+=(--add-opens "java.base/$package=ALL-UNNAMED")
done
until_true() { # WHAT COMMAND...: waits until a command succeeds
	local what=$1
	shift
	for _ in $(seq 120); do
		if "$@" >/dev/null 2>&1; then return; fi
		sleep 1
	done
	echo "waited too long for $what; the log:" >&2
	tail -n 20 -- "$work"/run/logs/* >&2
	exit 1
}
listening() { (exec 3<>/dev/tcp/127.0.0.1/8099); }
none() { ! pgrep -f "$work/run/thresh-cluster"; }

"${java[@]}" -Xmx2g -cp "$work/jobserver/*" org.apache.beam.runners.spark.SparkJobServerDriver \
	--spark-master-url='local[2]' --job-host=localhost --expansion-port=-1 \
	--artifacts-dir="$work/run/artifacts" >"$work/run/logs/jobserver" 2>&1 &
started+=($!)
until_true "the job server" listening

echo "== questions"
cd "$here/.."
CGO_ENABLED=0 go build -trimpath -o "$work/run/thresh-cluster" ./cmd/thresh-cluster
CGO_ENABLED=0 go test -vet=off -trimpath -c -o "$work/run/tests" .
THRESH_CLUSTER_ENDPOINT=127.0.0.1:8099 THRESH_CLUSTER_COMMAND="$work/run/thresh-cluster" \
	TMPDIR="$work/run/temp" "$work/run/tests" -test.timeout 30m -test.v -test.run TestRunnerSameAsLibrary

echo "== nothing is left"
finish
sleep 1 # a worker ends when its runner has
if [ -e "$work/run" ] || ! none; then
	echo "processes or files are left in $work/run" >&2
	exit 1
fi
