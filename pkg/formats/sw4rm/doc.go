// Package sw4rm makes, reads and answers the handoffs of SW4RM: contexts, requests
// and responses, as its document "Handoff Context Serialization" describes them.
//
// Values are copied from what is read to what is written without a change: numbers keep
// their text, and objects keep the order of their members and unknown members.
package sw4rm
