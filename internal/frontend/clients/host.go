// Package clients serves a conversation to other terminals of the same user.
//
// A Host belongs to the process of the session. It adds each event of the conversation to a Hub of package
// attach, as a line of stream-json. It maintains the State that boards show. It carries out the lines of
// clients: messages, answers and commands. The conversation decides which of them take effect.
package clients

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"agent/internal/app"
	"agent/internal/attach"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/base/secret"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/gitfiles/layout"
	"agent/internal/settings"
	"agent/internal/streamjson"
)

// renewTime is the interval at which a Host checks that its socket still exists.
const renewTime = 30 * time.Second

// Options configures a Host.
type Options struct {
	// Steered is set if clients may send messages, answers and commands. Otherwise they can only follow the
	// session and interrupt it.
	Steered bool
	// Detached is set if the session has no terminal.
	Detached bool
	// Stop ends a session without a terminal.
	Stop func()
	// LoginEnded is called if the folder of the socket is removed, which happens at the end of the login
	// session. If it is nil, the session outlives the login session.
	LoginEnded func()
}

// A Host serves one conversation. The zero Host ignores events until Open.
type Host struct {
	mu     sync.Mutex
	talk   *app.Conversation
	hub    *attach.Hub
	server *attach.Server
	// served is the id of the session that the open socket serves.
	served   string
	options  Options
	commands func() *command.Commands
	now      func() time.Time
	state    streamjson.SessionState
	// stated is the latest state as an encoded line.
	stated string
	// open holds the open questions, by their ids. answered holds the clients whose answers were forwarded.
	open map[int]chat.Approval
	// first is the beginning of the first message, which is shown for a session without a title.
	first string
	// running is set during a turn. ended is the end of the latest turn.
	running bool
	ended   chat.TurnEnded
	// plans holds the questions of commands that were shown to clients, by number.
	plans  plans
	ctx    context.Context
	cancel context.CancelFunc
}

// Open serves a conversation on the socket of its session until Close. It does nothing for a conversation
// without a record, or on systems without such sockets.
func (h *Host) Open(ctx context.Context, c *app.Conversation, now func() time.Time, o Options) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.SessionID() == "" || !attach.Supported {
		return nil
	}
	h.ctx, h.cancel = context.WithCancel(ctx)
	h.talk, h.options, h.now, h.open = c, o, now, map[int]chat.Approval{}
	h.commands = sync.OnceValue(func() *command.Commands { return c.Commands(h.ctx, c.Chat, app.Screen{}) })
	h.hub = attach.NewHub(c.RecordSeq)
	h.state = streamjson.SessionState{
		Type: streamjson.StateLine, PID: os.Getpid(), Folder: c.Root(), State: "idle", Since: now(), Model: settings.Model.Value(c.Settings()),
		Branch: layout.Branch(c.Root()), Steered: o.Steered, Detached: o.Detached,
	}
	if c.History().Len() > 0 {
		h.first = c.DisplayTitle()
	}
	h.report()
	err := h.serve()
	if o.Detached {
		h.talk.Chat.Warming.Detach(h.shown)
	}
	go h.renew(h.ctx)
	return err
}

// serve opens the socket of the session.
func (h *Host) serve() (err error) {
	h.served = h.talk.SessionID()
	folders := h.talk.SocketFolders()
	h.server, err = attach.Serve(folders[0], h.served, h.hub, h.take, h.talk.Chat.Warming.StopIfUnseen)
	return err
}

// renew creates the socket again if it was removed. After a fork it creates a socket for the new session
// id.
func (h *Host) renew(ctx context.Context) {
	tick := time.NewTicker(renewTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			h.CheckSocket()
		}
	}
}

// CheckSocket runs the check of renew immediately.
func (h *Host) CheckSocket() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil || h.ctx.Err() != nil {
		return
	}
	if h.talk.SessionID() != h.served {
		go h.server.Close() // Close waits for clients
		h.hub = attach.NewHub(h.talk.RecordSeq)
		h.stated = ""
		h.report()
		_ = h.serve() // the loop retries
		return
	}
	gone, _ := h.server.RestoreSocket() // the loop retries
	if ended := h.options.LoginEnded; gone && ended != nil && h.options.Detached {
		go ended()
	}
}

// Detach reports to boards that the session has no terminal any more. stop ends the session.
func (h *Host) Detach(stop, loginEnded func()) {
	h.mu.Lock()
	if h.hub == nil {
		h.mu.Unlock()
		return
	}
	h.options.Detached, h.options.Stop, h.options.LoginEnded = true, stop, loginEnded
	h.state.Detached = true
	h.report()
	h.mu.Unlock()
	h.talk.Chat.Warming.Detach(h.shown)
}

// shown reports whether a user sees the session in a client.
func (h *Host) shown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.server != nil && h.server.HasViewer()
}

// IsServing reports whether clients can reach the session.
func (h *Host) IsServing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.server != nil
}

// Close reports to the clients that the session has ended, and removes its socket.
func (h *Host) Close() {
	h.mu.Lock()
	server, cancel := h.server, h.cancel
	h.server = nil
	h.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	if server != nil {
		_ = server.Close()
	}
}

// AddEvent adds an event of the conversation. It returns immediately. The caller is the goroutine that runs
// the conversation.
func (h *Host) AddEvent(e chat.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hub == nil {
		return
	}
	line := attach.Line{}
	switch e := e.(type) {
	case chat.TurnStarted:
		h.running = true
	case chat.UserMessage:
		h.first = cmp.Or(h.first, humanize.Line(secret.Redact(humanize.FirstLine(e.Text)), maxTitle))
	case chat.TurnEnded:
		h.running, h.ended, line.Rest = false, e, true
	case chat.RequestStarted:
		line.Rest = true
	case chat.ApprovalRequested:
		h.open[e.Approval.ID] = e.Approval
		line.Asks, line.Board = e.Approval.ID, true
	case chat.ApprovalSettled:
		delete(h.open, e.ID)
		line.Settles, line.Board = e.ID, true
	case chat.StatusChanged:
		h.state.Model, h.state.Tokens, h.state.Limit, h.state.CostUSD = e.Status.Model, e.Status.Tokens, e.Status.Limit, e.Stats.SessionCost()
		if h.talk.SessionID() != h.served {
			go h.CheckSocket()
		}
	}
	if line.Value = streamjson.ClientLine(e); line.Value != nil {
		line.Size = sizeOf(e)
		h.hub.Add(line)
	}
	switch e.(type) {
	case chat.TurnStarted, chat.TurnEnded, chat.UserMessage, chat.ApprovalRequested, chat.ApprovalSettled, chat.StatusChanged:
		h.report()
	}
}

// sizeOf estimates the length of the encoded line of an event, in bytes.
func sizeOf(e chat.Event) int {
	const small = 200
	switch e := e.(type) {
	case chat.TextDelta:
		return small + len(e.Delta)
	case chat.ReasoningDelta:
		return small + len(e.Delta)
	case chat.ToolOutput:
		return small + len(e.Data)
	case chat.ToolEnded:
		return small + 2*len(e.Answer.Text)
	case chat.ReplyEnded:
		return small + len(e.Text)
	}
	return 2 * small
}

// maxTitle limits a title that is made from a message, in characters.
const maxTitle = 100

// report adds the state of the session as a line, if it has changed.
func (h *Host) report() {
	s := &h.state
	before, kind := s.State, s.Kind
	s.ID, s.Title, s.Kind = h.talk.SessionID(), cmp.Or(h.talk.Title(), h.first), ""
	switch {
	case len(h.open) > 0:
		s.State, s.Kind = "blocked", "permission"
		for _, asked := range h.open {
			if len(asked.Preview.Inquiries) > 0 {
				s.Kind = "question"
			}
		}
	case h.running:
		s.State = "working"
	case h.ended.Err != nil || h.ended.Outcome.Stop == chat.StopFailed:
		s.State = "failed"
	case h.ended.Outcome.Stop == chat.StopDone:
		s.State = "done"
	default:
		s.State = "idle"
	}
	if s.State != before || s.Kind != kind {
		s.Since = h.now()
	}
	text, err := rawjson.Marshal(s)
	if err != nil || string(text) == h.stated {
		return
	}
	h.stated = string(text)
	h.hub.Add(attach.Line{Value: json.RawMessage(text), Board: true})
}

var (
	errWatched  = errors.New("this session accepts no messages from other terminals: a script or an editor runs it")
	errTerminal = errors.New("only a client at a terminal can do this; send terminal: true in the join line")
	errAnswered = errors.New("the question is already answered")
)

// narrow holds the types of lines that widen no permission, which every client may send.
var narrow = map[string]bool{"user": true, "answer": true, "refresh": true, "aside_end": true, "key": true, "stop": true}

// take carries out a line that a client sent.
func (h *Host) take(c *attach.Client, line []byte) {
	in, err := streamjson.ParseClient(line)
	if err == nil {
		err = h.obey(c, in)
	}
	if err != nil {
		problem := attach.NewErrorLine(err)
		problem.ID = in.ID
		c.Send(problem)
	}
}

func (h *Host) obey(c *attach.Client, in streamjson.ClientInput) error {
	if in.Type == "cancel" {
		h.talk.Chat.Interrupt()
		return nil
	}
	if !h.options.Steered {
		return errWatched
	}
	widens := in.Always || in.Keep || in.Sandbox || !narrow[in.Type]
	if widens && !c.Terminal {
		return errTerminal
	}
	switch in.Type {
	case "answer":
		return h.answer(in)
	case "user":
		message, err := in.Message()
		if err == nil {
			h.talk.Chat.Send(message)
		}
		return err
	case "shell":
		h.talk.Chat.Shell(in.Text, in.Private)
	case "refresh":
		h.talk.Chat.Refresh()
	case "aside_end":
		h.talk.Chat.EndAside()
	case "key":
		h.talk.Chat.Warming.CancelRefresh()
	case "mode":
		h.talk.Chat.CycleMode()
	case "unqueue":
		message, ok := h.talk.Chat.Unqueue(h.ctx)
		c.Send(streamjson.UnqueuedMessage{Type: "unqueued", ID: in.ID, Text: message.Text(), Empty: !ok})
	case "complete":
		start, proposals := h.commands().Complete(in.Text)
		c.Send(streamjson.Completion{Type: "completion", ID: in.ID, Start: start, Proposals: proposals})
	case "command":
		go func() { c.Send(h.run(c, in)) }()
	case "stop":
		h.stop()
	}
	return nil
}

// answer forwards the first answer to a question.
func (h *Host) answer(in streamjson.ClientInput) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked, open := h.open[in.ID]
	if !open {
		return errAnswered
	}
	decision, err := in.Decision(asked)
	if err != nil {
		return err
	}
	delete(h.open, in.ID)
	go h.talk.Chat.Answer(in.ID, decision) // Answer may wait for the conversation, which may wait for Event
	return nil
}

// stop interrupts the turn, and ends a session without a terminal.
func (h *Host) stop() {
	h.mu.Lock()
	stop := h.options.Stop
	h.mu.Unlock()
	h.talk.Chat.Interrupt()
	if stop != nil {
		stop()
	}
}

func (h *Host) run(c *attach.Client, in streamjson.ClientInput) streamjson.CommandResult {
	result := streamjson.CommandResult{Type: "command_result", ID: in.ID}
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	go func() {
		select {
		case <-c.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	var out command.Output
	var err error
	switch {
	case in.Plan > 0:
		out, err = h.plans.carryOut(ctx, in.Plan)
	case h.commands().SendsMessage(in.Text):
		out.Submit = in.Text
	default:
		out, err = h.commands().Run(ctx, in.Text)
	}
	if err != nil {
		result.Error = err.Error()
	}
	if out.Submit != "" {
		message, _ := streamjson.Input{Text: out.Submit}.Message()
		h.talk.Chat.Send(message)
	}
	result.Answer, result.Diff, result.Copy = out.Answer, out.Diff, out.Copy
	result.Lines = out.Lines
	if out.Pick != nil || out.Bar != nil {
		result.Lines = out.PlainLines()
	}
	if out.Ask != nil {
		result.Ask = h.plans.show(*out.Ask)
	}
	if strings.TrimSpace(in.Text) != "" {
		h.talk.Chat.Refresh()
	}
	return result
}

// plans holds the questions of commands that clients ran. Each plan is carried out as it was shown, at most
// once.
type plans struct {
	mu    sync.Mutex
	asked int
	open  map[int]command.Question
}

// maxPlans limits the open questions.
const maxPlans = 64

func (p *plans) show(ask command.Question) *streamjson.CommandQuestion {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.open == nil {
		p.open = map[int]command.Question{}
	}
	p.open[p.asked] = ask
	delete(p.open, p.asked-maxPlans)
	q := &streamjson.CommandQuestion{
		Plan: p.asked, Title: ask.Title, Done: ask.Done, YesEffect: ask.YesEffect, NoEffect: ask.NoEffect, NoLine: ask.NoLine,
		NeverEffect: ask.NeverEffect, NeverCommand: ask.NeverCommand,
	}
	for _, part := range ask.Parts {
		q.Parts = append(q.Parts, streamjson.CommandPart{Title: part.Title, Diff: part.Diff, Lines: part.Lines})
	}
	if ask.Yes == nil {
		q.Plan, q.YesCommand = 0, ask.YesCommand
	}
	return q
}

// carryOut performs the action of a yes to a question, unless the question is outdated or already answered.
func (p *plans) carryOut(ctx context.Context, plan int) (command.Output, error) {
	p.mu.Lock()
	ask, open := p.open[plan]
	delete(p.open, plan)
	p.mu.Unlock()
	if !open || ask.Yes == nil || ask.Current != nil && !ask.Current() {
		return command.Output{}, errAnswered
	}
	return ask.Yes(ctx)
}
