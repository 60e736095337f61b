package shape

import (
	"go/ast"
	"go/types"
)

// choose marks the wrappers that are only one form of several: another struct type of the package holds
// them, or stands for them, and has ReadFrom. The package then takes that where the inner value has
// ReadFrom, as delegators do that are built from the interfaces that they find.
func (p *pkg) choose() {
	var losing []*types.TypeName
	for tn, w := range p.types {
		if w != nil && tn.Pkg() == p.pass.Pkg && w.Loses() && w.Roles&(ResponseWriter|Conn) != 0 {
			losing = append(losing, tn)
		}
	}
	if len(losing) == 0 {
		return
	}
	for _, s := range p.structs() {
		if f, _ := method(s, "ReadFrom", sigReadFrom); f == nil {
			continue
		}
		for _, tn := range losing {
			if stands(s, tn, 0) {
				p.types[tn].Chosen = true
			}
		}
	}
}

// structs returns the struct types of the package, with names and without.
func (p *pkg) structs() (list []types.Type) {
	named := map[ast.Expr]bool{}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				named[n.Type] = true
				if tn, ok := p.info.Defs[n.Name].(*types.TypeName); ok && !tn.IsAlias() {
					list = append(list, tn.Type())
				}
			case *ast.StructType:
				if t := p.info.TypeOf(n); t != nil && !named[n] {
					list = append(list, t)
				}
			}
			return true
		})
	}
	return list
}

// stands reports whether a value of type s may stand for one of tn: a field of it has that type, or s has
// no name, and a field of it is an interface that tn implements, as in struct{ http.ResponseWriter; io.ReaderFrom }.
func stands(s types.Type, tn *types.TypeName, depth int) bool {
	under, ok := Deref(s).Underlying().(*types.Struct)
	if !ok || depth > helpersMax {
		return false
	}
	_, anonymous := types.Unalias(s).(*types.Struct)
	for f := range under.Fields() {
		t := types.Unalias(Deref(f.Type()))
		if named, ok := t.(*types.Named); ok && named.Origin().Obj() == tn {
			return true
		}
		if f.Embedded() && stands(t, tn, depth+1) {
			return true
		}
		if i, ok := t.Underlying().(*types.Interface); ok && anonymous && RolesOf(t)&Writer != 0 &&
			types.Implements(types.NewPointer(tn.Type()), i) {
			return true
		}
	}
	return false
}
