# thresh: build, demo, test, bench. Each target is one script or one line.

export GOTOOLCHAIN := go1.27.4
export GOEXPERIMENT :=
export CGO_ENABLED ?= 0

.PHONY: build demo test race lint generate api fuzz bench bench-setup man clean

# What runs before the Go runtime: see cmd/thresh/entry_linux_amd64.s.
ifeq ($(shell go env GOOS GOARCH | paste -sd /),linux/amd64)
entry := -ldflags='-E main.entry'
endif

build: ## the binary at bin/thresh, static
	go build -trimpath $(entry) -o bin/thresh ./cmd/thresh

demo: build ## realistic data, real questions, answers with receipts
	scripts/demo.sh

test: ## install what the tests need, build everywhere, run all tests
	scripts/test.sh

race: ## the tests that touch no mapped memory, under the race detector
	scripts/race.sh

lint: ## formatting, vet over the build matrix, generated files, the public API, staticcheck
	scripts/lint.sh

# The kernels' assembly is made from their sources in Go by the pinned compiler alone.
generate: ## the kernels' assembly, from the files that import simd/archsimd
	scripts/generate.sh

api: ## record the public API in api/*.txt
	go -C api/_tool run . -write

FUZZ_TIME ?= 20s
fuzz: ## every fuzz target for FUZZ_TIME, and the generated matrix
	scripts/fuzz.sh $(FUZZ_TIME)

bench: build ## ratios against peers from one run, every answer checked
	go run ./bench

bench-setup: ## install the peers that make bench compares with
	scripts/bench-setup.sh

man: ## manual pages into out/man
	mkdir -p out/man && go run -tags man ./cmd/thresh man out/man

clean:
	rm -rf bin out
	if [ -d bench ]; then go run ./bench --clean; fi
