// Package probe is what a server or a database says of itself when it is asked whether it
// answers. Those who can ask, the transports and the stores, have a function Probe. It makes and
// changes nothing there, and does not try again.
package probe

import "time"

// An Answer is what was said. All of it may be missing.
type Answer struct {
	// Server is the product and its version, such as "PostgreSQL 17.2".
	Server string
	// Clock is how its clock differs, nil if it does not say what time it is.
	Clock *Clock
	// Tables are the parts of the program that have tables in a database, each with the version
	// of them.
	Tables map[string]int
}

// A Clock is how the clock of a server differs from that of this machine.
type Clock struct {
	Ahead  time.Duration // negative if the server's clock is behind
	Within time.Duration // how much of that may be due to the time that the answer took
}

// Compare returns how a server's clock differs that said it was t, in an answer that was asked
// for at asked and was there at answered. The server leaves out what is less than precision.
func Compare(t, asked, answered time.Time, precision time.Duration) *Clock {
	half := answered.Sub(asked) / 2
	return &Clock{Ahead: t.Add(precision / 2).Sub(asked.Add(half)), Within: half + precision/2}
}

// Differs reports whether the clocks differ by more than some time, whatever the answer took.
func (c *Clock) Differs(limit time.Duration) bool { return c.Ahead.Abs()-c.Within > limit }
