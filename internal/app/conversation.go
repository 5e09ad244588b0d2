package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/past"
	"agent/internal/chat/window"
	"agent/internal/check"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/hook"
	"agent/internal/llm/vendor"
	"agent/internal/protect"
	"agent/internal/protect/survey"
	"agent/internal/provider"
	"agent/internal/rules"
	"agent/internal/sandbox"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/hooks"
	"agent/internal/setup/instructions"
	"agent/internal/setup/permissions"
	"agent/internal/setup/trust"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/trace"
	"agent/internal/workspace"
	"agent/prompts"
)

// Options are what a conversation is made from.
type Options struct {
	// Workspace is the folder to work in; relative to that of the process, which "" is.
	Workspace string
	// Named says that a person named the workspace, and so means it if it is the home folder.
	Named bool
	// Settings are what those of the conversation begin as; it changes its own only.
	Settings *settings.Settings
	// KeepEndpoint has the endpoint of the settings used for a recorded session too.
	KeepEndpoint bool
	Record       Record
	// Allow and AllowOutside are the rules of the flags --allow and --allow-outside.
	Allow, AllowOutside []string
	// Servers are the values of --mcp-config.
	Servers []string
	// EditorServers are those of an editor, as a file of servers has them. They are never
	// written to one.
	EditorServers string
	// Browse opens an address in the person's browser; nil where there is none.
	Browse func(ctx context.Context, address string)
	// NoSetup leaves out what people and repositories have brought along: instructions,
	// skills and commands. Rules that narrow hold all the same.
	NoSetup bool
	// TrustProject agrees, for this run, to what the repository brings.
	TrustProject bool
	// AsksTrust means that the front end asks about what waits for consent.
	AsksTrust bool
	// Unattended means that nobody can answer an approval.
	Unattended bool
	// Events receives every event of the conversation, in order, on the goroutine that
	// runs it.
	Events func(chat.Envelope)
	// Gates are the front end's, which every call passes.
	Gates []gate.Gate
	// Connect finds the endpoint; nil means Find.
	Connect Connector
	// Ask puts a question to a person before the conversation begins; nil where nobody
	// can be asked.
	Ask Asker
}

// Connector makes sure that there is an endpoint. Its notice names the endpoint where the
// user did not choose; closer, which may be nil, is called when the conversation ends.
type Connector func(ctx context.Context, c *provider.Connection) (notice string, closer func(), err error)

// Find uses the endpoint that is set, else a server on this machine.
func Find(ctx context.Context, c *provider.Connection) (string, func(), error) {
	notice, err := c.Find(ctx)
	return notice, nil, err
}

// Asker puts a question to a person and reports whether they agree.
type Asker func(ctx context.Context, question string) (bool, error)

// Conversation is a turn loop in a workspace, with what it needs. Run or Prompt runs it;
// Send, Answer and Interrupt steer it; Close ends it.
type Conversation struct {
	*chat.Chat
	// Notices are lines for a person to read at the start.
	Notices []string
	// Recorded are the entries of the session that is resumed.
	Recorded []*history.Content
	// Connection is that to the endpoint.
	Connection *provider.Connection

	// id is that of the session, or one of its own where none is kept.
	id        string
	process   *Process
	options   Options
	folders   Folders
	workspace *workspace.Workspace
	survey    *survey.Survey
	settings  *settings.Settings
	profiles  *settings.Store
	registry  *tools.Registry
	env       *tools.Env
	// brought are the skills and commands that can be called.
	brought atomic.Pointer[setup.Set]
	// inHead are the instructions that the model was given with the head or since.
	inHead []instructed
	// headTexts are the files with instructions that the head was made of.
	headTexts map[string]string
	// mostInstructions is how long all may be together, in bytes, by the window of the start.
	mostInstructions int
	// configured are the servers of the configuration, serving those that are used now.
	configured *Servers
	serving    atomic.Pointer[serving]
	// skillTool is the tool for skills, if there is one.
	skillTool []tools.Tool
	// foundHooks are the hooks of the person and the project, and hooks runs them, nil where
	// there are none; idle tells them that nothing happens.
	foundHooks hooks.Found
	hooks      *hook.Runner
	idle       *time.Timer
	// checks are those of the project, around edits.
	checks *check.Checks
	// permissions are rules that narrow what calls may do, allowed those of the flags.
	permissions permissions.Rules
	allowed     allowances
	// trust is what needs consent, guarded the files of what was agreed to.
	trust   *trust.Trust
	guarded atomic.Pointer[[]string]
	// hidden are the files that rules deny reading, disallowed the rules of the skills of
	// this turn.
	hidden     []string
	disallowed atomic.Pointer[permissions.Rules]
	log        *slog.Logger
	// tracer reports to a collector, nil where the environment names none.
	tracer *trace.Tracer
	// session is the record of the conversation, nil when none is kept.
	session *session.Log
	closers []func() error
}

// New makes a conversation. The caller closes it. An error is an InputError where what
// was asked for is wrong.
func New(ctx context.Context, p *Process, o Options) (*Conversation, error) {
	offered := tools.Default()
	if o.Record.Off {
		offered = tools.WithoutRecord(offered)
	}
	if o.Unattended {
		offered = tools.WithoutPerson(offered)
	}
	c := &Conversation{process: p, options: o, settings: o.Settings.Overlay()}
	c.registry = tools.Join(c.sources(offered)...)
	if err := c.setUp(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// setUp first does what can be refused cheaply and last what leaves traces.
func (c *Conversation) setUp(ctx context.Context) (err error) {
	if c.folders, err = c.process.Folders(); err != nil {
		return err
	}
	log, err := c.process.Log()
	if err != nil {
		return err
	}
	c.log = log.Logger
	c.profiles = settings.NewStore(c.folders.Config, c.settings.Registry())
	if own := c.options.Record.Folder; own != "" {
		c.folders.Data, c.folders.State = own, own
	}
	allowed, err := c.allowances()
	if err != nil {
		return err
	}
	if err := c.openWorkspace(); err != nil {
		return err
	}
	c.Connection = c.process.Connect(c.settings, c.folders, c.options.Ask)
	c.onClose(c.Connection.Close)
	var recorded session.State
	if c.options.Record.resumes() { // whom it talked to is in the record
		if recorded, err = c.record(); err != nil {
			return err
		}
	}
	if err := c.connect(ctx); err != nil {
		c.process.say(c.Notices...) // the record may be why
		return err
	}
	if err := c.confirmWorkspace(ctx); err != nil {
		return err
	}
	c.allowed = allowed
	c.findPermissions()
	if !c.options.NoSetup {
		c.findBrought()
		c.offerSkills()
		c.findHooks()
	}
	if err := c.findServers(); err != nil {
		return err
	}
	if err := c.findTrust(); err != nil {
		return err
	}
	system, err := c.systemPrompt()
	if err != nil {
		return err
	}
	if !c.options.Record.resumes() {
		if recorded, err = c.record(); err != nil {
			return err
		}
	}
	if c.id = c.SessionID(); c.id == "" {
		c.id = unrecorded + strings.ToLower(rand.Text()[:8])
	}
	c.log = c.log.With("conversation", c.id)
	c.tracer = trace.Start(c.process.Env, c.process.Version, c.id, func() string { return settings.Model.Of(c.settings) }, c.process.Now)
	c.onClose(func() error { c.tracer.Close(); return nil })
	c.checks = c.newChecks()
	c.keepFiles(recorded.Parent)
	c.restoreTodos(recorded.Todos)
	c.serve(recorded.Servers)
	c.closeHooks()
	if err := c.converse(allowed, system, recorded); err != nil {
		return err
	}
	c.rememberWrites(recorded.Entries)
	c.useAgreed()
	return nil
}

// ID identifies the conversation among those of the program. It stays the same when the session is
// forked.
func (c *Conversation) ID() string { return c.id }

// TempDir is the temporary folder of the conversation, "" when there is none.
func (c *Conversation) TempDir() string { return c.workspace.TempDir() }

// SessionID names the session, "" when none is kept.
func (c *Conversation) SessionID() string {
	if c.session == nil {
		return ""
	}
	return c.session.ID()
}

// transcriptPath is the file that keeps the conversation, "" when none does.
func (c *Conversation) transcriptPath() string {
	if c.session == nil {
		return ""
	}
	return c.session.Path()
}

// cacheKey identifies a session to providers without naming it.
func cacheKey(sessionID string) string {
	if sessionID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(sessionID))
	return hex.EncodeToString(sum[:16])
}

// allowances are the rules of the flags: for commands in the sandbox, and for those that
// leave it.
type allowances struct{ inside, outside rules.Rules }

func (c *Conversation) allowances() (a allowances, err error) {
	if a.inside, err = c.parseRules("--allow", c.options.Allow); err != nil {
		return a, err
	}
	a.outside, err = c.parseRules("--allow-outside", c.options.AllowOutside)
	return a, err
}

func (c *Conversation) parseRules(flag string, texts []string) (rules.Rules, error) {
	var allowed rules.Rules
	for _, text := range texts {
		rule, err := c.registry.ParseRule(text)
		if err != nil {
			return nil, InputError{fmt.Errorf("%s: %w", flag, err)}
		}
		allowed = append(allowed, rule)
	}
	return allowed, nil
}

// openWorkspace opens the folder to work in, with a temporary folder of its own
// and the means to run commands.
func (c *Conversation) openWorkspace() error {
	confined, remove, err := c.process.OpenWorkspace(c.options.Workspace)
	if err != nil {
		return err
	}
	c.workspace, c.survey = confined, survey.New(confined.Root(), survey.MaxFolders)
	jobs := shell.NewJobs(c.process.Environ, []string{vendor.EnvKey})
	forget := c.process.OnEndAtOnce(func() { jobs.Kill(); _ = remove() })
	c.onClose(func() error { forget(); return nil })
	c.onClose(remove)
	sweeping, stop := context.WithCancel(context.Background())
	swept := make(chan struct{})
	go func() { defer close(swept); confined.Sweep(sweeping, c.process.Now()) }()
	c.onClose(func() error { stop(); <-swept; return nil })
	c.onClose(func() error { jobs.Close(); return nil })
	c.env = &tools.Env{
		Workspace:   confined,
		Seen:        tools.NewSeen(),
		Jobs:        jobs,
		Confinement: c.confinement,
		Named:       c.options.Named,
		Protected: protect.Places{
			Home: realPath(c.process.Home), Own: c.process.ownFiles(c.folders, c.settings), Denied: c.process.realPaths(settings.SandboxDenyRead.Of(c.settings)),
			Agreed:  c.isGuarded,
			GitRuns: func(abs string) bool { return sandbox.GitRuns(abs, c.process.gitConfigurations()) },
		},
	}
	return c.prepareSandbox()
}

// confirmWorkspace asks whether to work in the home folder or above it, beside keys
// and what shells run (D-61). Where nobody can be asked it is only said: a script
// names its folder on purpose, and what is protected is refused there.
func (c *Conversation) confirmWorkspace(ctx context.Context) error {
	root := c.workspace.Root()
	if !protect.Holds(root, realPath(c.process.Home)) {
		return nil
	}
	if c.options.Ask == nil {
		c.Notices = append(c.Notices, "The workspace "+root+" holds the home folder; -C names a folder of a project")
		return nil
	}
	yes, err := c.options.Ask(ctx, "The workspace "+root+" holds your home folder, with all that is in it. Work there?")
	if err == nil && !yes {
		err = InputError{errors.New("start in the folder of a project, or name it with -C")}
	}
	return err
}

// connect finds somebody to talk to.
func (c *Conversation) connect(ctx context.Context) error {
	find := c.options.Connect
	if find == nil {
		find = Find
	}
	notice, closer, err := find(ctx, c.Connection)
	if closer != nil {
		c.onClose(func() error { closer(); return nil })
	}
	if notice != "" {
		c.Notices = append(c.Notices, notice)
	}
	return err
}

// converse makes the conversation itself, or takes the recorded one up again.
func (c *Conversation) converse(allowed allowances, system chat.SystemPrompt, recorded session.State) error {
	counter := func(model string) history.Counter { return c.process.vocabularies.Counter(model) }
	var observer history.Observer
	var unsaved func() error
	var taken func() string
	var readPast func() (past.Record, error)
	var recall func([]history.Recorded) (history.Recollection, error)
	if c.session != nil {
		observer, unsaved, taken, readPast, recall = c.session.Observe, c.session.Unsaved, c.session.Taken, c.readPast, c.session.Recall
	}
	compressionPrompt, lacks, err := prompts.Compression(filepath.Join(c.folders.Config, "prompts"))
	if err != nil {
		return err
	}
	if lacks != "" {
		c.Notices = append(c.Notices, lacks)
	}
	conversation, err := c.conversation(chat.Config{
		ID:           c.id,
		Provider:     c.Connection.Provider,
		Counter:      counter,
		Tools:        c.registry,
		Env:          c.env,
		Root:         c.workspace.Root(),
		SessionRoot:  recorded.Workspace,
		History:      history.NewService(counter(settings.Model.Of(c.settings)), observer),
		Unsaved:      unsaved,
		Taken:        taken,
		ReadPast:     readPast,
		Recall:       recall,
		Settings:     c.settings,
		ContextLimit: c.Connection.ContextLimit,
		Local:        c.Connection.Local,
		Cuts:         c.Connection.Cuts,
		Prices:       c.Connection.Prices,
		Cache:        c.Connection.Cache,

		KeepCacheLife: c.Connection.KeepCacheLife,

		Costs:   &c.process.Costs,
		System:  system,
		Form:    c.form,
		HeadFor: c.offeredBy,

		CompressionPrompt: compressionPrompt,
		OtherModel:        c.otherModel,
		TranscriptPath:    c.transcriptPath,

		KeepWaiting: c.keepWaiting(recorded.Waiting),
		Waited:      c.waited(recorded.Waiting),

		Expand:   c.expand,
		Below:    c.below,
		News:     c.serverNews,
		Gates:    append(c.gates(), c.options.Gates...),
		Hooks:    c.moments(),
		Begun:    c.begunFrom(),
		Policy:   gate.Policy{Allow: allowed.inside, AllowOutside: allowed.outside, Unattended: c.options.Unattended},
		CacheKey: cacheKey(c.SessionID()),
		Emit:     func(e chat.Event) { c.note(e); c.options.Events(chat.Envelope{Conversation: c.id, Event: e}) },
		Log:      c.log,
		Now:      c.process.Now,
	}, recorded)
	if err != nil {
		return err
	}
	c.Chat = conversation
	c.Connection.OnLearned(c.Chat.Refresh, c.Chat.Note)
	return nil
}

// note keeps what the event leaves on disk besides the conversation itself.
func (c *Conversation) note(e chat.Event) {
	logEvent(c.log, e)
	c.notify(e)
	if _, ended := e.(chat.TurnEnded); ended {
		c.disallowed.Store(nil)
	}
	c.keepAsking(e)
	c.tracer.Event(e)
	if notice, ok := e.(chat.Notice); ok && c.session != nil {
		c.logged(c.session.Notice(notice.Text))
	}
}

// systemPrompt reads the instructions of this session.
func (c *Conversation) systemPrompt() (chat.SystemPrompt, error) {
	c.mostInstructions = window.SizeOf(c.windowSize()) / instructionShare * bytesPerToken
	found := c.findInstructions()
	var given []prompts.Instruction
	var files []string
	c.headTexts = map[string]string{}
	for _, file := range found.Files {
		c.headTexts[file.Path] = file.Text
		given = append(given, prompts.Instruction{Source: file.Path, Text: file.Text})
		files = append(files, c.shortPath(file.Path))
		c.inHead = append(c.inHead, instructed{file.Path, file.Text})
	}
	if len(files) > 0 {
		c.Notices = append(c.Notices, "Instructions: "+strings.Join(files, ", "))
	}
	for _, problem := range found.Problems {
		c.Notices = append(c.Notices, problem.Error())
	}
	templates, err := prompts.Load(filepath.Join(c.folders.Config, "prompts"))
	if err != nil {
		return nil, err
	}
	return SystemPrompt(templates, c.promptSession(given)), nil
}

// instructionShare is the part of the window that instructions may take: a tenth.
const instructionShare = 10

// whereInstructions says where files with instructions are looked for.
func (c *Conversation) whereInstructions() instructions.Where {
	return instructions.Where{
		Config: c.folders.Config, Home: c.process.Home, Workspace: c.workspace.Root(),
		Files: settings.Items(settings.InstructionFiles.Of(c.settings)),
		Most:  c.mostInstructions,
	}
}

// shortPath is a path from the workspace where it is below it.
func (c *Conversation) shortPath(path string) string {
	if rel, err := filepath.Rel(c.workspace.Root(), path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// SystemPrompt renders the instructions of a session, as it is when a head is made.
func SystemPrompt(templates *prompts.Templates, now func() prompts.Session) chat.SystemPrompt {
	return func(lean bool, tools []string, fits func(string) bool) (string, bool) {
		session := now()
		session.Tools = strings.Join(tools, ", ")
		return templates.System(session, lean, fits)
	}
}

func (c *Conversation) onClose(closer func() error) { c.closers = append(c.closers, closer) }

// Run serves the conversation until ctx ends. The error is a *DefectError: the turn loop
// panicked, and the conversation is over.
func (c *Conversation) Run(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = c.Defect(value)
		}
	}()
	c.Chat.Run(ctx)
	return nil
}

// Close ends what the conversation holds, the newest first.
func (c *Conversation) Close() {
	slow := time.AfterFunc(time.Second, func() {
		c.process.say("agent: ending what still runs; Ctrl+C twice ends it at once")
	})
	defer slow.Stop()
	for i := len(c.closers) - 1; i >= 0; i-- {
		if err := c.closers[i](); err != nil {
			c.process.say("agent: while closing: " + err.Error())
		}
	}
	c.closers = nil
}

// DefectError is a panic of the turn loop.
type DefectError struct {
	// Value is what was panicked with, Log the file that says where.
	Value any
	Log   string
}

func (e *DefectError) Error() string {
	return fmt.Sprintf("internal error: %v; the session is saved, what happened is in %s", e.Value, e.Log)
}

// Defect logs a panic of the turn loop, on the goroutine that recovered it.
func (c *Conversation) Defect(value any) *DefectError {
	c.log.Error("the turn loop panicked", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
	return &DefectError{value, c.process.log.Path}
}
