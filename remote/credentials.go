package remote

import (
	"bufio"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// AccessKey is what requests to a store are signed with. The zero value leaves them anonymous. Its names in JSON are
// those of roles of containers and machines.
type AccessKey struct {
	ID         string    `json:"AccessKeyId"`
	Secret     string    `json:"SecretAccessKey"`
	Token      string    `json:"Token"`      // of a session; may be empty
	Expiration time.Time `json:"Expiration"` // the zero time: never
}

// credentials finds an access key where AWS's own programs look, in their order: the environment, a web identity,
// the files of the user's profile, the role of the container, the role of the machine. Without any, requests
// are anonymous.
type credentials struct {
	client   *http.Client
	provider func(context.Context) (AccessKey, error) // is asked instead; nil: there is none

	mu   sync.Mutex
	key  AccessKey
	have bool
}

// expiresSoon is how long before their end credentials are replaced.
const expiresSoon = 5 * time.Minute

// get returns the access key; its zero value asks anonymously. Keys that expire are replaced in time.
func (c *credentials) get(ctx context.Context) (AccessKey, error) {
	if c.provider != nil {
		key, err := c.provider(ctx)
		if err != nil {
			return AccessKey{}, &permanentError{fmt.Errorf("credentials for S3: %w", err)}
		}
		return key, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.have && (c.key.Expiration.IsZero() || time.Until(c.key.Expiration) > expiresSoon) {
		return c.key, nil
	}
	for _, find := range []func(context.Context) (AccessKey, error){
		fromEnvironment, c.fromWebIdentity, fromProfile, c.fromContainer, c.fromMachine,
	} {
		key, err := find(ctx)
		if err != nil {
			return AccessKey{}, fmt.Errorf("credentials for S3: %w", err)
		}
		if key.ID != "" {
			c.key, c.have = key, true
			return key, nil
		}
	}
	c.have = true
	return c.key, nil
}

func fromEnvironment(context.Context) (AccessKey, error) {
	key := AccessKey{ID: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Token: os.Getenv("AWS_SESSION_TOKEN")}
	if (key.ID == "") != (key.Secret == "") {
		return key, &permanentError{errors.New("of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only one is set")}
	}
	return key, nil
}

// fromProfile reads the profile AWS_PROFILE of ~/.aws/credentials and ~/.aws/config.
func fromProfile(context.Context) (AccessKey, error) {
	values, err := profile()
	key := AccessKey{ID: values["aws_access_key_id"], Secret: values["aws_secret_access_key"],
		Token: values["aws_session_token"]}
	if err == nil && key.ID == "" && os.Getenv("AWS_PROFILE") != "" {
		for _, other := range []string{"sso_session", "sso_start_url", "credential_process", "role_arn"} {
			if values[other] != "" {
				err = fmt.Errorf("profile %s has %s, which thresh cannot use: "+
					"put what `aws configure export-credentials` prints into the environment", os.Getenv("AWS_PROFILE"), other)
			}
		}
	}
	if err != nil {
		return key, &permanentError{err}
	}
	return key, nil
}

// profileRegion returns the region of the profile, "" if it has none.
func (c *credentials) profileRegion() string {
	values, err := profile()
	if err != nil {
		return "" // the search for a key reports it
	}
	return values["region"]
}

// profile returns the values of the user's profile; those of the credentials file count more.
func profile() (map[string]string, error) {
	name := cmp.Or(os.Getenv("AWS_PROFILE"), "default")
	home, _ := os.UserHomeDir() // without a home there are no such files
	values := map[string]string{}
	for _, file := range []struct{ path, section string }{
		{cmp.Or(os.Getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config")), "profile " + name},
		{cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials")), name},
	} {
		f, err := os.Open(file.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = readSection(f, file.section, name, values)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", file.path, err)
		}
	}
	if len(values) == 0 && os.Getenv("AWS_PROFILE") != "" {
		return nil, fmt.Errorf("there is no profile %q", name)
	}
	return values, nil
}

// readSection adds the values of a section. The default profile has no "profile" before its name.
func readSection(r io.Reader, section, name string, values map[string]string) error {
	in := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if title, ok := strings.CutPrefix(line, "["); ok {
			title = strings.Join(strings.Fields(strings.TrimSuffix(title, "]")), " ")
			in = title == section || name == "default" && title == name
		} else if key, value, ok := strings.Cut(line, "="); ok && in && line[0] != '#' && line[0] != ';' {
			values[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return lines.Err()
}

// fromWebIdentity exchanges the token that Kubernetes and others write into a file.
func (c *credentials) fromWebIdentity(ctx context.Context) (AccessKey, error) {
	file, role := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), os.Getenv("AWS_ROLE_ARN")
	if file == "" || role == "" {
		return AccessKey{}, nil
	}
	token, err := os.ReadFile(file)
	if err != nil {
		return AccessKey{}, err
	}
	endpoint := os.Getenv("AWS_ENDPOINT_URL_STS")
	if region := cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")); endpoint == "" && region != "" {
		endpoint = "https://sts." + region + ".amazonaws.com"
	}
	form := url.Values{"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "RoleArn": {role},
		"RoleSessionName":  {cmp.Or(os.Getenv("AWS_ROLE_SESSION_NAME"), "thresh")},
		"WebIdentityToken": {strings.TrimSpace(string(token))}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(endpoint, "https://sts.amazonaws.com"),
		strings.NewReader(form.Encode()))
	if err != nil {
		return AccessKey{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	text, err := c.ask(req)
	if err != nil {
		return AccessKey{}, fmt.Errorf("web identity: %w", err)
	}
	var key AccessKey
	err = elements(text, func(path, content string) (err error) {
		switch name, _ := strings.CutPrefix(path, "AssumeRoleWithWebIdentityResult/Credentials/"); name {
		case "AccessKeyId":
			key.ID = content
		case "SecretAccessKey":
			key.Secret = content
		case "SessionToken":
			key.Token = content
		case "Expiration":
			key.Expiration, err = time.Parse(time.RFC3339, content)
		}
		return err
	})
	if err != nil || key.ID == "" {
		return AccessKey{}, errors.Join(errors.New("web identity: the answer has no access key"), err)
	}
	return key, nil
}

// fromContainer asks for the role of a container of ECS or EKS.
func (c *credentials) fromContainer(ctx context.Context) (AccessKey, error) {
	address := os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if relative := os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); relative != "" {
		address = "http://169.254.170.2" + relative
	}
	if address == "" {
		return AccessKey{}, nil
	}
	token := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return AccessKey{}, err
		}
		token = strings.TrimSpace(string(text))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return AccessKey{}, err
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	text, err := c.ask(req)
	if err != nil {
		return AccessKey{}, fmt.Errorf("role of the container: %w", err)
	}
	return parseKey(text)
}

const (
	machineAddress = "http://169.254.169.254"
	// machineMax is how long the service of the machine is waited for. Where it exists, it is near.
	machineMax = time.Second
)

// fromMachine asks for the role of a machine of EC2. Elsewhere nothing answers, which is no error.
func (c *credentials) fromMachine(ctx context.Context) (AccessKey, error) {
	if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return AccessKey{}, nil
	}
	base := strings.TrimRight(cmp.Or(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), machineAddress), "/")
	ctx, cancel := context.WithTimeout(ctx, machineMax)
	defer cancel()
	var header http.Header
	ask := func(method, path string) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, method, base+path, nil)
		if err != nil {
			return nil, err
		}
		req.Header = header.Clone()
		return c.ask(req)
	}
	header = http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"21600"}}
	token, err := ask(http.MethodPut, "/latest/api/token")
	if err != nil {
		return AccessKey{}, nil // no such service here
	}
	const roles = "/latest/meta-data/iam/security-credentials/"
	header = http.Header{"X-Aws-Ec2-Metadata-Token": {string(token)}}
	names, err := ask(http.MethodGet, roles)
	role, _, _ := strings.Cut(strings.TrimSpace(string(names)), "\n")
	if errors.Is(err, fs.ErrNotExist) || err == nil && role == "" {
		return AccessKey{}, nil // the machine has no role
	}
	if err != nil {
		return AccessKey{}, fmt.Errorf("role of the machine: %w", err)
	}
	text, err := ask(http.MethodGet, roles+url.PathEscape(role))
	if err != nil {
		return AccessKey{}, fmt.Errorf("role of the machine: %w", err)
	}
	return parseKey(text)
}

// ask returns a short answer.
func (c *credentials) ask(req *http.Request) ([]byte, error) {
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, statusError(resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, errorBodyMax))
	return text, errors.Join(err, resp.Body.Close())
}

func parseKey(text []byte) (key AccessKey, err error) {
	if err = json.Unmarshal(text, &key); err == nil && key.ID == "" {
		err = errors.New("the answer has no access key")
	}
	return key, err
}

// Requests to S3 are signed by "AWS Signature Version 4": a chain of keyed hashes over the date, the region and
// the service makes a key, which signs a hash of the request in a canonical form. It is written here because the
// libraries that have it run for a millisecond at every start of the program, whatever it is asked.

const (
	signedHeader    = "X-Amz-Content-Sha256" // every request to a store has it
	unsignedPayload = "UNSIGNED-PAYLOAD"
	amzTime         = "20060102T150405Z"
)

// sign adds the signature of the store's user. Without credentials the request stays anonymous.
func (s *store) sign(req *http.Request) error {
	key, err := s.credentials.get(req.Context())
	if err != nil {
		return err
	}
	req.Header.Set(signedHeader, unsignedPayload)
	if key.ID != "" {
		sign(req, key, s.regionNow(), "s3", time.Now())
	}
	return nil
}

// sign signs a request with what it has of headers, and a host.
func sign(req *http.Request, key AccessKey, region, service string, now time.Time) {
	at := now.UTC().Format(amzTime)
	req.Header.Set("X-Amz-Date", at)
	if key.Token != "" {
		req.Header.Set("X-Amz-Security-Token", key.Token)
	}
	names := []string{"host"}
	values := map[string]string{"host": req.URL.Host}
	for name, v := range req.Header {
		if name == "User-Agent" || name == "Accept-Encoding" {
			continue // proxies change them
		}
		lower := strings.ToLower(name)
		names = append(names, lower)
		values[lower] = strings.Join(strings.Fields(strings.Join(v, ",")), " ")
	}
	slices.Sort(names)
	var headers strings.Builder
	for _, name := range names {
		headers.WriteString(name + ":" + values[name] + "\n")
	}
	query := strings.Split(req.URL.RawQuery, "&")
	slices.Sort(query)
	signed := strings.Join(names, ";")
	canonical := strings.Join([]string{req.Method, req.URL.EscapedPath(), strings.Join(query, "&"), headers.String(),
		signed, req.Header.Get(signedHeader)}, "\n")
	scope := strings.Join([]string{at[:8], region, service, "aws4_request"}, "/")
	sum := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", at, scope, hex.EncodeToString(sum[:])}, "\n")
	secret := []byte("AWS4" + key.Secret)
	for _, part := range strings.Split(scope, "/") {
		secret = keyedHash(secret, part)
	}
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+key.ID+"/"+scope+", SignedHeaders="+signed+
		", Signature="+hex.EncodeToString(keyedHash(secret, text)))
}

func keyedHash(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text)) // a hash returns no error
	return h.Sum(nil)
}

// escapePath escapes all bytes of a path but unreserved characters and slashes, as the canonical form asks.
func escapePath(p string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(p) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}
