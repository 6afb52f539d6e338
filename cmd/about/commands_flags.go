package about

import (
	"maps"
	"slices"
	"strings"
)

// A flagUse is a flag, the commands that have it, and its meaning in all of them.
type flagUse struct {
	flagInfo
	Usages map[string][]string // commands, by their usage text for the flag
	Types  map[string]bool     // of the flag's values; bool for none
}

// flagsOf returns the flags of a command and of all commands below it, sorted by name. The usage of a flag is
// its help text or, if the texts of several commands differ, the one of [meanings].
func flagsOf(root commandInfo) []flagUse {
	uses := map[string]*flagUse{}
	var visit func(commandInfo)
	visit = func(c commandInfo) {
		for _, f := range c.Flags {
			use := uses[f.Name]
			if use == nil {
				use = &flagUse{flagInfo: f, Usages: map[string][]string{}, Types: map[string]bool{}}
				uses[f.Name] = use
			}
			if use.Types[f.Type] = true; len(use.Types) > 1 {
				use.Type = "VALUE"
			}
			use.Usages[f.Usage] = append(use.Usages[f.Usage], strings.TrimPrefix(c.Name, root.Name+" "))
		}
		for _, sub := range c.Commands {
			visit(sub)
		}
	}
	visit(root)
	shared := meanings()
	list := make([]flagUse, 0, len(uses))
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		use := *uses[name]
		if meaning, ok := shared[name]; ok {
			use.Usage = meaning
		}
		list = append(list, use)
	}
	return list
}

// commands lists the commands that have a flag.
func (f flagUse) commands() string {
	if f.Persistent {
		return "all"
	}
	all := slices.Concat(slices.Collect(maps.Values(f.Usages))...)
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// meanings returns the common usage of flags whose help texts differ between commands.
func meanings() map[string]string {
	return map[string]string{
		"agent":           "agent whose data to use",
		"all":             "include all items instead of a selection",
		"allow":           "scanner findings to permit",
		"archive-dir":     "directory of the files of audit archive",
		"archive":         "append removed data to a `FILE`, for --restore",
		"as":              "name of the receiver to act as",
		"at":              "JSON `POINTER` of the value to use",
		"before":          "minimum age, a period such as 30d or P7Y",
		"budget":          "budget in USD",
		"claim-check":     "directory or URL of messages that are too long for a transport",
		"concurrency":     "maximum number of concurrent agents or tools",
		"context":         "context file",
		"context-id":      "id of the conversation",
		"context-window":  "context window of the model, in tokens",
		"data-dir":        "directory of the data that contexts refer to",
		"dict":            "zstd dictionary file",
		"dir":             "folder to use instead of the default one",
		"explain":         "explain a rule and exit",
		"fail-within":     "time within which a failing agent rejects the message",
		"for":             "provider whose API the output or check is for",
		"force":           "override a check that prevents the operation",
		"format":          "format of the output, or of the report if the output is messages",
		"from":            "sending agent",
		"handoff-id":      "id of the handoff",
		"in-place":        "replace the files",
		"index":           "index file with the position of each message in compressed data",
		"input-schema":    "JSON Schema of the model's input for a handoff",
		"install":         "write the output to its standard folder",
		"keep-turns":      "number of latest turns to keep",
		"key-file":        "key file",
		"key-id":          "id of the key",
		"last":            "number of last turns or items to keep",
		"lenient":         "accept input that lacks members or breaks a rule",
		"listen":          "host and port at which to serve HTTP",
		"log-checkpoint":  "checkpoint file of the audit log",
		"message":         "print the message unchanged",
		"message-id":      "id of the message",
		"metadata":        "metadata, a file or KEY=VALUE",
		"origin":          "name of the audit log in checkpoints",
		"output":          "write the output to a file, which appears only when it is complete",
		"pass":            "write correct messages unchanged to standard output, and the report to stderr",
		"policy":          "policy file",
		"policy-version":  "version of the policy",
		"quiet":           "print no report, only set the exit code",
		"reason":          "reason, for the record",
		"receiver":        "receiver profile file",
		"request":         "write a request",
		"rerun":           "hand over a message again if its receiver died while the agent ran",
		"restore":         "restore removed data",
		"roles":           "keep only items with these roles",
		"schema-registry": "registry directory of schema versions",
		"seed":            "text that determines the random identifiers, for reproducible output",
		"since":           "earliest time",
		"stream":          "process messages as they arrive, in one run",
		"task":            "id of the only task to use",
		"to":              "receiving agent, or its address",
		"root":            "boundary: a directory or, in MACP, a URI",
		"timeout":         "maximum `DURATION` of the wait for an answer",
		"timestamp":       "TIME (RFC 3339) of a message",
		"token-file":      "file with the bearer token for http and https",
		"type":            "type of key or patch",
		"until":           "end of the period",
		"verbose":         "include correct messages, or more details",
		"wait":            "maximum time to wait for answers",
	}
}
