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

// titleColumns limits the characters of a command in the title of its job.
const titleColumns = 60

func jobTitle(j command.Job) string {
	return fmt.Sprintf("job %d: %s", j.ID, style.Reveal(humanize.Line(j.Command, titleColumns)).Text)
}

// toBackground moves the call in the lowest row into the background. If no call runs, it shows the latest
// job in the foreground. Each further press shows the previous job, and after the oldest job none.
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

// putBehind moves the command or the subagent in the lowest possible row into the background, and returns a
// text about it. Subagents are shown above commands.
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

// commandRuns reports whether a command is running that can become a job.
func (m *Model) commandRuns() bool {
	return len(m.activity.tools) > 0 && m.opts.Jobs != nil
}

// jobsRun reports whether the background key acts on jobs. A job must be running or in the foreground, and
// the input must be empty, because the key has another meaning while the user types.
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
