package privacy_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/privacy"
)

func Example() {
	scanner, err := privacy.New(privacy.Policy{Allow: []string{"@example.com"}})
	if err != nil {
		panic(err)
	}
	text := "Ada Lovelace, +44 20 7946 0958, writes to desk@example.com"
	for _, m := range scanner.Find(nil, "", text) {
		fmt.Printf("%s %.2f %s\n", m.Class, m.Score, text[m.Start:m.End])
	}
	// Output:
	// person 0.90 Ada Lovelace
	// phone 0.97 +44 20 7946 0958
}
