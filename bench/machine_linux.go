package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"

	"github.com/thresh-dev/thresh/lab/machine"
)

// machineFacts says on what kind of machine figures are taken, with the file system of the data. It
// holds nothing that tells one such machine from another.
func machineFacts(data string) map[string]string {
	m := machine.Facts()
	m["processors"], m["go"], m["arch"] = fmt.Sprint(runtime.NumCPU()), runtime.Version(), runtime.GOARCH
	m["file system"] = machine.FileSystem(data)
	return m
}

// recordNames fits what --record-as may be.
var recordNames = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// keep adds the report to the day's record of this kind of machine, without the paths of this one.
func (b *bench) keep(stdout io.Writer) error {
	name := recordName(b.recordAs, b.report.Machine)
	path, err := b.report.record(recordFolder, name, hides(b.data.folder, b.self))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "recorded in %s; go run ./bench plot %s draws it\n", path, path)
	return err
}

// recordName returns the name of a record: the one asked for, or one made from the processor's.
func recordName(asked string, machine map[string]string) string {
	if asked != "" {
		return asked
	}
	return shortName(machine["model"], runtime.GOARCH, machine["processors"])
}

// hides returns the paths of this machine, with what a record says instead.
func hides(data, self string) map[string]string {
	hide := map[string]string{data: "DATA", self: "bench", os.TempDir() + "/": "TEMP/"}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		hide[home] = "~"
	}
	if here, err := os.Getwd(); err == nil && here != "/" {
		hide[here] = "."
	}
	return hide
}
