package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/question"
)

// selector holds the flags that say what to find or to count.
type selector struct {
	nonZero            bool
	texts, hex, regexp []string
	ignoreCase         bool
	kind               string
	stride             int64
	values             map[question.Op]*[]string
	nan, inf           bool
}

func (s *selector) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&s.nonZero, "nonzero", false, "bytes that are not 0")
	flags.StringArrayVar(&s.texts, "text", nil, "the bytes of `TEXT`; may be repeated: any of them")
	flags.StringArrayVar(&s.hex, "hex", nil, "bytes in hexadecimal, ? is any digit: `'7F 45 ??'`; may be repeated")
	flags.StringArrayVar(&s.regexp, "regex", nil, "matches of the RE2 expression `RE`; may be repeated")
	flags.BoolVarP(&s.ignoreCase, "ignore-case", "i", false, "with --text: ignore the case of letters")
	flags.StringVar(&s.kind, "type", "", "values of `TYPE`: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, also i16be and so on")
	flags.Int64Var(&s.stride, "stride", 0, "with --type: `BYTES` from one value to the next (default: packed)")
	s.values = map[question.Op]*[]string{}
	for _, c := range []struct {
		name string
		op   question.Op
	}{{"eq", question.Equal}, {"ne", question.NotEqual}, {"lt", question.Less}, {"le", question.LessOrEqual},
		{"gt", question.Greater}, {"ge", question.GreaterOrEqual}, {"between", question.Between}} {
		list := new([]string)
		s.values[c.op] = list
		value := "`V`"
		if c.op == question.Between {
			value = "`A,B`"
		}
		flags.StringArrayVar(list, c.name, nil, "with --type: values "+c.op.String()+" "+value)
	}
	flags.BoolVar(&s.nan, "nan", false, "with --type: NaN")
	flags.BoolVar(&s.inf, "inf", false, "with --type: an infinity")
}

// fill sets the selector of a question. It returns how many selectors there were.
func (s *selector) fill(q *cluster.Question) (n int, err error) {
	q.NonZero, q.Texts, q.Hex, q.Regexps, q.IgnoreCase = s.nonZero, s.texts, s.hex, s.regexp, s.ignoreCase
	for _, given := range []bool{s.nonZero, len(s.texts)+len(s.hex) > 0, len(s.regexp) > 0, s.kind != ""} {
		if given {
			n++
		}
	}
	if s.ignoreCase && len(s.texts) == 0 {
		return n, errors.New("--ignore-case is for --text")
	}
	conditions, err := s.conditions()
	switch {
	case err != nil:
		return n, err
	case s.kind != "":
		q.Column = &question.Values{Type: question.ValueType(s.kind), Stride: s.stride, Conditions: conditions}
	case len(conditions) > 0 || s.stride != 0:
		return n, errors.New("comparisons and --stride are for --type")
	}
	return n, nil
}

func (s *selector) conditions() (all []question.Condition, err error) {
	for op := question.Equal; op <= question.Between; op++ {
		for _, v := range *s.values[op] {
			c := question.Condition{Op: op, Value: v}
			if op == question.Between {
				var ok bool
				if c.Value, c.High, ok = strings.Cut(v, ","); !ok {
					return nil, fmt.Errorf("--between %q: write A,B", v)
				}
			}
			all = append(all, c)
		}
	}
	if s.nan {
		all = append(all, question.Condition{Op: question.IsNaN})
	}
	if s.inf {
		all = append(all, question.Condition{Op: question.IsInf})
	}
	return all, nil
}

func newFind(p *printer) *cobra.Command {
	var s selector
	q := cluster.Question{Verb: cluster.Find}
	cmd := &cobra.Command{
		Use: "find [flags] FILE...", Short: "where is it? the first place in each input, or all", Args: cobra.MinimumNArgs(1),
		Example: "  thresh cluster find --text req=7f3a9c 'logs/*.log'\n" +
			"  thresh cluster find --type i64 --ne 0 --all huge.bin",
		RunE: func(cmd *cobra.Command, args []string) error {
			if n, err := s.fill(&q); err != nil || n != 1 {
				return errors.Join(err, oneSelector(n))
			}
			return p.ask(cmd.Context(), &q, args, func(a *cluster.Answer, to io.Writer) error { return p.places(a, to) })
		},
	}
	s.add(cmd)
	cmd.Flags().BoolVar(&q.All, "all", false, "all places, not only the first")
	return cmd
}

func oneSelector(n int) error {
	if n == 1 {
		return nil
	}
	return fmt.Errorf("what to look for? %d selectors were given; give one kind", n)
}

// places prints offsets.
func (p *printer) places(a *cluster.Answer, to io.Writer) error {
	w := newLines(to)
	var all int64
	for i, in := range a.Inputs {
		one := func(off, length int64) error {
			all++
			switch {
			case p.json && a.Question.All:
				return w.object(map[string]any{"file": in.Name, "offset": off, "length": length})
			case p.json:
				return w.object(map[string]any{"file": in.Name, "offset": off})
			case p.several:
				return w.printf("%s:%d\n", in.Name, off)
			}
			return w.printf("%d\n", off)
		}
		var err error
		if a.Question.All {
			err = a.Hits(i, one)
		} else if in.Hits > 0 {
			err = one(in.Lowest, 0)
		}
		if err != nil {
			return err
		}
	}
	if p.json {
		if err := w.object(map[string]any{"summary": map[string]any{"hits": all, "bytes": a.Receipt.Bytes,
			"complete": true}}); err != nil {
			return err
		}
	}
	return w.end(all > 0)
}

func newCount(p *printer) *cobra.Command {
	var s selector
	var lines, words, chars, rows, statistics, histogram bool
	var delim, width string
	var bins int
	cmd := &cobra.Command{
		Use: "count [flags] FILE...", Short: "how many? values, lines, records, matches; statistics, histograms",
		Args: cobra.MinimumNArgs(1),
		Example: "  thresh cluster count --lines 'logs/*.log'\n  thresh cluster count --type f32 --stats weights.bin\n" +
			"  thresh cluster count --type i64 --histogram --width 1000 t.bin",
		RunE: func(cmd *cobra.Command, args []string) error {
			q := cluster.Question{Verb: cluster.Count, Lines: lines, Words: words, Chars: chars, Rows: rows,
				Stats: statistics}
			n, err := s.fill(&q)
			for _, given := range []bool{q.Sizes() > 0, rows, histogram && s.kind == ""} {
				if given {
					n++
				}
			}
			if err == nil {
				err = oneSelector(n)
			}
			if err == nil && q.Rows {
				q.Delim, err = oneByte("delimiter", delim)
			}
			if err == nil && histogram {
				err = divide(&q, width, bins)
			}
			if err == nil && !histogram && (width != "" || bins != 0) {
				err = errors.New("--width and --bins are for --histogram")
			}
			if err == nil && statistics && (q.Column == nil || histogram) {
				err = errors.New("--stats is for --type, and not with --histogram")
			}
			if err != nil {
				return err
			}
			return p.ask(cmd.Context(), &q, args, func(a *cluster.Answer, to io.Writer) error { return p.numbers(a, to) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&lines, "lines", "l", false, "line feeds, plus one if the last line has none")
	flags.BoolVarP(&words, "words", "w", false, "words, as wc -w; also with --lines and --chars")
	flags.BoolVarP(&chars, "chars", "m", false, "UTF-8 characters, as wc -m")
	flags.BoolVar(&rows, "rows", false, "records of quoted CSV")
	flags.StringVarP(&delim, "delimiter", "d", ",", "with --rows: the `BYTE` between fields; \\t is a tab")
	s.add(cmd)
	flags.BoolVar(&statistics, "stats", false, "with --type: number, NaN, minimum, maximum, exact sum and mean")
	flags.BoolVar(&histogram, "histogram", false, "how many values are in each bin, of bytes or of --type")
	flags.StringVar(&width, "width", "", "with --histogram: bins of width `W`, with an edge at 0")
	flags.IntVar(&bins, "bins", 0, "with --histogram: `N` bins between the values of --between")
	return cmd
}

// divide sets the bins of a histogram.
func divide(q *cluster.Question, width string, bins int) error {
	q.Histogram = &question.Bins{Width: width, Number: bins}
	if q.Column == nil {
		q.Column = &question.Values{Type: "u8"}
	}
	if bins == 0 {
		return nil
	}
	for i, c := range q.Column.Conditions {
		if c.Op == question.Between && len(q.Column.Conditions) == 1 {
			q.Histogram.Low, q.Histogram.High = c.Value, c.High
			q.Column.Conditions = q.Column.Conditions[:i]
			return nil
		}
	}
	return errors.New("--bins N needs the range that is divided: give --between A,B, or --width")
}

func newGrep(p *printer) *cobra.Command {
	q := cluster.Question{Verb: cluster.Grep}
	g := &q.Lined
	var names, noNames bool
	cmd := &cobra.Command{
		Use: "grep [flags] PATTERN FILE...", Short: "which lines? in the order of the files",
		Example: "  thresh cluster grep ERROR 'logs/*.log'\n  thresh cluster grep -c -e timeout -e refused huge.log",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(g.Patterns) == 0 {
				g.Patterns, args = args[:1], args[1:]
			}
			if len(args) == 0 {
				return errors.New("no input: name files")
			}
			return p.ask(cmd.Context(), &q, args, func(a *cluster.Answer, to io.Writer) error {
				return p.lines(a, to, names || p.several && !noNames)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&g.Patterns, "regexp", "e", nil, "a `PATTERN`; may be repeated")
	flags.BoolVarP(&g.Fixed, "fixed-strings", "F", false, "patterns are texts, not expressions")
	flags.BoolVarP(&g.IgnoreCase, "ignore-case", "i", false, "ignore the case of letters")
	flags.BoolVarP(&g.SmartCase, "smart-case", "S", false, "ignore it in patterns without upper case")
	flags.BoolVarP(&g.Invert, "invert-match", "v", false, "lines that do not match")
	flags.BoolVarP(&g.Word, "word-regexp", "w", false, "matches that are whole words")
	flags.BoolVarP(&g.Whole, "line-regexp", "x", false, "matches that are whole lines")
	flags.BoolVarP(&g.Count, "count", "c", false, "print only how many lines")
	flags.BoolVar(&g.Only, "only-matching", false, "print matches instead of lines")
	flags.BoolVarP(&g.Offsets, "byte-offset", "b", false, "print the offset of each line or match")
	flags.BoolVarP(&names, "with-filename", "H", false, "print names of files")
	flags.BoolVar(&noNames, "no-filename", false, "print no names of files")
	return cmd
}

// lines prints the lines of grep, or how many there are.
func (p *printer) lines(a *cluster.Answer, to io.Writer, names bool) error {
	w := newLines(to)
	var all int64
	for i, in := range a.Inputs {
		all += in.Hits
		prefix := ""
		if names {
			prefix = in.Name + ":"
		}
		var err error
		switch {
		case p.json && a.Question.Lined.Count:
			err = w.object(map[string]any{"file": in.Name, "lines": in.Hits})
		case p.json:
			err = a.Lines(i, func(text []byte) error { return w.jsonLines(in.Name, text) })
		case a.Question.Lined.Count:
			err = w.printf("%s%d\n", prefix, in.Hits)
		default:
			err = a.Lines(i, func(text []byte) error { return w.prefixed(prefix, text) })
		}
		if err != nil {
			return err
		}
	}
	return w.end(all > 0)
}
