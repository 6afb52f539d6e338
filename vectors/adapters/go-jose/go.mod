module github.com/eaapl/handoff/vectors/adapters/go-jose

go 1.26.0

require (
	github.com/go-jose/go-jose/v4 v4.1.4
	github.com/gowebpki/jcs v1.0.1
)
