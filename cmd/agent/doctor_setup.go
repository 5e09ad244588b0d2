package main

import (
	"fmt"
	"slices"

	"agent/internal/app"
	"agent/internal/mcp/bridge"
	"agent/internal/settings"
	"agent/internal/setup/commands"
	"agent/internal/setup/hooks"
	"agent/internal/setup/instructions"
	"agent/internal/setup/permissions"
	"agent/internal/setup/servers"
	"agent/internal/setup/skills"
	"agent/internal/words"
)

// checkSetup says what of a set-up is used in the current folder, and what is not.
func checkSetup(w world, f app.Folders, s *settings.Settings) []finding {
	if w.Dir == "" {
		return nil
	}
	texts := instructions.Find(instructions.Where{Config: f.Config, Home: w.Home, Workspace: w.Dir, Files: settings.Items(settings.InstructionFiles.Of(s))})
	able := skills.Find(skills.Where{Config: f.Config, Home: w.Home, Workspace: w.Dir})
	callable := commands.Find(commands.Where{Config: f.Config, Home: w.Home, Workspace: w.Dir})
	rules := permissions.Read(permissions.Where{Home: w.Home, Workspace: w.Dir})
	trusted := w.Trust(f, s, w.Dir)
	found := []finding{{"ok", fmt.Sprintf("set-up: %s, %s, %s", words.Count(len(texts.Files), "file")+" with instructions", words.Count(len(able.Skills), "skill"), words.Count(len(callable.Commands), "command")), ""}}
	for _, unread := range texts.Unread {
		found = append(found, finding{"note", "instructions: " + unread, ""})
	}
	for _, problem := range texts.Problems {
		found = append(found, finding{"note", "instructions: " + problem.Error(), ""})
	}
	for _, left := range slices.Concat(able.LeftOut, callable.LeftOut) {
		found = append(found, finding{"note", "left out: " + left, ""})
	}
	for _, problem := range rules.Problems {
		found = append(found, finding{"fix", "not protected: " + problem, "correct the rule; nothing keeps it until then"})
	}
	found = append(found, serverFindings(w, f, s)...)
	found = append(found, hookFindings(w, f)...)
	return append(found, trustFindings(trusted)...)
}

// hookFindings says which hooks there are. Those that wait for consent are named with all
// that does.
func hookFindings(w world, f app.Folders) []finding {
	events := hooks.Find(hooks.Where{Config: f.Config, Home: w.Home, Workspace: w.Dir})
	var found []finding
	if n := len(events.Hooks); n > 0 {
		found = append(found, finding{"ok", words.Count(n, "hook") + " (/hooks lists them)", ""})
	}
	for _, left := range events.LeftOut {
		found = append(found, finding{"fix", "not used: " + left, "correct it; it does nothing until then"})
	}
	return found
}

// serverFindings says how the servers are, as far as it is known. Nothing is started.
func serverFindings(w world, f app.Folders, s *settings.Settings) []finding {
	configured, err := w.Servers(f, w.Dir, app.Options{})
	if err != nil {
		return []finding{{"fix", "mcp: " + err.Error(), ""}}
	}
	configured.Trust = w.Trust(f, s, w.Dir)
	var found []finding
	for _, problem := range configured.Problems {
		found = append(found, finding{"fix", "mcp: " + problem, ""})
	}
	for _, note := range configured.Notes {
		found = append(found, finding{"note", "mcp: " + note, ""})
	}
	const many = 20_000 // tokens of definitions
	for _, st := range configured.Status(s) {
		what := "mcp " + st.Name
		switch {
		case st.State == bridge.Unused && st.Origin == servers.Project && !st.Disabled:
			// what waits for consent is said with all that does
		case st.State == bridge.Unused:
			found = append(found, finding{"note", what + ": " + st.Says(), ""})
		case st.Known.Failed != "":
			found = append(found, finding{"fix", what + ": " + st.Known.Failed, "agent mcp test " + st.Name + " tries it again"})
		case st.State == bridge.Known && !st.Direct && st.Known.Tokens() > many:
			found = append(found, finding{"note", fmt.Sprintf("%s: %s tokens of definitions, by search only", what, words.Tokens(st.Known.Tokens())), ""})
		default:
			found = append(found, finding{"ok", what + ": " + st.Says(), ""})
		}
	}
	return found
}
