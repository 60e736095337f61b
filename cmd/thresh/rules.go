package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// rule forbids every combination of a flag in one with a flag in other, and says why.
type rule struct {
	one, other []string
	why        string
}

// contradiction returns an error that names the first two flags given that a rule forbids together.
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

// firstOf returns the first of the flags in names that was given, "" if none was.
func firstOf(flags *pflag.FlagSet, names []string) string {
	for _, name := range names {
		if given(flags, name) {
			return name
		}
	}
	return ""
}

// given reports whether a flag was given; --flag=false counts as not given.
func given(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && (f.Value.Type() != "bool" || f.Value.String() == "true")
}

// refuseRepeats makes every flag that holds one value refuse a second, different one; otherwise
// the last would silently win. Repeated flags are left alone, and so are the flags in except,
// which check this themselves.
func refuseRepeats(cmd *cobra.Command, except ...string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Value.(*repeatedFlag); !ok && !slices.Contains(except, f.Name) {
			f.Value = &singleFlag{Value: f.Value}
		}
	})
}

// singleFlag is a flag that holds one value and refuses a different second one.
type singleFlag struct {
	pflag.Value
	text string
	set  bool
}

// Set sets the value. Setting the same text again is allowed.
func (s *singleFlag) Set(text string) error {
	if s.set && s.text != text {
		return fmt.Errorf("it was already given as %q, and takes one value", s.text)
	}
	s.text, s.set = text, true
	return s.Value.Set(text)
}

// invalidValue returns the error for a value that a flag cannot have.
func invalidValue(invalid *pflag.InvalidValueError) error {
	flag, reason := invalid.GetFlag(), invalid.Unwrap()
	switch kind := flag.Value.Type(); {
	case kind == "bool":
		reason = errors.New("the flag takes no value")
	case kind == "duration":
		reason = errors.New("not a duration (write 500ms, 30s or 5m)")
	case errors.Is(reason, strconv.ErrRange):
		reason = errors.New("too large")
	case errors.Is(reason, strconv.ErrSyntax):
		reason = errors.New("not a whole number")
	}
	return fmt.Errorf("--%s %q: %w", flag.Name, invalid.GetValue(), reason)
}
