package session

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	bufferBytes = 1 << 20
	// maxDamage is the maximum number of damaged lines described; the others are counted.
	maxDamage = 20
)

// A source reads the lines of a file.
type source struct {
	text   io.ReaderAt
	size   int64
	limits jsonstream.Limits
	parser jsonstream.Parser
	buffer []byte
	agent  func() Agent // of the session, "" if it is not yet known
}

func (s *source) maxLine() int64 {
	if s.limits.MaxBytes > 0 {
		return s.limits.MaxBytes
	}
	return jsonstream.DefaultMaxBytes
}

// lines calls each with every line that is a JSON object, in order, and damaged with every other
// nonempty line. Arguments are valid during the call. The error is the reader's.
func (s *source) lines(each func(at place, root jsonstream.Value), damaged func(Damage)) (count int, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(s.text, 0, s.size), int(min(s.size+1, bufferBytes)))
	for offset := int64(0); ; {
		line, length, err := s.next(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return count, err
		}
		if length > 0 {
			count++
			at := place{count, offset, length}
			switch root, problem := s.parse(line, length, err != nil); {
			case problem != "":
				s.pieces(line, at, problem, each, damaged)
			case root.Exists():
				each(at, root)
			}
		}
		offset += length
		if err != nil {
			return count, nil
		}
	}
}

// pieces calls each with the whole objects in a damaged line, and damaged if it has anything else.
func (s *source) pieces(line []byte, at place, problem string, each func(at place, root jsonstream.Value), damaged func(Damage)) {
	if int64(len(line)) != at.length {
		damaged(Damage{at.line, at.offset, problem})
		return
	}
	line = bytes.Clone(line)
	isLine := func(root jsonstream.Value) bool { return isPiece(root, s.agent()) }
	isWhole, begin := true, at.offset
	for piece, whole := range jsonstream.Pieces(line, s.limits, isLine) {
		length := int64(len(piece))
		if whole {
			root, _ := s.parse(piece, length, false)
			each(place{at.line, at.offset, length}, root)
		}
		isWhole = isWhole && whole
		at.offset += length
	}
	if !isWhole {
		damaged(Damage{at.line, begin, problem})
	}
}

// isPiece reports whether an object in a damaged line is a line of an agent's session, "" for any agent. Of a
// line that is cut off, the objects within it remain: they must not be taken for the lines of another agent.
func isPiece(root jsonstream.Value, agent Agent) bool {
	switch of := agentOf(root); agent {
	case "":
		return of != "" && (of != Codex || root.Get("payload").Exists())
	case GeminiCLI:
		isMessage := root.Get("id").Kind() == jsonstream.String && root.Get("type").Kind() == jsonstream.String && root.Get("content").Exists()
		return of == agent || isMessage || root.Get("$rewindTo").Exists() || root.Get("$set").Exists()
	default:
		return of == agent
	}
}

// A place is the position of a line.
type place struct {
	line   int
	offset int64
	length int64
}

// next returns the next line with its line ending, and its length; for a line that is too long, only
// the length.
func (s *source) next(r *bufio.Reader) (line []byte, length int64, err error) {
	s.buffer = s.buffer[:0]
	for {
		part, err := r.ReadSlice('\n')
		length += int64(len(part))
		if err == nil && len(s.buffer) == 0 {
			return part, length, nil
		}
		if length <= s.maxLine() {
			s.buffer = append(s.buffer, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.buffer, length, err
		}
	}
}

// parse parses a line and describes the problem of a line that is not a JSON object. The value is
// absent for an empty line, and valid until the next call.
func (s *source) parse(line []byte, length int64, last bool) (root jsonstream.Value, problem string) {
	if length > s.maxLine() {
		return root, "too long"
	}
	text := bytes.Trim(bytes.TrimPrefix(line, []byte("\ufeff")), "\x00 \t\r\n") // editors on Windows begin files with U+FEFF
	if len(text) == 0 {
		if bytes.IndexByte(line, 0) >= 0 {
			return root, "only zero bytes"
		}
		return root, ""
	}
	doc, err := s.parser.Parse(jsonstream.NewRaw(text), s.limits)
	if err != nil {
		if clean := cleaned(text); !bytes.Equal(clean, text) {
			if again, failed := s.parser.Parse(jsonstream.NewRaw(clean), s.limits); failed == nil {
				doc, err = again, nil
			}
		}
	}
	switch bad := (*jsonstream.SyntaxError)(nil); {
	case err == nil && doc.Root().Kind() != jsonstream.Object:
		return root, "not a JSON object"
	case err == nil:
		return doc.Root(), ""
	case last && errors.Is(err, io.ErrUnexpectedEOF):
		return root, "cut off: the session ended while the line was written"
	case errors.As(err, &bad):
		return root, "not strict JSON: " + bad.Problem
	default:
		return root, err.Error()
	}
}

// at parses the line at a place again. The value is valid until the next call.
func (s *source) at(p place) (jsonstream.Value, error) {
	if int64(cap(s.buffer)) < p.length {
		s.buffer = make([]byte, p.length)
	}
	line := s.buffer[:p.length]
	if _, err := s.text.ReadAt(line, p.offset); err != nil && !errors.Is(err, io.EOF) {
		return jsonstream.Value{}, err
	}
	root, problem := s.parse(line, p.length, false)
	if problem != "" || !root.Exists() {
		return jsonstream.Value{}, errors.New("the file changed while it was read: read it again")
	}
	return root, nil
}

// cleaned returns a JSON text with U+FFFD for invalid UTF-8 and for escapes of unpaired surrogates:
// agents cut the output of tools at any byte.
func cleaned(text []byte) []byte {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	var out []byte
	done := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		switch unit := surrogate(text[i:]); {
		case unit == 0:
			i++ // the escaped character
		case unit < 0xDC00 && surrogate(text[min(i+6, len(text)):]) >= 0xDC00:
			i += 11
		default:
			out = append(append(out, text[done:i]...), `\ufffd`...)
			done = i + 6
			i += 5
		}
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// surrogate returns the code unit of the escape at the start of text if it is half of a surrogate
// pair, and 0 otherwise.
func surrogate(text []byte) (unit int) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	for _, c := range text[2:6] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | int(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			unit = unit<<4 | int(c|0x20-'a'+10)
		default:
			return 0
		}
	}
	if unit < 0xD800 || unit > 0xDFFF {
		return 0
	}
	return unit
}
