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
		"agent":           "only what is about one agent, by its name",
		"all":             "all of it, not only what is asked for most often",
		"allow":           "what of the scanner's findings is let through",
		"archive-dir":     "where the messages of audit archive are, a directory",
		"archive":         "append what is taken out to a `FILE`, from which --restore puts it back",
		"as":              "be the receiver of this name",
		"before":          "what is older than a period, such as 30d or P7Y",
		"budget":          "what may be spent, in USD",
		"claim-check":     "where messages are that are too long for a transport, a directory or URL",
		"concurrency":     "how many may run at once",
		"context":         "the context, a file",
		"context-id":      "the id of the conversation",
		"context-window":  "the tokens that the model can read",
		"data-dir":        "where the data is that contexts refer to, a directory",
		"dict":            "the zstd dictionary, a file",
		"explain":         "show what a rule means, and do nothing else",
		"fail-within":     "an agent that fails so soon rejects the message",
		"for":             "for the API of this provider of models",
		"force":           "do what is refused without it",
		"format":          "the format of what is printed, or of the report where the output is messages",
		"from":            "the agent that hands over",
		"handoff-id":      "the id of the handoff",
		"in-place":        "rewrite the files",
		"index":           "where each message of compressed data is, a file",
		"input-schema":    "what the model has to give to a handoff, a JSON Schema",
		"install":         "write it to where it is looked for",
		"keep-turns":      "the latest turns, which stay",
		"key-file":        "keys, a file",
		"key-id":          "the id of the key",
		"last":            "how much of the end stays",
		"lenient":         "take what lacks something or breaks a rule",
		"listen":          "serve HTTP at this host and port",
		"log-checkpoint":  "a checkpoint of the audit log, a file",
		"message":         "print the message as it came",
		"message-id":      "the id of the message",
		"metadata":        "metadata, a file or KEY=VALUE",
		"origin":          "what the audit log is called in checkpoints",
		"output":          "write to a file, which appears when all is written",
		"pass":            "what is right goes on to standard output as it is, and the report to stderr",
		"policy":          "the policy that is applied, a file",
		"policy-version":  "the version of the policy",
		"quiet":           "no report: the exit code is the answer",
		"reason":          "why, for the record",
		"receiver":        "the receiver's profile, a file",
		"request":         "as a request",
		"rerun":           "hand over again what an agent had that ended with its receiver",
		"restore":         "put back what was taken out",
		"roles":           "keep only what has one of these roles",
		"schema-registry": "the versions of schemas, a directory",
		"seed":            "what random identifiers are made from, so that they are the same each time",
		"since":           "only at this time or later",
		"stream":          "one message after the other, as they come, in one run",
		"task":            "only the task with this id",
		"to":              "the agent that takes over, or where it is reached",
		"root":            "a boundary of what may be used: a directory, or in MACP a URI",
		"token-file":      "the bearer token of http and https, a file",
		"type":            "the kind",
		"until":           "only before this time",
		"verbose":         "also what is right, or more of each",
		"wait":            "wait so long for answers",
	}
}
