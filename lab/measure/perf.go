package measure

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// perfControl is a folder with two named pipes: one in which a child tells perf when to begin and end, and
// one in which perf answers. So the samples are those of the work, without the start of the process.
type perfControl string

func (c perfControl) commands() string { return filepath.Join(string(c), "commands") }
func (c perfControl) answers() string  { return filepath.Join(string(c), "answers") }

// command returns the command line before a command that perf shall profile. Go programs keep frame
// pointers, so stacks need no more than them.
func (c perfControl) command(file string) []string {
	return []string{
		"perf", "record", "--quiet", "--freq=1999", "--call-graph=fp", "--output=" + file,
		"--delay=-1", "--control=fifo:" + c.commands() + "," + c.answers(), "--",
	}
}

// make makes the pipes.
func (c perfControl) make() error { return errors.Join(makePipe(c.commands()), makePipe(c.answers())) }

// tell gives perf a command, "enable" or "disable", and waits until it is done.
func (c perfControl) tell(command string) error {
	if err := os.WriteFile(c.commands(), []byte(command+"\n"), 0); err != nil {
		return fmt.Errorf("perf, %s: %w", command, err)
	}
	answers, err := os.Open(c.answers())
	if err != nil {
		return fmt.Errorf("perf, %s: %w", command, err)
	}
	defer answers.Close() // nothing was written
	const ack = "ack\n"
	answer := make([]byte, 64)
	n, err := answers.Read(answer)
	if err != nil || !strings.HasPrefix(string(answer[:n]), ack) {
		return fmt.Errorf("perf, %s: answer %q, error %w", command, answer[:n], err)
	}
	return nil
}

// noPerf returns why perf cannot profile a program together with the kernel here, "" if it can.
func noPerf(ctx context.Context, folder, program string) string {
	if _, err := exec.LookPath("perf"); err != nil {
		return "perf is not installed"
	}
	if why := kernelHidden(); why != "" {
		return why
	}
	if !hasSymbols(program) {
		return "this program was built without symbols"
	}
	if err := tryPerf(ctx, folder); err != nil {
		return err.Error()
	}
	return ""
}

// kernelHidden returns why this user may not profile the kernel, "" if they may.
func kernelHidden() string {
	const setting = "/proc/sys/kernel/perf_event_paranoid"
	const most = 1
	text, err := os.ReadFile(setting)
	if err != nil {
		return "this system has no " + setting
	}
	level, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Sprintf("%s is %q", setting, text)
	}
	if level > most && os.Geteuid() != 0 {
		return fmt.Sprintf("kernel.perf_event_paranoid is %d, and only root may profile the kernel above %d", level, most)
	}
	return ""
}

// hasSymbols reports whether an ELF file has a table of symbols: "go test" and releases often leave it out.
func hasSymbols(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // nothing was written
	_, err = f.Symbols()
	return err == nil
}

// tryPerf lets perf take samples of something that takes long enough for some: some machines have perf and
// no samples, and old versions know not all options.
func tryPerf(ctx context.Context, folder string) (err error) {
	folder, err = os.MkdirTemp(folder, "perf-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	c := perfControl(folder)
	if err := c.make(); err != nil {
		return err
	}
	file := filepath.Join(folder, "profile")
	script := fmt.Sprintf("echo enable >%q; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done", c.commands())
	args := append(c.command(file), "sh", "-c", script)
	if text, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("perf record: %w: %s", err, firstLine(text))
	}
	folded, err := foldPerf(ctx, file)
	if err == nil && len(folded) == 0 {
		err = errors.New("perf takes no samples here")
	}
	return err
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return line
}
