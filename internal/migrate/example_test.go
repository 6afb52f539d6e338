package migrate_test

import (
	"fmt"
	"testing/fstest"

	"github.com/eaapl/handoff/internal/migrate"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A registry with a migration of messages from 2.0 to 2.1.
func ExampleMigration_Apply() {
	registry := fstest.MapFS{"message/2.0-to-2.1.json": {Data: []byte(`{"steps":[{"rename":"/limits/budget","to":"budgetUSD"},{"add":"/priority","value":"normal"}]}`)}}
	all, err := migrate.Open(registry, "message", jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	message, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"limits":{"budget":1.50}}`)), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	migrated, done, err := all[0].Apply(message, jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", migrated.Raw().Bytes)
	for _, d := range done {
		fmt.Println(d.Did, d.Place, d.Detail)
	}
	// Output:
	// {"limits":{"budgetUSD":1.50},"priority":"normal"}
	// rename /limits/budget is "budgetUSD" now
	// add /priority was missing; the migration sets it to "normal"
}
