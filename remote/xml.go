package remote

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Stores answer in XML. It is taken apart here because encoding/xml fills tables at every start of the program,
// whatever it is asked.

// errXML means that a text is no XML, or not all of it.
var errXML = errors.New("the server's answer is wrong: it is no XML, or not all of it")

// elements visits every element of a text at its end. Its path has the names of the elements around it, without the
// outermost one, as in "Contents/Key", and none of their attributes and namespaces.
func elements(text []byte, visit func(path, content string) error) error {
	type element struct {
		name    string
		content []byte
	}
	var open []element
	path := func() string {
		var names []string
		for _, e := range open[1:] {
			names = append(names, e.name)
		}
		return strings.Join(names, "/")
	}
	ended := false // the outermost element
	add := func(content []byte) bool {
		if len(open) == 0 {
			return len(bytes.TrimSpace(content)) == 0
		}
		last := &open[len(open)-1]
		last.content = append(last.content, content...)
		return true
	}
	for len(text) > 0 {
		plain, rest, tagged := bytes.Cut(text, []byte{'<'})
		plain, ok := unescape(plain)
		if !ok || !add(plain) {
			return errXML
		}
		if text = rest; !tagged {
			break
		}
		switch {
		case bytes.HasPrefix(text, []byte("?")):
			_, text, ok = bytes.Cut(text, []byte("?>"))
		case bytes.HasPrefix(text, []byte("!--")):
			_, text, ok = bytes.Cut(text[3:], []byte("-->"))
		case bytes.HasPrefix(text, []byte("![CDATA[")):
			plain, text, ok = bytes.Cut(text[8:], []byte("]]>"))
			ok = ok && add(plain)
		default:
			var t tag
			t, text, ok = cutTag(text)
			if ok = ok && t.name != "" && !ended; !ok {
				break
			}
			if t.begins {
				open = append(open, element{name: t.name})
			}
			if !t.ends {
				break
			}
			if ok = len(open) > 0 && open[len(open)-1].name == t.name; !ok {
				break
			}
			if err := visit(path(), string(open[len(open)-1].content)); err != nil {
				return err
			}
			open = open[:len(open)-1]
			ended = len(open) == 0
		}
		if !ok {
			return errXML
		}
	}
	if !ended {
		return errXML
	}
	return nil
}

// tag is the begin of an element, its end, or both.
type tag struct {
	name         string
	begins, ends bool
}

// cutTag takes a tag from the text after its "<".
func cutTag(text []byte) (t tag, rest []byte, ok bool) {
	quote := byte(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return tag{}, nil, false
		case c == '>':
			inner := string(text[:i])
			inner, closing := strings.CutPrefix(inner, "/")
			inner, both := strings.CutSuffix(inner, "/")
			name, _, _ := strings.Cut(strings.TrimRight(strings.ReplaceAll(inner, "\n", " "), " \t\r"), " ")
			if _, local, prefixed := strings.Cut(name, ":"); prefixed {
				name = local
			}
			return tag{name, !closing, closing || both}, text[i+1:], !(closing && both) && !strings.HasPrefix(name, "!")
		}
	}
	return tag{}, nil, false
}

// unescape replaces the entities of a text.
func unescape(text []byte) (plain []byte, ok bool) {
	for {
		before, rest, found := bytes.Cut(text, []byte{'&'})
		plain = append(plain, before...)
		if !found {
			return plain, true
		}
		name, _, ended := strings.Cut(string(rest[:min(len(rest), 12)]), ";")
		if !ended {
			return nil, false
		}
		text = rest[len(name)+1:]
		if number, is := strings.CutPrefix(name, "#"); is {
			base := 10
			if hex, is := strings.CutPrefix(number, "x"); is {
				number, base = hex, 16
			}
			r, err := strconv.ParseUint(number, base, 32)
			if err != nil || !utf8.ValidRune(rune(r)) {
				return nil, false
			}
			plain = utf8.AppendRune(plain, rune(r))
			continue
		}
		i := slices.Index([]string{"amp", "lt", "gt", "quot", "apos"}, name)
		if i < 0 {
			return nil, false
		}
		plain = append(plain, "&<>\"'"[i])
	}
}
