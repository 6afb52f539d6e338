package safety

import (
	"math"
	"slices"
)

// fieldFactor returns the weight of an instruction by its speaker.
func fieldFactor(field Field) float64 {
	switch field {
	case Tool:
		return 1.15
	case User, Agent:
		return 0.9
	case System:
		return 0.6
	}
	return 1
}

// disguisedScore raises the score of a finding that is visible only in a reading, since it was
// hidden.
func disguisedScore(score float64) float64 { return min(0.99, score*1.1+0.1) }

// Signals add up if each is within this distance of the previous one, in bytes, and all are within
// farthest.
const (
	neighbourhood = 400
	farthest      = 4 * neighbourhood
)

// Weigh returns the score of a text with these findings, from 0 to 1. They must be sorted by
// offset. Findings within a few hundred bytes of each other add up as independent evidence; each
// further one of a category counts half. The score is the maximum sum of a neighbourhood, so that
// long texts are not flagged for their length.
func Weigh(findings []Finding) float64 {
	_, _, score := densest(findings)
	return round(score)
}

// round rounds a score to three decimal places.
func round(score float64) float64 { return math.Round(score*1000) / 1000 }

// densest returns the neighbourhood with the maximum sum, as indices.
func densest(findings []Finding) (from, to int, score float64) {
	for i := range findings {
		end := findings[i].Offset + findings[i].Length
		j := i + 1
		for j < len(findings) && findings[j].Offset <= min(end+neighbourhood, findings[i].Offset+farthest) {
			end = max(end, findings[j].Offset+findings[j].Length)
			j++
		}
		if s := addUp(findings[i:j]); s > score {
			from, to, score = i, j, s
		}
	}
	return from, to, score
}

func addUp(findings []Finding) float64 {
	type strength struct{ most, rest float64 }
	byCategory := make(map[Category]strength)
	for _, f := range findings {
		s, ok := byCategory[f.Category]
		if !ok {
			s.rest = 1
		}
		if f.Score > s.most {
			s.rest *= 1 - s.most/2
			s.most = f.Score
		} else {
			s.rest *= 1 - f.Score/2
		}
		byCategory[f.Category] = s
	}
	innocent := 1.0
	for _, s := range byCategory {
		innocent *= (1 - s.most) * s.rest
	}
	return 1 - innocent
}

// strongest returns the findings to report, sorted by offset: all findings of the densest
// neighbourhood and the best one of every other rule.
func strongest(found []Finding) []Finding {
	slices.SortStableFunc(found, byOffset)
	from, to, _ := densest(found)
	best := make(map[string]int)
	for i, f := range found {
		if j, ok := best[f.Rule]; !ok || f.Score > found[j].Score {
			best[f.Rule] = i
		}
	}
	var kept []Finding
	for i, f := range found {
		if i >= from && i < to || best[f.Rule] == i {
			kept = append(kept, f)
		}
	}
	return kept
}

func byOffset(a, b Finding) int { return a.Offset - b.Offset }
