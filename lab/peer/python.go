package peer

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Scripts ask the Python libraries. A script times its queries itself, so the start of the interpreter
// and the imports do not count.

//go:embed ask_duckdb.py
var askDuckDB string

//go:embed ask_five_duckdb.py
var askFiveDuckDB string

//go:embed ask_polars.py
var askPolars string

//go:embed ask_table.py
var askTable string

// ErrNoLibraries reports that there is no Python with the libraries.
var ErrNoLibraries = errors.New("DuckDB and Polars are not installed; make bench-setup installs them")

// Python returns the interpreter of the environment in folder "venv" of a folder, in which
// scripts/bench-setup.sh installs the libraries; in the user's cache folder if none is given. If there is
// none, it is the one on the PATH that has one of the libraries; otherwise "".
func Python(folder string) string {
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		folder = filepath.Join(cache, "thresh")
	}
	own := filepath.Join(folder, "venv", "bin", "python")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	path, err := exec.LookPath("python3")
	if err != nil {
		return ""
	}
	for _, version := range Libraries(path) {
		if version != Absent {
			return path
		}
	}
	return ""
}

// Libraries returns the versions of DuckDB and Polars by their names, for an interpreter; "" is one that
// has none.
func Libraries(python string) map[string]string {
	out := map[string]string{"duckdb": Absent, "polars": Absent}
	if python == "" {
		return out
	}
	for name := range out {
		text, err := exec.Command(python, "-c", "import "+name+" as it; print(it.__version__)").Output()
		if version := strings.TrimSpace(string(text)); err == nil && version != "" {
			out[name] = version
		}
	}
	return out
}

// NoLibrary says in a sentence that a library, "duckdb" or "polars", is missing; "" if it is there.
func NoLibrary(name string) string {
	if Libraries(Python(""))[name] == Absent {
		return "the Python library " + name + " is not installed"
	}
	return ""
}

// DuckDB returns the command that asks DuckDB a question of the script about a file; memory "" means no
// limit.
func DuckDB(python string, threads int, memory, file, question string) []string {
	return []string{python, "-c", askDuckDB, strconv.Itoa(threads), memory, file, question}
}

// FiveDuckDB returns the command that asks DuckDB one of five questions about rows of orders.
func FiveDuckDB(python string, threads int, file, question string) []string {
	return []string{python, "-c", askFiveDuckDB, strconv.Itoa(threads), file, question}
}

// Polars returns the command that asks Polars a question of the script about a file.
func Polars(python string, threads int, file, question string) []string {
	return []string{python, "-c", askPolars, strconv.Itoa(threads), file, question}
}

// Table describes a file to the libraries: columns and types are given, so that nothing is guessed.
type Table struct {
	Path    string      `json:"path"`
	Columns [][2]string `json:"columns"`         // name and type, as DuckDB writes it
	Delim   string      `json:"delim,omitempty"` // of CSV; "" for lines of JSON
	Quoted  bool        `json:"quoted"`
	Header  bool        `json:"header"`
}

// Query returns the command that asks a library, "duckdb" or "polars", a query about a table: SQL about t,
// or an expression of pl about the frame t.
func (t Table) Query(python, library string, threads int, query string) ([]string, error) {
	text, err := json.Marshal(t)
	return []string{python, "-c", askTable, library, strconv.Itoa(threads), string(text), query}, err
}

// PolarsSQL returns the command that asks Polars a statement about tables by their names.
func PolarsSQL(python string, threads int, tables map[string]Table, sql string) ([]string, error) {
	text, err := json.Marshal(tables)
	return []string{python, "-c", askTable, "polars-sql", strconv.Itoa(threads), string(text), sql}, err
}

// Timed is the output of the scripts.
type Timed struct {
	Seconds float64         `json:"seconds"` // of the queries alone
	Answer  json.RawMessage `json:"answer"`
}

// ParseTimed returns the output of a script.
func ParseTimed(stdout string) (t Timed, err error) {
	if err := json.Unmarshal([]byte(stdout), &t); err != nil {
		return t, fmt.Errorf("answer %q: %w", FirstLine(stdout), err)
	}
	if t.Seconds <= 0 {
		return t, fmt.Errorf("answer %q has no time", FirstLine(stdout))
	}
	return t, nil
}
