package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/term"

	"github.com/thresh-dev/thresh/internal/command"
)

// madeLetters is how many letters a password has that is made: 5 bits each.
const madeLetters = 16

// users reads --auth and --auth-file, and returns the hashes of passwords by name.
func (f *serveFlags) users(ctx context.Context, c *command.Console) (map[string]string, error) {
	lines := f.auth
	if f.authFile != "" {
		text, err := os.ReadFile(f.authFile)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) == len(f.auth) {
			return nil, fmt.Errorf("--auth-file %s: it names no user, and would let anyone in", f.authFile)
		}
	}
	users := map[string]string{}
	for i, line := range lines {
		name, hash, hashed := strings.Cut(strings.TrimSpace(line), ":")
		if name == "" || hashed && hash == "" || !hashed && i >= len(f.auth) {
			return nil, errors.New("--auth: a user is NAME:HASH, as htpasswd -nbB NAME PASSWORD prints, or NAME alone " +
				"outside of files")
		}
		if _, twice := users[name]; twice {
			return nil, fmt.Errorf("--auth: two passwords for user %q", name)
		}
		if !hashed {
			var err error
			if hash, err = newPassword(ctx, c, name); err != nil {
				return nil, fmt.Errorf("--auth %s: %w", name, err)
			}
		}
		users[name] = hash
	}
	return users, nil
}

// newPassword returns the hash of a password that the terminal is asked for, or of one that is made and printed.
func newPassword(ctx context.Context, c *command.Console, name string) (hash string, err error) {
	var password []byte
	if command.IsTerminal(c.In) && command.IsTerminal(c.Err) {
		if password, err = askHidden(ctx, c, fmt.Sprintf("password for %s (empty: one is made): ", name)); err != nil {
			return "", err
		}
	}
	if len(password) == 0 {
		password = []byte(strings.ToLower(rand.Text()[:madeLetters]))
		fmt.Fprintf(c.Err, "user %s, password %s\n", name, password)
	}
	text, err := bcrypt.GenerateFromPassword(password, bcrypt.DefaultCost)
	return string(text), err
}

// askHidden asks the terminal for a line that it does not show. An interrupt restores the terminal.
func askHidden(ctx context.Context, c *command.Console, prompt string) ([]byte, error) {
	fd := int(c.In.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	fmt.Fprint(c.Err, prompt)
	type answer struct {
		line []byte
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		line, err := term.ReadPassword(fd)
		read <- answer{line, err}
	}()
	defer fmt.Fprintln(c.Err)
	select {
	case a := <-read:
		return a.line, a.err
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("interrupted: %w", ctx.Err()), term.Restore(fd, before))
	}
}
