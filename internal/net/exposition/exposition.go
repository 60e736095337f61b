// Package exposition adds to metrics in the text format of Prometheus what the metrics library leaves out unless it
// is told so for the whole program: a line of help and a type for each metric. Without types a parser takes every
// metric as untyped.
package exposition

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Write writes samples with help and types. The samples of a metric must stand together. Help has the metrics'
// names, without the suffixes of histograms; metrics that it does not have get a type only. What ends in _total is a
// counter, what has buckets a histogram, what has quantiles a summary, and all else a gauge.
func Write(w io.Writer, samples []byte, help map[string]string) error {
	composed := map[string]string{} // types of metrics with samples of several names
	for line := range bytes.Lines(samples) {
		switch name, labels := split(line); {
		case strings.HasSuffix(name, "_bucket") && strings.Contains(labels, "le="):
			composed[strings.TrimSuffix(name, "_bucket")] = "histogram"
		case strings.HasPrefix(labels, "quantile=") || strings.Contains(labels, ",quantile="):
			composed[name] = "summary"
		}
	}
	var out bytes.Buffer
	typed := map[string]bool{}
	for line := range bytes.Lines(samples) {
		name, _ := split(line)
		typ := "gauge"
		if strings.HasSuffix(name, "_total") {
			typ = "counter"
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count", ""} {
			if base, ok := strings.CutSuffix(name, suffix); ok && composed[base] != "" {
				name, typ = base, composed[base]
				break
			}
		}
		if !typed[name] {
			typed[name] = true
			if text := help[name]; text != "" {
				fmt.Fprintf(&out, "# HELP %s %s\n", name, text)
			}
			fmt.Fprintf(&out, "# TYPE %s %s\n", name, typ)
		}
		out.Write(line)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// split returns the name of a sample, and what follows its brace.
func split(line []byte) (name, labels string) {
	end := bytes.IndexAny(line, "{ ")
	if end < 0 {
		return string(line), ""
	}
	return string(line[:end]), string(line[end+1:])
}
