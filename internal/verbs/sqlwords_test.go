package verbs

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/table/sql"
)

// TestSQLWords: what texts about tables name by a field is said by a statement in its own words, or by a flag that sql has.
func TestSQLWords(t *testing.T) {
	flag := regexp.MustCompile(`(^| )--?([a-z0-9-]+)`)
	field := regexp.MustCompile(`\b(Dialect|Groups|TableSpec|TopKeys|Select|Values|LogTimes|Writer|Run|Scan|thresh)\.[A-Z][A-Za-z]+`)
	text := regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)
	flags, seen := SQL().Flags, map[string]bool{
		"TopKeys.Keys": true, "thresh.Records": true, "thresh.Sample": true, "thresh.Columns": true, "Dialect.Numbers": true, // no statement asks so
	}
	err := fs.WalkDir(os.DirFS("../table"), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "sql/words.go" || name == "sql/write.go" {
			return err
		}
		source, err := os.ReadFile("../table/" + name)
		for _, literal := range text.FindAllString(string(source), -1) {
			for _, f := range field.FindAllString(literal, -1) {
				if seen[f] {
					continue
				}
				seen[f] = true
				said := command.Flags(sql.InWords(errors.New(f)).Error())
				if said == f {
					t.Errorf("%s: %s is in no words of a statement", name, f)
				}
				for _, m := range flag.FindAllStringSubmatch(said, -1) {
					if !slices.ContainsFunc(flags, func(f command.Flag) bool { return f.Name == m[2] || f.Short == m[2] }) {
						t.Errorf("%s: %s is %s, and sql has no such flag", name, f, said)
					}
				}
			}
		}
		return err
	})
	if err != nil || len(seen) < 20 {
		t.Error(err, len(seen))
	}
}
