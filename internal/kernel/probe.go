package kernel

// Work is a variant together with the bytes it works on.
type Work struct {
	Run    func(rounds int) // does the work that many times
	Answer func() any       // the result: all variants give equal ones, by ==
}

// Probe is a benchmark task of a family: every variant does the same work on the same bytes, which
// look like real data.
type Probe struct {
	Name      string                      // the family, and the task if the family has several
	StepBytes int                         // the work is a multiple of this many bytes
	MaxBytes  int                         // at most this many bytes; 0: any number
	Variants  []Variant[func(n int) Work] // set up work on n bytes; best first, the plain twin last
}

// Fit returns the largest size of the task, in bytes, that does not exceed n; at least one step.
func (p *Probe) Fit(n int) int {
	if p.MaxBytes > 0 {
		n = min(n, p.MaxBytes)
	}
	return max(p.StepBytes, n-n%p.StepBytes)
}

// NewProbe returns the probe of a table of variants. ready sets a variant up to work on n bytes; it
// generates these bytes itself, the same each time.
func NewProbe[F any](name string, step, most int, variants []Variant[F], ready func(f F, n int) Work) Probe {
	p := Probe{Name: name, StepBytes: step, MaxBytes: most}
	for _, v := range variants {
		p.Variants = append(p.Variants, Variant[func(int) Work]{v.ISA, func(n int) Work { return ready(v.Func, n) }})
	}
	return p
}

// Repeat returns the work of a function that has no effect but its result.
func Repeat[R comparable](f func() R) Work {
	var last R
	return Work{
		Run: func(rounds int) {
			for range rounds {
				last = f()
			}
		},
		Answer: func() any {
			last = f()
			return last
		},
	}
}
