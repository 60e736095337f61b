package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// Browser is a Chromium session, driven by the W3C WebDriver protocol.
type Browser struct {
	t       *testing.T
	session string // URL
	client  *http.Client
}

var driverListens = regexp.MustCompile(`started successfully on port ([0-9]+)`)

// OpenBrowser starts chromedriver and a headless Chromium until the end of the test.
func OpenBrowser(t *testing.T) *Browser {
	t.Helper()
	driver := Program(t, "chromedriver", "chromium-driver")
	chromium := Program(t, "chromium", "chromium")
	cmd := exec.Command(driver, "--port=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its children can be killed, too
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
	})
	port := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if m := driverListens.FindStringSubmatch(lines.Text()); m != nil {
				port <- m[1]
			}
		}
	}()
	b := &Browser{t: t, client: &http.Client{Timeout: time.Minute}}
	t.Cleanup(b.client.CloseIdleConnections)
	select {
	case p := <-port:
		b.session = "http://127.0.0.1:" + p
	case <-time.After(time.Minute):
		t.Fatal("chromedriver does not start")
	}
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		deadline := time.Now().Add(10 * time.Second) // Chromium may still be writing to it
		for err := os.RemoveAll(profile); err != nil; err = os.RemoveAll(profile) {
			if time.Now().After(deadline) {
				t.Error(err)
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	answer := b.Call("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:loggingPrefs": map[string]string{"browser": "ALL"},
		"goog:chromeOptions": map[string]any{"binary": chromium, "args": []string{
			"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync",
			"--disable-dev-shm-usage", "--window-size=1000,900",
			"--user-data-dir=" + filepath.Join(profile, "profile"),
		}},
	}}})
	var session struct{ SessionID string }
	b.Decode(answer, &session)
	b.session += "/session/" + session.SessionID
	t.Cleanup(func() { b.Call("DELETE", "", nil) })
	return b
}

// Call makes a request of the protocol and returns the value of the response.
func (b *Browser) Call(method, path string, parameters any) json.RawMessage {
	b.t.Helper()
	if parameters == nil {
		parameters = struct{}{}
	}
	in, err := json.Marshal(parameters)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := http.NewRequest(method, b.session+path, bytes.NewReader(in))
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	out, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		b.t.Fatal(err)
	}
	var value struct{ Value json.RawMessage }
	if err := json.Unmarshal(out, &value); err != nil || answer.StatusCode != 200 {
		b.t.Fatalf("%s %s %s: %s: %.500s", method, path, in, answer.Status, out)
	}
	return value.Value
}

// Decode stores a returned value.
func (b *Browser) Decode(value json.RawMessage, into any) {
	b.t.Helper()
	if err := json.Unmarshal(value, into); err != nil {
		b.t.Fatalf("%s: %v", value, err)
	}
}

// Open loads a page and waits for it.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.Call("POST", "/url", map[string]string{"url": url})
}

// Text runs a script in the page and returns its result; the script may return a promise.
func (b *Browser) Text(script string, arguments ...any) (text string) {
	b.t.Helper()
	if arguments == nil {
		arguments = []any{}
	}
	b.Decode(b.Call("POST", "/execute/sync", map[string]any{"script": script, "args": arguments}), &text)
	return text
}

// Click clicks the link with that text.
func (b *Browser) Click(link string) {
	b.t.Helper()
	var element map[string]string
	b.Decode(b.Call("POST", "/element", map[string]string{"using": "link text", "value": link}), &element)
	for _, id := range element {
		b.Call("POST", "/element/"+id+"/click", nil)
	}
}

// Errors returns the console's errors and warnings.
func (b *Browser) Errors() (all []string) {
	b.t.Helper()
	var entries []struct{ Level, Message string }
	b.Decode(b.Call("POST", "/se/log", map[string]string{"type": "browser"}), &entries)
	for _, e := range entries {
		if e.Level == "SEVERE" || e.Level == "WARNING" {
			all = append(all, fmt.Sprint(e.Level, " ", e.Message))
		}
	}
	return all
}

// Devtools sends a command of Chromium's own protocol.
func (b *Browser) Devtools(command string, parameters map[string]any) {
	b.t.Helper()
	b.Call("POST", "/goog/cdp/execute", map[string]any{"cmd": command, "params": parameters})
}
