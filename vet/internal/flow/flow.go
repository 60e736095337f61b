// Package flow follows values through the SSA form of a package: which values may arrive at the arguments
// of a copy. It follows variables, fields, parameters of functions that the package calls itself, results
// and closures; across packages it knows what package shape found out, and what the standard library does.
//
// It does not follow elements of maps, slices and channels. What the tests of a package pass to its
// functions is not counted: it is no evidence of what a program does.
package flow

import (
	"go/ast"
	"go/types"
	"reflect"
	"sync"

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

	pkg    *types.Package
	prog   *ssa.Program
	shapes *shape.Shapes
	index  *index
	mu     sync.Mutex // of what follows: the rules run at the same time
	memo   map[ssa.Value][]Value
	frames map[frame]*frame
	active map[*ssa.Call]bool // calls through interfaces that are being followed, against cycles
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
func (p *Program) Values(v ssa.Value) []Value {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.values(v)
}

func (p *Program) values(v ssa.Value) []Value {
	if found, ok := p.memo[v]; ok {
		return found
	}
	found := p.newTrace().follow(v, nil)
	p.memo[v] = found
	return found
}

// Wrapper returns what package shape knows of v's type, or of the function that made v.
func (p *Program) Wrapper(v Value) *shape.Wrapper {
	if w := p.shapes.Wrapper(v.Type); w != nil {
		return w
	}
	call, result := callOf(v.At)
	if call == nil || calleeOf(call.Common()) == nil {
		return nil
	}
	for _, m := range p.shapes.Makes(calleeOf(call.Common())) {
		if m.Result == result && m.Wrapper != nil {
			return m.Wrapper
		}
	}
	return nil
}

// Calls returns the package's calls of the function or method with that full name, in source order: of
// "(io.ReaderFrom).ReadFrom" those by the interface, of "(*os.File).Read" those that are static.
func (p *Program) Calls(name string) []ssa.CallInstruction {
	if p.index == nil {
		return nil
	}
	return p.index.named[name]
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
	p := &Program{
		pkg:    pass.Pkg,
		shapes: pass.ResultOf[shape.Analyzer].(*shape.Shapes),
		memo:   map[ssa.Value][]Value{},
		frames: map[frame]*frame{},
		active: map[*ssa.Call]bool{},
	}
	if !mentioned(pass) {
		return p, nil
	}
	p.build(pass)
	p.index = newIndex(p)
	p.Copies = copiesOf(p)
	return p, nil
}

// mentions are the names of the functions and methods that rules ask about. A package that uses none of
// them is not built.
var mentions = map[string]bool{
	"Copy": true, "CopyN": true, "CopyBuffer": true, "ReadFrom": true, "WriteTo": true,
	"ServeContent": true, "ServeFile": true, "ServeFileFS": true,
	"FS": true, "FileServer": true, "FileServerFS": true,
	"LimitReader": true, "LimitedReader": true, "NewSectionReader": true,
}

// homes are the packages that have them. Methods of all packages count.
var homes = map[string]bool{"io": true, "net/http": true, "os": true, "net": true, "bufio": true}

// mentioned reports whether the package uses one of the names, or has a method of such a name.
func mentioned(pass *analysis.Pass) bool {
	for _, obj := range pass.TypesInfo.Uses {
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

// build makes the SSA form of the package. Of its imports only the types are known.
func (p *Program) build(pass *analysis.Pass) {
	p.prog = ssa.NewProgram(pass.Fset, 0)
	p.prog.SetNoReturn(func(f *types.Func) bool {
		return f.Pkg() != nil && exitPackages[f.Pkg().Path()] && exits[f.FullName()]
	})
	for _, imported := range pass.Pkg.Imports() {
		p.prog.CreatePackage(imported, nil, nil, true)
	}
	pkg := p.prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()

	p.add(pkg.Func("init"))
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if f, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					p.add(p.prog.FuncValue(f))
				}
			}
		}
	}
}

// add adds f and the functions in it.
func (p *Program) add(f *ssa.Function) {
	if f == nil || len(f.Blocks) == 0 {
		return
	}
	p.Funcs = append(p.Funcs, f)
	for _, anon := range f.AnonFuncs {
		p.add(anon)
	}
}
