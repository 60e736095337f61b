package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
)

// TestCompletion asks as shells do for the values of flags.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"orders.csv": "id,city,net amount\n1,Rome,5\n", "odd.csv": "a`b,c\n",
		"m.txt": "\xef\xbb\xbfHamburg;12.5\n", "empty.csv": "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		typed string // words, the last still being typed
		want  string
	}{
		{"find --type ", strings.Join(thresh.ValueTypes(), " ")},
		{"find --type f3", "f32"},
		{"count --type f32", "f32 f32le f32be"},
		{"count --engine ", "auto " + strings.Join(catalog.Names(), " ")},
		{"minify --cache ", "auto keep neutral"},
		{"grep --color ", "auto always never"},
		{"find --receipt=", "line full json"},
		{"table --format ", "table csv tsv json markdown arrow parquet chart svg html"},
		{"table --malformed ", "fail skip keep"},
		{"blank --progress ", "auto always never"},
		{"table orders.csv --header --group ", "id city `net amount`"},
		{"table odd.csv --header --group ", "`a``b` c"},
		{"table orders.csv --header --group id,c", "id,city"},
		{"table orders.csv --header --agg sum(", "sum(id sum(city sum(`net amount`"},
		{"table orders.csv --group ", "id city `net amount`"},
		{"table orders.csv --no-header --group ", "1 2 3"},
		{"table m.txt -d ; --where ", "1 2"},
		{"table m.txt -d ; --header --where H", "Hamburg"},
		{"table empty.csv --group ", ""},
		{"table --group ", ""},
		{"table missing.csv --group ", ""},
	} {
		out := complete(t, strings.Split(test.typed, " "))
		last := test.typed[strings.LastIndexAny(test.typed, " =")+1:] // shells keep what begins with it
		var got []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if strings.HasPrefix(word, last) && !strings.HasPrefix(word, ":") && !strings.HasPrefix(word, "_activeHelp_") {
				got = append(got, word)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %q", test.typed, got, test.want)
		}
	}
	if out := complete(t, []string{"table", "--group", ""}); !strings.Contains(out, "name the file first") {
		t.Errorf("no help without a file: %q", out)
	}
}

// complete returns what the program answers to a shell.
func complete(t *testing.T, words []string) string {
	t.Helper()
	name := t.TempDir() + "/out"
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	runHere(slices.Concat([]string{"__complete"}, words), os.Stdin, out, null)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBashCompletion drives the script for bash in a real one.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is the program under its name.
	if err := os.Symlink(self, folder+"/thresh"); err != nil {
		t.Skip(err)
	}
	// As bash does when the key is pressed: it cuts words at the equals sign too. Outside of that it has
	// no options of a completion to set, and says so.
	cmd := exec.Command(bash, "--norc", "-c", `
source <(thresh completion bash)
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMPREPLY=()
    COMP_POINT=${#COMP_LINE}
    __start_thresh 2>/dev/null
    echo "${COMPREPLY[@]}"
}
try thresh find --engine m
try thresh find --engine = m
try thresh count --type f3
try thresh table a.csv -d '";"' --header --group ci`)
	cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
	cmd.Dir = folder
	if err := os.WriteFile(folder+"/a.csv", []byte("id;city\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if want := "mmap\nmmap\nf32\ncity\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
}
