package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flag declares a flag: all that the command line, its help, its completion and its manual page say about it.
type Flag struct {
	Name  string
	Short string // a letter, unless an earlier flag has it; "" if there is none
	// To is where the value goes. Flags that take one value have a *bool, *int, *int64, *string, *time.Duration or
	// pflag.Value, which holds the default before. A *[]string collects the values of a flag that may be repeated. A
	// func(string) error or, for flags without value, a func() is called in the order of the command line.
	To      any
	Help    string // what it does; the name of its value in backquotes
	Section string // the title of its section of --help; "" is the first section

	Values   []string             // all values that it may have
	Suggest  []string             // some values that it may have, for completion
	Complete cobra.CompletionFunc // values that depend on the other arguments
	Omitted  string               // the value that the flag stands for without one; "" if it needs one

	Positive string // the number must be at least 1; what to do instead of 0
	Natural  string // the number must not be negative; what it is
	Empty    bool   // an empty value means something
	Hidden   bool
}

// Reword returns flags in which those of the same name as one of changes have its help, or are hidden as it is.
func Reword(flags []Flag, changes ...Flag) []Flag {
	for _, change := range changes {
		for i := range flags {
			if flags[i].Name == change.Name {
				flags[i].Help, flags[i].Hidden = change.Help, change.Hidden
			}
		}
	}
	return flags
}

// add adds the flag to a flag set.
func (f *Flag) add(flags *pflag.FlagSet) {
	if flags.ShorthandLookup(f.Short) != nil {
		f.Short = ""
	}
	switch to := f.To.(type) {
	case *bool:
		flags.BoolVarP(to, f.Name, f.Short, *to, f.Help)
	case *int:
		flags.IntVarP(to, f.Name, f.Short, *to, f.Help)
	case *int64:
		flags.Int64VarP(to, f.Name, f.Short, *to, f.Help)
	case *string:
		flags.StringVarP(to, f.Name, f.Short, *to, f.Help)
	case *time.Duration:
		flags.DurationVarP(to, f.Name, f.Short, *to, f.Help)
	case *[]string:
		flags.VarP(&called{set: func(text string) error { *to = append(*to, text); return nil }, kind: "string"},
			f.Name, f.Short, f.Help)
	case func(string) error:
		flags.VarP(&called{set: to, kind: "string"}, f.Name, f.Short, f.Help)
	case func():
		set := func(text string) error {
			if text == "true" {
				to()
			}
			return nil
		}
		flags.VarPF(&called{set: set, kind: "bool"}, f.Name, f.Short, f.Help).NoOptDefVal = "true"
	case pflag.Value:
		flags.VarP(to, f.Name, f.Short, f.Help)
	default:
		panic(fmt.Sprintf("thresh: bug: flag --%s of type %T", f.Name, f.To))
	}
	added := flags.Lookup(f.Name)
	added.Hidden = f.Hidden
	if f.Omitted != "" {
		added.NoOptDefVal = f.Omitted
	}
	_, repeats := added.Value.(*called)
	added.Value = &typed{Value: added.Value, repeats: repeats, empty: f.Empty || added.Value.Type() == "bool"}
}

// called is a flag that calls a function with each of its values.
type called struct {
	set  func(text string) error
	kind string
}

func (c *called) Set(text string) error { return c.set(text) }
func (c *called) String() string        { return "" }
func (c *called) Type() string          { return c.kind }

// typed is a flag that refuses an empty value, unless that means something, and a second, different one, unless it may
// be repeated: otherwise the last would silently win. An empty value often is a variable that is not set.
type typed struct {
	pflag.Value
	repeats, empty bool
	text           string
	set            bool
}

// Set sets the value. The flag may have a better reason to refuse it.
func (t *typed) Set(text string) error {
	if t.set && t.text != text && !t.repeats {
		return fmt.Errorf("it was already given as %q, and takes one value", t.text)
	}
	t.text, t.set = text, true
	if err := t.Value.Set(text); err != nil || text != "" || t.empty {
		return err
	}
	return errors.New("the value is empty; leave the flag out")
}

// Conflict says that flags contradict each other, and why: each of one list of names, separated by spaces, with each of
// the other.
type Conflict struct{ Flags, With, Why string }

// contradiction returns an error that names the first two flags typed that contradict each other.
func (c *Call) contradiction() error {
	for _, rule := range c.Verb.Conflicts {
		for one := range strings.FieldsSeq(rule.Flags) {
			if !c.Given(one) {
				continue
			}
			if other := c.First(rule.With); other != "" {
				return fmt.Errorf("--%s and --%s contradict each other: %s", one, other, rule.Why)
			}
		}
	}
	return nil
}

// values returns an error for flags with values that they cannot have.
func (c *Call) values() (err error) {
	for i := range c.Verb.Flags {
		f := &c.Verb.Flags[i]
		typed := c.flags.Lookup(f.Name)
		if !typed.Changed {
			continue
		}
		value := typed.Value.String()
		negative := strings.HasPrefix(value, "-")
		if f.Omitted != "" {
			err = errors.Join(err, f.afterSpace(c.Args))
		}
		switch {
		case f.Values != nil:
			err = errors.Join(err, oneOf(f.Name, value, f.Values))
		case f.Positive != "" && (value == "0" || negative):
			err = errors.Join(err, fmt.Errorf("--%s %s: it must be at least 1; %s", f.Name, value, f.Positive))
		case f.Natural != "" && negative:
			err = errors.Join(err, fmt.Errorf("--%s %s is negative: give %s", f.Name, value, f.Natural))
		}
	}
	return err
}

// afterSpace returns an error if a value of a flag that may go without stands after a space, and so is taken for a file
// that does not exist.
func (f *Flag) afterSpace(args []string) error {
	for _, arg := range args {
		if !slices.Contains(f.Values, arg) {
			continue
		}
		if _, err := os.Lstat(arg); err != nil {
			return fmt.Errorf("--%s %s: write --%[1]s=%[2]s, with an equals sign (%[2]s is taken for an argument)", f.Name, arg)
		}
	}
	return nil
}

// oneOf returns an error unless the value of a flag is one of the known ones.
func oneOf(flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	err := fmt.Errorf("--%s %q is unknown (known: %s)", flag, value, strings.Join(known, ", "))
	if near := Nearest(value, known); near != "" {
		return Hint(err, fmt.Sprintf("did you mean --%s=%s?", flag, near))
	}
	return err
}
