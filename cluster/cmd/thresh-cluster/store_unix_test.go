//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/test/server"
	"github.com/thresh-dev/thresh/remote"
)

// TestStore asks about objects of a store, below a prefix and by a pattern, and stores the answers there.
func TestStore(t *testing.T) {
	root := t.TempDir()
	endpoint := server.Store(t, server.FindStore(t), root)
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", server.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", server.SecretKey)
	if err := os.Mkdir(filepath.Join(root, "bucket"), 0o777); err != nil {
		t.Fatal(err)
	}
	client := remote.New(remote.Options{S3Endpoint: endpoint})
	defer client.Close()
	for name, content := range map[string]string{"logs/a.log": strings.Repeat("one line\n", 40_000),
		"logs/b.log": strings.Repeat("another line\n", 30_000), "logs/c.csv": "id,country\n1,DE\n2,FR\n3,DE\n", "other.log": "no\n"} {
		if err := client.Put(t.Context(), "s3://bucket/"+name, strings.NewReader(content), int64(len(content))); err != nil {
			t.Fatal(err)
		}
	}
	run := func(status int, args ...string) (out, messages string) {
		t.Helper()
		args = append(args, "--s3-endpoint", endpoint, "--cell", "100KB", "--range", "200KB")
		out, messages, got := ask(t, "", func(args []string, files [3]*os.File) int {
			return program(args, files[0], files[1], files[2], cluster.Embedded)
		}, args...)
		if got != status {
			t.Errorf("%q: exit status %d\n%s", args, got, messages)
		}
		return out, messages
	}
	if out, _ := run(0, "count", "--lines", "s3://bucket/logs/*.log"); out !=
		"       40000 s3://bucket/logs/a.log\n       30000 s3://bucket/logs/b.log\n       70000 total\n" {
		t.Errorf("a pattern: %q", out)
	}
	if out, _ := run(0, "count", "-lw", "-r", "s3://bucket/logs/"); !strings.HasSuffix(out, "\n       70004       140004 total\n") {
		t.Errorf("a prefix: %q", out)
	}
	if out, _ := run(0, "table", "s3://bucket/logs/c.csv", "--header", "--group", "country", "-o", "s3://bucket/out/c.json"); out != "" {
		t.Errorf("also on standard output: %q", out)
	}
	stored, err := os.ReadFile(filepath.Join(root, "bucket", "out", "c.json"))
	if err != nil || strings.Count(string(stored), "\n") != 2 || !strings.Contains(string(stored), `"DE"`) {
		t.Errorf("stored %q, %v", stored, err)
	}
	for want, args := range map[string][]string{
		"NoSuchBucket": {"-o", "s3://none/x", "s3://bucket/other.log"},
		"only files":   {"-o", "https://example.org/x", "s3://bucket/other.log"},
		"no such":      {"s3://bucket/none*"},
		"404":          {"s3://bucket/none"},
	} {
		if _, messages := run(2, append([]string{"count", "--lines"}, args...)...); !strings.Contains(messages, want) {
			t.Errorf("%q: %s", args, messages)
		}
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	if _, messages := run(2, "count", "--lines", "s3://bucket/other.log"); !strings.Contains(messages, "SignatureDoesNotMatch") {
		t.Errorf("a wrong secret: %s", messages)
	}
}
