package header

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/thresh-dev/thresh/vet/internal/flow"
)

// String names what is set in s: "handler length".
func (s State) String() string {
	var all []string
	for _, f := range []struct {
		set  bool
		name string
	}{{s.Handler, "handler"}, {s.Encoded, "encoded"}, {s.Length, "length"}, {s.Framed, "framed"}, {s.Unknown, "unknown"}} {
		if f.set {
			all = append(all, f.name)
		}
	}
	return strings.Join(all, " ")
}

// paths reports at each copy what was done to the response before, on each way to it.
var paths = &analysis.Analyzer{
	Name: "paths", Doc: "report the state of responses", Requires: []*analysis.Analyzer{flow.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		p := pass.ResultOf[flow.Analyzer].(*flow.Program)
		f := New(p.Funcs)
		for _, c := range p.Copies {
			var all []string
			for _, s := range f.Paths(c.Call, c.Dst) {
				all = append(all, s.String())
			}
			slices.Sort(all)
			text := strings.Join(all, " | ")
			if Repeated(c.Call) {
				text = "repeated: " + text
			}
			pass.Report(analysis.Diagnostic{Pos: c.Call.Pos(), Message: "state: " + text})
		}
		return nil, nil
	},
}

// Each copy in testdata has a comment with the states of its response.
func TestPaths(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), paths, "sent")
}

// TestBound asks about a copy that has more callers than are followed.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		callers int
		want    string
	}{{pathsMax, strings.Repeat(" | handler", pathsMax)[3:]}, {pathsMax + 1, "unknown"}} {
		source := "package many\n\nimport (\n\"io\"\n\"net/http\"\n)\n\nvar f io.Reader\n\n" +
			"func send(w http.ResponseWriter) { io.Copy(w, f) } // want `^state: " +
			strings.ReplaceAll(c.want, "|", `\|`) + "$`\n"
		for i := range c.callers {
			source += fmt.Sprintf("\nfunc handler%d(w http.ResponseWriter, r *http.Request) { send(w) }\n", i)
		}
		dir, clean, err := analysistest.WriteFiles(map[string]string{"many/many.go": source})
		if err != nil {
			t.Fatal(err)
		}
		defer clean()
		analysistest.Run(t, dir, paths, "many")
	}
}
