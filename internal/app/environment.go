package app

import (
	"slices"

	"agent/docs"
	"agent/internal/app/extensions"
	"agent/internal/app/hookgates"
	"agent/internal/app/sessionnotes"
	"agent/internal/base/fsutil"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/manual"
	"agent/internal/protect"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/trace"
)

// newConversationParts creates the parts around the turn loop. It returns notices for the user.
func newConversationParts(at *place, rec *record, models *endpoints, line *chat.Handle, ends *closers) (_ *conversationParts, notices []string, err error) {
	allowed, bounds := consentOf(at, rec), at.process.underPolicy()
	ruling, ruled := hookgates.FindRules(at.where, bounds.Rules(at.workspace.Root(), at.process.Home), at.workspace, allowed, at.known)
	files, err := readSetUp(at, ruling)
	if err != nil {
		return nil, nil, err
	}
	happened := &events{logger: rec.logger, rec: rec, front: at.options.Events}
	tracer := trace.Start(at.process.Env, at.process.Version, rec.id, func() string { return settings.Model.Value(at.settings) }, at.process.printable, at.process.Now)
	at.jobs.Traced = tracer.TraceParent
	ends.add(func() error { tracer.Close(); return nil })

	notes := sessionnotes.New(sessionnotes.Config{
		Settings: at.settings, Root: at.workspace.Root(), Trust: files.trust,
		Recorded: !at.options.Record.Off, Searches: at.options.searches(), Unattended: at.options.Unattended,
		HasRoom: models.hasRoom, Origin: rec.origin, Record: rec.note, Emit: happened.emit, Now: at.process.Now,
	}, at.notes)
	confined := confinement{at, ruling, &guarded{programs: files.servers.Programs()}}
	reach := mayReach(bounds, ruling)
	env, late := environment(rec, models, files, confined, notes, reach, ends)
	host := &hookgates.Host{
		Consent: allowed, Loop: line, Env: env, Known: at.known, Home: at.where.Home,
		Settings: at.settings, ID: rec.id, Transcript: rec.path, Trust: files.trust,
		Confinement: confined.now, Say: at.process.say, Did: rec.acts.did,
	}
	servers := newServers(rec, models, host, files.servers, mayName(bounds, ruling), tracer.TraceParent, happened.emit, line)
	ends.add(servers.Close)
	begun, changes := startOf(at, rec)
	tell := func() []history.Block { return slices.Concat(changes(), servers.Updates(), notes.News()) }
	texts, brings := extensions.New(extensions.Config{
		Settings: at.settings, Where: at.where, Env: env, Lend: host.GrantForTurn, Trust: files.trust, Off: at.options.NoSetup, Rules: ruling, Servers: servers, News: tell, Window: models.window,
		Unattended: at.options.Unattended, NoImages: models.noImages, Environ: confined.environ, Log: at.log,
	}, files.texts)
	notices = slices.Concat(ruled, brings, hookgates.SkippedLines(files.hooks), files.notices(at.options.AsksTrust), texts.ChooseInstructions(), late)
	asked := newSymbols(at, rec, confined, ends)
	host.Served, host.Problems = asked.served, asked.problems
	return &conversationParts{
		at: at, rec: rec, models: models, events: happened, host: host, trust: files.trust, guarded: confined.guarded,
		guards: &guards{
			bounds: bounds, rules: ruling, checks: hookgates.NewChecks(host, ruling), hooks: hookgates.NewHooks(host, files.hooks), front: at.options.Gates,
		},
		web: newWeb(rec, env, models, ruling, reach), servers: servers, symbols: asked, notes: notes, texts: texts, start: begun, news: tell,
		tracer: tracer, leftOut: slices.Concat(ruled, files.leftOut()),
	}, notices, nil
}

func environment(rec *record, models *endpoints, files setUp, confined confinement, own *sessionnotes.Notes, reach func(host string) error, ends *closers) (env *tools.Env, notices []string) {
	at := rec.at
	env = &tools.Env{
		Manual: func(words string) (string, bool) {
			return manual.Read(manual.Pages(docs.Files), words, "agent-docs:")
		},
		Workspace:   at.workspace,
		Seen:        tools.NewSeenFiles(),
		Jobs:        at.jobs,
		Confinement: confined.now,
		Named:       at.options.Named,
		Hosts:       reach,
		Documents:   models.documents,
		Notes:       own.ForTool(),
		Sessions:    earlierSessions(at, rec, own),
		Protected: protect.ProtectionRules{
			Home: fsutil.ResolveLinks(at.process.Home), Own: at.process.ownFiles(at.folders, at.settings),
			Denied:      append(at.process.realPaths(settings.SandboxDenyRead.Value(at.settings)), confined.rules.Hidden...),
			RuleForFile: confined.rules.RuleForFile,
			Keeps:       confined.rules.MayAskToRead(),
			IsApproved:  confined.guarded.holds,
			IsRunByGit:  func(abs string) bool { return sandbox.IsRunByGit(abs, at.process.gitConfigurations()) },
		},
	}
	for _, s := range files.texts.Skills.Entries {
		at.workspace.AllowReading(s.Dir)
		env.Protected.Open = append(env.Protected.Open, fsutil.ResolveLinks(s.Dir))
	}
	if !rec.how.Off {
		if notice, err := at.folders.storeStrategy(); err != nil {
			at.log.Warn("Can't save the default strategy of this installation", "error", err)
		} else if notice != "" {
			notices = append(notices, notice)
		}
	}
	store, remarks := keepFiles(at, rec, env.Protected, ends)
	board, damaged := rec.todos()
	env.Snapshots, env.Todos = store, board
	if notices = append(notices, remarks...); damaged != "" {
		notices = append(notices, damaged)
	}
	return env, notices
}
