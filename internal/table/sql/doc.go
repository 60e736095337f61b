// Package sql reads statements of SQL about files, and turns each into a question that package table answers.
//
//	split.go    a text to statements, without comments
//	parse.go    a statement to its clauses
//	source.go   what follows from
//	compile.go  clauses to a question, and how its rows become those of the statement
//
// It is DuckDB's dialect where that has one. A statement keeps its expressions as text: package expr parses them
// when the columns are known, and errors get the places that they have in the statement.
package sql
