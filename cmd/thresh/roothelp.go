package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// rootExamples are the examples of --help, the first of them those of -h.
const rootExamples = `  thresh grep -n 'status=5..' app.log.gz             lines that match
  thresh find --text 'req=7f3a9c' app.log            where a text is
  thresh count --lines access.log                    how many lines
  thresh table orders.csv --group country            how many of each
  thresh serve /data                                 a folder over HTTP
  thresh count --type i32 --eq 10 datafile.bin       how many values are 10
  thresh find --nonzero disk.img                     the first byte not zero
  thresh minify big.json -o small.json               JSON without white space
  thresh cmp image.xz /dev/sdb --prefix              are they the same?
  thresh blank /dev/sdb --report certificate.html    is it wiped?
  thresh wall make -j8                               what held it back?
  thresh limits                                      what this machine can do`

const rootExamplesBrief = 5

const rootHelp = `thresh answers questions about files too big for ordinary tools, as fast as the
hardware allows, and reports which limit of the machine held each run back.

"thresh FILE" shows what is in a file: its columns and first records, or what
kind of file it is.

Inputs:
  grep, find, count, table, cmp and minify take files, block devices, https://
  and s3:// objects, and "-" for standard input; with -r, folders. Compressed
  content is recognised by what it is, and decompressed while it is read.

Results:
  Results go to standard output, everything else to standard error. They do
  not depend on how the bytes are read, nor on the number of workers.
  --receipt reports what was read, how fast, and which wall the run hit;
  --explain how it is going to be read, and why.

Exit status:
  0    answered; of find and grep: found, of blank: it is blank, of cmp: equal
  1    nothing found, not blank, or different
  2    wrong usage, or an input could not be opened
  3    part of an input could not be read, so the answer may be incomplete
  130  interrupted

Environment:
  NO_COLOR switches colours off. THRESH_ISA=avx2 or -avx512 narrows the choice
  of instruction sets. Credentials of s3:// objects are found as other
  programs find them: AWS_ACCESS_KEY_ID, AWS_PROFILE and so on.

Other programs:
  "thresh NAME" runs the program thresh-NAME if NAME is not a command of thresh
  and there is such a program beside thresh or in a folder of PATH.`

// describe returns the help of the program: all of it, or one screen of it for -h.
func describe(root *cobra.Command, brief bool) string {
	var b strings.Builder
	const usage = "thresh COMMAND [flags] [FILE...]"
	fmt.Fprintf(&b, "thresh: %s\n", root.Short)
	if brief {
		fmt.Fprintf(&b, "Usage: %s\n\n", usage)
		for _, line := range strings.SplitAfter(rootExamples, "\n")[:rootExamplesBrief] {
			b.WriteString(line)
		}
		b.WriteByte('\n')
		for _, v := range commands {
			commandLine(&b, root, v.name)
		}
		b.WriteString("\nthresh COMMAND -h is a screen about a command; thresh --help explains all.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "\nExamples:\n%s\n", rootExamples)
	section := ""
	for _, v := range commands {
		if v.section != section {
			section = v.section
			fmt.Fprintf(&b, "\n%s\n", section)
		}
		commandLine(&b, root, v.name)
	}
	fmt.Fprintf(&b, "\nFor the shell:\n  %-10s  print a script that completes commands, flags and values\n", "completion")
	if all := companions(); len(all) > 0 {
		fmt.Fprintf(&b, "\nCompanions, separate programs that \"thresh NAME\" runs:\n  %s\n", strings.Join(all, "\n  "))
	}
	fmt.Fprintf(&b, "\n%s\n\nUsage:\n  %s\n\nFlags:\n", rootHelp, usage)
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		fmt.Fprintf(&b, "  -%s, --%-9s %s\n", f.Shorthand, f.Name, f.Usage)
	})
	b.WriteString("\n\"thresh COMMAND --help\" explains a command.\n")
	return b.String()
}

// commandLine writes the line of a command.
func commandLine(b *strings.Builder, root *cobra.Command, name string) {
	for _, cmd := range root.Commands() {
		if cmd.Name() == name {
			fmt.Fprintf(b, "  %-10s  %s\n", name, cmd.Short)
		}
	}
}

// bashWords begins the script for bash. What follows needs a function of the package bash-completion,
// which many servers do not have; this one is enough. Bash cuts --flag=value and FILE:MEMBER into words,
// which are put together again.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
_get_comp_words_by_ref() {
    local i join=
    words=() cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        case ${COMP_WORDS[i]} in
        [=:]*) ((${#words[@]})) && join=1 ;;
        esac
        if [[ $join ]]; then
            words[${#words[@]}-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
        join=
        [[ ${COMP_WORDS[i]} == [=:] ]] && join=1
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
    done
    cur=${words[cword]} prev=
    ((cword > 0)) && prev=${words[cword - 1]}
    return 0
}
fi
`
