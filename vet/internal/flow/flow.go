// Package flow follows values through the SSA form of a package: which values may arrive at the arguments
// of a copy. It follows variables, fields, parameters of functions that the package calls itself, results
// and closures; across packages it knows what package shape found out, and what the standard library does.
//
// It does not follow elements of maps, slices and channels. What the tests of a package pass to its
// functions is not counted: it is no evidence of what a program does.
package flow

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Program is the result of Analyzer.
type Program struct {
	// Copies are the calls that copy, of all functions of the package, in source order.
	Copies []Copy
	// Funcs are the package's functions with bodies, including closures and the function that
	// initialises variables; nil if nothing in the package can be of interest to a rule, because the SSA
	// form is then not built.
	Funcs []*ssa.Function

	// Named has the package's calls by the full name of the function or method, in source order: of
	// "(io.ReaderFrom).ReadFrom" those by the interface, of "(*os.File).Read" those that are static.
	Named map[string][]ssa.CallInstruction

	*world
}

// Copy is a call that copies from a reader to a writer.
type Copy struct {
	Call ssa.CallInstruction
	Func string // "io.Copy", "io.CopyN", "io.CopyBuffer", "net/http.ServeContent", "(io.ReaderFrom).ReadFrom" …
	// Dst and Src are the arguments. Dst of ServeContent is its ResponseWriter, Src its content.
	Dst, Src ssa.Value
}

// Value is one value that may arrive somewhere. Values can be compared.
type Value struct {
	// Type is the value's concrete type. It is an interface if no more is known: net.Conn of a
	// parameter that the package's own code never passes.
	Type types.Type
	// At is the value before it was converted to an interface, for its position and how it was made: an
	// *ssa.Alloc, *ssa.Call, *ssa.Extract, *ssa.Parameter … A struct that is no pointer is At the
	// *ssa.Alloc of its variable.
	At ssa.Value
	// Sure is false if other values may arrive, too, whose types are not known. So of one set of values
	// either all are sure or none.
	Sure bool

	kind  Kind   // what is known of it, if Type does not say it
	name  string // the name of the concrete type, if Type can't say it: "*io.teeReader"
	frame *frame // the calls through which it was reached
}

// TypeName returns the full name of v's concrete type, "*os.File", also if it is not exported and v.Type
// an interface for that reason: "*io.teeReader". It is the interface's name if no more is known.
func (v Value) TypeName() string {
	if v.name != "" {
		return v.name
	}
	if p, ok := types.Unalias(v.Type).(*types.Pointer); ok {
		return "*" + types.TypeString(types.Unalias(p.Elem()), nil)
	}
	return types.TypeString(types.Unalias(v.Type), nil)
}

// Known reports whether v's concrete type is known.
func (v Value) Known() bool {
	return v.name != "" || v.kind == Response || v.kind == Body || !types.IsInterface(v.Type)
}

// Values returns what may arrive at v, each value once. It never returns none: what can't be followed is
// a Value with an interface type. Nil is left out if anything else may arrive.
// It is safe for concurrent use.
func (w *world) Values(v ssa.Value) []Value {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.values(v)
}

func (w *world) values(v ssa.Value) []Value {
	if found, ok := w.memo[v]; ok {
		return found
	}
	found := w.newTrace().follow(v, nil)
	w.memo[v] = found
	return found
}

// Wrapper returns what package shape knows of v's type, or of the function that made v.
func (w *world) Wrapper(v Value) *shape.Wrapper {
	if known := w.shapesOf(v.Type).Wrapper(v.Type); known != nil {
		return known
	}
	call, result := callOf(v.At)
	if call == nil || calleeOf(call.Common()) == nil {
		return nil
	}
	for _, m := range w.makes(calleeOf(call.Common())) {
		if m.Result == result && m.Wrapper != nil {
			return m.Wrapper
		}
	}
	return nil
}

// Analyzer builds the SSA form and finds the copies. Its result is a *Program. It has no facts, so it does
// not run on dependencies.
var Analyzer = &analysis.Analyzer{
	Name:       "flow",
	Doc:        "follow values to the calls that copy them",
	Requires:   []*analysis.Analyzer{shape.Analyzer},
	ResultType: reflect.TypeFor[*Program](),
	Run:        run,
}

func run(pass *analysis.Pass) (any, error) {
	if whole, ok := worlds.Load(pass.Fset); ok {
		if w := whole.(*world); w.own[pass.Pkg] {
			return w.view(pass.Pkg), nil
		}
	}
	shapes := pass.ResultOf[shape.Analyzer].(*shape.Shapes)
	w := newWorld(pass.Fset)
	w.asked = func(p *types.Package) bool { return w.own[p] }
	if !mentioned(pass.TypesInfo) {
		w.base = shapes
		return &Program{world: w}, nil
	}
	w.build([]Package{{pass.Pkg, pass.Files, pass.TypesInfo, shapes}})
	return w.view(pass.Pkg), nil
}

// mentions are the names of the functions and methods that rules ask about. A package that uses none of
// them is not built.
var mentions = map[string]bool{
	"Copy": true, "CopyN": true, "CopyBuffer": true, "ReadFrom": true, "WriteTo": true,
	"ServeContent": true, "ServeFile": true, "ServeFileFS": true,
	"FS": true, "FileServer": true, "FileServerFS": true,
	"LimitReader": true, "LimitedReader": true, "NewSectionReader": true,
	"Accept": true, "AcceptTCP": true, "AcceptUnix": true, "Handler": true, "HandlerFunc": true, "ServeHTTP": true,
}

// homes are the packages that have them. Methods of all packages count.
var homes = map[string]bool{"io": true, "net/http": true, "os": true, "net": true, "bufio": true}

// mentioned reports whether the package uses one of the names, or has a method of such a name.
func mentioned(info *types.Info) bool {
	for _, obj := range info.Uses {
		if !mentions[obj.Name()] || obj.Pkg() == nil {
			continue
		}
		switch obj := obj.(type) {
		case *types.Func:
			if homes[obj.Pkg().Path()] || obj.Signature().Recv() != nil {
				return true
			}
		case *types.TypeName:
			if homes[obj.Pkg().Path()] {
				return true
			}
		}
	}
	return false
}

// exits are the functions of the standard library that do not return. Package ctrlflow would find others,
// but only with facts of all dependencies, which takes longer than all the rest; a value that can't get
// through such a call only makes a rule less sure.
var exits = map[string]bool{
	"os.Exit": true, "runtime.Goexit": true,
	"log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true,
	"log.Panic": true, "log.Panicf": true, "log.Panicln": true,
	"(*log.Logger).Fatal": true, "(*log.Logger).Fatalf": true, "(*log.Logger).Fatalln": true,
	"(*log.Logger).Panic": true, "(*log.Logger).Panicf": true, "(*log.Logger).Panicln": true,
}

// exitPackages are the packages of exits, so that few names have to be written.
var exitPackages = map[string]bool{"os": true, "runtime": true, "log": true}
