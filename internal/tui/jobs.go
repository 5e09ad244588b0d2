package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/tui/pager"
	"agent/internal/tui/style"
)

// titleColumns is the most characters of a command in the title of its job.
const titleColumns = 60

func jobTitle(j command.Job) string {
	return fmt.Sprintf("job %d: %s", j.ID, style.Reveal(humanize.Line(j.Command, titleColumns)).Text)
}

// toBackground puts the call in the lowest row into the background. If none runs, it brings the
// latest job to the foreground, at the next key the job before it, and after the oldest none.
func (m *Model) toBackground() tea.Cmd {
	if m.commandRuns() {
		m.surface.showHint(m.activity.putBehind(), false)
		return nil
	}
	was := m.activity.watched.ID
	m.activity.watched = command.Job{}
	for _, job := range slices.Backward(m.opts.Jobs.Jobs()) {
		if job.Running() && (was == 0 || job.ID < was) {
			m.activity.watched = job
			break
		}
	}
	return nil
}

// putBehind puts the command or the agent in the lowest row that can go there into the background,
// and returns what it did. Agents are shown above commands.
func (a *activity) putBehind() string {
	rows := slices.Clone(a.tools)
	slices.SortStableFunc(rows, func(one, other runningTool) int {
		switch agent := a.hasAgent(one); {
		case agent == a.hasAgent(other):
			return 0
		case agent:
			return -1
		}
		return 1
	})
	for _, tool := range slices.Backward(rows) {
		if a.jobs.Background(tool.call) {
			return "in the background: " + tool.said.Progressive()
		}
	}
	return "no command or subagent to move to the background"
}

// commandRuns reports whether a running command may become a job.
func (m *Model) commandRuns() bool {
	return len(m.activity.tools) > 0 && m.opts.Jobs != nil
}

// jobsRun reports whether the background key may act on jobs: one runs or is in the foreground,
// and the input is empty, since the key has another meaning while the user types.
func (m *Model) jobsRun() bool {
	return m.opts.Jobs != nil && m.input.Editor.Empty() && (m.surface.status.Jobs > 0 || m.activity.watched.ID != 0)
}

// watch removes a finished job from the foreground. It keeps the job's output and prints a note.
func (a *activity) watch() {
	job := a.watched
	if job.ID == 0 || job.Running() {
		return
	}
	a.watched = command.Job{}
	a.outputs.add(output{Page: pager.Page{Title: jobTitle(job), Layout: plainLay(job.Tail())}, spool: job.Spool()})
	a.surface.note(dim, "·", jobTitle(job)+" — "+job.State())
}

// watchView returns the rows of the job in the foreground: its title and state, and the end of
// its output.
func (a *activity) watchView(width, room int) (lines []string) {
	job := a.watched
	if job.ID == 0 || room <= 0 {
		return nil
	}
	how := " " + job.State() + " · " + a.surface.keys.Label("background") + " hides it"
	head := style.Truncate(jobTitle(job), max(width/2, width-2-style.Width(how)))
	lines = append(lines, a.surface.spinner()+" "+head+a.surface.theme.Dim.Text(style.Truncate(how, width-2-style.Width(head))))
	return append(lines, dimTail(a.surface.theme, job.Tail(), width, min(2*liveOutputLines, room-1))...)
}
