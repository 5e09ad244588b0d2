package tui

import (
	"strings"

	"agent/internal/command"
	"agent/internal/tui/edit"
)

// commandMsg brings the result of a slash command.
type commandMsg struct {
	line   string
	output command.Output
	err    error
}

// submit sends what is in the input: a command to the commands, a line after "!"
// to the shell, everything else to the model. What waits for the model is shown
// when it says so.
func (m *Model) submit() cmd {
	m.popup.close()
	text := strings.TrimSpace(m.input.Value())
	if text == "" {
		return nil
	}
	remember := m.remember(text)
	killed := m.input.Killed
	m.input = edit.Editor{Killed: killed}
	switch {
	case m.opts.Commands != nil && command.IsCommandWord(firstWord(text)):
		return batch(remember, m.runCommand(text))
	case len(text) > 1 && text[0] == '!':
		m.opts.Driver.Shell(strings.TrimSpace(text[1:]))
	default:
		m.opts.Driver.Send(text)
	}
	return remember
}

// remember adds a prompt to the history.
func (m *Model) remember(text string) cmd {
	if !m.prompts.Add(text) || m.opts.History == nil {
		return nil
	}
	history := m.opts.History
	return guarded(func() msg {
		if err := history.Append(text); err != nil {
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
func (m *Model) runCommand(line string) cmd {
	m.commands = append(m.commands, line)
	ctx, commands := m.ctx, m.opts.Commands
	return guarded(func() msg {
		output, err := commands.Run(ctx, line)
		return commandMsg{line, output, err}
	})
}

// commandDone prints what a command has to show and does what it asks for.
func (m *Model) commandDone(msg commandMsg) cmd {
	for i, line := range m.commands {
		if line == msg.line {
			m.commands = append(m.commands[:i:i], m.commands[i+1:]...)
			break
		}
	}
	m.chooseTheme()
	m.showCommand(msg.line, msg.output)
	switch {
	case msg.err != nil:
		m.note(m.theme.Bad, "✗", msg.err.Error())
	case msg.output.Submit != "":
		m.opts.Driver.Send(msg.output.Submit)
	case msg.output.Copy != "":
		return m.copyText(msg.output.Copy)
	case msg.output.Quit:
		return quit
	}
	return nil
}
