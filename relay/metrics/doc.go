// Package metrics counts the events of a receiver, and writes the counts in Prometheus' text format (version
// 0.0.4). Its [Writer] can be used by others.
//
// The number of time series is bounded, regardless of the messages: ids are never labels, and names of agents
// are labels for at most [MaxPairs] pairs. A pair gets its own labels when a message of it is accepted, so
// that rejected senders take no places.
package metrics
