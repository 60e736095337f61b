package architecture

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// graph is the import graph: a package may import the packages after the colon, and whatever they
// may import. Data goes one way, from left to right in ARCHITECTURE.md's picture, and each package
// comes after all that it imports. When this test fails, the import is wrong, not the graph. Every
// package may use internal/threshold and internal/fault, which import nothing.
const graph = `
internal/threshold:
internal/fault:
internal/machine/cpu:
internal/machine/cgroup:
internal/machine/proc:
internal/machine/memory: internal/machine/cgroup internal/machine/proc
internal/spelling:
internal/json/escape:
internal/quantile:
internal/output/numeral:
internal/output/svg:
internal/output/page:
internal/output/bytesize: internal/output/numeral

question:
failure: internal/output/bytesize
options: failure
receipt: internal/output/bytesize

internal/kernel: internal/machine/cpu
internal/kernel/stats/exact:
internal/kernel/fields/records:
internal/kernel/digits: internal/kernel internal/kernel/fields/records
internal/table/encoded:
internal/table/decimal: internal/table/encoded internal/kernel/stats/exact internal/kernel/fields/records internal/kernel/digits
internal/table/value: internal/table/decimal
answer: failure receipt internal/table/value
internal/table/row: answer

internal/input/source: failure
internal/input/identity: internal/input/source
internal/journal: internal/input/identity
internal/certificate: internal/journal internal/output/page receipt
internal/certificate/comparison: internal/certificate
internal/engine: failure
internal/engine/anon: internal/fault
internal/engine/pread: internal/engine internal/engine/anon internal/input/source
internal/engine/memory: internal/engine internal/input/source
internal/engine/mmap: internal/engine internal/input/source
internal/engine/compared: internal/engine
internal/engine/uring/ring:
internal/engine/direct: internal/engine internal/engine/anon internal/input/source
internal/engine/uring: internal/engine/direct internal/engine/pread internal/engine/uring/ring
internal/engine/ranges: internal/engine internal/engine/anon internal/input/source
internal/engine/stream: internal/engine internal/engine/anon internal/input/source
internal/engine/pair: internal/engine internal/input/source
internal/engine/enginetest: internal/engine internal/input/source
internal/engine/catalog: internal/engine/memory internal/engine/mmap internal/engine/pread internal/engine/ranges \
	internal/engine/stream internal/engine/uring
internal/plan: internal/engine/catalog internal/output/bytesize
internal/scan: answer internal/plan internal/engine/compared

internal/kernel/kerneltest: internal/kernel
internal/kernel/nonzero: internal/kernel
internal/kernel/differ: internal/kernel
internal/kernel/gather: internal/kernel
internal/kernel/compare: question internal/kernel/gather internal/spelling
internal/kernel/divide: internal/kernel
internal/kernel/histogram: answer internal/kernel/compare internal/kernel/divide
internal/kernel/stats: internal/kernel/compare internal/kernel/stats/exact
internal/kernel/pattern: internal/kernel
internal/kernel/pattern/gen:
internal/kernel/literals: internal/kernel/pattern
internal/kernel/regex: internal/kernel/pattern
internal/kernel/fields: internal/kernel internal/kernel/fields/records
internal/kernel/rows: internal/kernel/fields
internal/kernel/words: internal/kernel
internal/kernel/minify: internal/kernel
internal/kernel/jsonscan: internal/kernel
internal/kernel/utf8: internal/kernel
internal/kernel/inflate: internal/kernel

internal/input/decompress/decompresstest:
internal/input/decompress: failure internal/kernel/inflate internal/spelling

internal/input/follow:

internal/tensor:
internal/tensor/npy: internal/tensor
internal/tensor/safetensors: internal/tensor
internal/tensor/gguf: internal/tensor

internal/table/spill: internal/fault
internal/search/find: internal/scan internal/kernel/nonzero internal/kernel/compare internal/kernel/literals internal/kernel/regex
internal/search/grep: question internal/json/escape internal/scan internal/kernel/literals internal/kernel/regex internal/table/spill
internal/search/logtime: answer options internal/input/source
internal/search/differ: internal/scan internal/kernel/differ
internal/search/count: internal/search/find internal/kernel/rows internal/kernel/words internal/kernel/stats internal/kernel/histogram

internal/table/sketch: internal/table/encoded
internal/table/notation:
internal/table/split: internal/kernel/fields/records
internal/table/ndjson: internal/kernel/jsonscan internal/kernel/utf8
internal/table/quantiles: internal/table/encoded internal/engine/anon internal/kernel/fields/records internal/table/spill
internal/table/key: internal/kernel/fields/records internal/kernel/regex internal/output/numeral internal/spelling
internal/table/expr: internal/table/value internal/table/key
internal/table/filter: internal/table/expr
internal/table/order: internal/engine/anon internal/table/spill internal/table/value
internal/table/group: internal/engine/anon internal/kernel internal/kernel/fields/records internal/table/spill
internal/table/hashjoin: internal/kernel/fields/records
internal/table/batch: internal/kernel/fields answer internal/table/value
internal/table/agg: internal/table/batch internal/table/expr internal/table/group internal/table/quantiles internal/table/sketch
internal/table/tabletest:
internal/table/query: options internal/table/hashjoin internal/table/row internal/table/ndjson internal/table/agg internal/table/filter \
	internal/table/order internal/table/split internal/table/notation
internal/table: internal/scan internal/kernel/rows internal/table/query
internal/table/sniff: internal/input/decompress internal/table/query
internal/table/sql: internal/table/query

internal/json/jsontext: internal/kernel/jsonscan internal/kernel/utf8
internal/json/minify: options internal/scan internal/kernel/minify internal/json/jsontext

internal/machine/limits: internal/kernel internal/machine/cgroup internal/machine/proc internal/output/svg internal/quantile
internal/machine/wall: receipt internal/machine/limits internal/machine/proc
internal/machine/kernelbench: internal/machine/limits internal/kernel/nonzero internal/kernel/differ internal/kernel/histogram internal/kernel/stats \
	internal/kernel/literals internal/kernel/regex internal/kernel/rows internal/kernel/words internal/kernel/digits internal/kernel/minify \
	internal/kernel/jsonscan internal/kernel/utf8 internal/kernel/inflate internal/table/key internal/table/group

internal/output/charts: internal/output/numeral internal/output/page internal/output/svg internal/table/value
internal/output/encode: internal/table/row options internal/json/escape internal/output/charts
internal/output/outfile: internal/fault
internal/output/qrcode:

internal/blank: internal/journal internal/engine/compared internal/engine/direct internal/engine/mmap internal/engine/pread internal/input/decompress \
	internal/kernel/nonzero internal/machine/wall
internal/blank/certificate: internal/blank internal/certificate

internal/net/activation:
internal/net/archive:
internal/net/docroot: failure
internal/net/exposition:
internal/net/forwarded:
internal/net/httpsem:
internal/net/throttle:
internal/net/interfaces:
internal/net/pacing:
internal/net/proxyproto:
internal/net/readahead:
internal/net/selfsigned:
internal/net/sendfile:
internal/net/splice:

internal/folders: answer options failure internal/input/source internal/kernel/differ
internal/run: \
	internal/engine/pair internal/search/differ internal/folders \
	internal/input/decompress internal/input/follow internal/search/count internal/search/grep internal/search/logtime internal/table internal/json/minify \
	internal/machine/memory internal/machine/wall internal/tensor/npy internal/tensor/safetensors internal/tensor/gguf
.: internal/run internal/output/encode internal/table/sniff internal/table/sql
sqldriver: .
remote: .
internal/preview: .
internal/command/usage:
internal/command: internal/certificate internal/journal internal/input/decompress internal/command/usage remote internal/machine/limits \
	internal/machine/proc internal/output/bytesize internal/output/outfile internal/spelling
internal/verbs: internal/command internal/certificate/comparison internal/preview
zerocopy: internal/net/sendfile internal/net/splice internal/output/bytesize
zerocopy/zerocopytest: zerocopy internal/machine/proc
serve: zerocopy internal/net/archive internal/net/docroot internal/net/exposition internal/net/forwarded internal/net/httpsem internal/net/pacing \
	internal/net/proxyproto internal/net/readahead internal/net/throttle internal/output/page
serve/servetest:
relay: failure internal/net/exposition internal/net/forwarded internal/net/pacing internal/net/proxyproto internal/net/splice internal/net/throttle
wall: internal/machine/cgroup internal/machine/proc internal/output/bytesize
internal/output/wallreport: internal/output/page wall
vet/internal/finding:
vet/internal/shape:
vet/internal/method:
vet/internal/flow: vet/internal/method vet/internal/shape
vet/internal/forward: vet/internal/finding vet/internal/shape
vet/internal/header:
vet: vet/internal/finding vet/internal/flow vet/internal/forward vet/internal/header vet/internal/method
vet/plugin: vet
vet/internal/section:
vet/internal/corpus: vet vet/internal/section
vet/internal/proof:
vet/internal/usage:
vet/internal/whole: vet/internal/flow vet/internal/shape
vet/cmd/thresh-vet: vet vet/internal/usage vet/internal/whole
cmd/thresh: serve relay internal/blank internal/blank/certificate internal/verbs internal/machine/kernelbench internal/machine/proc \
	internal/net/activation internal/net/interfaces \
	internal/net/selfsigned internal/output/outfile internal/output/qrcode internal/output/wallreport wall

examples/lines: .
examples/growing: .
examples/channel: .
examples/groups: .
examples/sqlrows: sqldriver
examples/middleware: zerocopy
examples/prefix: serve
examples/tlsrelay: relay
examples/object: remote
examples/childwall: wall

internal/test/architecture:
internal/test/client:
internal/test/gen:
internal/test/gen/cmd/gen: internal/test/gen
internal/test/matrix:
internal/test/pagecache:
internal/test/python:
internal/test/rounds:
internal/test/sandbox:
internal/test/server:
internal/test/walls: wall
lab: internal/quantile
lab/pagecache: internal/input/source
lab/processes: internal/machine/proc
lab/evidence: lab
lab/machine: internal/machine/limits lab
lab/peer:
lab/needle: . lab/evidence internal/test/gen lab/peer
lab/tens: . lab/evidence
lab/donations: . internal/machine/memory lab/evidence internal/test/gen lab/peer
lab/copy: internal/machine/proc lab/evidence lab/peer serve relay lab/processes
lab/concurrency: internal/quantile lab/evidence
lab/simd: . internal/kernel/divide lab/evidence internal/test/gen
lab/versus: . internal/machine/proc internal/net/selfsigned lab lab/donations internal/test/gen \
	lab/machine lab/needle lab/pagecache lab/peer lab/processes lab/tens
lab/catalog: lab/needle lab/donations lab/copy lab/concurrency lab/simd lab/tens lab/versus
lab/measure: lab/machine lab/pagecache
lab/report: internal/output/bytesize internal/output/numeral internal/output/page internal/output/svg internal/quantile lab
lab/cmd/thresh-lab: lab/catalog lab/copy lab/measure lab/peer lab/report lab/versus internal/command/usage
cluster: remote internal/input/source
cluster/cmd/thresh-cluster: cluster internal/verbs
cluster/internal/rate: cluster
scripts/mutate:
scripts/recording: internal/output/svg internal/test/gen
scripts/release:
scripts/sbom:
scripts/wallmatrix: internal/quantile internal/test/walls wall
`

const module = "github.com/thresh-dev/thresh"

// TestImportGraph compares the imports of all files, for every system, with the graph: no import may
// be missing in the graph, and the graph may list no package or import that does not exist.
func TestImportGraph(t *testing.T) {
	allowed, near := parseGraph(t)
	all := packages(t)
	for name, imports := range all {
		if _, known := near[name]; !known {
			t.Errorf("%s is not in the graph: add it there", name)
			continue
		}
		for _, to := range imports {
			if !slices.Contains(allowed[name], to) && to != "internal/threshold" && to != "internal/fault" {
				t.Errorf("%s must not import %s", name, to)
			}
		}
	}
	for name, listed := range near {
		imports, exists := all[name]
		if !exists {
			t.Errorf("the graph has %s, which is not a package", name)
		}
		for _, to := range listed {
			if !slices.Contains(imports, to) {
				t.Errorf("the graph lets %s import %s, which it does not", name, to)
			}
		}
	}
}

// packages returns the imports of each package of the workspace from the workspace itself, by folder. Test
// files are left out: they may import anything. So are folders of other modules, with a go.mod.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, name := range files(t) {
		folder := path.Dir(name)
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || otherModule(folder) {
			continue
		}
		all[folder] = append(all[folder], moduleImports(t, name)...)
	}
	return all
}

// otherModule reports whether a folder belongs to a nested module that is not in the workspace, or to testdata.
func otherModule(folder string) bool {
	for ; folder != "."; folder = path.Dir(folder) {
		_, err := os.Stat(filepath.Join(root, folder, "go.mod"))
		if err == nil && !slices.Contains(companions, folder) || path.Base(folder) == "testdata" {
			return true
		}
	}
	return false
}

// moduleImports returns the packages of this workspace that a file imports, by folder.
func moduleImports(t *testing.T, name string) (folders []string) {
	t.Helper()
	for _, i := range fileImports(t, name) {
		if i == module {
			folders = append(folders, ".")
		} else if folder, own := strings.CutPrefix(i, module+"/"); own {
			folders = append(folders, folder)
		}
	}
	return folders
}

// fileImports returns the import paths of a file.
func fileImports(t *testing.T, name string) (paths []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

// parseGraph returns for each package the imports that the graph lists, and all that it may import.
func parseGraph(t *testing.T) (allowed, near map[string][]string) {
	t.Helper()
	allowed, near = map[string][]string{}, map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimSpace(graph), "\\\n", "")) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, listed, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			t.Fatalf("no colon in %q", line)
		}
		if _, twice := near[name]; twice {
			t.Fatalf("the graph lists %s twice", name)
		}
		near[name] = strings.Fields(listed)
		for _, n := range near[name] {
			if _, known := near[n]; !known {
				t.Fatalf("%s must come after %s, which it may import", name, n)
			}
			allowed[name] = append(append(allowed[name], n), allowed[n]...)
		}
	}
	return allowed, near
}
