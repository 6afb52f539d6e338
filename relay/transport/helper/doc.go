// Package helper runs transports as separate programs, named handoff-transport-NAME: for clients
// that are too large to be built in, and for third-party transports. A program reads requests from
// standard input, one JSON object per line, and writes a response to each on standard output:
// [Program] is the client side, [Serve] the program's side.
//
// docs/transport-helpers.md describes every message, and has an example program in Python.
package helper
