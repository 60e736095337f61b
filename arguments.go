package thresh

import (
	"fmt"
	"reflect"

	"github.com/thresh-dev/thresh/failure"
)

// required returns a *failure.OptionError for the first argument that is nil, or an interface that holds a nil
// pointer or function: it would fail at its first use, far from the mistake. Arguments are names and values in turn.
func required(arguments ...any) error {
	for i := 0; i < len(arguments); i += 2 {
		v := reflect.ValueOf(arguments[i+1])
		k := v.Kind()
		if k == reflect.Invalid || (k == reflect.Pointer || k == reflect.Func) && v.IsNil() {
			name := arguments[i].(string)
			return &failure.OptionError{Field: name, Value: nil, Reason: name + " is nil"}
		}
	}
	return nil
}

// notNegative returns a *failure.OptionError for a number that is negative.
func notNegative(field string, n int64) error {
	if n < 0 {
		return &failure.OptionError{Field: field, Value: n, Reason: fmt.Sprintf("%s is %d, which is negative", field, n)}
	}
	return nil
}

// known returns a *failure.OptionError for a constant above the last one of its type.
func known[T ~uint8](field string, value, last T) error {
	if value > last {
		return &failure.OptionError{Field: field, Value: value, Reason: fmt.Sprintf("%s %d is unknown", field, value)}
	}
	return nil
}
