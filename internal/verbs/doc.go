// Package verbs has the verbs that ask about inputs: grep, find, count, table and minify. Each declares its flags,
// turns them into a question to the library, and prints the answer; package command does what all of them share.
package verbs
