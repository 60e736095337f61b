// Package ndjson finds values in lines of JSON by their paths. A path names the keys of nested objects and
// the indexes of arrays: user.country, items.0.id. The values found in a batch of lines are given as places in
// the text, like the fields of delimited text, so that everything else works on both alike.
//
// Every line is checked completely (RFC 8259), also the values that no path leads to. If a key occurs twice in an
// object, the last one counts.
package ndjson

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Paths is the columns of lines of JSON: each path that is asked for is one, in the order in which they were
// resolved. The zero Paths is empty.
type Paths struct {
	names []string
	steps [][]string
}

// Resolve returns the column of a path. In quotes a name is one key, whatever it contains. Otherwise each step of the
// path may be in backquotes: http.`user-agent`; a dot may come before the first one.
func (p *Paths) Resolve(name string, quoted bool) (column int, err error) {
	steps := []string{name}
	if !quoted {
		if steps = split(strings.TrimPrefix(name, ".")); slices.Contains(steps, "") {
			return 0, errors.New("a path is keys with dots between them, like user.country or items.0.id; " +
				"put a key that is not a plain word into backquotes, like http.`user-agent`")
		}
	}
	for i := range p.steps {
		if slices.Equal(p.steps[i], steps) {
			return i, nil
		}
	}
	p.names = append(p.names, name)
	p.steps = append(p.steps, steps)
	return len(p.names) - 1, nil
}

// split returns the steps of a path, without their backquotes. A step that is malformed is "".
func split(path string) (steps []string) {
	for {
		step, rest, more := strings.Cut(path, ".")
		if strings.HasPrefix(path, "`") {
			step = ""
			i := 1
			for ; i < len(path); i++ {
				if path[i] == '`' {
					if i++; i == len(path) || path[i] != '`' {
						break
					}
				}
				step += path[i : i+1]
			}
			if rest, more = strings.CutPrefix(path[i:], "."); !more && rest != "" {
				step = ""
			}
		}
		if steps = append(steps, step); !more {
			return steps
		}
		path = rest
	}
}

// Join returns a path as it is typed, below another one.
func Join(above, key string, plain func(string) bool) string {
	if !plain(key) {
		key = "`" + strings.ReplaceAll(key, "`", "``") + "`"
	}
	if above == "" {
		return key
	}
	return above + "." + key
}

// Name returns the path of a column, as it was written.
func (p *Paths) Name(column int) string { return p.names[column] }

// node is a place in the tree of all paths.
type node struct {
	slots []int // the wanted columns whose paths end here
	steps []step
	line  int // the last line in which there was a value

	keyBytes int    // of the key before it
	inside   *shape // of its value, in lines that are skimmed
}

type step struct {
	key         string
	begin, mask uint64 // the first bytes of the key and its quote
	index       int    // of an element, -1 if key is no index
	to          *node
}

// tree returns the tree of the wanted columns, and their places in it by slot; the slot of a column is its index in
// wanted.
func (p *Paths) tree(wanted []int) (root *node, places []*node) {
	root = new(node)
	for slot, column := range wanted {
		n := root
		for _, key := range p.steps[column] {
			n = n.next(key)
		}
		n.slots = append(n.slots, slot)
		places = append(places, n)
	}
	return root, places
}

// next returns the node behind a step, and makes it if needed.
func (n *node) next(key string) *node {
	for i := range n.steps {
		if n.steps[i].key == key {
			return n.steps[i].to
		}
	}
	index, err := strconv.Atoi(key)
	if err != nil || strconv.Itoa(index) != key {
		index = -1
	}
	var begin, mask [8]byte
	for i := range begin[:copy(begin[:], key+`"`)] {
		mask[i] = 0xff
	}
	to := &node{keyBytes: len(key)}
	n.steps = append(n.steps, step{key: key, index: index, to: to,
		begin: binary.LittleEndian.Uint64(begin[:]), mask: binary.LittleEndian.Uint64(mask[:])})
	return to
}

// height returns how deep the tree is: the greatest number of keys of a path.
func (n *node) height() (keys int) {
	for i := range n.steps {
		keys = max(keys, 1+n.steps[i].to.height())
	}
	return keys
}

// byKey returns the node behind a key of an object, nil if no path leads there.
func (n *node) byKey(key []byte) *node {
	for i := range n.steps {
		if string(key) == n.steps[i].key {
			return n.steps[i].to
		}
	}
	return nil
}

// byIndex returns the node behind an element of an array, nil if no path leads there.
func (n *node) byIndex(index int) *node {
	for i := range n.steps {
		if n.steps[i].index == index {
			return n.steps[i].to
		}
	}
	return nil
}
