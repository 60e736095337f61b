package main

import (
	"fmt"

	"github.com/spf13/pflag"
)

// onlyOnce makes all flags but some refuse to be given again with another value, where the
// last would win and the others would be lost without a word.
func onlyOnce(flags *pflag.FlagSet, but ...string) {
	several := map[string]bool{}
	for _, name := range but {
		several[name] = true
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if !several[f.Name] {
			f.Value = &once{Value: f.Value, name: f.Name}
		}
	})
}

// once is the value of a flag that may be given again only with the same text.
type once struct {
	pflag.Value
	name, text string
	given      bool
}

// Set sets the value.
func (o *once) Set(text string) error {
	if o.given && o.text != text {
		return fmt.Errorf("it contradicts --%s %s before it: give one of them", o.name, o.text)
	}
	o.given, o.text = true, text
	return o.Value.Set(text)
}

// plural is a number of things.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
