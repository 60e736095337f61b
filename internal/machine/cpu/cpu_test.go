package cpu

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

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
		got, err := allow(test.value, func(ISA) bool { return true })
		if (err != nil) != test.fails {
			t.Errorf("allow(%q) error %v, want an error: %v", test.value, err, test.fails)
		}
		if err == nil && got != test.want {
			t.Errorf("allow(%q) = %v, want %v", test.value, got, test.want)
		}
	}
}

// TestAllowWhatIsThere pretends a processor with AVX2 and without AVX-512.
func TestAllowWhatIsThere(t *testing.T) {
	avx2 := func(i ISA) bool { return i == AVX2 }
	for _, value := range []string{"", "plain", "avx2", "avx2,plain", "-avx512", "-neon", "-sve,-avx2", "-avx512vbmi2"} {
		if _, err := allow(value, avx2); err != nil {
			t.Errorf("allow(%q): %v", value, err)
		}
	}
	for _, value := range []string{"avx512", "avx2,avx512", "avx512vbmi2", "neon", "-avx512,neon", "sve,avx2"} {
		_, err := allow(value, avx2)
		if err == nil {
			t.Errorf("allow(%q): want an error", value)
			continue
		}
		for _, want := range []string{"THRESH_ISA=" + value, "cannot run here", "available: plain, avx2;", "unset THRESH_ISA"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("allow(%q): %v, want %q in it", value, err, want)
			}
		}
	}
	foreign := "neon"
	if runtime.GOARCH == "arm64" {
		foreign = "avx2"
	}
	none := func(ISA) bool { return false }
	if _, err := allow(foreign, none); err == nil || !strings.Contains(err.Error(), "this build is for "+runtime.GOARCH) {
		t.Errorf("allow(%q): %v, want the processor that it is of", foreign, err)
	}
}

func TestAvailable(t *testing.T) {
	all := Available()
	if len(all) == 0 || all[len(all)-1] != Plain {
		t.Fatalf("available are %v: the plain twins are always, and last", all)
	}
	for i := Plain; i < isas; i++ {
		if slices.Contains(all, i) != Has(i) {
			t.Errorf("%v: available %v, Has %v", i, all, Has(i))
		}
	}
}

func TestPlainIsAlwaysThere(t *testing.T) {
	if !Has(Plain) {
		t.Error("the plain twins must always be allowed")
	}
}
