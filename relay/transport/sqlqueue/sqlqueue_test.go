package sqlqueue_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/sqlqueue"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// onBoth runs a test on both databases, with the address of an empty queue.
func onBoth(t *testing.T, test func(t *testing.T, start func(t testing.TB) *url.URL)) {
	t.Run("SQLite", func(t *testing.T) { test(t, onSQLite) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, onPostgres) })
}

func onSQLite(t testing.TB) *url.URL {
	return &url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "a queue.db"), RawQuery: "queue=tests"}
}

func onPostgres(t testing.TB) *url.URL {
	u, err := url.Parse(storetest.Postgres(t) + "&queue=tests")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(testing.TB) *url.URL) {
		transporttest.Run(t, func(t *testing.T) transporttest.Place { return place(start(t)) })
	})
}

func place(u *url.URL) transporttest.Place {
	return transporttest.Place{
		Publisher:   func(t *testing.T) transport.Publisher { return publisher(t, u) },
		Consumer:    func(t *testing.T) transport.Consumer { return consumer(t, u, transport.Options{}) },
		Withholding: func(t *testing.T) transport.Consumer { return consumer(t, u, transport.Options{Withhold: true}) },
		Kill:        func(t *testing.T) { transporttest.Kill(t, os.Args[0], u.String()) },
		DeadLetters: func(t *testing.T) (list [][]byte) {
			for _, body := range texts(t, u, "SELECT body FROM handoff_dead_letter ORDER BY sequence") {
				list = append(list, []byte(body))
			}
			return list
		},
	}
}

// TestHold is the process that [transporttest.Kill] kills.
func TestHold(t *testing.T) {
	transporttest.Hold(t, os.Getenv(transporttest.HoldVariable), transport.Options{}, sqlqueue.Consume)
}

// TestCuts checks that no message is lost if connections to PostgreSQL are cut.
func TestCuts(t *testing.T) {
	u := onPostgres(t)
	proxy := transporttest.NewProxy(t, u.Host)
	u.Host = proxy.Address()
	transporttest.Cuts(t, proxy, place(u))
}

func publisher(t testing.TB, u *url.URL) transport.Publisher {
	t.Helper()
	return transporttest.Open(t, sqlqueue.Publish, u, transport.Options{})
}

func consumer(t testing.TB, u *url.URL, o transport.Options) transport.Consumer {
	t.Helper()
	return transporttest.Open(t, sqlqueue.Consume, u, o)
}

// texts returns the texts of a query's only column.
func texts(t testing.TB, u *url.URL, query string, args ...any) (list []string) {
	t.Helper()
	without := *u
	parameters := u.Query()
	parameters.Del("queue")
	without.RawQuery = parameters.Encode()
	address := strings.TrimPrefix(without.String(), "sqlite://")
	if u.Scheme == "sqlite" {
		address = u.Path
	}
	db, err := database.Open(t.Context(), address, database.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Change(t.Context(), database.Durable, func(tx *database.Tx) error {
		rows, err := tx.Query(query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text []byte
			if err := rows.Scan(&text); err != nil {
				return err
			}
			list = append(list, string(text))
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
