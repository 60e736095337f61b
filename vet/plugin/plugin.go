// Package plugin makes the rules of package vet a module plugin of golangci-lint; docs/vet.md says how.
package plugin

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet"
)

func init() {
	register.Plugin("thresh", New)
}

// Settings are the settings of the linter in .golangci.yml. At most one of Enable and Disable may be given.
type Settings struct {
	Enable   []string `json:"enable"`   // only these rules
	Disable  []string `json:"disable"`  // all rules but these
	Possible bool     `json:"possible"` // also wrappers of which no copy is known
}

// New returns the linter with settings as golangci-lint has read them.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("settings of thresh: %w", err)
	}
	if len(s.Enable) > 0 && len(s.Disable) > 0 {
		return nil, fmt.Errorf("settings of thresh: enable and disable can't both be given")
	}
	for _, name := range slices.Concat(s.Enable, s.Disable) {
		if !slices.ContainsFunc(vet.All(), func(a *analysis.Analyzer) bool { return a.Name == name }) {
			return nil, fmt.Errorf("settings of thresh: there is no rule %q", name)
		}
	}
	// The rules are those of the process: the settings that were read last count.
	return linter{s}, vet.ResponseWrapper.Flags.Set(vet.PossibleFlag, strconv.FormatBool(s.Possible))
}

type linter struct{ settings Settings }

// BuildAnalyzers returns the analyzers of the rules that are wanted.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return slices.DeleteFunc(vet.All(), func(a *analysis.Analyzer) bool {
		if len(l.settings.Enable) > 0 {
			return !slices.Contains(l.settings.Enable, a.Name)
		}
		return slices.Contains(l.settings.Disable, a.Name)
	}), nil
}

// GetLoadMode says that the rules need types.
func (l linter) GetLoadMode() string { return register.LoadModeTypesInfo }
