package walls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/wall"
)

// Hold is how long the commands take.
const Hold = 300 * time.Millisecond

// Fixture is what a command has around it.
type Fixture struct {
	cmd     *exec.Cmd
	cleanup []func()
}

func (f *Fixture) later(do func()) { f.cleanup = append(f.cleanup, do) }

// Run runs the command once in an empty folder of its own.
func (c Command) Run(ctx context.Context) (r wall.Report, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "walls")
	if err != nil {
		return r, err
	}
	f := &Fixture{cmd: exec.Command("sh", "-c", c.Line)}
	f.later(func() { err = errors.Join(err, os.RemoveAll(dir)) })
	defer func() {
		for i := len(f.cleanup) - 1; i >= 0; i-- {
			f.cleanup[i]()
		}
	}()
	f.cmd.Dir = dir
	f.cmd.Env = append(os.Environ(), "SELF="+self, helper+"=1", "LC_ALL=C")
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		return r, err
	}
	f.later(func() { err = errors.Join(err, stderr.Close()) })
	f.cmd.Stderr = stderr
	if c.Prepare != nil {
		if err := c.Prepare(f); err != nil {
			return r, fmt.Errorf("prepare %s: %w", c.Name, err)
		}
	}
	if r, err = wall.Run(ctx, f.cmd, wall.Options{}); err != nil {
		text, readErr := os.ReadFile(stderr.Name())
		return r, fmt.Errorf("%s: %w: %s", c.Line, errors.Join(err, readErr), bytes.TrimSpace(text))
	}
	return r, nil
}

// Right reports whether a report names the wall of the command. Where other programs took the
// processors, that is its wall; where the file system does no reads past the
// page cache, as in memory, storage is none.
func (c Command) Right(r wall.Report) bool {
	crowded := r.Wall == wall.OtherPrograms && r.Evidence.OtherCPU > 0.25*r.Evidence.Seconds
	inMemory := c.Want == wall.Storage && r.Evidence.ReadStorage+r.Evidence.WriteStorage == 0
	return r.Wall == c.Want || crowded || inMemory
}

// slowWriter gives the command a pipe that gets a line after a while.
func slowWriter(f *Fixture) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	f.cmd.Stdin = r
	wrote := make(chan struct{})
	time.AfterFunc(Hold, func() {
		_, _ = w.WriteString("line\n") // the command may have ended early; then the verdict is wrong anyway
		_ = w.Close()
		close(wrote)
	})
	f.later(func() { <-wrote; _ = r.Close() })
	return nil
}

// slowReader gives the command a pipe that is read after a while.
func slowReader(f *Fixture) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	f.cmd.Stdout = w
	read := make(chan struct{})
	time.AfterFunc(Hold, func() {
		defer close(read)
		_ = w.Close()
		buf := make([]byte, 1<<16)
		for {
			if _, err := r.Read(buf); err != nil {
				return
			}
		}
	})
	f.later(func() { <-read; _ = r.Close() })
	return nil
}

func lockHeld(f *Fixture) error {
	return held(f, func(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_EX) })
}

func rangeHeld(f *Fixture) error {
	return held(f, func(file *os.File) error {
		return unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	})
}

// held locks the file "lock" for a while.
func held(f *Fixture, lock func(*os.File) error) error {
	file, err := os.Create(filepath.Join(f.cmd.Dir, "lock"))
	if err != nil {
		return err
	}
	if err := lock(file); err != nil {
		return errors.Join(err, file.Close())
	}
	freed := make(chan struct{})
	time.AfterFunc(Hold, func() {
		_ = file.Close()
		close(freed)
	})
	f.later(func() { <-freed })
	return nil
}

func localServer(f *Fixture) error {
	_, err := serve(f, "unix", filepath.Join(f.cmd.Dir, "socket"))
	return err
}

func slowServer(f *Fixture) error {
	address, err := serve(f, "tcp", "127.0.0.1:0")
	f.cmd.Env = append(f.cmd.Env, "SERVER="+address)
	return err
}

// serve answers one connection after a while.
func serve(f *Fixture, network, address string) (string, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return "", err
	}
	done := make(chan struct{})
	f.later(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		time.Sleep(Hold)
		_, _ = conn.Write([]byte("late\n"))
		_ = conn.Close()
	}()
	return l.Addr().String(), nil
}

// compiled writes a program's text, and compiles it.
func compiled(name, text string, compiler ...string) func(*Fixture) error {
	return func(f *Fixture) error {
		if err := os.WriteFile(filepath.Join(f.cmd.Dir, name), []byte(text), 0o600); err != nil {
			return err
		}
		cmd := exec.Command(compiler[0], compiler[1:]...)
		cmd.Dir, cmd.Env = f.cmd.Dir, append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("compile: %w: %s", err, out)
		}
		return nil
	}
}

// someFile has bytes on storage.
func someFile(f *Fixture) error {
	file, err := os.Create(filepath.Join(f.cmd.Dir, "file"))
	if err != nil {
		return err
	}
	_, err = file.Write(bytes.Repeat([]byte("stored"), 2<<20))
	return errors.Join(err, file.Sync(), file.Close())
}

// coldFile makes a file of 256 MiB that is not in the page cache.
func coldFile(f *Fixture) error {
	file, err := os.Create(filepath.Join(f.cmd.Dir, "cold"))
	if err != nil {
		return err
	}
	piece := make([]byte, 1<<20)
	random := rand.NewChaCha8([32]byte{}) // a device may not store zeros
	for range 256 {
		_, _ = random.Read(piece) // never fails
		if _, err = file.Write(piece); err != nil {
			break
		}
	}
	return errors.Join(err, file.Sync(), unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED), file.Close())
}
