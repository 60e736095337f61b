package count

import "testing"

// TestReachesCheck tells summaries of occurrences of four bytes from damaged ones, which would be looked up beyond
// their end.
func TestReachesCheck(t *testing.T) {
	if err := (reaches{{Reach: 1, N: 5}, {Reach: 3, N: 4, Over: 3}}).check(4); err != nil {
		t.Error(err)
	}
	for _, damaged := range []reaches{nil, {{Reach: 2}}, {{Reach: 4}}, {{Reach: 3, Over: 4}}, {{Reach: 3, Over: -1}},
		{{Reach: 2}, {Reach: 2}, {Reach: 3}}} {
		if damaged.check(4) == nil {
			t.Errorf("%v is taken for a summary", damaged)
		}
	}
}
