// Package audit is the audit log of EAAPL-MAG006 (sections 6.2, 8, 9, 10.3 and 12): an append-only sequence
// of records about handoffs.
//
// A [Record] contains the hash of the previous one, and the hashes of all records form the tree of RFC 6962
// (package merkle). A [Log] adds records to a [Store]; several processes, on several hosts, may do so
// concurrently. Package sqlstore has stores in SQL databases.
package audit
