package main

import (
	"fmt"
	"go/types"
)

// A word is a part of an argument or a result. It takes a register in the compiler's convention,
// and a place on the stack in the stable one.
type word struct {
	name  string // the name that the assembler's checks require: b_base, s_Field
	off   int64  // from the first argument
	kind  *types.Basic
	place string // the register
}

// A layout says how a function is called in both conventions.
type layout struct {
	in, out []word
	bytes   int64 // of arguments and results
}

// lay computes the layout of a signature. Both conventions pass arguments in order. The stable one
// passes them on the stack, each aligned to its size, with the results after them, aligned to a
// word. The compiler's one passes them in registers, counting integers and floats separately, as
// long as all parts of an argument fit. There, the place in the caller's frame where a register may
// be saved is the place that the argument has in the stable convention.
func lay(s *types.Signature, m *machine) (layout, error) {
	a := assigner{machine: m}
	in, err := a.tuple(renamed(s.Params(), "arg"), "arg")
	if err != nil {
		return layout{}, err
	}
	if s.Results().Len() > 0 {
		a.off = aligned(a.off, 8)
	}
	a.ints, a.floats = 0, 0
	out, err := a.tuple(s.Results(), "ret")
	return layout{in, out, a.off}, err
}

type assigner struct {
	*machine
	off          int64
	ints, floats int
}

func aligned(off, to int64) int64 { return (off + to - 1) / to * to }

func (a *assigner) tuple(t *types.Tuple, unnamed string) (words []word, err error) {
	for i := range t.Len() {
		v := t.At(i)
		name := v.Name()
		if name == "" || name == "_" {
			name = unnamed
			if i > 0 {
				name = fmt.Sprint(unnamed, i)
			}
		}
		sizes := a.sizes()
		a.off = aligned(a.off, sizes.Alignof(v.Type()))
		if words, err = a.value(words, name, a.off, v.Type()); err != nil {
			return nil, err
		}
		a.off += sizes.Sizeof(v.Type())
	}
	return words, nil
}

// value appends the words of a value at an offset.
func (a *assigner) value(words []word, name string, off int64, t types.Type) ([]word, error) {
	add := func(name string, off int64, kind types.BasicKind) (err error) {
		w := word{name: name, off: off, kind: types.Typ[kind]}
		if w.place, err = a.register(w.kind); err == nil {
			words = append(words, w)
		}
		return err
	}
	var err error
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch kind := u.Kind(); {
		case kind == types.String:
			err = add(name+"_base", off, types.UnsafePointer)
			if err == nil {
				err = add(name+"_len", off+8, types.Int)
			}
		case u.Info()&(types.IsInteger|types.IsBoolean|types.IsFloat) != 0 || kind == types.UnsafePointer:
			err = add(name, off, kind)
		default:
			err = fmt.Errorf("%s is of type %s", name, t)
		}
	case *types.Pointer:
		err = add(name, off, types.UnsafePointer)
	case *types.Slice:
		for i, part := range []string{"_base", "_len", "_cap"} {
			kind := types.Int
			if i == 0 {
				kind = types.UnsafePointer
			}
			if err == nil {
				err = add(name+part, off+8*int64(i), kind)
			}
		}
	case *types.Struct:
		var fields []*types.Var
		for i := range u.NumFields() {
			fields = append(fields, u.Field(i))
		}
		offsets := a.sizes().Offsetsof(fields)
		for i, f := range fields {
			if err == nil {
				words, err = a.value(words, name+"_"+f.Name(), off+offsets[i], f.Type())
			}
		}
	case *types.Array:
		switch {
		case u.Len() == 1:
			words, err = a.value(words, name+"_0", off, u.Elem())
		case u.Len() > 1:
			err = fmt.Errorf("%s is an array: pass it by pointer", name)
		}
	default:
		err = fmt.Errorf("%s is of type %s", name, t)
	}
	return words, err
}

// register takes the next register for a value.
func (a *assigner) register(kind *types.Basic) (string, error) {
	registers, next := a.intRegisters, &a.ints
	if kind.Info()&types.IsFloat != 0 {
		registers, next = a.floatRegisters, &a.floats
	}
	if *next == len(registers) {
		return "", fmt.Errorf("more than %d words are passed: pass some by pointer", len(registers))
	}
	*next++
	return registers[*next-1], nil
}
