package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// selector is what to look for, as typed: the flags that find and count share.
type selector struct {
	nonzero          bool
	text, hex, regex string
	typ              string
	compared         [6]string
	between          string
	nan              bool
	stride           size
}

// comparisons are the flags that take one value, in the order of selector.compared.
var comparisons = [6]struct {
	flag string
	op   thresh.Op
	help string
}{
	{"eq", thresh.Equal, "values equal to V"},
	{"ne", thresh.NotEqual, "values not equal to V"},
	{"lt", thresh.Less, "values less than V"},
	{"le", thresh.LessOrEqual, "values less than or equal to V"},
	{"gt", thresh.Greater, "values greater than V"},
	{"ge", thresh.GreaterOrEqual, "values greater than or equal to V"},
}

func (s *selector) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.nonzero, "nonzero", false, "bytes that are not 0; holes of sparse files are skipped")
	f.StringVar(&s.text, "text", "", "literal bytes")
	f.StringVar(&s.hex, "hex", "", "bytes in hexadecimal, ? for any digit: 'AA ?? B?'")
	f.StringVar(&s.regex, "regex", "", "RE2 expression; matches do not span a line feed")
	f.StringVar(&s.typ, "type", "", "typed values: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, then le (default) or be")
	for i, c := range comparisons {
		f.StringVar(&s.compared[i], c.flag, "", c.help)
	}
	f.StringVar(&s.between, "between", "", "values from A to B, both included: A,B")
	f.BoolVar(&s.nan, "nan", false, "values that are not a number (f32, f64)")
	f.Var(&s.stride, "stride", "a value every N bytes from --offset (default: the width of the type)")
}

// query compiles the one selector that was given.
func (s *selector) query(flags *pflag.FlagSet) (*thresh.Query, error) {
	conditions, err := s.conditions(flags)
	if err != nil {
		return nil, err
	}
	if !flags.Changed("type") && (len(conditions) > 0 || flags.Changed("stride")) {
		return nil, errors.New("comparisons and --stride need --type, which says how values are stored")
	}
	switch {
	case s.nonzero:
		return thresh.NonZero(), nil
	case flags.Changed("text"):
		return named1("text", s.text)(thresh.Text(s.text))
	case flags.Changed("hex"):
		return named1("hex", s.hex)(thresh.Hex(s.hex))
	case flags.Changed("regex"):
		return thresh.Regexp(s.regex) // its errors quote the expression
	case flags.Changed("type"):
		if len(conditions) == 0 {
			return nil, errors.New("--type needs a comparison: --eq, --ne, --lt, --le, --gt, --ge, --between or --nan")
		}
		if flags.Changed("stride") && s.stride == 0 {
			return nil, errStrideZero
		}
		return thresh.Values(s.typ, int64(s.stride), conditions...)
	}
	return nil, errNothingAsked
}

var errStrideZero = errors.New("--stride 0: values cannot all lie at the same place")

var errNothingAsked = errors.New("what to find? give one of --nonzero, --text, --hex, --regex and --type")

// named1 puts the flag and its value before an error about it.
func named1(flag, value string) func(*thresh.Query, error) (*thresh.Query, error) {
	return func(q *thresh.Query, err error) (*thresh.Query, error) {
		if err != nil {
			return nil, fmt.Errorf("--%s '%s': %w", flag, value, err)
		}
		return q, nil
	}
}

func (s *selector) conditions(flags *pflag.FlagSet) (out []thresh.Condition, err error) {
	for i, c := range comparisons {
		if flags.Changed(c.flag) {
			out = append(out, thresh.Condition{Op: c.op, Value: s.compared[i]})
		}
	}
	if flags.Changed("between") {
		low, high, ok := strings.Cut(s.between, ",")
		if !ok {
			return nil, fmt.Errorf("--between '%s': two values with a comma between them are needed", s.between)
		}
		out = append(out, thresh.Condition{Op: thresh.Between,
			Value: strings.TrimSpace(low), High: strings.TrimSpace(high)})
	}
	if s.nan {
		out = append(out, thresh.Condition{Op: thresh.IsNaN})
	}
	return out, nil
}
