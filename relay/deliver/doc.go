// Package deliver is the sender's side of a handoff (EAAPL-MAG006, sections 6.3, 7.1, 11 and
// 14.2): it keeps the checkpoint and the message in an outbox, records the dispatch in the
// audit log, publishes the message, takes the answers, and gives the task back to its sender
// where a receiver has not taken it.
//
// The order of the steps is what the package is for. [Sender.Send] writes checkpoint and
// messages in one transaction; then the record DISPATCHED; then it publishes; then it notes
// that the transport has confirmed. Whoever uses the store next, [Sender.Flush] or another
// Send, goes on after the last step that was done. So there is never a message in a queue
// without a checkpoint or without a record, and nothing is forgotten; a message may be
// published twice, with the same id.
package deliver
