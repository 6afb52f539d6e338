package dir

import "testing"

// SetSync sets how folders of dead letters are synced, until the test ends.
func SetSync(t *testing.T, sync func(folder string) error) {
	before := syncFolder
	syncFolder = sync
	t.Cleanup(func() { syncFolder = before })
}
