package verbs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/options"
)

// setting is a flag of table as typed, and the check that it had its effect.
type setting struct {
	flag, value string // value is empty for a flag that takes none
	obeyed      func(f *tableFlags, spec thresh.TableSpec, format options.Format) bool
}

func (s setting) args() []string {
	if s.value == "" {
		return []string{"--" + s.flag}
	}
	return []string{"--" + s.flag + "=" + s.value}
}

// settings returns two or more values of each flag that another flag could override.
func settings() (all []setting) {
	add := func(flag, value string, obeyed func(f *tableFlags, spec thresh.TableSpec, format options.Format) bool) {
		all = append(all, setting{flag, value, obeyed})
	}
	last := func(s thresh.TableSpec) thresh.Groups {
		for i := len(s.Questions) - 1; i >= 0; i-- {
			if g, ok := s.Questions[i].(*thresh.Groups); ok {
				return *g
			}
		}
		return thresh.Groups{}
	}
	for _, format := range []string{"csv", "json", "arrow"} {
		add("format", format, func(_ *tableFlags, _ thresh.TableSpec, f options.Format) bool { return f == options.Format(format) })
	}
	add("json", "", func(f *tableFlags, _ thresh.TableSpec, is options.Format) bool {
		return f.JSON && is == options.FormatJSON
	})
	add("quiet", "", func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool {
		return f.Quiet && !f.JSON && f.format == "" && f.Output == "" && !f.Explain && !f.DryRun
	})
	add("explain", "", func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.Explain && !f.Quiet })
	add("dry-run", "", func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.DryRun && !f.Quiet })
	for _, out := range []string{"a.csv", "b.json"} {
		// The name of the file sets the format if no other flag does.
		add("output", out, func(f *tableFlags, _ thresh.TableSpec, is options.Format) bool {
			return f.Output == out && !f.Quiet && (f.JSON || f.format != "" || strings.HasSuffix(out, string(is)))
		})
	}
	add("header", "", func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return s.Dialect.Header })
	add("no-header", "", func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return !s.Dialect.Header })
	for value, is := range map[string]byte{";": ';', `\t`: '\t'} {
		add("delimiter", value, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return s.Dialect.Delim == is })
	}
	for value, is := range map[string]byte{"none": 0, "'": '\''} {
		add("quote", value, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return s.Dialect.Quote == is })
	}
	for _, null := range []string{"NA", "-"} {
		add("null", null, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool {
			return slices.Contains(s.Dialect.Nulls, null)
		})
	}
	for value, is := range map[string]int64{"1": 1, "20": 20} {
		add("skip-lines", value, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return s.Dialect.SkipLines == is })
	}
	for value, is := range map[string]options.Malformed{"skip": options.MalformedSkip, "keep": options.MalformedKeep} {
		add("malformed", value, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return s.Malformed == is })
	}
	for _, where := range []string{"1 = 2", "2 = 3"} {
		add("where", where, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool {
			return strings.Contains(s.Where, where)
		})
	}
	for value, by := range map[string]string{"key": thresh.ByKey, "value": thresh.ByValue, "sum(1) asc": "sum(1) asc"} {
		add("sort", value, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return last(s).OrderBy == by })
	}
	for _, by := range []string{"sum(1)", "max(2)"} {
		add("top-by", by, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return last(s).OrderBy == by+" desc" })
	}
	for _, having := range []string{"count > 1", "count > 2"} {
		add("having", having, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return last(s).Having == having })
	}
	for value, n := range map[string]int64{"3": 3, "4": 4} {
		add("limit", value, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool { return last(s).Limit == n })
	}
	for _, value := range []string{"sum(3)", "count"} {
		add("agg", value, func(_ *tableFlags, s thresh.TableSpec, _ options.Format) bool {
			return strings.Contains(last(s).Aggregates, value)
		})
	}
	for value, n := range map[string]int{"1": 1, "2": 2} {
		add("workers", value, func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.Workers == n })
	}
	for _, engine := range []string{"pread", "mmap"} {
		add("engine", engine, func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.Engine == engine })
	}
	for value, n := range map[string]command.Size{"1k": 1000, "2k": 2000} {
		add("chunk", value, func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.Chunk == n })
		add("offset", value, func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.Offset == n })
		add("length", value, func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.Length == n })
	}
	for _, cache := range []string{"keep", "neutral"} {
		add("cache", cache, func(f *tableFlags, _ thresh.TableSpec, _ options.Format) bool { return f.Cache == cache })
	}
	return all
}

// TestNoFlagWinsSilently: for every pair of settings, in both orders, either both have their effect
// or the error names both flags.
func TestNoFlagWinsSilently(t *testing.T) {
	all := settings()
	refused := 0
	for _, a := range all {
		for _, b := range all {
			if a.flag == b.flag && a.value == b.value {
				continue
			}
			args := slices.Concat([]string{"--group=1"}, a.args(), b.args())
			f, spec, format, err := parsedTable(args)
			if err != nil {
				refused++
				if text := err.Error(); !strings.Contains(text, a.flag) || !strings.Contains(text, b.flag) {
					t.Errorf("%q: the error does not name both: %v", args, err)
				}
				continue
			}
			if !a.obeyed(f, spec, format) || !b.obeyed(f, spec, format) {
				t.Errorf("%q: %s is obeyed: %v, %s: %v", args, a.flag, a.obeyed(f, spec, format), b.flag, b.obeyed(f, spec, format))
			}
		}
	}
	if refused < 40 {
		t.Errorf("of %d settings only %d pairs are errors", len(all), refused)
	}
}

// parsedTable parses the flags of table.
func parsedTable(args []string) (*tableFlags, thresh.TableSpec, options.Format, error) {
	var f tableFlags
	v := f.verb()
	var spec thresh.TableSpec
	var format options.Format
	v.Run = func(_ context.Context, c *command.Call) (err error) {
		if spec, err = f.spec(c.Args); err != nil {
			return err
		}
		format, err = formatOf(&f.Shared, f.format, f.chart, c.Console)
		return err
	}
	cmd := v.Command(command.NewConsole(nil, nil, nil, nil), false)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append(args, "file.csv"))
	err := cmd.Execute()
	return &f, spec, format, err
}

// TestRepeatedFlags: repeating a flag with the same value is not an error.
func TestRepeatedFlags(t *testing.T) {
	for _, s := range settings() {
		args := slices.Concat([]string{"--group=1"}, s.args(), s.args())
		f, spec, format, err := parsedTable(args)
		if err != nil || !s.obeyed(f, spec, format) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, _, _, err := parsedTable([]string{"--top=2:1", "--limit=3"}); err == nil || !strings.Contains(err.Error(), "--top 2:1") {
		t.Errorf("--top and --limit: %v", err)
	}
	for _, format := range []string{"table", "csv", "json", "arrow", "parquet"} {
		_, _, _, err := parsedTable([]string{"--rows", "-o", format})
		if want := fmt.Sprintf("--format %s", format); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("-o %s: %v, want %s", format, err, want)
		}
	}
}
