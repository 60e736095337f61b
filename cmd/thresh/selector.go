package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// selector is what to look for, as typed: the flags that find and count share.
type selector struct {
	nonzero          bool
	text, hex, regex repeatedFlag
	ignoreCase       bool
	typ              string
	compared         [6]repeatedFlag
	between          repeatedFlag
	nan, inf         bool
	stride           size
}

// several is a flag that may be given several times.
type repeatedFlag []string

func (s *repeatedFlag) Set(text string) error { *s = append(*s, text); return nil }
func (s *repeatedFlag) String() string        { return "" }
func (s *repeatedFlag) Type() string          { return "string" }

// comparisons are the flags that take one value, in the order of selector.compared.
var comparisons = [6]struct {
	flag string
	op   thresh.Op
	help string
}{
	{"eq", thresh.Equal, "values equal to V; several times: to any of them"},
	{"ne", thresh.NotEqual, "values not equal to V; several times: to none of them"},
	{"lt", thresh.Less, "values less than V"},
	{"le", thresh.LessOrEqual, "values less than or equal to V"},
	{"gt", thresh.Greater, "values greater than V"},
	{"ge", thresh.GreaterOrEqual, "values greater than or equal to V"},
}

func (s *selector) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.nonzero, "nonzero", false, "bytes that are not 0; holes of sparse files are skipped")
	f.Var(&s.text, "text", "literal bytes; several times: any of them")
	f.Var(&s.hex, "hex", "bytes in hexadecimal, ? for any digit: 'AA ?? B?'; several times: any of them")
	f.Var(&s.regex, "regex", "RE2 expression; matches do not span a line feed; several times: any of them")
	f.BoolVarP(&s.ignoreCase, "ignore-case", "i", false, "letters of --text and --regex fit those of either case")
	f.StringVar(&s.typ, "type", "", "typed values: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, then le (default) or be")
	for i, c := range comparisons {
		f.Var(&s.compared[i], c.flag, c.help)
	}
	f.Var(&s.between, "between", "values from A to B, both included: A,B; several times: any of them")
	f.BoolVar(&s.nan, "nan", false, "values that are not a number (f32, f64); with --inf: either")
	f.BoolVar(&s.inf, "inf", false, "infinite values (f32, f64)")
	f.Var(&s.stride, "stride", "a value every N bytes from --offset (default: the width of the type)")
}

// valueFlags are the flags that say which values fit.
var valueFlags = []string{"eq", "ne", "lt", "le", "gt", "ge", "between", "nan", "inf"}

// selectorRules are the flags of a selector that do not go together.
func selectorRules() []rule {
	const kinds = "one says what to look for, so that the other would say nothing"
	values := append([]string{"type", "stride"}, valueFlags...)
	rules := []rule{
		{[]string{"nonzero"}, []string{"text", "hex", "regex"}, kinds},
		{[]string{"regex"}, []string{"text", "hex"}, "write all of them as --regex"},
		{[]string{"nonzero", "text", "hex", "regex"}, values, kinds},
		{[]string{"ignore-case"}, append([]string{"hex", "nonzero"}, values...), "only text has upper and lower case"},
	}
	return rules
}

// query compiles what the flags say is looked for.
func (s *selector) query(flags *pflag.FlagSet) (*thresh.Query, error) {
	if s.ignoreCase && len(s.text)+len(s.regex) == 0 {
		return nil, errors.New("--ignore-case needs --text or --regex")
	}
	if given := firstOf(flags, append([]string{"stride"}, valueFlags...)); given != "" && !flags.Changed("type") {
		return nil, fmt.Errorf("--%s needs --type, which says how values are stored", given)
	}
	switch {
	case s.nonzero:
		return thresh.NonZero(), nil
	case len(s.text)+len(s.hex) > 0:
		return thresh.AnyOf(thresh.Literals{Texts: s.text, Hex: s.hex, IgnoreCase: s.ignoreCase})
	case len(s.regex) > 0:
		exprs := slices.Clone(s.regex)
		for i := range exprs {
			if s.ignoreCase {
				exprs[i] = "(?i)" + exprs[i]
			}
		}
		return thresh.Regexp(exprs...) // errors quote the expression
	case flags.Changed("type"):
		conditions, err := s.conditions()
		if err != nil {
			return nil, err
		}
		if len(conditions) == 0 {
			return nil, errors.New("--type needs a comparison: --eq, --ne, --lt, --le, --gt, --ge, --between, --nan or --inf")
		}
		if flags.Changed("stride") && s.stride == 0 {
			return nil, errStrideZero
		}
		return thresh.Values(s.column(conditions))
	}
	return nil, errNothingAsked
}

var errStrideZero = errors.New("--stride 0: values cannot all lie at the same place")

var errNothingAsked = errors.New("what to find? give one of --nonzero, --text, --hex, --regex and --type")

// conditions returns what the values must be like. A bound that is given twice is refused:
// one of the two would say nothing.
func (s *selector) conditions() (out []thresh.Condition, err error) {
	for i, c := range comparisons {
		values := s.compared[i]
		if bound := c.op != thresh.Equal && c.op != thresh.NotEqual; bound && len(values) > 1 {
			return nil, fmt.Errorf("--%s %s and --%s %s: one bound is enough", c.flag, values[0], c.flag, values[1])
		}
		for _, v := range values {
			out = append(out, thresh.Condition{Op: c.op, Value: v})
		}
	}
	for _, b := range s.between {
		low, high, err := bounds(b)
		if err != nil {
			return nil, err
		}
		out = append(out, thresh.Condition{Op: thresh.Between, Value: low, High: high})
	}
	if s.nan {
		out = append(out, thresh.Condition{Op: thresh.IsNaN})
	}
	if s.inf {
		out = append(out, thresh.Condition{Op: thresh.IsInf})
	}
	return out, nil
}

// column returns the values that are asked about.
func (s *selector) column(conditions []thresh.Condition) thresh.ValueColumn {
	return thresh.ValueColumn{Type: thresh.ValueType(s.typ), Stride: int64(s.stride), Conditions: conditions}
}

// bounds reads the values of --between.
func bounds(text string) (low, high string, err error) {
	low, high, ok := strings.Cut(text, ",")
	if !ok || strings.Contains(high, ",") {
		return "", "", fmt.Errorf("--between '%s': two values with a comma between them are needed", text)
	}
	return strings.TrimSpace(low), strings.TrimSpace(high), nil
}
