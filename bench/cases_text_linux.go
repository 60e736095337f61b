package main

import (
	"context"
	"fmt"
	"strings"
)

// question is a search in the log, with the arguments for each program. Its only match is in the
// planted line.
type question struct {
	match string   // the text that matches
	find  []string // for thresh
	rg    []string // for ripgrep, nil if it cannot search for this
	grep  []string // for GNU grep

	target target // for thresh against ripgrep
}

// ask compares the programs on the log. The others print the offset of every match, so they read the
// log to its end; thresh stops at the planted line, 1 MiB before the end. ripgrep runs in the fastest
// way that prints offsets: it maps the file by default, and needs no --text, because the log has no
// zeros.
func ask(ctx context.Context, b *bench, name string, q question) error {
	log, line, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	at := line + int64(strings.Index(planted, q.match))
	sides := []contender{b.find(at, append(q.find, log.Name)...)}
	if q.rg != nil {
		args := append([]string{"rg", "--no-config", "-b", "-o"}, q.rg...)
		sides = append(sides, contender{
			name: "rg", args: append(args, log.Name), want: matchAt(at, q.match), target: q.target,
			note: strings.Join(args, " "),
		})
	}
	args := append([]string{"grep", "-a", "-b", "-o"}, q.grep...)
	sides = append(sides, contender{
		name: "grep", args: append(args, log.Name), env: []string{"LC_ALL=C"}, want: matchAt(at, q.match),
		note: fmt.Sprintf("LC_ALL=C %s", strings.Join(args, " ")),
	})
	return b.compare(ctx, name, warmState(log), log.Bytes, sides...)
}

func literal(ctx context.Context, b *bench, name string) error {
	const text = "card declined, retry 3 of 3"
	return ask(ctx, b, name, question{
		match: text, find: []string{"--text", text},
		rg: []string{"-F", text}, grep: []string{"-F", text},
		target: atLeast(1.7),
	})
}

// expression searches for a regular expression that has the same meaning in all programs.
func expression(ctx context.Context, b *bench, name, re, match string, t target) error {
	return ask(ctx, b, name, question{
		match: match, find: []string{"--regex", re}, rg: []string{re}, grep: []string{"-E", re},
		target: t,
	})
}

func regexCommon(ctx context.Context, b *bench, name string) error {
	return expression(ctx, b, name, `user=[0-9]{9} card`, "user=481516234 card", atLeast(1.7))
}

func regexRare(ctx context.Context, b *bench, name string) error {
	return expression(ctx, b, name, `owner=[0-9]{9}`, "owner=481516234", atLeast(1.7))
}

func regexNone(ctx context.Context, b *bench, name string) error {
	return expression(ctx, b, name, `[A-Z]{4}[0-9]{7}[A-Z]{2}`, "KQXT4820193ZW", atLeast(1))
}

func regexDigits(ctx context.Context, b *bench, name string) error {
	return expression(ctx, b, name, `[0-9]{4}[A-Z]{2}[0-9]{3}`, "4820KQ193", atLeast(1))
}

func hex(ctx context.Context, b *bench, name string) error {
	return ask(ctx, b, name, question{
		match: "KQXT4820193ZW",
		find:  []string{"--hex", "4B 51 ?? 54 34 38 3? 30 31 39 33 5A 57"},
		grep:  []string{"-P", `KQ.T48[0-9:;<=>?]0193ZW`},
	})
}
