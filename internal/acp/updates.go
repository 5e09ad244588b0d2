package acp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/todo"
	"agent/internal/traits"
	"agent/internal/words"
)

const (
	// chunkEvery bounds how often text is sent, outputEvery how often the output of a
	// command is.
	chunkEvery  = 33 * time.Millisecond
	outputEvery = 250 * time.Millisecond
	// maxShown is how much of an output or a recorded answer an editor is sent, in bytes.
	maxShown = 8 << 10
)

// shown is what an editor was sent of a session: it turns events into updates.
type shown struct {
	session *session

	mu sync.Mutex
	// text and thought wait to be sent; due is the timer that sends them.
	text, thought strings.Builder
	due           *time.Timer
	// message numbers the replies.
	message int
	// calls are those of the session that did not end, by number.
	calls  map[int]*callShown
	todos  string
	used   int
	asking map[int]func()
}

// callShown is a call that an editor knows of.
type callShown struct {
	id, title string
	output    []byte
	sent      time.Time
}

func newShown(s *session) *shown {
	return &shown{session: s, calls: map[int]*callShown{}, asking: map[int]func(){}}
}

// send sends an update of the session.
func (w *shown) send(u update) {
	w.session.server.conn.notify("session/update", map[string]any{"sessionId": w.session.id, "update": u})
}

// say is a text of the program's own.
func (w *shown) say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	if text != "" {
		w.message++
		w.chunk("agent_message_chunk", text)
	}
}

// chunk sends a piece of a message.
func (w *shown) chunk(kind, text string) {
	w.send(update{"sessionUpdate": kind, "messageId": fmt.Sprintf("m%d", w.message), "content": contentBlock{Type: "text", Text: text}})
}

// flush sends the text that waits. The caller holds the lock.
func (w *shown) flush() {
	if w.due != nil {
		w.due.Stop()
		w.due = nil
	}
	if w.thought.Len() > 0 {
		w.chunk("agent_thought_chunk", w.thought.String())
		w.thought.Reset()
	}
	if w.text.Len() > 0 {
		w.chunk("agent_message_chunk", w.text.String())
		w.text.Reset()
	}
}

// delta adds a piece of a reply, which is sent soon.
func (w *shown) delta(into, other *strings.Builder, text string) {
	if other.Len() > 0 {
		w.flush() // thinking and text keep their order
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

// event turns an event into updates.
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
		w.noticed("warning", "the reply was cut off and does not count; it starts over")
	case chat.CallRequested:
		w.requested(e)
	case chat.ToolStarted:
		w.update(e.Call, update{"status": "in_progress", "title": w.titled(e.Call, e.Said.Title())})
	case chat.ToolOutput:
		w.output(e)
	case chat.ToolEnded:
		w.ended(e)
	case chat.ApprovalRequested:
		w.ask(e.Approval)
	case chat.ApprovalSettled:
		w.settled(e.ID)
	case chat.StatusChanged:
		w.usage(e)
	case chat.DensityApplied:
		w.compacted(fmt.Sprint(e), e.TokensBefore-e.TokensAfter > e.Limit/20)
	case chat.Compressed:
		w.compacted(fmt.Sprint(e), e.Applied)
	case chat.Retry:
		w.noticed("warning", fmt.Sprintf("retrying in %s (attempt %d): %s", e.Delay.Round(10*time.Millisecond), e.Attempt, e.Problem()))
	case chat.UserMessage:
		for _, skipped := range e.Skipped {
			w.noticed("warning", fmt.Sprintf("@%s is not included: %s", strings.TrimPrefix(skipped.Path, "@"), skipped.Reason))
		}
	case chat.Notice:
		w.noticed("info", e.Text)
	case chat.TurnEnded:
		w.abandoned()
	}
}

// requested shows a call that the model asked for.
func (w *shown) requested(e chat.CallRequested) {
	c := &callShown{id: fmt.Sprintf("c%d", e.Call), title: words.Line(e.Said.Title(), 0)}
	w.calls[e.Call] = c
	w.called(c.id, c.title, e.Name, w.session.talk.Tools.Traits(e.Name), e.Parameters)
}

// called shows a call that was asked for.
func (w *shown) called(id, title, name string, t traits.Traits, parameters json.RawMessage) {
	locations := []location{}
	if file := t.FileOf(parameters); file != "" {
		locations = append(locations, location{Path: w.absolute(file)})
	}
	if !json.Valid(parameters) {
		parameters = nil
	}
	w.send(update{
		"sessionUpdate": "tool_call", "toolCallId": id, "title": title, "name": name, "kind": kind(t), "status": "pending",
		"rawInput": parameters, "locations": locations,
	})
}

func (w *shown) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.session.talk.Root, path)
}

// titled keeps the title of a call.
func (w *shown) titled(call int, title string) string {
	title = words.Line(title, 0)
	if c := w.calls[call]; c != nil {
		c.title = title
	}
	return title
}

// update changes a call that an editor knows of.
func (w *shown) update(call int, u update) {
	c := w.calls[call]
	if c == nil {
		return
	}
	u["sessionUpdate"], u["toolCallId"] = "tool_call_update", c.id
	w.send(u)
}

// output shows what a command printed last, not too often.
func (w *shown) output(e chat.ToolOutput) {
	c := w.calls[e.Call]
	if c == nil {
		return
	}
	c.output = append(c.output, e.Data...)
	if over := len(c.output) - maxShown; over > 0 {
		c.output = append([]byte(nil), c.output[over:]...)
	}
	if now := time.Now(); now.Sub(c.sent) >= outputEvery {
		c.sent = now
		w.update(e.Call, update{"content": []any{textOf(strings.ToValidUTF8(string(c.output), ""))}})
	}
}

// ended shows what came of a call.
func (w *shown) ended(e chat.ToolEnded) {
	if w.calls[e.Call] == nil {
		return // a command that the person ran
	}
	status := "completed"
	text := strings.TrimSpace(e.Answer.Text)
	if e.Answer.Error != "" {
		status = "failed"
		text = strings.TrimSpace(e.Answer.Error + "\n" + text)
	}
	if text == "" {
		text = "done"
	}
	var content []any
	for _, d := range diffs(e.Answer.Diff, w.absolute) {
		content = append(content, d)
	}
	u := update{"status": status, "content": append(content, textOf(shortened(text)))}
	if e.Answer.ExitCode != nil {
		u["rawOutput"] = map[string]any{"exitCode": *e.Answer.ExitCode}
	}
	w.update(e.Call, u)
	delete(w.calls, e.Call)
	w.plan()
}

// abandoned ends the calls that no answer came for.
func (w *shown) abandoned() {
	for call := range w.calls {
		w.update(call, update{"status": "failed", "content": []any{textOf("interrupted")}})
		delete(w.calls, call)
	}
	for id := range w.asking {
		w.settled(id)
	}
}

// close ends what an editor still waits for.
func (w *shown) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	w.abandoned()
}

// shortened is a text with its middle left out if it is long.
func shortened(text string) string {
	if len(text) <= maxShown {
		return text
	}
	half := maxShown / 2
	return strings.ToValidUTF8(text[:half], "") + fmt.Sprintf("\n… %d bytes left out …\n", len(text)-2*half) + strings.ToValidUTF8(text[len(text)-half:], "")
}

// plan shows the todo list when it has changed.
func (w *shown) plan() {
	list := w.session.talk.Env.Todos.List()
	entries := []map[string]any{}
	var add func(todo.List)
	add = func(items todo.List) {
		for _, item := range items {
			entries = append(entries, map[string]any{"content": item.Content, "priority": "medium", "status": string(item.Status)})
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

// usage shows how full the window is, and what the session has cost.
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

// noticed shows a line for the person where the editor takes such lines; it is no part of
// the conversation.
func (w *shown) noticed(severity, text string) {
	if w.session.server.notices {
		w.send(update{"sessionUpdate": "notice", "severity": severity, "title": words.Line(words.Brief(text), 0)})
	}
}

// notice is noticed for callers that do not hold the lock.
func (w *shown) notice(severity, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noticed(severity, text)
}

// compacted shows that the context became smaller.
func (w *shown) compacted(line string, large bool) {
	if !large || !w.session.server.compactions {
		w.noticed("info", line)
		return
	}
	w.message++
	w.send(update{
		"sessionUpdate": "compaction_update", "compactionId": fmt.Sprintf("k%d", w.message), "status": "completed",
		"summary": []contentBlock{{Type: "text", Text: line}},
	})
}

// replay shows what was said before.
func (w *shown) replay(entries []*history.Content) {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := 0
	open := map[string]string{}
	for _, entry := range entries {
		w.message++
		for _, b := range entry.Blocks {
			switch b := b.(type) {
			case *history.Text:
				kind := "agent_message_chunk"
				if entry.Speaker == history.Human {
					kind = "user_message_chunk"
				}
				if b.Text != "" {
					w.chunk(kind, b.Text)
				}
			case *history.Thinking:
				if b.Thought != "" {
					w.chunk("agent_thought_chunk", b.Thought)
				}
			case *history.ToolCall:
				calls++
				id := fmt.Sprintf("p%d", calls)
				open[b.ID] = id
				t := w.session.talk.Tools.Traits(b.Name)
				w.called(id, words.Line(t.Describe(b.Name, b.Parameters).Title(), 0), b.Name, t, b.Parameters)
			case *history.ToolResponse:
				status, text := "completed", b.Result.Text()
				if b.Error != "" {
					status, text = "failed", strings.TrimSpace(b.Error+"\n"+text)
				}
				if id := open[b.CallID]; id != "" {
					w.send(update{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, "content": []any{textOf(shortened(text))}})
					delete(open, b.CallID)
				}
			}
		}
	}
	for _, id := range open {
		w.send(update{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "failed", "content": []any{textOf("interrupted")}})
	}
}

// kind is what a tool does in the protocol's words.
func kind(t traits.Traits) string {
	switch {
	case t.Edits:
		return "edit"
	case t.Runs:
		return "execute"
	case t.Reaches:
		return "fetch"
	case t.Keeps || t.Asks:
		return "think"
	case t.ShowsFile() || t.ShowsFiles():
		return "read"
	case t.Reads:
		return "search"
	}
	return "other"
}
