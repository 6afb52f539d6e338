// Package deliver is the sender's side of a handoff (EAAPL-MAG006, sections 6.3, 7.1, 11 and 14.2): it keeps
// the checkpoint and the message in an outbox, records the dispatch in the audit log, publishes the message,
// receives the answers, and returns the task to its sender if no receiver took it.
//
// The order of these steps is the purpose of the package. [Sender.Send] writes checkpoint and messages in one
// transaction, appends the record DISPATCHED, publishes, and then stores the transport's confirmation. The
// next user of the store, [Sender.Flush] or another Send, continues after the last completed step. So no
// message is in a queue without a checkpoint and a record, and none is lost; a message may be published
// twice, with the same id.
package deliver
