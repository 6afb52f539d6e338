//go:build race

package convert

// underRace reports that the race detector is enabled: sync.Pool then drops random items.
const underRace = true
