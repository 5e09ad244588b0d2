package acp

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/todo"
	"agent/internal/toolspec"
)

const (
	// chunkEvery is the shortest time between two pieces of text.
	chunkEvery = 33 * time.Millisecond
	// outputEvery is the shortest time between two updates of a command's output.
	outputEvery = 250 * time.Millisecond
	// agentEvery is the shortest time between two updates of a subagent's progress.
	agentEvery = 500 * time.Millisecond
	// maxShown limits an output or a recorded answer that is sent to an editor, in bytes.
	maxShown = 8 << 10
)

// shown turns the events of a session into updates for the editor, and stores what the editor already
// shows.
type shown struct {
	session *session

	mu sync.Mutex
	// text and thought hold the text and the reasoning that are not sent yet.
	text, thought strings.Builder
	// due is the timer that sends them.
	due *time.Timer
	// message is the number of the current reply. said is the number of the latest text of the program.
	message, said int
	// searches counts the web searches of the model's server.
	searches int
	// calls holds the running calls, by number.
	calls  map[int]*callShown
	todos  string
	used   int
	asking map[int]func()
}

// callShown is a call that the editor displays.
type callShown struct {
	id     string
	output []byte
	sent   time.Time
}

func (w *shown) send(u update) {
	w.session.server.conn.notify("session/update", map[string]any{"sessionId": w.session.id, "update": u})
}

// say sends a text of the program itself. The text is not part of a reply that is arriving.
func (w *shown) say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	w.said++
	w.chunk("agent_message_chunk", fmt.Sprintf("s%d", w.said), text)
}

// chunk sends a piece of a message, unless it is empty.
func (w *shown) chunk(kind, id, text string) {
	if text != "" {
		w.send(update{"sessionUpdate": kind, "messageId": id, "content": contentBlock{Type: "text", Text: text}})
	}
}

// flush sends the waiting text. The caller holds the lock.
func (w *shown) flush() {
	if w.due != nil {
		w.due.Stop()
		w.due = nil
	}
	id := fmt.Sprintf("m%d", w.message)
	w.chunk("agent_thought_chunk", id, w.thought.String())
	w.thought.Reset()
	w.chunk("agent_message_chunk", id, w.text.String())
	w.text.Reset()
}

// delta adds a piece of a reply, to be sent soon.
func (w *shown) delta(into, other *strings.Builder, text string) {
	if other.Len() > 0 {
		w.flush() // reasoning and text stay in order
	}
	into.WriteString(text)
	if w.due == nil {
		w.due = time.AfterFunc(chunkEvery, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.flush()
		})
	}
}

// event turns an event into updates for the editor.
func (w *shown) event(e chat.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case chat.TextDelta:
		w.delta(&w.text, &w.thought, e.Delta)
		return
	case chat.ReasoningDelta:
		w.delta(&w.thought, &w.text, e.Delta)
		return
	}
	w.flush()
	switch e := e.(type) {
	case chat.TurnStarted, chat.ReplyEnded:
		w.message++
	case chat.ReplyDiscarded:
		w.message++
		w.sendNotice("warning", "The reply was cut off and is discarded. The model starts again.")
	case chat.CallRequested:
		c := &callShown{id: fmt.Sprintf("c%d", e.Call)}
		w.calls[e.Call] = c
		w.showCall(c.id, e.Label.Title(), e.Name, w.session.talk.Tools().Traits(e.Name), e.Arguments)
	case chat.ToolStarted:
		w.update(w.idOf(e.Call), update{"status": "in_progress", "title": humanize.Line(e.Label.Title(), longestTitle)})
	case chat.ToolOutput:
		w.output(e)
	case chat.AgentChanged:
		w.progress(e.AgentState)
	case chat.ToolEnded:
		w.showEnd(e)
	case chat.ApprovalRequested:
		w.ask(e.Approval)
	case chat.ApprovalSettled:
		w.withdraw(e.ID)
	case chat.StatusChanged:
		w.usage(e)
	case chat.DensityApplied:
		w.showCompaction(fmt.Sprint(e), e.TokensBefore-e.TokensAfter > e.Limit/20)
	case chat.Compressed:
		w.showCompaction(fmt.Sprint(e), e.Applied)
	case chat.Retry:
		w.sendNotice("warning", fmt.Sprintf("retrying in %s (attempt %d): %s", e.Delay.Round(10*time.Millisecond), e.Attempt, e.Problem()))
	case chat.UserMessage:
		for _, skipped := range e.Skipped {
			w.sendNotice("warning", fmt.Sprintf("@%s is not included: %s", strings.TrimPrefix(skipped.Path, "@"), skipped.Reason))
		}
	case chat.Searched:
		w.searched(e)
	case chat.Notice:
		w.sendNotice("info", e.Text)
	case chat.TurnCost:
		w.sendNotice("info", e.String())
	case chat.TurnEnded:
		w.endOpenCalls()
	}
}

// longestTitle limits a title, a name and an item of a plan, in characters. The arguments of the call
// contain the full text.
const longestTitle = 500

func (w *shown) showCall(id, title, name string, t toolspec.Traits, given arguments.Arguments) {
	locations := []location{}
	for _, file := range t.FilesOf(given) {
		locations = append(locations, location{Path: w.absolute(file)})
	}
	w.send(update{
		"sessionUpdate": "tool_call", "toolCallId": id, "title": humanize.Line(title, longestTitle), "name": humanize.Line(name, longestTitle), "kind": kind(t), "status": "pending",
		"rawInput": given.Raw(), "locations": locations,
	})
}

func (w *shown) absolute(path string) string {
	return fsutil.ResolveIn(w.session.talk.Root(), path)
}

// update changes the display of a call. It does nothing if id is "", which means that the editor does not
// display the call.
func (w *shown) update(id string, u update) {
	if id != "" {
		u["sessionUpdate"], u["toolCallId"] = "tool_call_update", id
		w.send(u)
	}
}

// idOf returns the id of a call, or "" for a call of the user.
func (w *shown) idOf(call int) string {
	if c := w.calls[call]; c != nil {
		return c.id
	}
	return ""
}

// result shows the result of a call. The text of a failure begins with the error.
func (w *shown) result(id, failure, text string, diff []diffContent, more update) {
	u := update{"status": "completed"}
	text = strings.TrimSpace(text)
	if failure != "" {
		u["status"] = "failed"
		text = strings.TrimSpace(failure + "\n" + text)
	}
	var content []any
	for _, d := range diff {
		content = append(content, d)
	}
	u["content"] = append(content, textOf(shortened(text)))
	maps.Copy(u, more)
	w.update(id, u)
}

// output shows the latest output of a command, at most every outputEvery.
func (w *shown) output(e chat.ToolOutput) {
	c := w.calls[e.Call]
	if c == nil {
		return
	}
	c.output = humanize.KeepEnd(append(c.output, e.Data...), maxShown)
	if now := time.Now(); now.Sub(c.sent) >= outputEvery {
		c.sent = now
		end := c.output[max(0, len(c.output)-maxShown):]
		w.update(c.id, update{"content": []any{textOf(strings.ToValidUTF8(string(end), ""))}})
	}
}

// progress shows the progress of a call's subagent, at most every agentEvery.
func (w *shown) progress(s chat.AgentState) {
	c := w.calls[s.Call]
	if now := time.Now(); c != nil && !s.Background && now.Sub(c.sent) >= agentEvery {
		c.sent = now
		w.update(c.id, update{"content": []any{textOf(s.Agent + " " + s.ID + ": " + s.String() + "\n" + s.Latest)}})
	}
}

func (w *shown) showEnd(e chat.ToolEnded) {
	id := w.idOf(e.Call)
	if id == "" {
		return
	}
	text, more := e.Answer.Text, update{}
	if e.Answer.Error == "" && strings.TrimSpace(text) == "" {
		text = "done"
	}
	if e.Answer.ExitCode != nil {
		more["rawOutput"] = map[string]any{"exitCode": *e.Answer.ExitCode}
	}
	w.result(id, e.Answer.Error, text, diffs(e.Answer.Diff, w.absolute), more)
	delete(w.calls, e.Call)
	w.plan()
}

// endOpenCalls ends the display of calls without an answer.
func (w *shown) endOpenCalls() {
	for call, c := range w.calls {
		w.result(c.id, "interrupted", "", nil, nil)
		delete(w.calls, call)
	}
	for id := range w.asking {
		w.withdraw(id)
	}
}

// close sends the waiting text and ends all open calls and questions.
func (w *shown) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	w.endOpenCalls()
}

// shortened omits the middle of a long text.
func shortened(text string) string {
	if len(text) <= maxShown {
		return text
	}
	half := maxShown / 2
	return strings.ToValidUTF8(text[:half], "") + fmt.Sprintf("\n… %d bytes omitted …\n", len(text)-2*half) + strings.ToValidUTF8(text[len(text)-half:], "")
}

// plan sends the todo list if it has changed.
func (w *shown) plan() {
	list := w.session.talk.Todos()
	entries := []map[string]any{}
	var add func(todo.List)
	add = func(items todo.List) {
		for _, item := range items {
			entries = append(entries, map[string]any{"content": humanize.Line(item.Content, longestTitle), "priority": "medium", "status": string(item.Status)})
			add(item.Subtasks)
		}
	}
	add(list)
	now := fmt.Sprint(entries)
	if now == w.todos || len(entries) == 0 && w.todos == "" {
		return
	}
	w.todos = now
	w.send(update{"sessionUpdate": "plan", "entries": entries})
}

// usage sends the size of the context and the cost of the session.
func (w *shown) usage(e chat.StatusChanged) {
	if e.Status.Tokens == w.used || e.Status.Limit == 0 {
		return
	}
	w.used = e.Status.Tokens
	u := update{"sessionUpdate": "usage_update", "used": e.Status.Tokens, "size": e.Status.Limit}
	if e.Stats.Cost > 0 {
		u["cost"] = map[string]any{"amount": e.Stats.Cost, "currency": "USD"}
	}
	w.send(u)
}

// sendNotice sends a line for the user that is not part of the conversation. It sends the line only to an
// editor that supports such lines.
func (w *shown) sendNotice(severity, text string) {
	if w.session.server.notices {
		w.send(update{"sessionUpdate": "notice", "severity": severity, "title": humanize.Line(humanize.Brief(text), 0)})
	}
}

// notice acquires the lock and calls sendNotice.
func (w *shown) notice(severity, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sendNotice(severity, text)
}

func (w *shown) showCompaction(line string, large bool) {
	if !large || !w.session.server.compactions {
		w.sendNotice("info", line)
		return
	}
	w.message++
	w.send(update{
		"sessionUpdate": "compaction_update", "compactionId": fmt.Sprintf("k%d", w.message), "status": "completed",
		"summary": []contentBlock{{Type: "text", Text: line}},
	})
}

// replay shows the earlier entries of a resumed conversation.
func (w *shown) replay(entries []*history.Content) {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := 0
	open := map[string]string{}
	for _, entry := range entries {
		w.message++
		id := fmt.Sprintf("m%d", w.message)
		said := "agent_message_chunk"
		if entry.Speaker == history.Human {
			said = "user_message_chunk"
		}
		for _, b := range entry.Blocks {
			switch b := b.(type) {
			case *history.Text:
				w.chunk(said, id, b.Text)
			case *history.Thinking:
				w.chunk("agent_thought_chunk", id, b.Thought)
			case *history.ToolCall:
				calls++
				open[b.ID] = fmt.Sprintf("p%d", calls)
				t := w.session.talk.Tools().Traits(b.Name)
				w.showCall(open[b.ID], t.Describe(b.Name, b.Arguments()).Title(), b.Name, t, b.Arguments())
			case *history.ToolResponse:
				w.result(open[b.CallID], b.Error, b.Result.Text(), nil, nil)
				delete(open, b.CallID)
			}
		}
	}
	for _, id := range open {
		w.result(id, "interrupted", "", nil, nil)
	}
}

func kind(t toolspec.Traits) string {
	switch {
	case t.Edits || t.Remembers:
		return "edit"
	case t.Runs:
		return "execute"
	case t.Searches:
		return "search"
	case t.Network:
		return "fetch"
	case t.Stateful || t.Asks || t.Density.Reports:
		return "think"
	case t.ShowsFile() || t.ShowsFiles():
		return "read"
	case t.Reads:
		return "search"
	}
	return "other"
}

// searched shows a web search by the model's server.
func (w *shown) searched(e chat.Searched) {
	w.searches++
	w.send(update{
		"sessionUpdate": "tool_call", "toolCallId": fmt.Sprintf("s%d", w.searches), "title": humanize.Line(cmp.Or(e.Query, "the web"), 0), "kind": "search",
		"status": "completed", "locations": []location{}, "content": []any{map[string]any{"type": "content", "content": contentBlock{Type: "text", Text: strings.Join(e.Sources, "\n")}}},
	})
}
