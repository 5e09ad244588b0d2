package tui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/question"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// plain is the interface for screen readers and for terminals that can only print. It prints finished
// entries line by line, without escape sequences, and reads lines. Nothing moves and nothing is painted
// twice.
type plain struct {
	unseen
	model *Model
	out   io.Writer
	// asked identifies the question, and its inquiry, that was printed last.
	asked struct{ id, step int }
	// stopped is the time of the last Ctrl+C.
	stopped time.Time
	// hide turns off the echo of the terminal. echo turns it on again, and is nil while it is on.
	hide func() (restore func() error, err error)
	echo func() error
}

// stopMsg is a Ctrl+C.
type stopMsg struct{}

// typedLineMsg is a typed line. more is false at the end of the input.
type typedLineMsg struct {
	text string
	more bool
}

// runPlain reads and prints lines until the input ends, a message requests to quit, or ctx ends.
func runPlain(ctx context.Context, opts Options, signals <-chan os.Signal) error {
	opts.Plain = true
	if opts.NotifySignals != nil {
		defer opts.NotifySignals()()
	}
	opts.Environ = append(opts.Environ[:len(opts.Environ):len(opts.Environ)], "NO_COLOR=1", "TERM=dumb")
	width, _ := term.SizeOf(opts.Out)
	front := &plain{model: newModel(ctx, opts, width, 1000), out: opts.Out, hide: func() (func() error, error) { return term.HideInput(opts.In) }}
	defer front.showInput()
	loop := newLoop(ctx, front)
	stop := make(chan struct{})
	defer close(stop)
	listen(opts.Events, loop, stop)
	go func() {
		lines := bufio.NewScanner(opts.In)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			loop.Send(typedLineMsg{lines.Text(), true})
		}
		loop.Send(typedLineMsg{})
	}()
	return serve(ctx, loop, nil, signals, func(s os.Signal) bool {
		if s == os.Interrupt {
			loop.Send(stopMsg{})
		}
		return s == os.Interrupt || term.IsResize(s)
	})
}

// Init implements tea.Model.
func (p *plain) Init() tea.Cmd {
	next := p.model.begin()
	p.show()
	return next
}

// Update implements tea.Model.
func (p *plain) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var next tea.Cmd
	switch message := message.(type) {
	case typedLineMsg:
		if !message.more {
			return p, tea.Quit
		}
		next = p.line(message.text)
	case stopMsg:
		next = p.stop()
	default:
		next = p.model.update(message)
	}
	p.show()
	return p, next
}

// line handles a typed line: the answer to the waiting question, or a message.
func (p *plain) line(text string) tea.Cmd {
	m := p.model
	p.showInput()
	if m.questions.IsOpen() {
		if reply := m.questions.HandleLine(text, m.surface.now()); reply.View {
			p.asked.id = 0
			return nil
		} else if !reply.Pass {
			cmd := m.questionReply(reply)
			m.sendWaiting()
			return cmd
		}
	}
	m.typedLines[strings.TrimSpace(text)] = true
	m.input.Editor.Set(text)
	return m.submit()
}

// showInput turns the echo of the terminal on again.
func (p *plain) showInput() {
	if p.echo != nil {
		_ = p.echo()
		p.echo = nil
	}
}

// stop handles Ctrl+C. The first one interrupts the work, like Esc on the screen. A second one soon after
// it quits.
func (p *plain) stop() (next tea.Cmd) {
	m := p.model
	now := m.surface.now()
	if !p.stopped.IsZero() && now.Sub(p.stopped) <= hintTime {
		return tea.Quit
	}
	p.stopped = now
	switch {
	case m.questions.IsOpen():
		next = m.questionReply(m.questions.HandleLine("stop", now))
	case m.activity.turn.running:
		m.interrupt()
	}
	m.surface.showHint("Ctrl+C again quits", true)
	return next
}

// show prints the finished entries, the page that a command has opened, and the open question.
func (p *plain) show() {
	m := p.model
	opened := m.reader.pager
	m.reader.pager = nil
	rows := m.frame().Printed
	if opened != nil {
		rows = append(rows, opened.All(m.surface.theme, m.surface.width)...)
	}
	if m.questions.IsOpen() && (m.questions.First().ID != p.asked.id || m.questions.First().Step != p.asked.step) {
		asked := m.questions.First()
		p.asked.id, p.asked.step = asked.ID, asked.Step
		about := question.AllRows(m.surface.theme, asked, m.surface.width)
		head := "Question: "
		if n, of := m.questions.Position(); of > 1 {
			head = fmt.Sprintf("Question %d of %d: ", n, of)
		}
		about[0] = head + about[0]
		rows = append(append(rows, about...), style.WrapText(m.questions.AnswerHelp(), m.surface.width)...)
		if asked.IsSecret() {
			p.echo, _ = p.hide()
		}
	}
	for _, row := range rows {
		fmt.Fprintln(p.out, style.SealPlain(row))
	}
}
