// Package personal stores the personal data of an audit log's messages separately from them (EAAPL-MAG006,
// sections 6.2 and 12.3), so that it can be erased without changing the log.
//
// A [Sealer] puts replacements in the place of the data that a policy names, and encrypts the data with the
// key of the data subject. The keys are in a [KeyStore], another database. Erasing ([Sealer.Erase]) destroys
// the subject's key, and records the erasure. docs/audit.md describes the formats.
package personal
