#!/bin/sh
# Package:  modernc.org/sqlite v1.62.0 (Go)
# Guess:    a time.Time that is written to a column DATETIME is read as the same time, whatever its zone is: also
#           with an offset without a name, as time.Parse makes it of "2026-01-02T03:04:05+01:00".
# Observed: it is written without an error, but is read as a text, and Scan into a time.Time fails. So does a zone
#           with a name of one letter. UTC and a zone such as CEST work.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod TZ=UTC
go mod init example.com/finding >init 2>&1
go get modernc.org/sqlite@v1.62.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"database/sql"
	"fmt"
	"time"

	_ "modernc.org/sqlite"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	db, err := sql.Open("sqlite", ":memory:")
	check(err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("create table orders (sent datetime)")
	check(err)
	at := time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC)
	parsed, err := time.Parse(time.RFC3339, "2026-01-02T03:04:05+01:00")
	check(err)
	for _, sent := range []time.Time{at, at.In(time.FixedZone("CEST", 7200)), parsed, at.In(time.FixedZone("A", 3600))} {
		_, err = db.Exec("delete from orders")
		check(err)
		_, err = db.Exec("insert into orders values (?)", sent)
		check(err)
		var read any
		check(db.QueryRow("select sent from orders").Scan(&read))
		var when time.Time
		err = db.QueryRow("select sent from orders").Scan(&when)
		fmt.Printf("%s: read as %T, same time: %t, error: %t\n", sent.Format("2006-01-02T15:04:05-07:00 MST"), read, when.Equal(sent), err != nil)
	}
}
GO
go run . >observed
cat observed
cat >expected <<'TEXT'
2026-01-02T02:04:05+00:00 UTC: read as time.Time, same time: true, error: false
2026-01-02T04:04:05+02:00 CEST: read as time.Time, same time: true, error: false
2026-01-02T03:04:05+01:00 +0100: read as string, same time: false, error: true
2026-01-02T03:04:05+01:00 A: read as string, same time: false, error: true
TEXT
diff expected observed
