package flow

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/ssa"
)

// The packages in testdata call show(x), inner(x, field) and copy functions. A comment beside the call
// says what flow must find: the values by kind and type, in order of the text, with "?" if they are not
// sure.
var shower = &analysis.Analyzer{
	Name:       "shower",
	Doc:        "collect what flow finds at the calls of show and inner",
	Requires:   []*analysis.Analyzer{Analyzer},
	ResultType: reflect.TypeFor[map[token.Position]string](),
	Run: func(pass *analysis.Pass) (any, error) {
		p := pass.ResultOf[Analyzer].(*Program)
		found := map[token.Position]string{}
		add := func(call ssa.CallInstruction, values []Value) {
			found[lineOf(pass.Fset, call.Pos())] = p.text(pass.Pkg, values)
		}
		for _, call := range p.Named[pass.Pkg.Path()+".show"] {
			arg := call.Common().Args[0]
			add(call, p.Values(arg))
			if query := p.newTrace(); query.follow(arg, nil) != nil && len(query.seen) > stepsMax {
				return nil, fmt.Errorf("%d steps, and not at most %d", len(query.seen), stepsMax)
			}
		}
		for _, call := range p.Named[pass.Pkg.Path()+".inner"] {
			name := constant.StringVal(call.Common().Args[1].(*ssa.Const).Value)
			var values []Value
			for _, v := range p.Values(call.Common().Args[0]) {
				values = append(values, p.Inner(v, name)...)
			}
			add(call, values)
		}
		for _, c := range p.Copies {
			at := lineOf(pass.Fset, c.Call.Pos())
			found[at] = fmt.Sprintf("%s: %s <- %s", c.Func, p.text(pass.Pkg, p.Values(c.Dst)), p.text(pass.Pkg, p.Values(c.Src)))
		}
		return found, nil
	},
}

func (k Kind) String() string {
	return [...]string{"", "file ", "pipe ", "tcp ", "unix ", "response ", "body "}[k]
}

func (p *Program) text(pkg *types.Package, values []Value) string {
	var parts []string
	unsure := ""
	for _, v := range values {
		parts = append(parts, p.KindOf(v).String()+strings.ReplaceAll(v.TypeName(), pkg.Path()+".", ""))
		if !v.Sure {
			unsure = " ?"
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), ", ") + unsure
}

func lineOf(fset *token.FileSet, pos token.Pos) token.Position {
	at := fset.Position(pos)
	return token.Position{Filename: at.Filename, Line: at.Line}
}

func TestValues(t *testing.T) {
	cases := 0
	for _, result := range analysistest.Run(t, analysistest.TestData(), shower, "values", "handlers", "copies", "known", "tests") {
		pass := result.Action
		found := result.Result.(map[token.Position]string)
		for _, file := range pass.Package.Syntax {
			for at, want := range wantsOf(pass.Package.Fset, file) {
				cases++
				if got, ok := found[at]; !ok || got != want {
					t.Errorf("%s:%d: found %q, want %q", at.Filename, at.Line, got, want)
				}
				delete(found, at)
			}
		}
		for at, got := range found {
			t.Errorf("%s:%d: found %q, want nothing", at.Filename, at.Line, got)
		}
	}
	t.Logf("%d cases", cases)
}

// A query that is too large says that it knows nothing, instead of a part of the truth.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		calls int
		want  string
	}{{stepsMax / 4, "*bytes.Buffer"}, {stepsMax, "interface{} ?"}} {
		source := "package large\n\nimport (\n\"bytes\"\n\"io\"\n)\n\nfunc show(any) {}\n\n" +
			"func large(r io.Reader) {\nshow(r)\n_, _ = io.Copy(nil, nil)\n}\n\nfunc calls() {\n" +
			strings.Repeat("large(new(bytes.Buffer))\n", c.calls) + "}\n"
		dir, clean, err := analysistest.WriteFiles(map[string]string{"large/large.go": source})
		if err != nil {
			t.Fatal(err)
		}
		defer clean()
		found := analysistest.Run(t, dir, shower, "large")[0].Result.(map[token.Position]string)
		if !slices.Contains(slices.Collect(maps.Values(found)), c.want) {
			t.Errorf("%d calls: found %v, want %q", c.calls, found, c.want)
		}
	}
}

// wantsOf returns the comments that begin with "=" by line.
func wantsOf(fset *token.FileSet, file *ast.File) map[token.Position]string {
	wants := map[token.Position]string{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if want, ok := strings.CutPrefix(c.Text, "// ="); ok {
				wants[lineOf(fset, c.Pos())] = strings.TrimSpace(want)
			}
		}
	}
	return wants
}
