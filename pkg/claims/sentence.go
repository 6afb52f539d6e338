package claims

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// sentences returns the sentences of a text. It leaves out fenced code and quotations.
func sentences(text string) (all []string) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, ">") {
			continue
		}
		for line != "" {
			end := sentenceEnd(line)
			if s := strings.TrimSpace(line[:end]); s != "" {
				all = append(all, s)
			}
			line = line[end:]
		}
	}
	return all
}

// sentenceEnd returns the end of the first sentence of a line.
func sentenceEnd(line string) int {
	for i := 0; i+1 < len(line); i++ {
		if (line[i] == '.' || line[i] == '!' || line[i] == '?' || line[i] == ';') && line[i+1] == ' ' {
			return i + 1
		}
	}
	return len(line)
}

// patterns are the expressions for sentences, in lower case.
type patterns struct {
	open    *regexp.Regexp // a plan, a wish, a condition, a question, a negation, or a report about a part
	none    *regexp.Regexp // the absence of errors, which is no negation
	byKind  map[Kind]*regexp.Regexp
	changed *regexp.Regexp // the beginning of a sentence about changed files
	path    *regexp.Regexp
}

var expressions = sync.OnceValue(func() patterns {
	return patterns{
		open: regexp.MustCompile(`\b(?:not|cannot|can|could|should|would|will|must|may|might|unless|until|if|whether|once|when|while|before|after|let me|let's|let us|` +
			`going to|i'll|we'll|you|please|want(?:s|ed)?|try(?:ing)?|tried|plan(?:s|ned)?|todo|next|expect(?:s|ed)?|hope(?:fully)?|assum\w+|ensure[sd]?|make sure|verify|check (?:that|if)|` +
			`need(?:s|ed)?|so that|in order|to make|to get|previously|earlier|originally|already|but|except|although|though|however|only|some|most|many|partly|almost|nearly|` +
			`fail\w*|broke\w*|skip\w*|error\w*|problem\w*|issue\w*|still|seems?|appears?|likely|probably|why|how|what|suggest\w*|recommend\w*|propos\w*|draft\w*)\b|n't\b|n’t\b|\?|` + "`{2}" + `|: *$`),
		none: regexp.MustCompile(`\b(?:no|zero|0|without(?: any)?) (?:\w+ )?(?:fail\w*|errors?|problems?|issues?|skipped|warnings?)\b`),
		byKind: map[Kind]*regexp.Regexp{
			Tests: regexp.MustCompile(`\b(?:tests?|test suite|suite|specs?|test cases)\b[^,:;]{0,50}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b|` +
				`\bpass(?:es|ed)? (?:all|the|every|its)\b[^,:;]{0,30}\btests?\b|\b\d+(?: ?/ ?\d+)? (?:tests? )?pass(?:ed|ing)\b`),
			Build: regexp.MustCompile(`\b(?:build|compilation)\b[^,:;]{0,40}\b(?:succeed(?:s|ed)|pass(?:es|ed)|green|clean|successful(?:ly)?)\b|` +
				`\b(?:code|project|program|package|crate|app|it|everything)\b[^,:;]{0,20}\b(?:builds|compiles)\b`),
			Lint:   regexp.MustCompile(`\b(?:lint(?:er|ers|ing)?|eslint|ruff|clippy|golangci-lint|staticcheck|mypy|pyright|tsc|go vet|type[- ]?check(?:s|er|ing)?)\b[^,:;]{0,40}\b(?:clean|pass(?:es|ed)?|green|nothing|happy)\b`),
			Commit: regexp.MustCompile(`\b(?:i|i've|i have|we|we've|changes|work|everything|fix|all)(?: have been| has been| were| was| are| is)?(?: now)? committed(?: (?:the|all|these|this|it|everything|as|with|and)\b|\W*$|[.,!])|^committed\b`),
			PullRequest: regexp.MustCompile(`\b(?:opened|created|submitted|raised)\b[^.,:;]{0,30}\b(?:pull request|merge request|pr)\b|` +
				`\b(?:pull request|merge request|pr)\b[^.,:;]{0,20}\b(?:is|was|has been) (?:open|opened|created|submitted)\b`),
			Deployment: regexp.MustCompile(`\b(?:deployed|published|released)\b[^.,:;]{0,30}\b(?:to|on)\b[^.,:;]{0,20}\b(?:production|prod|staging|npm|pypi|crates\.io|vercel|netlify|kubernetes|k8s|heroku|fly\.io|aws|gcp|azure|cluster)\b`),
		},
		changed: regexp.MustCompile(`^(?:[-*•✅✔\d.) ]|\*\*)*(?:done[.:!]? |also |and |then |finally,? |now |i |i've |i have |we |we've |we have |has been |successfully |just )*` +
			`(?:created|added|wrote|written|updated|edited|modified|changed|fixed|refactored|rewrote|rewritten|deleted|removed|renamed|moved|implemented)\b`),
		path: regexp.MustCompile("[\\w@.+/~-]*[\\w+-]\\.(?:" + extensions + ")\\b"),
	}
})

// extensions are the name extensions of the files that agents write.
const extensions = `go|py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|java|kt|kts|scala|rb|php|rs|c|h|cc|cpp|cxx|hpp|cs|fs|swift|m|mm|lua|pl|r|jl|ex|exs|erl|hs|ml|clj|dart|zig|sh|bash|zsh|ps1|sql|html|htm|css|scss|less|json|jsonl|yaml|yml|toml|ini|cfg|conf|env|xml|csv|tsv|md|rst|txt|proto|graphql|tf|gradle|lock|ipynb|tex|svg`

// kinds are the kinds of claims without a path, in the order of their reports.
var kinds = [...]Kind{Tests, Build, Lint, Commit, PullRequest, Deployment}

// claimsIn returns the claims of a sentence.
func claimsIn(sentence string) (all []Claim) {
	if len(sentence) > maxSentence {
		return nil
	}
	e := expressions()
	lower := strings.ToLower(sentence)
	if e.open.MatchString(e.none.ReplaceAllString(lower, "clean")) {
		return nil
	}
	text := clip(sentence)
	for _, kind := range kinds {
		if e.byKind[kind].MatchString(lower) {
			all = append(all, Claim{Kind: kind, Text: text})
		}
	}
	if e.changed.MatchString(lower) {
		for _, path := range e.path.FindAllString(sentence, maxPaths) {
			if isPath(sentence, path) {
				all = append(all, Claim{Kind: Files, Text: text, Path: path})
			}
		}
	}
	return all
}

const (
	maxSentence = 1000 // bytes of a sentence that is read
	maxText     = 300  // bytes of a sentence that is shown
	maxPaths    = 50   // of a sentence
)

// isPath reports whether a match is marked as a path, rather than a name such as Node.js: by a slash or by
// code marks.
func isPath(sentence, match string) bool {
	at := strings.Index(sentence, match)
	before, _ := utf8.DecodeLastRuneInString(sentence[:at])
	return strings.ContainsAny(match, "/_") || before == '`' || strings.HasPrefix(sentence[at+len(match):], "`")
}

// clip returns a text, cut after maxText bytes.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
