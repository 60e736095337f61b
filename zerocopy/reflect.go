package zerocopy

import (
	"context"
	"io"
	"net"
	"reflect"
)

// Path follows what other packages' types hold in private fields. Reflection may look at
// these but not use them, so that what it finds there is stood in for: by a value of the same
// type that holds nothing, and that is asked for its type alone.

// within returns what end holds: the first field, of a struct or of the last element of a
// list in it, that is a T.
func innerOf[T any](end any) (inner T, ok bool) {
	v := reflect.ValueOf(end)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return inner, false
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Slice && f.Len() > 0 {
			f = f.Index(f.Len() - 1)
		}
		if k := f.Kind(); k != reflect.Interface && k != reflect.Pointer || f.IsNil() {
			continue
		}
		if inner, ok = placeholder(f).(T); ok {
			return inner, true
		}
	}
	return inner, false
}

// standIn returns the value of v where that may be used, and else a stand-in.
func placeholder(v reflect.Value) any {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil
	}
	if v.CanInterface() {
		return v.Interface()
	}
	switch v.Type() {
	case reflect.TypeFor[*Conn]():
		inner, _ := placeholder(field(v, "inner")).(net.Conn)
		return &Conn{inner: inner, ctx: context.Background()}
	case reflect.TypeFor[*Reader]():
		inner, _ := placeholder(field(v, "inner")).(io.Reader)
		return NewReader(inner)
	case reflect.TypeFor[*Writer]():
		inner, _ := placeholder(field(v, "inner")).(io.Writer)
		return NewWriter(inner)
	case reflect.TypeFor[*io.LimitedReader]():
		inner, _ := placeholder(field(v, "R")).(io.Reader)
		return &io.LimitedReader{R: inner, N: 1}
	}
	return reflect.Zero(v.Type()).Interface()
}

// field follows names through pointers and interfaces; the result is not valid where there
// is no such field.
func field(v reflect.Value, names ...string) reflect.Value {
	for _, name := range names {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return reflect.Value{}
		}
		v = v.FieldByName(name)
	}
	return v
}

// goneRound reports whether end is a struct that embeds a T, a file or a connection, with
// the descriptor that the standard library asks for.
func bypassed[T any](end any) bool {
	v := reflect.ValueOf(end)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return false
	}
	want := reflect.TypeFor[T]()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type.Implements(want) {
			return true
		}
	}
	return false
}
