package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/tui/edit"
	"agent/internal/tui/markdown"
	"agent/internal/tui/pager"
	"agent/internal/tui/question"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
)

// Model is the whole state of the interface. It is owned by the goroutine of the
// loop. Its parts are plain values; nothing in it does input or output.
type Model struct {
	opts    Options
	ctx     context.Context
	colours style.Colours
	theme   *style.Theme
	md      *markdown.Renderer

	width, height int
	started       time.Time
	ground        ground
	// dark is set when the paints are those for a dark ground.
	dark bool

	transcript transcript.Transcript
	// cached is the share of the latest request that the provider had cached, in
	// percent.
	cached int
	// title is the terminal's, unfocused is set while the window has not the focus.
	title string
	// branch is what is checked out.
	branch    string
	unfocused bool
	// again is set when everything printed is to be printed anew, at the new width.
	again  bool
	resize resize
	status chat.Status
	stats  chat.Stats
	turn   turn
	reply  reply
	tools  []runningTool
	queued []string
	// held are lines for the shell that wait for the end of the turn.
	held    []string
	outputs outputs
	// earlier are the exchanges of a session that was taken up again.
	earlier []Exchange
	// reads are the files that were read one after another, until something else is
	// printed.
	reads []readFile
	// edit is the edit that has just ended, until it is known what it saves.
	edit *chat.ToolEnded
	// pager is open while it is not nil, and covers the screen since covered.
	pager   *pager.Pager
	covered time.Time

	input edit.Editor
	// pasted are the prompts of this session with pastes in them, by their text.
	pasted  map[string][]edit.Part
	prompts edit.Prompts
	// picking is open while it is not nil.
	picking   *picking
	popup     popup
	questions question.Questions
	// typed is when a message was last typed at.
	typed time.Time
	hint  hint
	// reading is the question that is read in the pager, 0 for none.
	reading int
	// keysShown is set while the keys are under the input.
	keysShown bool
	// commands are the slash commands that run.
	commands []string

	bell bool
	// sequence goes to the terminal as it is, with the next frame.
	sequence string
	// live is the live part as laid out after the latest Update.
	live     []string
	row, col int
}

// newModel returns the model of a window of that size.
func newModel(ctx context.Context, opts Options, width, height int) *Model {
	m := &Model{opts: opts, ctx: ctx, colours: style.DetectColours(opts.env), width: width, height: height}
	m.ground.dark, m.ground.known = term.DeclaredBackground(opts.env("COLORFGBG"))
	m.chooseTheme()
	m.status = opts.Status
	m.started = opts.Now()
	m.print(transcript.Text, func(_ *style.Theme, width int) (rows []string) {
		for _, line := range opts.Greeting {
			for _, row := range style.WrapText(style.CleanProse(line), width) {
				rows = append(rows, strings.TrimSuffix(row, " ·"))
			}
		}
		return rows
	})
	m.showEarlier(opts.Earlier)
	m.layout()
	return m
}

// ground is what is known of the terminal's background.
type ground struct{ dark, known bool }

// chooseTheme works out the paints for the theme that is set.
func (m *Model) chooseTheme() {
	dark := m.opts.dark(m.ground.dark || !m.ground.known)
	if m.theme == nil || m.dark != dark {
		m.dark = dark
		m.theme = style.NewTheme(m.colours, dark)
		m.md = markdown.New(m.theme)
	}
}

// begin returns what there is to do after the first paint.
func (m *Model) begin() tea.Cmd {
	var load, send tea.Cmd
	if m.opts.History != nil {
		load = m.loadPrompts
	}
	switch initial := m.opts.Initial; {
	case slices.ContainsFunc(initial, func(part atcmd.Part) bool { return part.Image == "" && strings.TrimSpace(part.Text) != "" }):
		send = func() tea.Msg { m.opts.Driver.Send(initial); return nil }
	default:
		m.giveBack(initial)
	}
	return tea.Batch(load, send, m.askBranch(), m.askFound())
}

// foundMsg says which model was found after the greeting.
type foundMsg string

// askFound asks which model was found, if that is still open.
func (m *Model) askFound() tea.Cmd {
	ctx, found := m.ctx, m.opts.Found
	if found == nil {
		return nil
	}
	return guarded(func() tea.Msg { return foundMsg(found(ctx)) })
}

// branchMsg brings what is checked out.
type branchMsg string

// askBranch asks what is checked out, which turns and commands change.
func (m *Model) askBranch() tea.Cmd {
	ctx, branch := m.ctx, m.opts.Branch
	if branch == nil || m.opts.Plain {
		return nil
	}
	return guarded(func() tea.Msg { return branchMsg(branch(ctx)) })
}

// The messages the model sends itself, besides those declared with their part.
type (
	eventsMsg   []chat.Event
	inputMsg    []term.Event
	promptsMsg  []atcmd.Message
	noteMsg     struct{ text string }
	unqueuedMsg struct {
		message atcmd.Message
		ok      bool
	}
)

// update takes a message and lays the live part out anew. What it returns is to be
// run beside.
func (m *Model) update(message tea.Msg) tea.Cmd {
	next := m.dispatch(message)
	m.present()
	m.grow()
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
		m.branch = string(message)
	case foundMsg:
		if message != "" {
			m.note(dim, "·", string(message))
		}
	case resizedMsg:
		m.resized(message.width, message.height, message.painted)
	case promptsMsg:
		m.loaded(message)
	case noteMsg:
		m.note(bad, "✗", message.text)
	case unqueuedMsg:
		if message.ok {
			m.giveBack(message.message)
		}
	case imageMsg:
		m.imageCame(message)
	case completionMsg:
		return m.complete(message)
	case commandMsg:
		return m.commandDone(message)
	case editedMsg:
		m.edited(message)
	case outputMsg:
		m.answer(transcript.Rows(message...))
	case wakeMsg:
		m.settle()
		return m.questionReply(m.questions.Wake(m.opts.Now()))
	case spoolMsg:
		m.spoolRead(message)
	case previewMsg:
		message.picker.Loaded(message.choice, message.text)
	case crashMsg:
		panic(message)
	}
	return nil
}

// terminalEvent takes what the terminal sent.
func (m *Model) terminalEvent(event term.Event) tea.Cmd {
	switch e := event.(type) {
	case term.Key:
		return m.key(e)
	case term.Paste:
		return m.paste(string(e))
	case term.Focus:
		m.unfocused = !bool(e)
	case term.Background:
		m.background(e.Dark)
	}
	return nil
}

// background takes the terminal's answer about its background, unless it is late.
func (m *Model) background(dark bool) {
	if !m.ground.known && m.opts.Now().Sub(m.started) <= term.BackgroundLimit {
		m.ground = ground{dark: dark, known: true}
		m.chooseTheme()
	}
}

// loadPrompts reads the prompts of earlier sessions.
func (m *Model) loadPrompts() tea.Msg {
	earlier, err := m.opts.History.Load()
	if err != nil {
		return noteMsg{"the prompt history could not be read: " + err.Error()}
	}
	return promptsMsg(earlier)
}

// tickTime is how often what moves is painted again. Nothing ticks when nothing
// moves.
const tickTime = 200 * time.Millisecond

// wake is when the model wants a wakeMsg, the zero time when nothing changes by
// itself.
func (m *Model) wake() time.Time {
	if m.settling() {
		return m.resize.until
	}
	at := m.questions.WakeAt()
	if tick := m.opts.Now().Add(tickTime); m.moving() && (at.IsZero() || tick.Before(at)) {
		return tick
	}
	return at
}

// moving reports whether time changes what is on the screen. A question hides what
// goes on, until it is answered.
func (m *Model) moving() bool {
	if m.questions.Open() {
		return m.hint.text != ""
	}
	return m.turn.running || len(m.tools) > 0 || len(m.commands) > 0 || m.hint.text != ""
}
