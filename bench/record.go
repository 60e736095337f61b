package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A record is a report kept in git: a folder bench/record/DATE-MACHINE with report.json, which has
// the ratio of every round, and README.md, the same for people. It names the kind of machine and
// never the machine itself: no host name, no path.
const (
	recordFolder = "bench/record"
	recordFile   = "report.json"
)

// record adds r to the record named name in folder, and returns the record's path. Cases that the
// record has already are replaced as a whole, since the ratios of a case are those of one run.
// Others stay, so a long record can be made in parts, on the same kind of machine.
// Hide lists texts that must not be kept, such as paths of this machine, with what to write.
func (r *report) record(folder, name string, hide map[string]string) (string, error) {
	path := filepath.Join(folder, r.Date.UTC().Format("2006-01-02")+"-"+name)
	all := *r
	switch old, err := loadReport(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	default:
		if all, err = old.merge(r); err != nil {
			return "", fmt.Errorf("add to %s: %w; --record-as NAME makes another record", path, err)
		}
	}
	text, err := json.MarshalIndent(&all, "", " ")
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	var page strings.Builder
	if err := all.page(&page); err != nil {
		return "", err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", err
	}
	for file, content := range map[string]string{recordFile: string(text) + "\n", "README.md": page.String()} {
		if err := os.WriteFile(filepath.Join(path, file), []byte(hidden(content, hide)), 0o644); err != nil {
			return "", err
		}
	}
	return path, nil
}

// hidden returns the content with each text of hide replaced. Longer texts go first: one path may
// begin another.
func hidden(content string, hide map[string]string) string {
	for _, secret := range slices.SortedFunc(maps.Keys(hide), func(a, b string) int { return len(b) - len(a) }) {
		content = strings.ReplaceAll(content, secret, hide[secret])
	}
	return content
}

// merge returns old with the cases of r in place of its own. Machine and sizes must be the same;
// versions of peers and the program are those of r.
func (old *report) merge(r *report) (report, error) {
	if r.Size != old.Size {
		return report{}, fmt.Errorf("it was made with --size %d, not %d", old.Size, r.Size)
	}
	for key, value := range old.Machine {
		if r.Machine[key] != value {
			return report{}, fmt.Errorf("it was made with %s %q, not %q", key, value, r.Machine[key])
		}
	}
	again := map[string]bool{} // a case that failed this time keeps its old rows
	for _, row := range r.Rows {
		again[row.Case] = true
	}
	all := *r
	all.Rows, all.Skipped = nil, slices.Clone(r.Skipped)
	for _, row := range old.Rows {
		if !again[row.Case] {
			all.Rows = append(all.Rows, row)
		}
	}
	for _, s := range old.Skipped {
		if name, _, _ := strings.Cut(s, ":"); !again[name] && !slices.Contains(r.Skipped, s) {
			all.Skipped = append(all.Skipped, s)
		}
	}
	all.Rows = append(all.Rows, r.Rows...)
	return all, nil
}

// loadReport reads a report from a file, or from the folder of a record.
func loadReport(path string) (*report, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, recordFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s is not a report of the bench: %w", path, err)
	}
	return r, nil
}

// page writes the README.md of a record.
func (r *report) page(w *strings.Builder) error {
	fmt.Fprintf(w, "# %s, %s\n\n", r.Date.UTC().Format("2006-01-02"), r.Machine["model"])
	fmt.Fprintf(w, "Ratios, each case from one run of `go run ./bench --record`; [the bench's README](../../README.md)\n"+
		"says how they are taken. `%s` has the ratio of every round.\n\n| machine | |\n|---|---|\n", recordFile)
	for _, key := range slices.Sorted(maps.Keys(r.Machine)) {
		fmt.Fprintf(w, "| %s | %s |\n", key, r.Machine[key])
	}
	fmt.Fprint(w, "\n| program | version |\n|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(r.Peers)) {
		fmt.Fprintf(w, "| %s | %s |\n", key, strings.ReplaceAll(r.Peers[key], "|", `\|`))
	}
	fmt.Fprint(w, "\n```\n")
	err := r.print(w)
	fmt.Fprint(w, "```\n")
	return err
}

// noise is what processors' names hold beside the name: makers, marks, clock rates, cores.
var noise = regexp.MustCompile(
	`(?i)@.*|\((r|tm)\)|\b(amd|intel|cpu|processor|virtual|with|v?cpus?|\d+-cores?|\d+th|gen)\b`)

// shortName makes the name of a record from the name of a processor: "epyc-9b14-2" for two cores
// of an "AMD EPYC 9B14 96-Core Processor".
func shortName(model, arch, processors string) string {
	words := strings.FieldsFunc(strings.ToLower(noise.ReplaceAllString(model, " ")), func(c rune) bool {
		return !('a' <= c && c <= 'z' || '0' <= c && c <= '9')
	})
	if len(words) == 0 {
		words = []string{arch}
	}
	return strings.Join(append(words[:min(len(words), 3)], processors), "-")
}
