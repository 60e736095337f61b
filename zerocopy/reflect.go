package zerocopy

import (
	"context"
	"io"
	"net"
	"net/http"
	"reflect"
)

// Path looks into the private fields of other packages' types. Reflection can inspect such a value
// but not use it, so we replace it by a placeholder: an empty value of the same type, of which only
// the type matters.

// innerOf returns what end wraps: the value of the first field that is a T, where a slice field
// counts as its last element. end is a struct or a pointer to one.
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

// placeholder returns the value of v if it may be used, else an empty value of the same type.
// Wrappers of this package keep what they wrap.
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
		return &Reader{inner: inner}
	case reflect.TypeFor[*Writer]():
		inner, _ := placeholder(field(v, "inner")).(io.Writer)
		return &Writer{inner: inner}
	case reflect.TypeFor[*io.LimitedReader]():
		inner, _ := placeholder(field(v, "R")).(io.Reader)
		return &io.LimitedReader{R: inner, N: 1}
	}
	empty := reflect.Zero(v.Type()).Interface()
	if _, ours := empty.(interface{ response() *responseWriter }); ours {
		inner, _ := placeholder(field(ownResponse(v), "inner")).(http.ResponseWriter)
		return &responseWriter{inner: inner, ctx: context.Background()}
	}
	return empty
}

// ownResponse returns the responseWriter in v, one of the structs of withInterfaces.
func ownResponse(v reflect.Value) reflect.Value {
	if v.Type() == reflect.TypeFor[*responseWriter]() {
		return v
	}
	return field(v, "responseWriter")
}

// field follows the named fields through pointers and interfaces. The result is invalid if there is
// no such field.
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

// bypassed reports whether end is a struct that embeds a pointer implementing T, such as *os.File
// or *net.TCPConn. The standard library then uses the embedded descriptor and bypasses the methods
// of end.
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
