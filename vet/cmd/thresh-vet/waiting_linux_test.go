package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal returns both ends of a terminal: the one that a program writes to, and the one that shows it.
func terminal(t *testing.T) (program, screen *os.File) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return program, screen
}

// TestShown: a terminal shows that a check is at work, clears the line, and then shows its complaints; the command's
// error is returned. Anything but a terminal gets only the complaints.
func TestShown(t *testing.T) {
	program, screen := terminal(t)
	work := func(script string) func(io.Writer) error {
		return func(complaints io.Writer) error {
			cmd := exec.Command("sh", "-c", script)
			cmd.Stderr = complaints
			return cmd.Run()
		}
	}
	if err := shown(program, work("echo complaint >&2; sleep 1.5; exit 3")); err == nil {
		t.Error("the command's error is lost")
	}
	b := make([]byte, 1000)
	var text string
	for !strings.Contains(text, "complaint") {
		n, err := screen.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b[:n])
	}
	if !strings.HasPrefix(text, clearLine+"checking packages, 1 s") || !strings.Contains(text, clearLine+"complaint") {
		t.Errorf("the terminal shows %q", text)
	}
	var plain strings.Builder
	if err := shown(&plain, work("echo complaint >&2")); err != nil || plain.String() != "complaint\n" {
		t.Errorf("without a terminal: %v, %q", err, plain.String())
	}
}
