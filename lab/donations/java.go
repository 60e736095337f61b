package donations

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/thresh-dev/thresh/lab"
)

//go:embed java/*.java
var javaSources embed.FS

// javas returns the programs in Java. They are written by us from what the article says of them. They
// take the time from the beginning of main, as the Go programs do, so the start of the virtual machine
// does not count; processor time does count it.
func javas() []lab.Variant {
	return []lab.Variant{
		// The program of Paige Niedringhaus that began it: a BufferedReader, lists, and a great many small
		// strings, because a line is split into all of its 21 fields by a regular expression. The article
		// reports 84 seconds.
		javaVariant("java-reader", "Reader", "the first Java program: BufferedReader, lists, all fields split", 84),
		// The fastest of seven variations by Stuart Marks, from which Rev0 was ported. The article reports
		// 23 seconds.
		javaVariant("java-7", "Seven", "Java, seventh variation: one pass, streams that group and count", 23),
		// Exercise 3: "make Variation7 as fast as our Revision 9".
		javaVariant("java-9", "Nine", "the design of rev9 in Java (exercise 3)", 0),
	}
}

func javaVariant(id, class, what string, published float64) lab.Variant {
	v := lab.Variant{
		ID: "donations/" + id, What: what, Input: input, WantOf: byExpression.want,
		Settings: []lab.Setting{warm(0)},
		Missing:  func() string { return notInstalled("javac", "java") },
		Run: func(ctx context.Context, t lab.Task) (lab.Outcome, error) {
			folder, err := compiledJava(ctx, class)
			if err != nil {
				return lab.Outcome{}, err
			}
			return runProgram(ctx, t, byExpression, "java", "-cp", folder, class, t.Path)
		},
	}
	if published > 0 {
		v.Published = []lab.Published{{Value: published, Setting: warm(0)}}
	}
	return v
}

// compiledJava returns a folder with the compiled class: in the user's cache folder, by the source's
// hash, so that it is compiled once.
func compiledJava(ctx context.Context, class string) (folder string, err error) {
	source, err := javaSources.ReadFile("java/" + class + ".java")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(cache, "thresh", "lab")
	folder = filepath.Join(parent, fmt.Sprintf("java-%s-%.8x", class, sha256.Sum256(source)))
	if _, err := os.Stat(filepath.Join(folder, class+".class")); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(parent, "javac-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	name := filepath.Join(made, class+".java")
	if err := os.WriteFile(name, source, 0o600); err != nil {
		return "", err
	}
	javac := exec.CommandContext(ctx, "javac", "--release", "11", "-d", made, name)
	if out, err := javac.CombinedOutput(); err != nil {
		return "", fmt.Errorf("javac %s.java: %w: %.500s", class, err, out)
	}
	if err := os.Rename(made, folder); err != nil {
		// Another process may have made it at the same time.
		if _, e := os.Stat(filepath.Join(folder, class+".class")); e != nil {
			return "", err
		}
	}
	return folder, nil
}
