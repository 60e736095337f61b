#!/usr/bin/env bash
# Starts a stand-alone Flink with two task managers and a Beam job server, asks it the questions of the tests, once
# with a task manager killed while a job runs, and ends everything. It needs Java 11 or later, Maven, Python and
# 6 GB of memory. FLINK_LOGS is a folder that keeps the logs.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
work=${FLINK_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/thresh/flink}
mkdir -p "$work"
started=()
finish() {
	trap - EXIT
	for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	if [ -n "${FLINK_LOGS:-}" ]; then rm -rf "$FLINK_LOGS" && cp -r "$work/run/logs" "$FLINK_LOGS"; fi
	rm -rf "$work/run"
}
trap finish EXIT

echo "== job server and Flink, from Maven and PyPI"
if [ ! -f "$work/ready" ]; then
	mvn -q -B -f pom.xml dependency:copy-dependencies -DoutputDirectory="$work/jobserver"
	mkdir -p "$work/flink"
	python3 -m pip download -q --no-deps -d "$work" apache-flink-libraries==1.19.3
	tar -xzf "$work"/apache-flink-libraries-1.19.3.tar.gz -C "$work/flink" --strip-components=1
	rm "$work"/apache-flink-libraries-1.19.3.tar.gz
	touch "$work/ready"
fi
lib=$(dirname "$(find "$work/flink" -name 'flink-dist-*.jar' | head -n 1)")

rm -rf "$work/run"
mkdir -p "$work/run/conf" "$work/run/logs" "$work/run/temp"
cat >"$work/run/conf/config.yaml" <<-END
	jobmanager.rpc.address: 127.0.0.1
	jobmanager.rpc.port: 6123
	rest.address: 127.0.0.1
	rest.port: 8081
	jobmanager.memory.heap.size: 512m
	jobmanager.memory.off-heap.size: 128m
	jobmanager.memory.jvm-metaspace.size: 256m
	jobmanager.memory.jvm-overhead.min: 192m
	jobmanager.memory.jvm-overhead.max: 192m
	taskmanager.cpu.cores: 2.0
	taskmanager.numberOfTaskSlots: 2
	taskmanager.memory.framework.heap.size: 128m
	taskmanager.memory.framework.off-heap.size: 256m
	taskmanager.memory.task.heap.size: 384m
	taskmanager.memory.task.off-heap.size: 448m
	taskmanager.memory.managed.size: 128m
	taskmanager.memory.network.min: 64m
	taskmanager.memory.network.max: 64m
	taskmanager.memory.jvm-metaspace.size: 256m
	taskmanager.memory.jvm-overhead.min: 192m
	taskmanager.memory.jvm-overhead.max: 192m
	taskmanager.host: 127.0.0.1
	cluster.evenly-spread-out-slots: true
	restart-strategy.type: fixed-delay
	restart-strategy.fixed-delay.attempts: 10
	restart-strategy.fixed-delay.delay: 1 s
	heartbeat.timeout: 10000
	heartbeat.interval: 2000
	io.tmp.dirs: $work/run/temp
END
java=(java -Djava.io.tmpdir="$work/run/temp" -Dorg.apache.logging.log4j.level=INFO)
for package in java.lang java.lang.reflect java.net java.io java.nio java.text java.time java.util java.util.concurrent \
	java.util.concurrent.atomic java.util.concurrent.locks sun.nio.ch sun.net.util; do
	java+=(--add-opens "java.base/$package=ALL-UNNAMED")
done
flink() { # NAME CLASS ARGUMENT...: starts a process of Flink
	local name=$1
	shift
	"${java[@]}" -Xmx768m -XX:MaxDirectMemorySize=704m -cp "$lib/*" "$@" >"$work/run/logs/$name" 2>&1 &
	started+=($!)
}
manager() { # N: starts task manager N
	flink "tm$1" org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir "$work/run/conf" -D "taskmanager.resource-id=tm$1"
}
until_true() { # WHAT COMMAND...: waits until a command succeeds
	local what=$1
	shift
	for _ in $(seq 120); do
		if "$@" >/dev/null 2>&1; then return; fi
		sleep 1
	done
	echo "waited too long for $what; the logs:" >&2
	tail -n 20 -- "$work"/run/logs/* >&2
	exit 1
}
slots() { [ "$(curl -fs http://127.0.0.1:8081/overview | grep -o '"slots-total":[0-9]*' | cut -d: -f2)" = 4 ]; }
listening() { (exec 3<>/dev/tcp/127.0.0.1/8099); }

echo "== two task managers"
flink jm org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir "$work/run/conf"
manager 1
manager 2
second=${started[-1]}
"${java[@]}" -Xmx2g -cp "$work/jobserver/*" org.apache.beam.runners.flink.FlinkJobServerDriver \
	--flink-master=127.0.0.1:8081 --flink-conf-dir="$work/run/conf" --job-host=localhost --expansion-port=-1 \
	--artifacts-dir="$work/run/artifacts" >"$work/run/logs/jobserver" 2>&1 &
started+=($!)
until_true "Flink" slots
until_true "the job server" listening

echo "== questions"
cd "$here/.."
CGO_ENABLED=0 go build -trimpath -o "$work/run/thresh-cluster" ./cmd/thresh-cluster
CGO_ENABLED=0 go test -vet=off -trimpath -c -o "$work/run/tests" .
none() { ! pgrep -f "$work/run/thresh-cluster"; }
ask() { # TEST: runs a test against the cluster
	THRESH_CLUSTER_ENDPOINT=127.0.0.1:8099 THRESH_CLUSTER_COMMAND="$work/run/thresh-cluster" THRESH_CLUSTER_KILL="$second" \
		TMPDIR="$work/run/temp" "$work/run/tests" -test.timeout 30m -test.v -test.run "$1"
}
ask TestRunnerSameAsLibrary
until_true "the end of all workers" none

echo "== a task manager is killed"
ask TestFlinkKill
if ! grep -q 'RESTARTING' "$work/run/logs/jm"; then
	echo "no job was restarted after the task manager was killed" >&2
	exit 1
fi

echo "== nothing is left"
# The runner may keep a worker of the attempt that failed for as long as its task manager lives.
finish
sleep 1 # a worker ends when its runner has
if [ -e "$work/run" ] || ! none; then
	echo "processes or files are left in $work/run" >&2
	exit 1
fi
