package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/header"
)

// MissingLength reports files that are sent by net/http without their length: the response is chunked, and
// each chunk is copied.
var MissingLength = finding.New(finding.Spec{
	Name:     "missinglength",
	Severity: finding.Warning,
	Short:    "a file is sent without Content-Length, so the response is chunked",
	Doc: "Package net/http sends a file by sendfile if the response has a Content-Length, and else copies it in\n" +
		"chunks. io.Copy to an http.ResponseWriter sets none. http.ServeContent does, but not where\n" +
		"Content-Encoding is set: it can't know whether the writer compresses. Set the length to the\n" +
		"size of the file, or use http.ServeContent.",
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      runMissingLength,
})

func runMissingLength(pass *analysis.Pass) error {
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	headers := header.New(p.Funcs)
	for _, c := range p.Copies {
		if !sendsOnly(p, c.Dst) || !allFiles(p, c) {
			continue
		}
		paths := headers.Paths(c.Call, c.Dst)
		if c.Func == "net/http.ServeContent" {
			if slices.ContainsFunc(paths, encodedWithoutLength) {
				reportLength(pass, c, "http.ServeContent sets no Content-Length where Content-Encoding is set: the response "+
					"is chunked, and sendfile is lost: set it to the size of the file if the request has no If-Match and "+
					"no If-Unmodified-Since")
			}
			continue
		}
		if header.Repeated(c.Call) || onlyHead(c.Call) || slices.ContainsFunc(paths, mayHaveLength) {
			continue
		}
		what := "ReadFrom of a file by"
		if callee := c.Call.Common().StaticCallee(); callee != nil && callee.Signature.Recv() == nil {
			what = "io." + callee.Name() + " of a file to"
		}
		reportLength(pass, c, what+" a ResponseWriter without Content-Length is chunked, and sendfile is lost: "+
			"set Content-Length, or use http.ServeContent")
	}
	return nil
}

func encodedWithoutLength(s header.State) bool {
	return s.Encoded && !s.Length && !s.Framed && !s.Unknown
}

func mayHaveLength(s header.State) bool {
	return s.Length || s.Framed || s.Unknown || !s.Handler
}

// sendsOnly reports whether nothing but the response of net/http arrives at dst.
func sendsOnly(p *flow.Program, dst ssa.Value) bool {
	return !slices.ContainsFunc(p.Values(dst), func(v flow.Value) bool {
		return p.KindOf(v) != flow.Response && v.TypeName() != "net/http.ResponseWriter"
	})
}

// allFiles reports whether a copy is of nothing but regular files.
func allFiles(p *flow.Program, c flow.Copy) bool {
	values := sources(p, forwarded(p, c, p.Values(c.Src)))
	return len(values) > 0 && !slices.ContainsFunc(values, func(v flow.Value) bool { return p.KindOf(v) != flow.File })
}

// onlyHead reports whether a call is made only for requests with method HEAD, whose responses have no body.
func onlyHead(call ssa.CallInstruction) bool {
	for b := call.Block(); b.Idom() != nil; b = b.Idom() {
		above := b.Idom()
		branch, ok := above.Instrs[len(above.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := branch.Cond.(*ssa.BinOp)
		if ok && cond.Op == token.EQL && above.Succs[0] == b && len(b.Preds) == 1 && (isHead(cond.X) || isHead(cond.Y)) {
			return true
		}
	}
	return false
}

func isHead(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.String && constant.StringVal(c.Value) == "HEAD"
}

func reportLength(pass *analysis.Pass, c flow.Copy, message string) {
	call := callOf(pass, c.Call)
	if call == nil {
		return
	}
	d := analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Message: message}
	if fix := fixLength(pass, c); fix != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{*fix}
	}
	pass.Report(d)
}

// fixLength sets Content-Length before a call that copies a file, if the result of the file's Stat is at
// hand, and nothing was done with the file that moves its offset or changes its size. It returns nil if
// that can't be told.
func fixLength(pass *analysis.Pass, c flow.Copy) *analysis.SuggestedFix {
	call, around := exprAt(pass, c.Call.Common().Pos())
	if call == nil || c.Func != "io.Copy" && c.Func != "net/http.ServeContent" {
		return nil
	}
	args := call.(*ast.CallExpr).Args
	w, ok := ast.Unparen(args[0]).(*ast.Ident)
	stmt, fn := statement(around)
	info := statOf(pass, c, fn)
	if !ok || stmt == nil || info == nil {
		return nil
	}
	size, edits := decimal(pass, call.Pos(), info.Name()+".Size()")
	if size == "" || !visible(pass, info, stmt.Pos()) {
		return nil
	}
	set := w.Name + ".Header().Set(\"Content-Length\", " + size + ")\n"
	if c.Func == "net/http.ServeContent" {
		r, ok := ast.Unparen(args[1]).(*ast.Ident)
		if !ok {
			return nil
		}
		// Its 412 has no body, and keeps a length that was set before: the client would wait for one.
		get := r.Name + ".Header.Get"
		set = "if " + get + "(\"If-Match\") == \"\" && " + get + "(\"If-Unmodified-Since\") == \"\" {\n" + set + "}\n"
	}
	return &analysis.SuggestedFix{
		Message:   "Set Content-Length to the size of the file",
		TextEdits: append(edits, replace(stmt.Pos(), stmt.Pos(), set)),
	}
}

// statement returns the statement of a block that nodes are in, and the body of the function around it.
func statement(around []ast.Node) (stmt ast.Stmt, body *ast.BlockStmt) {
	for i, n := range around {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if stmt == nil && i > 0 {
				stmt, _ = around[i-1].(ast.Stmt)
			}
		case *ast.FuncLit:
			return stmt, n.Body
		case *ast.FuncDecl:
			return stmt, n.Body
		case *ast.CaseClause, *ast.CommClause:
			if stmt == nil {
				return nil, nil
			}
		}
	}
	return nil, nil
}

// statOf returns the variable that a body sets to the file's os.FileInfo; nil if there is none, it is set
// twice, or the file was used for more than to ask about it and to close it.
func statOf(pass *analysis.Pass, c flow.Copy, body *ast.BlockStmt) types.Object {
	file := fileValue(c.Src)
	if file == nil || body == nil {
		return nil
	}
	var stat *ssa.Call
	for _, user := range *file.Referrers() {
		switch user := user.(type) {
		case *ssa.Call:
			callee := user.Call.StaticCallee()
			if user == c.Call {
				continue
			}
			if callee == nil || !asks[callee.String()] || user.Call.Args[0] != file {
				return nil
			}
			if callee.Name() == "Stat" && user.Block().Dominates(c.Call.Block()) {
				stat = user
			}
		case *ssa.MakeInterface:
			if !onlyFor(user, c.Call) {
				return nil
			}
		case *ssa.Defer, *ssa.DebugRef:
		default:
			return nil
		}
	}
	if stat == nil {
		return nil
	}
	return assignedFrom(pass, body, stat.Pos())
}

// asks are the methods of a file that change neither its size nor where it is read.
var asks = map[string]bool{
	"(*os.File).Stat": true, "(*os.File).Name": true, "(*os.File).Close": true, "(*os.File).Fd": true,
}

// fileValue returns the *os.File that was converted to the interface v.
func fileValue(v ssa.Value) ssa.Value {
	if c, ok := v.(*ssa.MakeInterface); ok {
		if _, ok := c.X.(*ssa.Extract); ok {
			return c.X
		}
	}
	return nil
}

// onlyFor reports whether a conversion to an interface is used by one call alone.
func onlyFor(v *ssa.MakeInterface, call ssa.CallInstruction) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool { return i != call })
}

// assignedFrom returns the variable that is set to the first result of the call at a position, and to
// nothing else.
func assignedFrom(pass *analysis.Pass, body *ast.BlockStmt, pos token.Pos) types.Object {
	var found types.Object
	sets := map[types.Object]int{}
	ast.Inspect(body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, l := range assign.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok {
				continue
			}
			obj := pass.TypesInfo.ObjectOf(id)
			sets[obj]++
			if call, ok := assign.Rhs[0].(*ast.CallExpr); ok && i == 0 && call.Lparen == pos && id.Name != "_" {
				found = obj
			}
		}
		return true
	})
	if found == nil || sets[found] > 1 {
		return nil
	}
	return found
}

// visible reports whether the name of v means v at a position.
func visible(pass *analysis.Pass, v types.Object, pos token.Pos) bool {
	scope := pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	_, obj := scope.LookupParent(v.Name(), pos)
	return obj == v
}

// decimal returns the text of an int64 as a decimal, and the edit that imports what it needs; "" if the
// name of that package means something else.
func decimal(pass *analysis.Pass, pos token.Pos, value string) (string, []analysis.TextEdit) {
	file := finding.FileOf(pass, pos)
	scope := pass.Pkg.Scope().Innermost(pos)
	if file == nil || scope == nil {
		return "", nil
	}
	_, obj := scope.LookupParent("strconv", pos)
	text := "strconv.FormatInt(" + value + ", 10)"
	if name, ok := obj.(*types.PkgName); ok && name.Imported().Path() == "strconv" {
		return text, nil
	}
	if obj != nil {
		return "", nil
	}
	for _, decl := range file.Decls {
		if imports, ok := decl.(*ast.GenDecl); ok && imports.Tok == token.IMPORT && imports.Lparen.IsValid() {
			last := imports.Specs[len(imports.Specs)-1]
			for _, s := range imports.Specs { // behind the last of the standard library's that comes before it
				if s := s.(*ast.ImportSpec); s.Name == nil && s.Path.Value < `"strconv"` && !isModule(s.Path.Value) {
					last = s
				}
			}
			return text, []analysis.TextEdit{replace(last.End(), last.End(), "\n\"strconv\"")}
		}
	}
	return "", nil
}

// isModule reports whether an import path begins with a domain.
func isModule(path string) bool {
	for _, r := range path {
		switch r {
		case '.':
			return true
		case '/':
			return false
		}
	}
	return false
}
