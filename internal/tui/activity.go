package tui

import (
	"slices"
	"strings"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// activity holds the work in progress: the turn, its reply, the running tools, the messages that
// wait, and the outputs that can be opened.
type activity struct {
	surface *surface
	jobs    Jobs
	turn    turn
	reply   reply
	tools   []runningTool
	// agents holds the running subagents, oldest first. heard holds the messages of their conversations.
	agents []chat.AgentState
	heard  map[string][]byte
	// waitedAt maps the id of each subagent to the time that questions had waited in the turn when the
	// subagent started.
	waitedAt map[string]time.Duration
	// watched is the job in the foreground. Its ID is 0 if there is none.
	watched command.Job
	// said holds the texts of the user and the model in this session.
	said sayings
	// commands holds the lines of the running slash commands.
	commands []string
	// toldLoss is set once a notice has reported that pruning cost more than it saved.
	toldLoss bool
	// aside is set while a side question is answered.
	aside bool
	// waiting holds messages that wait until a command of the user has ended. The changes of a turn could
	// otherwise collide with the changes of the command.
	waiting []atcmd.Message
	// queued holds the messages that wait for the next pause of the turn. shell holds the shell commands
	// that wait for the end of the turn.
	queued []string
	shell  []string
	// back is the text of the message that was removed last from the queue for editing. behind holds the
	// messages removed before it and left unchanged. They return to the queue after it.
	back    string
	behind  []atcmd.Message
	outputs outputs
	// earlier holds the turns of a resumed session.
	earlier []EarlierTurn
}

// event handles one event of the turn loop.
func (a *activity) event(event chat.Event) {
	switch event.(type) {
	case chat.QueueChanged, chat.StatusChanged, chat.AgentEvent, chat.AgentChanged, chat.AsideChanged: // the model has sent nothing
	case chat.DensityApplied:
		a.turn.silence = silence{}
	default:
		a.turn.silence = silence{}
		if _, edit := a.surface.held.(heldEdit); edit {
			a.surface.endHeld()
		}
	}
	switch event.(type) {
	case chat.TextDelta, chat.ReasoningDelta, chat.CallArriving, chat.UsageReported: // the model answers the request
		a.turn.retry.at = time.Time{}
	}
	switch e := event.(type) {
	case chat.Waiting:
		now := a.surface.now()
		a.turn.silence = silence{since: now.Add(-e.For), told: now}
	case chat.TurnStarted:
		a.turn = turn{running: true, started: a.surface.now(), before: a.surface.stats}
	case chat.TurnEnded:
		a.turnEnded(e)
	case chat.MessageReturned:
		a.turn.returned = true
	case chat.TextDelta:
		a.endThinking()
		a.turn.written += len(e.Delta)
		a.printReply(a.reply.text.Add(e.Delta))
	case chat.ReasoningDelta:
		a.reply.addThinking(e.Delta, a.surface.now())
	case chat.TextWasThinking:
		a.replyVoid("the text above is the model's reasoning")
	case chat.ReplyDiscarded:
		a.replyVoid("the reply above was cut off and is discarded")
	case chat.RequestStarted:
		a.turn.requested = true
	case chat.UserMessage:
		a.said.add("> " + e.Text)
	case chat.ReplyEnded:
		a.turn.requested = false
		a.said.add(e.Text)
		a.endReply(e.Text)
		a.turn.arriving, a.turn.written = "", 0
	case chat.CallArriving:
		a.endThinking()
		a.turn.arriving = describe(e.Label).Now
	case chat.ToolStarted:
		a.endThinking()
		a.turn.arriving = ""
		a.tools = append(a.tools, runningTool{call: e.Call, said: describe(e.Label), started: a.surface.now()})
	case chat.ToolOutput:
		a.toolOutput(e)
	case chat.AgentWaiting:
		a.addAgent(e.AgentState)
	case chat.AgentStarted:
		a.agentStarted(e.AgentState)
	case chat.AgentChanged:
		a.agentChanged(e.AgentState)
	case chat.AgentEvent:
		a.addAgentEvent(e)
	case chat.AgentEnded:
		a.agentEnded(e)
	case chat.ToolEnded:
		a.toolEnded(e)
	case chat.AsideChanged:
		a.aside = e.Running
	case chat.CompressionStarted:
		a.turn.summarizer = e.Model
	case chat.ProgramWaiting:
		a.turn.hook = e.Names
	case chat.ApprovalRequested:
		a.turn.plan = e.Approval.Preview.Plan
		a.turn.asks(a.surface.now())
	case chat.UsageReported:
		a.turn.requests++
	case chat.Retry:
		a.turn.retry = retry{e.Attempt, e.Reason, a.surface.now().Add(e.Delay)}
	case chat.ApprovalSettled:
		a.turn.answered(a.surface.now())
	case chat.QueueChanged:
		a.queued = e.Messages
	case chat.StatusChanged:
		a.surface.status, a.surface.stats = e.Status, e.Stats
	case chat.DensityApplied:
		a.densityApplied(e)
	case chat.Compressed:
		a.turn.summarizer = ""
		a.surface.note(dim, "≈", e.String())
	case chat.Searched:
		a.surface.note(dim, "·", e.String())
	case chat.Notice:
		a.surface.note(warn, "!", e.Text)
	}
}

// replyVoid removes the open reply. If a part of it was already printed, replyVoid prints a note why that
// part does not count.
func (a *activity) replyVoid(why string) {
	if a.surface.transcript.IsGrowing() {
		a.printReply(a.reply.text.End())
	}
	if a.reply.printed {
		a.surface.note(dim, "↻", why)
	}
	a.reply = reply{}
	a.turn.arriving = ""
}

func (a *activity) turnEnded(e chat.TurnEnded) {
	a.endReply("")
	a.surface.endHeld()
	if a.surface.now().Sub(a.turn.started) >= longTurn {
		a.surface.calling = true
	}
	again := e.Outcome.Stop == chat.StopFailed && !a.turn.returned
	a.printRetries(e.Err != nil)
	switch {
	case e.Outcome.Stop == chat.StopInterrupted:
		a.surface.note(warn, "■", "interrupted")
	case e.Outcome.Stop == chat.StopDenied && e.Err == nil:
		a.surface.note(warn, "■", "Stopped after your refusal. Type how to continue.")
	case choosesModel(e.Err) && !a.surface.plain:
		a.surface.note(dim, "·", "no model yet: choose one, and your message is sent to it")
	case e.Err != nil:
		a.surface.note(bad, "✗", e.Err.Error())
		if again {
			a.surface.print(transcript.KindLine, func(t *style.Theme, _ int) []string {
				return []string{t.Dim.Text("  To send the request again, type /retry.")}
			})
		}
	}
	a.turn.files, a.turn.added, a.turn.removed = len(e.Changes.Files), e.Changes.Added, e.Changes.Removed
	a.endTurn(e.Outcome.Stop == chat.StopInterrupted)
	a.turn = turn{}
	a.tools = nil
	a.queued = nil
}

// view returns the rows of the work in progress: the tail of the reply, the running tools, and a
// line about the turn.
func (a *activity) view(width, room int) []string {
	working := a.workingView(width)
	room -= len(working)
	tools := a.toolsView(width, room)
	tools = append(tools, a.watchView(width, room-len(tools))...)
	room -= len(tools)
	grown := a.surface.transcript.GrownRows()
	tail := a.reply.view(a.surface.theme, a.surface.md, width, room-min(1, len(tools)+len(working)), grown)
	if len(tail) > 0 && len(tools)+len(working) > 0 {
		tail = append(tail, "")
	}
	return append(append(tail, tools...), working...)
}

// queueView lists the latest waiting messages, then the waiting shell commands. asking is set while a
// question receives the keys.
func (a *activity) queueView(width, room int, asking bool) []string {
	waiting := slices.Clone(a.queued)
	for _, message := range slices.Concat(a.behind, a.waiting) {
		waiting = append(waiting, message.Text())
	}
	waiting = append(waiting, a.shell...)
	var lines []string
	if before := len(waiting) - room; before > 0 && room > 0 {
		before++ // one row shows the number of omitted messages
		lines = append(lines, "  "+humanize.Count(before, "message")+" queued before")
		waiting = waiting[before:]
	}
	for i, text := range waiting {
		line := "  queued: " + style.Clean(humanize.FirstLine(text))
		if i == len(waiting)-1 && len(a.behind) == 0 {
			if asking {
				line += " (Tab, then Up to edit it)"
			} else {
				line += " (Up to edit it)"
			}
		}
		lines = append(lines, line)
	}
	lines = lines[:min(len(lines), max(0, room))]
	for i, line := range lines {
		lines[i] = a.surface.theme.Dim.Text(style.Truncate(line, width))
	}
	return lines
}

// questionHeading returns the row above an open question: the todo item in progress, and how long the
// question has waited. It returns nil if the window has no room for it.
func (a *activity) questionHeading(width, room int) []string {
	if room < tallQuestion {
		return nil
	}
	said := style.Clean(a.surface.status.Todo)
	if waits := a.waited().Truncate(time.Minute); waits > 0 {
		said = strings.TrimPrefix(said+" · asked "+humanize.Count(int(waits/time.Minute), "minute")+" ago", " · ")
	}
	if said == "" {
		return nil
	}
	return []string{a.surface.theme.Dim.Text(style.Truncate("  "+said, width)), ""}
}

// tallQuestion is the height, in rows, from which a question has room for the heading.
const tallQuestion = 14

// waited returns how long a question has waited.
func (a *activity) waited() time.Duration {
	if a.turn.askedAt.IsZero() {
		return 0
	}
	return a.surface.now().Sub(a.turn.askedAt)
}

// todoView returns a row with the progress of the todo list, if there is room for it.
func (s *surface) todoView(width, room int) []string {
	const least = 6
	if s.status.Todo == "" || room < least {
		return nil
	}
	return []string{s.theme.Dim.Text(style.Truncate("  "+style.Clean(s.status.Todo), width))}
}
