//go:build race

package convert

// underRace says that the race detector runs: sync.Pool then drops at random what is
// put into it.
const underRace = true
