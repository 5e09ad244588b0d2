package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/protect"
	"agent/internal/protect/survey"
	"agent/internal/provider"
	"agent/internal/rules"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tokens"
	"agent/internal/tools"
	"agent/internal/tui"
	"agent/internal/workspace"
	"agent/prompts"
)

// app is a program set up to converse in one workspace.
type app struct {
	world      world
	folders    folders
	workspace  *workspace.Workspace
	survey     *survey.Survey
	settings   *settings.Settings
	profiles   *settings.Store
	registry   *tools.Registry
	env        *tools.Env
	connection *provider.Connection
	chat       *chat.Chat
	log        *eventLog
	// session is the record of the conversation, nil when none is kept.
	session *session.Log
	// scratch is set when the record is gone with the program.
	scratch bool
	// next is the session to go on with once this one is left, "" for none.
	next string
	// notices are for the user to read at the start.
	notices []string
	// earlier is the end of the conversation that is taken up again, for the screen.
	earlier tui.Earlier
	tally   tally
	// pasted counts the images that came from the clipboard.
	pasted  atomic.Int64
	closers []func() error
}

// appMode is what the ways of running differ in.
type appMode struct {
	emit       func(chat.Event)
	unattended bool
	endpoint   endpointSource
	// ask puts a question to the user before the screen is there.
	ask asker
}

// newApp sets everything up. The caller closes it.
func newApp(ctx context.Context, w world, o sessionOptions, mode appMode) (*app, error) {
	offered := tools.Default()
	if o.noSession {
		offered = tools.WithoutRecord(offered)
	}
	a := &app{world: w, registry: tools.NewRegistry(offered...)}
	if err := a.setUp(ctx, o, mode); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// setUp goes from what is refused cheaply to what leaves traces.
func (a *app) setUp(ctx context.Context, o sessionOptions, mode appMode) (err error) {
	if a.folders, err = a.world.folders(); err != nil {
		return err
	}
	a.log = newEventLog(a.folders.state, o.debug)
	if o.records != "" {
		a.folders.data, a.folders.state, a.scratch = o.records, o.records, true
	}
	a.onClose(a.log.close)
	slog.SetDefault(a.log.logger) // rooms that report a defect know no file
	if a.settings, a.profiles, err = newSettings(a.world, a.folders, o.settingsOptions); err != nil {
		return err
	}
	allowed, err := parseRules("--allow", o.allow, a.registry)
	if err != nil {
		return err
	}
	outside, err := parseRules("--allow-outside", o.allowOutside, a.registry)
	if err != nil {
		return err
	}
	if err := a.openWorkspace(o.workspace); err != nil {
		return err
	}
	a.connection = newConnection(a.settings, a.world, a.folders, mode.ask)
	a.onClose(a.connection.Close)
	var recorded session.State
	if o.resumes() { // whom it talked to is in the record
		if recorded, err = a.record(o); err != nil {
			return err
		}
	}
	if err := a.connect(ctx, mode); err != nil {
		_ = a.world.tell(a.notices...) // the record may be why
		return err
	}
	if err := a.confirmWorkspace(ctx, mode.ask); err != nil {
		return err
	}
	system, err := a.systemPrompt()
	if err != nil {
		return err
	}
	if !o.resumes() {
		if recorded, err = a.record(o); err != nil {
			return err
		}
	}
	a.keepFiles(o.fork, recorded.Parent)
	a.restoreTodos(recorded.Todos)
	return a.converse(mode, allowances{allowed, outside}, system, recorded)
}

// allowances are the rules of the command line: for commands in the sandbox, and
// for those that leave it.
type allowances struct{ inside, outside rules.Rules }

// sessionID names the session, "" when none is kept.
func (a *app) sessionID() string {
	if a.session == nil {
		return ""
	}
	return a.session.ID()
}

// transcriptPath is the file that keeps the conversation, "" when none does.
func (a *app) transcriptPath() string {
	if a.session == nil {
		return ""
	}
	return a.session.Path()
}

// cacheKey stands for a session at providers, which need not learn its name.
func cacheKey(sessionID string) string {
	if sessionID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(sessionID))
	return hex.EncodeToString(sum[:16])
}

func parseRules(flag string, texts []string, registry *tools.Registry) (rules.Rules, error) {
	var allowed rules.Rules
	for _, text := range texts {
		rule, err := registry.ParseRule(text)
		if err != nil {
			return nil, usage(fmt.Errorf("%s: %w", flag, err))
		}
		allowed = append(allowed, rule)
	}
	return allowed, nil
}

// openWorkspace opens the folder to work in, with a temporary folder of its own
// and the means to run commands.
func (a *app) openWorkspace(dir string) error {
	confined, remove, err := a.world.newWorkspace(dir)
	if err != nil {
		return err
	}
	a.workspace, a.survey = confined, survey.New(confined.Root(), survey.MaxFolders)
	a.onClose(remove)
	sweeping, stop := context.WithCancel(context.Background())
	swept := make(chan struct{})
	go func() { defer close(swept); confined.Sweep(sweeping, a.world.now()) }()
	a.onClose(func() error { stop(); <-swept; return nil })
	jobs := shell.NewJobs(a.world.environ, []string{llm.EnvKey})
	a.onClose(func() error { jobs.Close(); return nil })
	a.world.abandon.add(jobs.Kill)
	a.world.abandon.add(func() { _ = remove() })
	a.env = &tools.Env{
		Workspace:   confined,
		Seen:        tools.NewSeen(),
		Jobs:        jobs,
		Confinement: a.confinement,
		Protected:   protect.Places{Home: realPath(a.world.home), Own: ownFiles(a.world, a.folders, a.settings)},
	}
	return a.prepareSandbox()
}

// confirmWorkspace asks whether to work in the home folder or above it, beside keys
// and what shells run (D-61). Where nobody can be asked it is only said: a script
// names its folder on purpose, and what is protected is refused there.
func (a *app) confirmWorkspace(ctx context.Context, ask asker) error {
	root := a.workspace.Root()
	if !protect.Holds(root, realPath(a.world.home)) {
		return nil
	}
	if ask == nil {
		a.notices = append(a.notices, "The workspace "+root+" holds the home folder; -C names a folder of a project")
		return nil
	}
	yes, err := ask(ctx, "The workspace "+root+" holds your home folder, with all that is in it. Work there?")
	if err == nil && !yes {
		err = usage(errors.New("start in the folder of a project, or name it with -C"))
	}
	return err
}

// connect finds somebody to talk to.
func (a *app) connect(ctx context.Context, mode appMode) error {
	notice, closer, err := mode.endpoint(ctx, a.connection)
	if closer != nil {
		a.onClose(func() error { closer(); return nil })
	}
	if notice != "" {
		a.notices = append(a.notices, notice)
	}
	return err
}

// converse makes the conversation itself, or takes the recorded one up again.
func (a *app) converse(mode appMode, allowed allowances, system chat.SystemPrompt, recorded session.State) error {
	vocabularies := &tokens.Vocabularies{}
	counter := func(model string) history.Counter { return vocabularies.Counter(model) }
	var observer history.Observer
	var unsaved func() error
	var readPast func() (chat.Past, error)
	var recall func([]history.Recorded) (history.Recollection, error)
	if a.session != nil {
		observer, unsaved, readPast, recall = a.session.Observe, a.session.Unsaved, a.readPast, a.session.Recall
	}
	compressionPrompt, lacks, err := prompts.Compression(filepath.Join(a.folders.config, "prompts"))
	if err != nil {
		return err
	}
	if lacks != "" {
		a.notices = append(a.notices, lacks)
	}
	conversation, err := a.conversation(chat.Config{
		Provider:     a.connection.Provider,
		Counter:      counter,
		Tools:        a.registry,
		Env:          a.env,
		Root:         a.workspace.Root(),
		SessionRoot:  recorded.Workspace,
		History:      history.NewService(counter(settings.Model.Of(a.settings)), observer),
		Unsaved:      unsaved,
		ReadPast:     readPast,
		Recall:       recall,
		Settings:     a.settings,
		ContextLimit: a.connection.ContextLimit,
		Local:        a.connection.Local,
		Cuts:         a.connection.Cuts,
		Prices:       a.connection.Prices,
		System:       system,

		CompressionPrompt: compressionPrompt,
		OtherModel:        a.otherModel,
		TranscriptPath:    a.transcriptPath,

		Expand: func(ctx context.Context, message atcmd.Message) (atcmd.Expansion, error) {
			return atcmd.Expand(ctx, message, atcmd.Options{
				Root:     a.workspace.Root(),
				NoImages: a.connection.NoImages(settings.Model.Of(a.settings)),
				Shown:    a.env.Seen.Record, // the model may edit what it was shown
				HoldsKeys: func(path string) bool {
					return a.env.Protected.Read(filepath.Join(a.workspace.Root(), path), path).Care != protect.Free
				},
			})
		},
		Allow:        allowed.inside,
		AllowOutside: allowed.outside,
		CacheKey:     cacheKey(a.sessionID()),
		Unattended:   mode.unattended,
		Emit:         func(e chat.Event) { a.note(e); mode.emit(e) },
		Now:          a.world.now,
	}, recorded)
	if err != nil {
		return err
	}
	a.chat = conversation
	a.connection.OnLearned(a.chat.Refresh, a.chat.Note)
	return nil
}

// note keeps what the event leaves on disk besides the conversation itself.
func (a *app) note(e chat.Event) {
	a.log.event(e)
	a.tally.take(e)
	if notice, ok := e.(chat.Notice); ok && a.session != nil {
		a.logged(a.session.Notice(notice.Text))
	}
}

// systemPrompt reads the instructions of this session.
func (a *app) systemPrompt() (chat.SystemPrompt, error) {
	root := a.workspace.Root()
	instructions, problems := prompts.Instructions(a.folders.config, a.world.home, root)
	if len(instructions) > 0 {
		var files []string
		for _, i := range instructions {
			files = append(files, a.shortPath(i.Source))
		}
		a.notices = append(a.notices, "Instructions: "+strings.Join(files, ", "))
	}
	for _, problem := range problems {
		a.notices = append(a.notices, problem.Error())
	}
	templates, err := prompts.Load(filepath.Join(a.folders.config, "prompts"))
	if err != nil {
		return nil, err
	}
	return systemPrompt(templates, prompts.Session{
		Workspace:    root,
		Platform:     runtime.GOOS + "/" + runtime.GOARCH,
		Date:         a.world.now().Format("2006-01-02"),
		Instructions: instructions,
	}), nil
}

// shortPath is a path from the workspace where it is below it.
func (a *app) shortPath(path string) string {
	if rel, err := filepath.Rel(a.workspace.Root(), path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// systemPrompt renders the instructions of a session.
func systemPrompt(templates *prompts.Templates, session prompts.Session) chat.SystemPrompt {
	return func(lean bool, tools []string, fits func(string) bool) (string, bool) {
		session.Tools = strings.Join(tools, ", ")
		return templates.System(session, lean, fits)
	}
}

func (a *app) onClose(closer func() error) { a.closers = append(a.closers, closer) }

// close ends what the program holds, the newest first.
func (a *app) close() {
	slow := time.AfterFunc(time.Second, func() {
		fmt.Fprintln(a.world.people, "agent: ending what still runs; Ctrl+C twice ends it at once")
	})
	defer slow.Stop()
	for i := len(a.closers) - 1; i >= 0; i-- {
		if err := a.closers[i](); err != nil {
			fmt.Fprintln(a.world.people, "agent: while closing: "+err.Error())
		}
	}
	a.closers = nil
}
