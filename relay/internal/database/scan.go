package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// A Kind is the type of a cell.
type Kind byte

// The types of cells.
const (
	Null  Kind = iota
	Int        // value in Int
	Text       // value in Bytes
	Blob       // value in Bytes
	Other      // a type that this program does not write
)

// A Cell is a value in a row.
type Cell struct {
	Kind  Kind
	Int   int64
	Bytes []byte // valid until the next row
}

// A Scanner reads rows with their types in the database, several times as fast as package sql.
type Scanner interface {
	// Rows calls f with each row of a query. The cells are valid until f returns. f must not
	// use the scanner.
	Rows(f func([]Cell) error, query string, args ...int64) error
}

// Scan calls f in a transaction with a snapshot of the database. It may run several times concurrently, each
// in its own transaction.
func (db *DB) Scan(ctx context.Context, f func(Scanner) error) error {
	if !db.Postgres {
		return db.scanSQLite(ctx, f)
	}
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // read only
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback() // read only
	return f(&postgresScanner{ctx, conn, &Tx{tx, ctx, db}})
}

type postgresScanner struct {
	ctx  context.Context
	conn *sql.Conn
	tx   *Tx
}

func (s *postgresScanner) Rows(f func([]Cell) error, query string, args ...int64) error {
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return s.conn.Raw(func(c any) (err error) {
		queryer, ok := c.(driver.QueryerContext)
		if !ok {
			return fmt.Errorf("the PostgreSQL driver, %T, does not support queries", c)
		}
		rows, err := queryer.QueryContext(s.ctx, s.tx.rebind(query), named)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		values := make([]driver.Value, len(rows.Columns()))
		cells := make([]Cell, len(values))
		for {
			if err := rows.Next(values); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			for i, v := range values {
				switch v := v.(type) {
				case nil:
					cells[i] = Cell{}
				case int64:
					cells[i] = Cell{Kind: Int, Int: v}
				case string:
					cells[i] = Cell{Kind: Text, Bytes: []byte(v)}
				case []byte:
					cells[i] = Cell{Kind: Blob, Bytes: v}
				default:
					cells[i] = Cell{Kind: Other}
				}
			}
			if err := f(cells); err != nil {
				return err
			}
		}
	})
}
