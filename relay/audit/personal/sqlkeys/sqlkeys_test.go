package sqlkeys_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/personal/sqlkeys"
	"github.com/eaapl/handoff/relay/audit/storetest"
)

// log and subjects have the form of those in records.
var (
	log      = strings.Repeat("01", 16)
	subjects = []string{strings.Repeat("0a", 32), strings.Repeat("0b", 32), strings.Repeat("0a", 32)}
)

// TestOneKeyForASubject checks that several processes that need the same keys at the same time get the same
// ones.
func TestOneKeyForASubject(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{"SQLite": filepath.Join(t.TempDir(), "keys.db"), "PostgreSQL": ""} {
		t.Run(name, func(t *testing.T) {
			if address == "" {
				address = storetest.Postgres(t)
			}
			var running sync.WaitGroup
			got := make([]string, 4)
			for i := range got {
				s, err := sqlkeys.Open(t.Context(), address, sqlkeys.Options{Create: true})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				running.Go(func() {
					secret, err := s.Secret(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					keys, err := s.Keys(t.Context(), log, subjects)
					if err != nil || len(keys) != 3 || keys[0] != keys[2] || keys[0].Secret == keys[1].Secret {
						t.Errorf("%d keys, %v", len(keys), err)
						return
					}
					got[i] = fmt.Sprintf("%x %x %x", secret[:], keys[0].Secret[:], keys[1].Secret[:])
				})
			}
			running.Wait()
			for _, other := range got {
				if other != got[0] {
					t.Errorf("%s and %s", got[0], other)
				}
			}
		})
	}
}

// TestKeysOfOneLog checks that each log has other keys, so that an erasure in one log keeps the data of others.
func TestKeysOfOneLog(t *testing.T) {
	t.Parallel()
	s, err := sqlkeys.Open(t.Context(), filepath.Join(t.TempDir(), "keys.db"), sqlkeys.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one, err := s.Keys(t.Context(), log, subjects[:1])
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.Keys(t.Context(), strings.Repeat("02", 16), subjects[:1])
	if err != nil || one[0].Secret == other[0].Secret {
		t.Fatalf("the same key, or %v", err)
	}
	if err := s.Destroy(t.Context(), personal.Erasure{Log: log, Subject: subjects[0], At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if key, err := s.Find(t.Context(), one[0].ID); key != nil || err != nil {
		t.Errorf("a destroyed key: %v, %v", key, err)
	}
	if key, err := s.Find(t.Context(), other[0].ID); key == nil || err != nil {
		t.Errorf("the other log's: %v, %v", key, err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s, err := sqlkeys.Open(context.Background(), filepath.Join(dir, "keys.db"), sqlkeys.Options{Create: true})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	keys, err := s.Keys(context.Background(), log, subjects[:1])
	if err != nil {
		panic(err)
	}
	fmt.Println(keys[0].Subject[:8], keys[0].Secret)
	// Output:
	// 0a0a0a0a personal.Secret
}
