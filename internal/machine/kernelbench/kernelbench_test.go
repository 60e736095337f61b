package kernelbench

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func quiet(string) {}

// TestAnswers compares all variants with their plain twins on the probes' own bytes, short and
// long.
func TestAnswers(t *testing.T) {
	for _, p := range Probes() {
		for _, n := range []int{1, 17, 32, 63, 64, 100, 255, 1000, 4096, 40_000} {
			if _, err := load(&p, p.Fit(n)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestEveryFamily requires a probe of each family, whose name begins with that of its folder.
func TestEveryFamily(t *testing.T) {
	folders, err := os.ReadDir("../../kernel")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, p := range Probes() {
		if names[p.Name] {
			t.Errorf("two probes are called %s", p.Name)
		}
		names[p.Name] = true
		if last := p.Variants[len(p.Variants)-1]; last.ISA != cpu.Plain {
			t.Errorf("%s ends with %v: the plain twin is the last", p.Name, last.ISA)
		}
		// inflate decodes one code after the other: it has no use for vectors but those of AVX2's copies.
		if len(p.Variants) < 2 && (cpu.Has(cpu.AVX2) || cpu.Has(cpu.NEON) && !strings.HasPrefix(p.Name, "inflate")) {
			t.Errorf("%s has no vector variant", p.Name)
		}
	}
	for _, f := range folders {
		if !f.IsDir() || f.Name() == "_gen" || f.Name() == "kerneltest" {
			continue
		}
		found := false
		for name := range names {
			found = found || strings.HasPrefix(name, f.Name())
		}
		if !found {
			t.Errorf("kernel family %s has no probe: it is missing from limits --kernels", f.Name())
		}
	}
}

// liar is a probe whose vector variant, called plain so that it can run, miscounts long inputs.
func liar() kernel.Probe {
	variants := []kernel.Variant[int]{{ISA: cpu.Plain, Func: 1}, {ISA: cpu.Plain, Func: 0}}
	return kernel.NewProbe("liar", 1, 0, variants, func(extra, n int) kernel.Work {
		return kernel.Repeat(func() int {
			if n < 1000 {
				return n
			}
			return n + extra
		})
	})
}

func TestWrongAnswersAreErrors(t *testing.T) {
	probes := []kernel.Probe{liar()}
	if _, err := Measure(context.Background(), probes, quiet); err == nil || !strings.Contains(err.Error(), "liar") {
		t.Errorf("measured: error %v", err)
	}
	if _, err := Compare(context.Background(), probes, quiet); err == nil || !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("compared: error %v", err)
	}
}

func TestMeasure(t *testing.T) {
	probes := Probes()[:2]
	var told []string
	rows, err := Measure(context.Background(), probes, func(s string) { told = append(told, s) })
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || len(told) != 2 || rows[0].Kernel != told[0] {
		t.Fatalf("rows %+v, told %q", rows, told)
	}
	for _, r := range rows {
		if r.Chosen != r.Speeds[0].ISA || r.Speeds[len(r.Speeds)-1].ISA != cpu.Plain {
			t.Errorf("variants in the wrong order: %+v", r)
		}
		for _, s := range r.Speeds {
			if !cpu.Has(s.ISA) || s.GBps <= 0 {
				t.Errorf("%s: %+v", r.Kernel, s)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, probes, quiet); err == nil {
		t.Error("measured though it was interrupted")
	}
	if _, err := Compare(ctx, probes, quiet); err == nil {
		t.Error("compared though it was interrupted")
	}
	if _, err := Times(ctx, probes, quiet); err == nil {
		t.Error("timed though it was interrupted")
	}
}

func TestText(t *testing.T) {
	rows := []Row{
		{Kernel: "nonzero", Bytes: 256 << 10, Chosen: cpu.AVX512, Speeds: []Speed{{cpu.AVX512, 116.04}, {cpu.Plain, 9.8}}},
		{Kernel: "minify", Bytes: 256 << 10, Chosen: cpu.AVX512VBMI2, Speeds: []Speed{{cpu.AVX512VBMI2, 23}, {cpu.Plain, 0.7}}},
	}
	want := "" +
		"GB/s in the L2 cache  KiB  avx512   avx2    sve   neon  plain       chosen\n" +
		"nonzero               256   116.0      -      -      -    9.8       avx512\n" +
		"minify                256    23.0      -      -      -    0.7  avx512vbmi2\n"
	if got := Text(rows); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := SlowerText(nil); !strings.HasPrefix(got, "no form is slower") {
		t.Errorf("got %q", got)
	}
	got := SlowerText([]Slower{{Kernel: "rows", ISA: cpu.AVX2, Bytes: 7, Nanoseconds: 12, PlainTwin: 8}})
	if !strings.Contains(got, "rows") || !strings.Contains(got, "1.50") {
		t.Errorf("got %q", got)
	}
}

// TestTimes requires a time greater than zero for every variant at every length.
func TestTimes(t *testing.T) {
	probes := Probes()[:1]
	all, err := Times(context.Background(), probes, quiet)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[cpu.ISA]int{}
	for _, timing := range all {
		counts[timing.ISA]++
		if timing.Kernel != probes[0].Name || timing.Bytes <= 0 || timing.Nanoseconds <= 0 {
			t.Errorf("%+v", timing)
		}
	}
	for isa, n := range counts {
		if n != counts[cpu.Plain] {
			t.Errorf("%d lengths of %v, %d of its plain twin", n, isa, counts[cpu.Plain])
		}
	}
	text := TimesText([]Timing{{"rows", cpu.Plain, 64, 32}})
	if !strings.Contains(text, "rows         plain     64  32.0  2.00") {
		t.Errorf("got %q", text)
	}
}
