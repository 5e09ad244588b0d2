package tui

import (
	"agent/internal/tui/edit"
	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"context"
	"time"

	"agent/internal/chat"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
)

// Model is the whole state of the interface. It is owned by Bubble Tea's event
// loop. Its parts are plain values; nothing in it does input or output.
type Model struct {
	opts    Options
	ctx     context.Context
	profile termenv.Profile
	theme   *style.Theme
	md      *markdown.Renderer
	// pastes holds what the reader cut out of the keys.
	pastes *term.Pastes
	// foreground runs something that needs the terminal for itself.
	foreground func(run func() error, done func(error) tea.Msg) tea.Cmd

	width, height int
	started       time.Time
	ground        ground
	// dark is set when the paints are those for a dark ground.
	dark bool

	scrollback scrollback
	status     chat.Status
	turn       turn
	reply      reply
	tools      []runningTool
	queued     []string
	outputs    outputs

	input     edit.Editor
	prompts   edit.Prompts
	search    *search
	popup     popup
	approvals approvals
	hint      hint
	// commands are the slash commands that run.
	commands []string

	ticking bool
	bell    bool
	clear   bool
	// clipboard is the sequence that sets the terminal's clipboard.
	clipboard string
	// live is the live part as laid out after the latest Update.
	live     []string
	row, col int
}

// turn is what the screen shows of the turn in progress.
type turn struct {
	running      bool
	interrupting bool
	started      time.Time
	// returned is set when a message came back unsent.
	returned bool
	// arriving is the tool whose call the model is writing.
	arriving string
}

// newModel returns the model of a window of that size.
func newModel(ctx context.Context, opts Options, profile termenv.Profile, width, height int) *Model {
	m := &Model{opts: opts, ctx: ctx, profile: profile, width: width, height: height, pastes: &term.Pastes{}}
	m.ground.dark, m.ground.known = term.DeclaredBackground(opts.env("COLORFGBG"))
	m.chooseTheme()
	m.status = opts.Status
	m.started = opts.Now()
	if len(opts.Greeting) > 0 {
		m.scrollback.print(textBlock, opts.Greeting...)
	}
	for _, event := range opts.Earlier {
		m.event(event)
	}
	m.layout()
	return m
}

// ground is what is known of the terminal's background.
type ground struct{ dark, known bool }

// chooseTheme works out the paints for the theme that is set.
func (m *Model) chooseTheme() {
	name := style.Auto
	if m.opts.Theme != nil {
		name = m.opts.Theme()
	}
	dark := name == style.Dark || name != style.Light && (m.ground.dark || !m.ground.known)
	if m.theme == nil || m.dark != dark {
		m.dark = dark
		m.theme = style.NewTheme(m.profile, dark)
		m.md = markdown.New(m.theme)
	}
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.opts.History != nil {
		cmds = append(cmds, m.loadPrompts)
	}
	if m.opts.Initial != "" {
		cmds = append(cmds, func() tea.Msg { m.opts.Driver.Send(m.opts.Initial); return nil })
	}
	return tea.Batch(cmds...)
}

// The messages the model sends itself, besides those declared with their part.
type (
	eventsMsg     []chat.Event
	tickMsg       struct{}
	backgroundMsg struct{ dark bool }
	promptsMsg    []string
	noteMsg       struct{ text string }
	unqueuedMsg   struct {
		text string
		ok   bool
	}
)

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.dispatch(msg)
	tick := m.keepTicking()
	m.layout()
	return m, tea.Batch(cmd, tick)
}

func (m *Model) dispatch(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return m.key(msg)
	case eventsMsg:
		for _, event := range msg {
			m.event(event)
		}
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tickMsg:
		m.ticking = false
	case backgroundMsg:
		m.background(msg.dark)
	case promptsMsg:
		m.prompts.Load(msg)
	case noteMsg:
		m.note(m.theme.Bad, "✗", msg.text)
	case unqueuedMsg:
		if msg.ok {
			m.input.Set(msg.text)
		}
	case completionMsg:
		m.complete(msg)
	case commandMsg:
		return m.commandDone(msg)
	case editedMsg:
		m.edited(msg)
	case outputMsg:
		m.scrollback.print(textBlock, msg...)
	case outsideMsg:
		return m.foreground(msg.run, msg.done)
	case crashMsg:
		panic(msg)
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

func (m *Model) keepTicking() tea.Cmd {
	if m.ticking || !m.moving() {
		return nil
	}
	m.ticking = true
	return tea.Tick(tickTime, func(time.Time) tea.Msg { return tickMsg{} })
}

// moving reports whether time changes what is on the screen. A question hides what
// goes on, until it is answered.
func (m *Model) moving() bool {
	if m.approvals.open() {
		return m.approvals.typing || m.hint.text != ""
	}
	return m.turn.running || len(m.tools) > 0 || len(m.commands) > 0 || m.hint.text != ""
}
