package zerocopy

import (
	"fmt"
	"reflect"
)

// require panics if an argument of a constructor is nil, or an interface that holds a nil pointer or
// function: it would fail at its first byte, far from the mistake. A nil map or slice may be a valid
// empty value of a type with methods.
func require(function, argument string, value any) {
	v := reflect.ValueOf(value)
	switch k := v.Kind(); {
	case k == reflect.Invalid:
		panic(fmt.Sprintf("zerocopy.%s: the %s is nil", function, argument))
	case (k == reflect.Pointer || k == reflect.Func) && v.IsNil():
		panic(fmt.Sprintf("zerocopy.%s: the %s is a nil %v", function, argument, v.Type()))
	}
}

// hookNames are constants, because a connection of a server should not pay for a text.
var hookNames = [...]string{"first hook", "second hook", "third hook", "fourth or a later hook"}

func requireHooks(function string, hooks []Hook) {
	for i, h := range hooks {
		require(function, hookNames[min(i, len(hookNames)-1)], h)
	}
}

// requireEnds panics if an end of a copy is a nil interface. The error of a nil *os.File or
// *net.TCPConn is that of its Read or Write.
func requireEnds(function string, dst, src any) {
	if dst == nil {
		panic("zerocopy." + function + ": the destination is nil")
	}
	if src == nil {
		panic("zerocopy." + function + ": the source is nil")
	}
}
