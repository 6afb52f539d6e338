package database

import (
	"fmt"
	"strings"
)

// insertRows is the maximum number of rows of one statement: each number of rows needs its own SQL text.
const insertRows = 32

// Insert adds rows to a table, each with a value for every column.
func (t *Tx) Insert(table string, columns []string, rows [][]any) error {
	return t.insert(table, columns, rows, "", func(query string, args []any) error { return t.Exec(query, args...) })
}

// InsertNew adds the rows that conflict with no unique column. It returns the values of a column for the
// added rows, "" for NULL.
func (t *Tx) InsertNew(table string, columns []string, rows [][]any, column string) (added []string, err error) {
	err = t.insert(table, columns, rows, " ON CONFLICT DO NOTHING RETURNING coalesce("+column+", '')", func(query string, args []any) error {
		list, err := t.Query(query, args...)
		if err != nil {
			return err
		}
		defer list.Close() // read only: errors of Close do not matter
		for list.Next() {
			var value string
			if err := list.Scan(&value); err != nil {
				return err
			}
			added = append(added, value)
		}
		return list.Err()
	})
	return added, err
}

func (t *Tx) insert(table string, columns []string, rows [][]any, rest string, run func(query string, args []any) error) error {
	query, of := "", 0 // the statement for that number of rows
	for len(rows) > 0 {
		n := insertRows
		if len(rows) < n {
			n = 1
		}
		if n != of {
			values := list("("+Marks(len(columns))+")", n)
			query, of = fmt.Sprintf("INSERT INTO %s (%s) VALUES %s", table, strings.Join(columns, ","), values)+rest, n
		}
		args := make([]any, 0, n*len(columns))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if err := run(query, args); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
