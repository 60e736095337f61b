package house

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rooms is the import graph: a room may import those named behind the colon, and those
// that these may import. Data goes one way, from the left of ARCHITECTURE.md's picture to
// the right. When this test fails, the import is wrong, not the graph. Any room may keep its
// sizes in internal/threshold, which holds numbers and imports nothing.
const rooms = `
internal/cpu:
internal/exact:
internal/threshold:
internal/sandbox:
internal/source:
internal/engine: internal/source
internal/engine/anon:
internal/engine/pread: internal/engine internal/engine/anon
internal/engine/mmap: internal/engine
internal/engine/uring/ring:
internal/engine/uring: internal/engine/pread internal/engine/uring/ring
internal/engine/stream: internal/engine internal/engine/anon
internal/engine/enginetest: internal/engine
internal/prefetch:
internal/kernel: internal/cpu
internal/kernel/kerneltest: internal/kernel
internal/kernel/nonzero: internal/kernel
internal/kernel/compare: internal/kernel
internal/kernel/divide: internal/kernel
internal/kernel/histogram: internal/kernel/compare internal/kernel/divide
internal/kernel/stats: internal/kernel/compare internal/exact
internal/kernel/pattern: internal/kernel
internal/kernel/pattern/gen:
internal/kernel/literals: internal/kernel/pattern
internal/kernel/minify: internal/kernel
internal/kernel/jsonscan: internal/kernel
internal/kernel/utf8: internal/kernel
internal/jsontext: internal/kernel/jsonscan internal/kernel/utf8
internal/kernel/byteset: internal/kernel
internal/kernel/regex: internal/kernel/pattern internal/kernel/byteset
internal/plan: internal/engine
internal/scan: internal/plan
internal/records:
internal/kernel/fields: internal/kernel internal/records
internal/kernel/rows: internal/kernel/fields
internal/find: internal/scan internal/kernel/nonzero internal/kernel/compare internal/kernel/literals internal/kernel/regex
internal/count: internal/find internal/kernel/rows internal/kernel/stats internal/kernel/histogram
internal/unpack:
internal/kernel/digits: internal/kernel
internal/decimal: internal/exact internal/records internal/kernel/digits
internal/sketch:
internal/spill:
internal/values: internal/records internal/spill internal/engine/anon
internal/group: internal/kernel internal/values
internal/key: internal/records internal/kernel
internal/where: internal/records internal/decimal internal/key
internal/tabletest: internal/exact
internal/table: internal/scan internal/prefetch internal/kernel/fields internal/kernel/rows internal/sketch internal/group internal/where
internal/minify: internal/scan internal/kernel/minify internal/jsontext
internal/present:
internal/outfile:
internal/splice:
internal/sendfile:
zerocopy: internal/sendfile internal/splice
zerocopy/zerocopytest: zerocopy
internal/httpsem:
internal/site: internal/httpsem
internal/activation:
serve: zerocopy internal/httpsem internal/site internal/activation
serve/servetest:
relay: zerocopy internal/activation
internal/limits/cgroup:
internal/limits: internal/kernel internal/limits/cgroup internal/kernel/nonzero internal/source
internal/wall: internal/limits internal/source
internal/forms: internal/limits internal/count internal/table internal/kernel/divide internal/kernel/minify internal/kernel/jsonscan internal/kernel/utf8
internal/house:
.: internal/forms internal/minify internal/wall internal/engine/mmap internal/engine/uring internal/engine/stream internal/unpack
internal/matrix:
cmd/thresh: . internal/present internal/outfile serve relay
lab/needle: internal/cpu
lab/tens: internal/engine/anon internal/engine/uring/ring
lab/donations:
lab/gen:
lab/copy: serve relay
lab/copy/cmd/copy: lab/copy
lab/gen/cmd/gen: lab/gen
lab/simd: internal/kernel/divide
lab/simd/cmd/simd: lab/simd lab/gen
bench: . lab/copy lab/gen lab/donations lab/needle lab/tens internal/kernel/nonzero internal/kernel/compare internal/source
`

const module = "github.com/thresh-dev/thresh"

func TestImportGraph(t *testing.T) {
	allowed := parseRooms(t)
	for _, p := range packages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if room == "" {
			room = "."
		}
		may, known := allowed[room]
		if !known {
			t.Errorf("%s is not in the graph: say where it stands", room)
			continue
		}
		for _, i := range p.Imports {
			rest, own := strings.CutPrefix(i, module)
			if !own {
				continue
			}
			to := strings.TrimPrefix(rest, "/")
			if to == "" {
				to = "."
			}
			if !slices.Contains(may, to) && to != "internal/threshold" {
				t.Errorf("%s must not import %s", room, to)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

// packages lists the module's packages. Tests may import what they like.
func packages(t *testing.T) (all []goPackage) {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all = append(all, p)
	}
}

// parseRooms returns for each room all that it may import, near and far.
func parseRooms(t *testing.T) map[string][]string {
	t.Helper()
	allowed := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(rooms)) {
		room, may, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			t.Fatalf("no colon in %q", line)
		}
		for _, near := range strings.Fields(may) {
			far, known := allowed[near]
			if !known {
				t.Fatalf("%s stands before %s, which it may import", room, near)
			}
			allowed[room] = append(append(allowed[room], near), far...)
		}
		if _, ok := allowed[room]; !ok {
			allowed[room] = nil
		}
	}
	return allowed
}
