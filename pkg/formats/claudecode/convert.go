package claudecode

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts sessions.
var codec = (&chat.Form{
	At:     []string{""},
	Lines:  true,
	Known:  &format.Elements{Trail: newTrail},
	Style:  style,
	Site:   site,
	Read:   read,
	Write:  write,
	Holder: chat.LineHolder(func(tree.Node) string { return "" }),
}).Codec()

// common are the members that usually have the same value on all lines of a session.
var common = []string{"isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug"}

// style returns the shared members of a session's lines, read from one line, as a JSON object.
func style(line tree.Node) string {
	if uuid := line.Get("uuid"); uuid == tree.None || isMade(uuid) {
		return "" // the style of a line that this package made
	}
	var shared []tree.Member
	for m := line.Children(); m.Next(); {
		if slices.Contains(common, m.Name) && (tree.IsString(m.Value) || m.Value.Is(jsonstream.False) || m.Value.Is(jsonstream.True)) {
			shared = append(shared, m.Member)
		}
	}
	return string(tree.Object(shared...).AppendPlain(nil))
}

// site returns the folder and the branch of the last line that has them.
func site(_ tree.Node, lines []tree.Node) (folder, branch tree.Node) {
	for _, line := range slices.Backward(lines) {
		if folder = line.Get("cwd"); folder.Text() != "" {
			return folder, line.Get("gitBranch")
		}
	}
	return tree.None, tree.None
}

// isMade reports whether a uuid is a generated one, which is of version 8: its line is identified by its turn.
func isMade(uuid tree.Node) bool {
	text := uuid.Text()
	return len(text) == 36 && text[14] == '8'
}

// read appends the turns of a line, with its uuid, for restoring the line, and its time.
func read(dst []tree.Node, line tree.Node) []tree.Node {
	message := line.Get("message")
	if attached := line.Get("attachment"); message == tree.None && attached != tree.None {
		message = exchange.UserMessage(attached.Get("prompt"))
	}
	before := len(dst)
	if dst = chat.AppendMessage(dst, message); len(dst) == before+1 && message.Get("role").Text() == "assistant" {
		if content := dst[before].Get("content"); content.Length() == 1 {
			if text := content.Element("0"); text.Length() == 2 && text.Get("type").Text() == "text" && tree.IsString(text.Get("text")) {
				dst[before] = dst[before].With("content", text.Get("text")) // Claude Code always writes lists
			}
		}
	}
	for i, turn := range dst[before:] {
		if !turn.Is(jsonstream.Object) {
			continue
		}
		if uuid := line.Get("uuid"); tree.IsString(uuid) && !isMade(uuid) {
			turn = turn.With("uuid", uuid)
		}
		if at := chat.OwnTime(line); at != tree.None {
			turn = turn.With("timestamp", at)
		}
		dst[before+i] = turn
	}
	return dst
}

// write returns the lines of turns, one per turn: Claude Code writes each block of a response on its
// own line.
func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	s := &session{Writing: w, turns: turns, parent: tree.Null()}
	s.begin()
	for _, m := range chat.Blocks.Messages(turns) {
		blocks := chat.Blocks.Of(m)
		response := tree.None
		for len(blocks) > 0 {
			n := 1
			for n < len(blocks) && s.isOneLine(blocks[0].Turn, blocks[n].Turn) {
				n++
			}
			response = s.add(m.Role, blocks[:n], response)
			blocks = blocks[n:]
		}
	}
	if len(s.lines) > 0 && s.Style == "" && s.fresh() {
		s.lines = append(s.lines,
			chat.Object("type", tree.String("summary"), "summary", tree.String(s.title()), "leafUuid", s.parent),
			chat.Object("type", tree.String("last-prompt"), "lastPrompt", tree.String(s.title()), "leafUuid", s.parent, "sessionId", s.member("sessionId")))
	}
	return s.lines
}

// maxTitle is the maximum length of a session's title, in characters.
const maxTitle = 80

// title returns the session's title for listings: its task, or else its first text of the
// user. Claude Code does not list an untitled session whose first request looks like a tag.
func (s *session) title() string {
	title := []rune(strings.Join(strings.Fields(s.Values[exchange.RowDescription].Text()), " "))
	for _, turn := range s.turns {
		if len(title) > 0 {
			break
		}
		if turn.Get("role").Text() == "user" {
			title = []rune(strings.Join(strings.Fields(turn.Get("content").Flat()), " "))
		}
	}
	switch {
	case len(title) == 0:
		return "handoff"
	case len(title) > maxTitle:
		return string(title[:maxTitle-1]) + "…"
	}
	return string(title)
}

// A session is a session being written.
type session struct {
	*chat.Writing
	turns  []tree.Node
	lines  []tree.Node
	shared []tree.Member // on all lines
	parent tree.Node     // the uuid of the previous line, null for the first
	time   tree.Node     // for lines whose turns have none
}

// begin sets the members shared by all lines.
func (s *session) begin() {
	s.time = tree.String(chat.Epoch)
	if at := s.Values[exchange.RowTime]; s.fresh() && exchange.IsTime(at) {
		s.time = tree.String(strings.TrimSuffix(at.Text(), "Z") + strings.Repeat(chat.OtherZone, strings.Count(at.Text(), "Z")))
	}
	if was, ok := tree.Parse([]byte(s.Style)); ok && was.Is(jsonstream.Object) {
		for m := was.Children(); m.Next(); {
			if slices.Contains(common, m.Name) {
				s.shared = append(s.shared, tree.Member{Name: m.Name, Value: m.Value})
			}
		}
		return
	}
	if len(s.turns) == 0 {
		return
	}
	id := s.Values[exchange.RowHandoff]
	if !isUUID(id.Text()) {
		from := s.turns[0]
		if tree.IsString(id) {
			from = id
		}
		id = s.ID(from, 0, "sessionId")
	}
	folder, branch := s.Site()
	if !s.fresh() || folder.Text() == "" {
		folder = s.Up(0, "cwd", tree.String("/"), "the folder is not known")
	}
	s.shared = []tree.Member{
		{Name: "isSidechain", Value: tree.Bool(false)}, {Name: "userType", Value: tree.String("external")},
		{Name: "cwd", Value: folder}, {Name: "sessionId", Value: id},
		{Name: "version", Value: s.Up(0, "version", tree.String("2.0.0"), "the version is not known")},
	}
	if s.fresh() && branch.Text() != "" {
		s.shared = append(s.shared, tree.Member{Name: "gitBranch", Value: branch})
	}
}

// member returns a member shared by all lines.
func (s *session) member(name string) tree.Node {
	for _, m := range s.shared {
		if m.Name == name {
			return m.Value
		}
	}
	return tree.Null()
}

// fresh reports whether a new session is made rather than restored, when made-up values are
// only placeholders.
func (s *session) fresh() bool { return s.Maker == nil || !s.Maker.Restoring }

func isUUID(text string) bool {
	return len(text) == 36 && strings.Count(text, "-") == 4 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' &&
		strings.Trim(text, "0123456789abcdefABCDEF-") == ""
}

// isOneLine reports whether two turns belong to the same line.
func (s *session) isOneLine(a, b int) bool {
	uuid := s.turns[a].Get("uuid")
	return a == b || tree.IsString(uuid) && s.turns[b].Get("uuid").Text() == uuid.Text()
}

// add adds the line of a message's blocks. response is the id of their response, which add returns
// or makes up.
func (s *session) add(role string, blocks []chat.Block, response tree.Node) tree.Node {
	turn, index := s.turns[blocks[0].Turn], len(s.lines)
	uuid := turn.Get("uuid")
	if !tree.IsString(uuid) || uuid.Empty() {
		made := s.ID(turn, index, "uuid").Text()
		uuid = tree.String(made[:14] + "8" + made[15:])
	}
	at := turn.Get("timestamp")
	if !exchange.IsTime(at) {
		at = s.time
	}
	content := chat.List(blocks)
	if b := blocks[0]; role == "user" && len(blocks) == 1 && b.Kind == chat.Text && b.Value.Length() == 2 && tree.IsString(turn.Get("content")) {
		content = b.Value.Get("text")
	}
	message := chat.Object("role", tree.String(role), "content", content)
	if role == "assistant" {
		if response == tree.None {
			response = tree.String("msg_" + strings.ReplaceAll(uuid.Text(), "-", ""))
		}
		message = chat.Object("model", tree.String(synthetic), "id", response, "type", tree.String("message"), "role", tree.String(role),
			"content", content, "stop_reason", tree.Null(), "stop_sequence", tree.Null(), "usage", noUsage())
	}
	line := append([]tree.Member{{Name: "parentUuid", Value: s.parent}}, s.shared...)
	line = append(line, tree.Member{Name: "type", Value: tree.String(role)}, tree.Member{Name: "message", Value: message},
		tree.Member{Name: "uuid", Value: uuid}, tree.Member{Name: "timestamp", Value: at})
	s.lines, s.parent = append(s.lines, tree.Object(line...)), uuid
	return response
}

// synthetic is the model of responses that no model wrote. Claude Code tries to restore any other.
const synthetic = "<synthetic>"

// noUsage returns the usage of a response without known costs.
func noUsage() tree.Node {
	return chat.Object("input_tokens", tree.Int(0), "cache_creation_input_tokens", tree.Int(0), "cache_read_input_tokens", tree.Int(0), "output_tokens", tree.Int(0))
}
