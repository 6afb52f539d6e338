package stringformat

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// vectors has a part of the official suite: https://github.com/json-schema-org/JSON-Schema-Test-Suite.
const vectors = "../../../../shared/vectors/json-schema-draft2020-12/format"

func TestVectors(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, name := range []string{"duration", "email", "json-pointer", "uri"} {
		text, err := os.ReadFile(filepath.Join(vectors, name+".json"))
		if err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		var groups []struct {
			Tests []struct {
				Description string
				Data        any
				Valid       bool
			}
		}
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			for _, c := range g.Tests {
				data, ok := c.Data.(string)
				if !ok {
					continue
				}
				cases++
				if got := Lookup(name)(data); got != c.Valid {
					t.Errorf("%s: %s: %v", name, c.Description, got)
				}
			}
		}
	}
	if cases < 100 {
		t.Errorf("only %d cases", cases)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format          string
		matches, others []string
	}{
		{"duration", []string{"P4DT12H30M5S", "P1Y2M3D", "PT1M", "P2W", "PT36H"}, []string{"", "P", "P1", "PT", "P1DT", "P1Y2D", "PT1H2S", "P1YT", "P2W1D", "P2D1Y", "PT1D", "P১Y", "P1Y\n", "p1Y"}},
		{"period", []string{"2026-01-01T00:00:00Z/P1D", "P1D/2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z/2026-02-01T00:00:00Z"}, []string{"P1D/P1D", "P1D", "2026-01-01T00:00:00Z", "/P1D", "2026-01-01T00:00:00Z/"}},
		{"hostname", []string{"www.example.com", "hostname", "1host", "a--b.com", "xn--9n2bp8q.xn--9t4b11yi5a", strings.Repeat("a", 63) + ".com"}, []string{"", ".", ".example", "example.", "example\uff0ecom", "-hostname", "hostname-", "a.-b", "host_name", "\u212aelvin.example.com", "example.com\n", strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 127)}},
		{"email", []string{"joe.bloggs@example.com", "te~st@example.com", `"joe bloggs"@example.com`, `"joe\"@b"@example.com`, "joe@[127.0.0.1]", "joe@[IPv6:::1]", strings.Repeat("a", 64) + "@b"}, []string{"", "2962", "joe@", "@example.com", ".joe@example.com", "joe.@example.com", "j..e@example.com", "joe b@example.com", "joe@invalid=domain.com", "joe@[127.0.0.300]", "joe@[::1]", "joe@[127.0.0.1", "joe@[IPv6:127.0.0.1]", "Joe <joe@example.com>", "joe(c)@example.com", "joé@example.com", strings.Repeat("a", 65) + "@b"}},
		{"ipv4", []string{"0.0.0.0", "255.255.255.255"}, []string{"", "127.0.0", "127.0.0.0.1", "256.0.0.1", "01.2.3.4", "1.2.3.4 ", "0x7f.0.0.1", "1.2.3.+4", "২.0.0.1", "::1"}},
		{"ip-address", []string{"127.0.0.1"}, []string{"::1"}},
		{"ipv6", []string{"::", "::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::ffff:192.168.0.1"}, []string{"", "1.2.3.4", "12345::", ":1", "1::2::3", "::1%eth0", "::1/64", "::ffff:01.2.3.4", "1:2:3:4:5:6:7", "::ffff:1.2.3.4:5"}},
		{"uri", []string{"http://foo.bar/?baz=qux#quux", "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com", "ldap://[2001:db8::7]/c=GB?objectClass?one", "http://[v1.a:b]:80/", "http://a:/", "http://999.999.999.999/", "urn:a:b", "mailto:a@b", "file:///etc/hosts", "a:", "a:#?/"}, []string{"", "abc", "//a/b", "/abc", "http:// a", "http://a b", ":a", "1a:b", "a_b:c", "bar,baz:foo", "http://a/®", "http://a/{}", `http://a/\`, `http://a/"`, "http://a/<>", "http://a/^`|", "http://a/%6G", "http://a/%6", "http://a:b/", "http://[a]/", "http://[::1", "http://[::1]a/", "http://[::1%25en0]/", "http://[::ffff:01.2.3.4]", "http:/[::1]", "https://[@a/b", "http://a@b@c/", "http://a#b#c", "http://a[1]/", "http://[v.a]", "http://[v1.]", "http://[vg.a]", "http://[v1.%41]", "a:\x00", "a:\n"}},
		{"uri-reference", []string{"", "abc", "/abc", "//foo.bar/?a=b#c", "#fragment", "?query", "//", "./a:b", "//a:80/b"}, []string{`\\WINDOWS\fileshare`, `#frag\ment`, "/®", "1:b", "/[::1]", "//a:b/c", "a%", "%zz"}},
		{"iri", []string{"http://ƒøø.ßår/?∂éœ=πîx#πîüx", "http://a/\U00010300", "http://a/?q=\U000f0000", "a:\ue000"[:2]}, []string{"", "âππ", "/abc", "http://2001:0db8:85a3:0000:0000:8a2e:0370:7334", "http://a/\U000f0000", "http://a/\ufffd", "http://a/\ufdd0", "http://a/\U0001fffe", "http://a/\U000e0001", "http://a/\u0085", `\\WINDOWS\filëßåré`, "é://a", "http://a/\xff"}},
		{"iri-reference", []string{"//ƒøø.ßår/a", "âππ", "#ƒrägmênt", "?\ue000"}, []string{`#ƒräg\mênt`, "\ue000", "#\ue000"}},
		{"uri-template", []string{"", "http://example.com/dictionary/{term:1}/{term}", "{+var}{#var}{.var}{/var}{;var}{?var}{&var}{var*}{x,y}{a.b}", "{%41}", "{v:9999}", "a%41b", "a'b", "a😀b", "{=a}"}, []string{"{", "{a", "a}", "{}", "{a,,b}", "{a,}", "{v:0}", "{v:01}", "{v:10000}", "{a..b}", "{a.}", "{var=def}", "{,+var}", "a b", "a\x7f", "a%4", `a"`, "{{a}}"}},
		{"json-pointer", []string{"", "/", "/foo/0", "/a~0~1b", "/é\n", "//"}, []string{"a", "#", "/a~", "/a~2", "/~~0"}},
		{"relative-json-pointer", []string{"0", "1/a", "120/foo/~1", "0#", "0//"}, []string{"", "/a", "-1/a", "+1/a", "01/a", "0##", "1#/a", "0/~2", "0a", "1\n", "১/a"}},
		{"regex", []string{"", "^(?!a)", `\p{L}`, `(?<a>b)\k<a>`}, []string{"(", "^(abc]", `^\S+\Z`, `\a`}},
	} {
		matches := Lookup(tt.format)
		for i, text := range append(tt.matches, tt.others...) {
			if want := i < len(tt.matches); matches(text) != want {
				t.Errorf("%s: %+q: %v", tt.format, text, !want)
			}
		}
	}
	for _, name := range []string{"", "idn-hostname", "idn-email", "color"} {
		if Lookup(name) != nil {
			t.Errorf("%q is known", name)
		}
	}
}

// All formats of jsonschema/v5 are supported, and it agrees on the simple ones.
func TestLibrary(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]bool{"date-time": true, "date": true, "time": true, "uuid": true}
	for name := range jsonschema.Formats {
		if Lookup(name) == nil && !elsewhere[name] {
			t.Errorf("%s is not known", name)
		}
	}
	seeds := map[string]string{
		"duration":              "P1Y2MT4H5M6S",
		"hostname":              "a-b.c1-d.e",
		"ipv4":                  "127.0.0.255.1",
		"ipv6":                  "1:2ab::ffff:1.2.3.4:5:6:7:8",
		"json-pointer":          "/a~0/~1b//é",
		"relative-json-pointer": "10/a~0/~1#",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, seed := range seeds {
		library, ours := jsonschema.Formats[name], Lookup(name)
		valid := 0
		for range 20000 {
			text := mix(r, seed)
			want := library(text)
			switch name {
			case "hostname": // the library accepts a final dot, and labels after the first that begin with a hyphen
				want = want && !strings.HasSuffix(text, ".") && !strings.Contains(text, ".-")
			case "ipv4": // the library accepts 00 for 0
				want = want && !strings.Contains("."+text, ".00")
			}
			if got := ours(text); got != want {
				t.Errorf("%s: %+q: %v, the library says %v", name, text, got, want)
			}
			if want {
				valid++
			}
		}
		if valid < 100 {
			t.Errorf("%s: only %d texts are valid", name, valid)
		}
	}
}

// mix joins parts of a text.
func mix(r *rand.Rand, seed string) string {
	var b strings.Builder
	for range r.IntN(5) {
		from := r.IntN(len(seed))
		b.WriteString(seed[from : from+1+r.IntN(len(seed)-from)])
	}
	return b.String()
}

// FuzzLookup checks that every URI is an IRI, every ASCII IRI is a URI, and a reference is absolute if it begins
// with a scheme.
func FuzzLookup(f *testing.F) {
	for _, text := range []string{"http://u@[::1]:80/a%20b?c#d", "//é/ü", "{+a:3,b*}", "P1DT2H", "a@b.c", "(?<a>b)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if uris.isAbsolute(text) && !iris.isAbsolute(text) {
			t.Errorf("%q: a URI, and no IRI", text)
		}
		isASCII := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
		if isASCII && iris.isReference(text) != uris.isReference(text) {
			t.Errorf("%q: an IRI or a URI, but not both", text)
		}
		if uris.isReference(text) && !uris.isAbsolute("a:"+text) && !strings.Contains(text, ":") {
			t.Errorf("%q: a reference, and none with a scheme", text)
		}
		for name := range jsonschema.Formats {
			if matches := Lookup(name); matches != nil {
				matches(text)
			}
		}
	})
}
