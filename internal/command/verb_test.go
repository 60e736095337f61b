package command

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// callVerb calls a verb with a flag of each kind. It returns what Run was given, and the error.
func callVerb(t *testing.T, args []string) (got string, err error) {
	t.Helper()
	var all, loud bool
	n, name := 3, "one"
	var texts, order []string
	v := &Verb{
		Name: "try", Usage: "[flags]", Short: "tries", Examples: "  try", ArgsMax: -1, Common: "all name",
		Flags: []Flag{
			{Name: "all", Short: "a", To: &all, Help: "all of them"},
			{Name: "loud", Short: "a", To: &loud, Help: "the letter is taken"},
			{Name: "number", To: &n, Positive: "omit it", Help: "`N` of them"},
			{Name: "name", To: &name, Values: []string{"one", "other"}, Omitted: "other", Help: "`NAME`: one or other"},
			{Name: "text", To: &texts, Empty: true, Help: "`TEXT`; may be repeated"},
			{Name: "call", To: func(text string) error { order = append(order, text); return nil }, Help: "`X`"},
			{Name: "mark", To: func() { order = append(order, "mark") }, Help: "marks"},
		},
		Conflicts: []Conflict{{Flags: "all", With: "number text", Why: "all are all"}},
		Run: func(_ context.Context, c *Call) error {
			got = strings.Join(append(append(texts, order...), name, c.First("number loud")), " ")
			return nil
		},
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	c := NewConsole(args, null, null, null)
	defer c.close()
	cmd := v.Command(c, false)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.Execute()
	return got, err
}

// TestVerb types flags as hands do.
func TestVerb(t *testing.T) {
	for typed, want := range map[string]string{
		"--number 4 --name=other --text a --text=": "a  other number",
		"--call x --mark --call y --mark=false":    "x mark y one ",
		"-a --all --number=3 --loud=false":         "error: --all and --number contradict each other: all are all",
		"--number 0":                               "error: --number 0: it must be at least 1; omit it",
		"--number 1 --number 2":                    `error: --number "2": it was already given as "1", and takes one value`,
		"--number 1 --number 1 --loud":             "one number",
		"--name=":                                  "error: --name \"\": the value is empty; leave the flag out",
		"--name=nother":                            `error: --name "nother" is unknown (known: one, other)`,
		"--name other":                             "error: --name other: write --name=other, with an equals sign (other is taken for an argument)",
		"--nam=x":                                  `error: unknown flag --nam of "try"`,
		"--number x":                               `error: --number "x": not a whole number`,
		"--all=3":                                  `error: --all "3": the flag takes no value`,
	} {
		got, err := callVerb(t, strings.Fields(typed))
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

// TestHelpOfVerb: -h has the common flags and the first clause of each, --help all.
func TestHelpOfVerb(t *testing.T) {
	for _, c := range []struct{ arg, want, not string }{
		{"-h", "--name[=NAME]   NAME: one or other (default one)", "--number"},
		{"--help", "--number N", "explains these"},
	} {
		v := &Verb{Name: "try", Usage: "[flags]", Short: "tries", Examples: "  try", Common: "name",
			Flags: []Flag{
				{Name: "number", To: new(int), Help: "`N`"},
				{Name: "name", To: &[]string{"one"}[0], Omitted: "other", Help: "`NAME`: one or other"},
			}}
		console := NewConsole([]string{c.arg}, nil, nil, nil)
		cmd := v.Command(console, false)
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetArgs([]string{c.arg})
		if err := cmd.Execute(); err != nil || !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), c.not) {
			t.Errorf("%s: %v\n%s", c.arg, err, out.String())
		}
		console.close()
	}
}

// TestFirstClauses: what does not fit is cut where a clause ends.
func TestFirstClauses(t *testing.T) {
	for text, want := range map[string]string{
		"short; all of it": "short; all of it",
		"a clause of some length; another one that is much too long for the line, which has eighty columns": "a clause of some length",
		strings.Repeat("x", 90): strings.Repeat("x", 90),
	} {
		if got := firstClauses(text, 20); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
