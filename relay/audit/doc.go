// Package audit is the audit log of EAAPL-MAG006 (sections 6.2, 8, 9, 10.3 and 12):
// records of what happened to handoffs, to which records are added and none is changed.
//
// A [Record] has the hash of the one before it, and over the hashes of all records there is
// the tree of RFC 6962 (package tree). A [Log] adds records to a [Store]; several processes,
// on several hosts, may do so at once. Stores in SQL databases are in package sqlstore.
package audit
