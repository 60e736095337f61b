package flow

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

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
