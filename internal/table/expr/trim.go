package expr

import "strings"

// trimSides are the functions that the words before what is trimmed stand for: trim(leading 'x' from s).
var trimSides = map[string]string{"both": "trim", "leading": "ltrim", "trailing": "rtrim"}

// trimmedSide reads such a word, and from if it follows.
func (p *parser) trimmedSide(f *function) (*function, error) {
	side, next := trimSides[strings.ToLower(p.Token.Text)], p.peek().Kind
	if p.Token.Kind != Word || side == "" || next == Comma || next == Closing || next == Open {
		return f, nil
	}
	if err := p.Next(); err != nil {
		return nil, err
	}
	_, err := p.word("from")
	return functionOf(side), err
}

// canTrim reports whether a function is one of trimSides.
func (f *function) canTrim() bool {
	for _, name := range trimSides {
		if f.names[0] == name {
			return true
		}
	}
	return false
}

// trimmedFrom reads the text that characters are trimmed from, and returns both as arguments.
func (p *parser) trimmedFrom(characters Node, depth int) ([]Node, error) {
	if err := p.Next(); err != nil {
		return nil, err
	}
	text, err := p.condition(depth + 1)
	return []Node{text, characters}, err
}
