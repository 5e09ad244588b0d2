package offline

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/offline/judge"
	"agent/internal/settings"
)

// run replays a recording under one variant at one price.
type run struct {
	*Recording
	variant Variant
	model   PriceModel

	figures VariantResult
	sent    []SentRequest

	engine *Engine
	window *window.Window
	ledger requests
	// stretch is the number of the present span, and reply the number of the next reply in it.
	stretch, reply int
	// replies counts the replies of all spans so far.
	replies int
	// arrived contains the entries of the span since its latest reply. Its last element is the entry
	// before the present entry.
	arrived []*history.Content
	entry   int
	faults  int
	sight   *judge.VisibleText
	// outlined contains the files of the span of which the outline was sent.
	outlined map[string]bool
	// valid maps the replies whose reasoning the model still uses to their turns. turn counts the
	// turns.
	valid map[*history.Content]int
	turn  int
}

// all replays every span.
func (r *run) all(ctx context.Context) error {
	if err := r.prepare(); err != nil {
		return err
	}
	for i, s := range r.Stretches {
		r.stretch, r.reply, r.sight = i, 0, judge.NewVisibleText(s.Needs)
		if i > 0 {
			if err := r.window.History.Clear(); err != nil {
				return err
			}
			clear(r.valid)
			r.ledger = requests{counter: r.ledger.counter, service: r.ledger.service, cache: r.cache}
		}
		entries := s.entries
		switch {
		case !r.variant.sendsEverything():
			var arriving map[history.Ref]string
			arriving, r.outlined = s.outlines(ctx, chat.OutlineTokens(r.engine.Settings), r.engine.ToolTraits())
			entries = s.cut(settings.FoundMaxTokens.Value(r.engine.Settings), true, arriving)
		case r.Against == AsSent:
			entries = s.cut(referenceTokens, false, nil)
		}
		r.arrived = nil
		for i, entry := range entries {
			r.entry = i
			if err := ctx.Err(); err != nil {
				return err
			}
			if entry.Speaker == history.AI {
				if err := r.answer(ctx); err != nil {
					return err
				}
				entry = r.window.StampReply(entry)
				r.arrived = nil
			} else {
				r.arrived = append(r.arrived, entry)
			}
			if err := r.window.History.Add(entry); err != nil {
				return err
			}
			if r.cache.Bound && entry.Speaker == history.AI {
				r.valid[entry] = r.turn
			}
		}
	}
	r.figures.Compressions = r.window.CompressionCount()
	return nil
}

// prepare creates the engine and its window, with the settings of the variant.
func (r *run) prepare() error {
	engine, err := r.fresh()
	if err != nil {
		return err
	}
	in := r.Input
	if err := engine.configure(&in); err != nil {
		return err
	}
	for _, pair := range r.variant.Set {
		if err := engine.Settings.Set(settings.LayerSession, pair[0], pair[1]); err != nil {
			return err
		}
	}
	r.engine = engine
	r.figures.Pruned, r.valid = compression.CountsOf(nil), map[*history.Content]int{}
	r.window = engine.newWindow(in, View{
		OnStep: r.note,
		Now:    r.nextTime,
		Price:  constant(r.model.Price),
		Limit:  func(string) (int, bool) { return r.size, true },
		Cache:  constant(r.cache),
	})
	counter := engine.Counter(settings.Model.Value(engine.Settings))
	counter.Count("any text") // loads the vocabulary, so that its time is not part of a request
	r.ledger = requests{counter: counter, service: r.window.History, cache: r.cache}
	return nil
}

// nextTime returns the time of the next request in the recording.
func (r *run) nextTime() time.Time {
	c := r.Stretches[r.stretch].clock
	return c[min(r.reply, len(c)-1)]
}

// answer sends the request for the next reply of the recording. It determines how much of the content
// needed for that reply was in the request. If an applied edit quotes a text that was missing, the
// model would have read the text again. Each such text needs another request.
func (r *run) answer(ctx context.Context) error {
	s := r.Stretches[r.stretch]
	if err := r.request(ctx, false); err != nil {
		return err
	}
	sent, _ := r.window.History.Curated()
	r.figures.NeverWhole += s.Needs.CountNeverWhole(r.entry-len(r.arrived), r.arrived, sent)
	needs := s.Needs.Replies[r.reply]
	for _, q := range needs.Quotes {
		if !q.Applied {
			continue
		}
		r.figures.Edits++
		switch {
		case r.sight.Contains(q.Text):
			r.figures.Grounded++
		case q.Shown:
			r.figures.Blinded++
			if err := r.readAgain(ctx, q); err != nil {
				return err
			}
		}
	}
	r.figures.Words += needs.Named
	r.figures.WordsLost += r.sight.CountLostWords(needs)
	r.reply++
	r.replies++
	return nil
}

// request sends the history, after the pre-send window has run.
func (r *run) request(ctx context.Context, fault bool) error {
	start := r.engine.Now()
	if err := chat.EnsureCompressionBeforeSend(ctx, r.window); err != nil {
		return err
	}
	r.figures.PreSend += r.engine.Now().Sub(start)
	entries, tokens := r.window.History.Curated()
	if err := history.Validate(entries); err != nil {
		return err
	}
	total := r.window.Measure.Tokens()
	mark, _ := r.window.Mark(entries)
	r.countVoid(entries)
	sent := SentRequest{Reply: r.replies, Tokens: total, Cached: r.ledger.cachedTokens(sentRequest{total, entries, tokens, mark, r.nextTime()}), Fault: fault}
	r.sent = append(r.sent, sent)
	r.figures.add(sent)
	r.sight.SetEntries(entries)
	return nil
}

// readTool is a tool that shows a part of a file without known line numbers. readAgain uses it.
const readTool = "ast_read_file"

// readAgain adds a call to the history whose answer contains the text that an edit quotes, and sends
// another request.
func (r *run) readAgain(ctx context.Context, q judge.Quote) error {
	r.faults++
	id := "again-" + strconv.Itoa(r.faults)
	parameters, err := rawjson.Marshal(map[string]string{"file_path": q.Path, "symbol": id})
	if err != nil {
		return fmt.Errorf("internal error: %w", err)
	}
	shown := q.Source
	if r.outlined[q.Path] {
		shown = around(q.Source, q.Text)
	}
	call := history.New(history.AI, &history.ToolCall{ID: id, Name: readTool, Parameters: parameters})
	response := history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: readTool, Result: history.TextResult(shown)})
	if err := r.window.History.Add(r.window.StampReply(call)); err != nil {
		return err
	}
	if err := r.window.History.Add(response); err != nil {
		return err
	}
	return r.request(ctx, true)
}

// note counts the prunes of a density step.
func (r *run) note(step window.Step) {
	if e, ok := step.(window.Density); ok {
		r.figures.Pruned = r.figures.Pruned.Plus(e.Metadata)
	}
}

// countVoid counts the replies whose reasoning is void from this request on, because content before
// them has changed since they were written.
func (r *run) countVoid(entries []*history.Content) {
	previous, same := r.ledger.previous, 0
	for same < len(previous) && same < len(entries) && previous[same] == entries[same] {
		same++
	}
	if same == len(previous) {
		same = min(same+1, len(entries)) // compare with the reply to the previous request
	}
	boundary := compression.IsTurnBoundary(entries)
	for reply, turn := range r.valid {
		if slices.Contains(entries[:same], reply) {
			continue
		}
		delete(r.valid, reply)
		r.figures.Void++
		if turn == r.turn && !boundary {
			r.figures.VoidRunning++
		}
	}
	if boundary {
		r.turn++
	}
}
