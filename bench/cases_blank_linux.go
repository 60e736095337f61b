package main

import (
	"context"
	"fmt"
	"regexp"
)

// firstOther matches the offset in the answer of thresh blank.
var firstOther = regexp.MustCompile(`^not blank: .* is at (\d+);`)

// blank returns thresh blank as a contender. The haystack is not blank: its last word is a needle.
func (b *bench) blank(args ...string) contender {
	return contender{
		name: "thresh blank", args: append([]string{b.thresh, "blank"}, args...),
		want: fmt.Sprint(b.needleOffset()), status: 1,
		answer: func(stdout string) (string, error) {
			found := firstOther.FindStringSubmatch(stdout)
			if found == nil {
				return "", fmt.Errorf("no offset in %q", stdout)
			}
			return found[1], nil
		},
	}
}

// blankWarm compares with find, which asks the same of the same bytes.
func blankWarm(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	peer := b.find(b.needleOffset(), "--nonzero", hay.Name)
	peer.name, peer.target = "find --nonzero", atLeast(0.95)
	return b.compare(ctx, name, warmState(hay), b.size, b.blank("--cached", hay.Name), peer)
}

// blankCold compares with fio's fastest way.
func blankCold(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	if err := hay.cold(); err != nil {
		return err
	}
	best, err := b.fiosBest(ctx, hay)
	if err != nil {
		return err
	}
	peer := fio(hay, best)
	peer.target = atLeast(0.95)
	return b.compare(ctx, name, coldState(hay), b.size, b.blank(hay.Name), peer)
}
