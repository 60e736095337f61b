package mutate

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

func sortChanges(all []change) {
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.what, b.what) })
}

// Wrappers that lose the path.
const (
	statusWriter = `
type losingWriter struct {
	http.ResponseWriter
	status int
}

func (l *losingWriter) WriteHeader(status int) {
	l.status = status
	l.ResponseWriter.WriteHeader(status)
}
`
	unwrapping = statusWriter + `
func (l *losingWriter) Unwrap() http.ResponseWriter { return l.ResponseWriter }
`
	closingConn = `
type losingConn struct {
	net.Conn
	closed func()
}

func (l *losingConn) Close() error {
	l.closed()
	return l.Conn.Close()
}
`
	countingReader = `
type losingReader struct {
	io.Reader
	n int64
}

func (l *losingReader) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.n += int64(n)
	return n, err
}
`
)

// wrapResponse gives a wrapper to a handler, to ServeContent, or to io.Copy.
func wrapResponse(s *seed) (all []change) {
	const rule = "responsewrapper"
	wrap := func(e ast.Expr) {
		if s.typeOf(e) == "net/http.ResponseWriter" {
			text := "&losingWriter{ResponseWriter: " + s.text(e) + "}"
			all = append(all, change{"a wrapper of the response", rule, []edit{s.replace(e, text)}, statusWriter},
				change{"a wrapper of the response with Unwrap", rule, []edit{s.replace(e, text)}, unwrapping})
		}
	}
	s.copies(func(_ *ast.CallExpr, dst, src ast.Expr) {
		if s.typeOf(src) == "*os.File" {
			wrap(dst)
		}
	})
	for _, c := range s.calls("net/http.ServeFile") {
		wrap(c.Args[0])
	}
	// Handlers made by a call get a middleware.
	for _, c := range s.calls("net/http.FileServer") {
		text := fmt.Sprintf("losing(%s)", s.text(c))
		all = append(all, change{"a middleware", rule, []edit{s.replace(c, text)}, statusWriter + `
func losing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := &losingWriter{ResponseWriter: w}
		next.ServeHTTP(l, r)
	})
}
`})
	}
	return all
}

// wrapConn wraps connections that are copied, and those that a listener accepts.
func wrapConn(s *seed) (all []change) {
	const rule = "connwrapper"
	s.copies(func(_ *ast.CallExpr, dst, src ast.Expr) {
		other := map[ast.Expr]ast.Expr{dst: src, src: dst}
		for what, e := range map[string]ast.Expr{"destination": dst, "source": src} {
			if t := s.typeOf(e); (t == "*net.TCPConn" || t == "net.Conn") && kernel(s.typeOf(other[e])) {
				text := "&losingConn{" + s.text(e) + ", func() {}}"
				all = append(all, change{"a wrapper of the " + what, rule, []edit{s.replace(e, text)}, closingConn})
			}
		}
	})
	sortChanges(all)
	for _, c := range s.calls("net.Listen") {
		ast.Inspect(s.file, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || len(a.Rhs) != 1 || a.Rhs[0] != c {
				return true
			}
			name := s.text(a.Lhs[0])
			text := fmt.Sprintf("; %s = losingListener{%s}", name, name)
			edits := []edit{{s.offset(a.End()), s.offset(a.End()), text}}
			all = append(all, change{"a listener that wraps", rule, edits, closingConn + `
type losingListener struct{ net.Listener }

func (l losingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &losingConn{c, func() {}}, nil
}
`})
			return true
		})
	}
	return all
}

// wrapReader wraps the source of a copy.
func wrapReader(s *seed) (all []change) {
	s.copies(func(c *ast.CallExpr, dst, src ast.Expr) {
		t := s.typeOf(src)
		if !kernel(t) || s.called(c) == "net/http.ServeContent" {
			return
		}
		if d := s.typeOf(dst); !target(d) && d != "*net.UnixConn" {
			return
		}
		text := "&losingReader{Reader: " + s.text(src) + "}"
		all = append(all, change{"a wrapper of the source", "hiddenfile", []edit{s.replace(src, text)}, countingReader})
		if !strings.Contains(s.called(c), "CopyN") {
			all = append(all, change{"a wrapper of the source, from a function", "hiddenfile",
				[]edit{s.replace(src, "newLosing("+s.text(src)+")")}, countingReader +
					"\nfunc newLosing(r io.Reader) *losingReader { return &losingReader{Reader: r} }\n"})
		}
	})
	return all
}

// override lets types that embed a file or connection have a Read or a Write that io.Copy goes round.
func override(s *seed) (all []change) {
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range st.Fields.List {
				if len(f.Names) > 0 || s.typeOf(f.Type) != "*os.File" && s.typeOf(f.Type) != "*net.TCPConn" {
					continue
				}
				field := s.typeOf(f.Type)[strings.LastIndex(s.typeOf(f.Type), ".")+1:]
				for _, method := range []string{"Read", "Write"} {
					more := fmt.Sprintf("\nfunc (x *%s) %s(p []byte) (int, error) {\n\tprintln(len(p))\n\treturn x.%s.%s(p)\n}\n",
						ts.Name.Name, method, field, method)
					all = append(all, change{"an overridden " + method, "bypassedoverride", nil, more})
				}
			}
		}
	}
	// Connections that are copied get a type that embeds them.
	s.copies(func(_ *ast.CallExpr, dst, src ast.Expr) {
		for what, e := range map[string]ast.Expr{"Write": dst, "Read": src} {
			if s.typeOf(e) != "*net.TCPConn" {
				continue
			}
			more := fmt.Sprintf("\ntype bypassed struct{ *net.TCPConn }\n\nfunc (b bypassed) %s(p []byte) (int, error) {\n"+
				"\tprintln(len(p))\n\treturn b.TCPConn.%s(p)\n}\n", what, what)
			all = append(all, change{"a struct that embeds the connection and has " + what, "bypassedoverride",
				[]edit{s.replace(e, "bypassed{"+s.text(e)+"}")}, more})
		}
	})
	sortChanges(all)
	return all
}

// countTwice lets a ReadFrom that counts copy to the receiver's Write, which counts too.
func countTwice(s *seed) (all []change) {
	for _, f := range s.methods("ReadFrom") {
		t, name := s.receiver(f)
		if !s.counts(f) || !slices.ContainsFunc(s.methods("Write"), func(w *ast.FuncDecl) bool {
			u, _ := s.receiver(w)
			return types.Identical(t, u) && s.counts(w)
		}) {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if ok && s.called(c) == "io.Copy" {
				if _, hidden := c.Args[0].(*ast.CompositeLit); !hidden {
					text := "struct{ io.Writer }{" + name + "}"
					edits := []edit{s.replace(c.Args[0], text)}
					all = append(all, change{"ReadFrom copies to its own Write", "doublecount", edits, ""})
				}
			}
			return true
		})
	}
	return all
}

// counts reports whether a method adds the number of bytes to something.
func (s *seed) counts(f *ast.FuncDecl) bool {
	text := s.text(f.Body)
	return strings.Contains(text, "+= n") || strings.Contains(text, "+= int64(n)") ||
		strings.Contains(text, ".Add(n)") || strings.Contains(text, ".Add(int64(n))")
}

// giveBuffer makes a buffer that io.CopyBuffer can't use.
func giveBuffer(s *seed) (all []change) {
	for _, c := range s.calls("io.Copy") {
		if kernel(s.typeOf(c.Args[0])) && kernel(s.typeOf(c.Args[1])) {
			text := fmt.Sprintf("io.CopyBuffer(%s, %s, make([]byte, 64<<10))", s.text(c.Args[0]), s.text(c.Args[1]))
			all = append(all, change{"CopyBuffer", "ignoredbuffer", []edit{s.replace(c, text)}, ""})
		}
	}
	return all
}

// copyToStdout copies connections to standard output.
func copyToStdout(s *seed) (all []change) {
	for _, c := range s.calls("io.Copy") {
		if t := s.typeOf(c.Args[1]); t == "*net.TCPConn" || t == "net.Conn" {
			if _, name := c.Args[0].(*ast.Ident); !name {
				continue
			}
			all = append(all, change{"to standard output", "stalledstdout",
				[]edit{s.replace(c.Args[0], "os.Stdout"), s.before(s.statement(c), "_ = "+s.text(c.Args[0])+"\n")}, ""})
		}
	}
	return all
}

// statement returns the statement in a block that a node belongs to.
func (s *seed) statement(n ast.Node) (found ast.Node) {
	ast.Inspect(s.file, func(m ast.Node) bool {
		if b, ok := m.(*ast.BlockStmt); ok {
			for _, st := range b.List {
				if st.Pos() <= n.Pos() && n.End() <= st.End() {
					found = st
				}
			}
		}
		return true
	})
	return found
}
