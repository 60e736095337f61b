package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/thresh-dev/thresh/vet"
)

// The parts of SARIF 2.1.0 that code scanning uses.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool                `json:"tool"`
		BaseIDs    map[string]sarifArtifact `json:"originalUriBaseIds"`
		ColumnKind string                   `json:"columnKind"`
		Results    []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		URI     string      `json:"informationUri"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Short         sarifText      `json:"shortDescription"`
		Full          sarifText      `json:"fullDescription"`
		HelpURI       string         `json:"helpUri"`
		Help          sarifText      `json:"help"`
		Configuration sarifLevel     `json:"defaultConfiguration"`
		Properties    map[string]any `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

// sarifRoot names the folder that paths are relative to: the root of the repository, if one starts there.
const sarifRoot = "%SRCROOT%"

// printSARIF prints the findings as a SARIF log.
func printSARIF(w io.Writer, found []finding) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "thresh-vet", URI: "https://github.com/thresh-dev/thresh/blob/main/docs/vet.md",
			Version: version()}},
		BaseIDs:    map[string]sarifArtifact{sarifRoot: {URI: fileURI(here) + "/"}},
		ColumnKind: "utf16CodeUnits",
		Results:    []sarifResult{}, // null is not allowed
	}
	index := map[string]int{}
	for i, r := range vet.Rules() {
		short, long, _ := strings.Cut(r.Analyzer.Doc, "\n\n")
		index[r.Analyzer.Name] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.Analyzer.Name, Short: sarifText{short}, Full: sarifText{long}, HelpURI: r.Analyzer.URL,
			Help: sarifText{long + "\n\n" + r.Analyzer.URL}, Configuration: sarifLevel{r.Severity},
			Properties: map[string]any{"precision": "very-high", "tags": []string{"performance", "zero-copy"}},
		})
	}
	files := lineTable{}
	for _, f := range found {
		result := sarifResult{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: f.Severity, Message: sarifText{f.Message},
			Locations: []sarifLocation{{Physical: files.physical(f.place)}},
		}
		for _, r := range f.Related {
			result.Related = append(result.Related, sarifLocation{files.physical(r.place), &sarifText{r.Message}})
		}
		run.Results = append(run.Results, result)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// fileURI returns the URI of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// lineTable has the lines of files, by name, as far as they were needed.
type lineTable map[string][][]byte

// physical returns a place in SARIF, whose columns count units of UTF-16.
func (t lineTable) physical(p place) sarifPhysical {
	artifact := sarifArtifact{URI: (&url.URL{Path: filepath.ToSlash(p.File)}).String(), BaseID: sarifRoot}
	if filepath.IsAbs(p.File) {
		artifact = sarifArtifact{URI: fileURI(p.File)}
	}
	region := sarifRegion{StartLine: p.Line, StartColumn: t.column(p.File, p.Line, p.Column)}
	if p.EndLine > p.Line || p.EndLine == p.Line && p.EndColumn > p.Column {
		region.EndLine, region.EndColumn = p.EndLine, t.column(p.File, p.EndLine, p.EndColumn)
	}
	return sarifPhysical{artifact, region}
}

// column converts a column that counts bytes. It is returned as it is if the file can't be read any more.
func (t lineTable) column(name string, line, column int) int {
	lines, ok := t[name]
	if !ok {
		if text, err := os.ReadFile(name); err == nil {
			lines = bytes.SplitAfter(text, []byte("\n"))
		}
		t[name] = lines
	}
	if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
		return column
	}
	return len(utf16.Encode([]rune(string(lines[line-1][:column-1])))) + 1
}
