// Package receiver accepts handoffs (EAAPL-MAG006, sections 6.1 to 6.3, 7.2, 11 and 14.2): it
// validates a message, records what it decides in the audit log, and only then lets the
// message pass.
//
// A message goes through a [Receiver] in three steps. [Receiver.Examine] looks at it, on any
// core. [Receiver.Record] decides about some messages and makes that durable. Whoever has
// handed the accepted ones to their agents says so by [Receiver.HandedOver], and, if it waits for
// an agent, by [Receiver.Finished] how that has ended. What was accepted and never handed over,
// since its process died, is handed over by whoever meets it next ([Receiver.Record]) or asks for
// it ([Receiver.Resume]); what an agent had that died with its receiver goes back to its sender.
//
// Several receivers may get a copy of one message each, and share an audit log: what is accepted
// once is an [audit.Copy]. A sender may take a message back ([Receiver.Revoke]), and ask later what
// became of it ([Receiver.Lookup]).
package receiver
