package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/method"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// transfers returns the statements n, err := … of a method that move bytes through the inner method of
// something at its receiver.
func (c counting) transfers(m *method.Method, inner string) (found []transfer) {
	method.Walk(m.Decl.Body, func(s ast.Stmt, guards []ast.Node) {
		assign, ok := s.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
			return
		}
		call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
		id, isIdent := assign.Lhs[0].(*ast.Ident)
		if !ok || !isIdent {
			return
		}
		t := transfer{at: s, call: call, guards: guards}
		t.n, _ = c.info.ObjectOf(id).(*types.Var)
		if t.n != nil && c.through(m, inner, &t) {
			found = append(found, t)
		}
	})
	return found
}

// through sets what a transfer goes through, and reports whether that is certain.
func (c counting) through(m *method.Method, inner string, t *transfer) (ok bool) {
	args := t.call.Args
	var end ast.Expr
	switch shape.FullName(calleeOf(c.info, t.call)) {
	case "io.Copy", "io.CopyBuffer", "io.CopyN":
		if len(args) < 2 {
			return false
		}
		if end = args[0]; inner == "Read" {
			end = args[1]
		}
	case "io.WriteString": // calls WriteString if there is one
		if end = args[0]; inner == "Read" || method.Lookup(c.info.TypeOf(end), c.pass.Pkg, "WriteString") != nil {
			return false
		}
	default:
		sel, isSel := t.call.Fun.(*ast.SelectorExpr)
		if !isSel || sel.Sel.Name != inner {
			return false
		}
		t.counted = c.methods.Decl(calleeOf(c.info, t.call))
		t.holder, ok = method.Holder(c.info, sel)
		return ok && t.counted != nil && t.holder.Root == m.Recv
	}
	return c.inside(m, inner, end, t)
}

// inside finds the value that a copy calls the inner method of. What hides that value's other methods is
// looked through: struct{ io.Writer }{w}.
func (c counting) inside(m *method.Method, inner string, end ast.Expr, t *transfer) (ok bool) {
	end = ast.Unparen(end)
	if p, isPath := method.PathOf(c.info, end); isPath && len(p.Fields) == 0 && p.Root != m.Recv {
		if end = initOf(c.info, m.Decl.Body, p.Root); end == nil {
			return false
		}
	}
	if lit, isLit := unaddress(end).(*ast.CompositeLit); isLit {
		if c.copiesItself(c.info.TypeOf(lit), inner) || !promotes(c.info.TypeOf(lit), inner) || len(lit.Elts) != 1 {
			return false
		}
		value := lit.Elts[0]
		if kv, isKV := value.(*ast.KeyValueExpr); isKV {
			value = kv.Value
		}
		end = value
	} else if c.copiesItself(c.info.TypeOf(end), inner) {
		return false
	}
	if t.holder, ok = method.PathOf(c.info, end); !ok || t.holder.Root != m.Recv {
		return false
	}
	return c.declared(inner, end, t)
}

// declared finds the inner method of a value at the receiver, and the embedded field that it belongs to.
func (c counting) declared(inner string, e ast.Expr, t *transfer) bool {
	typ := c.info.TypeOf(e)
	obj, index, _ := types.LookupFieldOrMethod(typ, true, c.pass.Pkg, inner)
	f, ok := obj.(*types.Func)
	if !ok || types.IsInterface(typ) {
		return false
	}
	t.counted = c.methods.Decl(f)
	t.holder, ok = t.holder.Follow(typ, index[:len(index)-1])
	return ok && t.counted != nil
}

// copiesItself reports whether io.Copy calls another method than inner of a value of type t: ReadFrom
// instead of Write, WriteTo instead of Read.
func (c counting) copiesItself(t types.Type, inner string) bool {
	f := method.Lookup(t, c.pass.Pkg, map[string]string{"Write": "ReadFrom", "Read": "WriteTo"}[inner])
	return f != nil && method.Copies(f)
}

// promotes reports whether t is a struct whose only field is an embedded interface with the method.
func promotes(t types.Type, name string) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || s.NumFields() != 1 || !s.Field(0).Embedded() || !types.IsInterface(s.Field(0).Type()) {
		return false
	}
	f := method.Lookup(t, nil, name)
	return f != nil && types.IsInterface(f.Signature().Recv().Type())
}

func unaddress(e ast.Expr) ast.Expr {
	if u, ok := e.(*ast.UnaryExpr); ok {
		return ast.Unparen(u.X)
	}
	return e
}

// adds reports whether an addition adds the number of bytes of a transfer, whenever it was made.
func (c counting) adds(m *method.Method, a addition, t transfer) bool {
	id, ok := unconvert(c.info, a.added).(*ast.Ident)
	if !ok || c.info.Uses[id] != t.n || a.at.Pos() < t.at.End() {
		return false
	}
	// What decides about the addition, but not about the transfer, must be the number and the error.
	for _, g := range a.guards {
		if !slices.Contains(t.guards, g) && !onlyLocals(c.info, []ast.Node{g}, a.counter.Root) {
			return false
		}
	}
	return !c.written(m, t.at.End(), a.at.Pos(), func(e ast.Expr) bool { return defines(c.info, e, t.n) })
}

// corrected reports whether a method does anything to a counter but adding numbers of bytes.
func (c counting) corrected(m *method.Method, counter method.Path) bool {
	return c.written(m, m.Decl.Body.Pos(), m.Decl.Body.End(), func(e ast.Expr) bool {
		p, ok := method.PathOf(c.info, e)
		return ok && p.Equal(counter)
	})
}

// written reports whether something is written to between two places of a method, other than by adding a
// variable to it. A method other than Load writes; code that has its address may write.
func (c counting) written(m *method.Method, from, to token.Pos, is func(ast.Expr) bool) (found bool) {
	ast.Inspect(m.Decl.Body, func(n ast.Node) bool {
		if n == nil || n.End() <= from || n.Pos() >= to {
			return false
		}
		if s, ok := n.(ast.Stmt); ok {
			if a, ok := c.addition(s); ok {
				_, isVar := unconvert(c.info, a.added).(*ast.Ident)
				return !isVar
			}
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, is)
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.SelectorExpr:
			s := c.info.Selections[n]
			found = found || s != nil && s.Kind() == types.MethodVal && is(n.X) && n.Sel.Name != "Load"
		}
		return true
	})
	return found
}

// remove returns the fix that removes an addition, if the code compiles without it.
func (c counting) remove(m *method.Method, a addition, n *types.Var) []analysis.SuggestedFix {
	used := slices.Contains(resultsOf(m), n)
	ast.Inspect(m.Decl.Body, func(node ast.Node) bool {
		if node == a.at {
			return false
		}
		id, ok := node.(*ast.Ident)
		used = used || ok && c.info.Uses[id] == n
		return true
	})
	if _, isAssign := a.at.(*ast.AssignStmt); !used || !isAssign {
		return nil
	}
	edit := analysis.TextEdit{Pos: a.at.Pos(), End: a.at.End()}
	return []analysis.SuggestedFix{{Message: "Remove the second count", TextEdits: []analysis.TextEdit{edit}}}
}

func resultsOf(m *method.Method) (vars []*types.Var) {
	for v := range m.Func.Signature().Results().Variables() {
		vars = append(vars, v)
	}
	return vars
}
