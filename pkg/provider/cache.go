package provider

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxCachePoints is the maximum number of cache points of a request: of its tools, system and turns.
const maxCachePoints = 4

// A cachePoint marks a prefix of a request to be cached: the member cache_control of Anthropic, or a block
// cachePoint of Bedrock.
type cachePoint struct {
	at  jsonstream.Value
	ttl jsonstream.Value
	of  jsonstream.Value // the part that it marks, or the part before it
	in  jsonstream.Value // the list of parts that it is in
}

// checkCachePoints reports cache points that the API does not accept: at thinking, within a result of Bedrock,
// too many, and a longer time after a shorter one.
func (c *checker) checkCachePoints(turns []conversation.Turn) {
	if !c.native || c.divided || !c.is(Anthropic, BedrockConverse) {
		return
	}
	var before, points []cachePoint // in the order of the prompt
	if c.provider == Anthropic {
		before = appendCachePoints(nil, c.request.Get("tools"), c.provider)
	} else {
		before = appendCachePoints(nil, c.request.Get("toolConfig").Get("tools"), c.provider)
	}
	before = appendCachePoints(before, c.request.Get("system"), c.provider)
	for _, t := range turns {
		points = appendCachePoints(points, t.Item().Get("content"), c.provider)
	}
	count := len(before) + len(points)
	if c.provider == Anthropic && c.request.Get("cache_control").Kind() == jsonstream.Object { // the API sets a point itself
		count++
	}
	excess := count - maxCachePoints
	short := false // a point with the shorter time precedes
	for _, p := range before {
		short = short || p.ttl.Text() != "1h"
	}
	for i, p := range points {
		switch of, _ := conversation.PartOf(p.of); {
		case c.provider == BedrockConverse && p.in.Parent().Name() == "toolResult":
			c.report("cache-point", p.at, "the cache point is in a result, where the API does not accept it; remove it, or put it after the result")
		case of.Kind == conversation.Reasoning:
			c.report("cache-point", p.at, "the cache point is at reasoning, where the API does not accept it; remove it, or put it at another part")
		case i < excess:
			c.report("cache-point", p.at, "the request has too many cache points: found %d, including the system and the tools; use at most %d, such as the last ones", count, maxCachePoints)
		case short && p.ttl.Text() == "1h":
			c.report("cache-point", p.ttl, "the cache point of %s comes after one of 5m, and longer times must come first; use 5m, or use 1h in the points before it", finding.QuoteValue(p.ttl))
		default:
			short = short || p.ttl.Text() != "1h"
		}
	}
}

// appendCachePoints appends the cache points of a list of parts, also of those within results and documents.
func appendCachePoints(points []cachePoint, list jsonstream.Value, p Provider) []cachePoint {
	var last jsonstream.Value
	for _, v := range list.Elements() {
		for _, inner := range []jsonstream.Value{v.Get("content"), v.Get("source").Get("content"), v.Get("toolResult").Get("content")} {
			points = appendCachePoints(points, inner, p)
		}
		switch mark := v.Get("cache_control"); {
		case p == Anthropic && mark.Kind() == jsonstream.Object:
			points = append(points, cachePoint{at: mark, ttl: mark.Get("ttl"), of: v, in: list})
		case p == BedrockConverse && v.Get("cachePoint").Kind() == jsonstream.Object:
			points = append(points, cachePoint{at: v, ttl: v.Get("cachePoint").Get("ttl"), of: last, in: list})
		}
		last = v
	}
	return points
}
