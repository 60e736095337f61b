// Package helped has a file that helps tests.
package helped

func slow() {}

func wrong() {}

func a() {
	slow()  // want "call of slow"
	wrong() // want "call of wrong"
}
