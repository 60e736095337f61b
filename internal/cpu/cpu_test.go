package cpu

import "testing"

func TestAllow(t *testing.T) {
	tests := []struct {
		value string
		want  [isas]bool
		fails bool
	}{
		{value: "", want: [isas]bool{true, true, true, true, true, true}},
		{value: "plain", want: [isas]bool{Plain: true}},
		{value: "avx2", want: [isas]bool{Plain: true, AVX2: true}},
		{value: "avx2,neon", want: [isas]bool{Plain: true, NEON: true, AVX2: true}},
		{value: "-avx512", want: [isas]bool{Plain: true, NEON: true, SVE: true, AVX2: true}},
		{value: "-avx512,-avx2", want: [isas]bool{Plain: true, NEON: true, SVE: true}},
		{value: "sve", want: [isas]bool{Plain: true, SVE: true}},
		{value: "-sve", want: [isas]bool{true, true, false, true, true, true}},
		{value: "avx512", want: [isas]bool{Plain: true, AVX512: true, AVX512VBMI2: true}},
		{value: "-avx512vbmi2", want: [isas]bool{true, true, true, true, true, false}},
		{value: "-plain", want: [isas]bool{true, true, true, true, true, true}},
		{value: "sse9", fails: true},
		{value: "-sse9", fails: true},
		{value: "avx2,", fails: true},
	}
	for _, test := range tests {
		got, err := allow(test.value)
		if (err != nil) != test.fails {
			t.Errorf("allow(%q) error %v, want an error: %v", test.value, err, test.fails)
		}
		if err == nil && got != test.want {
			t.Errorf("allow(%q) = %v, want %v", test.value, got, test.want)
		}
	}
}

func TestPlainIsAlwaysThere(t *testing.T) {
	if !Has(Plain) {
		t.Error("the plain twins must always be allowed")
	}
}
