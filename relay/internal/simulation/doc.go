// Package simulation runs senders, transports, receivers, audit logs and agents in one process, and
// breaks them in every way that a seed draws: it has tests alone. One goroutine decides what
// happens next, the clock is that of testing/synctest, and whatever a party does to the world
// waits until it is let go, fails, is done without an answer, or is what the party dies of.
// A schedule with the same seed is the same schedule, but for the few choices that Go makes by chance.
package simulation
