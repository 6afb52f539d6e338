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
)

const module = "github.com/eaapl/handoff"

// regularPackage opens files: see TestOpening.
const regularPackage = "internal/regular"

// imports lists the allowed imports of each package: our packages by their paths below the module, and all
// packages of the modules with these paths. Every package may import the standard library, except the
// packages in forbidden, and regularPackage. A new package needs a row; nil is for programs, which may import
// everything.
var imports = map[string][]string{
	"":    nil,
	"cmd": nil, // everything
	"cmd/a2a": {
		"internal/agentcard", "internal/cli", "internal/input", "internal/report", "internal/term", "pkg/finding", "pkg/formats/a2a", "pkg/jsonstream",
		"pkg/message", "pkg/sign", "pkg/validate", "schemas", "github.com/spf13/cobra",
	},
	"cmd/about": {
		"cmd/relay", "docs", "internal/agentcard", "internal/checkup", "internal/cli", "internal/nearest", "internal/output", "internal/plugins",
		"internal/program", "internal/regular", "internal/report", "internal/settings", "internal/term", "pkg/finding", "pkg/jsonstream", "pkg/privacy",
		"pkg/sign", "schemas", "github.com/go-json-experiment/json", "github.com/spf13/cobra", "github.com/spf13/pflag",
	},
	"cmd/chain": {
		"internal/cli", "internal/input", "internal/output", "internal/remedy", "internal/report", "internal/tasktree", "internal/term", "pkg/chain",
		"pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/validate", "github.com/go-json-experiment/json", "github.com/spf13/cobra",
	},
	"cmd/check": {
		"internal/accepted", "internal/claim", "internal/cli", "internal/input", "internal/output", "internal/remedy", "internal/report",
		"internal/term", "pkg/claims", "pkg/finding", "pkg/format", "pkg/formats", "pkg/formats/codex", "pkg/history", "pkg/jsonstream", "pkg/message",
		"pkg/privacy", "pkg/provider", "pkg/redact", "pkg/safety", "pkg/sign", "pkg/validate", "github.com/go-json-experiment/json",
		"github.com/rogpeppe/go-internal", "github.com/spf13/cobra",
	},
	"cmd/crash": nil, // tests
	"cmd/create": {
		"cmd/trim", "internal/chunked", "internal/cli", "internal/input", "internal/output", "internal/remedy", "internal/report",
		"internal/semver", "internal/term", "pkg/build", "pkg/convert", "pkg/finding", "pkg/format", "pkg/formats", "pkg/jsonstream",
		"pkg/message", "pkg/session", "pkg/validate", "schemas", "github.com/spf13/cobra",
	},
	"cmd/diff": {
		"internal/cli", "internal/difftext", "internal/input", "internal/output", "internal/report", "internal/term", "pkg/diff", "pkg/format",
		"pkg/history", "pkg/jsonstream", "github.com/spf13/cobra",
	},
	"cmd/edit": {
		"internal/cli", "internal/input", "internal/report", "internal/term", "pkg/compress", "pkg/finding", "pkg/jsonstream", "pkg/patch",
		"pkg/privacy", "pkg/provider", "pkg/redact", "pkg/repair", "pkg/sign", "github.com/spf13/cobra",
	},
	"cmd/inspect": {
		"internal/cli", "internal/input", "internal/inspect", "internal/iso8601", "internal/report", "internal/term", "pkg/finding", "pkg/format",
		"pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/message", "pkg/validate", "github.com/go-json-experiment/json", "github.com/spf13/cobra",
	},
	"cmd/look": {
		"internal/cli", "internal/input", "internal/inspect", "internal/output", "internal/report", "internal/tasktree", "internal/term",
		"internal/viewer", "internal/viewer/collect", "pkg/chain", "pkg/compress", "pkg/finding", "pkg/format", "pkg/history", "pkg/render",
		"pkg/tokens", "pkg/validate", "github.com/spf13/cobra",
	},
	"cmd/macp": {
		"internal/claim", "internal/cli", "internal/input", "internal/output", "internal/report", "internal/rfc3339", "internal/term", "pkg/compress",
		"pkg/finding", "pkg/formats/macp", "pkg/formats/macp/wire", "pkg/jsonstream", "github.com/google/uuid", "github.com/rogpeppe/go-internal",
		"github.com/spf13/cobra",
	},
	"cmd/openai": {
		"internal/child", "internal/cli", "internal/input", "internal/report", "internal/tasktree", "internal/term", "internal/yamldoc", "pkg/finding",
		"pkg/format", "pkg/formats", "pkg/formats/openai", "pkg/formats/openai/agents", "pkg/formats/openai/tool", "pkg/jsonstream", "pkg/validate",
		"github.com/spf13/cobra",
	},
	"cmd/pack": {
		"internal/claim", "internal/cli", "internal/frames", "internal/input", "internal/output", "internal/report", "internal/term", "pkg/compress",
		"pkg/compress/dictionary", "pkg/history", "github.com/spf13/cobra",
	},
	"cmd/relay": {"internal/child", "internal/program", "internal/report", "internal/term", "internal/webpost", "github.com/spf13/cobra"},
	"cmd/schema": {
		"internal/cli", "internal/input", "internal/migrate", "internal/report", "internal/semver", "internal/term", "pkg/compat", "pkg/finding",
		"pkg/jsonstream", "pkg/registry", "pkg/sign", "pkg/validate", "github.com/spf13/cobra",
	},
	"cmd/session": {
		"internal/bundle", "internal/claim", "internal/cli", "internal/input", "internal/secrets", "internal/term", "pkg/build", "pkg/claims", "pkg/compress", "pkg/convert", "pkg/finding", "pkg/format",
		"pkg/history", "pkg/jsonstream", "pkg/message", "pkg/privacy", "pkg/redact", "pkg/safety", "pkg/session", "pkg/summarize", "pkg/trim", "pkg/validate",
		"github.com/go-json-experiment/json", "github.com/google/uuid", "github.com/spf13/cobra",
	},
	"cmd/sw4rm": {
		"internal/claim", "internal/cli", "internal/input", "internal/term", "internal/yamldoc", "pkg/finding", "pkg/format", "pkg/formats",
		"pkg/formats/sw4rm", "pkg/jsonstream", "pkg/validate", "schemas", "github.com/spf13/cobra",
	},
	"cmd/trim": {
		"cmd/relay", "cmd/sw4rm", "internal/claim", "internal/cli", "internal/input", "internal/report", "internal/summarize/chat", "internal/summarize/command",
		"internal/term", "pkg/compress", "pkg/finding", "pkg/format", "pkg/formats", "pkg/formats/sw4rm", "pkg/history", "pkg/jsonstream", "pkg/message",
		"pkg/sign", "pkg/summarize", "pkg/tokens", "pkg/trim", "github.com/spf13/cobra",
	},
	"cmd/vectors": {
		"internal/child", "internal/cli", "internal/output", "internal/report", "internal/term", "internal/vectors", "vectors",
		"github.com/go-json-experiment/json", "github.com/spf13/cobra",
	},
	"docs":              {"internal/packed"},
	"internal/accepted": {},
	"internal/agentcard": {
		"internal/secrets", "internal/semver", "pkg/finding", "pkg/formats/a2a", "pkg/jsonstream", "pkg/sign",
		"github.com/go-json-experiment/json",
	},
	"internal/base64text": {},
	"internal/bundle":     {"github.com/go-json-experiment/json"},
	"internal/checkup":    {"internal/cli", "internal/settings", "internal/term", "github.com/spf13/pflag", "golang.org/x/sys"},
	"internal/child":      {},
	"internal/chunked":    {"pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/sign", "pkg/validate", "schemas", "github.com/go-json-experiment/json"},
	"internal/claim":      {"internal/term"},
	"internal/classifier": {"internal/child", "pkg/safety"},
	"internal/cli": {
		"internal/child", "internal/claim", "internal/classifier", "internal/input", "internal/inspect", "internal/nearest", "internal/output",
		"internal/report", "internal/secrets", "internal/term", "internal/yamldoc", "pkg/chain", "pkg/compress", "pkg/finding", "pkg/format",
		"pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/message", "pkg/privacy", "pkg/registry", "pkg/safety", "pkg/sign", "pkg/tokens",
		"pkg/validate", "github.com/spf13/cobra", "github.com/spf13/pflag",
	},
	"internal/difftext": {"internal/term", "pkg/conversation", "pkg/diff", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream"},
	"internal/equal":    {"pkg/jsonstream"},
	"internal/frames":   {"pkg/compress", "pkg/format", "pkg/history", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"internal/gram":     {},
	"internal/input":    {"internal/claim", "internal/term", "internal/yamldoc", "pkg/compress", "pkg/jsonstream"},
	"internal/inspect": {
		"pkg/conversation", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/message", "pkg/tokens",
		"github.com/go-json-experiment/json",
	},
	"internal/iso8601":  {"internal/rfc3339"},
	"internal/migrate":  {"pkg/finding", "pkg/jsonstream", "pkg/patch"},
	"internal/nearest":  {},
	"internal/neterror": {},
	"internal/oracle":   {"internal/child", "internal/tier", "github.com/go-json-experiment/json", "github.com/rogpeppe/go-internal"},
	"internal/output":   {"internal/claim", "internal/term", "pkg/compress", "github.com/rogpeppe/go-internal"},
	"internal/packed":   {"github.com/klauspost/compress"},
	"internal/plugins":  {"skills", "github.com/pelletier/go-toml/v2"},
	"internal/polling":  {},
	"internal/program": {
		"internal/cli", "internal/report", "internal/settings", "internal/term", "pkg/compress", "pkg/jsonstream", "github.com/go-json-experiment/json",
		"github.com/spf13/cobra", "github.com/spf13/pflag",
	},
	"internal/programtest": {},
	"internal/regular":     {},
	"internal/remedy":      {"pkg/compress", "pkg/convert", "pkg/finding", "pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/patch"},
	"internal/report": {
		"internal/agentcard", "internal/input", "internal/nearest", "internal/output", "internal/remedy", "internal/secrets", "internal/term",
		"pkg/chain", "pkg/claims", "pkg/finding", "pkg/format", "pkg/formats/openai/agents", "pkg/jsonstream", "pkg/validate",
		"github.com/go-json-experiment/json",
	},
	"internal/rfc3339":     {},
	"internal/secrets":     {},
	"internal/semver":      {},
	"internal/sessiontest": {"pkg/session", "github.com/go-json-experiment/json"},
	"internal/settings": {
		"internal/claim", "internal/cli", "internal/nearest", "internal/term", "internal/yamldoc", "github.com/spf13/cobra", "github.com/spf13/pflag",
		"github.com/spf13/viper",
	},
	"internal/summarize/chat":    {"internal/webpost", "pkg/summarize"},
	"internal/summarize/command": {"internal/child", "pkg/summarize"},
	"internal/tasktree":          {"internal/term", "pkg/chain", "pkg/finding", "pkg/message"},
	"internal/term": {
		"internal/remedy", "internal/secrets", "pkg/finding", "pkg/format", "github.com/fatih/color", "github.com/rivo/uniseg", "golang.org/x/term",
	},
	"internal/term/termtest": {"golang.org/x/sys"},
	"internal/textscan":      {},
	"internal/tier":          {},
	"internal/vectors": {
		"internal/agentcard", "internal/base64text", "internal/child", "internal/equal", "internal/viewer", "pkg/chain", "pkg/conversation", "pkg/convert", "pkg/finding", "pkg/format",
		"pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/merkle", "pkg/message", "pkg/provider", "pkg/repair", "pkg/session", "pkg/sign",
		"pkg/validate", "schemas", "vectors", "github.com/go-json-experiment/json",
	},
	"internal/view":   {"internal/textscan", "golang.org/x/text"},
	"internal/viewer": {"pkg/conversation", "pkg/diff", "pkg/finding", "pkg/format", "github.com/klauspost/compress"},
	"internal/viewer/collect": {
		"internal/inspect", "internal/secrets", "internal/viewer", "pkg/chain", "pkg/claims", "pkg/conversation", "pkg/diff", "pkg/finding", "pkg/format",
		"pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/message", "pkg/validate", "github.com/klauspost/compress",
	},
	"internal/viewer/collect/collecttest": {"internal/viewer", "internal/viewer/collect", "pkg/chain", "pkg/jsonstream", "pkg/validate"},
	"internal/webpost":                    {},
	"internal/yamldoc":                    {"pkg/jsonstream", "go.yaml.in/yaml/v3"},
	"pkg/build": {
		"pkg/claims", "pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/validate", "schemas", "github.com/go-json-experiment/json", "github.com/google/uuid",
	},
	"pkg/chain": {
		"internal/equal", "internal/iso8601", "internal/secrets", "internal/semver", "pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats",
		"pkg/jsonstream", "pkg/message", "pkg/summarize",
	},
	"pkg/claims":              {"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats/codex", "pkg/history", "pkg/jsonstream", "pkg/message", "github.com/go-json-experiment/json"},
	"pkg/compat":              {"internal/equal", "internal/semver", "pkg/jsonstream", "pkg/validate"},
	"pkg/compress":            {"pkg/compress/dictionary", "github.com/klauspost/compress"},
	"pkg/compress/dictionary": {"github.com/klauspost/compress"},
	"pkg/conversation":        {"internal/equal", "pkg/jsonstream"},
	"pkg/convert": {
		"pkg/finding", "pkg/format", "pkg/formats", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "pkg/message", "pkg/validate",
		"github.com/go-json-experiment/json",
	},
	"pkg/diff": {
		"internal/equal", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/align", "pkg/jsonstream", "pkg/message", "pkg/patch",
		"github.com/go-json-experiment/json",
	},
	"pkg/finding": {"internal/nearest", "internal/secrets", "pkg/jsonstream"},
	"pkg/format":  {"pkg/conversation", "pkg/finding", "pkg/internal/exchange", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/formats": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats/a2a", "pkg/formats/agentframework", "pkg/formats/aisdk", "pkg/formats/anthropic",
		"pkg/formats/bedrock", "pkg/formats/claudecode", "pkg/formats/codex", "pkg/formats/copilotcli", "pkg/formats/eaapl", "pkg/formats/gemini",
		"pkg/formats/geminicli", "pkg/formats/langchain", "pkg/formats/macp", "pkg/formats/openai", "pkg/formats/openaichat",
		"pkg/formats/opencode", "pkg/formats/pydanticai", "pkg/formats/responses", "pkg/formats/sw4rm", "pkg/internal/exchange", "pkg/jsonstream",
	},
	"pkg/formats/a2a": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/rulebook", "pkg/internal/tree",
		"pkg/jsonstream", "schemas",
	},
	"pkg/formats/agentframework": {"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/tree", "pkg/jsonstream"},
	"pkg/formats/aisdk": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/rulebook", "pkg/internal/tree",
		"pkg/jsonstream", "schemas",
	},
	"pkg/formats/anthropic": {
		"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/request", "pkg/internal/tree", "pkg/jsonstream", "schemas",
	},
	"pkg/formats/bedrock": {"pkg/format", "pkg/internal/chat", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/claudecode": {
		"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas",
	},
	"pkg/formats/codex": {
		"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas",
	},
	"pkg/formats/copilotcli": {
		"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas",
	},
	"pkg/formats/eaapl": {"internal/equal", "pkg/format", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas"},
	"pkg/formats/gemini": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/rulebook", "pkg/internal/tree",
		"pkg/jsonstream", "schemas",
	},
	"pkg/formats/geminicli": {
		"pkg/conversation", "pkg/format", "pkg/formats/gemini", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream",
		"schemas",
	},
	"pkg/formats/langchain": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/chat", "pkg/internal/rulebook", "pkg/internal/tree", "pkg/jsonstream", "schemas",
	},
	"pkg/formats/macp": {
		"internal/base64text", "internal/rfc3339", "pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/exchange", "pkg/internal/tree",
		"pkg/jsonstream", "schemas", "github.com/go-json-experiment/json",
	},
	"pkg/formats/macp/wire": {
		"internal/base64text", "internal/rfc3339", "pkg/finding", "pkg/jsonstream", "github.com/go-json-experiment/json", "google.golang.org/protobuf",
	},
	"pkg/formats/memo": {},
	"pkg/formats/openai": {
		"internal/equal", "pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats/openai/tool", "pkg/internal/chat", "pkg/internal/exchange",
		"pkg/internal/tree", "pkg/jsonstream", "schemas", "github.com/go-json-experiment/json",
	},
	"pkg/formats/openai/agents": {
		"internal/equal", "internal/yamldoc", "pkg/finding", "pkg/formats/openai", "pkg/formats/openai/tool", "pkg/jsonstream", "pkg/validate",
		"schemas", "github.com/go-json-experiment/json",
	},
	"pkg/formats/openai/tool": {"internal/equal", "pkg/finding", "pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/formats/openaichat": {
		"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/request", "pkg/internal/tree", "pkg/jsonstream",
		"schemas",
	},
	"pkg/formats/opencode": {
		"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream", "schemas",
	},
	"pkg/formats/pydanticai": {"pkg/format", "pkg/internal/chat", "pkg/internal/tree", "pkg/jsonstream"},
	"pkg/formats/responses": {
		"pkg/conversation", "pkg/format", "pkg/internal/chat", "pkg/internal/request", "pkg/internal/tree", "pkg/jsonstream", "schemas",
	},
	"pkg/formats/sw4rm": {
		"internal/base64text", "internal/iso8601", "pkg/conversation", "pkg/finding", "pkg/format", "pkg/internal/exchange", "pkg/internal/gzipped",
		"pkg/internal/tree", "pkg/jsonstream", "schemas", "github.com/go-json-experiment/json", "github.com/google/uuid",
	},
	"pkg/history":             {"internal/base64text", "pkg/conversation", "pkg/format", "pkg/formats", "pkg/internal/gzipped", "pkg/jsonstream"},
	"pkg/internal/align":      {},
	"pkg/internal/automaton":  {},
	"pkg/internal/chat":       {"pkg/conversation", "pkg/format", "pkg/internal/exchange", "pkg/internal/tree", "pkg/jsonstream"},
	"pkg/internal/chatgen":    {"pkg/format", "pkg/jsonstream"},
	"pkg/internal/ecmascript": {"pkg/internal/automaton"},
	"pkg/internal/exchange":   {"internal/rfc3339", "pkg/finding", "pkg/internal/tree", "pkg/jsonstream"},
	"pkg/internal/gzipped":    {"pkg/compress", "pkg/jsonstream"},
	"pkg/internal/longlines":  {"pkg/conversation", "pkg/format", "pkg/formats", "pkg/jsonstream", "pkg/provider"},
	"pkg/internal/misread":    {},
	"pkg/internal/model":      {"internal/gram"},
	"pkg/internal/request":    {"pkg/conversation", "pkg/format", "pkg/jsonstream"},
	"pkg/internal/rulebook":   {"pkg/finding", "pkg/jsonstream"},
	"pkg/internal/schema": {
		"internal/equal", "internal/iso8601", "internal/rfc3339", "pkg/internal/ecmascript", "pkg/internal/stringformat", "pkg/jsonstream",
	},
	"pkg/internal/stringformat":  {"internal/rfc3339", "pkg/internal/ecmascript"},
	"pkg/internal/tree":          {"pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/internal/undo":          {},
	"pkg/jsonstream":             {"internal/secrets", "pkg/internal/misread", "github.com/go-json-experiment/json"},
	"pkg/merkle":                 {"internal/base64text", "golang.org/x/mod"},
	"pkg/message":                {"pkg/jsonstream", "github.com/go-json-experiment/json"},
	"pkg/patch":                  {"internal/equal", "pkg/finding", "pkg/jsonstream"},
	"pkg/privacy":                {"pkg/jsonstream", "pkg/privacy/internal/names", "pkg/privacy/internal/phone", "github.com/go-json-experiment/json"},
	"pkg/privacy/internal/names": {"internal/packed"},
	"pkg/privacy/internal/phone": {},
	"pkg/provider":               {"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream"},
	"pkg/redact": {
		"internal/secrets", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream", "pkg/privacy", "github.com/go-json-experiment/json",
	},
	"pkg/registry": {"internal/semver", "pkg/jsonstream", "schemas", "github.com/go-json-experiment/json"},
	"pkg/render": {
		"internal/view", "pkg/conversation", "pkg/format", "pkg/formats", "pkg/history", "pkg/jsonstream", "github.com/go-json-experiment/json",
	},
	"pkg/repair": {
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/longlines", "pkg/internal/undo", "pkg/jsonstream",
		"pkg/message", "pkg/provider", "pkg/validate", "github.com/go-json-experiment/json",
	},
	"pkg/safety": {
		"internal/secrets", "internal/textscan", "internal/view", "pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history",
		"pkg/internal/model", "pkg/jsonstream", "github.com/go-json-experiment/json",
	},
	"pkg/session": {
		"internal/rfc3339", "internal/secrets", "pkg/conversation", "pkg/format", "pkg/formats", "pkg/formats/claudecode", "pkg/formats/codex",
		"pkg/formats/copilotcli", "pkg/formats/geminicli", "pkg/formats/opencode", "pkg/jsonstream", "pkg/message", "github.com/go-json-experiment/json", "github.com/google/uuid",
	},
	"pkg/sign": {
		"internal/iso8601", "internal/secrets", "pkg/finding", "pkg/jsonstream", "pkg/message", "github.com/go-json-experiment/json",
		"golang.org/x/crypto",
	},
	"pkg/summarize": {},
	"pkg/tokens":    {"internal/packed"},
	"pkg/trim": {
		"pkg/conversation", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/undo", "pkg/jsonstream", "pkg/message", "pkg/summarize",
		"github.com/go-json-experiment/json",
	},
	"pkg/validate": {
		"internal/iso8601", "internal/nearest", "internal/rfc3339", "internal/secrets", "internal/semver", "internal/yamldoc", "pkg/claims",
		"pkg/conversation", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history", "pkg/internal/longlines", "pkg/internal/schema",
		"pkg/jsonstream", "pkg/message", "pkg/privacy", "pkg/provider", "pkg/redact", "pkg/safety", "pkg/sign", "schemas",
	},
	"relay/alert":         {"internal/child", "relay/webclient"},
	"relay/audit":         {"pkg/compress", "pkg/compress/dictionary", "pkg/finding", "pkg/merkle", "github.com/go-json-experiment/json"},
	"relay/audit/archive": {"pkg/finding", "relay/audit", "relay/internal/durable"},
	"relay/audit/audittest": {
		"pkg/compress", "pkg/compress/dictionary", "pkg/jsonstream", "pkg/validate", "relay/audit", "relay/audit/sqlstore", "schemas",
	},
	"relay/audit/cost":     {"pkg/chain", "pkg/message", "relay/audit", "relay/audit/trace"},
	"relay/audit/evidence": {"pkg/jsonstream", "pkg/merkle", "relay/audit", "relay/audit/trace", "github.com/go-json-experiment/json"},
	"relay/audit/personal": {
		"pkg/finding", "pkg/format", "pkg/jsonstream", "pkg/message", "pkg/privacy", "pkg/redact", "relay/audit", "schemas",
		"github.com/go-json-experiment/json", "golang.org/x/crypto",
	},
	"relay/audit/personal/sqlkeys": {"relay/audit/personal", "relay/internal/database", "relay/probe"},
	"relay/audit/sqlstore":         {"pkg/finding", "pkg/merkle", "relay/audit", "relay/audit/archive", "relay/internal/database", "relay/probe"},
	"relay/audit/stats":            {"pkg/finding", "pkg/validate", "relay/audit"},
	"relay/audit/storetest":        {"pkg/merkle", "relay/audit", "relay/audit/audittest", "github.com/jackc/pgx/v5"},
	"relay/audit/trace":            {"internal/equal", "pkg/chain", "pkg/diff", "pkg/finding", "pkg/jsonstream", "pkg/message", "relay/audit"},
	"relay/audit/trace/otlp":       {"pkg/chain", "pkg/message", "relay/audit", "relay/audit/trace"},
	"relay/cmd":                    nil, // everything
	"relay/cmd/audit": {
		"internal/cli", "internal/difftext", "internal/input", "internal/output", "internal/report", "internal/tasktree", "internal/term",
		"internal/viewer", "internal/viewer/collect", "pkg/chain", "pkg/diff", "pkg/finding", "pkg/jsonstream", "pkg/merkle", "relay/audit",
		"relay/audit/archive", "relay/audit/cost", "relay/audit/evidence", "relay/audit/personal", "relay/audit/sqlstore", "relay/audit/stats",
		"relay/audit/trace", "relay/audit/trace/otlp", "relay/cmd/letters", "relay/internal/relayflags", "relay/metrics", "relay/viewer/records",
		"github.com/go-json-experiment/json", "github.com/spf13/cobra",
	},
	"relay/cmd/letters": {
		"internal/chunked", "internal/cli", "internal/term", "pkg/jsonstream", "relay/transport", "relay/transport/claimcheck", "relay/transport/dir",
		"relay/transport/sqlqueue", "github.com/spf13/cobra",
	},
	"relay/cmd/rooted": {"internal/output", "internal/term", "pkg/compress", "golang.org/x/text"},
	"relay/deliver": {
		"internal/polling", "pkg/compress", "pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/sign", "relay/audit", "relay/internal/database",
		"relay/probe", "relay/receiver", "relay/transport",
	},
	"relay/guard":         {"internal/neterror"},
	"relay/handoff-relay": {"relay/cmd"},
	"relay/intake": {
		"internal/child", "internal/chunked", "internal/polling", "pkg/finding", "pkg/jsonstream", "pkg/validate", "relay/audit", "relay/receiver",
		"relay/transport",
	},
	"relay/internal/alive":  {"golang.org/x/sys"},
	"relay/internal/broker": {"internal/neterror", "internal/polling", "relay/transport"},
	"relay/internal/database": {
		"internal/neterror", "relay/internal/alive", "relay/probe", "github.com/jackc/pgx/v5", "golang.org/x/sys", "modernc.org/libc",
		"modernc.org/sqlite",
	},
	"relay/internal/durable": {},
	"relay/internal/relayflags": {
		"internal/cli", "internal/report", "internal/term", "pkg/merkle", "pkg/sign", "relay/alert", "relay/audit", "relay/audit/personal",
		"relay/audit/personal/sqlkeys", "relay/audit/sqlstore", "relay/deliver", "github.com/spf13/cobra",
	},
	"relay/internal/simulation": {},
	"relay/mcp": {
		"internal/agentcard", "internal/inspect", "pkg/build", "pkg/convert", "pkg/diff", "pkg/finding", "pkg/format", "pkg/formats", "pkg/history",
		"pkg/jsonstream", "pkg/message", "pkg/privacy", "pkg/provider", "pkg/render", "pkg/safety", "pkg/summarize", "pkg/tokens", "pkg/trim",
		"pkg/validate", "relay/guard", "relay/receiver", "schemas", "github.com/go-json-experiment/json", "github.com/modelcontextprotocol/go-sdk",
	},
	"relay/metrics": {"internal/secrets", "relay/audit", "relay/audit/stats", "relay/receiver", "relay/transport"},
	"relay/post":    {"internal/polling", "internal/webpost", "relay/webclient"},
	"relay/probe":   {},
	"relay/receiver": {
		"internal/chunked", "pkg/finding", "pkg/jsonstream", "pkg/message", "pkg/sign", "pkg/validate", "relay/audit", "relay/audit/personal",
		"relay/audit/stats", "github.com/go-json-experiment/json",
	},
	"relay/transport":      {},
	"relay/transport/amqp": {"relay/internal/broker", "relay/probe", "relay/transport", "github.com/rabbitmq/amqp091-go"},
	"relay/transport/claimcheck": {
		"internal/neterror", "relay/webclient", "relay/internal/durable", "relay/transport", "github.com/klauspost/compress",
	},
	"relay/transport/dir":    {"internal/polling", "relay/internal/alive", "relay/internal/durable", "relay/transport"},
	"relay/transport/helper": {"internal/child", "internal/neterror", "relay/transport", "github.com/go-json-experiment/json"},
	"relay/transport/http": {
		"internal/neterror", "relay/webclient", "relay/guard", "relay/probe", "relay/transport", "github.com/go-json-experiment/json",
	},
	"relay/transport/nats":          {"relay/internal/broker", "relay/probe", "relay/transport", "github.com/nats-io/nats.go"},
	"relay/transport/redis":         {"relay/internal/broker", "relay/probe", "relay/transport", "github.com/redis/go-redis/v9"},
	"relay/transport/sqlqueue":      {"internal/polling", "relay/internal/database", "relay/probe", "relay/transport"},
	"relay/transport/transporttest": {"internal/child", "relay/transport"},
	"relay/viewer/live": {
		"internal/viewer", "internal/viewer/collect", "pkg/finding", "pkg/jsonstream", "relay/audit", "relay/audit/stats", "relay/audit/trace",
		"relay/guard", "relay/metrics", "relay/receiver", "relay/viewer/records", "github.com/go-json-experiment/json",
	},
	"relay/viewer/records": {
		"internal/viewer", "internal/viewer/collect", "pkg/chain", "pkg/finding", "pkg/merkle", "relay/audit", "relay/audit/personal",
		"relay/audit/trace",
	},
	"relay/webclient":     {"internal/neterror"},
	"schemas":             {"internal/packed"},
	"skills":              {},
	"vectors":             {"internal/packed", "pkg/jsonstream", "pkg/patch", "github.com/go-json-experiment/json"},
	"vectors/vectorstest": {"vectors", "github.com/go-json-experiment/json"},
}

// forbidden are packages that no library may import: files, flags and signals are for programs only.
var forbidden = []string{"os", "log", "flag", "os/signal"}

// programs are the two programs and their common packages, which are not libraries; nor are the packages
// below them.
var programs = []string{
	"cmd", "relay/cmd", "relay/handoff-relay", "relay/internal/relayflags",
	"internal/checkup", "internal/claim", "internal/cli", "internal/input", "internal/output", "internal/program", "internal/programtest", "internal/regular", "internal/report", "internal/settings", "internal/term", "internal/tier",
}

// onDisk are the packages that manage files on the disk, which they open and lock themselves.
var onDisk = []string{"relay/audit/archive", "relay/audit/audittest", "relay/internal/alive", "relay/internal/database", "relay/internal/durable", "internal/oracle", "relay/transport/claimcheck", "relay/transport/dir"}

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
			t.Errorf("%s: the table of this test has no row for the package", name)
			continue
		}
		for _, imported := range fields[1:] {
			if isLibrary(name) && allowed != nil && slices.Contains(forbidden, imported) && !(imported == "os" && slices.Contains(onDisk, name)) {
				t.Errorf("%s imports %s, which is for programs only", name, imported)
			}
			if imported == "os/exec" && name != "internal/child" && name != "cmd/relay" && name != "internal/tier" && name != "internal/programtest" && !strings.HasPrefix(name, "scripts/") {
				t.Errorf("%s imports os/exec: only internal/child and cmd/relay may start processes", name)
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

// isLibrary reports whether a package is a library, for any program.
func isLibrary(name string) bool {
	return name != "" && !slices.ContainsFunc(programs, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
}

// isStandard reports whether a package is in the standard library: the first part of its path
// has no dot.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// TestPackagesNameNoFlags checks that the texts of packages suit every program that uses them.
// Flags are added by internal/remedy.
func TestPackagesNameNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[^-])--[a-z]`)
	var files []string
	for _, pattern := range []string{"../pkg/*/*.go", "../pkg/*/*/*.go", "../relay/*/*.go", "../relay/*/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, error %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || !isLibrary(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")) {
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
