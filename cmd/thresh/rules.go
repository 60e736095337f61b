package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// rule says that none of some flags goes together with any of others, and why.
type rule struct {
	one, other []string
	why        string
}

// contradiction returns an error that names the first two flags that do not go together.
func contradiction(flags *pflag.FlagSet, rules []rule) error {
	for _, r := range rules {
		for _, one := range r.one {
			if !given(flags, one) {
				continue
			}
			if other := firstOf(flags, r.other); other != "" {
				return fmt.Errorf("--%s and --%s contradict each other: %s", one, other, r.why)
			}
		}
	}
	return nil
}

// firstOf returns the first of some flags that was given, "" if none was.
func firstOf(flags *pflag.FlagSet, names []string) string {
	for _, name := range names {
		if given(flags, name) {
			return name
		}
	}
	return ""
}

// given reports whether a flag was given, and says yes.
func given(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && (f.Value.Type() != "bool" || f.Value.String() == "true")
}

// once makes the flags of a command that hold one value refuse a second one: the first would
// be lost without a word. Flags that take several, or judge for themselves, are named in but.
func refuseRepeats(cmd *cobra.Command, but ...string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Value.(*repeatedFlag); !ok && !slices.Contains(but, f.Name) {
			f.Value = &singleFlag{Value: f.Value}
		}
	})
}

// single is a flag that holds one value.
type singleFlag struct {
	pflag.Value
	text string
	set  bool
}

// Set sets the value, for the first time or to the same once more.
func (s *singleFlag) Set(text string) error {
	if s.set && s.text != text {
		return fmt.Errorf("it was given before as %q, and takes one value", s.text)
	}
	s.text, s.set = text, true
	return s.Value.Set(text)
}
