// Package helper runs transports as programs of their own, named handoff-transport-NAME, for
// clients that are too large to be built in and for transports that others write. A program
// gets requests on its standard input, one JSON object a line, and writes a response to each on
// its standard output: [Program] is the side that starts it, [Serve] is the program's.
//
// docs/transport-helpers.md has every message, and a program in Python.
package helper
