package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/loose"
	"agent/internal/llm/refusal"
	"agent/internal/llm/sse"
)

// Bounds of one reply. No model reaches them, but a server that never stops would fill the memory.
const (
	maxReply  = 8 << 20 // bytes
	maxBlocks = 2048
)

// reply is the state of an arriving reply. It may take several exchanges, because the server pauses
// long replies in which it works by itself.
type reply struct {
	client *Client
	req    *request
	yield  func(llm.Chunk, error) bool
	// origin describes the request.
	origin origin

	blocks []*replyBlock
	// begin is the index of the first block of the exchange.
	begin int
	usage llm.Usage
	// counted holds the reports of the exchange.
	counted usage
	stop    string
	// paused is set if the server wants the reply back to continue it.
	paused bool
	// ended is set by message_stop. known is set once an event of this API has arrived, and strange
	// is the first event that is of another.
	ended   bool
	known   bool
	strange string
	// begun is set once a part of the reply has been emitted.
	begun bool
	// quit is set once the consumer wants no more.
	quit bool
	size int
	// thought is set once thinking has been emitted. The next block is a new paragraph.
	thought bool
	// missed is the provider's reason why its cache missed.
	missed string
	// dropped counts the thinking that the server has dropped, by its reason.
	dropped map[string]int
	started int
}

// exchange makes one request and adds the reply. It returns nil if the exchange was complete or the
// consumer has stopped.
func (r *reply) exchange(ctx context.Context, c *conversation) error {
	r.begin, r.counted, r.stop, r.paused, r.ended = len(r.blocks), usage{}, "", false, false
	x, err := r.client.at.Post(ctx, r.client.path(r.req.Model), r.req.Model, r.req.encode(c), headerOf(r.req.betas()))
	if err != nil {
		return err
	}
	defer x.Close()
	r.client.tellLimits(x.Header)
	for _, note := range r.client.newNotes(r.req.notes()) {
		r.emit(llm.Adapted{Note: note})
	}
	if err := r.receive(x); err != nil {
		return err
	}
	switch {
	case r.quit:
		return nil
	case !r.known && r.strange != "":
		failure := r.client.at.Fail(llm.NotAnAPI, r.req.Model, "sent events that are not of this API: "+r.strange)
		failure.Final = true
		return failure
	case r.stop == "":
		return r.truncated("the reply ended before it was complete")
	}
	x.Drain()
	r.usage = r.counted.added(r.usage)
	r.paused = r.stop == "pause_turn"
	return nil
}

func (r *reply) receive(x *endpoint.Exchange) error {
	for event, err := range x.Events() {
		if err != nil {
			return err
		}
		if event.Data == nil {
			r.emit(llm.Pulse{})
		} else if err := r.take(event); err != nil {
			return err
		}
		if r.quit || r.ended {
			return nil
		}
	}
	return nil
}

// take handles one event.
func (r *reply) take(event sse.Event) error {
	if p, bad := refusal.InEvent(event.Data, event.Name); bad {
		failure := r.client.at.Problem(p, r.req.Model)
		failure.Costly = failure.Costly || r.begun
		return failure
	}
	r.emit(llm.Pulse{})
	if piece, ok := textDelta(event.Data); ok {
		return r.addText(piece.index, piece.text)
	}
	if !json.Valid(event.Data) {
		if bytes.IndexByte([]byte("{[\""), event.Data[0]) < 0 {
			return nil // a word such as [DONE] is a sign of life
		}
		return r.malformed("sent an event that is not valid JSON: " + refusal.Line(string(event.Data)))
	}
	err := r.takeEvent(event.Data)
	if !r.known && r.strange == "" {
		r.strange = refusal.Line(string(event.Data))
	}
	switch {
	case err != nil:
		return err
	case r.size > maxReply:
		return r.malformed(fmt.Sprintf("sent more than %d MiB in one reply", maxReply>>20))
	case len(r.blocks) > maxBlocks:
		return r.malformed(fmt.Sprintf("sent more than %d blocks in one reply", maxBlocks))
	}
	return nil
}

// wireEvent is an event of a stream, or the whole message from a server that does not stream.
type wireEvent struct {
	Type    string          `json:"type"`
	Index   loose.Int       `json:"index"`
	Block   json.RawMessage `json:"content_block"`
	Message wireMessage     `json:"message"`
	Delta   struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		JSON      string          `json:"partial_json"`
		Citation  json.RawMessage `json:"citation"`
		Stop      string          `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
	wireReport
}

// wireMessage is the message at the beginning of a stream.
type wireMessage struct {
	ID      string            `json:"id"`
	Content []json.RawMessage `json:"content"`
	Stop    string            `json:"stop_reason"`
	Usage   usage             `json:"usage"`
	wireReport
}

// wireReport is the report of the server on the request.
type wireReport struct {
	Transformations []struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	} `json:"input_transformations"`
	Diagnostics struct {
		Reason struct {
			Type string `json:"type"`
		} `json:"cache_miss_reason"`
	} `json:"diagnostics"`
}

// takeEvent handles one event whose data are JSON. It ignores events of unknown types.
func (r *reply) takeEvent(data []byte) error {
	e := loose.Decode[wireEvent](data)
	r.report(e.wireReport)
	switch e.Type {
	case "message_start":
		r.known = true
		r.begins(e.Message)
	case "content_block_start":
		r.known = true
		r.open(e.Index.Value, e.Block)
	case "content_block_delta":
		r.known = true
		return r.addDelta(e)
	case "content_block_stop":
		r.known = true
		r.closeBlock(e.Index.Value)
	case "message_delta":
		r.known = true
		r.counted = r.counted.with(e.Usage)
		if e.Delta.Stop != "" {
			r.stop = e.Delta.Stop
		}
	case "message_stop":
		r.known, r.ended = true, true
	case "message":
		r.known, r.ended = true, true
		r.wholeMessage(loose.Decode[wireMessage](data))
	case "ping":
		r.known = true
	}
	return nil
}

func (r *reply) begins(m wireMessage) {
	r.counted = r.counted.with(m.Usage)
	r.report(m.wireReport)
	r.tellDropped()
	if m.ID != "" {
		r.client.remember(r.req.Cache.Key, m.ID)
	}
}

// wholeMessage handles the message of a server that does not stream.
func (r *reply) wholeMessage(m wireMessage) {
	r.begins(m)
	r.stop = m.Stop
	for i, raw := range m.Content {
		r.open(i, raw)
		r.closeBlock(i)
	}
}

// report handles the report of the server on the request.
func (r *reply) report(w wireReport) {
	if reason := w.Diagnostics.Reason.Type; reason != "" {
		r.missed = reason
	}
	if len(w.Transformations) == 0 {
		return
	}
	r.dropped = map[string]int{} // a later report replaces an earlier one
	for _, t := range w.Transformations {
		if t.Type == "thinking_dropped" {
			r.dropped[t.Reason]++
		}
	}
}

// tellDropped tells a person, once for each reason, that the server has dropped thinking. Thinking
// whose conversation has changed should not have been sent.
func (r *reply) tellDropped() {
	if r.begun {
		return
	}
	var notes []string
	for _, reason := range slices.Sorted(maps.Keys(r.dropped)) {
		why := strings.ReplaceAll(refusal.Line(reason), "_", " ")
		if reason == "prefix_binding_mismatch" {
			why = "the conversation before it has changed; this is a defect of this program"
		}
		notes = append(notes, "the provider dropped thinking of earlier replies: "+why)
	}
	for _, note := range r.client.newNotes(notes) {
		r.emit(llm.Adapted{Note: note})
	}
}

// The kinds of blocks. All others are kept as they are.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindCall     = "tool_use"
)

// replyBlock is a block of an arriving reply.
type replyBlock struct {
	index int
	kind  string
	// start is the block as it began.
	start json.RawMessage
	// text is the text, the thinking, or the input of a call of any kind.
	text      strings.Builder
	signature strings.Builder
	citations []json.RawMessage
	id, name  string
}

// open begins a block.
func (r *reply) open(index int, raw json.RawMessage) {
	begun := loose.Decode[struct {
		Type, Text, Thinking, Signature, ID, Name string
		Input                                     json.RawMessage
		Citations                                 []json.RawMessage
	}](raw)
	b := &replyBlock{index: index, kind: begun.Type, start: raw, id: begun.ID, name: begun.Name, citations: begun.Citations}
	r.blocks = append(r.blocks, b)
	r.size += len(raw)
	switch begun.Type {
	case kindText:
		r.say(b, begun.Text)
	case kindThinking:
		b.signature.WriteString(begun.Signature)
		r.think(b, begun.Thinking)
	case kindCall:
		if input := strings.TrimSpace(string(begun.Input)); input != "" && input != "{}" && input != "null" {
			b.text.WriteString(input)
		}
		if b.id == "" {
			r.started++
			b.id = fmt.Sprintf("toolu_made_%d", r.started)
		}
		r.emit(llm.ToolCallStarted{Name: b.name})
	default:
		r.emit(llm.Pulse{Token: true})
	}
}

// openBlock returns the block at an index of the exchange, nil if none was begun.
func (r *reply) openBlock(index int) *replyBlock {
	for _, b := range r.blocks[r.begin:] {
		if b.index == index {
			return b
		}
	}
	return nil
}

func (r *reply) say(b *replyBlock, text string) {
	if text != "" {
		b.text.WriteString(text)
		r.size += len(text)
		r.emit(llm.Text{Delta: text})
	}
}

func (r *reply) think(b *replyBlock, text string) {
	if text == "" {
		return
	}
	if b.text.Len() == 0 && r.thought {
		r.emit(llm.Reasoning{Delta: "\n\n"})
	}
	r.thought = true
	b.text.WriteString(text)
	r.size += len(text)
	r.emit(llm.Reasoning{Delta: text})
}

func (r *reply) addText(index int, text string) error {
	r.known = true
	b := r.openBlock(index)
	if b == nil {
		return r.unopened(index)
	}
	if b.kind == kindText {
		r.say(b, text)
	}
	if r.size > maxReply {
		return r.malformed(fmt.Sprintf("sent more than %d MiB in one reply", maxReply>>20))
	}
	return nil
}

// addDelta adds a piece of a block. It ignores pieces of unknown types.
func (r *reply) addDelta(e wireEvent) error {
	b, d := r.openBlock(e.Index.Value), e.Delta
	if b == nil {
		return r.unopened(e.Index.Value)
	}
	switch d.Type {
	case "text_delta":
		return r.addText(e.Index.Value, d.Text)
	case "thinking_delta":
		r.think(b, d.Thinking)
	case "signature_delta":
		b.signature.WriteString(d.Signature)
		r.size += len(d.Signature)
	case "input_json_delta":
		b.text.WriteString(d.JSON)
		r.size += len(d.JSON)
		r.emit(llm.Pulse{Token: true})
	case "citations_delta":
		b.citations = append(b.citations, d.Citation)
		r.size += len(d.Citation)
	}
	return nil
}

func (r *reply) unopened(index int) error {
	return r.malformed(fmt.Sprintf("sent a piece of block %d, which it had not begun", index))
}

// closeBlock ends a block. Searches of the server are told.
func (r *reply) closeBlock(index int) {
	if b := r.openBlock(index); b != nil {
		r.tellSearch(b)
	}
}

// raw returns a block as it goes back.
func (b *replyBlock) raw() json.RawMessage {
	var w writer
	switch {
	case b.kind == kindText:
		return keptBlock{Citations: b.allCitations()}.withText(b.text.String())
	case b.kind == kindThinking:
		w.raw(`{"type":"thinking","thinking":`)
		w.string(b.text.String())
		w.raw(`,"signature":`)
		w.string(b.signature.String())
		w.raw(`}`)
		return w.buf
	case b.text.Len() > 0 && json.Valid([]byte(b.text.String())): // a call of the server's own
		return withMember(b.start, "input", b.text.String())
	}
	return b.start
}

// withMember returns an object with another value for a member; the others keep their order.
func withMember(object json.RawMessage, name, value string) json.RawMessage {
	old := member(object, name)
	if old == nil {
		return object
	}
	at := bytes.LastIndex(object, append([]byte(`"`+name+`":`), old...))
	if at < 0 {
		return object
	}
	at += len(name) + len(`"":`)
	return bytes.Join([][]byte{object[:at], []byte(value), object[at+len(old):]}, nil)
}

// allCitations returns the citations of a text as a JSON list, nil if there are none.
func (b *replyBlock) allCitations() json.RawMessage {
	if len(b.citations) == 0 {
		return nil
	}
	return append(append([]byte("["), bytes.Join(rawsOf(b.citations), []byte(","))...), ']')
}

func rawsOf(list []json.RawMessage) [][]byte {
	raws := make([][]byte, len(list))
	for i := range list {
		raws[i] = list[i]
	}
	return raws
}

// raws returns the blocks so far as they go back to continue the reply.
func (r *reply) raw() (blocks [][]byte) {
	for _, b := range r.blocks {
		if b.kind != kindText || !isBlank(b.text.String()) {
			blocks = append(blocks, b.raw())
		}
	}
	return blocks
}

// complete emits the parts that are known only at the end of the reply.
func (r *reply) complete() error {
	finish := finishes[r.stop]
	said := false
	var calls []*replyBlock
	for _, b := range r.blocks {
		if b.kind == kindCall {
			calls = append(calls, b)
		}
		said = said || b.kind == kindText && !isBlank(b.text.String())
	}
	switch {
	case r.stop == "model_context_window_exceeded":
		return r.client.at.Problem(refusal.Problem{Message: "the reply does not fit into the model's window", Code: r.stop}, r.req.Model)
	case r.stop == "refusal" && !said && len(calls) == 0:
		failure := r.client.at.Problem(refusal.Problem{Message: "the model refuses to answer: its safety filter let nothing through", Code: "content_filter"}, r.req.Model)
		failure.Final = true
		return failure
	case finish == "":
		finish = r.stop
	}
	if attached := r.pack(); attached != nil {
		r.emit(llm.Thought{Attached: attached})
	}
	for i, b := range calls {
		input := cmp.Or(b.text.String(), "{}")
		cut := finish == finishLength && i == len(calls)-1 && !json.Valid([]byte(input))
		r.emit(llm.ToolCall{ID: b.id, Name: b.name, Arguments: input, Cut: cut})
	}
	if r.usage.PromptTokens+r.usage.CompletionTokens > 0 {
		r.usage.CacheMiss = r.missed
		r.emit(r.usage)
	}
	r.emit(llm.Finish{Reason: finish})
	return nil
}

// finishLength is the finish reason of a reply that reached the output limit.
const finishLength = "length"

// finishes maps stop reasons to finish reasons.
var finishes = map[string]string{
	"end_turn":      "stop",
	"stop_sequence": "stop",
	"pause_turn":    "stop",
	"tool_use":      "tool_calls",
	"max_tokens":    finishLength,
	"refusal":       "content_filter",
}

// emit yields a chunk, unless the consumer has stopped.
func (r *reply) emit(chunk llm.Chunk) {
	if r.quit {
		return
	}
	switch chunk.(type) {
	case llm.Pulse, llm.Adapted:
	default:
		r.begun = true
	}
	r.quit = !r.yield(chunk, nil)
}

func (r *reply) malformed(text string) *llm.Error {
	return r.client.at.Malformed(r.req.Model, text)
}

// truncated returns the error for a reply that broke off.
func (r *reply) truncated(text string) *llm.Error {
	failure := r.client.at.Fail(llm.Truncated, r.req.Model, text)
	failure.Costly = r.begun || r.known
	return failure
}

// usage is a report of tokens. A later report of a reply replaces the numbers that it has.
type usage struct {
	Input      loose.Int `json:"input_tokens"`
	Output     loose.Int `json:"output_tokens"`
	CacheRead  loose.Int `json:"cache_read_input_tokens"`
	CacheWrite loose.Int `json:"cache_creation_input_tokens"`
	Writes     struct {
		Long loose.Int `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// with returns the numbers of u, replaced by the numbers in a later report.
func (u usage) with(later usage) usage {
	for _, pair := range [][2]*loose.Int{
		{&u.Input, &later.Input},
		{&u.Output, &later.Output},
		{&u.CacheRead, &later.CacheRead},
		{&u.CacheWrite, &later.CacheWrite},
		{&u.Writes.Long, &later.Writes.Long},
	} {
		// Gateways send zeros in place of the numbers that the first report had.
		if pair[1].Is && (pair[1].Value > 0 || !pair[0].Is) {
			*pair[0] = *pair[1]
		}
	}
	return u
}

// added returns the sum of a usage and the report.
func (u usage) added(to llm.Usage) llm.Usage {
	to.PromptTokens += u.Input.Count() + u.CacheRead.Count() + u.CacheWrite.Count()
	to.CompletionTokens += u.Output.Count()
	to.CachedTokens += u.CacheRead.Count()
	to.CacheWriteTokens += u.CacheWrite.Count()
	to.LongWriteTokens += min(u.Writes.Long.Count(), u.CacheWrite.Count())
	return to
}

// textPiece is a piece of a text.
type textPiece struct {
	index int
	text  string
}

// The parts around the text of an event with a piece of a text, as the API writes it.
var (
	deltaBegin = []byte(`{"type":"content_block_delta","index":`)
	deltaText  = []byte(`,"delta":{"type":"text_delta","text":"`)
	deltaEnd   = []byte(`"}}`)
)

// textDelta decodes an event with a piece of a text without escapes, in the form in which the API
// writes it. Nearly all events of a stream are such, and full decoding costs several times as much.
func textDelta(data []byte) (piece textPiece, ok bool) {
	rest, ok := bytes.CutPrefix(data, deltaBegin)
	if !ok {
		return piece, false
	}
	digits := 0
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' && digits < 6 {
		piece.index = piece.index*10 + int(rest[digits]-'0')
		digits++
	}
	rest, ok = bytes.CutPrefix(rest[digits:], deltaText)
	if !ok || digits == 0 {
		return piece, false
	}
	rest = bytes.TrimRight(rest, " ")
	text, ok := bytes.CutSuffix(rest, deltaEnd)
	if !ok || bytes.ContainsAny(text, `\"`) || !isPlain(text) {
		return piece, false
	}
	piece.text = string(text)
	return piece, true
}

// isPlain reports whether a text has no control characters and is UTF-8.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c < ' ' {
			return false
		}
	}
	return bytes.Equal(bytes.ToValidUTF8(text, nil), text)
}
