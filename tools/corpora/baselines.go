package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits a text into whole sentences; line breaks end them. Long text without sentence
// ends, such as JSON, is split at commas.
func sentences(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		start := 0
		for i, r := range line {
			next, _ := utf8.DecodeRuneInString(line[i+utf8.RuneLen(r):])
			end := strings.ContainsRune("。！？।", r) || strings.ContainsRune(".!?", r) && unicode.IsSpace(next) || r == ',' && i-start > 200
			if end {
				all = append(all, strings.TrimSpace(line[start:i+utf8.RuneLen(r)]))
				start = i + utf8.RuneLen(r)
			}
		}
		all = append(all, strings.TrimSpace(line[start:]))
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// fill takes sentences in the given order, as long as they fit into the length.
func fill(all []string, order []int, length int) string {
	var b strings.Builder
	for _, i := range order {
		if b.Len()+len(all[i])+1 <= length {
			b.WriteString(all[i])
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// randomSentences chooses whole sentences at random; the seed makes it repeatable.
func randomSentences(all []string, length int, seed uint64) string {
	return fill(all, rand.New(rand.NewPCG(seed, 1)).Perm(len(all)), length)
}

// lexRank chooses the sentences most similar to the others: the stationary distribution over the
// graph of sentences whose cosine, by the words' tf-idf, is at least 0.1 (Erkan and Radev 2004),
// with a damping of 0.85.
func lexRank(all []string, length int) string {
	vectors := make([]map[string]float64, len(all))
	where := map[string][]int{}
	for i, s := range all {
		vectors[i] = map[string]float64{}
		for _, w := range terms(s) {
			vectors[i][w]++
		}
		for w := range vectors[i] {
			where[w] = append(where[w], i)
		}
	}
	for _, v := range vectors {
		norm := 0.0
		for w := range v {
			v[w] *= math.Log(1 + float64(len(all))/float64(len(where[w])))
			norm += v[w] * v[w]
		}
		for w := range v {
			v[w] /= math.Sqrt(norm)
		}
	}
	links := make([][]int, len(all))
	for i, v := range vectors {
		cosine := map[int]float64{}
		for w, x := range v {
			for _, j := range where[w] {
				cosine[j] += x * vectors[j][w]
			}
		}
		for j, c := range cosine {
			if c >= 0.1 && j != i {
				links[i] = append(links[i], j)
			}
		}
	}
	return fill(all, ranked(links), length)
}

// ranked returns the nodes of a graph, sorted by the frequency of visits in a random walk.
func ranked(links [][]int) []int {
	n := float64(len(links))
	rank := make([]float64, len(links))
	for i := range rank {
		rank[i] = 1 / n
	}
	for range 30 {
		next := make([]float64, len(rank))
		lost := 0.0
		for i, to := range links {
			if len(to) == 0 {
				lost += rank[i]
			}
			for _, j := range to {
				next[j] += rank[i] / float64(len(to))
			}
		}
		for i := range next {
			next[i] = 0.15/n + 0.85*(next[i]+lost/n)
		}
		rank = next
	}
	order := make([]int, len(links))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case rank[a] > rank[b]+1e-12:
			return -1
		case rank[b] > rank[a]+1e-12:
			return 1
		}
		return 0
	})
	return order
}

// terms returns the words of a sentence, or pairs of letters if the script has no spaces.
func terms(s string) []string {
	var all []string
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWord(r) }) {
		letters := []rune(word)
		if len(letters) > 1 && unbroken(letters[0]) && !unicode.Is(unicode.Hangul, letters[0]) {
			for i := range len(letters) - 1 {
				all = append(all, string(letters[i:i+2]))
			}
			continue
		}
		all = append(all, word)
	}
	return all
}
