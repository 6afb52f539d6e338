package dir

import "testing"

// SetSync sets the function that syncs folders of dead letters, until the test ends.
func SetSync(t *testing.T, sync func(folder string) error) {
	before := syncFolder
	syncFolder = sync
	t.Cleanup(func() { syncFolder = before })
}
