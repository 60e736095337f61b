package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/command"
)

// known are the companions that this project has. Each is a module of its own, in the folder of its name.
var known = []string{"cluster", "lab", "vet"}

const sources = "github.com/thresh-dev/thresh"

// buildCompanion builds a companion that this project has, if this program lies in bin of its sources and there is a go
// command: "make build" builds only thresh. It returns the path of the program, "" if there is nothing to build.
func buildCompanion(name string, stderr *os.File) (path string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	bin := filepath.Dir(self)
	folder := filepath.Join(filepath.Dir(bin), name)
	pkg := "./cmd/" + companionPrefix + name
	module, _ := os.ReadFile(filepath.Join(filepath.Dir(bin), "go.mod"))
	_, missing := os.Stat(filepath.Join(folder, pkg))
	compiler, absent := exec.LookPath("go")
	if !slices.Contains(known, name) || filepath.Base(bin) != "bin" || missing != nil || absent != nil ||
		!strings.HasPrefix(string(module), "module "+sources+"\n") {
		return "", nil
	}
	path = filepath.Join(bin, companionPrefix+name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	unfinished := fmt.Sprintf("%s.%d", path, os.Getpid()) // another process may build it at the same time
	defer os.Remove(unfinished)
	build := exec.Command(compiler, "build", "-v", "-trimpath", "-o", unfinished, pkg)
	build.Dir = folder
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=", "GOEXPERIMENT=",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if err := showBuild(build, "building "+companionPrefix+name+" once (needs Go)…", stderr); err != nil {
		return "", fmt.Errorf("build %s in %s: %w", pkg, folder, err)
	}
	return path, os.Rename(unfinished, path)
}

// showBuild runs a build under a title. A terminal shows after it which package is compiled; what the compiler
// complains about is printed if the build fails.
func showBuild(build *exec.Cmd, title string, stderr *os.File) error {
	pipe, err := build.StderrPipe()
	if err == nil {
		err = build.Start()
	}
	if err != nil {
		return err
	}
	begin, end := title+"\n", ""
	if command.IsTerminal(stderr) {
		begin, end = title, command.ClearLine+title+"\n"
	}
	fmt.Fprint(stderr, begin)
	var complaints []string
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		line := lines.Text()
		if strings.Contains(line, " ") {
			complaints = append(complaints, line)
		}
		if room := command.ColumnsOf(stderr) - len(title) - 2; end != "" && len(line) < room {
			fmt.Fprint(stderr, command.ClearLine, title, " ", line)
		}
	}
	err = build.Wait()
	fmt.Fprint(stderr, end)
	if err != nil {
		fmt.Fprintln(stderr, strings.Join(complaints, "\n"))
	}
	return err
}
