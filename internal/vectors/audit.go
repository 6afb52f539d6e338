package vectors

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/base64text"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
	suite "github.com/eaapl/handoff/vectors"
)

// recordSchema is the name of the schema of records.
const recordSchema = "audit-record-1.schema.json"

// checkRecords checks records and the chain of their hashes.
func checkRecords(in suite.Input) (Answer, error) {
	schema, err := recordsSchema()
	if err != nil {
		return Answer{}, err
	}
	var builder merkle.Builder
	var previous merkle.Hash
	for i, text := range in.Records {
		step, err := checkRecord(schema, string(text), int64(i), previous)
		if err != nil {
			return refused(step, fmt.Errorf("record %d: %w", i, err)), nil
		}
		previous = sha256.Sum256([]byte(text))
		builder.Add(previous)
	}
	root := builder.Root()
	return Answer{Verdict: suite.Valid, Output: encoded(root)}, nil
}

func recordsSchema() (*validate.Schema, error) {
	text, err := schemas.Read(recordSchema)
	if err != nil {
		return nil, err
	}
	return validate.CompileSchema(schemas.Base+recordSchema, text, nil)
}

// checkRecord returns the step that refuses a record, given its number and the hash of the previous record.
func checkRecord(schema *validate.Schema, text string, number int64, previous merkle.Hash) (step string, err error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		return "syntax", err
	}
	canonical, err := jsonstream.AppendCanonical(nil, doc.Root(), jsonstream.CanonicalOptions{})
	if err != nil || string(canonical) != text {
		return "not-canonical", errors.New("it is not in canonical form")
	}
	for _, f := range schema.Check(doc.Root()) {
		return "schema", errors.New(f.PlacedMessage())
	}
	if n := doc.Root().Get("sequence").Raw(); string(n) != strconv.FormatInt(number, 10) {
		return "sequence", fmt.Errorf("its number is %s", n)
	}
	if doc.Root().Get("previousRecordHash").Text() != "sha256:"+hex.EncodeToString(previous[:]) {
		return "chain", errors.New("it does not have the hash of the previous record")
	}
	return "", nil
}

func encoded(h merkle.Hash) string { return base64.StdEncoding.EncodeToString(h[:]) }

// lines returns hashes as lines.
func lines(hashes []merkle.Hash) string {
	var texts []string
	for _, h := range hashes {
		texts = append(texts, encoded(h))
	}
	return strings.Join(texts, "\n")
}

// parseHashes reads hashes in base64.
func parseHashes(texts ...string) (hashes []merkle.Hash, err error) {
	for _, text := range texts {
		h, err := base64text.Decode(text, base64text.Canonical)
		if err != nil || len(h) != len(merkle.Hash{}) {
			return nil, fmt.Errorf("expected 32 bytes in base64, found %.80q", text)
		}
		hashes = append(hashes, merkle.Hash(h))
	}
	return hashes, nil
}

// A log is a source of hashes in memory.
type log struct {
	records []merkle.Hash
	nodes   map[int][]merkle.Hash
}

func newLog(records []merkle.Hash) *log {
	l := &log{records, map[int][]merkle.Hash{}}
	var builder merkle.Builder
	for _, h := range records {
		for _, n := range builder.Add(h) {
			l.nodes[n.Level] = append(l.nodes[n.Level], n.Hash)
		}
	}
	return l
}

func (l *log) RecordHashes(_ context.Context, first, n int64) ([]merkle.Hash, error) {
	return part(l.records, first, n), nil
}

func (l *log) Nodes(_ context.Context, level int, first, n int64) ([]merkle.Hash, error) {
	return part(l.nodes[level], first, n), nil
}

func part(hashes []merkle.Hash, first, n int64) []merkle.Hash {
	size := int64(len(hashes))
	return hashes[min(first, size):min(first+n, size)]
}

// prove answers the operations about the tree over hashes of records.
func prove(ctx context.Context, q Request) Answer {
	hashes, err := parseHashes(q.Input.Hashes...)
	if err != nil {
		return refused("malformed", err)
	}
	l, size := newLog(hashes), int64(len(hashes))
	var output string
	switch q.Operation {
	case suite.TreeRoot:
		var root merkle.Hash
		root, err = merkle.Root(ctx, l, size)
		output = encoded(root)
	case suite.ProveRecord:
		var path []merkle.Hash
		path, err = merkle.ProveRecord(ctx, l, size, number(q.Input.Index))
		output = lines(path)
	case suite.ProveGrowth:
		var path []merkle.Hash
		path, err = merkle.ProveTree(ctx, l, size, number(q.Input.Older))
		output = lines(path)
	}
	if err != nil {
		return refused("range", err)
	}
	return Answer{Verdict: suite.Valid, Output: output}
}

// number returns 0 for an absent number.
func number(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func checkGrowth(in suite.Input) Answer {
	roots, err := parseHashes(in.Root, in.OlderRoot)
	if err != nil {
		return refused("malformed", err)
	}
	path, err := parseHashes(in.Path...)
	if err != nil {
		return refused("malformed", err)
	}
	return proved(merkle.CheckTree(path, number(in.Size), roots[0], number(in.Older), roots[1]))
}

// proved returns the answer for the error of a check.
func proved(err error) Answer {
	switch {
	case err == nil:
		return Answer{Verdict: suite.Valid}
	case errors.Is(err, merkle.ErrUnknownKey):
		return refused("unknown-key", err)
	case errors.Is(err, merkle.ErrSignature):
		return refused("signature", err)
	case errors.Is(err, merkle.ErrProof):
		return refused("path", err)
	}
	return refused("range", err)
}

func signCheckpoint(in suite.Input) (Answer, error) {
	roots, err := parseHashes(in.Root)
	if err != nil {
		return refused("malformed", err), nil
	}
	keys, err := sign.ParseKeys(in.Key)
	if err != nil {
		return Answer{}, err
	}
	_, private := keys[0].Ed25519()
	text, err := merkle.SignCheckpoint(merkle.Checkpoint{Origin: in.Origin, Size: number(in.Size), Root: roots[0]}, in.Origin, private)
	if err != nil {
		return refused("malformed", err), nil
	}
	return Answer{Verdict: suite.Valid, Output: string(text)}, nil
}

// checkEvidence answers the operations about checkpoints and proofs.
func checkEvidence(q Request) Answer {
	name, key, err := merkle.ParseVerifierKey(q.Input.VerifierKey)
	if err != nil {
		return refused("verifier-key", err)
	}
	if q.Operation == suite.CheckCheckpoint {
		if _, err := merkle.ParseCheckpoint([]byte(q.Input.Checkpoint)); err != nil {
			return refused("syntax", err)
		}
		_, err := merkle.VerifyCheckpoint([]byte(q.Input.Checkpoint), name, key)
		return proved(err)
	}
	p, err := merkle.ParseProof([]byte(q.Input.Proof))
	if err != nil {
		return refused("syntax", err)
	}
	record := []byte(q.Input.Record)
	if len(record) == 0 {
		record = p.Extra
	}
	if len(record) == 0 {
		return refused("no-record", errors.New("neither the input nor the proof has the record"))
	}
	_, err = merkle.VerifyProof(record, p, name, key)
	return proved(err)
}
