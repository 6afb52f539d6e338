// Package probe describes a server or a database by its own information. The packages of the transports and
// stores have functions named Probe, which change nothing at the server and do not retry.
package probe

import "time"

// An Answer is the information returned by a server. Each member may be missing.
type Answer struct {
	// Server is the product and its version, such as "PostgreSQL 17.2".
	Server string
	// Clock is the difference of its clock, nil if the server does not report its time.
	Clock *Clock
	// Tables are the versions of the program's tables in a database, by part.
	Tables map[string]int
}

// A Clock is the difference between the clocks of a server and of this machine.
type Clock struct {
	Ahead  time.Duration // negative if the server's clock is behind
	Within time.Duration // uncertainty, due to the time of the request
}

// Compare returns the difference of a server's clock. The server reported the time t in a request sent at
// asked and answered at answered. Its times are truncated to a multiple of precision.
func Compare(t, asked, answered time.Time, precision time.Duration) *Clock {
	half := answered.Sub(asked) / 2
	return &Clock{Ahead: t.Add(precision / 2).Sub(asked.Add(half)), Within: half + precision/2}
}

// Differs reports whether the clocks certainly differ by more than a limit.
func (c *Clock) Differs(limit time.Duration) bool { return c.Ahead.Abs()-c.Within > limit }
