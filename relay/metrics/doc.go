// Package metrics counts what a receiver does, and writes it in Prometheus' text format
// (version 0.0.4), which is also what [Writer] writes for others.
//
// The number of time series is bounded, whatever messages say: ids are never labels, and names
// of agents are, until there are [MaxPairs] pairs of them. A pair gets labels of its own when
// a message of it was accepted, so that nobody who is always rejected takes a place.
package metrics
