// Package intake receives handoffs (EAAPL-MAG006, section 7.1, steps 5 and 6): it takes
// messages from a place of a transport, has a [receiver.Receiver] decide about them, hands the
// accepted ones to their agent, and answers who sent them.
//
// For each message the order is: its record is durable; it is handed over; that is noted; it is
// answered; it is acknowledged to the transport. Where an [Intake] dies between two of these, the
// message comes again, or is found in the audit log by the next one: it is accepted once, and handed
// over again only if it was just being handed over.
//
// An agent of its own may begin with the first chunk of a message that comes in chunks (see
// [StreamOptions].Early): that it does is durable before, and it gets the last chunk when it is
// durable that it has the message. Until then it can be ended, and is, if the chunks make none.
package intake
