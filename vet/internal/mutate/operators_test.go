package mutate

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// operators are the ways to lose the path.
var operators = []operator{
	nestLimit, limitInReadFrom, hideBySection, hideByStruct, replaceDir, dropLength, addEncoding,
	dropMethods, wrapResponse, wrapConn, wrapReader,
	override, countTwice, giveBuffer, copyToStdout,
}

// kernel reports whether a text is the type of a file or connection that the kernel can send or receive.
func kernel(t string) bool {
	return t == "*os.File" || t == "*net.TCPConn" || t == "*net.UnixConn" || t == "net.Conn"
}

// target reports whether a text is the type of a connection or response.
func target(t string) bool {
	return t == "*net.TCPConn" || t == "net.Conn" || t == "net/http.ResponseWriter"
}

// copies returns the destination and the source of each io.Copy, io.CopyN and http.ServeContent in which both
// are what they seem: not hidden in a wrapper.
func (s *seed) copies(visit func(c *ast.CallExpr, dst, src ast.Expr)) {
	for _, name := range []string{"io.Copy", "io.CopyN", "net/http.ServeContent"} {
		for _, c := range s.calls(name) {
			dst, src := c.Args[0], c.Args[1]
			if name == "net/http.ServeContent" {
				src = c.Args[4]
			}
			visit(c, dst, src)
		}
	}
}

// nestLimit puts a second limit around what is limited already.
func nestLimit(s *seed) (all []change) {
	const rule = "nestedlimit"
	for _, c := range s.calls("io.CopyN") {
		if kernel(s.typeOf(c.Args[1])) && target(s.typeOf(c.Args[0])) {
			limited := fmt.Sprintf("io.LimitReader(%s, 1<<40)", s.text(c.Args[1]))
			all = append(all, change{"CopyN of a LimitReader", rule, []edit{s.replace(c.Args[1], limited)}, ""})
		}
	}
	for _, c := range s.calls("io.LimitReader") {
		if kernel(s.typeOf(c.Args[0])) {
			limited := fmt.Sprintf("io.LimitReader(%s, 1<<40)", s.text(c.Args[0]))
			all = append(all, change{"LimitReader of a LimitReader", rule, []edit{s.replace(c.Args[0], limited)}, ""})
			variable := fmt.Sprintf("&io.LimitedReader{R: %s, N: 1<<40}", s.text(c.Args[0]))
			all = append(all, change{"LimitReader of an io.LimitedReader", rule, []edit{s.replace(c.Args[0], variable)}, ""})
		}
	}
	return all
}

// limitInReadFrom lets a response's ReadFrom limit what ServeContent has limited. A copy to a buffer, or to a
// literal that hides ReadFrom, has no path to lose.
func limitInReadFrom(s *seed) (all []change) {
	for _, f := range s.methods("ReadFrom") {
		t, _ := s.receiver(f)
		param := f.Type.Params.List[0].Names[0]
		if !isResponse(t) {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || len(c.Args) == 0 || !strings.HasSuffix(s.called(c), ".ReadFrom") && s.called(c) != "io.Copy" {
				return true
			}
			last := c.Args[len(c.Args)-1]
			to := c.Args[0]
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok && len(c.Args) == 1 {
				to = sel.X
			}
			if _, hidden := to.(*ast.CompositeLit); s.text(last) == param.Name && !hidden && s.typeOf(to) != "*bytes.Buffer" {
				limited := fmt.Sprintf("io.LimitReader(%s, 1<<20)", param.Name)
				all = append(all, change{"a limit in ReadFrom", "nestedlimit", []edit{s.replace(last, limited)}, ""})
			}
			return true
		})
	}
	return all
}

// hideBySection reads a file at explicit offsets.
func hideBySection(s *seed) (all []change) {
	s.copies(func(c *ast.CallExpr, dst, src ast.Expr) {
		if s.typeOf(src) == "*os.File" && (target(s.typeOf(dst)) || isResponse(s.info.Types[dst].Type)) {
			section := fmt.Sprintf("io.NewSectionReader(%s, 0, 1<<40)", s.text(src))
			all = append(all, change{"a SectionReader", "hiddenfile", []edit{s.replace(src, section)}, ""})
		}
	})
	return all
}

// hideByStruct hides a file in a struct that embeds an interface.
func hideByStruct(s *seed) (all []change) {
	s.copies(func(c *ast.CallExpr, dst, src ast.Expr) {
		if s.typeOf(src) == "*os.File" && (target(s.typeOf(dst)) || isResponse(s.info.Types[dst].Type)) {
			all = append(all, change{"a struct that embeds fs.File", "hiddenfile",
				[]edit{s.replace(src, "hidingFile{"+s.text(src)+"}")},
				"type hidingFile struct{ hidingInterface }\n\ntype hidingInterface interface {\n\tio.ReadSeeker\n\tio.Closer\n}\n"})
		}
	})
	return all
}

// servers are handlers for the files of an fs.FS.
var servers = map[string]string{
	"FileServerFS of os.DirFS":          "http.FileServerFS(os.DirFS(NAME))",
	"FileServer of http.FS of os.DirFS": "http.FileServer(http.FS(os.DirFS(NAME)))",
	"FileServerFS of os.Root.FS": `func() http.Handler {
		r, err := os.OpenRoot(NAME)
		if err != nil {
			panic(err)
		}
		return http.FileServerFS(r.FS())
	}()`,
	"FileServerFS of a variable of DirFS": `func() http.Handler {
		files := os.DirFS(NAME)
		return http.FileServerFS(files)
	}()`,
}

// replaceDir serves an fs.FS.
func replaceDir(s *seed) (all []change) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch s.called(c) {
		case "net/http.FileServer":
			if dir, ok := c.Args[0].(*ast.CallExpr); ok && s.typeOf(dir) == "net/http.Dir" {
				for what, text := range servers {
					edits := []edit{s.replace(c, strings.ReplaceAll(text, "NAME", s.text(dir.Args[0])))}
					all = append(all, change{what, "hiddenfile", edits, ""})
				}
			}
		case "net/http.ServeFile":
			text := fmt.Sprintf("http.ServeFileFS(%s, %s, os.DirFS(\".\"), %s)",
				s.text(c.Args[0]), s.text(c.Args[1]), s.text(c.Args[2]))
			all = append(all, change{"ServeFileFS of os.DirFS", "hiddenfile", []edit{s.replace(c, text)}, ""})
		}
		return true
	})
	sortChanges(all)
	return all
}

// dropLength removes the statement that sets Content-Length.
func dropLength(s *seed) (all []change) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if e, ok := n.(*ast.ExprStmt); ok && strings.Contains(s.text(e), `Header().Set("Content-Length"`) {
			edits := []edit{s.remove(e)}
			// What the length was made from is no longer used.
			all = append(all, change{"no Content-Length", "missinglength", edits, ""})
		}
		return true
	})
	for i := range all {
		all[i].edits = append(all[i].edits, s.keepUsed()...)
	}
	return all
}

// keepUsed uses the variable info after each Stat, which may otherwise be unused.
func (s *seed) keepUsed() (edits []edit) {
	for _, c := range s.calls("(*os.File).Stat") {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && a.Rhs[0] == c {
				edits = append(edits, edit{s.offset(a.End()), s.offset(a.End()), "; _ = " + s.text(a.Lhs[0])})
			}
			return true
		})
	}
	return edits
}

// addEncoding says before ServeContent that the file is compressed.
func addEncoding(s *seed) (all []change) {
	if strings.Contains(string(s.src), `"Content-Length"`) {
		return nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		e, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		c, ok := e.X.(*ast.CallExpr)
		if ok && s.called(c) == "net/http.ServeContent" && s.typeOf(c.Args[0]) == "net/http.ResponseWriter" {
			for _, set := range []string{
				`.Header().Set("Content-Encoding", "gzip")`,
				`.Header()["Content-Encoding"] = []string{"br"}`,
			} {
				all = append(all, change{"w" + set, "missinglength", []edit{s.before(e, s.text(c.Args[0])+set+"\n")}, ""})
			}
		}
		return true
	})
	return all
}

// dropMethods removes ReadFrom, WriteTo or both from wrappers.
func dropMethods(s *seed) (all []change) {
	byType := map[string][]edit{}
	for _, name := range []string{"ReadFrom", "WriteTo"} {
		for _, f := range s.methods(name) {
			t, _ := s.receiver(f)
			rule := ""
			switch {
			case isResponse(t):
				rule = "responsewrapper"
			case isConn(t):
				rule = "connwrapper"
			case name == "WriteTo" && has(t, "Read"):
				rule = "hiddenfile"
			default:
				continue // a writer that is none of these: no rule is about them
			}
			all = append(all, change{"no " + name + " of " + types.TypeString(t, bare), rule, []edit{s.remove(f)}, ""})
			key := types.TypeString(t, bare)
			if byType[key] = append(byType[key], s.remove(f)); len(byType[key]) == 2 {
				all = append(all, change{"neither ReadFrom nor WriteTo of " + key, rule, byType[key], ""})
			}
		}
	}
	return all
}

func bare(*types.Package) string { return "" }
