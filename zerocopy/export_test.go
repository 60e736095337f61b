package zerocopy

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// Reasons returns the constants of reasons.go: their formats by name.
func Reasons() (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "reasons.go", nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			text, err := constant(spec.Values[0])
			if err != nil {
				return nil, err
			}
			all[spec.Names[0].Name] = text
		}
	}
	return all, nil
}

// constant evaluates a sum of strings.
func constant(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.BinaryExpr:
		x, err := constant(e.X)
		if err != nil {
			return "", err
		}
		y, err := constant(e.Y)
		return x + y, err
	}
	return "", errors.New("not a sum of strings")
}

// ReasonPattern returns what matches the texts of a reason.
func ReasonPattern(format string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(format)
	return regexp.MustCompile("^" + strings.NewReplacer("%T", ".+", "%v", ".+").Replace(quoted) + "$")
}
