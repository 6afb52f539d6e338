// Package evidence packs a task's records into an archive that can be verified without the audit log
// (EAAPL-MAG006, section 12.1).
package evidence

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"errors"
	"fmt"
	"io"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
)

//go:embed README.txt
var readme string

//go:embed verify-record.sh
var script string

// Write writes a tar archive of a task at a checkpoint, which is a note signed by key. The same log, task and
// note give the same bytes. Records after the checkpoint are left out; a changed record is an error. If the
// log has nothing about the task, the error is a [*trace.UnknownTaskError].
func Write(ctx context.Context, w io.Writer, r audit.Reader, task string, note []byte, key ed25519.PublicKey) error {
	checkpoint, err := merkle.VerifyCheckpoint(note, "", key)
	if err != nil {
		return err
	}
	spki, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return err
	}
	p := &pack{tar: tar.NewWriter(w), reader: r, note: note, checkpoint: checkpoint}
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"README.txt", fmt.Appendf(nil, readme, checkpoint.Origin, task, checkpoint.Size)},
		{"checkpoint", note},
		{"log.pem", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})},
		{"verify-record.sh", []byte(script)},
	} {
		if err := p.add(f.name, f.text); err != nil {
			return err
		}
	}
	report := summary{Task: task, Origin: checkpoint.Origin, Size: checkpoint.Size}
	// All records first: a database cannot answer a second query while it sends rows.
	list, err := audit.List(r, audit.Filter{Tasks: trace.Spellings(task)})
	if err != nil {
		return err
	}
	for i := range list {
		s := &list[i]
		if s.Sequence >= checkpoint.Size {
			break
		}
		message, err := p.record(ctx, s)
		if err != nil {
			return err
		}
		report.note(s, message)
	}
	if len(report.Steps) == 0 {
		return &trace.UnknownTaskError{ID: task}
	}
	text, err := report.json()
	if err != nil {
		return err
	}
	if err := p.add("report.json", text); err != nil {
		return err
	}
	if err := p.add("report.txt", report.text()); err != nil {
		return err
	}
	if err := p.add("SHA256SUMS", p.sums); err != nil {
		return err
	}
	return p.tar.Close()
}

// A pack is an archive being written.
type pack struct {
	tar        *tar.Writer
	reader     audit.Reader
	note       []byte
	checkpoint merkle.Checkpoint
	sums       []byte // lines of SHA256SUMS
}

func (p *pack) add(name string, text []byte) error {
	p.sums = fmt.Appendf(p.sums, "%x  %s\n", sha256.Sum256(text), name)
	// No local time, owner or mode: the bytes depend only on the log.
	err := p.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)), Mode: 0o644, Format: tar.FormatUSTAR})
	if err == nil {
		_, err = p.tar.Write(text)
	}
	return err
}

// record adds a record with its proof and its message, and returns the message, nil if there is none.
func (p *pack) record(ctx context.Context, s *audit.Stored) ([]byte, error) {
	text, err := s.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	proof := merkle.Proof{Index: s.Sequence, Checkpoint: p.note}
	if proof.Hashes, err = merkle.ProveRecord(ctx, p.reader, p.checkpoint.Size, s.Sequence); err != nil {
		return nil, err
	}
	if merkle.CheckRecord(proof.Hashes, p.checkpoint.Size, p.checkpoint.Root, s.Sequence, sha256.Sum256(text)) != nil {
		return nil, fmt.Errorf("record %d or the tree was changed since the checkpoint: run handoff audit verify", s.Sequence)
	}
	proven, err := merkle.FormatProof(proof)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.add(fmt.Sprintf("records/%d.json", s.Sequence), text), p.add(fmt.Sprintf("records/%d.tlog-proof", s.Sequence), proven)); err != nil {
		return nil, err
	}
	frame, err := p.reader.Frame(s.Sequence)
	if err != nil || frame == nil {
		return nil, err
	}
	if err := s.CheckFrame(frame); err != nil {
		return nil, err
	}
	message, err := audit.ReadFrame(frame, s.MessageBytes)
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", s.Sequence, err)
	}
	if s.Details.PayloadDigest != nil { // personal data is stored separately, and the digest of the whole message is keyed
		return message, p.add(fmt.Sprintf("messages/%d.json", s.Sequence), message)
	}
	canonical := canonicalForm(message, s.MessageDigest)
	if canonical == nil {
		return nil, fmt.Errorf("the message beside record %d is not the recorded one: run handoff audit verify", s.Sequence)
	}
	return message, errors.Join(p.add(fmt.Sprintf("messages/%d.json", s.Sequence), message), p.add(fmt.Sprintf("messages/%d.canonical", s.Sequence), canonical))
}

// canonicalForm returns the form of a message that matches the digest of its record: the canonical form, or
// the unchanged bytes if it has none. It returns nil if neither matches.
func canonicalForm(message []byte, digest audit.Hash) []byte {
	forms := [][]byte{message, bytes.TrimSpace(message)}
	if d, err := jsonstream.Parse(jsonstream.NewRaw(message), jsonstream.Unlimited()); err == nil {
		if text, err := jsonstream.AppendCanonical(nil, d.Root(), jsonstream.CanonicalOptions{}); err == nil {
			forms = append([][]byte{text}, forms...)
		}
	}
	for _, text := range forms {
		if sha256.Sum256(text) == digest {
			return text
		}
	}
	return nil
}
