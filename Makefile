# thresh: build, demo, test, bench. Each target is one script or one line.

export GOTOOLCHAIN := go1.27.4
export GOEXPERIMENT :=
export CGO_ENABLED ?= 0

.PHONY: build demo check test race lint generate fuzz bench bench-smoke bench-setup man release clean

# What runs before the Go runtime: see cmd/thresh/entry_linux_amd64.s.
ifeq ($(shell go env GOOS GOARCH | paste -sd /),linux/amd64)
entry := -ldflags='-E main.entry'
endif

build: ## the binary at bin/thresh, static
	go build -trimpath $(entry) -o bin/thresh ./cmd/thresh

demo: build ## realistic data, real questions, answers with receipts
	scripts/demo.sh

check: ## what to run before every commit: under three minutes, installs nothing
	scripts/check.sh

test: ## install what the tests need, build everywhere, run all tests
	scripts/test.sh

race: ## the tests that touch no mapped memory, under the race detector
	scripts/race.sh

lint: ## formatting, vet over the build matrix, staticcheck
	scripts/lint.sh

# The kernels' assembly is made from their sources in Go by the pinned compiler alone.
generate: ## the kernels' assembly, from the files that import simd/archsimd
	scripts/generate.sh

FUZZ_TIME ?= 20s
fuzz: ## every fuzz target for FUZZ_TIME, and the generated matrix
	scripts/fuzz.sh $(FUZZ_TIME)

bench: build ## ratios against peers from one run, every answer checked
	go run ./bench

# Every answer is checked, no time is: small data, one round, and cases whose peers every system has.
bench-smoke: build ## the benchmarks as tests
	go run ./bench --quick --size 64MiB --rounds 1 \
		--only '^(warm|own-memory|cmp|lines|small|lines-small|tens|memory-file|memory-pipe|table-column|table-scaling)$$'

bench-setup: ## install the peers that make bench compares with
	scripts/bench-setup.sh

man: ## manual pages into out/man
	mkdir -p out/man && go run -tags man ./cmd/thresh man out/man

release: ## archives, packages, checksums and lists of contents in out/release, as a snapshot
	scripts/release.sh

clean:
	rm -rf bin out
	if [ -d bench ]; then go run ./bench --clean; fi
