// Package intake receives handoffs (EAAPL-MAG006, section 7.1, steps 5 and 6): it takes messages from a place
// of a transport, lets a [receiver.Receiver] decide about them, hands the accepted ones to their agent, and
// answers the senders.
//
// The order of steps for each message is: it is durably recorded; it is handed over; that is noted; it is
// answered; it is acknowledged to the transport. If an [Intake] dies between two steps, the message is
// delivered again, or the next intake finds it in the audit log: it is accepted once, and handed over again
// only if it was just being handed over.
//
// An agent of its own may begin with the first chunk of a message in chunks (see [StreamOptions].Early): this
// is durably recorded first, and the agent gets the last chunk only after its acceptance is durable. Until
// then it can be ended, and is, if the chunks do not form a valid message.
package intake
