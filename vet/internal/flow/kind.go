package flow

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Kind is what a value is to the kernel.
type Kind uint8

// The kinds.
const (
	Unknown  Kind = iota
	File          // a regular file, as far as one can tell: *os.File from os.Open, os.Root, a parameter
	Pipe          // an *os.File that is no regular file: os.Stdout, os.Stdin, os.Pipe
	TCP           // a *net.TCPConn, or a net.Conn of net.Dial with a network that is no constant
	Unix          // a *net.UnixConn
	Response      // an http.ResponseWriter as a handler gets it
	Body          // the body of a request or response
)

// KindOf returns what v is.
func (p *Program) KindOf(v Value) Kind {
	if v.kind != Unknown {
		return v.kind
	}
	switch v.TypeName() {
	case "*net.TCPConn":
		return TCP
	case "*net.UnixConn":
		return Unix
	case "*os.File":
		return kindOfFile(v.At)
	}
	return Unknown
}

// kindOfFile tells regular files from others by how they were opened.
func kindOfFile(at ssa.Value) Kind {
	call, _ := callOf(at)
	if call == nil {
		return File
	}
	name := shape.FullName(calleeOf(call.Common()))
	switch {
	case name == "os.NewFile":
		return Unknown
	case pipes[name]:
		return Pipe
	case !opens[name]:
		return File
	}
	if c, ok := call.Common().Args[0].(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.String {
		path := constant.StringVal(c.Value)
		if slices.ContainsFunc(devices, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
			return Pipe
		}
	}
	return File
}

// kindOfGlobal knows the variables of package os.
func kindOfGlobal(v variable) Kind {
	global, ok := v.(*ssa.Global)
	if !ok || global.Pkg == nil || global.Pkg.Pkg.Path() != "os" {
		return Unknown
	}
	switch global.Name() {
	case "Stdin", "Stdout", "Stderr":
		return Pipe
	}
	return Unknown
}

// kindOfField knows the bodies of package net/http.
func kindOfField(struct_ types.Type, field *types.Var) Kind {
	if field.Name() != "Body" {
		return Unknown
	}
	t := types.TypeString(types.Unalias(deref(struct_)), nil)
	if t == "net/http.Request" || t == "net/http.Response" {
		return Body
	}
	return Unknown
}

// kindOfParam knows the response of a handler: an http.ResponseWriter beside an *http.Request.
func kindOfParam(v *ssa.Parameter) Kind {
	if !shape.Is(v.Type(), "net/http.ResponseWriter") {
		return Unknown
	}
	for param := range v.Parent().Signature.Params().Variables() {
		if shape.Is(param.Type(), "*net/http.Request") {
			return Response
		}
	}
	return Unknown
}
