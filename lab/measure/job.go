package measure

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/thresh-dev/thresh/lab"
)

// Choice says what of the experiments is measured.
type Choice struct {
	Only  *regexp.Regexp // variants whose ID matches; nil means all
	Scale []int          // numbers of workers, instead of the experiments' own
	Cold  bool           // also with inputs that are not in the page cache
}

// job is a variant under a setting.
type job struct {
	experiment *lab.Experiment
	variant    *lab.Variant
	setting    lab.Setting
	bytes      int64  // of the experiment's input for it, as asked for
	skipped    string // why it cannot run, "" if it can
}

// jobs returns what is to be measured of an experiment of so many bytes: first what needs no particular
// state of the page cache, cold files last.
func (c Choice) jobs(e *lab.Experiment, bytes int64) (all []job, err error) {
	for i := range e.Variants {
		v := &e.Variants[i]
		if c.Only != nil && !c.Only.MatchString(v.ID) {
			continue
		}
		missing := Missing(v)
		size, err := inputBytes(e, v, bytes)
		if err != nil {
			return nil, err
		}
		if v.Compare != nil {
			size = bytes
		}
		for _, s := range c.settings(v) {
			all = append(all, job{e, v, s, size, missing})
		}
	}
	order := []lab.State{lab.Any, lab.Warm, lab.Pieces, lab.Cold}
	slices.SortStableFunc(all, func(a, b job) int {
		return cmp.Compare(slices.Index(order, a.setting.State), slices.Index(order, b.setting.State))
	})
	return all, nil
}

// inputBytes returns the size of a variant's input, 0 if it has none.
func inputBytes(e *lab.Experiment, v *lab.Variant, bytes int64) (int64, error) {
	if v.Input == "" {
		return 0, nil
	}
	i, err := inputOf(e, v)
	if err != nil {
		return 0, err
	}
	size := float64(bytes) * i.Share
	if v.Share > 0 {
		size *= v.Share
	}
	return int64(size) &^ (page - 1), nil
}

func inputOf(e *lab.Experiment, v *lab.Variant) (lab.Input, error) {
	for _, i := range e.Inputs {
		if i.Name == v.Input {
			return i, nil
		}
	}
	return lab.Input{}, fmt.Errorf("thresh: bug: %s has no input %q", v.ID, v.Input)
}

// settings returns the settings that a variant is measured under.
func (c Choice) settings(v *lab.Variant) (all []lab.Setting) {
	own := v.Settings
	if len(own) == 0 {
		own = []lab.Setting{{}}
	}
	for _, s := range own {
		if s.State == lab.Cold && !c.Cold {
			continue
		}
		workers := []int{s.Workers}
		if s.Workers > 0 && c.Scale != nil {
			workers = c.Scale
		}
		for _, s.Workers = range workers {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// Check returns an error unless the experiments are in order: IDs that occur once and begin with the
// experiment's name, inputs that exist.
func Check(experiments []*lab.Experiment) (err error) {
	seen := map[string]bool{}
	for _, e := range experiments {
		for i := range e.Variants {
			v := &e.Variants[i]
			if seen[v.ID] {
				err = errors.Join(err, fmt.Errorf("thresh: bug: %s occurs twice", v.ID))
			}
			seen[v.ID] = true
			if (v.Run == nil) == (v.Compare == nil) {
				err = errors.Join(err, fmt.Errorf("thresh: bug: %s cannot be run", v.ID))
			}
			_, ierr := inputBytes(e, v, 0)
			err = errors.Join(err, ierr)
		}
	}
	return err
}

// Missing returns why a variant cannot run here, "" if it can.
func Missing(v *lab.Variant) string {
	if v.Missing == nil {
		return ""
	}
	return v.Missing()
}
