// Package sw4rm creates, reads and answers SW4RM handoffs: contexts, requests and responses,
// as described in its document "Handoff Context Serialization".
//
// Values are copied unchanged from input to output: numbers keep their text, and objects
// keep unknown members and the order of their members.
package sw4rm
