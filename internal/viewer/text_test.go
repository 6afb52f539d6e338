package viewer

import (
	"slices"
	"testing"
)

// shower runs assets/text.js under Node, with a minimal document: the input is an array of texts,
// the output the shown parts of each.
const shower = `
const {readFileSync} = require('node:fs');
const document = {
	createTextNode: (text) => text,
	createElement: () => ({dataset: {}, append() {}}),
	createDocumentFragment: () => ({parts: [], append(...nodes) { this.parts.push(...nodes); }}),
};
const show = new Function('document', 'grouped', readFileSync(process.argv[1], 'utf8') + '; return textNodes;')(document, String);
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map((text) => {
	const shown = show(text);
	return typeof shown === 'string' ? [shown] : shown.parts.map((part) => part.dataset ? part.dataset.code : part).filter((part) => part !== '');
})));
`

// TestCodePoints checks that invisible characters, and characters that change the order of the text
// beside them, are shown by code point.
func TestCodePoints(t *testing.T) {
	want := map[string][]string{
		"plain, é and 日本\n\t":            {"plain, é and 日本\n\t"},
		"a\u202eb":                       {"a", "U+202E", "b"},
		"\u200b":                         {"U+200B"},
		"x\U000e0041\U000e0042":          {"x", "U+E0041 U+E0042"},
		"\u0000\u001b\u007f\u009f\u00ad": {"U+0000 U+001B U+007F +2"},
		"\ufeffa\u2066b":                 {"U+FEFF", "a", "U+2066", "b"},
	}
	var texts []string
	for text := range want {
		texts = append(texts, text)
	}
	var got [][]string
	runNode(t, shower, texts, &got, assetFile(t, "text.js"))
	if len(got) != len(texts) {
		t.Fatalf("%d answers to %d texts", len(got), len(texts))
	}
	for i, text := range texts {
		if !slices.Equal(got[i], want[text]) {
			t.Errorf("%q is shown as %q, want %q", text, got[i], want[text])
		}
	}
}
