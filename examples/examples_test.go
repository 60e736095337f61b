//go:build unix

package examples

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// linesMax is how long a program may be that shows how short something is.
const linesMax = 40

// bin is the folder with the programs.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds the programs and runs the tests.
func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "examples")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if out, err := exec.Command("go", "build", "-o", folder, "./...").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	bin = folder
	return m.Run()
}

// TestShort: the programs are short, and there is one for each of ten things.
func TestShort(t *testing.T) {
	names, err := filepath.Glob("*/main.go")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > linesMax {
			t.Errorf("%s has %d lines, more than %d", name, n, linesMax)
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestExamples runs the programs that end by themselves, and compares what they print.
func TestExamples(t *testing.T) {
	folder := t.TempDir()
	log := write(t, filepath.Join(folder, "app.log"), "start\nerror 7\nretry\nok\nok\nerror error\n")
	csv := write(t, filepath.Join(folder, "a.csv"), "city,amount\nBonn,3\nBonn,0.25\n")
	write(t, filepath.Join(folder, "sales.csv"), "city,amount\nBonn,3\nO'Hare,7\nBonn,0.25\nKiel,1.00\n")
	object := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=me/") {
			w.WriteHeader(http.StatusForbidden)
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("a\nb\nc\n"))
	}))
	defer object.Close()
	for _, test := range []struct {
		args        []string
		stdin, want string
	}{
		{[]string{"lines", "error", log}, "", "     1  start\n     2  error 7  (1 matches)\n     3  retry\n     5  ok\n" +
			"     6  error error  (2 matches)\n"},
		{[]string{"channel", "o[kr]", log}, "", "9 2\n20 2\n23 2\n29 2\n35 2\n"},
		{[]string{"groups", folder, filepath.Base(csv)}, "city,amount\nKiel,1\n",
			"memory Oslo 2.00 <nil>\nmemory Rome 3.30 <nil>\nstdin Kiel 1.00 <nil>\na.csv Bonn 3.25 <nil>\n"},
		{[]string{"sqlrows", folder, "sales.csv", "O'Hare"}, "", "Bonn 2 3.25\nKiel 1 1.00\n"},
		{[]string{"object", object.URL, "s3://bucket/key"}, "", "3 lines\n"},
		{[]string{"childwall", "sleep", "0.4"}, "", "sleeping: "},
	} {
		cmd := exec.Command(filepath.Join(bin, test.args[0]), test.args[1:]...)
		cmd.Env = append(os.Environ(), "ID=me", "SECRET=key")
		cmd.Stdin, cmd.Stderr = strings.NewReader(test.stdin), os.Stderr
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), test.want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", test.args, err, out, test.want)
		}
	}
}

// program is one that runs until it is interrupted.
type program struct {
	*exec.Cmd
	out *bufio.Scanner
}

func started(t *testing.T, name string, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command(name, args...)}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	return p
}

// line returns the next line that the program prints.
func (p *program) line(t *testing.T) string {
	t.Helper()
	if !p.out.Scan() {
		t.Fatalf("%s ended: %v", p.Path, p.out.Err())
	}
	return p.out.Text()
}

func (p *program) interrupt(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, client *http.Client, url, user string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		r.SetBasicAuth(user, "secret")
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// TestServingExamples runs the programs that serve, and the one that follows files, until they are interrupted.
func TestServingExamples(t *testing.T) {
	folder := t.TempDir()
	content := strings.Repeat("content ", 100_000)
	big := write(t, filepath.Join(folder, "big"), content)

	middleware := started(t, filepath.Join(bin, "middleware"), folder)
	if status, body := get(t, http.DefaultClient, "http://"+middleware.line(t)+"/big", ""); status != 200 || body != content {
		t.Errorf("middleware: %d, %d bytes", status, len(body))
	}
	time.Sleep(50 * time.Millisecond) // the counter is increased when the last byte has been sent
	middleware.interrupt(t)
	if got, want := middleware.line(t), fmt.Sprintf("%d of %[1]d bytes by sendfile", len(content)); got != want {
		t.Errorf("middleware: %q, want %q", got, want)
	}

	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	address := started(t, filepath.Join(bin, "prefix"), folder, "alice", string(hash)).line(t)
	for user, want := range map[string]int{"": 401, "alice": 200} {
		if status, body := get(t, http.DefaultClient, "http://"+address+"/files/big", user); status != want || want == 200 && body != content {
			t.Errorf("prefix, user %q: %d, %d bytes", user, status, len(body))
		}
	}
	if status, body := get(t, http.DefaultClient, "http://"+address+"/", ""); status != 200 || body != "your own pages\n" {
		t.Errorf("prefix: %d, %s", status, body)
	}

	growing := started(t, filepath.Join(bin, "growing"), "needle", big, write(t, filepath.Join(folder, "b"), "a needle"))
	if got, want := growing.line(t), fmt.Sprintf("%s at 2, after ", filepath.Join(folder, "b")); !strings.HasPrefix(got, want) {
		t.Errorf("growing: %q, want %q", got, want)
	}
	f, err := os.OpenFile(big, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("needle"); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if got, want := growing.line(t), fmt.Sprintf("%s at %d, after ", big, len(content)); !strings.HasPrefix(got, want) {
		t.Errorf("growing: %q, want %q", got, want)
	}
	growing.interrupt(t)
	if growing.out.Scan() {
		t.Errorf("growing goes on: %q", growing.out.Text())
	}
}

// TestRelayExample: what speaks TLS reaches a program that does not.
func TestRelayExample(t *testing.T) {
	folder := t.TempDir()
	secure := httptest.NewTLSServer(nil) // for its certificate
	defer secure.Close()
	certificate := secure.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	cert := write(t, filepath.Join(folder, "cert"), block("CERTIFICATE", certificate.Certificate[0]))
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	go func() {
		for c, err := target.Accept(); err == nil; c, err = target.Accept() {
			_, _ = io.Copy(c, io.LimitReader(c, 5))
			_ = c.Close()
		}
	}()
	relayed := started(t, filepath.Join(bin, "tlsrelay"), cert, write(t, filepath.Join(folder, "key"), block("PRIVATE KEY", key)),
		target.Addr().String())
	conn, err := tls.Dial("tcp", relayed.line(t), &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		ServerName: "example.com"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	relayed.interrupt(t)
	if relayed.out.Scan() {
		t.Errorf("the relay goes on: %q", relayed.out.Text())
	}
}
