package flow

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Package is a package whose functions values are followed through.
type Package struct {
	Types  *types.Package
	Files  []*ast.File
	Info   *types.Info
	Shapes *shape.Shapes
}

// world is what values are followed through: one package, or all packages of a program.
type world struct {
	fset     *token.FileSet
	whole    bool
	asked    func(*types.Package) bool // of a whole program
	prog     *ssa.Program
	own      map[*types.Package]bool            // those whose functions have bodies
	written  map[*types.Package][]*ssa.Function // in the source
	packages map[string]*types.Package
	shapes   map[*types.Package]*shape.Shapes
	base     *shape.Shapes // for types of no package of the world
	index    *index
	mu       sync.Mutex // of what follows: the rules run at the same time
	memo     map[ssa.Value][]Value
	frames   map[frame]*frame
	active   map[*ssa.Call]bool // calls through interfaces that are being followed, against cycles
	chains   map[Value][]Link
	handlers map[handling]bool
	losses   []Loss
	traced   bool // the losses are known
}

func newWorld(fset *token.FileSet) *world {
	return &world{
		fset: fset, own: map[*types.Package]bool{}, packages: map[string]*types.Package{},
		written: map[*types.Package][]*ssa.Function{},
		shapes:  map[*types.Package]*shape.Shapes{}, memo: map[ssa.Value][]Value{}, frames: map[frame]*frame{},
		active: map[*ssa.Call]bool{}, chains: map[Value][]Link{}, handlers: map[handling]bool{},
	}
}

// worlds are the whole programs by their file sets, which Analyzer asks before it builds a package alone.
var worlds sync.Map

// Whole makes Analyzer follow values through all these packages together, wherever one of them is analysed
// with that file set, until the function that it returns is called. What is asked for can be mended, what is in the
// others can't.
func Whole(fset *token.FileSet, packages []Package, asked func(*types.Package) bool) (forget func()) {
	w := newWorld(fset)
	w.whole, w.asked = true, asked
	w.build(packages)
	worlds.Store(fset, w)
	return func() { worlds.Delete(fset) }
}

// build makes the SSA form of the packages. Of what else they import only the types are known.
func (w *world) build(packages []Package) {
	w.prog = ssa.NewProgram(w.fset, ssa.InstantiateGenerics)
	w.prog.SetNoReturn(func(f *types.Func) bool {
		return f.Pkg() != nil && exitPackages[f.Pkg().Path()] && exits[f.FullName()]
	})
	for _, p := range packages {
		w.own[p.Types], w.shapes[p.Types], w.base = true, p.Shapes, p.Shapes
	}
	for _, p := range packages {
		for _, imported := range p.Types.Imports() {
			w.imports(imported)
		}
	}
	for _, p := range packages {
		w.packages[p.Types.Path()] = p.Types
		w.prog.CreatePackage(p.Types, p.Files, p.Info, w.whole)
	}
	w.prog.Build()
	for _, p := range packages {
		w.written[p.Types] = w.functionsOf(p)
	}
	w.index = newIndex(w)
}

// imports makes a package known by its types.
func (w *world) imports(p *types.Package) {
	if w.packages[p.Path()] != nil || w.own[p] {
		return
	}
	w.packages[p.Path()] = p
	w.prog.CreatePackage(p, nil, nil, true)
	if w.whole {
		for _, imported := range p.Imports() {
			w.imports(imported)
		}
	}
}

// functionsOf returns the functions of a package that have bodies, with those in them and the one that
// initialises variables.
func (w *world) functionsOf(p Package) (all []*ssa.Function) {
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		if f == nil || len(f.Blocks) == 0 {
			return
		}
		all = append(all, f)
		for _, anon := range f.AnonFuncs {
			add(anon)
		}
	}
	add(w.prog.Package(p.Types).Func("init"))
	for _, file := range p.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if f, ok := p.Info.Defs[decl.Name].(*types.Func); ok {
					add(w.prog.FuncValue(f))
				}
			}
		}
	}
	return all
}

// view returns the part of the world that is one of its packages.
func (w *world) view(pkg *types.Package) *Program {
	p := &Program{world: w, Funcs: w.written[pkg], Named: map[string][]ssa.CallInstruction{}}
	for _, f := range p.Funcs {
		for call := range CallsIn(f) {
			if callee := calleeOf(call.Common()); callee != nil {
				name := shape.FullName(callee)
				p.Named[name] = append(p.Named[name], call)
			}
		}
	}
	for _, calls := range p.Named {
		slices.SortStableFunc(calls, byPlace)
	}
	p.Copies = copiesOf(p.Funcs)
	return p
}

func byPlace(a, b ssa.CallInstruction) int { return cmp.Compare(a.Pos(), b.Pos()) }

// functions returns all functions of the world that have bodies, those that the compiler makes included.
func (w *world) functions() []*ssa.Function {
	set := ssautil.AllFunctions(w.prog)
	for _, funcs := range w.written {
		for _, f := range funcs {
			set[f] = true
		}
	}
	var all []*ssa.Function
	for f := range set {
		if len(f.Blocks) > 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), strings.Compare(a.Name(), b.Name()))
	})
	return all
}

// closed reports whether all callers of the exported functions of a package are in the world.
func (w *world) closed(p *types.Package) bool {
	return p.Name() == "main" || w.whole && slices.Contains(strings.Split(p.Path(), "/"), "internal")
}

// shapesOf returns the shapes of the package that declares t.
func (w *world) shapesOf(t types.Type) *shape.Shapes {
	if named, ok := shape.Deref(t).(*types.Named); ok {
		if s := w.shapes[named.Obj().Pkg()]; s != nil {
			return s
		}
	}
	return w.base
}

// makes returns what is known of the results of a function.
func (w *world) makes(f *types.Func) []shape.Makes {
	if s := w.shapes[f.Pkg()]; s != nil {
		return s.Makes(f)
	}
	return w.base.Makes(f)
}
