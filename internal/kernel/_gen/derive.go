package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kernels for other widths and vector lengths repeat each other, and archsimd has a type for each, so
// that type parameters cannot say it once. A line in a function's comment does:
//
//	//gen:also count16AVX512 count32AVX2
//
// above count32AVX512 makes the other two from it. A name ends with the width of a value in bits, if
// there is one, and an instruction set, and the types, methods and functions in the text follow:
//
//	Uint32x16, [16]uint32    whole vectors: Uint16x32 and [32]uint16, Uint32x8 and [8]uint32
//	uint32, BitsToInt32      the type of a value, also in names of methods
//	fits32AVX512, width32    what is named like the function; for some it may be written by hand

const also = "//gen:also "

// vectorBits are the bits of a vector of each instruction set.
var vectorBits = map[string]int{"AVX512": 512, "AVX2": 256, "NEON": 128}

var kernelName = regexp.MustCompile(`^([a-z][A-Za-z]*?)(8|16|32|64)?(AVX512|AVX2|NEON)$`)

// A kind is what a kernel's name ends with.
type kind struct{ width, isa string }

// derive returns the file of the functions that the directives in a package's sources ask for.
func derive(l listed, m *machine) (outputs, error) {
	name := "derived_" + m.name + ".go"
	set := token.NewFileSet()
	imports, functions := map[string]bool{}, ""
	for _, file := range append(slices.Clone(l.GoFiles), l.IgnoredGoFiles...) { // also from another machine's
		if strings.HasPrefix(file, "derived_") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(l.Dir, file))
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		found, err := derived(set, parsed, string(text), m)
		if err != nil {
			return nil, err
		}
		functions += found
		for _, i := range parsed.Imports {
			path := strings.Split(strings.Trim(i.Path.Value, `"`), "/")
			if strings.Contains(found, path[len(path)-1]+".") {
				imports[i.Path.Value] = true
			}
		}
	}
	if functions == "" {
		return outputs{name: nil}, nil
	}
	text := notice + "\n//go:build goexperiment.simd\n\npackage " + l.Name + "\n\nimport (\n" +
		strings.Join(slices.Sorted(maps.Keys(imports)), "\n") + "\n)\n" + functions
	formatted, err := format.Source([]byte(text))
	return outputs{name: formatted}, err
}

// derived returns the functions for a machine that the directives in a file ask for.
func derived(set *token.FileSet, file *ast.File, text string, m *machine) (functions string, err error) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Doc == nil {
			continue
		}
		body := text[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset]
		base := kernelName.FindStringSubmatch(f.Name.Name)
		for _, c := range f.Doc.List {
			names, ok := strings.CutPrefix(c.Text, also)
			if !ok {
				continue
			}
			for _, name := range strings.Fields(names) {
				to := kernelName.FindStringSubmatch(name)
				if base == nil || to == nil || base[1] != to[1] || (base[2] == "") != (to[2] == "") {
					return "", fmt.Errorf("%s: %s cannot be made from %s", set.Position(c.Pos()), name, f.Name.Name)
				}
				if (to[3] == "NEON") != (m == &arm64) {
					continue
				}
				functions += "\n" + rewrite(body, kind{base[2], base[3]}, kind{to[2], to[3]}) + "\n"
			}
		}
	}
	return functions, nil
}

var (
	vectorType = regexp.MustCompile(`(Uint|Int|Float|Mask)(8|16|32|64)x(\d+)`)
	arrayType  = regexp.MustCompile(`\[(\d+)\](u?int|float)(8|16|32|64)\b`)
	methodName = regexp.MustCompile(`\.((?:BitsTo|ReshapeTo|ConvertTo)(?:Uint|Int|Float))(8|16|32|64)(s?)\b`)
	ownName    = regexp.MustCompile(`\b([a-z][A-Za-z]*?)(8|16|32|64)?(AVX512|AVX2|NEON)?\b`)
)

// rewrite returns the text of a function of one kind as one of another.
func rewrite(text string, from, to kind) string {
	width := func(bits string) string {
		if bits == from.width {
			return to.width
		}
		return bits
	}
	// whole returns how many elements of a width a vector has, false if so many did not fill one.
	whole := func(bits, count string) (int, bool) {
		n, _ := strconv.Atoi(count)
		before, _ := strconv.Atoi(bits)
		after, _ := strconv.Atoi(width(bits))
		return vectorBits[to.isa] / after, n*before == vectorBits[from.isa]
	}
	replace := func(pattern *regexp.Regexp, by func(part []string) string) {
		text = pattern.ReplaceAllStringFunc(text, func(s string) string { return by(pattern.FindStringSubmatch(s)) })
	}
	replace(vectorType, func(part []string) string {
		n, ok := whole(part[2], part[3])
		if !ok {
			return part[0]
		}
		return fmt.Sprint(part[1], width(part[2]), "x", n)
	})
	replace(arrayType, func(part []string) string {
		n, ok := whole(part[3], part[1])
		if !ok {
			return part[0]
		}
		return fmt.Sprint("[", n, "]", part[2], width(part[3]))
	})
	replace(methodName, func(part []string) string { return "." + part[1] + width(part[2]) + part[3] })
	replace(ownName, func(part []string) string {
		if part[3] == from.isa {
			part[3] = to.isa
		}
		return part[1] + width(part[2]) + part[3]
	})
	return text
}
