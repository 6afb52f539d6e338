package secrets_test

import (
	"fmt"

	"github.com/eaapl/handoff/internal/secrets"
)

func Example() {
	text := "redis://app:vk93Lq02xz" + "@cache.example.org/0 is where sessions are kept"
	for _, s := range secrets.Find(text) {
		fmt.Printf("%s: %v at byte %d\n", s.Kind.ID, s, s.Offset)
	}
	fmt.Println(secrets.Hide(text))
	// Output:
	// connection-string: a password in a connection string of 10 bytes at byte 12
	// redis://app:**********@cache.example.org/0 is where sessions are kept
}
