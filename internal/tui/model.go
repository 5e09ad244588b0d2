package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/tui/input"
	"agent/internal/tui/question"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
)

// Model holds the whole state of the interface. It passes keys and events to the parts that handle them,
// and lays out the parts from top to bottom. Only the goroutine of the event loop uses the Model. The Model
// does no input or output.
type Model struct {
	opts      Options
	surface   *surface
	activity  activity
	input     input.Input
	questions question.Questions
	reader    reader
	chooser   chooser
	line      statusLine
	presence  presence
	own       ownStatus
	estimate  estimate
	resize    resize
	// typedLines holds the lines typed in plain mode.
	typedLines map[string]bool
	// stashed is the stashed draft, or nil for none.
	stashed *atcmd.Message
	// keysShown is set while the keys are listed under the input.
	keysShown bool
	// testing is set while the user tests keys. tested is the text that the latest tested key
	// types.
	testing bool
	tested  string
	// resends is set while the list of models is fetched because a message needs a model. resendsAfter is
	// the command line that sets the chosen model. After that command, the message is sent again.
	resends      bool
	resendsAfter string
	// live is the live part as laid out after the latest update. row and col are the position of the cursor
	// in it.
	live     []string
	row, col int
}

func newModel(ctx context.Context, opts Options, width, height int) *Model {
	s := newSurface(ctx, opts, width, height)
	m := &Model{
		opts: opts, surface: s, activity: activity{surface: s, jobs: opts.Jobs}, reader: reader{surface: s}, line: statusLine{surface: s}, resize: resize{surface: s},
		presence: presence{surface: s, programs: opts.Programs, status: newStatus(s, opts.Title)}, own: ownStatus{surface: s, programs: opts.Programs}, estimate: estimate{surface: s, line: opts.Estimate},
		typedLines: map[string]bool{},
		input:      input.New(ctx, input.Sources{Commands: opts.Commands, Files: opts.Files}),
	}
	m.surface.print(transcript.KindText, func(t *style.Theme, width int) (rows []string) {
		for i, line := range opts.Greeting {
			spans := style.Spans{{Text: t.SpellSigns(style.CleanProse(line))}}
			if i == 0 {
				spans = headline(t, spans[0].Text)
			}
			for _, row := range style.WrapSpans(spans, width) {
				rows = append(rows, strings.TrimSuffix(row, " ·"))
			}
		}
		return rows
	})
	m.activity.showEarlier(opts.Earlier)
	if opts.Ask != nil {
		m.questions.AddCommandQuestion(opts.Ask, opts.Now())
	}
	m.layout()
	return m
}

// mark is printed before the name of the program. It becomes thinner from left to right.
const mark = "█▓▒░ "

// headline lays out the first line of the screen: the mark, the program, the model, and the folder.
func headline(t *style.Theme, line string) style.Spans {
	if t.Spoken {
		return style.Spans{{Text: line}}
	}
	spans := style.Spans{{Text: mark, Style: t.Accent}}
	for i, part := range strings.Split(line, " · ") {
		look := t.Dim
		switch i {
		case 0:
			look = t.Strong
		case 1:
			look = t.Plain
		}
		if i > 0 {
			spans = append(spans, style.Span{Text: " · ", Style: t.Dim})
		}
		spans = append(spans, style.Span{Text: part, Style: look})
	}
	return spans
}

// begin returns the command to run after the first paint.
func (m *Model) begin() tea.Cmd {
	var load, send tea.Cmd
	if m.opts.History != nil {
		load = m.opts.loadPrompts
	}
	switch initial := m.opts.Initial; {
	case slices.ContainsFunc(initial, func(part atcmd.Part) bool { return part.Image == "" && strings.TrimSpace(part.Text) != "" }):
		if m.commands(initial) {
			send = m.runCommand(strings.TrimSpace(initial.Text()))
			break
		}
		if m.questions.HasCommandQuestion() {
			m.activity.waiting = append(m.activity.waiting, initial)
			break
		}
		send = func() tea.Msg { m.opts.Driver.Send(initial); return nil }
	default:
		m.input.Editor.Restore(initial)
	}
	return tea.Batch(load, send, m.opts.askBranch(m.surface.ctx), m.opts.askFound(m.surface.ctx))
}

// foundMsg is a line with the name of the model that was found after the greeting.
type foundMsg string

// askFound returns a command that determines which model was found, or nil if it is already known.
func (o Options) askFound(ctx context.Context) tea.Cmd {
	if o.Found == nil {
		return nil
	}
	return guardPanic(func() tea.Msg { return foundMsg(o.Found(ctx)) })
}

type branchMsg string

// askBranch returns a command that reads the branch, which turns and commands may change.
func (o Options) askBranch(ctx context.Context) tea.Cmd {
	if o.Branch == nil || o.Plain {
		return nil
	}
	return guardPanic(func() tea.Msg { return branchMsg(o.Branch(ctx)) })
}

// The model sends these messages to itself. Other parts declare more.
type (
	eventsMsg  []chat.Event
	inputMsg   []term.Event
	promptsMsg []atcmd.Message
	noteMsg    struct{ text string }
	// thenMsg is a function to run in the event loop with the result of a command.
	thenMsg func() tea.Cmd
)

// thenDo returns a thenMsg for a function without a further command.
func thenDo(do func()) tea.Msg { return thenMsg(func() tea.Cmd { do(); return nil }) }

// update handles a message and lays out the live part again. The caller runs the returned command
// concurrently.
func (m *Model) update(message tea.Msg) tea.Cmd {
	if m.surface.hint.text != "" && m.surface.now().After(m.surface.hint.until) {
		m.surface.hint = hint{}
	}
	next := m.dispatch(message)
	m.sendWaiting()
	m.sendBehind()
	next = tea.Batch(next, m.presence.say(&m.questions, m.activity.turn.running), m.estimate.ask(m.input.Editor.Value()))
	m.activity.grow()
	m.activity.watch()
	m.layout()
	return next
}

func (m *Model) dispatch(message tea.Msg) tea.Cmd {
	switch message := message.(type) {
	case inputMsg:
		var cmds []tea.Cmd
		for _, event := range message {
			cmds = append(cmds, m.terminalEvent(event))
		}
		return tea.Batch(cmds...)
	case eventsMsg:
		return m.eventsCame(message)
	case branchMsg:
		m.line.branch = string(message)
	case foundMsg:
		if message != "" {
			m.surface.note(dim, "·", string(message))
		}
	case resizedMsg:
		m.resize.to(message.width, message.height, message.painted)
	case promptsMsg:
		m.input.Prompts.Load(message)
	case noteMsg:
		m.surface.note(bad, "✗", message.text)
	case thenMsg:
		return message()
	case input.ProposalsMsg:
		return guardPanic(m.input.ShowProposals(message))
	case commandMsg:
		return tea.Batch(m.commandDone(message), m.settleOutdated())
	case wakeMsg:
		m.resize.settle()
		return m.questionReply(m.questions.Wake(m.surface.now()))
	case crashMsg:
		panic(message)
	}
	return nil
}

func (m *Model) terminalEvent(event term.Event) tea.Cmd {
	switch e := event.(type) {
	case term.Key:
		return m.key(e)
	case term.Paste:
		return m.paste(string(e))
	case term.Focus:
		m.presence.unfocused, m.presence.reports = !bool(e), true
	case term.Background:
		m.surface.background(e.Dark)
	case term.StatusSupported:
		m.presence.status.supported = true
	}
	return nil
}

// loadPrompts reads the prompts of earlier sessions.
func (o Options) loadPrompts() tea.Msg {
	earlier, err := o.History.Load()
	if err != nil {
		return noteMsg{"can't read the prompt history: " + err.Error()}
	}
	return promptsMsg(earlier)
}

// tickTime is the interval between paints of moving parts. If nothing moves, there are no ticks.
const tickTime = 200 * time.Millisecond

// wake returns the time at which the model needs a wakeMsg. It returns the zero time if nothing changes by
// itself.
func (m *Model) wake() time.Time {
	if m.resize.settling() {
		return m.resize.change.until
	}
	at := m.questions.WakeAt()
	if tick := m.surface.now().Add(tickTime); m.moving() && (at.IsZero() || tick.Before(at)) {
		return tick
	}
	if minute := m.surface.now().Add(time.Minute - m.activity.waited()%time.Minute); m.questions.IsAsking() && at.IsZero() {
		return minute // the screen shows how many minutes the question has waited
	}
	return at
}

// moving reports whether the screen changes as time passes. An open question hides the work in progress.
func (m *Model) moving() bool {
	if m.questions.IsOpen() {
		return m.surface.hint.text != ""
	}
	a := &m.activity
	return a.turn.running || len(a.tools) > 0 || len(a.commands) > 0 || a.watched.ID != 0 || m.surface.hint.text != ""
}
