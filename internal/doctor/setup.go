package doctor

import (
	"fmt"
	"slices"

	"agent/internal/app"
	"agent/internal/mcp/bridge"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/consent"
	"agent/internal/setup/hooks"
	"agent/internal/setup/instructions"
	"agent/internal/setup/permissions"
	"agent/internal/setup/servers"
	"agent/internal/words"
)

// checkSetup says what of a set-up is used in the current folder, and what is not.
func checkSetup(p *app.Process, f app.Folders, s *settings.Settings) []Finding {
	if p.Dir == "" {
		return nil
	}
	where := p.Where(f, p.Dir)
	texts := instructions.Find(instructions.Where{Where: where, Files: settings.Items(settings.InstructionFiles.Of(s))})
	callable := setup.Find(where, nil)
	rules := permissions.Read(where)
	trusted := p.Trust(f, s, p.Dir)
	found := []Finding{{"ok", fmt.Sprintf("set-up: %s, %s, %s", words.Count(len(texts.Files), "file")+" with instructions", words.Count(len(callable.Skills.Entries), "skill"), words.Count(len(callable.Commands.Entries), "command")), ""}}
	for _, unread := range texts.Unread {
		found = append(found, Finding{"note", "instructions: " + unread, ""})
	}
	for _, problem := range texts.Problems {
		found = append(found, Finding{"note", "instructions: " + problem.Error(), ""})
	}
	for _, left := range slices.Concat(callable.Skills.LeftOut, callable.Commands.LeftOut) {
		found = append(found, Finding{"note", "left out: " + left, ""})
	}
	for _, problem := range rules.Problems {
		found = append(found, Finding{"fix", "not protected: " + problem, "correct the rule; nothing keeps it until then"})
	}
	found = append(found, serverFindings(p, f, s)...)
	found = append(found, hookFindings(hooks.Find(where))...)
	return append(found, trustFindings(trusted)...)
}

// hookFindings says which hooks there are. Those that wait for consent are named with all
// that does.
func hookFindings(events hooks.Found) []Finding {
	var found []Finding
	if n := len(events.Hooks); n > 0 {
		found = append(found, Finding{"ok", words.Count(n, "hook") + " (/hooks lists them)", ""})
	}
	for _, left := range events.LeftOut {
		found = append(found, Finding{"fix", "not used: " + left, "correct it; it does nothing until then"})
	}
	return found
}

// serverFindings says how the servers are, as far as it is known. Nothing is started.
func serverFindings(p *app.Process, f app.Folders, s *settings.Settings) []Finding {
	configured, err := p.Servers(f, p.Dir, app.Options{})
	if err != nil {
		return []Finding{{"fix", "mcp: " + err.Error(), ""}}
	}
	configured.Trust = p.Trust(f, s, p.Dir)
	var found []Finding
	for _, problem := range configured.Problems {
		found = append(found, Finding{"fix", "mcp: " + problem, ""})
	}
	for _, note := range configured.Notes {
		found = append(found, Finding{"note", "mcp: " + note, ""})
	}
	const many = 20_000 // tokens of definitions
	for _, st := range configured.Status(s) {
		what := "mcp " + st.Name
		switch {
		case st.State == bridge.Unused && st.Origin == servers.Project && !st.Disabled:
			// what waits for consent is said with all that does
		case st.State == bridge.Unused:
			found = append(found, Finding{"note", what + ": " + st.Says(), ""})
		case st.Known.Failed != "":
			found = append(found, Finding{"fix", what + ": " + st.Known.Failed, "agent mcp test " + st.Name + " tries it again"})
		case st.State == bridge.Known && !st.Direct && st.Known.Tokens() > many:
			found = append(found, Finding{"note", fmt.Sprintf("%s: %s tokens of definitions, by search only", what, words.Tokens(st.Known.Tokens())), ""})
		default:
			found = append(found, Finding{"ok", what + ": " + st.Says(), ""})
		}
	}
	return found
}

// trustFindings says for doctor what of a repository is used, and what is not.
func trustFindings(t *consent.Trust) []Finding {
	report, err := t.Report()
	if err != nil {
		return []Finding{{"fix", err.Error(), "correct or remove that file"}}
	}
	var found []Finding
	for _, e := range report.Items {
		what := fmt.Sprintf("%s %s (%s)", e.Kind, e.Name, e.File)
		switch {
		case e.State == consent.Agreed:
			found = append(found, Finding{"ok", what + ": used", ""})
		case e.State.Asked():
			found = append(found, Finding{"note", what + ": waits for your yes", "agent trust"})
		default:
			found = append(found, Finding{"note", fmt.Sprintf("%s: %s", what, e.State), ""})
		}
	}
	for _, line := range report.Ignored {
		found = append(found, Finding{"note", "ignored: " + line, ""})
	}
	return found
}
