package method

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A guard is an expression that decides whether a statement is reached: the condition of an if, for or
// switch around it, or of one before it that may leave the function.

// Walk calls visit for each statement of a body that is executed as part of it, in source order, with the
// guards of that statement. It doesn't enter function literals; visit sees the whole statement for those
// without a body, and the parts of others one by one.
func Walk(body *ast.BlockStmt, visit func(s ast.Stmt, guards []ast.Node)) {
	w := walker{visit: visit}
	w.list(body.List, nil)
}

type walker struct {
	visit func(ast.Stmt, []ast.Node)
	left  []ast.Node // guards of the statements that leave
}

// list walks statements, and returns the guards that hold behind them.
func (w *walker) list(list []ast.Stmt, guards []ast.Node) []ast.Node {
	for _, s := range list {
		guards = w.stmt(s, guards)
	}
	return guards
}

func (w *walker) stmt(s ast.Stmt, guards []ast.Node) []ast.Node {
	inside := guards[:len(guards):len(guards)] // appending copies
	before := len(w.left)
	switch s := s.(type) {
	case *ast.BlockStmt:
		return w.list(s.List, guards)
	case *ast.LabeledStmt:
		return w.stmt(s.Stmt, guards)
	case *ast.IfStmt:
		w.init(s.Init, inside)
		inside = append(inside, s.Cond)
		w.list(s.Body.List, inside)
		if s.Else != nil {
			w.stmt(s.Else, inside)
		}
	case *ast.ForStmt:
		w.init(s.Init, inside)
		if s.Cond != nil {
			inside = append(inside, s.Cond)
		}
		w.list(s.Body.List, inside)
	case *ast.RangeStmt:
		w.list(s.Body.List, append(inside, s.X))
	case *ast.SwitchStmt:
		w.init(s.Init, inside)
		if s.Tag != nil {
			inside = append(inside, s.Tag)
		}
		w.clauses(s.Body, inside)
	case *ast.TypeSwitchStmt:
		w.init(s.Init, inside)
		w.clauses(s.Body, append(inside, s.Assign))
	case *ast.SelectStmt:
		w.clauses(s.Body, append(inside, s))
	default:
		w.visit(s, guards)
		if leaves(s) {
			w.left = append(w.left, leaveGuards(guards)...)
		}
		return guards
	}
	return append(guards[:len(guards):len(guards)], w.left[before:]...)
}

func (w *walker) init(s ast.Stmt, guards []ast.Node) {
	if s != nil {
		w.visit(s, guards)
	}
}

// leaveGuards returns what decides about leaving a list of statements: an error, if one of the guards
// asks for it, or all guards.
func leaveGuards(guards []ast.Node) []ast.Node {
	for _, g := range guards {
		if b, ok := g.(*ast.BinaryExpr); ok && b.Op == token.NEQ {
			x, isIdent := b.X.(*ast.Ident)
			y, isNil := b.Y.(*ast.Ident)
			if isIdent && isNil && x.Name == "err" && y.Name == "nil" {
				return []ast.Node{g}
			}
		}
	}
	return guards
}

// clauses walks the clauses of a switch. The expressions of all its cases are guards of each.
func (w *walker) clauses(body *ast.BlockStmt, guards []ast.Node) {
	for _, c := range body.List {
		if c, ok := c.(*ast.CaseClause); ok {
			for _, e := range c.List {
				guards = append(guards, e)
			}
		}
	}
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			w.list(c.Body, guards)
		case *ast.CommClause:
			w.list(c.Body, guards)
		}
	}
}

// leaves reports whether a statement without a body leaves the list that it is in.
func leaves(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		f, ok := call.Fun.(*ast.Ident)
		return ok && f.Name == "panic"
	}
	return false
}

// Variables returns the variables that an expression or statement mentions, fields not counted, and
// whether it calls anything but a conversion, len or cap.
func Variables(info *types.Info, n ast.Node) (vars []*types.Var, calls bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			calls = calls || !pure(info, n)
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		case *ast.SelectStmt:
			calls = true
		case *ast.Ident:
			if v, ok := info.ObjectOf(n).(*types.Var); ok && !v.IsField() {
				vars = append(vars, v)
			}
		}
		return true
	})
	return vars, calls
}

// pure reports whether a call is a conversion, or of len or cap.
func pure(info *types.Info, call *ast.CallExpr) bool {
	f := ast.Unparen(call.Fun)
	if info.Types[f].IsType() {
		return true
	}
	b, ok := f.(*ast.Ident)
	_, builtin := info.Uses[b].(*types.Builtin)
	return ok && builtin && (b.Name == "len" || b.Name == "cap")
}
