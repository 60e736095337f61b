package expr

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// call reads the call of a function.
func (p *parser) call(depth int) (Node, error) {
	t := p.Token
	if p.Call != nil {
		column, end, ok, err := p.Call(p.Text, t.At)
		if err != nil {
			return nil, err
		}
		if ok {
			name := strings.TrimRight(p.Text[t.At:end], " \t\r\n")
			p.At = end
			p.Token = Token{Closing, ")", end - 1}
			return &Field{Operand{Column: column, Slice: key.Whole(), Name: name, Call: true}}, p.Next()
		}
	}
	f := functionOf(t.Text)
	if f == nil && !isWord(t.Text, special...) {
		return nil, p.Wrong(t.At, "there is no function %s%s", t.Text, notThere(t.Text))
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	opened := p.Token.At
	if err := p.Next(); err != nil {
		return nil, err
	}
	switch word := strings.ToLower(t.Text); word {
	case "cast", "try_cast":
		return p.cast(opened, depth, word == "try_cast")
	case "extract":
		return p.extractPart(opened, depth)
	case extract:
		return p.extraction(t.At, opened, depth)
	case "trim":
		var err error
		if f, err = p.trimmedSide(f); err != nil {
			return nil, err
		}
	}
	c, places, err := p.arguments(f, t, opened, depth)
	if err != nil {
		return nil, err
	}
	if f.isPart && p.SQL {
		return datePart(f.unit, c.args[0]), nil
	}
	if f.node != nil {
		return f.node(c.args), nil
	}
	if c.run = f.run; f.prepare != nil {
		run, wrong, reason := f.prepare(c.args)
		if reason != "" {
			return nil, p.Wrong(places[wrong], "%s", reason)
		}
		c.run = run
	}
	return c, nil
}

func unitNode(u value.Unit) Node { return &Constant{value.OfText([]byte(u.String())), Single} }

// arguments reads the arguments of a function, and their places.
func (p *parser) arguments(f *function, name Token, opened, depth int) (c *call, places []int, err error) {
	c = &call{function: f}
	for p.Token.Kind != Closing || len(c.args) > 0 {
		places = append(places, p.Token.At)
		n, err := p.condition(depth + 1)
		if err != nil {
			return nil, nil, err
		}
		if l, ok := n.(*Literal); ok && p.Filter && f.max == 1 && IsDigits(l.Text) {
			if n, err = p.numbered(l, places[0]); err != nil {
				return nil, nil, err
			}
		}
		if p.SQL && p.Is(Word, "from") && f.canTrim() && len(c.args) == 0 { // trim('x' from s)
			c.args, err = p.trimmedFrom(n, depth)
			return c, places, errors.Join(err, p.close(opened))
		}
		if c.args = append(c.args, n); p.Token.Kind != Comma {
			break
		}
		if err := p.Next(); err != nil {
			return nil, nil, err
		}
	}
	if p.Token.Kind == Closing && (len(c.args) < f.min || len(c.args) > f.max) {
		return nil, nil, p.Wrong(name.At, "%s takes %s", f.names[0], counted(f.min, f.max))
	}
	return c, places, p.close(opened)
}

// counted describes a number of arguments.
func counted(least, most int) string {
	switch {
	case most == many:
		return strconv.Itoa(least) + " arguments or more"
	case least == most && least == 1:
		return "one argument"
	case least == most:
		return strconv.Itoa(least) + " arguments"
	}
	return strconv.Itoa(least) + " or " + strconv.Itoa(most) + " arguments"
}

// cast reads the rest of cast(value as type).
func (p *parser) cast(opened, depth int, try bool) (Node, error) {
	of, err := p.condition(depth + 1)
	if err != nil {
		return nil, err
	}
	if found, err := p.word("as"); err != nil {
		return nil, err
	} else if !found {
		return nil, p.Wrong(p.Token.At, "as and a type are missing here: cast(price as decimal(10, 2))")
	}
	to, err := p.target()
	if err != nil {
		return nil, err
	}
	return &cast{of, to, try}, p.close(opened)
}

// target reads a type.
func (p *parser) target() (to target, err error) {
	t := p.Token
	to.name = strings.ToLower(t.Text)
	of, ok := targets[to.name]
	if t.Kind != Word || !ok {
		var names []string
		for name := range targets {
			names = append(names, name)
		}
		slices.Sort(names)
		near := "; types are integer, double, decimal, varchar, date, timestamp and boolean"
		if n := spelling.Nearest(to.name, names); n != "" {
			near = "; did you mean " + n + "?"
		}
		return to, p.Wrong(t.At, "a type is missing here%s", near)
	}
	to.Type = of
	if err := p.Next(); err != nil {
		return to, err
	}
	if to.name == "double" {
		if _, err := p.word("precision"); err != nil {
			return to, err
		}
	}
	if p.Token.Kind != Open {
		return to, nil
	}
	return p.digits(to)
}

// digits reads the digits of a decimal, or the length of a text, which does not matter.
func (p *parser) digits(to target) (target, error) {
	opened := p.Token.At
	var numbers []int
	for p.Token.Kind == Open || p.Token.Kind == Comma {
		if err := p.Next(); err != nil {
			return to, err
		}
		n, err := strconv.Atoi(p.Token.Text)
		if p.Token.Kind != Digits || err != nil || n < 0 || n > longestRound {
			return to, p.Wrong(p.Token.At, "a number of digits is missing here")
		}
		numbers = append(numbers, n)
		if err := p.Next(); err != nil {
			return to, err
		}
	}
	switch {
	case to.Kind == Text && len(numbers) == 1:
	case isDecimal(to.name) && len(numbers) <= 2 && numbers[0] > 0 && numbers[len(numbers)-1] <= numbers[0]:
		to.digits = numbers[0]
		if len(numbers) == 2 {
			to.scale = numbers[1]
		}
	default:
		return to, p.Wrong(opened, "only decimal(18, 2) has digits")
	}
	return to, p.close(opened)
}

// extractPart reads the rest of extract(unit from time).
func (p *parser) extractPart(opened, depth int) (Node, error) {
	t := p.Token
	u, ok := value.UnitOf(t.Text)
	if t.Kind != Word && t.Kind != Single || !ok {
		return nil, p.Wrong(t.At, "a unit is missing here; write extract(month from paid)")
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	if found, err := p.word("from"); err != nil {
		return nil, err
	} else if !found {
		return nil, p.Wrong(p.Token.At, "from and a time are missing here; write extract(month from paid)")
	}
	of, err := p.condition(depth + 1)
	if err != nil {
		return nil, err
	}
	return datePart(u, of), p.close(opened)
}

// datePart returns the call of date_part.
func datePart(u value.Unit, of Node) *call {
	return &call{function: functionOf("date_part"), args: []Node{unitNode(u), of}, run: last(partOf(u))}
}

// extract is the function of what a regular expression finds. Its values may be those of a column of their own, which
// is found for all records of a batch.
const extract = "regexp_extract"

// extraction reads the arguments of extract, which begins at an offset.
func (p *parser) extraction(begin, opened, depth int) (Node, error) {
	at := p.Token
	row := &function{names: []string{extract}, min: 2, max: 3, result: texts}
	if at.Kind == Single || at.Kind == Closing || at.Kind == End || at.Kind == Comma {
		return nil, p.Wrong(at.At, "a column is missing here; write %s(COLUMN, 'PATTERN') or "+
			"%[1]s(COLUMN, 'PATTERN', GROUP)", extract)
	}
	before := p.Lexer.Token
	c, places, err := p.arguments(row, Token{At: begin}, opened, depth)
	if err != nil {
		return nil, err
	}
	if l, ok := c.args[0].(*Literal); ok && !p.SQL && IsDigits(l.Text) {
		if c.args[0], err = p.numbered(l, before.At); err != nil {
			return nil, err
		}
	}
	pattern, ok := constantText(c.args[1])
	if !ok {
		return nil, p.Wrong(places[1], patternMissing)
	}
	group := 0
	if len(c.args) > 2 {
		if group, ok = constantInteger(c.args[2]); !ok || group < 0 {
			return nil, p.Wrong(places[2], "the number of a group is missing here: 0 for all that matches, 1 for the "+
				"first parenthesis")
		}
	}
	if c.run, err = extracted(pattern, group); err != nil {
		return nil, p.Wrong(places[1], "%v", err)
	}
	if p.Extract == nil || isConstant(c.args[0]) {
		return c, nil
	}
	source := Of(c.args[0])
	o, ok := source.Operand()
	if !ok || o.Slice != key.Whole() {
		o.Column = p.Derive(source)
	}
	column, err := p.Extract(o.Column, pattern, group)
	if err != nil {
		return nil, p.Wrong(places[1], "%v", err)
	}
	name := string(c.append(nil, loose, nil))
	return &Field{Operand{Column: column, Slice: key.Whole(), Name: name, Call: true}}, nil
}

// choice reads case.
func (p *parser) choice(depth int) (Node, error) {
	if depth > depthMax {
		return nil, p.tooDeep()
	}
	begin := p.Token.At
	if err := p.Next(); err != nil {
		return nil, err
	}
	c := &choice{}
	if !p.Is(Word, "when") {
		var err error
		if c.operand, err = p.condition(depth + 1); err != nil {
			return nil, err
		}
	}
	for p.Is(Word, "when") {
		a, err := p.arm(c, depth)
		if err != nil {
			return nil, err
		}
		c.arms = append(c.arms, a)
	}
	if len(c.arms) == 0 {
		return nil, p.Wrong(p.Token.At, "when is missing here: case when CONDITION then VALUE else VALUE end")
	}
	found, err := p.word("else")
	if err != nil {
		return nil, err
	}
	if found {
		if c.other, err = p.condition(depth + 1); err != nil {
			return nil, err
		}
	}
	switch found, err = p.word("end"); {
	case err != nil:
		return nil, err
	case !found && p.Token.Kind == End:
		return nil, p.Wrong(begin, "this case has no end")
	case !found:
		return nil, p.Wrong(p.Token.At, "when, else or end is missing before this")
	}
	return c, nil
}

// arm reads when and then.
func (p *parser) arm(c *choice, depth int) (a arm, err error) {
	if err := p.Next(); err != nil {
		return a, err
	}
	at := p.Token.At
	if a.when, err = p.condition(depth + 1); err != nil {
		return a, err
	}
	if c.operand != nil {
		a.value = a.when
		a.when = compare(Equal, c.operand, a.value)
	} else if err := p.mustHold(a.when); err != nil {
		return a, err
	}
	found, err := p.word("then")
	if err != nil {
		return a, err
	}
	if !found {
		return a, p.Wrong(max(p.Token.At, at), "then is missing before this")
	}
	a.then, err = p.condition(depth + 1)
	return a, err
}

// moment reads a time, which is written like date '2026-11-23'.
func (p *parser) moment(word string) (Node, error) {
	if err := p.Next(); err != nil {
		return nil, err
	}
	t := p.Token
	if _, ok := value.ParseTime([]byte(t.Text)); !ok {
		return nil, p.Wrong(t.At, "this is not a time; write 2026-11-23 or 2026-11-23 10:35:07")
	}
	to := target{Type: targets[word], name: word}
	return &cast{of: &Constant{value.OfText([]byte(t.Text)), Single}, to: to}, p.Next()
}

// interval reads interval '5 minutes', interval 5 minute or interval '5' minute.
func (p *parser) interval() (Node, error) {
	if err := p.Next(); err != nil {
		return nil, err
	}
	at, text := p.Token.At, p.Token.Text
	if err := p.Next(); err != nil {
		return nil, err
	}
	if p.Token.Kind == Word {
		if _, isUnit := value.UnitOf(p.Token.Text); isUnit && len(strings.Fields(text)) == 1 {
			text += " " + strings.ToLower(p.Token.Text)
			if err := p.Next(); err != nil {
				return nil, err
			}
		}
	}
	i, err := intervalOf(text)
	if err != nil {
		return nil, p.Wrong(at, "%v", err)
	}
	return &length{i, text}, nil
}

// intervalOf reads numbers and units.
func intervalOf(text string) (i value.Interval, err error) {
	words := strings.Fields(text)
	if len(words) == 0 || len(words)%2 != 0 {
		return i, errors.New("an interval has numbers and units: interval '1 day 12 hours'")
	}
	for ; len(words) > 0; words = words[2:] {
		n, k := decimal.Parse([]byte(words[0]))
		u, ok := value.UnitOf(words[1])
		switch {
		case k != decimal.Plain:
			return i, errors.New(strconv.Quote(words[0]) + " is not a number of units")
		case !ok || !u.Divides():
			return i, errors.New(strconv.Quote(words[1]) + " is not a unit of an interval")
		case !u.AddTo(&i, n):
			return i, errors.New("the interval is too long, or has a part of a month")
		}
	}
	return i, nil
}
