package helped

import "testing"

func help(t *testing.T) {
	t.Helper()
	slow()
	wrong() // want "call of wrong"
}
