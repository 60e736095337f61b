// Command tool keeps the public API of the module in files, so that reviews show when it changes.
//
// With -write it writes a file for each public package, api/NAME.txt: the exported declarations as
// Go source, without comments, bodies and unexported parts. With -check it compares the files with
// the packages and fails where they differ. Differences that break users are named by apidiff.
//
// Both sides of a comparison are such files, so what is unexported can change freely.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", "../..", "the module's folder")
	write := flag.Bool("write", false, "write the files")
	check := flag.Bool("check", false, "fail if the files differ from the packages")
	flag.Parse()
	if *write == *check || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: tool -write | -check")
		os.Exit(2)
	}
	if err := run(*root, *write, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

func run(root string, write bool, out io.Writer) error {
	current, err := currentStubs(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "api")
	if write {
		return writeStubs(dir, current)
	}
	kept, err := readStubs(dir)
	if err != nil {
		return err
	}
	differ, err := compare(out, kept, current, others(root))
	if err != nil {
		return err
	}
	if differ {
		return errors.New("the public API is not what api/*.txt record: run make api and commit the files;\n" +
			"CHANGELOG.md must name each incompatible change under Unreleased")
	}
	return nil
}
