package forward

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// after takes over the statements behind the inner call. The number of bytes was an int there, and is an
// int64 now: it may be converted, compared with a constant, returned, or added to a counter.
func (d *draft) after(list []ast.Stmt) bool {
	for _, s := range list {
		if d.mentions(s, d.data) || perCall(s) {
			return false
		}
		if a, ok := s.(*ast.AssignStmt); ok && d.adds(a) {
			typ, ok := types.Unalias(d.info().TypeOf(a.Lhs[0])).(*types.Basic)
			if !ok {
				return false
			}
			d.line(d.text(a.Lhs[0]) + " += " + converted(typ, d.number.Name()))
			continue
		}
		if !d.usesWell(s) {
			return false
		}
		d.line(d.text(s))
	}
	return true
}

// adds reports whether a adds the number itself to something.
func (d *draft) adds(a *ast.AssignStmt) bool {
	id, ok := a.Rhs[0].(*ast.Ident)
	return ok && a.Tok == token.ADD_ASSIGN && d.isNumber(id)
}

func (d *draft) isNumber(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && d.number != nil && d.info().ObjectOf(id) == d.number
}

// usesWell reports whether s uses the number only in ways that an int64 allows too.
func (d *draft) usesWell(s ast.Stmt) bool {
	good := map[ast.Expr]bool{}
	fine := true
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if d.info().Types[n.Fun].IsType() && len(n.Args) == 1 {
				good[n.Args[0]] = true
			} else if d.given(n) && !adder(n) {
				fine = false
			}
		case *ast.BinaryExpr:
			good[n.X] = good[n.X] || d.info().Types[n.Y].Value != nil && isComparison(n.Op)
		case *ast.ReturnStmt:
			if len(n.Results) == 2 {
				good[n.Results[0]] = d.isNumber(n.Results[0])
				if lit, ok := n.Results[0].(*ast.BasicLit); !ok && !good[n.Results[0]] || ok && lit.Kind != token.INT {
					fine = false
				}
			} else if len(n.Results) == 1 {
				fine = false
			}
		case *ast.FuncLit:
			fine = fine && !d.mentions(n, d.number)
			return false
		case *ast.Ident:
			fine = fine && (!d.isNumber(n) || good[n])
		}
		return true
	})
	return fine
}

// given reports whether a call gets the number.
func (d *draft) given(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return d.mentions(e, d.number) })
}

// adder reports whether a call adds to a counter, by its name: Add, AddInt64.
func adder(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && strings.HasPrefix(sel.Sel.Name, "Add")
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
		return true
	}
	return false
}
