package plugin

import (
	"slices"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/thresh-dev/thresh/vet"
)

// TestPlugin makes the linter as golangci-lint does.
func TestPlugin(t *testing.T) {
	newLinter, err := register.GetPlugin("thresh")
	if err != nil {
		t.Fatal(err)
	}
	all := names(t, newLinter, nil)
	if len(all) != len(vet.Rules()) {
		t.Errorf("%d analyzers, %d rules", len(all), len(vet.Rules()))
	}
	one := names(t, newLinter, map[string]any{"enable": []string{"doublecount"}})
	if !slices.Equal(one, []string{"doublecount"}) {
		t.Errorf("enable: %q", one)
	}
	flag := vet.ResponseWrapper.Flags.Lookup(vet.PossibleFlag).Value
	names(t, newLinter, map[string]any{"possible": true})
	if flag.String() != "true" {
		t.Error("possible is not set")
	}
	rest := names(t, newLinter, map[string]any{"disable": []any{"doublecount"}})
	if len(rest) != len(all)-1 || slices.Contains(rest, "doublecount") {
		t.Errorf("disable: %q", rest)
	}
	if flag.String() != "false" {
		t.Error("possible stays")
	}
	for want, settings := range map[string]map[string]any{
		"no rule":       {"enable": []string{"nothing"}},
		"both":          {"enable": []string{"doublecount"}, "disable": []string{"unusedignore"}},
		"unknown field": {"enabled": []string{"doublecount"}},
	} {
		if _, err := newLinter(settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", settings, err, want)
		}
	}
}

func names(t *testing.T, newLinter register.NewPlugin, settings any) (found []string) {
	t.Helper()
	l, err := newLinter(settings)
	if err != nil {
		t.Fatal(err)
	}
	if l.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("load mode %q", l.GetLoadMode())
	}
	analyzers, err := l.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range analyzers {
		found = append(found, a.Name)
	}
	return found
}
