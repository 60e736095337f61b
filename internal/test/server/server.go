// Package server starts the servers that tests ask, each a process that ends with its test.
package server

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The keys of the stores that Store starts.
const (
	AccessKey = "me"
	SecretKey = "secret"
)

// FindStore returns the path of versitygw, an S3-compatible store. Without it the test is skipped, or fails in CI.
// It lies below the home folder: call FindStore before a test changes that.
func FindStore(t testing.TB) (program string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	program = filepath.Join(cache, "thresh", "bin", "versitygw")
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v: scripts/test-setup.sh installs it", err)
		}
		t.Skipf("%v: scripts/test-setup.sh installs it", err)
	}
	return program
}

// Store starts the program of FindStore. Its buckets are the folders below root.
func Store(t testing.TB, program, root string) (endpoint string) {
	t.Helper()
	return "http://" + Start(t, func(address string) []string {
		return []string{program, "--port", address, "--access", AccessKey, "--secret", SecretKey, "posix", root}
	})
}

// attempts is how often Start tries another port: another program may take one before the server listens.
const attempts = 5

// Start starts a program that listens at an address of this machine, and returns the address.
func Start(t testing.TB, command func(address string) []string) (address string) {
	t.Helper()
	for range attempts {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		args := command(address)
		cmd := exec.Command(args[0], args[1:]...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }() // it is killed, or its output is logged below
		t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
		if listens(t, address, ended) {
			return address
		}
		t.Logf("%s: perhaps another program took the port\n%s", address, out.String())
	}
	t.Fatal("the server does not start")
	return ""
}

// listens waits until a server listens. It returns false if the server has ended.
func listens(t testing.TB, address string, ended <-chan struct{}) bool {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case <-ended:
			return false
		default:
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn.Close() == nil
		}
	}
	t.Fatalf("nothing listens at %s", address)
	return false
}
