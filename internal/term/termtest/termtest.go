// Package termtest provides terminals for tests on Linux.
package termtest
