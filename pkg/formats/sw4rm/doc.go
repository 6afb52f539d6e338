// Package sw4rm makes, reads and answers the handoffs of SW4RM: contexts, requests
// and responses, as its document "Handoff Context Serialization" describes them.
//
// Documents are their bytes: what is read passes into what is written as it stands,
// with the text of numbers, the order of members, and members that nobody knows.
package sw4rm
