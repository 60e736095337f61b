package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/verbs"
)

// flagValues are the values for the flags of find and count in TestPairsOfFlags, chosen so each
// flag has an effect.
var flagValues = map[string][]string{
	"text": {"a", "b"}, "hex": {"61", "62"}, "regex": {"a+", "b+"}, "type": {"f32", "f64"},
	"eq": {"1", "2"}, "ne": {"9", "8"}, "lt": {"5", "6"}, "le": {"5", "6"}, "gt": {"0", "-1"}, "ge": {"0", "-1"},
	"between": {"0,5", "1,6"}, "stride": {"4", "8"}, "limit": {"2", "3"}, "context": {"4", "5"}, "bins": {"3", "4"},
	"width": {"2", "3"}, "offset": {"1", "2"}, "length": {"20", "24"}, "engine": {"pread", "stream"},
	"workers": {"1", "2"}, "chunk": {"4096", "8192"}, "mem": {"64MiB", "128MiB"}, "cache": {"keep", "auto"},
	"receipt": {"line", "json"}, "progress": {"never", "auto"}, "color": {"never", "always"}, "output": {"out1", "out2"}, "delimiter": {";", "|"},
	"s3-endpoint": {"http://127.0.0.1:1", "http://127.0.0.1:2"},
}

// wants lists the other flags that a flag needs.
var wants = map[string][]string{
	"ignore-case": {"--text=x"}, "stats": {"--type=f32"}, "bins": {"--histogram"}, "width": {"--histogram"},
	"eq": {"--type=f32"}, "ne": {"--type=f32"}, "lt": {"--type=f32"}, "le": {"--type=f32"}, "gt": {"--type=f32"},
	"ge": {"--type=f32"}, "between": {"--type=f32"}, "nan": {"--type=f32"}, "inf": {"--type=f32"},
	"stride": {"--type=f32", "--ne=9"}, "type": {"--ne=9"}, "delimiter": {"--rows"},
}

// kinds are the flags that say what to look for. Only the pairs in together are allowed.
var (
	valuesKind = []string{"type", "eq", "ne", "lt", "le", "gt", "ge", "between", "nan", "inf", "stride"}
	figures    = []string{"stats", "histogram", "bins", "width"}
	kinds      = slices.Concat([]string{"nonzero", "text", "hex", "regex", "lines", "words", "chars", "rows", "delimiter", "ignore-case"}, valuesKind, figures)
)

// together reports whether two flags may be combined. It repeats the rules, for pairs instead of
// groups, so the test notices a new flag or a lost rule.
func together(command, a, b string) bool {
	if a > b {
		a, b = b, a
	}
	is := func(one, other string) bool { return a == min(one, other) && b == max(one, other) }
	isValue := func(name string) bool { return slices.Contains(valuesKind, name) }
	isFigure := func(name string) bool { return slices.Contains(figures, name) }
	switch {
	case a == b:
		return true
	case slices.Contains(kinds, a) && slices.Contains(kinds, b):
		switch {
		case isValue(a) && isValue(b):
			// NaN and infinities meet no other comparison, except these.
			special := func(name string) bool { return name == "nan" || name == "inf" }
			ordered := func(name string) bool { return !special(name) && name != "type" && name != "stride" }
			return !(special(a) && ordered(b) || special(b) && ordered(a)) || is("nan", "ne") || is("inf", "ne") ||
				is("inf", "ge") || is("inf", "gt") || is("inf", "lt") || is("inf", "le")
		case isValue(a) && isFigure(b), isFigure(a) && isValue(b):
			return true
		case isFigure(a) && isFigure(b):
			return is("histogram", "bins") || is("histogram", "width")
		}
		return is("lines", "words") || is("lines", "chars") || is("words", "chars") ||
			is("rows", "delimiter") || is("text", "hex") || is("text", "ignore-case") || is("regex", "ignore-case")
	case is("first", "all"), is("first", "limit"), is("all", "limit"), is("line", "context"), is("json", "context"), is("json", "color"):
		return false
	case is("byte-offset", "line"), is("byte-offset", "context"), is("byte-offset", "json"):
		return false
	case a == "quiet" || b == "quiet":
		other := a
		if a == "quiet" {
			other = b
		}
		loud := []string{"json", "output"}
		if command == "find" {
			loud = append(loud, "all", "limit", "line", "context", "byte-offset", "color")
		}
		return !slices.Contains(loud, other)
	}
	return true
}

// TestPairsOfFlags runs find and count with every pair of their flags. A pair either works or is
// an error that names both: no flag is ignored silently. A flag given twice either uses both
// values or is an error.
func TestPairsOfFlags(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder) // for --output
	// 1, 2, NaN, 5, text whose bytes are small numbers, and an incomplete value at the end.
	data := "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\xc0\x7f\x00\x00\xa0\x40aabAb\nbAxyzA\n\x00\x00"
	file := filepath.Join(folder, "data")
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func() *command.Verb{"find": verbs.Find, "count": verbs.Count} {
		var names []string
		for _, f := range make().Flags {
			names = append(names, f.Name)
		}
		for i, a := range names {
			twice(t, name, a, file)
			for _, b := range names[i+1:] {
				status, message := invoke(t, slices.Concat([]string{name}, pair(name, a, b), []string{file})...)
				both := strings.Contains(message, a) && strings.Contains(message, b)
				// Errors of comparisons show the conditions, not the flags: "== 1 and NaN".
				both = both || strings.Contains(message, "no f32 value is") && slices.Contains(valuesKind, a)
				switch ok := together(name, a, b); {
				case ok && status > 1:
					t.Errorf("%s --%s --%s: status %d, %s", name, a, b, status, message)
				case !ok && (status != command.WrongUsage || !both):
					t.Errorf("%s --%s --%s: status %d, %q; want an error that names both", name, a, b, status, message)
				}
			}
		}
	}
}

// argument is a flag as it is typed, with its first or second value.
func argument(name string, which int) string {
	if values := flagValues[name]; values != nil {
		return "--" + name + "=" + values[which]
	}
	return "--" + name
}

// pair returns two flags, and the flags that they need.
func pair(command, a, b string) []string {
	args := []string{argument(a, 0), argument(b, 0)}
	has := func(flag string) bool {
		return slices.ContainsFunc(args, func(arg string) bool {
			one, _, _ := strings.Cut(arg, "=")
			other, _, _ := strings.Cut(flag, "=")
			return one == other
		})
	}
	ofOneKind := slices.Contains(valuesKind, a) && slices.Contains(valuesKind, b)
	if !together(command, a, b) && !ofOneKind {
		return args // the flags that they need would contradict each other too
	}
	for _, flag := range []string{a, b} {
		for _, need := range wants[flag] {
			text := strings.HasPrefix(need, "--text") && (a == "regex" || b == "regex")
			compared := strings.HasPrefix(need, "--ne") && (slices.Contains(figures, a) || slices.Contains(figures, b) ||
				slices.ContainsFunc([]string{a, b}, func(n string) bool { return n != "type" && n != "stride" && slices.Contains(valuesKind, n) }))
			if !has(need) && !text && !compared {
				args = append(args, need)
			}
		}
	}
	if !slices.Contains(kinds, a) && !slices.Contains(kinds, b) {
		args = append(args, "--text=a")
	}
	return args
}

// twice runs a command with two values of a flag, and with one value twice.
func twice(t *testing.T, verb, name, file string) {
	t.Helper()
	if flagValues[name] == nil {
		return
	}
	args := slices.Concat([]string{verb}, pair(verb, name, name), []string{file})
	args = slices.DeleteFunc(args, func(arg string) bool { return arg == argument(name, 0) })
	status, message := invoke(t, append(args, argument(name, 0), argument(name, 1))...)
	list := slices.Contains([]string{"text", "hex", "regex", "eq", "ne", "between"}, name)
	if list && status > 1 || !list && (status != command.WrongUsage || !strings.Contains(message, name)) {
		t.Errorf("%s --%s twice: status %d, %q", verb, name, status, message)
	}
	if list {
		return
	}
	if status, message := invoke(t, append(args, argument(name, 0), argument(name, 0))...); status > 1 &&
		!slices.Contains([]string{"lt", "le", "gt", "ge"}, name) {
		t.Errorf("%s --%s twice the same: status %d, %q", verb, name, status, message)
	}
}

// invoke runs the program in this process, and returns its exit status and error messages.
func invoke(t *testing.T, args ...string) (status int, message string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	complaints, err := os.Create(out.Name() + ".err")
	if err != nil {
		t.Fatal(err)
	}
	defer complaints.Close()
	status = runHere(args, os.Stdin, out, complaints)
	text, err := os.ReadFile(complaints.Name())
	if err != nil {
		t.Fatal(err)
	}
	return status, string(text)
}

// runHere runs the program in this process. The program ignores SIGPIPE, which programs that later tests
// start would inherit; only a new handler ends it, signal.Reset does not.
func runHere(args []string, in, out, complaints *os.File) (status int) {
	defer func() {
		handler := make(chan os.Signal, 1)
		signal.Notify(handler, syscall.SIGPIPE)
		signal.Stop(handler)
	}()
	return run(args, in, out, complaints)
}
