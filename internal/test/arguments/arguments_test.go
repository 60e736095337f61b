// Package arguments calls every exported function of the public packages with arguments that make no sense.
package arguments

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// row is an exported function, or a method that takes arguments, with arguments that make sense.
type row struct {
	name    string // as in "serve.New" and "serve.Server.Shutdown"
	call    any
	good    func() []any
	accepts string // arguments and fields whose nil, negative or unknown values have a meaning; carried: all of them
}

// carried is what a row accepts whose function does not look at values, but carries them on.
const carried = "*"

const folder = "../../.."

// public are the packages whose functions have rows.
var public = []string{".", "answer", "failure", "options", "question", "receipt", "relay", "remote", "serve", "sqldriver",
	"wall", "zerocopy", "zerocopy/zerocopytest"}

// hangs is far longer than any of the calls takes.
const hangs = 10 * time.Second

// TestArguments calls every exported function and method with nil, negative, huge, unknown and empty arguments, one at
// a time, also in the fields of options. What has no meaning is an error, or the documented panic of a constructor. Each
// says what is wrong. No call hangs, or fails as the runtime does.
func TestArguments(t *testing.T) {
	rows := slices.Concat(libraryRows(t), packageRows(t))
	for name, parameters := range exported(t) {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == name }) {
			t.Errorf("%s(%s) has no row: add it with arguments that make sense", name, strings.Join(parameters, ", "))
		}
	}
	parameters := exported(t)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { r.test(t, parameters[r.name]) })
	}
}

func (r row) test(t *testing.T, parameters []string) {
	call := reflect.ValueOf(r.call)
	if parameters == nil || len(parameters) != call.Type().NumIn() {
		t.Fatalf("there is no such function with %d parameters", call.Type().NumIn())
	}
	for i := range r.good() {
		name, wanted := parameters[min(i, len(parameters)-1)], call.Type().In(min(i, len(parameters)-1))
		if call.Type().IsVariadic() && i >= len(parameters)-1 {
			wanted = wanted.Elem()
		}
		for _, bad := range mutations(name, wanted, reflect.ValueOf(r.good()[i]), 0) {
			args := r.good()
			problem, err := outcome(call, args, i, bad.value)
			what := fmt.Sprintf("%s with %s %s", r.name, bad.name, bad.how)
			accepted := !bad.wrong || r.accepts == carried || slices.Contains(strings.Fields(r.accepts), bad.name)
			switch {
			case problem != "":
				t.Errorf("%s: %s", what, problem)
			case err == nil && !accepted:
				t.Errorf("%s was accepted", what)
			case err != nil && !accepted && !bad.named(err):
				t.Errorf("%s: the error does not say so: %v", what, err)
			}
		}
	}
}

// mutation is a value that takes the place of a good one.
type mutation struct {
	name, how string
	value     reflect.Value
	wrong     bool // it has no meaning unless a row says so
}

// named reports whether an error says which argument is wrong: by its name or by its value.
func (m mutation) named(err error) bool {
	text := strings.ToLower(err.Error())
	name := strings.ToLower(m.name[strings.LastIndex(m.name, ".")+1:])
	said := map[string][]string{
		"nil": {"nil", "is closed", "is empty"}, "negative": {"negative", "-1", fmt.Sprint(math.MinInt64)},
		"unknown": {"255", "nonsense"},
	}[m.how]
	return slices.ContainsFunc(append(said, name), func(s string) bool { return strings.Contains(text, s) })
}

// mutations returns what may take the place of a value of a type.
func mutations(name string, of reflect.Type, good reflect.Value, depth int) (all []mutation) {
	add := func(how string, value any, wrong bool) {
		all = append(all, mutation{name, how, reflect.ValueOf(value).Convert(of), wrong})
	}
	switch kind := of.Kind(); kind {
	case reflect.Interface, reflect.Func, reflect.Pointer, reflect.Chan, reflect.Slice, reflect.Map:
		isList := kind == reflect.Slice || kind == reflect.Map
		all = append(all, mutation{name, "nil", reflect.Zero(of), !isList && depth == 0})
		if of == reflect.TypeFor[*int64]() {
			all = append(all, mutation{name, "negative", reflect.ValueOf(new(int64(-1))), true})
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		add("negative", -1, true)
		add("negative", int64(-1)<<(of.Bits()-1), true)
		add("huge", int64(math.MaxInt64)>>(64-of.Bits()), false)
	case reflect.Float64:
		add("negative", -1.0, true)
		add("huge", math.MaxFloat64, false)
		add("huge", math.NaN(), false)
	case reflect.Uint8:
		add("unknown", uint8(255), of.PkgPath() != "")
	case reflect.Uint64:
		add("huge", uint64(math.MaxUint64), false)
	case reflect.String:
		add("empty", "", false)
		if of.PkgPath() != "" {
			add("unknown", "nonsense", true)
		}
	case reflect.Struct:
		all = append(all, mutation{name, "zero", reflect.Zero(of), false})
		for i := range of.NumField() {
			f := of.Field(i)
			if !f.IsExported() || of == reflect.TypeFor[time.Time]() {
				continue
			}
			for _, m := range mutations(name+"."+f.Name, f.Type, good.Field(i), depth+1) {
				whole := reflect.New(of).Elem()
				whole.Set(good)
				whole.Field(i).Set(m.value)
				m.value = whole
				all = append(all, m)
			}
		}
	}
	return all
}

// outcome calls a function with one argument replaced. A problem is how no function may behave.
func outcome(call reflect.Value, args []any, at int, bad reflect.Value) (problem string, err error) {
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
		if a == nil {
			in[i] = reflect.Zero(call.Type().In(i))
		}
	}
	in[at] = bad
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			switch p := recover().(type) {
			case nil:
			case runtime.Error:
				problem = fmt.Sprintf("panic: %v\n%s", p, stack())
			default:
				err = fmt.Errorf("%v", p) // documented, as far as it says what is wrong
			}
		}()
		err = errorOf(call.Call(in))
	}()
	select {
	case <-done:
		return problem, err
	case <-time.After(hangs):
		return "it hangs", nil
	}
}

func stack() []byte {
	text := make([]byte, 4096)
	return text[:runtime.Stack(text, false)]
}

// errorOf returns the error of results, which may be one of a sequence.
func errorOf(results []reflect.Value) error {
	for _, r := range results {
		if err, ok := r.Interface().(error); ok {
			return err
		}
		if r.Type().CanSeq2() && r.Kind() == reflect.Func {
			for _, second := range r.Seq2() {
				if err, ok := second.Interface().(error); ok {
					return err
				}
			}
		}
	}
	return nil
}

// exported returns the functions of the public packages, and the methods that take arguments, with their parameters.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, path := range public {
		p, err := build.ImportDir(filepath.Join(folder, path), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
					if name, parameters := signature(p.Name, f); len(parameters) > 0 {
						found[name] = parameters
					}
				}
			}
		}
	}
	return found
}

// signature returns the name of a function and its parameters, none for a method of a type that is not exported.
func signature(in string, f *ast.FuncDecl) (name string, parameters []string) {
	name = in + "." + f.Name.Name
	if f.Recv != nil {
		of := f.Recv.List[0].Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		receiver, ok := of.(*ast.Ident)
		if !ok || !receiver.IsExported() {
			return name, nil
		}
		name = in + "." + receiver.Name + "." + f.Name.Name
	}
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			parameters = append(parameters, n.Name)
		}
	}
	return name, parameters
}

// ended returns a context that has ended, for calls that would measure.
func ended() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the test wants no measurement"))
	return ctx
}
