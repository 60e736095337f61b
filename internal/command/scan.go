package command

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
)

// Scan asks a question of each input by itself, in this process. R is the report about an input.
type Scan[R any] struct {
	*Local
	// Plan says how an input would be read.
	Plan func(*thresh.Input, options.Find) (thresh.Plan, error)
	// One asks the question of an open input.
	One func(ctx context.Context, in *thresh.Input) (R, error)
	// Many asks it of many inputs at once, and calls Done for each. Nil asks one input after the other.
	Many func(ctx context.Context, names iter.Seq2[string, error]) error
	// Done gets the report about each input. An error that it returns ends the run.
	Done func(name string, report R, err error) error
	// Apart returns how to ask an input that is asked in a way of its own, such as a file of tensors; nil for others,
	// as is Apart if there are none.
	Apart func(name string) (ask func(context.Context) error, err error)
}

// Ask asks the question of all inputs. One of several that cannot be opened is reported, and the others are still
// asked.
func (s *Scan[R]) Ask(ctx context.Context) error {
	if !s.Several {
		return s.Fail(s.Inputs[0], s.single(ctx, s.Inputs[0]))
	}
	if s.Explaining() {
		if err := s.explainAll(ctx); err != nil || s.DryRun {
			return err
		}
	}
	return s.several(ctx)
}

// single asks one input.
func (s *Scan[R]) single(ctx context.Context, name string) error {
	if ask, err := s.apart(name); ask != nil || err != nil {
		return run(ctx, ask, err)
	}
	in, err := s.Open(name)
	if err != nil {
		return err
	}
	defer in.Close() // only read from, so an error loses nothing
	if s.Explaining() && !s.Several {
		if err := s.PrintPlan(s.Plan(in, s.Options)); err != nil || s.DryRun {
			return err
		}
	}
	s.Bytes.Store(0)
	bar := s.Bar(in.Name(), s.bytesOf(in), s.Lines)
	report, err := s.One(ctx, in)
	bar.Stop()
	return s.Done(name, report, err)
}

func (s *Scan[R]) apart(name string) (ask func(context.Context) error, err error) {
	if s.Apart == nil {
		return nil, nil
	}
	return s.Apart(name)
}

func run(ctx context.Context, ask func(context.Context) error, err error) error {
	if err != nil {
		return err
	}
	return ask(ctx)
}

// several asks several inputs: those that are asked together, up to one that is asked apart; and so on to the end. So
// answers come in the order of the names.
func (s *Scan[R]) several(ctx context.Context) error {
	if s.Many != nil {
		bar := s.Bar("all inputs", 0, true)
		defer bar.Stop()
	}
	if s.Apart == nil {
		return s.together(ctx, s.Names())
	}
	next, stop := iter.Pull2(s.Names())
	defer stop()
	for {
		name, err, ok := next()
		if !ok {
			return nil
		}
		var ask func(context.Context) error
		if err == nil {
			ask, err = s.Apart(name)
		}
		if ask == nil && err == nil {
			// Until the next one that is asked apart.
			until := func(yield func(string, error) bool) {
				for more := yield(name, nil); more; more = yield(name, err) {
					if name, err, ok = next(); !ok {
						return
					}
					if err == nil {
						if ask, err = s.Apart(name); ask != nil || err != nil {
							return
						}
					}
				}
			}
			if err := s.together(ctx, until); err != nil {
				return err
			}
			if !ok || ask == nil && err == nil {
				return nil
			}
		}
		if err := s.Fail(name, run(ctx, ask, err)); err != nil {
			return err
		}
	}
}

// together asks inputs at once, or one after the other.
func (s *Scan[R]) together(ctx context.Context, names iter.Seq2[string, error]) error {
	if s.Many != nil {
		return s.Many(ctx, names)
	}
	for name, err := range names {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = s.single(ctx, name)
		}
		if err := s.Fail(name, err); err != nil {
			return err
		}
	}
	return nil
}

// explainAll prints the plan for each of several inputs.
func (s *Scan[R]) explainAll(ctx context.Context) error {
	for name, err := range s.Names() {
		if err == nil {
			err = s.explain(ctx, name)
		}
		if err := s.Fail(name, err); err != nil {
			return err
		}
	}
	if s.unopened {
		return Exit(WrongUsage, nil)
	}
	return nil
}

// explain prints the plan for an input. One that is asked apart prints its plan when it is asked.
func (s *Scan[R]) explain(ctx context.Context, name string) error {
	if ask, err := s.apart(name); err != nil || ask != nil && s.DryRun {
		return run(ctx, ask, err)
	} else if ask != nil {
		return nil
	}
	in, err := s.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(s.PrintPlan(s.Plan(in, s.Options)), in.Close())
}
