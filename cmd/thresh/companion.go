package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/command"
)

// A companion is a separate program that adds a command: "thresh NAME" runs thresh-NAME, as git
// does. Commands that few people need are companions, so thresh itself stays small and starts
// fast. A companion is in the folder of this program or in a folder of PATH, searched in that
// order. It cannot replace a command of this program.

// companionPrefix begins the file name of every companion.
const companionPrefix = "thresh-"

// companionCall is a call of a companion.
type companionCall struct {
	name     string // "vet" for thresh-vet
	args     []string
	complete bool // the shell asks for completions
}

// parseCompanion returns the call of a companion that args ask for. It reports false if args name
// a command of this program or no command. It does not check that the companion exists.
func parseCompanion(args []string) (call companionCall, ok bool) {
	switch {
	case len(args) == 0:
		return call, false
	case args[0] == "help" && len(args) == 2:
		call = companionCall{name: args[1], args: []string{"--help"}}
	case isCompletion(args[0]) && len(args) > 2: // of two, the last is the name, still being typed
		call = companionCall{name: args[1], args: append(args[:1:1], args[2:]...), complete: true}
	default:
		call = companionCall{name: args[0], args: args[1:]}
	}
	return call, companionName(call.name) && !isCommand(call.name)
}

// isCompletion reports whether arg is one of the commands with which shells ask for completions.
func isCompletion(arg string) bool {
	return arg == cobra.ShellCompRequestCmd || arg == cobra.ShellCompNoDescRequestCmd
}

// isCommand reports whether this program has a command of that name.
func isCommand(name string) bool {
	return name == "help" || name == "completion" || isCompletion(name) ||
		slices.ContainsFunc(commands, func(v verb) bool { return v.name == name })
}

// companionName reports whether name is valid for a companion. Flags and paths are not.
func companionName(name string) bool {
	for i, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-_.", rune(c))) {
			return false
		}
	}
	return name != ""
}

// runCompanion runs the companion that args name. It reports false if there is none. The companion
// inherits the standard streams, the signals and the environment, and its exit status becomes
// that of this program. On Unix it replaces this process, so nothing that survives exec, such as
// an ignored signal, may be changed before.
func runCompanion(args []string, stdin, stdout, stderr *os.File) (status int, ran bool) {
	call, ok := parseCompanion(args)
	if !ok {
		return 0, false
	}
	path := findCompanion(call.name)
	if path == "" && !call.complete {
		built, err := buildCompanion(call.name, stderr)
		if err != nil {
			command.Complain(stderr, err)
			return command.WrongUsage, true
		}
		path = built
	}
	if path == "" {
		return 0, false
	}
	if call.complete {
		completeCompanion(path, call.args, stdout)
		return command.Answered, true
	}
	status, err := handOver(path, call.args, stdin, stdout, stderr)
	if err != nil {
		command.Complain(stderr, fmt.Errorf("run %s: %w", path, err))
	}
	return status, true
}

// completionMax bounds the wait for a companion's completions: the user has just pressed the tab
// key and waits.
const completionMax = 2 * time.Second

// completeCompanion prints the completions of the companion at path. If the companion does not
// answer as programs with cobra do, with a last line like ":4", the shell completes file names.
func completeCompanion(path string, args []string, stdout io.Writer) {
	ctx, cancel := context.WithTimeout(context.Background(), completionMax)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = completionMax // a child of the companion may keep the pipe open
	answer, err := cmd.Output()
	lines := bytes.Split(bytes.TrimRight(answer, "\n"), []byte("\n"))
	if err != nil || !bytes.HasPrefix(lines[len(lines)-1], []byte(":")) {
		answer = fmt.Appendf(nil, ":%d\n", cobra.ShellCompDirectiveDefault)
	}
	_, _ = stdout.Write(answer) // the shell that asked may be gone
}

// findCompanion returns the path of a companion, "" if there is none.
func findCompanion(name string) string {
	file := companionPrefix + name
	if self, err := os.Executable(); err == nil {
		// LookPath takes a path as it is, and checks that it can be executed.
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), file)); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(file)
	if err != nil { // also if it is in the current folder, which may contain untrusted files
		return ""
	}
	return path
}

// companions returns the names of all companions, sorted. It reads the folders of PATH, which
// takes milliseconds: only help, completion and errors ask for it.
func companions() (names []string) {
	folders := filepath.SplitList(os.Getenv("PATH"))
	if self, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(self))
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // PATH often names folders that do not exist
		}
		for _, entry := range entries {
			name, ok := strings.CutPrefix(entry.Name(), companionPrefix)
			if runtime.GOOS == "windows" {
				name = strings.TrimSuffix(name, filepath.Ext(name))
			}
			if ok && companionName(name) && !isCommand(name) && findCompanion(name) != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// companionGroup is the group of the companions in cobra.
const companionGroup = "companions"

// addCompanions adds the companions to root, for completion and suggestions. runCompanion
// runs them, never cobra.
func addCompanions(root *cobra.Command) {
	if root.ContainsGroup(companionGroup) {
		return
	}
	root.AddGroup(&cobra.Group{ID: companionGroup})
	for _, name := range companions() {
		root.AddCommand(&cobra.Command{
			Use: name, Short: "runs " + companionPrefix + name, GroupID: companionGroup,
			Run: func(*cobra.Command, []string) { panic("thresh: bug: cobra runs a companion") },
		})
	}
}

// unknownCommand returns the error for words of which the first is neither a command nor a companion, and suggests
// similar names.
func unknownCommand(root *cobra.Command, words []string) error {
	addCompanions(root)
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	err := fmt.Errorf("unknown command %q for %q", words[0], root.Name())
	return command.Exit(command.WrongUsage, command.Hint(err, meant(words, names)))
}

// meant says what somebody may have wanted who typed words, of which the first is none of the commands' names.
func meant(words, names []string) string {
	name := words[0]
	if slices.Contains(known, name) {
		program := companionPrefix + name
		return fmt.Sprintf("%s is a program of its own: go install %s/%s/cmd/%[1]s@latest", program, sources, name)
	}
	first, rest, _ := strings.Cut(strings.ToLower(name), " ")
	if what := programs()[first]; what != "" && rest != "" {
		return command.Suggest(what + " " + command.ShellQuote(name)) // thresh 'select …'
	} else if what != "" {
		return command.Suggest(what)
	}
	if near := command.Nearest(name, names); near != "" {
		return command.Suggest(near)
	}
	if command.IsFile(words[len(words)-1]) {
		text := "thresh grep"
		for _, word := range words {
			text += " " + command.ShellQuote(word)
		}
		return command.Suggest(text)
	}
	if strings.ContainsAny(name, "./") {
		return "there is no file of this name, either"
	}
	return `"thresh --help" lists the commands`
}
