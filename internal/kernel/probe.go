package kernel

// Work is a form of a kernel made ready to work on bytes of its own.
type Work struct {
	Run    func(rounds int) // does the work so many times
	Answer func() any       // what comes out: equal, by ==, for all forms
}

// Probe is a task that shows what the forms of a family are worth: it lets each of them do
// the same work on the same bytes, which are such as people have.
type Probe struct {
	Name  string                      // the family, and the task where it has several
	Step  int                         // the work comes in multiples of so many bytes
	Most  int                         // and of no more than so many; 0 if of any number
	Forms []Variant[func(n int) Work] // make ready to work on n bytes; best first, the plain twin last
}

// Fit returns the largest number of bytes up to n that the task can be of, at least a step.
func (p *Probe) Fit(n int) int {
	if p.Most > 0 {
		n = min(n, p.Most)
	}
	return max(p.Step, n-n%p.Step)
}

// NewProbe returns the probe of a table of variants. ready makes a form ready to work on n
// bytes, which it makes itself, the same each time.
func NewProbe[F any](name string, step, most int, variants []Variant[F], ready func(f F, n int) Work) Probe {
	p := Probe{Name: name, Step: step, Most: most}
	for _, v := range variants {
		p.Forms = append(p.Forms, Variant[func(int) Work]{v.ISA, func(n int) Work { return ready(v.Func, n) }})
	}
	return p
}

// Repeat returns work of a function that leaves nothing behind but its result.
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
