package verbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/question"
)

// selector holds the flags of find and count that say what to look for, as typed.
type selector struct {
	nonzero          bool
	text, hex, regex []string
	ignoreCase       bool
	typ              string
	compared         [6][]string
	between          []string
	nan, inf         bool
	stride           command.Size
}

// comparisons lists the comparison flags that take one value, in the order of selector.compared.
var comparisons = [6]struct {
	flag string
	op   question.Op
	help string
}{
	{"eq", question.Equal, "values equal to `V`; may be repeated: equal to any of them"},
	{"ne", question.NotEqual, "values not equal to `V`; may be repeated: equal to none of them"},
	{"lt", question.Less, "values less than `V`"},
	{"le", question.LessOrEqual, "values less than or equal to `V`"},
	{"gt", question.Greater, "values greater than `V`"},
	{"ge", question.GreaterOrEqual, "values greater than or equal to `V`"},
}

func (s *selector) flags() []command.Flag {
	text := []command.Flag{
		{Name: "nonzero", To: &s.nonzero, Help: "bytes that are not 0; holes in sparse files are skipped"},
		{Name: "text", To: &s.text, Empty: true, Help: "these literal bytes, `TEXT`; may be repeated"},
		{Name: "hex", To: &s.hex, Help: "bytes in hexadecimal, ? matches any digit: `'AA ?? B?'`; may be repeated"},
		{Name: "regex", To: &s.regex, Empty: true,
			Help: "matches of the regular expression `RE` (RE2 syntax), within a line; may be repeated"},
		{Name: "ignore-case", Short: "i", To: &s.ignoreCase,
			Help: "ignore the case of letters in --text and --regex"},
	}
	values := []command.Flag{
		{Name: "type", To: &s.typ,
			Help: "values of type `T`: " + strings.Join(thresh.ValueTypes(), " ") + ", or a usual name such as int32 or half, " +
				"optionally followed by le (default) or be; files of tensors need no type", Complete: completeTypes},
	}
	for i, c := range comparisons {
		values = append(values, command.Flag{Name: c.flag, To: &s.compared[i], Help: c.help})
	}
	values = append(values, []command.Flag{
		{Name: "between", To: &s.between,
			Help: "values from A to B, both included: `A,B`; may be repeated: in any of the ranges"},
		{Name: "nan", To: &s.nan, Help: "NaN values, of floats; with --inf: NaN or infinite"},
		{Name: "inf", To: &s.inf, Help: "infinite values, of floats"},
		{Name: "stride", To: &s.stride,
			Help: "look at a value every `N` bytes from --offset (default: the width of the type)"},
	}...)
	return slices.Concat(command.Section("Bytes and text:", text), command.Section("Values:", values))
}

// valueFlags lists the comparison flags.
const valueFlags = "eq ne lt le gt ge between nan inf"

// conflicts lists the flags of a selector that contradict each other.
func (s *selector) conflicts() []command.Conflict {
	const kinds = "each says what to look for; give one"
	return []command.Conflict{
		{Flags: "nonzero", With: "text hex regex", Why: kinds},
		{Flags: "regex", With: "text hex", Why: "write all of them as --regex"},
		{Flags: "nonzero text hex regex", With: "type stride " + valueFlags, Why: kinds},
		{Flags: "ignore-case", With: "hex nonzero type stride " + valueFlags, Why: "only text has upper and lower case"},
	}
}

// query compiles the flags into a query.
func (s *selector) query(c *command.Call) (*thresh.Query, error) {
	if s.ignoreCase && len(s.text)+len(s.regex) == 0 {
		return nil, errors.New("--ignore-case needs --text or --regex: only text has upper and lower case")
	}
	if given := c.First("stride " + valueFlags); given != "" && !c.Given("type") {
		_, err := s.conditions()
		return nil, errors.Join(err, &typelessError{flag: given})
	}
	switch {
	case s.nonzero:
		return thresh.NonZero(), nil
	case len(s.text)+len(s.hex) > 0:
		return thresh.Any(question.Literals{Texts: s.text, Hex: s.hex, IgnoreCase: s.ignoreCase})
	case len(s.regex) > 0:
		exprs := slices.Clone(s.regex)
		for i := range exprs {
			if s.ignoreCase {
				exprs[i] = "(?i)" + exprs[i]
			}
		}
		return thresh.Regexp(exprs...) // errors quote the expression
	case c.Given("type"):
		if err := s.nameType(); err != nil {
			return nil, err
		}
		conditions, err := s.conditions()
		if err != nil {
			return nil, err
		}
		if len(conditions) == 0 {
			return nil, errors.New("--type needs a comparison: --eq, --ne, --lt, --le, --gt, --ge, --between, --nan or --inf")
		}
		if c.Given("stride") && s.stride == 0 {
			return nil, errStrideZero
		}
		return thresh.Values(s.column(conditions))
	}
	return nil, errNothingAsked
}

// typelessError reports a question about values without their type. Files of tensors need none.
type typelessError struct {
	flag string
	err  error // instead, where bytes were assumed
}

func (e *typelessError) Error() string {
	if e.err != nil {
		return e.err.Error()
	}
	return fmt.Sprintf("--%s needs --type, the type of the values: --type i32, for example", e.flag)
}

// nameType replaces the type, as typed, by its usual name.
func (s *selector) nameType() error {
	typ, err := thresh.ParseValueType(s.typ)
	if err == nil {
		s.typ = string(typ)
	}
	return err
}

// completeTypes completes the names of types, and after a whole name the byte orders.
func completeTypes(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	all := thresh.ValueTypes()
	if compare.TypeOf(question.ValueType(typed)).Width() > 1 {
		all = append(all, typed+"le", typed+"be")
	}
	all = slices.DeleteFunc(all, func(name string) bool { return !strings.HasPrefix(name, typed) })
	return all, cobra.ShellCompDirectiveNoFileComp
}

var errStrideZero = errors.New("--stride 0: it must be at least 1, the distance in bytes from one value to the next")

var errNothingAsked = errors.New("what to find? give one of --nonzero, --text, --hex, --regex and --type")

// conditions returns the conditions that values must meet. Giving the same bound twice is an
// error, because one of the two would have no effect.
func (s *selector) conditions() (out []question.Condition, err error) {
	for i, c := range comparisons {
		values := s.compared[i]
		if bound := c.op != question.Equal && c.op != question.NotEqual; bound && len(values) > 1 {
			return nil, fmt.Errorf("--%s %s and --%s %s: give one bound", c.flag, values[0], c.flag, values[1])
		}
		for _, v := range values {
			out = append(out, question.Condition{Op: c.op, Value: v})
		}
	}
	for _, b := range s.between {
		low, high, err := bounds(b)
		if err != nil {
			return nil, err
		}
		out = append(out, question.Condition{Op: question.Between, Value: low, High: high})
	}
	if s.nan {
		out = append(out, question.Condition{Op: question.IsNaN})
	}
	if s.inf {
		out = append(out, question.Condition{Op: question.IsInf})
	}
	return out, nil
}

// column returns the column of values that the query is about.
func (s *selector) column(conditions []question.Condition) question.Values {
	return question.Values{Type: question.ValueType(s.typ), Stride: int64(s.stride), Conditions: conditions}
}

// bounds splits the value of --between into its two bounds.
func bounds(text string) (low, high string, err error) {
	low, high, ok := strings.Cut(text, ",")
	if !ok || strings.Contains(high, ",") {
		return "", "", fmt.Errorf("--between '%s': write two values with a comma between them, like 1,10", text)
	}
	return strings.TrimSpace(low), strings.TrimSpace(high), nil
}
