// Package termtest has terminals for tests, on Linux.
package termtest
