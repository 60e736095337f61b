package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
)

// The SSA form says where a value was made by a position inside of the expression: that of a call's
// parenthesis, of a literal's brace, of a variable's name. What is reported and mended is the expression.

// pathTo returns the nodes around a position, the innermost first.
func pathTo(pass *analysis.Pass, pos token.Pos) []ast.Node {
	file := finding.FileOf(pass, pos)
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, pos, pos)
	return path
}

// exprOf returns the expression that made v: a call, a literal with its &, or the name of a variable; nil if
// the source has none. The nodes around it follow, the innermost first.
func exprOf(pass *analysis.Pass, v ssa.Value) (ast.Expr, []ast.Node) {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	return exprAt(pass, v.Pos())
}

func exprAt(pass *analysis.Pass, pos token.Pos) (ast.Expr, []ast.Node) {
	path := pathTo(pass, pos)
	for i, n := range path {
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Lparen == pos {
				return n, path[i+1:]
			}
		case *ast.CompositeLit:
			if n.Lbrace != pos {
				continue
			}
			if and, ok := path[i+1].(*ast.UnaryExpr); ok && and.Op == token.AND {
				return and, path[i+2:]
			}
			return n, path[i+1:]
		case *ast.Ident:
			if n.NamePos == pos {
				return n, path[i+1:]
			}
		}
	}
	return nil, nil
}

// callOf returns the expression of a call.
func callOf(pass *analysis.Pass, call ssa.CallInstruction) *ast.CallExpr {
	e, _ := exprAt(pass, call.Common().Pos())
	expr, _ := e.(*ast.CallExpr)
	return expr
}

// isFunc reports whether a call is of the function of that name, "io.LimitReader".
func isFunc(pass *analysis.Pass, call *ast.CallExpr, name string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	return ok && f.FullName() == name
}

// qualifier returns the name by which e, a function or type of another package, calls that package.
func qualifier(e ast.Expr) string {
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

// hasMin reports whether the built-in min can be used at a position.
func hasMin(pass *analysis.Pass, pos token.Pos) bool {
	v := pass.TypesInfo.FileVersions[finding.FileOf(pass, pos)]
	if v != "" && version.Compare(v, "go1.21") < 0 {
		return false
	}
	scope := pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	_, obj := scope.LookupParent("min", pos)
	return obj != nil && obj.Parent() == types.Universe
}

// replace is the edit that puts text in the place of what lies between two positions.
func replace(from, to token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
}
