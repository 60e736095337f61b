// Groups sums a CSV in memory, from a reader and from an fs.FS into structs: groups FOLDER FILE < CSV.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/big"
	"os"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

type sales struct {
	City string
	Sold *big.Rat // exact; nil if no amount is known
}

func main() {
	sum := thresh.Aggregates(thresh.Aggregate{Function: "sum", Column: "amount", As: "sold"})
	groups := thresh.Groups{Keys: thresh.KeyColumns("city"), Aggregates: sum}
	spec := thresh.TableSpec{Dialect: thresh.CSV(), Questions: []thresh.Question{groups}}
	memory := thresh.FromBytes([]byte("city,amount\nRome,1.10\nOslo,2\nRome,2.20\n"))
	reader, readerErr := thresh.FromReader("stdin", os.Stdin)
	file, fileErr := thresh.OpenFS(os.DirFS(os.Args[1]), os.Args[2])
	for _, in := range []*thresh.Input{memory, reader, file} {
		var answers answer.Tables
		_, err := thresh.Table(context.Background(), in, spec, options.Scan{}, &answers)
		if err = errors.Join(err, readerErr, fileErr); err != nil {
			log.Fatal(err)
		}
		rows, err := answer.ScanRows[sales](&answers[0])
		for _, row := range rows {
			fmt.Println(in.Name(), row.City, row.Sold.FloatString(2), err)
		}
	}
}
