package offline_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/offline"
	"agent/internal/settings"
)

// replayedRequests lists the requests of a session of this program. Each has the content pruned before it,
// its cost, and whether a replay makes the same decisions as the session.
type replayedRequests struct {
	File     string
	Requests []replayedRequest
}

// replayedRequest describes one request. Costs are in tokens at the full price of input.
type replayedRequest struct {
	Number int
	// Tokens is the size of the request, and Cost its cost. All and Without are the size and the cost if
	// nothing had ever been pruned.
	Tokens  int
	All     int
	Cost    float64
	Without float64
	// Cold is set if nothing of the request was cached.
	Cold   bool
	Leaves []offline.PrunedPart
	// Differs is set if the session had another context at this request, or recorded other facts about the
	// request.
	Differs bool
}

// oneByOne replays a session that recorded its cost accounting. From the log it reads the time, model and
// price of each request, the properties of the cache, and the usage that the provider reported. The replay
// makes all other decisions again.
func oneByOne(ctx context.Context, in offline.Input, fresh func() (*offline.Engine, error)) (*replayedRequests, error) {
	e, err := fresh()
	if err != nil {
		return nil, err
	}
	o := &replay{settings: e.Settings, out: &replayedRequests{File: in.Name, Requests: []replayedRequest{}}, copies: map[string]string{}}
	o.window, err = e.Window(&in, offline.View{
		OnStep: o.tell,
		Now:    func() time.Time { return o.next.Time() },
		Price:  func(string) compression.Price { return o.next.Facts().Price },
		Cache:  func(string) vendor.Cache { return o.next.Cache },
		Limit:  func(string) (int, bool) { return o.next.Limit, o.next.Limit > 0 },

		FileTexts: o.copies,
		Recorded:  func() (compression.Request, bool) { return o.next, o.next.At > 0 },
	})
	if err != nil {
		return nil, err
	}
	o.session = compression.NewEngine(compression.EngineOptions{
		Tools: e.ToolTraits(), Root: in.WorkspaceRoot,
		Counter: func() history.Counter { return e.Counter(settings.Model.Value(e.Settings)) },
	})
	if in.Steps == nil {
		return nil, fmt.Errorf("%s: %w", in.Name, errNoAccount)
	}
	for step, err := range in.Steps {
		if err == nil {
			err = o.take(ctx, step)
		}
		if err != nil {
			return nil, fmt.Errorf("replaying %s: %w", in.Name, err)
		}
	}
	if len(o.out.Requests) == 0 {
		return nil, fmt.Errorf("%s: %w", in.Name, errNoAccount)
	}
	o.account()
	return o.out, nil
}

var errNoAccount = errors.New("it says nothing of single requests; only sessions of this program with cache-aware do")

// replay is the state of a replay. session applies the steps of the log, so that it holds the context that
// the session had.
type replay struct {
	settings *settings.Settings
	window   *window.Window
	session  compression.Engine
	// pending holds the steps since the latest reply that has facts about its request in its metadata. next
	// holds the facts in the next such reply.
	pending []history.Step
	next    compression.Request
	// changes is set if the log has changed the context since an entry was added.
	changes bool
	// copies maps hashes to the file contents that a fold (a merge of file reads) read from disk.
	copies map[string]string
	left   []offline.PrunedPart
	out    *replayedRequests
}

// take processes a step of the log. Steps wait until the next reply, because the metadata of that reply
// describes their request.
func (o *replay) take(ctx context.Context, step history.Step) error {
	o.copy(step)
	o.pending = append(o.pending, step)
	if step.Kind != history.MutationAdded || step.Entry.Speaker != history.AI {
		return nil
	}
	request, ok := history.MetaOf[compression.Request](step.Entry, compression.MetaRequest)
	if !ok {
		return nil
	}
	o.next = request
	if err := o.settings.Set(settings.LayerSession, settings.Model.Key(), request.Model); err != nil {
		return err
	}
	for _, step := range o.pending[:len(o.pending)-1] {
		if err := o.before(ctx, step); err != nil {
			return err
		}
	}
	o.pending = nil
	return o.answer(ctx, step)
}

// copy stores the file contents that a fold of the log read from disk.
func (o *replay) copy(step history.Step) {
	for _, edit := range step.Edits {
		if edit.After == nil {
			continue
		}
		for _, block := range edit.After.Blocks {
			if answer, ok := block.(*history.ToolResponse); ok {
				if text, ok := mergedCopy(answer); ok {
					o.copies[history.Digest(text)] = text
				}
			}
		}
	}
}

// before processes a step that precedes a request.
func (o *replay) before(ctx context.Context, step history.Step) error {
	switch step.Kind {
	case history.MutationDensity, history.MutationReplaced:
		o.changes = true
	case history.MutationCleared:
		o.account()
		o.changes = false
		o.window.Reset()
		if err := o.window.History.Clear(); err != nil {
			return err
		}
	case history.MutationPinned:
		if _, err := o.window.Pins.Pin(step.Path, step.Pinned); err != nil {
			return err
		}
	case history.MutationAdded:
		if err := o.catchUp(ctx); err != nil {
			return err
		}
		if err := o.window.History.Add(step.Entry); err != nil {
			return err
		}
	}
	o.session.Follow(step)
	return nil
}

// catchUp applies the changes in the log before an entry that is not a reply. They were made for a request
// that was never answered, or by a user.
func (o *replay) catchUp(ctx context.Context) error {
	if !o.changes {
		return nil
	}
	o.changes = false
	if err := chat.EnsureCompressionBeforeSend(ctx, o.window); err != nil || o.same() {
		return err
	}
	return o.window.History.Rebuild("the log", func([]*history.Content, []int) (history.RebuiltHistory, error) {
		entries := make([]*history.Content, o.session.Len())
		for i := range entries {
			entries[i] = o.session.Entry(i)
		}
		return history.RebuiltHistory{Entries: entries}, nil
	})
}

// same reports whether the context equals the context of the session.
func (o *replay) same() bool {
	entries := o.window.History.RawHistory()
	if len(entries) != o.session.Len() {
		return false
	}
	for i, entry := range entries {
		if !reflect.DeepEqual(entry.Blocks, o.session.Entry(i).Blocks) {
			return false
		}
	}
	return true
}

// answer replays a request that was answered, and compares it with the session's request.
func (o *replay) answer(ctx context.Context, step history.Step) error {
	o.left, o.changes = nil, false
	if err := chat.EnsureCompressionBeforeSend(ctx, o.window); err != nil {
		return err
	}
	same, reported := o.same(), window.ProviderReport{Prompt: o.next.Prompt, Cached: o.next.Cached}
	o.window.Observe(o.next.Model, o.window.Measure.Estimate(), reported)
	stamped := o.window.StampReply(step.Entry)
	if err := o.window.History.Add(stamped); err != nil {
		return err
	}
	o.session.Follow(step)
	noted, _ := history.MetaOf[compression.Request](stamped, compression.MetaRequest)
	r := replayedRequest{Number: len(o.out.Requests) + 1, Leaves: o.left, Differs: !same || !reflect.DeepEqual(noted, o.next)}
	o.out.Requests = append(o.out.Requests, r)
	return nil
}

// account adds up the costs of the requests since the latest clear.
func (o *replay) account() {
	bills, _ := o.window.Costs.RequestCosts()
	since := len(o.out.Requests) - len(bills)
	for i, b := range bills {
		if at := since + i; at >= 0 {
			r := &o.out.Requests[at]
			r.Tokens, r.All, r.Cost, r.Without, r.Cold = b.Tokens, b.All, b.Spent, b.None, b.Cold
		}
	}
}

// tell collects the pruned content of a step of the window.
func (o *replay) tell(step window.Step) {
	if step, ok := step.(window.Density); ok {
		for _, p := range step.Prunes {
			o.left = append(o.left, offline.PrunedPart{Kind: string(p.Kind), Tool: p.Tool, Subject: p.Subject, Reason: p.Reason, Tokens: p.Tokens, Cut: p.Cut})
		}
	}
}

// mergedCopy returns the text of a file that a fold put into a result, or false if there is none.
func mergedCopy(answer *history.ToolResponse) (text string, ok bool) {
	whole := "\n" + answer.Result.Text()
	_, after, ok := strings.Cut(whole, "\n[current content of ")
	if ok {
		_, text, ok = strings.Cut(after, ", in place of its earlier versions]\n")
	}
	return text, ok
}
