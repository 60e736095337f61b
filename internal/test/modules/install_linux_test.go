// Package modules installs what the modules of the workspace offer as users do, from a proxy.
package modules

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root    = "../../.."
	path    = "github.com/thresh-dev/thresh"
	version = "v0.0.1-test"
)

// programs are the packages that people install, by the folder of their module.
var programs = map[string]string{
	"": "cmd/thresh", "vet/": "cmd/thresh-vet", "lab/": "cmd/thresh-lab", "cluster/": "cmd/thresh-cluster",
}

// TestInstall makes a proxy in a folder that has all modules in one version, and installs each program from it. Modules of
// others come from the module cache, which is left as it is.
func TestInstall(t *testing.T) {
	if os.Getenv("THRESH_INSTALL") == "" {
		t.Skip("compiles all programs, which takes minutes: THRESH_INSTALL=1 go test ./internal/test/modules, as make fuzz does")
	}
	proxy, cache := t.TempDir(), output(t, "go", "env", "GOMODCACHE")
	for folder := range programs {
		publish(t, proxy, folder)
	}
	own := t.TempDir()
	for folder, pkg := range programs {
		install := exec.Command("go", "install", "-modcacherw", path+"/"+folder+pkg+"@"+version)
		install.Dir = t.TempDir()
		install.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath", "GOSUMDB=off", "GOBIN="+install.Dir, "CGO_ENABLED=0",
			"GOMODCACHE="+own, "GOPROXY=file://"+proxy+",file://"+filepath.Join(cache, "cache/download"))
		if out, err := install.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", install.Args, err, out)
			continue
		}
		program := filepath.Join(install.Dir, filepath.Base(pkg))
		module := "mod\t" + strings.TrimSuffix(path+"/"+folder, "/") + "\t" + version
		if made := output(t, "go", "version", "-m", program); !strings.Contains(made, module) || strings.Contains(made, "=>") {
			t.Errorf("%s is not of %q alone:\n%s", pkg, module, made)
		} else if ties := folder == "lab/" || folder == "cluster/"; strings.Contains(made, "dep\t"+path+"\t"+version) != ties {
			t.Errorf("%s: tied to the root's version is %v, want %v:\n%s", pkg, !ties, ties, made)
		}
		if help := output(t, program, "--help"); !strings.Contains(help, "Usage:") {
			t.Errorf("%s --help prints %q", pkg, help)
		}
	}
}

// publish puts the module of a folder into a proxy: the files that git knows, except those of modules below it.
func publish(t *testing.T, proxy, folder string) {
	names := strings.Fields(output(t, "git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", "./"+folder))
	var below []string
	for _, name := range names {
		if in, found := strings.CutSuffix(name, "go.mod"); found && in != folder {
			below = append(below, in)
		}
	}
	module := strings.TrimSuffix(path+"/"+folder, "/")
	to := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(to, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	z := zip.NewWriter(archive)
	for _, name := range names {
		if slices.ContainsFunc(below, func(in string) bool { return strings.HasPrefix(name, in) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		within := strings.TrimPrefix(name, folder)
		if within == "go.mod" {
			text = []byte(strings.Replace(string(text), "\t"+path+" v0.0.0\n", "\t"+path+" "+version+"\n", 1))
			put(t, filepath.Join(to, version+".mod"), text)
		}
		var entry io.Writer
		if err == nil {
			entry, err = z.Create(module + "@" + version + "/" + within)
		}
		if err == nil {
			_, err = entry.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(to, version+".info"), fmt.Appendf(nil, `{"Version":%q}`, version))
	put(t, filepath.Join(to, "list"), []byte(version+"\n"))
}

func put(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// output returns what a command prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return strings.TrimSpace(string(out))
}
