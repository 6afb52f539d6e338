// Package personal keeps the personal data of an audit log's messages apart from them
// (EAAPL-MAG006, sections 6.2 and 12.3), so that it can be erased without a change to the log.
//
// A [Sealer] puts replacements in the place of what a policy names, and encrypts that under
// the key of the data subject. The keys are in a [KeyStore], another database. Erasing
// ([Sealer.Erase]) destroys the subject's key, and records that. The formats are in
// docs/audit.md.
package personal
