// Package receiver accepts handoffs (EAAPL-MAG006, sections 6.1 to 6.3, 7.2, 11 and 14.2): it validates a
// message, records its decision in the audit log, and only then hands the message over.
//
// A message passes through a [Receiver] in three steps. [Receiver.Examine] examines it, on any core.
// [Receiver.Record] decides about messages and makes the decisions durable. After handing accepted messages
// to their agents, the caller calls [Receiver.HandedOver], and, if it waits for an agent, [Receiver.Finished]
// with its result. If a process dies before it hands an accepted message over, the next process that receives
// it ([Receiver.Record]) or asks for it ([Receiver.Resume]) does. If an agent died with its receiver, its
// task returns to the sender.
//
// Several receivers may each get a copy of one message, and share an audit log: acceptance is per
// [audit.Copy]. A sender may revoke a message ([Receiver.Revoke]), and request its outcome later
// ([Receiver.Lookup]).
package receiver
