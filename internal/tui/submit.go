package tui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/command"
	"agent/internal/tui/edit"
	"agent/internal/tui/input"
)

// commandMsg contains the result of a slash command.
type commandMsg struct {
	line   string
	output command.Output
	err    error
}

// shellHelp explains a shell command after "!", and privateHelp one after "!!".
const (
	shellHelp   = "shell: the model sees the output. To hide it, use !!"
	privateHelp = "shell: the model doesn't see the output. To show it, use one !"
)

// submit sends the input: a slash command to the commands, a line after "!" to the shell, and everything
// else to the model. A queued message is shown once the driver reports it.
func (m *Model) submit() tea.Cmd {
	m.input.CloseProposals()
	message := m.input.Editor.Message().Trim()
	text := message.Text()
	if text == "" {
		return nil
	}
	if m.questions.IsAnswers(text) {
		m.input.ClearSent()
		m.surface.showHint(text+" not sent: answer the open question first", false)
		return nil
	}
	remember := m.remember(message)
	m.input.ClearSent()
	m.unstash()
	switch {
	case text == "exit" || text == "quit":
		return tea.Quit
	case message.FirstTypedByte() == '!' && strings.TrimLeft(text, "! ") == "":
		m.surface.showHint(shellHelp, false)
		return nil
	case m.commands(message):
		return tea.Batch(remember, m.runCommand(text))
	case message.FirstTypedByte() == '!':
		m.activity.shell = append(m.activity.shell, text)
		if !m.activity.turn.running {
			m.runHeld()
		}
	case m.questions.HasCommandQuestion():
		m.activity.waiting = append(m.activity.waiting, message)
	default:
		m.opts.Driver.Send(message)
	}
	return remember
}

// commands reports whether a message is a slash command.
func (m *Model) commands(message atcmd.Message) bool {
	text := message.Text()
	return m.opts.Commands != nil && message.FirstTypedByte() == '/' && command.IsCommandWord(input.FirstWord(text)) && !m.opts.Commands.SendsMessage(text)
}

// sendWaiting sends the messages that have waited for the end of a command of the user.
func (m *Model) sendWaiting() {
	if m.questions.HasCommandQuestion() || len(m.activity.commands) > 0 {
		return
	}
	for _, message := range m.activity.waiting {
		m.opts.Driver.Send(message)
	}
	m.activity.waiting = nil
}

// backUnchanged reports whether the prompt still contains, unchanged, the message that was removed from the
// queue.
func (m *Model) backUnchanged() bool {
	return m.activity.back != "" && m.input.Editor.Message().Text() == m.activity.back
}

// cameBack puts a queued message into the prompt. If the prompt still contains another message from the
// queue, unchanged, that message is stored in activity.behind first.
func (m *Model) cameBack(message atcmd.Message, ok bool) {
	switch {
	case !ok:
		return
	case m.backUnchanged():
		m.activity.behind = slices.Insert(m.activity.behind, 0, m.input.Editor.Message())
	case !m.input.Editor.Empty(): // the user has typed in the meantime
		m.opts.Driver.Send(message)
		return
	}
	m.activity.back = message.Text()
	m.input.Editor.Restore(message)
}

// sendBehind sends the messages in activity.behind to the queue again, once the user has sent or discarded
// the message that came before them.
func (m *Model) sendBehind() {
	if !m.input.Editor.Empty() || m.activity.back == "" {
		return
	}
	for _, message := range m.activity.behind {
		m.opts.Driver.Send(message)
	}
	m.activity.back, m.activity.behind = "", nil
}

// shellLine returns the help for a shell command, or "" if the input is not a shell command.
func (m *Model) shellLine() string {
	switch {
	case m.input.IsPrivateCommand():
		return privateHelp
	case m.input.IsShell():
		return shellHelp
	}
	return ""
}

// runHeld runs the oldest shell command that has waited for the end of a turn.
func (m *Model) runHeld() {
	if len(m.activity.shell) == 0 {
		return
	}
	command, private := strings.CutPrefix(m.activity.shell[0][1:], "!")
	m.activity.shell = m.activity.shell[1:]
	if hint := shellHint(command, m.surface.keys.Label("suspend")); hint != "" {
		m.surface.showHint(hint, false)
	}
	m.opts.Driver.Shell(strings.TrimSpace(command), private)
}

// remember adds a prompt to the history.
func (m *Model) remember(message atcmd.Message) tea.Cmd {
	text := message.Text()
	if !m.input.Prompts.Add(message) || m.opts.History == nil || len(text) > edit.MaxStored {
		return nil
	}
	prompts := m.opts.History
	prompts.Add(message)
	return guardPanic(func() tea.Msg {
		if err := prompts.Write(); err != nil {
			return noteMsg{"can't save the prompt history: " + err.Error()}
		}
		return nil
	})
}

func (m *Model) runCommand(line string) tea.Cmd {
	commands := m.opts.Commands
	return m.activity.run(line, func(ctx context.Context) (command.Output, error) { return commands.Run(ctx, line) })
}

// run returns a command that runs the function run of a slash command concurrently.
func (a *activity) run(line string, run func(context.Context) (command.Output, error)) tea.Cmd {
	a.commands = append(a.commands, line)
	a.surface.hint = hint{}
	ctx := a.surface.ctx
	return guardPanic(func() tea.Msg {
		output, err := run(ctx)
		return commandMsg{line, output, err}
	})
}

// modelList is the slash command that lists the models.
const modelList = "/model"

// choosesModel reports whether a turn failed because no model is set and the user can choose
// one.
func choosesModel(err error) bool {
	var wanting interface{ ChoosesModel() bool }
	return errors.As(err, &wanting) && wanting.ChoosesModel()
}

// chooseModel lists the models. The waiting message is sent to the model that the user chooses.
func (m *Model) chooseModel() tea.Cmd {
	m.resends = true
	return m.runCommand(modelList)
}

// commandDone prints the output of a command and carries out its requests.
func (m *Model) commandDone(msg commandMsg) tea.Cmd {
	if i := slices.Index(m.activity.commands, msg.line); i >= 0 {
		m.activity.commands = slices.Delete(m.activity.commands, i, i+1)
	}
	m.surface.chooseTheme()
	m.opts.Driver.Refresh()
	if m.pickable(msg.output.Pick) && msg.err == nil {
		m.input.CloseProposals()
		resends := m.resends && msg.line == modelList
		m.resends = false
		return m.chooser.open(*msg.output.Pick, func(chosen command.Choice) tea.Cmd {
			if chosen.Draft != "" {
				m.input.Paste(chosen.Draft, m.surface.now())
				return nil
			}
			if resends {
				m.resendsAfter = chosen.Line
			}
			return m.runCommand(chosen.Line)
		})
	}
	m.showCommand(msg.line, msg.output)
	if m.resendsAfter == msg.line && msg.line != "" {
		if m.resendsAfter = ""; msg.err == nil {
			return m.runCommand("/retry")
		}
	}
	switch {
	case msg.err != nil:
		m.surface.answer(noteRows(bad, "✗", msg.err.Error()))
	case msg.output.Submit != "" && m.questions.HasCommandQuestion():
		m.activity.waiting = append(m.activity.waiting, atcmd.TypedMessage(msg.output.Submit))
	case msg.output.Submit != "":
		m.opts.Driver.Send(atcmd.TypedMessage(msg.output.Submit))
	case msg.output.Copy != "":
		return m.presence.copyText(msg.output.Copy)
	case msg.output.Ask != nil:
		m.questions.AddCommandQuestion(msg.output.Ask, m.surface.now())
	case msg.output.TestsKeys && !m.surface.plain:
		m.testing, m.tested = true, ""
	case msg.output.Outside != nil:
		return m.surface.lendTo(msg.output.Outside)
	case msg.output.Quit:
		return tea.Quit
	}
	return m.opts.askBranch(m.surface.ctx) // /undo and other commands change files
}

// fullScreen lists programs that need the whole terminal, which shell commands after "!" do not have.
var fullScreen = []string{"emacs", "htop", "less", "man", "more", "nano", "nvim", "ssh", "tmux", "top", "vi", "vim"}

// shellHint returns a warning if a shell command will not work as users expect. Otherwise it returns "".
// suspends is the label of the key that suspends the program.
func shellHint(command, suspends string) string {
	words := strings.Fields(command)
	switch {
	case len(words) == 0:
		return ""
	case words[0] == "cd" && !strings.ContainsAny(command, ";&|\n"):
		return "cd affects only its own command. Use: cd DIR && COMMAND"
	case slices.Contains(fullScreen, words[0]):
		return words[0] + " has no terminal here. Press " + suspends + " for your shell; fg returns"
	}
	return ""
}
