package rows

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// TestState sends summaries through their states: every sequel is the same. A damaged one is an error.
func TestState(t *testing.T) {
	d := fields.Dialect{Delim: ',', Quote: '"', Quoted: true}
	for _, text := range []string{"", "a,b\n", "\"a\n", "a\"\n\"\n", "\n\"\"\n,\"\n\n"} {
		want := Best().Summarize([]byte(text), d)
		got, err := want.State().Summary()
		if err != nil || got != want {
			t.Errorf("%q: %v instead of %v, %v", text, got, want, err)
		}
	}
	damaged := new(Summary).State()
	damaged.After[1] = fields.State(fields.States)
	if _, err := damaged.Summary(); err == nil {
		t.Error("a summary that ends in an unknown state")
	}
}
