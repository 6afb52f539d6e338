#!/bin/sh
# Package:  github.com/jackc/pgx/v5 v5.13.0 (Go), with PostgreSQL on 127.0.0.1 (user postgres, no password)
# Guess:    RowToMap and Values give an array of arrays as a list of lists, as Scan into a [][]int32 does, or an
#           error.
# Observed: they give one flat list of all elements, without an error, so that {{1,2},{3,4}} and {1,2,3,4} are the
#           same.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/jackc/pgx/v5@v5.13.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	db, err := pgx.Connect(ctx, "postgres://postgres@127.0.0.1:5432/postgres")
	if err != nil {
		fmt.Println("no PostgreSQL on 127.0.0.1:5432")
		os.Exit(0)
	}
	defer db.Close(ctx)
	for _, query := range []string{"select '{1,2,3,4}'::int[] as cells", "select '{{1,2},{3,4}}'::int[] as cells"} {
		fmt.Println(query)
		rows, err := db.Query(ctx, query)
		check(err)
		row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToMap)
		check(err)
		text, err := json.Marshal(row)
		check(err)
		fmt.Println("  RowToMap:", string(text))
	}
	rows, err := db.Query(ctx, "select '{{1,2},{3,4}}'::int[]")
	check(err)
	for rows.Next() {
		values, err := rows.Values()
		check(err)
		fmt.Println("  Values:", values)
	}
	check(rows.Err())
	var cells [][]int32
	check(db.QueryRow(ctx, "select '{{1,2},{3,4}}'::int[]").Scan(&cells))
	fmt.Println("  Scan:", cells)
	var text string
	check(db.QueryRow(ctx, "select to_json('{{1,2},{3,4}}'::int[])::text").Scan(&text))
	fmt.Println("  to_json:", text)
}
GO
go run . >observed
! grep -q "no PostgreSQL" observed || { cat observed && exit 77; }
cat observed
cat >expected <<'TEXT'
select '{1,2,3,4}'::int[] as cells
  RowToMap: {"cells":[1,2,3,4]}
select '{{1,2},{3,4}}'::int[] as cells
  RowToMap: {"cells":[1,2,3,4]}
  Values: [[1 2 3 4]]
  Scan: [[1 2] [3 4]]
  to_json: [[1,2],[3,4]]
TEXT
diff expected observed
