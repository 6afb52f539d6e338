package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func example(t *testing.T) *Bundle {
	t.Helper()
	b := New(Manifest{Agent: "codex", ID: "5f0c", Name: "5f0c.jsonl", Folder: "/mill"}, []byte("{}\n"), []byte("{}"))
	for name, text := range map[string]string{"plan.md": "Rye."} {
		if err := b.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Add("old/plan.md", []byte("Rye.")); err != nil {
		t.Fatal(err)
	}
	return b
}

// A bundle reads back as it was, and the same bundle gives the same bytes.
func TestThereAndBack(t *testing.T) {
	b := example(t)
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := b.Write(w); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of one bundle differ")
	}
	got, err := Read(&first)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, got); diff != "" {
		t.Error(diff)
	}
}

// Add accepts only paths that stay in the folder, on every system.
func TestAdd(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../a", "/etc/passwd", "a/../b", "a//b", `a\b`, "c:a", "a\x00b", "a/"} {
		if err := example(t).Add(name, nil); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	if err := example(t).Add("large", make([]byte, MaxFile+1)); err == nil {
		t.Error("a file over the limit is accepted")
	}
}

// An entry is an entry of a hostile archive.
type entry struct {
	header tar.Header
	text   string
}

func archiveOf(t *testing.T, entries []entry) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		if e.header.Typeflag == 0 {
			e.header.Typeflag = tar.TypeReg
		}
		e.header.Size = int64(len(e.text))
		if err := archive.WriteHeader(&e.header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return &out
}

// Read rejects every archive that Write cannot have written.
func TestHostile(t *testing.T) {
	sum := digest([]byte("x"))
	manifest := func(files string) string {
		return `{"version":1,"agent":"codex","id":"a","name":"a.jsonl","folder":"/mill","session":"` + sum + `","message":"` + sum + `","files":[` + files + `]}`
	}
	at := func(name, text string) entry { return entry{tar.Header{Name: name}, text} }
	file := func(path string) string { return `{"path":"` + path + `","sha256":"` + sum + `"}` }
	whole := []entry{at("manifest.json", manifest("")), at("session", "x"), at("message.json", "x")}
	if _, err := Read(archiveOf(t, whole)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"nothing", nil, "manifest.json is missing"},
		{"no session", whole[:1], "session is missing"},
		{"another order", []entry{whole[1], whole[0]}, `the first entry is "session"`},
		{"a path outside", append(whole[:3:3], at("../evil", "x")), "is unknown"},
		{"a file that is not named", append(whole[:3:3], at("files/"+sum, "x")), "does not name"},
		{"a link", append(whole[:3:3], entry{tar.Header{Name: "files/" + sum, Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""}), "not a regular file"},
		{"twice", append(whole[:3:3], whole[1]), "is there twice"},
		{"another digest", []entry{whole[0], at("session", "y"), whole[2]}, "another digest"},
		{"a named file that is missing", []entry{at("manifest.json", manifest(file("a"))), whole[1], whole[2]}, `the file "a" is missing`},
		{"a named path outside", []entry{at("manifest.json", manifest(file("../a")))}, "not a path in the working folder"},
		{"an absolute path", []entry{at("manifest.json", manifest(file("/a")))}, "not a path in the working folder"},
		{"one path in two cases", []entry{at("manifest.json", manifest(file("a")+","+file("A")))}, "is there twice"},
		{"a session outside", []entry{at("manifest.json", strings.Replace(manifest(""), "a.jsonl", "../a", 1))}, "not the name of a file"},
		{"another version", []entry{at("manifest.json", `{"version":2}`)}, "version 2"},
		{"a manifest that is not JSON", []entry{at("manifest.json", `{`)}, "manifest.json"},
		{"too many files", []entry{at("manifest.json", manifest(strings.TrimSuffix(strings.Repeat(file("a")+",", MaxFiles+1), ",")))}, "more than 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(archiveOf(t, tt.entries))
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	var whole2 bytes.Buffer
	if err := example(t).Write(&whole2); err != nil {
		t.Fatal(err)
	}
	for cut := range whole2.Len() {
		if _, err := Read(bytes.NewReader(whole2.Bytes()[:cut])); err == nil {
			t.Errorf("an archive cut off at byte %d is accepted", cut)
		}
	}
}

// FuzzRead checks that a valid bundle can be written and read again.
func FuzzRead(f *testing.F) {
	b := New(Manifest{Agent: "codex", ID: "a", Name: "a.jsonl"}, []byte("{}"), nil)
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		b, err := Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := b.Write(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&again); err != nil {
			t.Fatal(err)
		}
	})
}
