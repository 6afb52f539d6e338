package dir

import (
	"bytes"
	"testing"
)

// FuzzParse checks that a parsed file has no more bytes than permitted, and that its body is the end of the
// file.
func FuzzParse(f *testing.F) {
	f.Add([]byte("Handoff-Kind: answer\nHandoff-Attempt: 2\n\n{}\n"))
	f.Add([]byte("\n"))
	f.Add([]byte("a\n\n"))
	f.Add([]byte("a: b\r\n\r\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 100
		m, err := parse(bytes.Clone(data), limit)
		if err == nil && (len(m.Body) > limit || !bytes.HasSuffix(data, m.Body)) {
			t.Errorf("%q gives %q", data, m.Body)
		}
	})
}

// FuzzName checks that a parsed name is formatted to the same text, and gives a valid name when the message is
// returned.
func FuzzName(f *testing.F) {
	f.Add("20261123T040506.000000000Z-00000000-00000000000000000000000000000000.msg")
	f.Add("20261123T040506.000000000Z-00000000-00000000000000000000000000000000.after-20261123T040506.000000000Z.msg")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parseName(text)
		if !ok {
			return
		}
		if n.text != text || n.delayed(n.after) != text {
			t.Errorf("%q is %+v, and %q when it is given back", text, n, n.delayed(n.after))
		}
	})
}
