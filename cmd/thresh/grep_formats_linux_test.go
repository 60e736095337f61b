package main

import (
	"bytes"
	"fmt"
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
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestLogsOfPrograms reads the times that programs wrote themselves. All lines that a program wrote just now are from just
// now, and none is later.
func TestLogsOfPrograms(t *testing.T) {
	began := time.Now().Add(-time.Second)
	check := func(t *testing.T, text []byte, args ...string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "log")
		must(t, os.WriteFile(file, text, 0o600))
		from, to := began.Format(time.RFC3339), time.Now().Add(2*time.Second).Format(time.RFC3339)
		if out, status := grepFrom(t, file, append([]string{"--from", from, "--to", to, "", file}, args...)); status != 0 || out == "" {
			t.Errorf("status %d, %q of %q", status, out, text)
		}
		if out, status := grepFrom(t, file, append([]string{"--from", to, "", file}, args...)); status != 1 {
			t.Errorf("later: status %d, %q of %q", status, out, text)
		}
	}
	for _, log := range []struct {
		name  string
		write func(t *testing.T) []byte
		args  []string
	}{
		{"Go log", func(*testing.T) []byte {
			var b bytes.Buffer
			log.New(&b, "", log.LstdFlags|log.Lmicroseconds|log.Lshortfile).Print("ready")
			return b.Bytes()
		}, nil},
		{"Go slog, text", func(*testing.T) []byte {
			var b bytes.Buffer
			slog.New(slog.NewTextHandler(&b, nil)).Info("ready")
			return b.Bytes()
		}, nil},
		{"Go slog, JSON", func(*testing.T) []byte {
			var b bytes.Buffer
			slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{AddSource: true})).Info("ready")
			return b.Bytes()
		}, nil},
		{"Python", func(t *testing.T) []byte {
			out, err := exec.Command(python.Interpreter(t), "-c", "import logging\n"+
				"logging.basicConfig(format='%(asctime)s - %(name)s - %(message)s')\nlogging.error('ready')").CombinedOutput()
			must(t, err)
			return out
		}, nil},
		{"PostgreSQL", postgres, nil},
		{"nginx", nginx, nil},
		{"MariaDB", mariadb, nil},
		{"Redis", redis, []string{"--time-format", "* %d %b %Y %H:%M:%S"}},
		{"rsyslog, traditional", rsyslog("RSYSLOG_TraditionalFileFormat"), nil},
		{"rsyslog, RFC 3339", rsyslog("RSYSLOG_FileFormat"), nil},
		{"rsyslog, RFC 5424", rsyslog("RSYSLOG_SyslogProtocol23Format"), nil},
		{"journald, short", journald("short"), nil},
		{"journald, short-full", journald("short-full"), nil},
		{"journald, short-iso", journald("short-iso"), nil},
		{"journald, short-precise", journald("short-precise"), nil},
		{"journald, short-unix", journald("short-unix"), nil},
		{"journald, json", journald("json"), nil},
	} {
		t.Run(log.name, func(t *testing.T) { check(t, log.write(t), log.args...) })
	}
	if rounds.Many() {
		java(t, check)
	}
}

// installed returns the path of a program that nothing but its log is needed of.
func installed(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return path
}

// mariadb returns what MariaDB logs while it makes its first files.
func mariadb(t *testing.T) []byte {
	server := exec.Command(installed(t, "mariadbd"), "--no-defaults", "--user=root", "--datadir="+t.TempDir(), "--bootstrap")
	text, err := server.CombinedOutput()
	must(t, err)
	return text
}

// redis returns what Redis logs until it is asked to end.
func redis(t *testing.T) []byte {
	return serverLog(t, "", exec.Command(installed(t, "redis-server"), "--port", "0", "--save", "", "--unixsocket", filepath.Join(t.TempDir(), "s")), "ready", nil)
}

// rsyslog returns how a message is written that rsyslogd gets, by one of its templates.
func rsyslog(template string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		folder, path, logger := t.TempDir(), installed(t, "rsyslogd"), installed(t, "logger")
		file, socket, conf := filepath.Join(folder, "log"), filepath.Join(folder, "socket"), filepath.Join(folder, "conf")
		must(t, os.WriteFile(conf, fmt.Appendf(nil, `module(load="imuxsock" SysSock.Use="off")
			input(type="imuxsock" Socket=%q)
			action(type="omfile" file=%q template=%q)`, socket, file, template), 0o600))
		server := exec.Command(path, "-n", "-f", conf, "-i", filepath.Join(folder, "pid"))
		return serverLog(t, file, server, "ready", func() {
			_ = exec.Command(logger, "--socket", socket, "ready").Run() // there is no socket at first
		})
	}
}

// journald returns how journalctl writes a message.
func journald(layout string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		client, file := installed(t, "journalctl"), filepath.Join(t.TempDir(), "log.journal")
		remote := exec.Command("/lib/systemd/systemd-journal-remote", "-o", file, "-")
		if _, err := os.Stat(remote.Path); err != nil {
			t.Skip(err)
		}
		remote.Stdin = strings.NewReader(fmt.Sprintf("__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=5\n_BOOT_ID=%032d\n"+
			"_HOSTNAME=host\n_PID=7\nSYSLOG_IDENTIFIER=app\nPRIORITY=6\nMESSAGE=ready\n\n", time.Now().UnixMicro(), 7))
		must(t, remote.Run())
		text, err := exec.Command(client, "--file", file, "-o", layout).Output()
		must(t, err)
		return text
	}
}

// javaLogs are how logback and log4j are told to write, and what is said of it to thresh.
var javaLogs = []struct {
	program, pattern string
	args             []string
}{
	{"jul", "", nil},
	{"logback", "%d{ISO8601} [%thread] %-5level %logger{36} - %msg", nil},
	{"logback", "%date %level [%thread] %logger{10} [%file:%line] %msg", nil},
	{"logback", "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}  %5p 7 --- [%t] %-40.40logger{39} : %m", nil},
	{"logback", "%d{yyyy-MM-dd HH:mm:ss.SSS z} %m", nil},
	{"logback", "%d{yyyy-MM-dd HH:mm:ss.SSS, America/New_York} %m", []string{"--zone", "America/New_York"}},
	{"logback", "%d{dd MMM yyyy;HH:mm:ss.SSS} %p %m", nil},
	{"logback", "%d{EEE MMM dd HH:mm:ss zzz yyyy} %m", nil},
	{"logback", `%-5level %d{"MMM dd, yyyy h:mm:ss a"} %m`, nil},
	{"logback", "%d{dd MMM HH:mm:ss} %m", nil},
	{"logback", "%5p | %d{ISO8601} | %m", nil},
	{"logback", "%d{yyyyMMdd-HHmmss.SSS} %m", nil},
	{"logback", "%d{yyyyMMddHHmmss} %m", nil},
	{"logback", "%d{yyyy.MM.dd HH:mm:ss.SSS} %m", nil},
	{"logback", "%d{yyyy/MM/dd-HH:mm:ss.SSS} %m", nil},
	{"logback", "%highlight(%-5level) %magenta(%d) %m", nil},
	{"logback", "%d{dd.MM.yyyy HH:mm:ss} %m", []string{"--time-format", "%d.%m.%Y %H:%M:%S"}},
	{"logback", `%d{"MM/dd/yyyy HH:mm:ss,SSS"} %m`, []string{"--time-format", "%m/%d/%Y %H:%M:%S,%f"}},
	{"logback", "%d{HH:mm:ss.SSS dd-MM-yyyy} %m", []string{"--time-format", "%H:%M:%S.%f %d-%m-%Y"}},
	{"logback", "%d{yyMMdd HHmmss} %m", []string{"--time-format", "%y%m%d %H%M%S"}},
	{"logback", "[%thread] %d %m", []string{"--time-format", "* %Y-%m-%d %H:%M:%S,%f"}},
	{"logback", "json", nil},
	{"log4j", "%d [%t] %p %c - %m", nil},
	{"log4j", "%d{DEFAULT_MICROS} %m", nil},
	{"log4j", "%d{DEFAULT_NANOS} %m", nil},
	{"log4j", "%d{DEFAULT_PERIOD} %m", nil},
	{"log4j", "%d{ISO8601} %m", nil},
	{"log4j", "%d{ISO8601_BASIC} %m", nil},
	{"log4j", "%d{ISO8601_BASIC_PERIOD} %m", nil},
	{"log4j", "%d{ISO8601_OFFSET_DATE_TIME_HH} %m", nil},
	{"log4j", "%d{ISO8601_OFFSET_DATE_TIME_HHMM} %m", nil},
	{"log4j", "%d{ISO8601_OFFSET_DATE_TIME_HHCMM} %m", nil},
	{"log4j", "%d{COMPACT} %m", nil},
	{"log4j", "%d{DATE} %m", nil},
	{"log4j", "%d{UNIX} %m", nil},
	{"log4j", "%d{UNIX_MILLIS} %m", nil},
	{"log4j", "%d{US_MONTH_DAY_YEAR2_TIME} %m", []string{"--time-format", "%d/%m/%y %H:%M:%S.%f"}},
	{"log4j", "%d{US_MONTH_DAY_YEAR4_TIME} %m", []string{"--time-format", "%d/%m/%Y %H:%M:%S.%f"}},
	{"log4j", "%highlight{%d} %m", nil},
	{"log4j", "[%-5level] %d{yyyy-MM-dd HH:mm:ss.SSS} [%t] %c{1} - %msg", nil},
	{"log4j", "%p|%d{yyyy-MM-dd HH:mm:ss,SSS}{GMT+3}|%m", []string{"--zone", "+03:00"}},
	{"log4j", "%c %d %m", []string{"--time-format", "* %Y-%m-%d %H:%M:%S,%f"}},
	{"log4j", "Rfc5424Layout", nil},
	{"log4j", "SyslogLayout", nil},
	{"log4j", "GelfLayout", nil},
}

// java reads what Java's own log, logback and log4j write. Maven brings them.
func java(t *testing.T, check func(t *testing.T, text []byte, args ...string)) {
	runtime, maven := installed(t, "java"), installed(t, "mvn")
	cache, err := os.UserCacheDir()
	must(t, err)
	lib := filepath.Join(cache, "thresh", "java-logs")
	for _, artifact := range []string{"ch.qos.logback:logback-classic:1.5.34", "ch.qos.logback:logback-core:1.5.34",
		"org.slf4j:slf4j-api:2.0.20", "org.apache.logging.log4j:log4j-core:2.26.1", "org.apache.logging.log4j:log4j-api:2.26.1"} {
		if _, err := os.Stat(filepath.Join(lib, strings.Join(strings.Split(artifact, ":")[1:], "-")+".jar")); err == nil {
			continue
		}
		if out, err := exec.Command(maven, "-q", "-B", "dependency:copy", "-Dartifact="+artifact, "-DoutputDirectory="+lib).CombinedOutput(); err != nil {
			t.Skipf("no %s: %v: %s", artifact, err, out)
		}
	}
	args := []string{"-cp", lib + "/*", "-Dlog4j2.disable.jmx=true", "testdata/Logs.java"}
	for _, log := range javaLogs {
		args = append(args, log.program, log.pattern)
	}
	c := exec.Command(runtime, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	must(t, err)
	texts := bytes.Split(out, []byte("\x00"))
	for i, log := range javaLogs {
		t.Run(log.program+" "+log.pattern, func(t *testing.T) { check(t, texts[i], log.args...) })
	}
}

// nginx returns what nginx logs until it is asked to end.
func nginx(t *testing.T) []byte {
	folder := t.TempDir()
	file, conf := filepath.Join(folder, "error.log"), filepath.Join(folder, "nginx.conf")
	must(t, os.WriteFile(conf, []byte("daemon off; master_process off; error_log "+file+" notice; pid "+folder+"/pid; events { }\n"), 0o600))
	return serverLog(t, file, exec.Command(client.Program(t, "nginx", "nginx"), "-c", conf), "notice", nil)
}

// serverLog runs a server, asks it to end when it has logged a text, and returns what is in its log then. It logs to a file,
// or, if there is none, to its output. Meanwhile something may be done again and again.
func serverLog(t *testing.T, file string, server *exec.Cmd, text string, meanwhile func()) []byte {
	if file == "" {
		file = filepath.Join(t.TempDir(), "output")
		out, err := os.Create(file)
		must(t, err)
		defer out.Close()
		server.Stdout, server.Stderr = out, out
	}
	must(t, server.Start())
	log := func() []byte {
		b, _ := os.ReadFile(file) // there is none at first
		return b
	}
	for end := time.Now().Add(time.Minute); !bytes.Contains(log(), []byte(text)) && time.Now().Before(end); {
		if meanwhile != nil {
			meanwhile()
		}
		time.Sleep(10 * time.Millisecond)
	}
	must(t, server.Process.Signal(syscall.SIGTERM))
	must(t, server.Wait())
	return log()
}

// postgres returns what a new server of PostgreSQL logs until it is ready. It does not run as root.
func postgres(t *testing.T) []byte {
	bin, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if must(t, err); len(bin) == 0 {
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
	return serverLog(t, "", server, "ready to accept", nil)
}
