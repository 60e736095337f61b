// Sqlrows asks a question of files through database/sql, with a value in it: sqlrows FOLDER FILE CITY.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"

	_ "github.com/thresh-dev/thresh/sqldriver"
)

func main() {
	if err := ask(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func ask(ctx context.Context, folder, file, city string) error {
	db, err := sql.Open("thresh", folder)
	if err != nil {
		return err
	}
	defer db.Close()
	query := fmt.Sprintf("select city, count(*), sum(amount) from '%s' where city <> ? group by city", file)
	rows, err := db.QueryContext(ctx, query, city)
	if err != nil {
		return err
	}
	for rows.Next() {
		var name, sold string // decimals are exact
		var count int
		err = errors.Join(err, rows.Scan(&name, &count, &sold))
		fmt.Println(name, count, sold)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}
