//go:build race

package validate

// underRace reports that the race detector is on: sync.Pool then drops items at random.
const underRace = true
