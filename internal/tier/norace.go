//go:build !race

package tier

// UnderRace reports whether the race detector is enabled: it slows code down, and [sync.Pool] then drops items
// at random.
const UnderRace = false
