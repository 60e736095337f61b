package donations

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

//go:embed java/*.java
var javaSources embed.FS

// javas returns the programs in Java. We wrote them from their description in the article. They
// take the time from the beginning of main, as the Go programs do, so the start of the virtual machine
// does not count; processor time does count it.
func javas() []lab.Variant {
	missing := func() string { return peer.NotInstalled("javac", "java") }
	return variantsOf([]program{
		// The program of Paige Niedringhaus that began it: a BufferedReader, lists, and a great many small
		// strings, because a line is split into all of its 21 fields by a regular expression.
		{"java-reader", "the first Java program: BufferedReader, lists, all fields split", byExpression, 84, missing,
			java("Reader"), answerOfText},
		// The fastest of seven variations by Stuart Marks, from which Rev0 was ported.
		{"java-7", "Java, seventh variation: one pass, streams that group and count", byExpression, 23, missing,
			java("Seven"), answerOfText},
		// Exercise 3: "make Variation7 as fast as our Revision 9".
		{"java-9", "the design of rev9 in Java (exercise 3)", byExpression, 0, missing, java("Nine"), answerOfText},
	}, false)
}

// java runs a class.
func java(class string) func(ctx context.Context, path string) (peer.Output, error) {
	return func(ctx context.Context, path string) (peer.Output, error) {
		folder, err := compiledJava(ctx)
		if err != nil {
			return peer.Output{}, err
		}
		out, err := peer.Exec(ctx, nil, "java", "-cp", folder, class, path)
		return out, errors.Join(err, out.Ended(0, "java"))
	}
}

// compiledJava returns a folder with the compiled classes: in the user's cache folder, by the hash of the
// sources, so that they are compiled once.
func compiledJava(ctx context.Context) (folder string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sources, err := fs.Glob(javaSources, "java/*.java")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, name := range sources {
		source, err := javaSources.ReadFile(name)
		if err != nil {
			return "", err
		}
		hash.Write(source)
	}
	parent := filepath.Join(cache, "thresh", "lab")
	folder = filepath.Join(parent, fmt.Sprintf("donations-java-%.8x", hash.Sum(nil)))
	if _, err := os.Stat(folder); err == nil {
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
	if err := os.CopyFS(made, javaSources); err != nil {
		return "", err
	}
	args := []string{"--release", "11", "-d", made}
	for _, name := range sources {
		args = append(args, filepath.Join(made, filepath.FromSlash(name)))
	}
	if out, err := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("javac: %w: %.500s", err, out)
	}
	if err := os.Rename(made, folder); err != nil {
		// Another process may have made it at the same time.
		if _, e := os.Stat(folder); e != nil {
			return "", err
		}
	}
	return folder, nil
}
