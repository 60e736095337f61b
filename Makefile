# thresh: build, demo, test, bench. Each target is one script or one line.

export GOTOOLCHAIN := go1.27.4
export GOEXPERIMENT :=
export CGO_ENABLED ?= 0
# The product and vet are built without the workspace: no other module raises the versions of what they require.
export GOWORK := off

.PHONY: build lab vet-tool cluster cluster-questions cluster-flink cluster-spark cluster-rate cluster-scale lab-report demo recording walls lines check test race lint generate tidy api fuzz bench bench-smoke bench-setup man release clean

# The linker writes page by page, and so the file lies in the page cache. A copy lies in larger folios: a start takes
# 13 % less time.
build: ## build the static binary bin/thresh
	go build -trimpath -o bin/thresh.linked ./cmd/thresh
	cp bin/thresh.linked bin/thresh.copied && rm bin/thresh.linked && mv bin/thresh.copied bin/thresh

lab: ## build bin/thresh-lab, which "thresh lab" runs
	GOWORK= go -C lab build -trimpath -o ../bin/thresh-lab ./cmd/thresh-lab

vet-tool: ## build bin/thresh-vet, which "thresh vet" runs
	go -C vet build -trimpath -o ../bin/thresh-vet ./cmd/thresh-vet

cluster: ## build bin/thresh-cluster, which "thresh cluster" runs
	GOWORK= go -C cluster build -trimpath -o ../bin/thresh-cluster ./cmd/thresh-cluster

cluster-questions: ## compare all 200 questions on the embedded runner with the library, and those of the scripts with thresh
	THRESH_CLUSTER_QUESTIONS=all GOWORK= go -C cluster test -count=1 -run 'TestSameAsLibrary|TestScripts' ./...

cluster-flink: ## ask a real Flink all 200 questions, and some while a task manager is killed; Java, Maven, Python and 6 GB of memory
	GOWORK= cluster/flink/run.sh

cluster-spark: ## ask a real Spark all 200 questions; Java, Maven and 4 GB of memory
	GOWORK= cluster/spark/run.sh

cluster-rate: ## what a cluster's worker, range and job cost beside the library; 4 GiB of disk and memory
	GOWORK= go -C cluster run ./internal/rate

cluster-scale: ## write the table of docs/scale.md from the model
	GOWORK= go -C cluster test -count=1 -run TestTable ./internal/scale -update

LAB_NAME ?= $(shell date +%F)
lab-report: lab ## measure and profile the whole lab anew, 45 minutes, and keep its report in docs/lab
	mkdir -p docs/lab
	bin/thresh-lab run --fresh $(LAB_FLAGS)
	bin/thresh-lab run --profile $(LAB_FLAGS) >/dev/null
	bin/thresh-lab report -o docs/lab/$(LAB_NAME).html
	bin/thresh-lab report -o docs/lab/$(LAB_NAME).md

demo: build lab ## what the README shows, in demo/; then larger data, real queries with receipts, a small lab
	scripts/demo.sh

recording: build ## record the terminal that the README shows: docs/recording.svg
	go run ./scripts/recording

lines: ## count lines by area: code, tests, generated
	@scripts/lines.sh

check: ## what to run before every commit: under three minutes, installs nothing
	scripts/check.sh

test: ## install what the tests need, build for all systems, run all tests
	scripts/test.sh

race: ## run the tests that use no mapped memory under the race detector
	scripts/race.sh

lint: ## check formatting, vet for all systems, check generated files and api/*.txt, run staticcheck
	scripts/lint.sh

# Only the pinned compiler may generate the kernels' assembly from their Go sources.
generate: ## generate the kernels' assembly from the files that import simd/archsimd
	scripts/generate.sh

tidy: ## go mod tidy in all modules
	scripts/tidy.sh

api: ## record the public API in api/*.txt
	scripts/api.sh

FUZZ_TIME ?= 20s
fuzz: ## run every fuzz target for FUZZ_TIME, and the generated matrix
	scripts/fuzz.sh $(FUZZ_TIME)

bench: build lab ## measure ratios against peers in one run, and check every answer
	bin/thresh-lab run peers --fresh

# Every answer is checked, no time is: small data, one round, and cases whose peers every system has.
bench-smoke: build lab ## the benchmarks as tests
	bin/thresh-lab run peers --fresh --quick --rounds 1 \
		--only '/(warm|own-memory|cmp|lines|small|lines-small|tens|memory-file|memory-pipe|table-column|table-scaling)$$'

bench-setup: ## install the peers that make bench compares with
	scripts/bench-setup.sh

walls: ## how often receipts name the wall that was built: prints the confusion matrices, takes half an hour
	THRESH_WALLS=$${THRESH_WALLS:-20} go test -count=1 -timeout 120m -v -run TestWalls ./internal/test/walls

man: ## write the manual pages to out/man
	mkdir -p out/man && go run -tags man ./cmd/thresh man out/man
	mkdir -p out/man-lab && GOWORK= go -C lab run -tags man ./cmd/thresh-lab man ../out/man-lab
	mkdir -p out/man-vet && go -C vet run -tags man ./cmd/thresh-vet man ../out/man-vet
	mkdir -p out/man-cluster && GOWORK= go -C cluster run -tags man ./cmd/thresh-cluster man ../out/man-cluster

release: ## archives, packages, checksums and lists of contents in out/release, as a snapshot
	scripts/release.sh

clean:
	rm -rf bin out demo
	if [ -d lab ]; then GOWORK= go -C lab run ./cmd/thresh-lab clean; fi
