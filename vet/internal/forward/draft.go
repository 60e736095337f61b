package forward

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// draft is a method in the making.
type draft struct {
	pair
	t      *declared
	from   *ast.FuncDecl
	data   types.Object // the bytes, in from
	number types.Object // how many were moved, in from; nil before the inner call
	body   strings.Builder
	late   []count // what must wait until the number is known
}

// count is a counter that the number of bytes is added to.
type count struct {
	to  string
	typ *types.Basic
}

// converted returns an int64 as a value of another type.
func converted(typ *types.Basic, name string) string {
	if typ.Kind() == types.Int64 {
		return name
	}
	return typ.Name() + "(" + name + ")"
}

// compose writes the body, and reports whether every statement could be taken over.
func (d *draft) compose() bool {
	recv, params := d.from.Recv.List[0], d.from.Type.Params.List
	if len(recv.Names) != 1 || recv.Names[0].Name == "_" || len(params) != 1 || len(params[0].Names) != 1 {
		return false
	}
	d.data = d.info().Defs[params[0].Names[0]]
	if d.data == nil || d.taken(d.param) || d.taken("io") {
		return false
	}
	list := d.from.Body.List
	for i, s := range list {
		if call := d.inner(s); call != nil {
			return d.copies(s, call) && d.after(list[i+1:])
		}
		if !d.before(s) {
			return false
		}
	}
	return false
}

func (d *draft) info() *types.Info { return d.t.pass.TypesInfo }

// results are those of the method: they have names if those of from do.
func (d *draft) results() string {
	var names []string
	for _, f := range d.from.Type.Results.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	if len(names) != 2 {
		return "(int64, error)"
	}
	return "(" + names[0] + " int64, " + names[1] + " error)"
}

// taken reports whether from uses a name for something other than a package or a field.
func (d *draft) taken(name string) (taken bool) {
	ast.Inspect(d.from, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			switch v := d.info().ObjectOf(id).(type) {
			case *types.PkgName:
			case *types.Var:
				taken = taken || !v.IsField()
			default:
				taken = true
			}
		}
		return true
	})
	return taken
}

// inner returns the call of the same method of the inner value with all of the bytes, if s is an
// assignment of its results, or returns them.
func (d *draft) inner(s ast.Stmt) *ast.CallExpr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 && len(s.Lhs) == 2 {
			e = s.Rhs[0]
		}
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			e = s.Results[0]
		}
	}
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	arg, isName := call.Args[0].(*ast.Ident)
	if !ok || !isName || sel.Sel.Name != d.pair.from || d.info().Uses[arg] != d.data {
		return nil
	}
	field, ok := sel.X.(*ast.SelectorExpr)
	if !ok || field.Sel.Name != d.t.wrapper.Field {
		return nil
	}
	return call
}

// copies writes the inner call as a copy.
func (d *draft) copies(s ast.Stmt, call *ast.CallExpr) bool {
	on := d.text(call.Fun.(*ast.SelectorExpr).X)
	text := strings.Replace(d.copy, "%s", on, 1)
	switch s := s.(type) {
	case *ast.ReturnStmt:
		if len(d.late) == 0 {
			d.line("return " + text)
			return true
		}
		d.line("n, err := " + text)
		d.count("n")
		d.line("return n, err")
		return !d.taken("n") && !d.taken("err")
	case *ast.AssignStmt:
		n, ok := s.Lhs[0].(*ast.Ident)
		if !ok || n.Name == "_" {
			return false
		}
		d.number = d.info().ObjectOf(n)
		d.line(d.text(s.Lhs[0]) + ", " + d.text(s.Lhs[1]) + " " + s.Tok.String() + " " + text)
		d.count(n.Name)
	}
	return true
}

// count adds the number of bytes to the counters that waited for it.
func (d *draft) count(number string) {
	for _, c := range d.late {
		d.line(c.to + " += " + converted(c.typ, number))
	}
}

// before takes over a statement that stands before the inner call: as it is, or, if it counts the bytes,
// for later.
func (d *draft) before(s ast.Stmt) bool {
	if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.ADD_ASSIGN && d.isLength(a.Rhs[0]) {
		typ, ok := types.Unalias(d.info().TypeOf(a.Lhs[0])).(*types.Basic)
		if ok {
			d.late = append(d.late, count{d.text(a.Lhs[0]), typ})
		}
		return ok
	}
	if d.mentions(s, d.data) || perCall(s) || !d.returnsNothing(s) {
		return false
	}
	d.line(d.text(s))
	return true
}

// isLength reports whether e is len(p), or a conversion of it.
func (d *draft) isLength(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	if d.info().Types[call.Fun].IsType() {
		return d.isLength(call.Args[0])
	}
	f, ok := call.Fun.(*ast.Ident)
	arg, isName := call.Args[0].(*ast.Ident)
	return ok && isName && f.Name == "len" && d.info().Uses[arg] == d.data
}

// mentions reports whether a node uses a variable.
func (d *draft) mentions(n ast.Node, v types.Object) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && v != nil && d.info().ObjectOf(id) == v {
			yes = true
		}
		return true
	})
	return yes
}

// perCall reports whether a statement is meant for each call: a deadline, a limit, a pause, a check whether
// a context has ended.
func perCall(s ast.Stmt) (yes bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = f.Sel.Name
		case *ast.Ident:
			name = f.Name
		}
		for _, word := range []string{"deadline", "timeout", "wait", "sleep", "limit", "throttle", "touch", "idle"} {
			yes = yes || strings.Contains(strings.ToLower(name), word)
		}
		yes = yes || name == "Err" || name == "Done" // of a context
		return true
	})
	return yes
}

// returnsNothing reports whether all returns in s say that no byte was moved, which is true of any number type.
func (d *draft) returnsNothing(s ast.Stmt) bool {
	ok := true
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 0 && d.results() != "(int64, error)" {
				return true
			}
			lit, isLit := (ast.Expr)(nil), false
			if len(n.Results) == 2 {
				lit = n.Results[0]
				_, isLit = lit.(*ast.BasicLit)
			}
			ok = ok && isLit
		}
		return true
	})
	return ok
}

func (d *draft) line(s string) { d.body.WriteString("\t" + s + "\n") }

// text returns the source of a node, without conversions of the number to what it is now.
func (d *draft) text(n ast.Node) string {
	s := source(d.t.pass.Fset, n)
	if d.number == nil {
		return s
	}
	return regexp.MustCompile(`\bint64\(`+d.number.Name()+`\)`).ReplaceAllString(s, d.number.Name())
}
