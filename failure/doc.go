// Package failure declares the errors of the library, for errors.As and errors.Is. It has no other code.
//
// Every error that a caller may want to handle is one of these types, or wraps one of these values. Texts are for
// people and may change.
package failure
