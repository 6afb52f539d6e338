//go:build race

package validate

// underRace reports that the race detector is on: sync.Pool then drops at random what is
// put into it.
const underRace = true
