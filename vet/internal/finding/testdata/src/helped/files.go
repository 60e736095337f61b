package helped

import "testing/fstest"

var files fstest.MapFS

// A package below testing may be of use elsewhere.
func b() {
	slow()  // want "call of slow"
	wrong() // want "call of wrong"
}
