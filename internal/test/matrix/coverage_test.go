package matrix

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// The tests of this file compare the matrix with the library's own lists. They fail if the library
// has something that the matrix does not test.

// TestEveryQueryIsAsked checks that each function of the library that makes a query has a selector.
func TestEveryQueryIsAsked(t *testing.T) {
	files, err := filepath.Glob("../../../*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of the library: %v", err)
	}
	made := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && returnsQuery(f) {
				made[f.Name.Name] = true
			}
		}
	}
	sameNames(t, "queries", slices.Sorted(maps.Keys(made)), sorted(selectors))
}

func returnsQuery(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	star, ok := f.Type.Results.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := star.X.(*ast.Ident)
	return ok && name.Name == "Query"
}

func sameNames(t *testing.T, what string, library, here []string) {
	t.Helper()
	if !slices.Equal(library, here) {
		t.Errorf("%s: the library has %v, the matrix %v", what, library, here)
	}
}

// known matches the list of names in an error about an unknown name.
var known = regexp.MustCompile(`\(known: ([^)]*?)(?:, then[^)]*)?\)`)

// namesIn returns the known names in such an error.
func namesIn(t *testing.T, err error) []string {
	t.Helper()
	m := known.FindStringSubmatch(err.Error())
	if m == nil {
		t.Fatalf("no list of names in %q", err)
	}
	names := strings.FieldsFunc(m[1], func(c rune) bool { return c == ' ' || c == ',' })
	names = slices.DeleteFunc(names, func(s string) bool { return s == "or" || s == "and" })
	slices.Sort(names)
	return names
}

// TestEveryTypeIsAsked checks the types of values.
func TestEveryTypeIsAsked(t *testing.T) {
	_, err := thresh.Values(question.Values{Type: "no type", Conditions: []question.Condition{{Op: question.Equal, Value: "1"}}})
	if err == nil {
		t.Fatal("a type that does not exist is accepted")
	}
	sameNames(t, "types", namesIn(t, err), sorted(valueTypes))
}

// TestEveryOpIsAsked checks the comparisons. Those with two operands or none have cases of their own.
func TestEveryOpIsAsked(t *testing.T) {
	apart := []question.Op{question.Between, question.IsNaN, question.IsInf}
	for op := range question.Op(64) {
		_, err := thresh.Values(question.Values{Type: question.Float64, Conditions: []question.Condition{{Op: op, Value: "1", High: "2"}}})
		_, here := opNames[op]
		if here = here || slices.Contains(apart, op); here && err != nil {
			t.Errorf("%v: %v", op, err)
		} else if !here && err == nil {
			t.Errorf("comparison %v is not in the matrix", op)
		}
	}
}

// TestEveryEngineIsForced checks the engines.
func TestEveryEngineIsForced(t *testing.T) {
	in := kinds["file"].open(t, nil, []byte("text"))
	_, err := thresh.Explain(in.Input, thresh.NonZero(), options.Find{Run: options.Run{Engine: "no engine"}})
	if err == nil {
		t.Fatal("an engine that does not exist is accepted")
	}
	sameNames(t, "engines", namesIn(t, err), sortedEngines())
	if err := in.end(); err != nil {
		t.Fatal(err)
	}
}

// sortedEngines returns the names of the engines in order.
func sortedEngines() (names []string) {
	for _, e := range engineNames {
		names = append(names, string(e))
	}
	slices.Sort(names)
	return names
}

// otherKinds are the kinds of inputs of formats that are no kind by themselves.
var otherKinds = map[string]string{"not compressed": "file", "zip": "zip member", "deflate": "zip member", "stored": "zip member"}

// TestEveryFormatIsRead checks the compression formats.
func TestEveryFormatIsRead(t *testing.T) {
	read := 0
	for f := decompress.Format(0); ; f++ {
		name, ok := formatName(f)
		if !ok {
			break
		}
		read++
		if _, here := kinds[cmp.Or(otherKinds[name], name)]; !here {
			t.Errorf("no kind of input is compressed as %s", name)
		}
	}
	if read < 5 {
		t.Errorf("only %d formats have a name", read)
	}
}

// formatName returns the name of a format, and false after the last one.
func formatName(f decompress.Format) (name string, ok bool) {
	defer func() { ok = recover() == nil && name != "" }()
	return f.String(), true
}

// askedElsewhere are the aggregates that the differential tests of package table ask, with a twin of their own and DuckDB.
var askedElsewhere = []string{"first", "last", "median", "mode", "stddev", "variance"}

// TestEveryAggregateIsAsked checks the aggregates of tables. Quantiles are listed without a number.
func TestEveryAggregateIsAsked(t *testing.T) {
	for _, name := range []string{"count", "sum", "min", "max", "mean", "distinct", "p50", "first", "last", "stddev", "median",
		"approx_distinct", "approx_p50", "var", "variance", "mode", "any", "avg", "product", "list"} {
		if _, here := aggregates[name]; !here && !slices.Contains(askedElsewhere, name) && isAggregate(t, name) {
			t.Errorf("aggregate %s is not in the matrix", name)
		}
	}
	if isAggregate(t, "nonsense") {
		t.Error("an aggregate that does not exist is accepted")
	}
}

// isAggregate reports whether the library has an aggregate.
func isAggregate(t *testing.T, aggregate string) bool {
	t.Helper()
	name := write(t, "input", []byte("1,2\n"))
	list := func(yield func(string, error) bool) { yield(name, nil) }
	ask := func(aggregate string) bool {
		spec := thresh.TableSpec{Dialect: options.Dialect{Delim: ','}, Questions: []thresh.Question{thresh.Groups{Aggregates: aggregate}}}
		_, err := thresh.TableAll(t.Context(), list, spec, options.Scan{}, thresh.Callbacks{}, &sheetOutput{})
		return err == nil
	}
	return ask(aggregate+"(1)") || ask(aggregate)
}
