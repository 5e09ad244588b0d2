package tools

import (
	"context"
	"encoding/json"
	"slices"

	"agent/internal/cmdline"
	"agent/internal/text/patch"
	"agent/internal/tools/decode"
)

// AsPatch returns a call as what it does: a command that does nothing but give a patch to
// apply_patch is a call of that tool. GPT models write such commands, with or without the
// tool; this way consent, rules, density and the record see an edit (D-92). Other calls
// stay as they are.
func (r *Registry) AsPatch(name, arguments string) (string, string) {
	tool, err := r.Get(name)
	if err != nil || !tool.Runs {
		return name, arguments
	}
	all := r.All()
	at := slices.IndexFunc(all, func(t Tool) bool { return t.EditsOnly() && len(t.Density.Patch) > 0 })
	var given map[string]json.RawMessage
	if at < 0 || json.Unmarshal([]byte(arguments), &given) != nil {
		return name, arguments
	}
	for _, parameter := range tool.Density.Command {
		dir, text, ok := cmdline.Applied(commandLine(given[parameter]))
		if !ok {
			continue
		}
		var folder string
		if given["directory"] != nil && json.Unmarshal(given["directory"], &folder) != nil {
			continue
		}
		meant, err := json.Marshal(map[string]string{all[at].Density.Patch[0]: patch.Below(cmdline.Below(folder, dir), text)})
		if err == nil {
			return all[at].Name, string(meant)
		}
	}
	return name, arguments
}

// commandLine is a command as a line: a text, or the words of it.
func commandLine(raw json.RawMessage) string {
	var line string
	var words []string
	if json.Unmarshal(raw, &line) == nil || json.Unmarshal(raw, &words) != nil {
		return line
	}
	for i, word := range words {
		if i > 0 {
			line += " "
		}
		line += cmdline.Quote(word)
	}
	return line
}

// commandNotFound is how a shell ends when there is no such program.
const commandNotFound = 127

// planNoPatch plans a command that uses apply_patch as a program beside others: it runs
// nothing.
func planNoPatch() Plan {
	exit := commandNotFound
	return Plan{
		Preview: Preview{Title: "answer that apply_patch is no program", ReadOnly: true},
		Apply: func(context.Context) Answer {
			return Answer{Error: "apply_patch is a tool here, not a program; call it with the patch. Nothing of the command was run", ExitCode: &exit, Note: "[exit 127]"}
		},
	}
}

// Meant returns what a call means among the tools there are now, by the names that they
// have. Calls of tools that are not the program's own stay as they are. A command that is
// a patch is one.
func (r *Registry) Meant(name, arguments string) decode.Call {
	now := r.Now()
	meant := decode.Meant(name, arguments, func(name string) (json.RawMessage, bool) {
		i, ok := now.index[name]
		if !ok {
			return nil, false
		}
		return now.tools[i].takes, true
	})
	meant.Name, meant.Arguments = r.AsPatch(meant.Name, meant.Arguments)
	return meant
}
