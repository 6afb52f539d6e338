package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/eaapl/handoff"

// regularPackage opens files: see TestOpening.
const regularPackage = "internal/regular"

// imports says what each package may import: ours by their paths below the
// module, of others all in the modules with these paths. The standard library is free to all,
// but for what forbidden names, and so is regularPackage. A new package needs a row; nil is for programs, which may
// import everything.
var imports = map[string][]string{
	"internal/accepted":          {},
	"pkg/agentcard":              {"pkg/finding", "pkg/formats/a2a", "pkg/jsonstream", "internal/secrets", "pkg/sign", "github.com/Masterminds/semver/v3", "github.com/go-json-experiment/json"},
	"pkg/alert":                  {"pkg/child", "internal/webclient"},
	"pkg/audit":                  {"pkg/audit/tree", "pkg/compress", "pkg/compress/dictionary", "pkg/finding", "github.com/go-json-experiment/json"},
	"pkg/audit/archive":          {"pkg/audit", "pkg/finding", "pkg/internal/durable"},
	"pkg/audit/audittest":        {"pkg/audit", "pkg/audit/sqlstore", "pkg/compress", "pkg/compress/dictionary", "pkg/jsonstream", "pkg/validate", "schemas"},
	"pkg/audit/cost":             {"pkg/audit", "pkg/audit/trace", "pkg/chain", "pkg/message"},
	"pkg/audit/evidence":         {"pkg/audit", "pkg/audit/trace", "pkg/audit/tree", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/audit/personal":         {"pkg/audit", "pkg/finding", "pkg/format", "pkg/jsonstream", "pkg/message", "pkg/privacy", "pkg/redact", "schemas", "github.com/go-json-experiment/json", "golang.org/x/crypto"},
	"pkg/audit/personal/sqlkeys": {"pkg/audit/personal", "pkg/internal/database", "internal/probe"},
	"pkg/audit/sqlstore":         {"pkg/audit", "pkg/audit/archive", "pkg/audit/tree", "pkg/finding", "pkg/internal/database", "internal/probe"},
	"pkg/audit/stats":            {"pkg/audit", "pkg/finding", "pkg/validate"},
	"pkg/audit/storetest":        {"pkg/audit", "pkg/audit/audittest", "pkg/audit/tree", "github.com/jackc/pgx/v5"},
	"pkg/audit/trace":            {"pkg/audit", "pkg/chain", "pkg/diff", "pkg/finding", "pkg/internal/equal", "pkg/jsonstream", "pkg/message"},
	"pkg/audit/trace/otlp":       {"pkg/audit", "pkg/audit/trace", "pkg/chain", "pkg/message"},
	"pkg/audit/tree":             {"pkg/internal/base64text", "golang.org/x/mod"},
	"pkg/build":                  {"pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/validate", "schemas", "github.com/go-json-experiment/json", "github.com/google/uuid"},
	"pkg/chain": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/internal/equal", "internal/iso8601", "pkg/jsonstream", "pkg/message", "internal/secrets", "pkg/summarize",
		"github.com/Masterminds/semver/v3",
	},
	"pkg/child":               {},
	"pkg/chunked":             {"pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/sign", "pkg/validate", "schemas", "github.com/go-json-experiment/json"},
	"pkg/compat":              {"pkg/finding", "pkg/internal/equal", "pkg/jsonstream", "pkg/validate", "github.com/Masterminds/semver/v3", "github.com/go-json-experiment/json"},
	"pkg/compress":            {"pkg/compress/dictionary", "github.com/klauspost/compress"},
	"pkg/compress/dictionary": {"github.com/klauspost/compress"},
	"pkg/compress/frames":     {"pkg/compress", "pkg/format", "pkg/history", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/conversation":        {"pkg/internal/equal", "pkg/jsonstream"},
	"pkg/convert": {
		"pkg/finding", "pkg/format", "pkg/formats", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "pkg/message", "pkg/validate",
		"github.com/go-json-experiment/json",
	},
	"pkg/deliver": {
		"pkg/audit", "pkg/compress", "pkg/finding", "pkg/internal/database", "pkg/internal/polling", "pkg/jsonstream", "pkg/message", "internal/probe", "pkg/receiver", "pkg/sign", "pkg/transport",
		"github.com/go-json-experiment/json",
	},
	"pkg/diff": {
		"pkg/format", "pkg/formats", "pkg/history", "pkg/internal/align", "pkg/internal/equal", "pkg/jsonstream", "pkg/message", "pkg/patch",
		"github.com/go-json-experiment/json",
	},
	"pkg/finding": {"pkg/jsonstream", "internal/nearest", "internal/secrets"},
	"pkg/format":  {"pkg/conversation", "pkg/finding", "pkg/internal/exchange", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/formats": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats/a2a", "pkg/formats/aisdk", "pkg/formats/anthropic", "pkg/formats/bedrock", "pkg/formats/claudecode", "pkg/formats/codex", "pkg/formats/eaapl", "pkg/formats/gemini", "pkg/formats/langchain", "pkg/formats/macp",
		"pkg/formats/openai", "pkg/formats/openaichat", "pkg/formats/responses", "pkg/formats/sw4rm", "pkg/jsonstream",
	},
	"pkg/formats/anthropic":  {"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/request", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/openaichat": {"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/request", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/responses":  {"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/request", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/a2a":        {"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/rulebook", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/aisdk":      {"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/rulebook", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/bedrock":    {"pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/gemini":     {"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/rulebook", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/langchain":  {"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/rulebook", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/eaapl":      {"pkg/format", "pkg/internal/equal", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/claudecode": {"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/codex":      {"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/macp": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/base64text", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "internal/rfc3339", "schemas",
		"github.com/go-json-experiment/json",
	},
	"pkg/formats/macp/wire": {
		"pkg/finding", "pkg/internal/base64text", "pkg/jsonstream", "internal/rfc3339",
		"github.com/go-json-experiment/json", "google.golang.org/protobuf",
	},
	"pkg/formats/memo": {},
	"pkg/formats/openai": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats/openai/tool", "pkg/internal/chat", "pkg/internal/equal", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas",
		"github.com/go-json-experiment/json",
	},
	"pkg/formats/openai/agents": {
		"pkg/finding", "pkg/formats/openai", "pkg/formats/openai/tool", "pkg/internal/equal", "pkg/jsonstream", "pkg/validate", "internal/yamldoc", "schemas",
		"github.com/go-json-experiment/json",
	},
	"pkg/formats/openai/tool": {"pkg/finding", "pkg/internal/equal", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/formats/sw4rm": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/base64text", "pkg/internal/exchange", "pkg/internal/gzipped", "pkg/internal/tree", "internal/iso8601", "pkg/jsonstream", "schemas",
		"github.com/go-json-experiment/json", "github.com/google/uuid",
	},
	"pkg/history": {"pkg/conversation", "pkg/format", "pkg/formats", "pkg/internal/base64text", "pkg/internal/gzipped", "pkg/jsonstream"},
	"pkg/inspect": {
		"pkg/conversation", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/message", "pkg/tokens",
		"github.com/go-json-experiment/json",
	},
	"pkg/guard":               {"internal/neterror"},
	"pkg/internal/align":      {},
	"pkg/internal/alive":      {"golang.org/x/sys"},
	"pkg/internal/automaton":  {},
	"pkg/internal/base64text": {},
	"pkg/internal/gzipped":    {"pkg/compress", "pkg/jsonstream"},
	"pkg/internal/broker":     {"internal/neterror", "pkg/internal/polling", "pkg/transport"},
	"pkg/internal/chat":       {"pkg/conversation", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream"},
	"pkg/internal/chatgen":    {"pkg/format", "pkg/jsonstream"},
	"pkg/internal/database":   {"pkg/internal/alive", "internal/neterror", "internal/probe", "github.com/jackc/pgx/v5", "golang.org/x/sys", "modernc.org/libc", "modernc.org/sqlite"},
	"pkg/internal/durable":    {},
	"pkg/internal/ecmascript": {"pkg/internal/automaton"},
	"pkg/internal/equal":      {"pkg/jsonstream"},
	"pkg/internal/exchange":   {"pkg/finding", "pkg/internal/tree", "pkg/jsonstream", "internal/rfc3339"},
	"pkg/internal/misread":    {},
	"internal/neterror":       {},
	"pkg/internal/oracle":     {"pkg/child", "github.com/go-json-experiment/json", "github.com/rogpeppe/go-internal"},
	"pkg/internal/longlines":  {"pkg/conversation", "pkg/format", "pkg/formats", "pkg/jsonstream", "pkg/provider"},
	"pkg/internal/polling":    {},
	"pkg/internal/request":    {"pkg/conversation", "pkg/format", "pkg/jsonstream"},
	"pkg/internal/rulebook":   {"pkg/finding", "pkg/jsonstream"},
	"pkg/internal/schema":     {"pkg/internal/ecmascript", "pkg/internal/equal", "pkg/internal/stringformat", "internal/iso8601", "pkg/jsonstream", "internal/rfc3339", "github.com/santhosh-tekuri/jsonschema/v5"},
	"pkg/internal/simulation": {},
	"pkg/internal/textscan":   {},
	"pkg/internal/tree":       {"pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/internal/undo":       {},
	"pkg/internal/view":       {"pkg/internal/textscan", "golang.org/x/text"},
	"pkg/jsonstream":          {"pkg/internal/misread", "internal/secrets", "github.com/go-json-experiment/json"},
	"docs":                    {},
	"internal/nearest":        {},
	"internal/iso8601":        {"internal/rfc3339"},
	"pkg/message":             {"pkg/jsonstream", "github.com/go-json-experiment/json"},
	"internal/migrate":        {"pkg/finding", "pkg/jsonstream", "pkg/patch"},
	"pkg/internal/stringformat": {
		"pkg/internal/ecmascript", "internal/rfc3339",
	},
	"pkg/mcpserver": {
		"pkg/agentcard", "pkg/build", "pkg/convert", "pkg/diff", "pkg/finding", "pkg/format", "pkg/formats", "pkg/guard", "pkg/history", "pkg/inspect", "pkg/jsonstream", "pkg/message", "pkg/privacy", "pkg/provider", "pkg/receiver", "pkg/render", "pkg/safety", "pkg/summarize", "pkg/tokens", "pkg/trim", "pkg/validate", "schemas",
		"github.com/go-json-experiment/json", "github.com/modelcontextprotocol/go-sdk",
	},
	"pkg/metrics":      {"pkg/audit", "pkg/audit/stats", "pkg/receiver", "internal/secrets", "pkg/transport"},
	"pkg/patch":        {"pkg/finding", "pkg/internal/equal", "pkg/jsonstream"},
	"pkg/registry":     {"pkg/jsonstream", "schemas", "github.com/Masterminds/semver/v3", "github.com/go-json-experiment/json"},
	"pkg/render":       {"pkg/conversation", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/view", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"internal/rfc3339": {},
	"pkg/intake": {
		"pkg/audit", "pkg/child", "pkg/chunked", "pkg/compress", "pkg/finding", "pkg/internal/polling", "pkg/jsonstream", "pkg/receiver", "pkg/transport", "pkg/validate",
		"github.com/go-json-experiment/json",
	},

	"internal/probe": {},
	"pkg/provider":   {"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream"},
	"pkg/repair": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/longlines", "pkg/internal/undo", "pkg/jsonstream", "pkg/message", "pkg/provider",
		"pkg/validate", "github.com/go-json-experiment/json",
	},
	"pkg/privacy":                {"pkg/jsonstream", "pkg/privacy/internal/names", "pkg/privacy/internal/phone", "github.com/go-json-experiment/json"},
	"pkg/privacy/internal/names": {"github.com/klauspost/compress"},
	"pkg/privacy/internal/phone": {},
	"pkg/receiver": {
		"pkg/audit", "pkg/audit/personal", "pkg/audit/stats", "pkg/chunked", "pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/sign", "pkg/validate",
		"github.com/go-json-experiment/json",
	},
	"pkg/redact": {"pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/privacy", "internal/secrets", "github.com/go-json-experiment/json"},

	"pkg/safety": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/textscan", "pkg/internal/view", "pkg/jsonstream", "pkg/safety/model", "internal/secrets",
		"github.com/go-json-experiment/json",
	},
	"pkg/safety/classifier": {"pkg/child", "pkg/safety"},
	"pkg/safety/model":      {"internal/gram"},
	"internal/secrets":      {},
	"pkg/session":           {"pkg/format", "pkg/formats/claudecode", "pkg/jsonstream", "pkg/message", "internal/rfc3339", "internal/secrets", "github.com/go-json-experiment/json", "github.com/google/uuid"},
	"pkg/sign":              {"internal/iso8601", "pkg/jsonstream", "pkg/message", "internal/secrets", "github.com/go-jose/go-jose/v4", "github.com/go-json-experiment/json", "golang.org/x/crypto"},
	"pkg/summarize":         {},
	"pkg/summarize/chat":    {"pkg/internal/polling", "pkg/summarize", "internal/webclient"},
	"pkg/summarize/command": {"pkg/child", "pkg/summarize"},
	"pkg/tokens":            {},
	"pkg/trim": {
		"pkg/conversation", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/undo", "pkg/jsonstream", "pkg/message", "pkg/summarize",
		"github.com/go-json-experiment/json",
	},
	"pkg/transport":               {},
	"pkg/transport/helper":        {"pkg/child", "internal/neterror", "pkg/transport", "github.com/go-json-experiment/json"},
	"pkg/transport/http":          {"pkg/guard", "internal/neterror", "internal/probe", "pkg/transport", "internal/webclient", "github.com/go-json-experiment/json"},
	"pkg/transport/dir":           {"pkg/internal/alive", "pkg/internal/durable", "pkg/internal/polling", "pkg/transport", "golang.org/x/sys"},
	"pkg/transport/amqp":          {"pkg/internal/broker", "internal/probe", "pkg/transport", "github.com/rabbitmq/amqp091-go"},
	"pkg/transport/nats":          {"pkg/internal/broker", "internal/probe", "pkg/transport", "github.com/nats-io/nats.go"},
	"pkg/transport/claimcheck":    {"pkg/internal/durable", "internal/neterror", "pkg/transport", "internal/webclient", "github.com/klauspost/compress"},
	"pkg/transport/sqlqueue":      {"pkg/internal/database", "pkg/internal/polling", "internal/probe", "pkg/transport"},
	"pkg/transport/redis":         {"pkg/internal/broker", "internal/probe", "pkg/transport", "github.com/redis/go-redis/v9"},
	"pkg/transport/transporttest": {"pkg/child", "pkg/transport"},
	"pkg/viewer": {
		"pkg/conversation", "pkg/diff", "pkg/finding", "pkg/format",
		"github.com/klauspost/compress",
	},
	"pkg/viewer/collect": {
		"pkg/audit", "pkg/audit/personal", "pkg/audit/trace", "pkg/audit/tree", "pkg/chain", "pkg/conversation", "pkg/diff", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/inspect", "pkg/jsonstream", "pkg/message", "internal/secrets", "pkg/validate", "pkg/viewer",
		"github.com/klauspost/compress",
	},
	"pkg/viewer/live": {
		"pkg/audit", "pkg/audit/personal", "pkg/audit/stats", "pkg/audit/trace", "pkg/finding", "pkg/guard", "pkg/jsonstream", "pkg/metrics", "pkg/receiver", "pkg/viewer", "pkg/viewer/collect",
		"github.com/go-json-experiment/json",
	},
	"pkg/validate": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/longlines", "pkg/internal/schema", "internal/iso8601", "pkg/jsonstream", "pkg/message", "internal/nearest", "pkg/privacy", "pkg/provider", "pkg/redact", "internal/rfc3339", "pkg/safety", "internal/secrets", "pkg/sign", "internal/yamldoc", "schemas",
		"github.com/Masterminds/semver/v3",
	},
	"internal/webclient":   {"internal/neterror"},
	"internal/yamldoc":     {"pkg/jsonstream", "go.yaml.in/yaml/v3"},
	"schemas":              {},
	regularPackage:         {},
	"internal/gram":        {},
	"internal/programtest": {},
	"internal/tier":        {},
	"cmd":                  nil, // everything
	"cmd/crash":            nil, // tests
	"cmd/a2a": {
		"internal/cli", "internal/input", "internal/report", "internal/term", "pkg/agentcard", "pkg/finding", "pkg/formats/a2a", "pkg/jsonstream", "pkg/message", "pkg/sign", "pkg/validate", "schemas",
		"github.com/spf13/cobra",
	},
	"internal/claim": {"internal/term"},
	"internal/cli": {
		"internal/claim", "internal/input", "internal/output", "internal/report", "internal/term", "pkg/chain", "pkg/child", "pkg/compress", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/inspect", "pkg/jsonstream", "pkg/message", "internal/nearest", "pkg/privacy", "pkg/registry", "pkg/safety", "pkg/safety/classifier", "internal/secrets", "pkg/sign", "pkg/tokens", "pkg/validate", "internal/yamldoc",
		"github.com/spf13/cobra", "github.com/spf13/pflag",
	},
	"internal/difftext": {"internal/term", "pkg/conversation", "pkg/diff", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream"},
	"internal/input":    {"internal/claim", "internal/term", "pkg/compress", "pkg/jsonstream", "internal/yamldoc"},
	"internal/output":   {"internal/claim", "internal/term", "pkg/compress", "github.com/rogpeppe/go-internal"},
	"internal/remedy":   {"pkg/compress", "pkg/convert", "pkg/finding", "pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/patch"},
	"internal/report": {
		"internal/input", "internal/output", "internal/remedy", "internal/term", "pkg/agentcard", "pkg/chain", "pkg/finding", "pkg/format", "pkg/formats/openai/agents", "pkg/jsonstream", "internal/nearest", "internal/secrets", "pkg/validate",
		"github.com/go-json-experiment/json",
	},
	"internal/tasktree":      {"internal/term", "pkg/chain", "pkg/finding", "pkg/message"},
	"internal/term":          {"internal/remedy", "pkg/finding", "pkg/format", "internal/secrets", "github.com/fatih/color", "github.com/rivo/uniseg", "golang.org/x/term"},
	"internal/term/termtest": {"golang.org/x/sys"},
	"cmd/chain": {
		"internal/cli", "internal/input", "internal/output", "internal/remedy", "internal/report", "internal/tasktree", "internal/term", "pkg/chain", "pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/validate",
		"github.com/go-json-experiment/json", "github.com/spf13/cobra",
	},
	"cmd/macp": {
		"internal/claim", "internal/cli", "internal/input", "internal/output", "internal/report", "internal/term", "pkg/compress", "pkg/finding", "pkg/formats/macp", "pkg/formats/macp/wire", "pkg/jsonstream", "internal/rfc3339",
		"github.com/google/uuid", "github.com/rogpeppe/go-internal", "github.com/spf13/cobra",
	},
	"cmd/openai": {
		"internal/cli", "internal/input", "internal/report", "internal/tasktree", "internal/term", "pkg/child", "pkg/finding", "pkg/format", "pkg/formats", "pkg/formats/openai", "pkg/formats/openai/agents", "pkg/formats/openai/tool", "pkg/jsonstream", "pkg/validate", "internal/yamldoc",
		"github.com/spf13/cobra",
	},
	"cmd/schema": {
		"internal/cli", "internal/input", "internal/report", "internal/term", "pkg/compat", "pkg/finding", "pkg/jsonstream", "internal/migrate", "pkg/registry", "pkg/sign", "pkg/validate",
		"github.com/Masterminds/semver/v3", "github.com/spf13/cobra",
	},
	"cmd/session": {
		"internal/cli", "internal/term", "pkg/build", "pkg/compress", "pkg/finding", "pkg/format", "pkg/history", "pkg/jsonstream", "pkg/message", "pkg/safety", "pkg/session", "pkg/summarize", "pkg/trim", "pkg/validate",
		"github.com/google/uuid", "github.com/spf13/cobra",
	},
	"cmd/sw4rm": {
		"internal/claim", "internal/cli", "internal/input", "internal/report", "internal/term", "pkg/finding", "pkg/format", "pkg/formats", "pkg/formats/sw4rm", "pkg/jsonstream", "pkg/validate", "internal/yamldoc", "schemas",
		"github.com/spf13/cobra",
	},
	"cmd/relay": {
		"internal/cli", "internal/program", "internal/report", "internal/term",
		"github.com/spf13/cobra",
	},
	"internal/checkup": {
		"internal/cli", "internal/settings", "internal/term",
		"github.com/spf13/pflag", "golang.org/x/sys",
	},
	"internal/program": {
		"internal/cli", "internal/report", "internal/settings", "internal/term", "pkg/compress", "pkg/jsonstream",
		"github.com/go-json-experiment/json", "github.com/spf13/cobra", "github.com/spf13/pflag",
	},
	"internal/settings": {
		"internal/claim", "internal/cli", "internal/term", "internal/nearest", "internal/yamldoc",
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/spf13/viper",
	},
	"relay/cmd/audit": {
		"internal/cli", "internal/difftext", "internal/input", "internal/output", "internal/report", "internal/tasktree", "internal/term", "pkg/audit", "pkg/audit/archive", "pkg/audit/cost", "pkg/audit/evidence", "pkg/audit/personal", "pkg/audit/sqlstore", "pkg/audit/stats", "pkg/audit/trace", "pkg/audit/trace/otlp", "pkg/audit/tree", "pkg/chain", "pkg/diff", "pkg/finding", "pkg/jsonstream", "pkg/metrics", "pkg/viewer", "pkg/viewer/collect", "relay/cmd/letters", "relay/internal/relayflags",
		"github.com/go-json-experiment/json", "github.com/spf13/cobra",
	},
	"relay/cmd/letters": {
		"internal/cli", "internal/term", "pkg/chunked", "pkg/jsonstream", "pkg/transport", "pkg/transport/claimcheck", "pkg/transport/dir", "pkg/transport/sqlqueue",
		"github.com/spf13/cobra",
	},
	"relay/cmd/rooted": {
		"internal/output", "internal/term", "pkg/compress",
		"golang.org/x/text",
	},
	"relay/internal/relayflags": {
		"internal/cli", "internal/report", "internal/term", "pkg/alert", "pkg/audit", "pkg/audit/personal", "pkg/audit/personal/sqlkeys", "pkg/audit/sqlstore", "pkg/audit/tree", "pkg/deliver", "pkg/sign",
		"github.com/spf13/cobra",
	},
	"relay/cmd":           nil, // everything
	"relay/handoff-relay": {"relay/cmd"},
	"":                    {"cmd"},
}

// forbidden are what no library may import: they are for the programs alone.
var forbidden = []string{"os", "log", "flag", "os/signal"}

// ofPrograms are the packages below internal that know of flags, terminals and the environment, and those
// of tests.
var ofPrograms = []string{
	"internal/checkup", "internal/claim", "internal/cli", "internal/difftext", "internal/input", "internal/output", "internal/program", "internal/programtest", "internal/remedy",
	"internal/report", "internal/settings", "internal/tasktree", "internal/term", "internal/term/termtest", "internal/tier", regularPackage,
}

// isLibrary reports whether a package is for any program: it is below pkg, or below internal and not one of ofPrograms.
func isLibrary(name string) bool {
	return strings.HasPrefix(name, "pkg/") || strings.HasPrefix(name, "internal/") && !slices.Contains(ofPrograms, name)
}

// onDisk are the packages whose purpose is something on the disk, which they open and lock
// themselves.
var onDisk = []string{"pkg/audit/archive", "pkg/audit/audittest", "pkg/internal/alive", "pkg/internal/database", "pkg/internal/durable", "pkg/internal/oracle", "pkg/transport/claimcheck", "pkg/transport/dir"}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(strings.TrimPrefix(fields[0], module), "/")
		allowed, known := imports[name]
		if !known {
			t.Errorf("%s: give the package a row in this test's table", name)
			continue
		}
		for _, imported := range fields[1:] {
			if isLibrary(name) && allowed != nil && slices.Contains(forbidden, imported) && !(imported == "os" && slices.Contains(onDisk, name)) {
				t.Errorf("%s imports %s, which only cmd may", name, imported)
			}
			if imported == "os/exec" && name != "pkg/child" && name != "cmd/relay" && name != "internal/tier" && name != "internal/programtest" {
				t.Errorf("%s imports os/exec: pkg/child and cmd/relay alone start processes", name)
			}
			if allowed == nil || isStandard(imported) || imported == module+"/"+regularPackage {
				continue
			}
			short := strings.TrimPrefix(imported, module+"/")
			if !slices.ContainsFunc(allowed, func(a string) bool { return short == a || short == imported && strings.HasPrefix(short, a+"/") }) {
				t.Errorf("%s imports %s, which its row does not allow", name, imported)
			}
		}
	}
}

// isStandard reports whether a package is of the standard library: the first
// part of its path has no dot.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// TestPackagesNameNoFlags: what a library says is as true for another program that uses it.
// Flags are added by internal/remedy.
func TestPackagesNameNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[^-])--[a-z]`)
	var files []string
	for _, pattern := range []string{"pkg/*/*.go", "pkg/*/*/*.go", "internal/*/*.go"} {
		matched, err := filepath.Glob("../" + pattern)
		if err != nil || len(matched) == 0 {
			t.Fatalf("%s: %d files, error %v", pattern, len(matched), err)
		}
		files = append(files, matched...)
	}
	for _, path := range files {
		if dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../"); strings.HasSuffix(path, "_test.go") || !isLibrary(dir) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && flag.MatchString(text.Value[1:]) {
				t.Errorf("%s: %s", path, text.Value)
			}
			return true
		})
	}
}

// TestPrograms: "go install github.com/eaapl/handoff/...@latest" brings the two programs. What no user
// runs is in the module tools.
func TestPrograms(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{module, module + "/relay/handoff-relay"}, strings.Fields(string(out))); diff != "" {
		t.Error(diff)
	}
}

// heavy are what only handoff-relay links: databases, brokers, servers and the protocol of models.
var heavy = []string{
	module + "/relay/", module + "/pkg/audit/sqlstore", module + "/pkg/audit/archive", module + "/pkg/deliver", module + "/pkg/guard", module + "/pkg/intake", module + "/pkg/internal/database",
	module + "/pkg/mcpserver", module + "/pkg/metrics", module + "/pkg/receiver", module + "/pkg/transport", module + "/pkg/viewer/live",
	"github.com/jackc/", "modernc.org/", "github.com/nats-io/", "github.com/redis/", "github.com/rabbitmq/", "github.com/modelcontextprotocol/",
}

// TestPlanes: handoff links nothing of what delivers and records.
func TestPlanes(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, linked := range strings.Fields(string(out)) {
		if slices.ContainsFunc(heavy, func(prefix string) bool { return strings.HasPrefix(linked, prefix) }) {
			t.Errorf("handoff links %s", linked)
		}
	}
}
