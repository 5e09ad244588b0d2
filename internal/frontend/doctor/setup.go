package doctor

import (
	"context"
	"fmt"
	"slices"

	"agent/internal/app"
	"agent/internal/app/sessionnotes"
	"agent/internal/base/humanize"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/extend/setup"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/instructions"
	"agent/internal/extend/setup/permissions"
	"agent/internal/notes"
	"agent/internal/settings"
)

// setup reports the instructions, skills, commands, rules, servers and hooks of a folder: which of them the
// agent uses and which not.
func (r *report) setup(p *app.Process, f app.Folders, dir string, s *settings.Settings) {
	where := p.TrustedLocations(f, dir)
	texts := instructions.Find(instructions.Locations{Locations: where, Files: settings.SplitItems(settings.InstructionFiles.Value(s))})
	callable := setup.Find(where, nil)
	events := hooks.Find(where)
	r.ok(fmt.Sprintf("setup: %s with instructions, %s, %s", humanize.Count(len(texts.Files), "file"), humanize.Count(len(callable.Skills.Entries), "skill"), humanize.Count(len(callable.Commands.Entries), "command")))
	r.addEach("note", "instructions: ", texts.Unread, "")
	for _, problem := range texts.Problems {
		r.note("instructions: "+problem.Error(), "")
	}
	r.addEach("note", "left out: ", slices.Concat(callable.Skills.Skipped, callable.Commands.Skipped, app.FindAgents(where).Skipped), "")
	rules := permissions.Read(where)
	for _, file := range rules.Sources {
		if n, _ := rules.InFile(file); n > 0 {
			r.ok(fmt.Sprintf("rules of %s: %s (deny, or require approval)", file, humanize.Count(n, "rule")))
		}
	}
	r.addEach("fix", "invalid rule: ", rules.Problems, "correct the rule; it has no effect until then")
	r.servers(p, f, dir, s)
	r.languageServers(p, dir, s)
	if n := len(events.Hooks); n > 0 {
		r.ok(humanize.Count(n, "hook") + " (to list them, type /hooks)")
	}
	r.addEach("fix", "hook not used: ", events.Skipped, "correct the hook; it has no effect until then")
	r.notes(p, f, dir, s)
	r.trust(p.Trust(f, s, dir))
}

// notes reports how many notes are used, and the problems in their files.
func (r *report) notes(p *app.Process, f app.Folders, dir string, s *settings.Settings) {
	if settings.Notes.Value(s) == "off" {
		return
	}
	book := sessionnotes.Open(f.Config, p.Home, dir)
	all, problems := book.Notes()
	if line := notes.Summary(book.Checker().Check(all, p.Now), p.Now()); line != "" {
		r.ok(line)
	}
	r.addEach("fix", "notes: ", problems, "correct or delete the note; it is not used until then")
	r.addEach("note", "notes: ", book.OtherLines(), "")
}

// servers reports the known state of the MCP servers. It starts none.
func (r *report) servers(p *app.Process, f app.Folders, dir string, s *settings.Settings) {
	configured, err := p.Servers(f, dir, app.Options{})
	if err != nil {
		r.fix("mcp: "+err.Error(), "")
		return
	}
	configured.Trust = p.Trust(f, s, dir)
	_, problems := f.Plugins().Locations()
	r.addEach("fix", "", problems, "")
	r.addEach("fix", "mcp: ", configured.Problems, "")
	r.addEach("note", "mcp: ", configured.Notes, "")
	const many = 20_000 // number of tokens from which definitions count as large
	for _, st := range configured.Status(s) {
		what := "mcp " + st.Configured.Name + ": "
		switch {
		case st.State == bridge.StateUnused && st.Configured.NeedsConsent() && !st.Configured.Disabled:
			// trust reports all items that wait for consent
		case st.State == bridge.StateUnused:
			r.note(what+st.Summary(), "")
		case st.Known.Failed != "":
			r.fix(what+st.Known.Failed, "agent mcp test "+st.Configured.Name+" to retry")
		case st.State == bridge.StateKnown && !st.OfferedDirectly && st.Known.Tokens() > many:
			r.note(what+humanize.Tokens(st.Known.Tokens())+" tokens of definitions, so the model finds its tools only by search", "")
		default:
			r.ok(what + st.Summary())
		}
	}
}

// languageServers reports the language servers that are installed or missing for the files of the
// folder.
func (r *report) languageServers(p *app.Process, dir string, s *settings.Settings) {
	if settings.LanguageServers.Value(s) == settings.ServersOff {
		return
	}
	found, missing := app.LanguageServers(context.Background(), dir, p.Environ)
	for _, server := range found {
		r.ok("language server: " + server)
	}
	r.addEach("note", "no language server for ", missing, "install one to let the model use the tool symbol")
}

// trust reports the state of each item of a repository that needs consent. It also reports the hooks and
// servers that still wait for consent.
func (r *report) trust(t *consent.Trust) {
	report, err := t.Report()
	if err != nil {
		r.fix(err.Error(), "correct or remove this file")
		return
	}
	for _, e := range report.Items {
		what := fmt.Sprintf("%s %s (%s): ", e.Kind, e.Name, e.File)
		switch {
		case e.State == consent.StateApproved:
			r.ok(what + "used")
		case e.State.NeedsAnswer():
			r.note(what+"needs your approval", "agent trust")
		default:
			r.note(what+fmt.Sprint(e.State), "")
		}
	}
	r.addEach("note", "ignored: ", report.Ignored, "")
}
