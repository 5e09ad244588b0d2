package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"

	"pgregory.net/rapid"
)

// TestAnyConversation runs random conversations and checks all invariants before every request, at
// every event and after every turn. The model answers, makes valid and invalid calls, repeats IDs,
// fails, hangs, or refuses the size. The user types, queues, interrupts, refuses and changes
// settings at any time. The disk may be full, and the context window has any size.
func TestAnyConversation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlay(rt)
		for turn := range rapid.IntRange(1, 4).Draw(rt, "turns") {
			p.change()
			text := p.type_(rapid.SampledFrom([]string{"", wordy(300), wordy(1200), "@missing"}).Draw(rt, "message"))
			rt.Logf("turn %d: %.30q", turn, text)
			_, err := p.Prompt(context.Background(), text)
			p.check(err)
			for p.inbox.serve(); len(p.waiting.queue) > 0; p.inbox.serve() {
				_, err := p.work(context.Background(), p.nextTask())
				p.check(err)
			}
		}
		p.allIsKept()
	})
}

// errFull is the error of the disk, starting with some mutation.
var errFull = errors.New("disk full")

// letters is another model's tokenizer.
type letters struct{}

func (letters) Count(text string) int { return len(text) / 3 }

// play is a conversation in progress with its expected state.
type play struct {
	*bench
	rt *rapid.T
	// typed has all messages of the user, returned the messages that the user got back.
	typed, returned []string
	// log has the mutations that the observer received, replayed the history that they produce.
	log      []history.Mutation
	replayed []*history.Content
	// moments maps an event number to the user's action, decisions are the user's answers.
	moments   map[int]int
	decisions []Decision
	seen      int
	// unread are the IDs of the calls in the latest reply. The next request must state their
	// results.
	unread []string
}

func newPlay(rt *rapid.T) *play {
	p := &play{bench: newBench(rt), rt: rt}
	replies := rapid.SliceOfN(rapid.Custom(p.reply), 0, 10).Draw(rt, "replies")
	p.model.next = func(n int) answerFunc {
		if n < len(replies) {
			return p.checked(replies[n])
		}
		return p.checked(say("done"))
	}
	p.moments = rapid.MapOfN(rapid.IntRange(1, 80), rapid.IntRange(0, 3), 0, 4).Draw(rt, "moments")
	p.decisions = rapid.SliceOfN(rapid.SampledFrom([]Decision{
		{Allow: true}, {Allow: true, Always: true}, {}, {Reason: "rather not"},
	}), 1, 4).Draw(rt, "decisions")
	full := rapid.SampledFrom([]int{1 << 30, 1 << 30, 1 << 30, 3, 8}).Draw(rt, "full from")
	p.keep(history.NewService(wordCount{}, func(m history.Mutation) error {
		p.observe(m)
		if len(p.log) == full {
			return errFull
		}
		return nil
	}))
	p.Chat.config.Extensions.Expand = func(_ context.Context, message atcmd.Message, _ RunEmbedded) (atcmd.Expansion, error) {
		text := message.Text()
		if strings.Contains(text, "@missing") {
			return atcmd.Expansion{}, errors.New("there is no file @missing")
		}
		return atcmd.Expansion{Blocks: []history.Block{&history.Text{Text: text}}}, nil
	}
	p.config.Counter = func(model string) history.Counter {
		if model == "two" {
			return letters{}
		}
		return wordCount{}
	}
	p.config.CompressionPrompt = "sum it up"
	p.renew()
	p.on = p.event
	return p
}

// type_ returns a new message of the user that no other message equals.
func (p *play) type_(tail string) string {
	text := fmt.Sprintf("say-%d %s", len(p.typed), tail)
	p.typed = append(p.typed, text)
	return text
}

// change changes a random setting between turns.
func (p *play) change() {
	key := rapid.SampledFrom([]string{"", "context-limit", "max-output-tokens", "compression.strategy", "approval-mode", "model", "compression.density.recencyPruning"}).Draw(p.rt, "setting")
	values := map[string][]string{
		"context-limit":                      {"1000", "1500", "4000", "100000"},
		"max-output-tokens":                  {"10", "500", "1000"},
		"compression.strategy":               compression.Names(),
		"approval-mode":                      gate.ModeNames(),
		"model":                              {"one", "two"},
		"compression.density.recencyPruning": {"true", "false"},
	}[key]
	if values != nil {
		p.set(key, rapid.SampledFrom(values).Draw(p.rt, "value"))
	}
}

// reply draws a random turn of the model.
func (p *play) reply(rt *rapid.T) answerFunc {
	var chunks []llm.Chunk
	some := func(label string) bool { return rapid.Bool().Draw(rt, label) }
	if some("thinks") {
		chunks = append(chunks, llm.Reasoning{Delta: "hm"})
	}
	if some("starts over") {
		chunks = append(chunks, llm.Text{Delta: "lost"}, llm.RetryNotice{Attempt: 1, Discard: true, Reason: "cut"})
	}
	if some("speaks") {
		chunks = append(chunks, llm.Text{Delta: "well "}, llm.Text{Delta: "then"})
	}
	for range rapid.IntRange(0, 4).Draw(rt, "calls") {
		chunks = append(chunks, llm.ToolCall{
			ID:   rapid.SampledFrom([]string{"", "a", "b", "a#2", "a#3"}).Draw(rt, "id"),
			Name: rapid.SampledFrom([]string{"read_file", "read_file", "write_file", "write_file", "fails", "panics", "waits", "nosuch"}).Draw(rt, "tool"),
			Arguments: rapid.SampledFrom([]string{
				`{"file_path":"a"}`, `{"file_path":"b.go"}`, `{"file_path":"c"}`, ``, `[1]`, `{"file_`, `null`,
				`{"file_path":"d","content":"` + wordy(1500) + `"}`, `{"file_path":"e","content":"` + wordy(400) + `"}`,
			}).Draw(rt, "arguments"),
		})
	}
	if some("reports usage") {
		chunks = append(chunks, llm.Usage{PromptTokens: rapid.IntRange(0, 4000).Draw(rt, "prompt tokens")})
	}
	switch rapid.IntRange(0, 9).Draw(rt, "end") {
	case 0:
		return fail(&llm.Error{Kind: llm.Truncated, Message: "cut"}, chunks...)
	case 1:
		return fail(&llm.Error{Kind: llm.ContextOverflow, Message: "too long"})
	case 2:
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			respond(chunks...)(ctx, req, yield)
			p.Interrupt()
			<-ctx.Done()
			yield(nil, ctx.Err())
		}
	default:
		return respond(append(chunks, llm.Finish{Reason: "stop"})...)
	}
}

// checked checks a request on its way to the model. It runs on the provider's goroutine. Until the
// model replies, the owner of the chat only reads.
func (p *play) checked(answer answerFunc) answerFunc {
	return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if req.System == p.config.CompressionPrompt {
			if len(req.History[0].Text())%2 == 0 {
				answer = say(aSummary)
			}
			answer(ctx, req, yield)
			return
		}
		if err := history.Validate(req.History); err != nil {
			p.t.Errorf("D-32: %v", err)
		}
		sent := req.History
		if last := len(sent) - 1; sent[last].Text() == emptyReply || sent[last].Text() == replyBrokeOff {
			sent = sent[:last]
		}
		if curated, _ := p.config.History.Curated(); !slices.Equal(sent, curated) {
			p.t.Errorf("what was sent is not the history")
		}
		if req.History[len(req.History)-1].Speaker == history.AI {
			p.t.Errorf("the model is asked for nothing")
		}
		for _, id := range p.unread {
			if !statesResult(req.History, id) {
				p.t.Errorf("D-42: the request does not say what came of the call %q", id)
			}
		}
		reserve, err := p.window.Limits.Reserve()
		if total := p.window.Measure.Tokens() + reserve; err != nil || total > p.window.Limits.Size() {
			p.t.Errorf("D-30: %d tokens with the reserve in a window of %d, %v", total, p.window.Limits.Size(), err)
		}
		answer(ctx, req, yield)
	}
}

// observe replays the record like a session log does (D-24).
func (p *play) observe(m history.Mutation) {
	p.log = append(p.log, m)
	switch m.Kind {
	case history.MutationAdded:
		if m.Entry.Speaker == history.AI {
			p.unread = nil
			for _, call := range m.Entry.Calls() {
				p.unread = append(p.unread, call.ID)
			}
		}
		p.replayed = append(p.replayed, m.Entry)
	case history.MutationDensity:
		for i, c := range m.Result.Replacements {
			p.replayed[i] = c
		}
		kept := []*history.Content{}
		for i, c := range p.replayed {
			if !slices.Contains(m.Result.Removals, i) {
				kept = append(kept, c)
			}
		}
		p.replayed = kept
	case history.MutationReplaced:
		p.replayed = slices.Clone(m.Entries)
	}
}

// statesResult reports whether entries contain the answer to a call of the latest reply, or a line
// that states its result. A summary with the result also counts.
func statesResult(entries []*history.Content, id string) bool {
	for i := len(entries) - 1; i >= 0; i-- {
		entry := entries[i]
		if entry.Metadata[history.MetaSummary] == true && (strings.Contains(entry.Text(), "outcomes of your latest calls: ") || strings.HasPrefix(entry.Text(), "[Summary of ")) {
			return true
		}
		for _, block := range entry.Blocks {
			if r, ok := block.(*history.ToolResponse); ok && r.CallID == id {
				return true
			}
		}
	}
	return false
}

// event is the user at the screen. Everything that the user sees is already on disk, and the user
// may act.
func (p *play) event(e Event) {
	p.seen++
	switch e := e.(type) {
	case UserMessage:
		p.lastRecorded(e, history.Human)
	case ReplyEnded:
		p.lastRecorded(e, history.AI)
	case ToolEnded:
		p.lastRecorded(e, history.Tool)
	case MessageReturned:
		p.returned = append(p.returned, e.Message.Text())
	case ToolStarted:
		if e.Name == "waits" {
			p.Interrupt()
		}
	case ApprovalRequested:
		p.Answer(e.Approval.ID, p.decisions[e.Approval.ID%len(p.decisions)])
	}
	switch act, ok := p.moments[p.seen]; {
	case !ok:
	case act <= 1:
		p.Interrupt()
	case act == 2:
		p.Send(p.type_("queued"))
	case act == 3:
		p.Send(p.type_("@missing"))
	}
}

func (p *play) lastRecorded(e Event, speaker history.Speaker) {
	last := p.log[len(p.log)-1]
	if last.Kind != history.MutationAdded || last.Entry.Speaker != speaker {
		p.t.Errorf("%T was told before it was recorded; the record ends with %s", e, last.Kind)
	}
}

// check checks the invariants after every turn.
func (p *play) check(err error) {
	var broken *history.InvalidHistoryError
	if errors.As(err, &broken) {
		p.t.Errorf("D-32: %v", err)
	}
	entries, _ := p.config.History.Curated()
	if err := history.Validate(entries); err != nil {
		p.t.Errorf("D-32: after the turn %v", err)
	}
	if !slices.Equal(p.replayed, p.config.History.RawHistory()) {
		p.t.Errorf("D-24: the record gives %d entries, the history has %d", len(p.replayed), p.config.History.Len())
	}
	scratch := 0
	for _, c := range p.config.History.RawHistory() {
		scratch += p.config.History.CountContent(c)
	}
	if got := p.config.History.TotalTokens(); got != scratch {
		p.t.Errorf("D-01: %d tokens, %d from scratch", got, scratch)
	}
	if got, kinds := p.window.Measure.Tokens(), p.window.Usage().Total(); got != kinds {
		p.t.Errorf("D-07: %d tokens, %d by kind", got, kinds)
	}
	if requested, ended := len(seen[CallRequested](p.bench)), len(seen[ToolEnded](p.bench)); requested != ended {
		p.t.Errorf("%d calls requested, %d ended", requested, ended)
	}
	if p.waiting.working || len(p.asker.open) > 0 || len(seen[TurnStarted](p.bench)) != len(seen[TurnEnded](p.bench)) {
		p.t.Errorf("the turn has not ended")
	}
}

// allIsKept checks that each message of the user is in the record or was returned to the user.
func (p *play) allIsKept() {
	kept := slices.Clone(p.returned)
	for _, m := range p.log {
		if m.Kind == history.MutationAdded && m.Entry.Speaker == history.Human {
			kept = append(kept, m.Entry.OwnText())
		}
	}
	slices.Sort(kept)
	typed := slices.Sorted(slices.Values(p.typed))
	if !slices.Equal(kept, typed) {
		p.t.Errorf("typed %d messages, %d were kept", len(typed), len(kept))
	}
}
