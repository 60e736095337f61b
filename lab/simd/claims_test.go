package simd

import (
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// rates returns the measurement of a variant with runs at these rates, in GB/s.
func rates(id string, values ...float64) lab.Measurement {
	m := lab.Measurement{Variant: id}
	for _, v := range values {
		m.Outcomes = append(m.Outcomes, lab.Outcome{Seconds: 1, Bytes: int64(v * 1e9)})
	}
	return m
}

func TestRegisterClaim(t *testing.T) {
	const memory, register = "simd/minify-memory", "simd/minify-register"
	wrong := rates(register, 22)
	wrong.Want, wrong.Wrong = "a", "b"
	tests := []struct {
		name         string
		measurements []lab.Measurement
		want         lab.Holds
		why          string
	}{
		{"the post's own", []lab.Measurement{rates(memory, 1.25, 1.25, 1.25), rates(register, 22, 22, 22)}, lab.Yes, "Zen 4"},
		{"less", []lab.Measurement{rates(memory, 5, 5, 5.1), rates(register, 10, 11, 11)}, lab.InPart, "not by as much. Why was not measured"},
		{"none", []lab.Measurement{rates(memory, 10, 10, 10), rates(register, 10, 10, 10)}, lab.No, "Zen 5"},
		{"slower", []lab.Measurement{rates(memory, 20, 20, 20), rates(register, 10, 10, 10)}, lab.No, "Zen 5"},
		{"noise", []lab.Measurement{rates(memory, 1, 5, 9), rates(register, 2, 6, 12)}, lab.Unclear, "differ"},
		{"one run", []lab.Measurement{rates(memory, 1.25), rates(register, 22)}, lab.Unclear, "run only once"},
		{"no instruction", []lab.Measurement{{Variant: memory, Skipped: "needs AVX-512"}}, lab.Untested, "needs AVX-512"},
		{"one only", []lab.Measurement{rates(memory, 1)}, lab.Untested, "minify-register was not run"},
		{"a wrong answer", []lab.Measurement{rates(memory, 1), wrong}, lab.Untested, "b instead of a"},
	}
	e := Experiment()
	for _, test := range tests {
		v := e.Claims[0].Judge(e, lab.Results{Machine: lab.Machine{Processor: "made up"}, Measurements: test.measurements})
		if v.Holds != test.want || !strings.Contains(v.Why, test.why) || v.Holds != lab.Untested && v.Ours == "" {
			t.Errorf("%s: %+v, want %s because %q", test.name, v, test.want, test.why)
		}
		if len(v.Evidence) == 0 || !strings.Contains(v.Evidence[0], "made up") {
			t.Errorf("%s: evidence %q", test.name, v.Evidence)
		}
	}
}
