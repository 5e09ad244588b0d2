package app

import (
	"errors"
	"slices"
	"strings"

	"agent/internal/extend/setup/agents"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/tools"
	"agent/internal/tools/decode"
)

// notForAgents lists tools that no subagent has, because they are for the user's conversation.
var notForAgents = []string{tools.TaskName, "ask_user", "present_plan", "todo_write", "todo_read", "remember"}

// errNoTools is the reason why a subagent is not offered.
var errNoTools = errors.New("no tool is left for the subagent")

// broughtTools lists tools that a conversation has only with certain settings or servers.
var broughtTools = []string{"web_search", "skill", "mcp_find", "mcp_call", "mcp_read"}

// FindAgents returns the subagents that can be offered in a folder. It omits those whose files leave them no
// tool. A server may still add tools later.
func FindAgents(w trustedfile.Locations) agents.Set {
	set := agents.Find(w)
	known := slices.Concat(tools.NewRegistry(tools.Default()...).Names(), broughtTools)
	set.Agents = slices.DeleteFunc(set.Agents, func(a agents.Agent) bool {
		has, _ := toolsOf(a, known)
		if slices.ContainsFunc(known, has) || slices.ContainsFunc(a.Tools, ofServer) {
			return false
		}
		set.Skipped = append(set.Skipped, a.File+": "+errNoTools.Error())
		return true
	})
	return set
}

// onlyLooks reports whether a subagent is read-only: its mode is read-only, or each tool that its file
// names is.
func onlyLooks(a agents.Agent) bool {
	if a.Looks || a.Tools == nil {
		return a.Looks
	}
	all := tools.NewRegistry(tools.Default()...)
	_, unknown := namedTools(a.Tools, all.Names())
	more := func(name string) bool { return ofServer(name) || strings.HasSuffix(name, "*") } // the rule may name tools that are added later
	if len(unknown) > 0 || slices.ContainsFunc(a.Tools, more) {
		return false
	}
	has, _ := toolsOf(a, all.Names())
	return !slices.ContainsFunc(broughtTools, has) && !slices.ContainsFunc(all.All(), func(t tools.Tool) bool { return has(t.Name) && !t.IsHarmless() })
}

// toolsFor selects the tools of a subagent from the tools of a conversation. It returns a note for each
// unknown name in the subagent's file, and an error if no tool is left.
func toolsFor(a agents.Agent, of *tools.Registry) (*tools.Registry, []string, error) {
	known := of.Names()
	has, notes := toolsOf(a, append(known, tools.TaskName))
	if !slices.ContainsFunc(known, has) {
		return nil, notes, errNoTools
	}
	return tools.Join(tools.Source{
		Revision: func() uint64 { return of.CurrentTools().Revision },
		List: func() []tools.Tool {
			return slices.DeleteFunc(of.All(), func(t tools.Tool) bool { return !has(t.Name) })
		},
	}), notes, nil
}

// toolsOf returns a function that reports whether a subagent has one of the known tools, and a note for
// each unknown name in its file.
func toolsOf(a agents.Agent, known []string) (has func(name string) bool, notes []string) {
	wanted, notes := namedTools(a.Tools, known)
	without, _ := namedTools(a.Without, known)
	if slices.Contains(without, "replace") || slices.Contains(without, "write_file") {
		without = append(without, "apply_patch") // apply_patch replaces both tools
	}
	return func(name string) bool {
		return !slices.Contains(notForAgents, name) && (a.Tools == nil || slices.Contains(wanted, name)) && !slices.Contains(without, name)
	}, notes
}

// ofServer reports whether a name in a subagent's file may be the name of a server's tool.
func ofServer(name string) bool { return strings.HasPrefix(name, "mcp") || strings.Contains(name, "/") }

// matching returns the known tools that a name matches. An asterisk at the end matches any text. A tool of
// a server also matches the names that other programs use for it: SERVER/TOOL, SERVER_TOOL and
// mcp_SERVER_TOOL.
func matching(name string, known []string) (found []string) {
	flat := strings.NewReplacer("__", "_", "/", "_")
	prefix, all := strings.CutSuffix(name, "*")
	fits := func(name, known string) bool { return known == name || all && strings.HasPrefix(known, name) }
	for _, tool := range known {
		ours := flat.Replace(tool)
		theirs, served := strings.CutPrefix(ours, "mcp_")
		if fits(prefix, tool) || served && strings.Contains(tool, "__") && (fits(flat.Replace(prefix), ours) || prefix != "" && fits(flat.Replace(prefix), theirs)) {
			found = append(found, tool)
		}
	}
	return found
}

// namedTools returns the tools for names as any coding agent writes them, and a note for each unknown name.
func namedTools(names, known []string) (meant, notes []string) {
	for _, name := range names {
		bare, _, _ := strings.Cut(strings.TrimSpace(name), "(")
		found := matching(bare, known)
		if len(found) == 0 {
			found = decode.ToolsByForeignName(bare)
		}
		if len(found) == 0 {
			found = decode.ToolsByCopilotName(bare)
		}
		if len(found) == 0 {
			notes = append(notes, "unknown tool "+name+" in the subagent's file")
		}
		meant = append(meant, found...)
	}
	return meant, notes
}
