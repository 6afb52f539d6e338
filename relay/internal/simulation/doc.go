// Package simulation runs senders, transports, receivers, audit logs and agents in one process, with failures
// drawn from a seed. It has only tests. One goroutine decides the next step, the clock is that of
// testing/synctest, and each external operation of a party waits until it is released, fails, succeeds
// without a response, or kills the party. The same seed gives the same schedule, except for the few choices
// that Go makes at random.
package simulation
