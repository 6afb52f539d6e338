package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// maxDamage is the maximum number of damages of a SQLite database that are reported individually.
const maxDamage = 100

// CheckIndexes calls found with each damage of the tables' indexes: an index that lacks rows makes queries
// miss them. It reads all indexes and tables; for SQLite, it checks the whole file. It returns the reason
// why the check was not possible, "" if it was.
func (db *DB) CheckIndexes(ctx context.Context, tables []string, found func(problem string) error) (unchecked string, err error) {
	if db.Postgres {
		return db.amcheck(ctx, tables, found)
	}
	return "", db.Scan(ctx, func(s Scanner) error {
		return s.Rows(func(v []Cell) error {
			if text := string(v[0].Bytes); text != "ok" {
				return found("the database is damaged: " + strings.ReplaceAll(text, "\n", " "))
			}
			return nil
		}, fmt.Sprintf("PRAGMA integrity_check(%d)", maxDamage))
	})
}

// amcheck checks the indexes with PostgreSQL's extension amcheck.
func (db *DB) amcheck(ctx context.Context, tables []string, found func(problem string) error) (unchecked string, err error) {
	var schemas, indexes []string
	collect := func(list *[]string, query string, args ...any) error {
		rows, err := db.read.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close() // read only: errors of Close do not matter
		for rows.Next() {
			var value string
			if err := rows.Scan(&value); err != nil {
				return err
			}
			*list = append(*list, value)
		}
		return rows.Err()
	}
	err = collect(&schemas, "SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'amcheck'")
	if err != nil {
		return "", err
	}
	if schemas == nil {
		return "the extension amcheck of PostgreSQL is not installed in this database: run CREATE EXTENSION amcheck", nil
	}
	err = collect(&indexes, `SELECT i.indexrelid::regclass::text FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_am AS a ON a.oid = x.relam
WHERE t.relname = ANY ($1) AND pg_table_is_visible(t.oid) AND t.relkind = 'r' AND a.amname = 'btree' AND i.indisvalid ORDER BY 1`, tables)
	if err != nil {
		return "", err
	}
	for _, index := range indexes {
		// It does not wait for writers, and reads the table once.
		_, err := db.read.ExecContext(ctx, "SELECT "+schemas[0]+".bt_index_check(index => $1::text::regclass, heapallindexed => true)", index)
		answer := (*pgconn.PgError)(nil)
		switch {
		case err == nil:
		case !errors.As(err, &answer):
			return "", err
		case answer.Code == insufficientPrivilege:
			return "this role may not call bt_index_check(regclass, boolean) of the extension amcheck: run GRANT EXECUTE on it", nil
		case answer.Code == indexCorrupted || answer.Code == dataCorrupted:
			if err := found(strings.TrimSpace(fmt.Sprintf("the index %s is damaged: %s %s", index, answer.Message, answer.Detail))); err != nil {
				return "", err
			}
		default:
			return "", err
		}
	}
	return "", nil
}

// Error codes of PostgreSQL.
const (
	insufficientPrivilege = "42501"
	dataCorrupted         = "XX001"
	indexCorrupted        = "XX002"
)
