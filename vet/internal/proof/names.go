package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// entry matches a line of the table in the program's source.
var entry = regexp.MustCompile(`(?m)^\t"(\w+)": +\{`)

const shapesFolder = "vet/internal/proof/testdata/shapes"

// Shapes returns the names of the shapes. root is the folder of this repository.
func Shapes(root string) (names []string, err error) {
	text, err := os.ReadFile(filepath.Join(root, shapesFolder, "main.go"))
	if err != nil {
		return nil, err
	}
	for _, m := range entry.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names, nil
}

// Reproduced says what a shape was made after.
type Reproduced struct {
	Finding string // the module and the file
	Rule    string
}

var (
	after  = regexp.MustCompile(`(?m)^// After (\S+):`)
	wanted = regexp.MustCompile(`(?m)// want (\w+)$`)
)

// About returns what a shape was made after. Its file says so in a line "// After MODULE/FILE".
func About(root, name string) (r Reproduced, err error) {
	text, err := os.ReadFile(filepath.Join(root, shapesFolder, name+".go"))
	if err != nil {
		return r, err
	}
	f, w := after.FindSubmatch(text), wanted.FindSubmatch(text)
	if f == nil || w == nil {
		return r, fmt.Errorf("%s.go names no finding, or no rule", name)
	}
	return Reproduced{string(f[1]), string(w[1])}, nil
}
