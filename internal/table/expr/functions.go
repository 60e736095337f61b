package expr

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// function is a row of the table of functions: a new one is a row.
type function struct {
	names    []string // the first one is canonical
	min, max int      // arguments; max is many if there may be any number
	nulls    bool     // it is also called if an argument is null; otherwise the result is null
	result   func(args []Type) Type
	run      func(args []value.Value) value.Value
	one      func(arg value.Value) value.Value // instead of run, for one argument
	// prepare returns what is run for such arguments, instead of run: some of them must be constants. What is wrong is
	// the argument at an index.
	prepare func(args []Node) (run func(args []value.Value) value.Value, wrong int, reason string)
	node    func(args []Node) Node                  // instead of all of them: what the call is another notation of
	vector  func(v *Vector, args []Node) vectorNode // instead of run, for a batch; nil if there is none for such arguments
	asked   Asked                                   // what the arguments are asked for, null aside
	unit    value.Unit                              // of a part of a time
	isPart  bool
}

const many = 1 << 16

// functions has a row for each function, by family.
var functions = [...][]function{choosing, numerical, textual, patterns, temporal}

// The types of results.
func texts([]Type) Type                         { return Type{Kind: Text} }
func integers([]Type) Type                      { return Type{Kind: Exact} }
func floats([]Type) Type                        { return Type{Kind: Float} }
func dates([]Type) Type                         { return Type{Kind: Date} }
func timestamps([]Type) Type                    { return Type{Kind: Timestamp} }
func booleans([]Type) Type                      { return Type{Kind: Boolean} }
func firsts(args []Type) Type                   { return args[0] }
func oneOf(args []Type) Type                    { return common(args...) }
func ofNumber(n decimal.Number) value.Value     { return value.OfNumber(n) }
func ofInteger(n int) value.Value               { return value.OfNumber(decimal.FromPlain(int64(n), 0)) }
func ofText[T string | []byte](t T) value.Value { return value.OfText(append([]byte{}, t...)) }

// choosing are functions that return one of their arguments.
var choosing = []function{
	{names: []string{"coalesce", "ifnull"}, min: 1, max: many, nulls: true, result: oneOf, vector: firstsKnown,
		run: func(args []value.Value) value.Value {
			for _, a := range args {
				if !a.IsNull() {
					return a
				}
			}
			return value.Value{}
		}},
	{names: []string{"nullif"}, min: 2, max: 2, nulls: true, result: firsts, run: func(args []value.Value) value.Value {
		if !args[0].IsNull() && !args[1].IsNull() && value.Compare(args[0], args[1]) == 0 {
			return value.Value{}
		}
		return args[0]
	}},
	{names: []string{"greatest"}, min: 1, max: many, nulls: true, result: oneOf,
		run: func(args []value.Value) value.Value {
			return outermost(args, 1)
		}},
	{names: []string{"least"}, min: 1, max: many, nulls: true, result: oneOf, run: func(args []value.Value) value.Value {
		return outermost(args, -1)
	}},
	{names: []string{"if"}, min: 3, max: 3, nulls: true, vector: chosenIf,
		result: func(args []Type) Type { return common(args[1:]...) },
		run: func(args []value.Value) value.Value {
			if holds, known := args[0].Truth(); holds && known {
				return args[1]
			}
			return args[2]
		}},
}

// outermost returns the greatest or the least value, and null if all are null.
func outermost(args []value.Value, sign int) (most value.Value) {
	for _, a := range args {
		if !a.IsNull() && (most.IsNull() || value.Compare(a, most) == sign) {
			most = a
		}
	}
	return most
}

// ofEach makes a function of a number: what is none is returned as it is, and so is found where numbers are needed.
func ofEach(f func(decimal.Number) decimal.Number) func(arg value.Value) value.Value {
	return func(arg value.Value) value.Value {
		if n, ok := arg.Number(); ok {
			return ofNumber(f(n))
		}
		return arg
	}
}

// ofFloat makes a function of a float64. A result that is none, as the root of -1, is null.
func ofFloat(f func(float64) float64) func(arg value.Value) value.Value {
	return func(arg value.Value) value.Value {
		n, ok := arg.Number()
		if !ok {
			return arg
		}
		result := f(n.Float64())
		if math.IsNaN(result) || math.IsInf(result, 0) {
			return value.Value{}
		}
		return ofNumber(decimal.FromFloat(result))
	}
}

// ofFloats is ofFloat for two arguments.
func ofFloats(f func(a, b float64) float64) func(args []value.Value) value.Value {
	return func(args []value.Value) value.Value {
		b, ok := args[1].Number()
		if !ok {
			return args[1]
		}
		return ofFloat(func(a float64) float64 { return f(a, b.Float64()) })(args[0])
	}
}

// first makes a function of its first argument; the others are known before.
func first(f func(arg value.Value) value.Value) func(args []value.Value) value.Value {
	return func(args []value.Value) value.Value { return f(args[0]) }
}

// last makes a function of its last argument; the others are known before.
func last(f func(arg value.Value) value.Value) func(args []value.Value) value.Value {
	return func(args []value.Value) value.Value { return f(args[len(args)-1]) }
}

// numerical are functions of numbers.
var numerical = []function{
	{names: []string{"abs"}, min: 1, max: 1, asked: Number, result: firsts, one: ofEach(decimal.Number.Abs)},
	{names: []string{"floor"}, min: 1, max: 1, asked: Number, result: wholes,
		one: ofEach(func(n decimal.Number) decimal.Number { return whole(n, false) })},
	{names: []string{"ceil", "ceiling"}, min: 1, max: 1, asked: Number, result: wholes,
		one: ofEach(func(n decimal.Number) decimal.Number { return whole(n, true) })},
	{names: []string{"trunc"}, min: 1, max: 1, asked: Number, result: wholes,
		one: ofEach(func(n decimal.Number) decimal.Number { return whole(n, n.Compare(decimal.Number{}) < 0) })},
	{names: []string{"sign"}, min: 1, max: 1, asked: Number, result: integers,
		one: ofEach(sign)},
	{names: []string{"sqrt"}, min: 1, max: 1, asked: Number, result: floats, one: ofFloat(math.Sqrt)},
	{names: []string{"exp"}, min: 1, max: 1, asked: Number, result: floats, one: ofFloat(math.Exp)},
	{names: []string{"ln"}, min: 1, max: 1, asked: Number, result: floats, one: ofFloat(math.Log)},
	{names: []string{"log10"}, min: 1, max: 1, asked: Number, result: floats, one: ofFloat(math.Log10)},
	{names: []string{"log"}, min: 1, max: 2, asked: Number, result: floats,
		prepare: func(args []Node) (func(args []value.Value) value.Value, int, string) {
			if len(args) == 1 {
				return first(ofFloat(math.Log10)), 0, ""
			}
			return ofFloats(func(base, x float64) float64 { return math.Log10(x) / math.Log10(base) }), 0, ""
		}},
	{names: []string{"log2"}, min: 1, max: 1, asked: Number, result: floats, one: ofFloat(math.Log2)},
	{names: []string{"pow", "power"}, min: 2, max: 2, asked: Number, result: floats, run: ofFloats(math.Pow)},
	{names: []string{"mod"}, min: 2, max: 2, node: func(args []Node) Node { return &operation{'%', args[0], args[1]} }},
	{names: []string{"round"}, min: 1, max: 2, asked: Number, result: firsts,
		prepare: func(args []Node) (func(args []value.Value) value.Value, int, string) {
			to, ok := 0, true
			if len(args) > 1 {
				to, ok = constantInteger(args[1])
			}
			if !ok || to < -longestRound || to > longestRound {
				return nil, 1, "the number of digits after the point is missing here: round(price, 2)"
			}
			return first(ofEach(func(n decimal.Number) decimal.Number { return round(n, to) })), 0, ""
		}},
}

func wholes(args []Type) Type {
	if args[0].Kind == Exact {
		return Type{Kind: Exact}
	}
	return args[0]
}

// constantInteger returns the integer that a node always is.
func constantInteger(n Node) (i int, ok bool) {
	if !isConstant(n) {
		return 0, false
	}
	number, ok := n.eval(nil).Number()
	m, exact, fits := number.Mantissa(0)
	return int(m), ok && exact && fits
}

// constantText returns the text that a node always is.
func constantText(n Node) (text string, ok bool) {
	if !isConstant(n) || n.eval(nil).IsNull() {
		return "", false
	}
	return string(n.eval(nil).Text()), true
}

// upper and lower change the case character by character.
func mapped(f func(rune) rune) func(arg value.Value) value.Value {
	return func(arg value.Value) value.Value { return value.OfText(mapRunes(arg.Text(), f)) }
}

// integerArgument returns an argument that should be an integer.
func integerArgument(v value.Value) (n int, ok bool) {
	number, ok := v.Number()
	m, _, fits := number.Mantissa(0)
	const most = 1 << 40
	return int(max(-most, min(most, m))), ok && fits
}

// textual are functions of texts.
var textual = []function{
	{names: []string{"lower", "lcase"}, min: 1, max: 1, result: texts, one: mapped(unicode.ToLower),
		vector: cases('A', unicode.ToLower)},
	{names: []string{"upper", "ucase"}, min: 1, max: 1, result: texts, one: mapped(unicode.ToUpper),
		vector: cases('a', unicode.ToUpper)},
	{names: []string{"length", "len", "char_length", "character_length"}, min: 1, max: 1, result: integers,
		vector: lengthsBy(countRunes),
		one:    func(arg value.Value) value.Value { return ofInteger(countRunes(arg.Text())) }},
	{names: []string{"strlen", "octet_length"}, min: 1, max: 1, result: integers,
		vector: lengthsBy(func(text []byte) int { return len(text) }),
		one:    func(arg value.Value) value.Value { return ofInteger(len(arg.Text())) }},
	{names: []string{"substr", "substring"}, min: 2, max: 3, result: texts, run: substr, vector: substrings},
	{names: []string{"left"}, min: 2, max: 2, result: texts, vector: prefixes, run: func(args []value.Value) value.Value {
		n, ok := integerArgument(args[1])
		return sliced(args[0].Text(), 0, n, ok)
	}},
	{names: []string{"right"}, min: 2, max: 2, result: texts, run: func(args []value.Value) value.Value {
		n, ok := integerArgument(args[1])
		text := args[0].Text()
		if n >= 0 {
			n = countRunes(text) - n
		} else {
			n = -n
		}
		return sliced(text, max(n, 0), 1<<40, ok)
	}},
	{names: []string{"trim"}, min: 1, max: 2, result: texts, run: trimmed(bytes.Trim)},
	{names: []string{"ltrim"}, min: 1, max: 2, result: texts, run: trimmed(bytes.TrimLeft)},
	{names: []string{"rtrim"}, min: 1, max: 2, result: texts, run: trimmed(bytes.TrimRight)},
	{names: []string{"replace"}, min: 3, max: 3, result: texts, run: func(args []value.Value) value.Value {
		if len(args[1].Text()) == 0 {
			return args[0]
		}
		return ofText(bytes.ReplaceAll(args[0].Text(), args[1].Text(), args[2].Text()))
	}},
	{names: []string{"concat"}, min: 1, max: many, nulls: true, result: texts, run: func(args []value.Value) value.Value {
		text := []byte{}
		for _, a := range args {
			text = append(text, a.Text()...)
		}
		return value.OfText(text)
	}},
	{names: []string{"concat_ws"}, min: 2, max: many, nulls: true, result: texts, run: withBetween},
	{names: []string{"lpad"}, min: 3, max: 3, result: texts, run: padded(true)},
	{names: []string{"rpad"}, min: 3, max: 3, result: texts, run: padded(false)},
	{names: []string{"reverse"}, min: 1, max: 1, result: texts, one: func(arg value.Value) value.Value {
		runes := bytes.Runes(arg.Text())
		slices.Reverse(runes)
		return ofText(string(runes))
	}},
	{names: []string{"repeat"}, min: 2, max: 2, result: texts, run: func(args []value.Value) value.Value {
		n, ok := integerArgument(args[1])
		if !ok || max(n, 0)*len(args[0].Text()) > madeBytesMax {
			return value.Value{}
		}
		return ofText(bytes.Repeat(args[0].Text(), max(n, 0)))
	}},
	{names: []string{"split_part"}, min: 3, max: 3, result: texts, run: func(args []value.Value) value.Value {
		n, ok := integerArgument(args[2])
		parts := bytes.Split(args[0].Text(), args[1].Text())
		if n < 0 {
			n += len(parts) + 1
		}
		if !ok || n < 1 || n > len(parts) {
			return ofText("")
		}
		return ofText(parts[n-1])
	}},
	{names: []string{"strpos", "instr"}, min: 2, max: 2, result: integers,
		run: func(args []value.Value) value.Value {
			at := bytes.Index(args[0].Text(), args[1].Text())
			return ofInteger(countRunes(args[0].Text()[:max(at, 0)]) + min(at, 0) + 1)
		}},
	{names: []string{"contains"}, min: 2, max: 2, result: booleans, run: func(args []value.Value) value.Value {
		return value.OfBool(bytes.Contains(args[0].Text(), args[1].Text()))
	}},
	{names: []string{"starts_with", "prefix"}, min: 2, max: 2, result: booleans,
		run: func(args []value.Value) value.Value {
			return value.OfBool(bytes.HasPrefix(args[0].Text(), args[1].Text()))
		}},
	{names: []string{"ends_with", "suffix"}, min: 2, max: 2, result: booleans, run: func(args []value.Value) value.Value {
		return value.OfBool(bytes.HasSuffix(args[0].Text(), args[1].Text()))
	}},
}

// withBetween puts texts together that are not null, with the first argument between them.
func withBetween(args []value.Value) value.Value {
	var parts [][]byte
	for _, a := range args[1:] {
		if !a.IsNull() {
			parts = append(parts, a.Text())
		}
	}
	if args[0].IsNull() {
		return args[0]
	}
	return ofText(bytes.Join(parts, args[0].Text()))
}

// madeBytesMax is the longest text that repeat, lpad and rpad make; a longer one is null.
const madeBytesMax = 1 << 20

// padded makes a function that makes a text so many characters long: it is cut, or another one is repeated beside it.
func padded(left bool) func(args []value.Value) value.Value {
	return func(args []value.Value) value.Value {
		n, ok := integerArgument(args[1])
		text, with := args[0].Text(), args[2].Text()
		missing := n - countRunes(text)
		switch {
		case missing <= 0:
			return sliced(text, 0, max(n, 0), ok)
		case !ok || len(with) == 0 || missing*len(with) > madeBytesMax:
			return value.Value{}
		}
		pad := sliced(bytes.Repeat(with, missing), 0, missing, ok).Text()
		if left {
			return ofText(append(pad, text...))
		}
		return ofText(append(slices.Clone(text), pad...))
	}
}

// functionOf returns the function of a name, nil if there is none.
func functionOf(name string) *function {
	name = strings.ToLower(name)
	for _, family := range functions {
		for i := range family {
			if slices.Contains(family[i].names, name) {
				return &family[i]
			}
		}
	}
	return nil
}

// IsFunction reports whether there is a function of this name.
func IsFunction(name string) bool {
	return functionOf(name) != nil || slices.Contains(special, strings.ToLower(name))
}

// special are functions whose arguments are written in their own way.
var special = []string{extract, "extract", "cast", "try_cast"}

// notThere is what an error says about a function that is not there: what may have been meant.
func notThere(name string) string {
	if what := elsewhere()[strings.ToLower(name)]; what != "" {
		return "; write " + what
	}
	if near := spelling.Nearest(strings.ToLower(name), functionNames()); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; the functions are " + strings.Join(functionNames(), ", ")
}

func functionNames() (names []string) {
	for _, family := range functions {
		for i := range family {
			names = append(names, family[i].names[0])
		}
	}
	names = append(names, special...)
	slices.SortFunc(names, cmp.Compare[string])
	return names
}
