package main

import (
	"context"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/kernelbench"
)

// kernelFigures are what was measured of inner loops, and how it is printed.
type kernelFigures[R any] struct {
	rows []R
	text func([]R) string
	json func([]R) ([]byte, error)
}

// Text returns the figures as an aligned table for people.
func (k *kernelFigures[R]) Text() string { return k.text(k.rows) }

// MarshalJSON returns the figures as a list of objects.
func (k *kernelFigures[R]) MarshalJSON() ([]byte, error) { return k.json(k.rows) }

// ofKernels returns a function that measures the inner loops whose names begin with name, all of them if it is empty.
// Each answer is first compared with that of the plain variant; a different one is an error. Step is called with the
// name of each before it is measured.
func ofKernels[R any](measure func(context.Context, []kernel.Probe, func(string)) ([]R, error),
	text func([]R) string, json func([]R) ([]byte, error),
) func(ctx context.Context, name string, step func(string)) (*kernelFigures[R], error) {
	return func(ctx context.Context, name string, step func(string)) (*kernelFigures[R], error) {
		probes, err := kernelbench.Named(name)
		if err != nil {
			return nil, err
		}
		rows, err := measure(ctx, probes, step)
		if err != nil {
			return nil, err
		}
		return &kernelFigures[R]{rows, text, json}, nil
	}
}
