package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// NginxJSON is the path below which nginx lists folders as JSON.
const NginxJSON = "/listed-as-json"

// Nginx writes a configuration in the fastest way that we found, with one worker and an access log that is
// buffered like thresh's, and returns the command for it. The server listens at addr, serves folder, with
// listings, and may open that many files. Its own files are in temp.
func Nginx(addr, folder, temp string, files uint64) ([]string, error) {
	return nginx(addr+" backlog=4096", folder, temp, files)
}

// NginxTLS is Nginx over TLS, with a certificate and its key as files in PEM.
func NginxTLS(addr, folder, temp string, files uint64, certificate, key string) ([]string, error) {
	listen := fmt.Sprintf("%s ssl backlog=4096;\n\t\tssl_certificate \"%s\";\n\t\tssl_certificate_key \"%s\"",
		addr, quotable.Replace(certificate), quotable.Replace(key))
	return nginx(listen, folder, temp, files)
}

func nginx(listen, folder, temp string, files uint64) ([]string, error) {
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n" // root may read the folder
	}
	for _, path := range []string{folder, temp} {
		if strings.Contains(path, "$") {
			return nil, fmt.Errorf("nginx cannot use %s: it takes what follows a $ for a variable", path)
		}
	}
	text := user + strings.NewReplacer("LISTEN", listen, "FOLDER", quotable.Replace(folder),
		"TEMP", quotable.Replace(temp), "FILES", strconv.FormatUint(files, 10), "JSON", NginxJSON).Replace(nginxConf)
	conf := filepath.Join(temp, "nginx.conf")
	return []string{"nginx", "-e", filepath.Join(temp, "nginx.err"), "-c", conf}, os.WriteFile(conf, []byte(text), 0o644)
}

// quotable makes a path fit for quotes in a configuration of nginx.
var quotable = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

const nginxConf = `daemon off;
worker_processes 1;
worker_rlimit_nofile FILES;
pid "TEMP/nginx.pid";
error_log "TEMP/nginx.err";
events { worker_connections FILES; }
http {
	access_log "TEMP/nginx.log" combined buffer=64k flush=1s;
	default_type application/octet-stream;
	sendfile on;
	tcp_nopush on;
	open_file_cache max=1000 inactive=5m;
	keepalive_requests 1000000000;
	client_body_temp_path "TEMP/body";
	proxy_temp_path "TEMP/proxy";
	fastcgi_temp_path "TEMP/fastcgi";
	uwsgi_temp_path "TEMP/uwsgi";
	scgi_temp_path "TEMP/scgi";
	server {
		listen LISTEN;
		root "FOLDER";
		autoindex on;
		location JSON/ { alias "FOLDER/"; autoindex_format json; }
	}
}
`

// Caddy returns a command for its file server with listings, and without an access log, which is not
// buffered. It listens at addr and serves folder. Its own files are in temp.
func Caddy(addr, folder, temp string) []string {
	return []string{"env", "XDG_DATA_HOME=" + temp, "XDG_CONFIG_HOME=" + temp,
		"caddy", "file-server", "--browse", "--listen", addr, "--root", folder}
}

// HAProxy writes a configuration in the fastest way that we found, and returns the command for it: one
// thread that always splices, which took a third of the time of splice-auto, through pipes of 1 MiB. It
// listens at addr and passes on to another address. Its files are in temp.
func HAProxy(addr, to, temp string) ([]string, error) {
	conf := filepath.Join(temp, "haproxy.cfg")
	text := strings.NewReplacer("ADDR", addr, "TARGET", to).Replace(haproxyConf)
	return []string{"haproxy", "-db", "-q", "-f", conf}, os.WriteFile(conf, []byte(text), 0o644)
}

const haproxyConf = `global
	nbthread 1
	maxconn 4000
	maxpipes 1000
	tune.pipesize 1048576
defaults
	mode tcp
	option splice-request
	option splice-response
	timeout connect 5s
	timeout client 5m
	timeout server 5m
listen relay
	bind ADDR
	server target TARGET
`
