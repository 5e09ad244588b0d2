package tui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/command"
	"agent/internal/history"
	"agent/internal/tui/edit"
)

// commandMsg brings the result of a slash command.
type commandMsg struct {
	line   string
	output command.Output
	err    error
}

// What a line after "!" is, and one after "!!".
const (
	shellHelp   = "shell: the model sees what it prints; with !! it does not"
	privateHelp = "shell: the model sees nothing of it; with one ! it does"
)

// shellMode reports that the input is a line for the shell.
func (m *Model) shellMode() bool { return strings.HasPrefix(m.input.Text, "!") }

// submit sends what is in the input: a command to the commands, a line after "!"
// to the shell, everything else to the model. What waits for the model is shown
// when it says so.
func (m *Model) submit() tea.Cmd {
	m.popup.close()
	m.keepPastes()
	message := m.message().Trim()
	text := message.Text()
	if text == "" {
		return nil
	}
	remember := m.remember(message)
	m.input.Clear()
	m.typed = time.Time{}
	switch {
	case text == "exit" || text == "quit":
		return tea.Quit
	case message.Leads() == '!' && strings.TrimLeft(text, "! ") == "":
		m.showHint(shellHelp, false)
		return nil
	case m.opts.Commands != nil && message.Leads() == '/' && command.IsCommandWord(firstWord(text)):
		return tea.Batch(remember, m.runCommand(text))
	case message.Leads() == '!':
		m.held = append(m.held, text)
		if !m.turn.running {
			m.runHeld()
		}
	default:
		m.opts.Driver.Send(message)
	}
	return remember
}

// runHeld runs the oldest line for the shell that waited for the end of a turn.
func (m *Model) runHeld() {
	if len(m.held) == 0 {
		return
	}
	command, private := strings.CutPrefix(m.held[0][1:], "!")
	m.held = m.held[1:]
	if hint := shellHint(command); hint != "" {
		m.showHint(hint, false)
	}
	m.opts.Driver.Shell(strings.TrimSpace(command), private)
}

// message is what is in the input, as it is sent: what was pasted is data (D-46).
func (m *Model) message() atcmd.Message {
	var message atcmd.Message
	for _, part := range m.input.Parts() {
		said := atcmd.Part{Text: part.Text, Image: part.Image}
		if part.Pasted && part.Image == "" {
			said.Source = history.Pasted
		}
		message = append(message, said)
	}
	return message
}

// keepPastes remembers what of the input was pasted, by its text, for when it is
// recalled.
func (m *Model) keepPastes() { m.keepParts(m.input.Parts()) }

func (m *Model) keepParts(parts []edit.Part) {
	if !slices.ContainsFunc(parts, func(part edit.Part) bool { return part.Pasted }) {
		return
	}
	if m.pasted == nil {
		m.pasted = make(map[string][]edit.Part)
	}
	m.pasted[strings.TrimSpace(edit.Full(parts))] = parts
}

// loaded takes the prompts of earlier sessions.
func (m *Model) loaded(earlier []atcmd.Message) {
	prompts := make([]string, len(earlier))
	for i, message := range earlier {
		prompts[i] = message.Text()
		m.keepParts(partsOf(message))
	}
	m.prompts.Load(prompts)
}

// asTyped is a sent message as it stood in the input: long pastes are placeholders.
func (m *Model) asTyped(text string) string {
	if parts, ok := m.pasted[strings.TrimSpace(text)]; ok {
		return edit.Shown(parts)
	}
	return text
}

// recall puts an earlier prompt into the input. What was pasted in it still is.
func (m *Model) recall(prompt string) {
	if parts, ok := m.pasted[strings.TrimSpace(prompt)]; ok {
		m.input.SetParts(parts)
		return
	}
	m.input.Set(prompt)
}

// giveBack puts a message into the input again.
func (m *Model) giveBack(message atcmd.Message) { m.input.SetParts(partsOf(message)) }

// partsOf is a message as it stands in the input.
func partsOf(message atcmd.Message) []edit.Part {
	parts := make([]edit.Part, len(message))
	for i, part := range message {
		parts[i] = edit.Part{Text: part.Text, Pasted: part.Source != "", Image: part.Image}
	}
	return parts
}

// remember adds a prompt to the history.
func (m *Model) remember(message atcmd.Message) tea.Cmd {
	text := message.Text()
	if !m.prompts.Add(text) || m.opts.History == nil || len(text) > edit.MaxStored {
		return nil
	}
	prompts := m.opts.History
	return guarded(func() tea.Msg {
		if err := prompts.Append(message); err != nil {
			return noteMsg{"the prompt could not be added to the history: " + err.Error()}
		}
		return nil
	})
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.ReplaceAll(text, "\n", " "), " ")
	return word
}

// runCommand runs a slash command beside everything else.
func (m *Model) runCommand(line string) tea.Cmd {
	m.commands = append(m.commands, line)
	ctx, commands := m.ctx, m.opts.Commands
	return guarded(func() tea.Msg {
		output, err := commands.Run(ctx, line)
		return commandMsg{line, output, err}
	})
}

// commandDone prints what a command has to show and does what it asks for.
func (m *Model) commandDone(msg commandMsg) tea.Cmd {
	for i, line := range m.commands {
		if line == msg.line {
			m.commands = append(m.commands[:i:i], m.commands[i+1:]...)
			break
		}
	}
	m.chooseTheme()
	m.opts.Driver.Refresh()
	if m.pickable(msg.output.Pick) && msg.err == nil {
		return m.openPick(*msg.output.Pick)
	}
	m.showCommand(msg.line, msg.output)
	switch {
	case msg.err != nil:
		m.answer(noteRows(bad, "✗", msg.err.Error()))
	case msg.output.Submit != "":
		m.opts.Driver.Send(atcmd.Typed(msg.output.Submit))
	case msg.output.Copy != "":
		return m.copyText(msg.output.Copy)
	case msg.output.Ask != nil:
		m.questions.AddOwn(msg.output.Ask, m.opts.Now())
	case msg.output.Quit:
		return tea.Quit
	}
	return nil
}
