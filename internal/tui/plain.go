package tui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/chat"
	"agent/internal/tui/mailbox"
	"agent/internal/tui/question"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// plain is the interface for terminals that can only print, and for screen readers:
// what is finished, line by line and without a single escape sequence, and lines of
// input. Nothing moves and nothing is painted twice.
type plain struct {
	model *Model
	out   io.Writer
	inbox chan tea.Msg
	ended chan struct{}
	// asked is the question that was printed last.
	asked int
}

// typedLineMsg is a line that was typed; more is false at the end of the input.
type typedLineMsg struct {
	text string
	more bool
}

// runPlain serves lines until the input ends, a message says to quit, or ctx ends.
func runPlain(ctx context.Context, opts Options, stop <-chan struct{}) error {
	opts.Plain = true
	opts.Environ = append(opts.Environ[:len(opts.Environ):len(opts.Environ)], "NO_COLOR=1", "TERM=dumb")
	width, _ := term.SizeOf(opts.Out)
	p := &plain{model: newModel(ctx, opts, width, 1000), out: opts.Out, inbox: make(chan tea.Msg, 64), ended: make(chan struct{})}
	defer close(p.ended)
	mail := mailbox.New()
	opts.Events(mail.Put)
	go mail.Deliver(p.ended, func(events []chat.Event) { p.send(eventsMsg(events)) })
	go p.readLines(opts.In)
	p.start(p.model.begin())
	p.show()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-stop:
			return nil
		case message := <-p.inbox:
			if p.take(message) {
				return nil
			}
		}
	}
}

func (p *plain) send(message tea.Msg) {
	select {
	case p.inbox <- message:
	case <-p.ended:
	}
}

func (p *plain) start(c tea.Cmd) {
	if c != nil {
		go func() {
			if message := c(); message != nil {
				p.send(message)
			}
		}()
	}
}

// readLines sends what is typed.
func (p *plain) readLines(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		p.send(typedLineMsg{lines.Text(), true})
	}
	p.send(typedLineMsg{})
}

// take handles one message and reports whether it was the last.
func (p *plain) take(message tea.Msg) (end bool) {
	switch message := message.(type) {
	case tea.QuitMsg:
		return true
	case tea.BatchMsg:
		for _, c := range message {
			p.start(c)
		}
		return false
	case typedLineMsg:
		if !message.more {
			return true
		}
		p.start(p.line(message.text))
	default:
		p.start(p.model.update(message))
	}
	p.show()
	return false
}

// line takes a line: the answer to the question that waits, or a message.
func (p *plain) line(text string) tea.Cmd {
	m := p.model
	if m.questions.Open() {
		asked := m.questions.First()
		answer, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
		switch {
		case answer == "y" && reason == "" && m.questions.TooEarly(m.opts.Now()):
			m.note(warn, "!", "that was typed before the question was there; answer it again")
			return nil
		case asked.Own != nil && (answer == "y" || answer == "n") && reason == "":
			m.questions.Settle(asked.ID, m.opts.Now())
			if answer == "y" {
				return m.runCommand(asked.Own.Run)
			}
			m.leftAsItIs()
			return nil
		case answer == "y" && reason == "":
			m.opts.Driver.Answer(asked.ID, chat.Decision{Allow: true})
			return nil
		case answer == "n":
			m.opts.Driver.Answer(asked.ID, chat.Decision{Reason: reason})
			return nil
		}
	}
	m.input.Set(text)
	return m.submit()
}

// show prints what is finished, what a command opened, and the question that waits.
func (p *plain) show() {
	m := p.model
	opened := m.reader.pager
	m.reader.pager = nil
	rows := m.frame().Printed
	if opened != nil {
		rows = append(rows, opened.All(m.theme, m.width)...)
	}
	if m.questions.Open() && m.questions.First().ID != p.asked {
		asked := m.questions.First()
		p.asked = asked.ID
		about := question.All(m.theme, asked, m.width)
		about[0] = "Question: " + about[0]
		rows = append(append(rows, about...), "Type y for yes, n and a reason for no; anything else is a message.")
	}
	for _, row := range rows {
		fmt.Fprintln(p.out, style.SealPlain(row))
	}
}
