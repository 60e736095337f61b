package main

import (
	"errors"
	"io"

	"github.com/thresh-dev/thresh/lab"
)

// page writes the report as HTML.
func page(io.Writer, []*lab.Experiment, []lab.Results) error { return errors.ErrUnsupported }

// markdown writes the report as Markdown.
func markdown(io.Writer, []*lab.Experiment, []lab.Results) error { return errors.ErrUnsupported }
