package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

// fault replaces the bytes from..to of a file.
type fault struct {
	path, in string // the file and its package
	line     int
	from, to int
	text     string
	what     string
}

// faults are possible faults by kind, so that the many operators do not push out the few statements.
type faults map[string][]fault

// take removes a random fault of a random kind.
func (fs faults) take(r *rand.Rand) fault {
	kinds := slices.Sorted(maps.Keys(fs))
	kind := kinds[r.IntN(len(kinds))]
	i := r.IntN(len(fs[kind]))
	f := fs[kind][i]
	if fs[kind] = slices.Delete(fs[kind], i, i+1); len(fs[kind]) == 0 {
		delete(fs, kind)
	}
	return f
}

// swapped are operators and what each becomes.
var swapped = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.AND: token.OR, token.OR: token.AND,
	token.SHL: token.SHR, token.SHR: token.SHL, token.MUL: token.ADD, token.QUO: token.MUL,
}

// add lists the faults that can be made in a file.
func (fs faults) add(path, in string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, 0)
	if err != nil {
		return err
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	put := func(kind string, from, to token.Pos, with, what string) {
		fs[kind] = append(fs[kind], fault{path, in, set.Position(from).Line, at(from), at(to), with, what})
	}
	source := func(n ast.Node) string { return string(text[at(n.Pos()):at(n.End())]) }
	removed := func(n ast.Stmt) {
		put("statement", n.Pos(), n.End(), "", "without "+firstLine(source(n)))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if to, ok := swapped[n.Op]; ok {
				end := n.OpPos + token.Pos(len(n.Op.String()))
				put("operator", n.OpPos, end, to.String(), fmt.Sprintf("%s becomes %s in %s", n.Op, to, firstLine(source(n))))
			}
		case *ast.IfStmt:
			put("condition", n.Cond.Pos(), n.Cond.End(), "!("+source(n.Cond)+")", "if not "+firstLine(source(n.Cond)))
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 32); n.Kind == token.INT && err == nil {
				put("number", n.Pos(), n.End(), strconv.FormatInt(v+1, 10), fmt.Sprintf("%d becomes %d", v, v+1))
			}
		case *ast.Ident:
			if n.Name == "true" || n.Name == "false" {
				put("truth", n.Pos(), n.End(), strconv.FormatBool(n.Name == "false"), n.Name+" becomes its opposite")
			}
		case *ast.ExprStmt:
			removed(n)
		case *ast.DeferStmt:
			removed(n)
		case *ast.IncDecStmt:
			removed(n)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				removed(n)
			}
		case *ast.ImportSpec:
			return false
		}
		return true
	})
	return nil
}

func firstLine(s string) string {
	for i, c := range s {
		if c == '\n' {
			return s[:i] + " …"
		}
	}
	return s
}
