package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// situationReport has the results of a run of the matrix.
type situationReport struct {
	Date    time.Time         `json:"date"`
	Machine map[string]string `json:"machine"`
	Peers   map[string]string `json:"peers"` // versions
	Rounds  int               `json:"rounds"`
	Bytes   int64             `json:"bytes"` // of a file of measure, see --size
	Rows    []situationRow    `json:"rows"`
	Skipped []string          `json:"skipped,omitempty"`
}

// situationRow is one situation.
type situationRow struct {
	Name   string    `json:"name"`
	Lie    string    `json:"lie"`
	Bytes  int64     `json:"bytes"`
	Files  int       `json:"files"`
	Before float64   `json:"cached_before"` // part of the bytes, before each sample
	Limit  string    `json:"limit,omitempty"`
	Beside string    `json:"beside,omitempty"`
	Asks   []string  `json:"questions"`
	Sides  []sideRow `json:"sides"`
	Others float64   `json:"others_used_processors"` // as in row; the neighbour counts

	Best    string  `json:"best_forced"`
	Ratio   summary `json:"auto_by_best"` // of totals, by round
	Least   float64 `json:"least_auto_by_least_best"`
	CPU     float64 `json:"processor_auto_by_best"` // of the medians
	Verdict string  `json:"verdict"`
}

// sideRow is a way of running thresh, or a peer.
type sideRow struct {
	Name  string    `json:"name"`
	Peer  bool      `json:"peer,omitempty"`
	Not   string    `json:"not_measured,omitempty"`
	Total summary   `json:"seconds"`
	CPU   summary   `json:"processor_seconds"`
	Laps  []summary `json:"seconds_by_question,omitempty"`
	After []float64 `json:"cached_after,omitempty"` // part of the bytes, after each question

	Ratio  *summary `json:"auto_by_peer,omitempty"`
	Target string   `json:"target,omitempty"`
}

// Verdicts of a situation. A single disturbed round must not decide: auto is wrong only if the best
// rounds say so too.
const (
	right   = "right"
	unclear = "unclear" // the median misses the target, the fastest rounds meet it
	wrong   = "WRONG"
)

// verdict judges auto by the median of the rounds' ratios and by the ratio of the fastest rounds.
func verdict(median, least float64, t target) string {
	switch {
	case t.met(median):
		return right
	case t.met(least):
		return unclear
	}
	return wrong
}

// newSituationRow summarizes the samples. The first side is auto.
func newSituationRow(s *situation, c *corpus, sides []*side) (situationRow, error) {
	r := situationRow{
		Name: s.name, Lie: s.lie.String(), Bytes: c.bytes, Files: len(c.files), Beside: strings.Join(s.beside, " "),
	}
	if s.shm {
		r.Lie = "tmpfs"
	}
	for _, q := range s.asks {
		r.Asks = append(r.Asks, q.name)
	}
	if sides[0].not != "" {
		return r, errors.New(sides[0].not)
	}
	var best *side
	for _, v := range sides[1:] {
		if v.not == "" && !v.peer && (best == nil || summarize(v.totals).Median < summarize(best.totals).Median) {
			best = v
		}
	}
	if best == nil {
		return r, fmt.Errorf("%s: no forced way can run here", s.name)
	}
	for _, v := range sides {
		row := sideRow{Name: v.name, Peer: v.peer, Not: v.not}
		if v.not == "" {
			row.Total, row.CPU, row.After = summarize(v.totals), summarize(v.cpu), v.after
			for _, lap := range v.laps {
				row.Laps = append(row.Laps, summarize(lap))
			}
		}
		if v.not == "" && v.peer {
			ratio := summarize(ratios(sides[0].totals, v.totals))
			row.Ratio, row.Target = &ratio, peerTarget.String()
		}
		r.Sides = append(r.Sides, row)
	}
	r.Best = best.name
	r.Ratio = summarize(ratios(sides[0].totals, best.totals))
	r.Least = slices.Min(sides[0].totals) / slices.Min(best.totals)
	r.CPU = summarize(sides[0].cpu).Median / max(summarize(best.cpu).Median, 1e-9)
	r.Verdict = verdict(r.Ratio.Median, r.Least, autoTarget)
	return r, nil
}

// add adds a row, in place of an older one with its name.
func (r *situationReport) add(row situationRow) {
	for i := range r.Rows {
		if r.Rows[i].Name == row.Name {
			r.Rows[i] = row
			return
		}
	}
	r.Rows = append(r.Rows, row)
}

// print writes two tables in Markdown: the verdicts, and every way's seconds by question.
func (r *situationReport) print(w io.Writer) error {
	out := &strings.Builder{}
	fmt.Fprintln(out, "| situation | input | questions | auto s | best forced | its s "+
		"| auto / best | low..high | of fastest | processor | |")
	fmt.Fprintln(out, "|---|---|---|--:|---|--:|--:|---|--:|--:|---|")
	counts := map[string]int{}
	for _, row := range r.Rows {
		counts[row.Verdict]++
		fmt.Fprintf(out, "| %s | %s | %s | %.4f | %s | %.4f | %.2f | %.2f..%.2f | %.2f | %.2f | %s |\n",
			row.Name, row.input(), short(row.Asks), row.Sides[0].Total.Median, row.Best, row.best().Total.Median,
			row.Ratio.Median, row.Ratio.Low, row.Ratio.High, row.Least, row.CPU, row.Verdict)
	}
	fmt.Fprintf(out, "\n%d situations: %d right, %d unclear, %d wrong (auto at most %.2f of the best forced way's time)\n",
		len(r.Rows), counts[right], counts[unclear], counts[wrong], autoTarget.AtMost)
	fmt.Fprintln(out, "\n| situation | way | seconds by question | total | low..high | processor s "+
		"| cached before, after each | auto / peer |")
	fmt.Fprintln(out, "|---|---|---|--:|---|--:|---|---|")
	for _, row := range r.Rows {
		for _, v := range row.Sides {
			if v.Not != "" {
				why := strings.ReplaceAll(v.Not, "|", `\|`)
				fmt.Fprintf(out, "| %s | %s | not measured: %s | | | | | |\n", row.Name, v.Name, why)
				continue
			}
			fmt.Fprintf(out, "| %s | %s | %s | %.4f | %.4f..%.4f | %.3f | %s | %s |\n", row.Name, v.Name, v.laps(),
				v.Total.Median, v.Total.Low, v.Total.High, v.CPU.Median, cachedParts(row.Before, v.After), v.byPeer())
		}
	}
	fmt.Fprintln(out)
	for _, row := range r.Rows {
		if row.Others > othersMax && row.Beside == "" {
			fmt.Fprintf(out, "- disturbed %s: others used %.0f %% of the processors\n", row.Name, 100*row.Others)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(out, "- skipped %s\n", s)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// input describes the files and what surrounds the questions.
func (r situationRow) input() string {
	parts := []string{bytesText(r.Bytes) + " " + r.Lie}
	if r.Files > 1 {
		parts[0] = fmt.Sprintf("%d files, %s", r.Files, parts[0])
	}
	for _, more := range []string{r.Limit, r.Beside} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return strings.Join(parts, "; ")
}

func (r situationRow) best() sideRow {
	i := slices.IndexFunc(r.Sides, func(v sideRow) bool { return v.Name == r.Best })
	return r.Sides[i]
}

func (v sideRow) laps() string {
	var out []string
	for _, lap := range v.Laps {
		out = append(out, fmt.Sprintf("%.4f", lap.Median))
	}
	return strings.Join(out, ", ")
}

func (v sideRow) byPeer() string {
	if v.Ratio == nil {
		return ""
	}
	met := map[bool]string{true: "met", false: "MISSED"}[peerTarget.met(v.Ratio.Median)]
	return fmt.Sprintf("%.2f (%.2f..%.2f), %s: %s", v.Ratio.Median, v.Ratio.Low, v.Ratio.High, v.Target, met)
}

// cachedParts shows the cached part of the input before the first and after each question.
func cachedParts(before float64, after []float64) string {
	out := []string{fmt.Sprintf("%.0f", 100*before)}
	for _, part := range after {
		out = append(out, fmt.Sprintf("%.0f", 100*part))
	}
	return strings.Join(out, ", ") + " %"
}

// short lists questions, with a number for those that repeat.
func short(asks []string) string {
	var out []string
	for i := 0; i < len(asks); {
		n := 1
		for i+n < len(asks) && asks[i+n] == asks[i] {
			n++
		}
		text := asks[i]
		if n > 1 {
			text = fmt.Sprintf("%d times %s", n, text)
		}
		out = append(out, text)
		i += n
	}
	return strings.Join(out, ", ")
}

func bytesText(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.3g %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

const (
	situationsJSON = "situations.json"
	situationsPage = "situations.md"
)

// save writes the report into the folder, as JSON and as Markdown. With merge, situations that
// are there already stay if this run has not measured them. Texts of hide are replaced.
func (r *situationReport) save(folder string, merge bool, hide map[string]string) error {
	all := *r
	if merge {
		old, err := loadSituations(filepath.Join(folder, situationsJSON))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			if old.Bytes != r.Bytes {
				return fmt.Errorf("%s was made with --size %d, not %d", folder, old.Bytes, r.Bytes)
			}
			all.Rows = old.Rows
			for _, row := range r.Rows {
				all.add(row)
			}
		}
	}
	text, err := json.MarshalIndent(&all, "", " ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	page := &strings.Builder{}
	fmt.Fprintf(page, "# Situations, %s, %s\n\n[The bench's README](../../README.md) says how they are measured.\n\n",
		all.Date.UTC().Format("2006-01-02"), all.Machine["model"])
	if err := all.print(page); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range map[string]string{situationsJSON: string(text) + "\n", situationsPage: page.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(hidden(content, hide)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func loadSituations(name string) (*situationReport, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(situationReport)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s is not a report of situations: %w", name, err)
	}
	return r, nil
}
