package app

import (
	"context"
	"fmt"

	"agent/internal/app/hookgates"
	"agent/internal/app/sessionnotes"
	"agent/internal/gate"
	"agent/internal/llm/vendor"
	"agent/internal/protect/sensitive"
	"agent/internal/rules"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/websearch"
)

// newPlace opens the place of a conversation. It writes nothing to disk that remains. It returns an
// InputError if the options are invalid.
func newPlace(p *Process, o Options, ends *closers) (*place, error) {
	bounds, err := p.Policy()
	if err != nil {
		return nil, err
	}
	at := &place{process: p, options: o, settings: o.Settings.Overlay(), offered: offeredTools(bounds.CheckTool, o)}
	bounds.NarrowSettings(at.settings)
	at.known = knownTools(at.offered, settings.WebSearch.Value(at.settings) != websearch.Off)
	at.notices = at.settings.NarrowedReasons()
	if at.folders, err = p.Folders(); err != nil {
		return nil, err
	}
	log, err := p.Log()
	if err != nil {
		return nil, err
	}
	at.log = log.Logger
	at.profiles = settings.NewStore(at.folders.Config, at.settings.Registry())
	if own := o.Record.Folder; own != "" {
		at.folders.Data, at.folders.State, at.folders.Cache = own, own, own
	}
	if !o.Record.Off {
		p.keepNumbers(at.folders)
	}
	if p.ModelsAge && !o.Record.Off {
		if notice := outdatedModels(at.folders.State, p.Now()); notice != "" {
			at.notices = append(at.notices, notice)
		}
	}
	if at.policy, err = flagPolicy(at.known, o); err != nil {
		return nil, err
	}
	if err := at.openWorkspace(ends); err != nil {
		return nil, err
	}
	at.where, at.notes = p.TrustedLocations(at.folders, at.workspace.Root()), at.readNotes()
	unconfined, err := p.prepareSandbox(at.settings)
	if unconfined != "" {
		at.notices = append(at.notices, unconfined)
	}
	return at, err
}

// readNotes starts to read the notes of the workspace, unless notes are off.
func (at *place) readNotes() *sessionnotes.Preload {
	if at.options.NoSetup || settings.Notes.Value(at.settings) == "off" || at.options.Record.Folder != "" {
		return &sessionnotes.Preload{}
	}
	book := sessionnotes.Open(at.folders.Config, at.process.Home, at.workspace.Root())
	return sessionnotes.StartReading(book, at.process.Now)
}

// offeredTools returns the tools of the program itself. A tool that allowed refuses is not offered, but
// stays known, so that rules can name it.
func offeredTools(allowed func(name string) error, o Options) []tools.Tool {
	offered := tools.Default()
	for i := range offered {
		offered[i].Unoffered = offered[i].Unoffered || allowed(offered[i].Name) != nil
	}
	if o.Record.Off {
		offered = tools.WithoutRecord(offered)
	}
	if o.searches() {
		offered = tools.WithSessions(offered)
	}
	if o.Unattended {
		offered = tools.WithoutUser(offered)
	}
	return offered
}

// knownTools returns a registry of the program's tools. It also knows the names that tools added later
// may have, such as tools of MCP servers. It contains web search only if searches is set.
func knownTools(offered []tools.Tool, searches bool) *tools.Registry {
	known := []tools.Source{tools.FixedSource(offered...)}
	if searches {
		known = append(known, tools.FixedSource(tools.ServerSearchTool(nil)))
	}
	none := func() []tools.Tool { return nil }
	isTask := func(name string) bool { return name == tools.TaskName }
	for _, s := range append(toolSources(), toolSource{names: isTask}) {
		known = append(known, tools.Source{List: none, Expects: s.names})
	}
	return tools.Join(known...)
}

func flagPolicy(known *tools.Registry, o Options) (p gate.Policy, err error) {
	parse := func(flag string, texts []string) (allowed rules.Rules, err error) {
		for _, text := range texts {
			rule, err := hookgates.ParseAllowFlag(known, text)
			if err != nil {
				return nil, InputError{fmt.Errorf("%s: %w", flag, err)}
			}
			allowed = append(allowed, rule...)
		}
		return allowed, nil
	}
	p.Unattended, p.ParseRule = o.Unattended, known.ParseRule
	if p.Allow, err = parse("--allow", o.Allow); err != nil {
		return p, err
	}
	p.AllowOutside, err = parse("--allow-outside", o.AllowOutside)
	return p, err
}

// openWorkspace opens the folder to work in, its temporary folders, and the objects that run commands.
func (at *place) openWorkspace(ends *closers) error {
	confined, remove, err := at.process.OpenWorkspace(at.options.Workspace, at.settings)
	if err != nil {
		return err
	}
	at.workspace, at.survey = confined, sensitive.New(confined.Root(), sensitive.MaxFolders)
	at.jobs = shell.NewJobs(at.process.Environ, []string{vendor.EnvKey})
	at.jobs.Preferred = shell.Kind(settings.Shell.Value(at.settings))
	forget := at.process.OnAbort(func() { at.jobs.KillAll(); _ = remove() })
	ends.add(func() error { forget(); return nil })
	ends.add(remove)
	sweeping, stop := context.WithCancel(context.Background())
	swept := make(chan struct{})
	go func() { defer close(swept); confined.Sweep(sweeping, at.process.Now()) }()
	ends.add(func() error { stop(); <-swept; return nil })
	ends.add(func() error { at.jobs.Close(); return nil })
	return nil
}

// prepareSandbox returns a notice if commands cannot be confined, or an error if the settings
// require a sandbox.
func (p *Process) prepareSandbox(s *settings.Settings) (notice string, err error) {
	wanted := settings.Sandbox.Value(s)
	if wanted == settings.SandboxOff {
		p.swept.Do(sandbox.EndLeftovers)
		return "", nil
	}
	box := sandbox.Detect()
	if !(sandbox.Confinement{Sandbox: box}).Guarantees(sandbox.ProfileWork).Ends {
		p.swept.Do(sandbox.EndLeftovers)
	}
	switch {
	case box.IsActive():
		return "", nil
	case wanted == settings.SandboxRequire:
		return "", InputError{fmt.Errorf("the setting sandbox is require, but no sandbox is available: %s", box.Describe())}
	}
	return "Commands run without a sandbox: " + box.Describe(), nil
}
