package main

import (
	"bufio"
	"bytes"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/internal/test/python"
)

// TestLogsOfPrograms reads the times that programs wrote themselves.
func TestLogsOfPrograms(t *testing.T) {
	began := time.Now().Add(-time.Second)
	logs := map[string]func(t *testing.T) []byte{
		"Go log": func(*testing.T) []byte {
			var b bytes.Buffer
			log.New(&b, "", log.LstdFlags|log.Lmicroseconds|log.Lshortfile).Print("ready")
			return b.Bytes()
		},
		"Go slog, text": func(*testing.T) []byte {
			var b bytes.Buffer
			slog.New(slog.NewTextHandler(&b, nil)).Info("ready")
			return b.Bytes()
		},
		"Go slog, JSON": func(*testing.T) []byte {
			var b bytes.Buffer
			slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{AddSource: true})).Info("ready")
			return b.Bytes()
		},
		"Python": func(t *testing.T) []byte {
			out, err := exec.Command(python.Interpreter(t), "-c", "import logging\n"+
				"logging.basicConfig(format='%(asctime)s - %(name)s - %(message)s')\nlogging.error('ready')").CombinedOutput()
			must(t, err)
			return out
		},
	}
	logs["PostgreSQL"], logs["nginx"] = postgres, nginx
	for name, write := range logs {
		t.Run(name, func(t *testing.T) {
			text := write(t)
			file := filepath.Join(t.TempDir(), "log")
			must(t, os.WriteFile(file, text, 0o600))
			from, to := began.Format("2006-01-02T15:04:05Z07:00"), time.Now().Add(2*time.Second).Format("2006-01-02T15:04:05Z07:00")
			if out, status := grepFrom(t, file, []string{"--from", from, "--to", to, "ready|exiting", file}); status != 0 || len(out) == 0 {
				t.Errorf("status %d, %q of %q", status, out, text)
			}
			if out, status := grepFrom(t, file, []string{"--from", to, "ready|exiting", file}); status != 1 {
				t.Errorf("later: status %d, %q of %q", status, out, text)
			}
		})
	}
}

// nginx returns what nginx logs until it is asked to end.
func nginx(t *testing.T) []byte {
	folder := t.TempDir()
	file, conf := filepath.Join(folder, "error.log"), filepath.Join(folder, "nginx.conf")
	must(t, os.WriteFile(conf, []byte("daemon off; master_process off; error_log "+file+" notice; pid "+folder+"/pid; events { }\n"), 0o600))
	server := exec.Command(client.Program(t, "nginx", "nginx"), "-c", conf)
	must(t, server.Start())
	text := func() []byte {
		b, _ := os.ReadFile(file) // there is none at first
		return b
	}
	for end := time.Now().Add(time.Minute); !bytes.Contains(text(), []byte("notice")) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	must(t, server.Process.Signal(syscall.SIGTERM))
	must(t, server.Wait())
	return text()
}

// postgres returns what a new server of PostgreSQL logs until it is ready. It does not run as root.
func postgres(t *testing.T) []byte {
	bin, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if must(t, err); len(bin) == 0 {
		client.Program(t, "postgres", "postgresql")
		t.Skip("no initdb where Debian has it")
	}
	folder, err := os.MkdirTemp("", "thresh-postgres-") // other users can't enter t.TempDir()
	must(t, err)
	defer os.RemoveAll(folder)
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(filepath.Dir(bin[0]), name), args...)
		c.Dir = folder
		if os.Geteuid() == 0 {
			const nobody = 65534
			must(t, os.Chown(folder, nobody, nobody))
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		return c
	}
	if out, err := command("initdb", "-D", folder, "--no-sync", "-A", "trust").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := command("postgres", "-D", folder, "-c", "listen_addresses=", "-c", "unix_socket_directories="+folder)
	stderr, err := server.StderrPipe()
	must(t, err)
	must(t, server.Start())
	var text []byte
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if text = append(append(text, lines.Bytes()...), '\n'); strings.Contains(lines.Text(), "ready") {
			must(t, server.Process.Signal(os.Interrupt))
		}
	}
	must(t, server.Wait())
	return text
}
