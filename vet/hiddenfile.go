package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/forward"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// HiddenFile reports files that reach a connection or a response behind something that hides them from
// the kernel: an fs.FS of package os served by net/http, an io.SectionReader, a struct that embeds an
// interface.
var HiddenFile = finding.New(finding.Spec{
	Name:     "hiddenfile",
	Severity: finding.Warning,
	Short:    "a file is served through something that hides it from the kernel",
	Doc: "Package net asks the kernel to send what is an *os.File, or promotes its SyscallConn. http.FS,\n" +
		"http.FileServerFS and http.ServeFileFS wrap the files of os.DirFS and (*os.Root).FS, an io.SectionReader\n" +
		"reads them itself, a struct that embeds fs.File, http.File or io.ReadSeeker has only the\n" +
		"methods of that interface, and a reader that counts or waits has only Read. Such a file is copied\n" +
		"through memory, and so is a connection in such a reader. Serve an http.Dir, use the file itself, embed\n" +
		"*os.File, or give the reader a WriteTo. Readers that change or look at the bytes are not reported.",
	Requires: []*analysis.Analyzer{shape.Analyzer, flow.Analyzer},
	Run:      runHiddenFile,
})

// hiding reports the hidden files of one package, each once.
type hiding struct {
	pass     *analysis.Pass
	p        *flow.Program
	reported map[token.Pos]bool
}

func runHiddenFile(pass *analysis.Pass) error {
	h := hiding{pass, pass.ResultOf[flow.Analyzer].(*flow.Program), map[token.Pos]bool{}}
	for _, name := range []string{"net/http.FileServerFS", "net/http.ServeFileFS"} {
		for _, call := range h.p.Named[name] {
			h.checkAdapter(call, call)
		}
	}
	for _, fn := range h.p.Funcs {
		for call := range flow.CallsIn(fn) {
			h.checkServed(call)
		}
	}
	for _, c := range h.p.Copies {
		for _, pair := range h.p.Pairs(c) {
			if sends(h.p, pair.Dst) {
				h.checkCopy(c, sources(h.p, pair.Src))
			}
			h.checkReaders(c, pair)
		}
	}
	return nil
}

// report reports a finding at the expression that made v, or else at the call that it arrives at.
func (h *hiding) report(v ssa.Value, at ssa.CallInstruction, message string, fix *analysis.SuggestedFix) {
	there := callOf(h.pass, at)
	if there == nil {
		return
	}
	d := analysis.Diagnostic{Pos: there.Pos(), End: there.End(), Message: message}
	if made, _ := exprOf(h.pass, v); made != nil && made != there {
		d.Pos, d.End = made.Pos(), made.End()
		d.Related = []analysis.RelatedInformation{{Pos: there.Pos(), End: there.End(), Message: "it is sent here"}}
	} else if made == nil && v != nil && v.Pos().IsValid() {
		d.Related = []analysis.RelatedInformation{{Pos: v.Pos(), Message: "it is made here"}}
	}
	if fix != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{*fix}
	}
	if !h.reported[d.Pos] {
		h.reported[d.Pos] = true
		h.pass.Report(d)
	}
}

// checkServed looks at what a call of another package gets as an http.FileSystem, to serve it.
func (h *hiding) checkServed(call ssa.CallInstruction) {
	c := call.Common()
	callee := c.StaticCallee()
	if callee != nil && (len(callee.Blocks) > 0 && !ofHTTP(callee) || callee.String() == "net/http.NewFileTransport") {
		return
	}
	for _, arg := range c.Args {
		if !shape.Is(arg.Type(), "net/http.FileSystem") {
			continue
		}
		for _, v := range h.p.Values(arg) {
			if adapter, ok := v.At.(*ssa.Call); ok && v.TypeName() == "net/http.ioFS" {
				h.checkAdapter(adapter, call)
			}
			h.checkFileSystem(v, call)
		}
	}
}

// ofHTTP reports whether a function is of package net/http.
func ofHTTP(f *ssa.Function) bool { return f.Pkg != nil && f.Pkg.Pkg.Path() == "net/http" }

// hidingFS are the types of package os whose files net/http can't recognise, and what returns them.
var hidingFS = map[string]string{
	"os.dirFS":   "os.DirFS",
	"*os.rootFS": "(*os.Root).FS",
}

// checkAdapter looks at a call of http.FS, http.FileServerFS or http.ServeFileFS.
func (h *hiding) checkAdapter(call, at ssa.CallInstruction) {
	callee := call.Common().StaticCallee()
	if callee == nil {
		return
	}
	arg := 0
	name := "http." + callee.Name()
	if name == "http.ServeFileFS" {
		arg = 2
		if !sends(h.p, h.p.Values(call.Common().Args[0])) {
			return
		}
	}
	from := ""
	for _, v := range h.systems(call.Common().Args[arg], 0) {
		maker, hides := hidingFS[v.TypeName()]
		switch {
		case hides:
			from = maker
		case v.Known():
			return // one of several: which one serves those who need it fast is not known
		}
	}
	if from == "" {
		return
	}
	v, _ := call.(ssa.Value)
	mend, fix := mendAdapter(h.pass, name, from, callOf(h.pass, call))
	h.report(v, at, name+" hides the files of "+from+" from the kernel, and sendfile is lost: "+mend, fix)
}

// systems returns what file systems may arrive at v, or are what fs.Sub is a part of.
func (h *hiding) systems(v ssa.Value, depth int) []flow.Value {
	var found []flow.Value
	for _, v := range h.p.Values(v) {
		if call := madeBy(v.At, "io/fs.Sub"); call != nil && depth < 4 {
			found = append(found, h.systems(call.Call.Args[0], depth+1)...)
		} else {
			found = append(found, v)
		}
	}
	return found
}

// checkFileSystem looks at the files that a file system of this package opens.
func (h *hiding) checkFileSystem(system flow.Value, at ssa.CallInstruction) {
	open := h.methodOf(system.Type, "Open")
	if open == nil {
		return
	}
	for _, b := range open.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || len(ret.Results) == 0 {
			continue
		}
		for _, v := range h.p.Values(ret.Results[0]) {
			h.checkEmbeds(v, at)
		}
	}
}

// methodOf returns the method of a named type of this package, nil if it has none of its own.
func (h *hiding) methodOf(t types.Type, name string) *ssa.Function {
	obj, path, _ := types.LookupFieldOrMethod(t, true, h.pass.Pkg, name)
	method, ok := obj.(*types.Func)
	if !ok || len(path) != 1 {
		return nil
	}
	i := slices.IndexFunc(h.p.Funcs, func(f *ssa.Function) bool { return f.Object() == method.Origin() })
	if i < 0 {
		return nil
	}
	return h.p.Funcs[i]
}

// checkCopy looks at the sources of a copy to a connection or a response.
func (h *hiding) checkCopy(c flow.Copy, src []flow.Value) {
	for _, v := range src {
		if v.TypeName() == "*io.SectionReader" && lost(h.p, h.p.Inner(v, "")) == "sendfile" {
			h.report(v.At, c.Call, "io.SectionReader hides the *os.File from the kernel, and sendfile is lost: "+
				"use the file itself, or zerocopy.NewSection with a listener of zerocopy", nil)
		}
		h.checkEmbeds(v, c.Call)
	}
}

// inPackageIO reports whether a type is of package io.
func inPackageIO(t types.Type) bool {
	named, ok := shape.Deref(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "io"
}

// checkEmbeds looks at a struct that arrives at a call: does it embed an interface, and is a file or
// connection inside?
func (h *hiding) checkEmbeds(v flow.Value, at ssa.CallInstruction) {
	field := hidesInside(v.Type)
	if field == nil || madeBy(v.At, "io.NopCloser") != nil || inPackageIO(v.Type) {
		return // io.NopCloser keeps the WriteTo of what it gets
	}
	inside := h.p.Inner(v, field.Name())
	path := lost(h.p, inside)
	if path == "" {
		return
	}
	inner := "*os.File"
	if path == "splice" {
		inner = "*net.TCPConn"
	}
	name := "a struct"
	if named, ok := shape.Deref(v.Type).(*types.Named); ok {
		name = named.Obj().Name()
	}
	interface_ := types.TypeString(field.Type(), (*types.Package).Name)
	mend := "embed " + inner + " where it is one"
	if has(v.Type, "Readdir", 1) && !has(v.Type, "ReadDir", 1) {
		mend += ", and override its ReadDir, too" // or net/http lists what Readdir does not show
	}
	h.report(v.At, at, name+" embeds "+interface_+", which hides the "+inner+" from the kernel, and "+path+
		" is lost: "+mend, nil)
}

// checkReaders looks at sources whose own Read does no more than hand on the bytes of a file or connection. What
// is behind a limit is not asked for WriteTo.
func (h *hiding) checkReaders(c flow.Copy, pair flow.Pair) {
	is := func(k flow.Kind) func(flow.Value) bool { return func(v flow.Value) bool { return h.p.KindOf(v) == k } }
	socket := func(v flow.Value) bool { return isSocket(h.p, v) }
	if !slices.ContainsFunc(pair.Dst, is(flow.Response)) && !slices.ContainsFunc(pair.Dst, socket) {
		return
	}
	// To a TCP connection splice also reads from a Unix one; two Unix connections have no method that does.
	moved := []flow.Kind{flow.File, flow.TCP}
	if slices.ContainsFunc(pair.Dst, is(flow.TCP)) {
		moved = append(moved, flow.Unix)
	}
	for _, outer := range pair.Src {
		asks := !isLimited(outer.Type) && (c.Func == "io.Copy" || c.Func == "io.CopyBuffer")
		for _, v := range sources(h.p, []flow.Value{outer}) {
			w := h.p.Wrapper(v)
			if isLimited(v.Type) || !hidesReader(w) {
				continue
			}
			inside := h.p.Inner(v, w.Field)
			if slices.ContainsFunc(inside, func(v flow.Value) bool { return slices.Contains(moved, h.p.KindOf(v)) }) {
				h.reportReader(c.Call.Pos(), v, w, asks)
			}
		}
	}
}

// hidesReader reports whether w is a reader with a Read of its own that hands on the bytes of another, and
// that nothing else than Read gets at. Connections are the business of ConnWrapper.
func hidesReader(w *shape.Wrapper) bool {
	return w != nil && w.Read == shape.Forwards && w.WriteTo == shape.Absent && w.SyscallConn == shape.Absent &&
		w.Roles&shape.Conn == 0
}

// reportReader reports a reader at its name, if a WriteTo would help and it is of this package, or else at the copy.
func (h *hiding) reportReader(at token.Pos, v flow.Value, w *shape.Wrapper, asks bool) {
	tn, name := nameOf(v.Type), short(strings.TrimPrefix(v.TypeName(), "*"))
	d := analysis.Diagnostic{Pos: at}
	mend := "copy from that itself, and count on the writer's side, as with zerocopy.NewWriter"
	if asks {
		mend = "add a WriteTo that forwards, or use zerocopy.NewReader with a hook"
	}
	if asks && tn != nil && tn.Pkg() == h.pass.Pkg {
		if inTest(h.pass, at) && !inTest(h.pass, tn.Pos()) {
			return
		}
		d.Pos, d.End, name = tn.Pos(), tn.Pos()+width(tn), tn.Name()
		d.Related = []analysis.RelatedInformation{{Pos: at, Message: "copied here"}}
		if d.SuggestedFixes = forward.Fixes(h.pass, v.Type, w, "WriteTo"); len(d.SuggestedFixes) > 0 {
			mend = "add WriteTo to it, which leaves the copy to " + w.Field
		}
	}
	d.Message = name + " hides the file or connection that it reads from, so the copy goes through memory: " + mend
	if !h.reported[d.Pos] {
		h.reported[d.Pos] = true
		h.pass.Report(d)
	}
}

// has reports whether t has a method of its own, at depth 1, or one of an embedded field, deeper.
func has(t types.Type, method string, depth int) bool {
	obj, path, _ := types.LookupFieldOrMethod(t, true, nil, method)
	_, ok := obj.(*types.Func)
	return ok && len(path) == depth
}

// hidesInside returns the field of a struct that is an embedded interface and has the struct's Read; nil if
// the struct has another, has a way to what is inside, or is a connection or made to hide something: a
// struct without a name and with nothing else in it.
func hidesInside(t types.Type) *types.Var {
	s, ok := shape.Deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	if _, named := shape.Deref(t).(*types.Named); !named && s.NumFields() == 1 {
		return nil
	}
	for _, name := range []string{"SyscallConn", "WriteTo", "RemoteAddr"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name); obj != nil {
			return nil
		}
	}
	if !has(t, "Read", 2) {
		return nil
	}
	_, path, _ := types.LookupFieldOrMethod(t, true, nil, "Read")
	field := s.Field(path[0])
	if !types.IsInterface(field.Type()) {
		return nil
	}
	return field
}

// mendAdapter says what to use in the place of a call that hides the files of a file system of package
// os, and how to replace it where nothing else changes by that. os.DirFS("") opens nothing, and
// http.Dir("") opens the current directory, so the name has to be a constant.
func mendAdapter(pass *analysis.Pass, name, from string, call *ast.CallExpr) (string, *analysis.SuggestedFix) {
	if from != "os.DirFS" {
		return "open them by (*os.Root).Open and hand them to http.ServeContent", nil
	}
	mend := map[string]string{
		"http.FS":           "use http.Dir(…)",
		"http.FileServerFS": "use http.FileServer(http.Dir(…))",
		"http.ServeFileFS":  "use http.ServeFile, which does not keep a name inside of the directory",
	}[name]
	if call == nil {
		return mend, nil
	}
	pkg := qualifier(call.Fun)
	arg := call.Args[min(len(call.Args)-1, 2)]
	if name != "http.ServeFileFS" {
		arg = call.Args[0]
	}
	dirFS, ok := ast.Unparen(arg).(*ast.CallExpr)
	if pkg == "" || !ok || !isFunc(pass, dirFS, "os.DirFS") {
		return mend, nil
	}
	dir, known := constantString(pass, dirFS.Args[0])
	if !known || dir == "" {
		return mend, nil
	}
	fix := &analysis.SuggestedFix{Message: "Serve an http.Dir"}
	open, shut := pkg+".Dir(", ")"
	switch name {
	case "http.FileServerFS":
		open, shut = pkg+".FileServer("+open, shut+")"
	case "http.FS":
		if !isArgument(pass, call) {
			open, shut = pkg+".FileSystem("+open, shut+")"
		}
	case "http.ServeFileFS":
		return mend, fixServeFile(pass, call, dir)
	}
	fix.TextEdits = []analysis.TextEdit{
		replace(call.Pos(), dirFS.Args[0].Pos(), open),
		replace(dirFS.Args[0].End(), call.End(), shut),
	}
	return mend, fix
}

// fixServeFile replaces http.ServeFileFS by http.ServeFile if the file's name is constant, too: the one
// stays in its directory, the other goes where the name says.
func fixServeFile(pass *analysis.Pass, call *ast.CallExpr, dir string) *analysis.SuggestedFix {
	name, known := constantString(pass, call.Args[3])
	if !known || !fs.ValidPath(name) {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Serve the file by its name",
		TextEdits: []analysis.TextEdit{
			replace(call.Fun.Pos(), call.Fun.End(), qualifier(call.Fun)+".ServeFile"),
			replace(call.Args[2].Pos(), call.Args[3].End(), strconv.Quote(path.Join(dir, name))),
		},
	}
}

// constantString returns the value of a constant expression.
func constantString(pass *analysis.Pass, e ast.Expr) (string, bool) {
	v := pass.TypesInfo.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// isArgument reports whether an expression is handed to a function that takes an http.FileSystem.
func isArgument(pass *analysis.Pass, e *ast.CallExpr) bool {
	_, around := exprAt(pass, e.Lparen)
	if len(around) == 0 {
		return false
	}
	call, ok := around[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := pass.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	if !ok || s.Variadic() {
		return false
	}
	for i, arg := range call.Args {
		if arg == e && i < s.Params().Len() {
			return shape.Is(s.Params().At(i).Type(), "net/http.FileSystem")
		}
	}
	return false
}
