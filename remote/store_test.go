package remote

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// cleanEnvironment hides what the machine knows about stores.
func cleanEnvironment(t *testing.T) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// TestSign signs the example of the documentation of Amazon S3, "Signature Calculations for the Authorization
// Header": GET Object with a range.
func TestSign(t *testing.T) {
	req, _ := http.NewRequest(http.MethodGet, "https://examplebucket.s3.amazonaws.com/test.txt", nil)
	req.Header.Set("Range", "bytes=0-9")
	req.Header.Set(signedHeader, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
	sign(req, AccessKey{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		"us-east-1", "s3", time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC))
	const want = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
	if got := req.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+want) {
		t.Error(got)
	}
}

// TestAddress builds addresses of objects in all styles.
func TestAddress(t *testing.T) {
	cleanEnvironment(t)
	for _, c := range []struct{ endpoint, bucket, key, want string }{
		{"", "logs", "a b/c+d.gz", "https://logs.s3.us-east-1.amazonaws.com/a%20b/c%2Bd.gz"},
		{"", "my.logs", "k", "https://s3.us-east-1.amazonaws.com/my.logs/k"},
		{"http://127.0.0.1:7070", "logs", "ü?#", "http://127.0.0.1:7070/logs/%C3%BC%3F%23"},
		{"https://{bucket}.s3.example.org/", "logs", "k", "https://logs.s3.example.org/k"},
		{"https://example.org/s3", "logs", "", "https://example.org/s3/logs/"},
	} {
		u, err := newStore(c.endpoint, &credentials{client: http.DefaultClient}).url(c.bucket, c.key)
		if err != nil || u.String() != c.want {
			t.Errorf("%v: %v, %v", c, u, err)
		}
	}
	if _, err := newStore("nonsense", &credentials{client: http.DefaultClient}).url("b", "k"); err == nil {
		t.Error("an endpoint without a host is taken")
	}
}

// TestCredentials finds access keys at all places, in their order.
func TestCredentials(t *testing.T) {
	cleanEnvironment(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const key = `{"AccessKeyId":"%s","SecretAccessKey":"s","Token":"t","Expiration":"2099-01-01T00:00:00Z"}`
		switch {
		case r.Method == http.MethodPut && r.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds") != "":
			fmt.Fprint(w, "session")
		case strings.HasSuffix(r.URL.Path, "/security-credentials/") && r.Header.Get("X-Aws-Ec2-Metadata-Token") == "session":
			fmt.Fprint(w, "role\n")
		case strings.HasSuffix(r.URL.Path, "/role") && r.Header.Get("X-Aws-Ec2-Metadata-Token") == "session":
			fmt.Fprintf(w, key, "machine")
		case r.URL.Path == "/container" && r.Header.Get("Authorization") == "token":
			fmt.Fprintf(w, key, "container")
		case r.FormValue("WebIdentityToken") == "jwt" && r.FormValue("RoleArn") == "arn":
			fmt.Fprint(w, `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>`+
				`<AccessKeyId>identity</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`+
				`<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>`+
				`</AssumeRoleWithWebIdentityResponse>`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	client := server.Client()
	defer client.CloseIdleConnections()
	check := func(want string) {
		t.Helper()
		key, err := (&credentials{client: client}).get(t.Context())
		if err != nil || key.ID != want || want != "" && key.Secret != "s" {
			t.Errorf("%q: %+v, %v", want, key, err)
		}
	}
	check("")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.URL)
	check("machine")
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.URL+"/container")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "token")
	check("container")
	folder := filepath.Join(os.Getenv("HOME"), ".aws")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("config", "[default]\nregion = eu-west-1\n[profile work]\nregion=eu-north-1\naws_access_key_id=old\n")
	write("credentials", "# keys\n[default]\naws_access_key_id = file\naws_secret_access_key = s\n"+
		"[work]\naws_access_key_id = work\naws_secret_access_key = s\n")
	check("file")
	if region := newStore("", &credentials{client: client}).regionNow(); region != "eu-west-1" {
		t.Errorf("region %s", region)
	}
	t.Setenv("AWS_PROFILE", "work")
	check("work")
	if region := newStore("", &credentials{client: client}).regionNow(); region != "eu-north-1" {
		t.Errorf("region %s", region)
	}
	t.Setenv("AWS_PROFILE", "none")
	if _, err := (&credentials{client: client}).get(t.Context()); err == nil {
		t.Error("a profile that does not exist is taken")
	}
	t.Setenv("AWS_PROFILE", "")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("jwt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", file)
	t.Setenv("AWS_ROLE_ARN", "arn")
	t.Setenv("AWS_ENDPOINT_URL_STS", server.URL)
	check("identity")
	t.Setenv("AWS_ACCESS_KEY_ID", "environment")
	if _, err := (&credentials{client: client}).get(t.Context()); err == nil {
		t.Error("half a key is taken")
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	check("environment")
}

// TestList lists a bucket that comes in pages, by prefixes and patterns.
func TestList(t *testing.T) {
	cleanEnvironment(t)
	keys := []string{"a", "logs/", "logs/1.gz", "logs/2.txt", "logs/old/3.gz", "logs2/4.gz", "w+ x/ü.gz"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		var page listing
		for _, k := range keys {
			if !strings.HasPrefix(k, q.Get("prefix")) || k <= q.Get("continuation-token") {
				continue
			}
			if page.IsTruncated = len(page.Contents) == 2; page.IsTruncated {
				break
			}
			size := int64(1)
			if strings.HasSuffix(k, "/") {
				size = 0
			}
			page.Contents = append(page.Contents, listed{k, size})
			page.NextContinuationToken = k
		}
		if err := xml.NewEncoder(w).Encode(page); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	o := quick
	o.S3Endpoint = server.URL
	c := newClient(t, o)
	for _, test := range []struct {
		name      string
		recursive bool
		want      string
	}{
		{"s3://b", true, "a logs/1.gz logs/2.txt logs/old/3.gz logs2/4.gz w+ x/ü.gz"},
		{"s3://b/logs", true, "logs/1.gz logs/2.txt logs/old/3.gz"},
		{"s3://b/logs/", true, "logs/1.gz logs/2.txt logs/old/3.gz"},
		{"s3://b/logs/*.gz", false, "logs/1.gz"},
		{"s3://b/log*", true, "logs/1.gz logs/2.txt logs/old/3.gz logs2/4.gz"},
		{"s3://b/*/?.gz", false, "logs/1.gz logs2/4.gz w+ x/ü.gz"},
		{"s3://b/a", false, "a"},
		{"s3://b/nothing*", false, "error"},
		{"s3://b/nothing", true, "error"},
	} {
		var got []string
		for name, err := range c.Files(context.Background(), test.name, test.recursive) {
			if err != nil {
				name = "error"
			}
			got = append(got, strings.TrimPrefix(name, "s3://b/"))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if got := slices.Collect(func(yield func(string) bool) {
		for name := range c.Files(context.Background(), "https://h/x?y=*", true) {
			yield(name)
		}
	}); len(got) != 1 || got[0] != "https://h/x?y=*" {
		t.Error(got)
	}
}
