package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// fixNested returns the fix of a nested limit, nil if it can't be mended without knowing more.
func fixNested(pass *analysis.Pass, expr ast.Expr, around []ast.Node) *analysis.SuggestedFix {
	if !hasMin(pass, expr.Pos()) {
		return nil
	}
	if fix := mergeLimits(pass, expr, around); fix != nil {
		return fix
	}
	return sliceLimit(pass, expr, around)
}

// mergeLimits makes one limit of two: io.LimitReader(io.LimitReader(r, m), n) becomes
// io.LimitReader(r, min(m, n)). So does io.CopyN if its results are not used: its error would differ.
func mergeLimits(pass *analysis.Pass, expr ast.Expr, around []ast.Node) *analysis.SuggestedFix {
	outer, ok := expr.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if isFunc(pass, outer, "io.CopyN") {
		if _, alone := around[0].(*ast.ExprStmt); !alone {
			return nil
		}
	}
	args := outer.Args[len(outer.Args)-2:] // the reader and how much of it
	inner, ok := args[0].(*ast.CallExpr)
	if !ok || !isFunc(pass, inner, "io.LimitReader") {
		return nil
	}
	r, m, n := inner.Args[0], inner.Args[1], args[1]
	return &analysis.SuggestedFix{
		Message: "Make one limit of both",
		TextEdits: []analysis.TextEdit{
			replace(inner.Pos(), r.Pos(), ""),
			replace(r.End(), m.Pos(), ", min("),
			replace(m.End(), n.Pos(), ", "),
			replace(n.End(), n.End(), ")"),
		},
	}
}

// sliceLimit makes a method that limits its reader limit what is inside of the limit it gets:
//
//	n, err := rf.ReadFrom(io.LimitReader(r, slice))
//
// becomes
//
//	limited, ok := r.(*io.LimitedReader)
//	if !ok {
//		limited = &io.LimitedReader{R: r, N: 1<<63 - 1}
//	}
//	…
//	n, err := rf.ReadFrom(&io.LimitedReader{R: limited.R, N: min(slice, limited.N)})
//	limited.N -= n
func sliceLimit(pass *analysis.Pass, expr ast.Expr, around []ast.Node) *analysis.SuggestedFix {
	pkg, r, n := limitExpr(pass, expr)
	if r == nil || len(around) < 3 {
		return nil
	}
	call, ok := around[0].(*ast.CallExpr)
	if !ok || !isCopyOf(pass, call, expr) {
		return nil
	}
	assign, ok := around[1].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 {
		return nil
	}
	copied, ok := assign.Lhs[0].(*ast.Ident)
	block, inBlock := around[2].(*ast.BlockStmt)
	if !ok || copied.Name == "_" || !inBlock {
		return nil
	}
	fn, first := enclosing(around)
	if fn == nil || !isParam(pass, fn, r) || assigned(pass, fn, pass.TypesInfo.Uses[r]) {
		return nil
	}
	after := nextLine(pass, block, assign)
	if !after.IsValid() {
		return nil
	}
	limited, isLimited := fresh(fn, "limited", "inner", "rest"), fresh(fn, "ok", "isLimited", "wasLimited")
	if limited == "" || isLimited == "" {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Limit what is inside of the limit",
		TextEdits: []analysis.TextEdit{
			replace(first.Pos(), first.Pos(), limited+", "+isLimited+" := "+r.Name+".(*"+pkg+".LimitedReader)\n"+
				"if !"+isLimited+" {\n"+limited+" = &"+pkg+".LimitedReader{R: "+r.Name+", N: 1<<63 - 1}\n}\n"),
			replace(expr.Pos(), n.Pos(), "&"+pkg+".LimitedReader{R: "+limited+".R, N: min("),
			replace(n.End(), expr.End(), ", "+limited+".N)}"),
			replace(after, after, limited+".N -= "+copied.Name+"\n"),
		},
	}
}

// limitExpr returns the parts of io.LimitReader(r, n) or &io.LimitedReader{R: r, N: n} where r is a name:
// the name of package io, r and n.
func limitExpr(pass *analysis.Pass, expr ast.Expr) (pkg string, r *ast.Ident, n ast.Expr) {
	switch e := expr.(type) {
	case *ast.CallExpr:
		if isFunc(pass, e, "io.LimitReader") {
			r, _ = e.Args[0].(*ast.Ident)
			return qualifier(e.Fun), r, e.Args[1]
		}
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.CompositeLit)
		if !ok || len(lit.Elts) != 2 {
			return "", nil, nil
		}
		first, ok1 := lit.Elts[0].(*ast.KeyValueExpr)
		second, ok2 := lit.Elts[1].(*ast.KeyValueExpr)
		if pkg := qualifier(lit.Type); pkg != "" && ok1 && ok2 && first.Key.(*ast.Ident).Name == "R" {
			r, _ = first.Value.(*ast.Ident)
			return pkg, r, second.Value
		}
	}
	return "", nil, nil
}

// isCopyOf reports whether a call copies all of the reader src: a ReadFrom, or an io.Copy.
func isCopyOf(pass *analysis.Pass, call *ast.CallExpr, src ast.Expr) bool {
	if isFunc(pass, call, "io.Copy") {
		return call.Args[1] == src
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "ReadFrom" && len(call.Args) == 1 && call.Args[0] == src
}

// enclosing returns the function around nodes, and the statement of its body that they are in.
func enclosing(around []ast.Node) (*ast.FuncDecl, ast.Stmt) {
	for i, n := range around {
		switch n := n.(type) {
		case *ast.FuncLit:
			return nil, nil
		case *ast.FuncDecl:
			return n, around[i-2].(ast.Stmt)
		}
	}
	return nil, nil
}

// isParam reports whether a name is that of a parameter of fn.
func isParam(pass *analysis.Pass, fn *ast.FuncDecl, name *ast.Ident) bool {
	for _, field := range fn.Type.Params.List {
		for _, param := range field.Names {
			if pass.TypesInfo.Defs[param] == pass.TypesInfo.Uses[name] {
				return true
			}
		}
	}
	return false
}

// assigned reports whether fn assigns to v, or takes its address.
func assigned(pass *analysis.Pass, fn *ast.FuncDecl, v types.Object) bool {
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && pass.TypesInfo.Uses[id] == v
	}
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				found = found || is(l)
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		}
		return !found
	})
	return found
}

// nextLine returns the beginning of the line behind a statement, token.NoPos if more stands on its line.
func nextLine(pass *analysis.Pass, block *ast.BlockStmt, stmt ast.Stmt) token.Pos {
	file := pass.Fset.File(stmt.Pos())
	line := file.Line(stmt.End())
	next := block.Rbrace
	for i, s := range block.List {
		if s == stmt && i+1 < len(block.List) {
			next = block.List[i+1].Pos()
		}
	}
	if file.Line(next) == line {
		return token.NoPos
	}
	return file.LineStart(line + 1)
}

// fresh returns the first of the names that nothing in fn is called, "" if there is none.
func fresh(fn *ast.FuncDecl, names ...string) string {
	used := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, name := range names {
		if !used[name] {
			return name
		}
	}
	return ""
}
