package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/sashabaranov/go-openai"

	"agent/internal/history"
	"agent/internal/llm/entries"
	"agent/internal/llm/lenientjson"
	"agent/internal/llm/vendor"
)

// responses is the format of OpenAI's Responses API. It uses no state on the server: every request
// contains the whole conversation, with its encrypted reasoning.
type responses struct{}

func (responses) path() string { return "/responses" }

// leastOutput is the smallest limit of a reply that the API accepts, in tokens.
const leastOutput = 16

// atLeast returns n, or least if n is smaller. 0 means no limit and is returned unchanged.
func atLeast(least, n int) int {
	if n == 0 {
		return 0
	}
	return max(least, n)
}

// encode returns the body of req. The same request always results in the same bytes.
func (responses) encode(req request) []byte {
	stateless := false
	body := openai.CreateResponseRequest{
		Model:           req.Model,
		Input:           inputOf(req),
		Tools:           make([]openai.ResponseTool, len(req.Tools)),
		MaxOutputTokens: atLeast(leastOutput, req.MaxOutputTokens),
		Temperature:     float32Of(req.Temperature),
		TopP:            float32Of(req.TopP),
		Store:           &stateless,
		Stream:          true,
	}
	free := freeFormsOf(req)
	for i, spec := range req.Tools {
		if body.Tools[i] = free.tool(spec); spec.Searches {
			body.Tools[i] = openai.ResponseTool{Type: "web_search"}
		}
	}
	if req.Dialect.Reasoning != reasoningRefused && !req.Dialect.NoReasoning {
		body.Include = []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}
	}
	if req.searches() != vendor.SearchNone {
		body.Include = append(body.Include, openai.ResponseIncludeWebSearchCallActionSources)
	}
	if req.wants.Instructions {
		body.Instructions = req.System
	}
	hints := cacheHintsFor(req)
	body.PromptCacheKey, body.ExtraBody = hints.key, map[string]any{}
	if hints.session != "" {
		body.ExtraBody["session_id"] = hints.session
	}
	if req.Schema != nil {
		body.ExtraBody["text"] = map[string]any{"format": map[string]any{"type": "json_schema", "name": schemaName, "strict": true, "schema": req.Schema}}
	}
	reasoning := openai.ResponseReasoning{Effort: req.ReasoningEffort}
	if !req.Dialect.OmitSummary && req.ReasoningEffort != "none" {
		reasoning.Summary = "auto"
	}
	if reasoning != (openai.ResponseReasoning{}) {
		body.Reasoning = &reasoning
	}
	raw, err := json.Marshal(body)
	if err != nil {
		// Only the schema of a tool can be invalid JSON. The server refuses this replacement body.
		return []byte("{}")
	}
	return raw
}

func float32Of(value *float64) *float32 {
	if value == nil {
		return nil
	}
	short := float32(*value)
	return &short
}

// inputOf returns the conversation as a list of items.
func inputOf(req request) []any {
	w := &itemWriter{ids: entries.NewCallIDs(req.wants.CallIDs, req.Model), replay: replayFor(req), free: freeFormsOf(req), freeFormCalls: map[string]bool{}, documents: req.wants.Documents}
	if req.System != "" && !req.wants.Instructions {
		system := inputText(req.System)
		if cacheHintsFor(req).breakpoint {
			system.PromptCacheBreakpoint = &openai.ResponsePromptCacheBreakpoint{Mode: "explicit"}
		}
		w.add(openai.ResponseInputMessage{Type: "message", Role: openai.ChatMessageRoleSystem, Content: []any{system}})
	}
	entries.Write(w, req.History, nil)
	return w.items
}

// itemWriter writes history entries as input items. A growing history only appends items.
type itemWriter struct {
	items  []any
	ids    *entries.CallIDs
	replay replay
	free   freeForms
	// freeFormCalls contains the ids of the free-form calls. Their answers must have the free form, too.
	freeFormCalls map[string]bool
	// documents means that PDFs are sent.
	documents bool
}

func (w *itemWriter) add(item any) { w.items = append(w.items, item) }

func (w *itemWriter) WriteResponse(r *history.ToolResponse, _ bool) {
	output := openai.ResponseFunctionCallOutput{Type: "function_call_output", CallID: w.ids.SentID(r.CallID), Output: entries.ResponseText(r)}
	if w.freeFormCalls[output.CallID] {
		output.Type = customCallOutput
	}
	w.add(output)
}

// inputFile is a part of a message that is a file.
type inputFile struct {
	Type string `json:"type"`
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

func inputText(text string) openai.ResponseInputText {
	return openai.ResponseInputText{Type: "input_text", Text: text}
}

func (w *itemWriter) WriteHuman(c *history.Content, _ bool) {
	var parts []any
	if text := entries.JoinText(c.Blocks); text != "" {
		parts = append(parts, inputText(text))
	}
	for _, m := range entries.BlocksOf[*history.Media](c.Blocks) {
		if url, ok := entries.ImageURL(m); entries.IsDocument(m) && w.documents {
			parts = append(parts, inputFile{"input_file", entries.DocumentName, url})
		} else if ok {
			parts = append(parts, openai.ResponseInputImage{Type: "input_image", ImageURL: url})
		} else {
			parts = append(parts, inputText(entries.UnsendableText(m)))
		}
	}
	w.add(openai.ResponseInputMessage{Type: "message", Role: openai.ChatMessageRoleUser, Content: parts})
}

// WriteAssistant writes the text and the calls of a reply, with the reasoning items at their original
// positions. It omits reasoning at the end, which the server refuses.
func (w *itemWriter) WriteAssistant(c *history.Content) {
	w.ids.BeginEntry()
	var outputs []any
	if text := entries.JoinText(c.Blocks); text != "" {
		part := openai.ResponseOutputContent{Type: "output_text", Text: text}
		outputs = append(outputs, openai.ResponseInputMessage{Type: "message", Role: openai.ChatMessageRoleAssistant, Content: []any{part}})
	}
	for _, call := range c.Calls() {
		id := w.ids.Add(c, call.ID)
		if input, ok := w.free.input(call); ok {
			w.freeFormCalls[id] = true
			outputs = append(outputs, freeCall{Type: customCall, CallID: id, Name: call.Name, Input: input})
			continue
		}
		outputs = append(outputs, openai.ResponseOutputItem{
			Type: "function_call", CallID: id, Name: entries.FunctionName(call.Name), Arguments: string(entries.Arguments(call)),
		})
	}
	reasoning := w.replay.items(c)
	var written said
	for at, output := range outputs {
		for len(reasoning) > 0 && reasoning[0].At <= at {
			if !w.replay.bound || reasoning[0].After == written.digest() {
				w.add(reasoning[0].Item)
			}
			reasoning = reasoning[1:]
		}
		w.add(output)
		switch o := output.(type) {
		case openai.ResponseOutputItem:
			written.call(o.Name, o.Arguments)
		case freeCall:
			written.call(o.Name, o.Input)
		default:
			written.text(entries.JoinText(c.Blocks))
		}
	}
}

// said collects the content of a reply before a reasoning item, which may be bound to it.
type said struct{ parts string }

func (s *said) text(text string) { s.parts += "text\x00" + text + "\x00" }
func (s *said) call(name, arguments string) {
	s.parts += "call\x00" + name + "\x00" + arguments + "\x00"
}

// digest returns a digest of the content, or "" if there is none.
func (s *said) digest() string {
	if s.parts == "" {
		return ""
	}
	const length = 8
	sum := sha256.Sum256([]byte(s.parts))
	return hex.EncodeToString(sum[:length])
}

type reasoningItem struct {
	// At is the number of other items before this one.
	At   int             `json:"at"`
	Item json.RawMessage `json:"item"`
	// After is the digest of the texts and calls before this item in the reply, or "" if there were
	// none.
	After string `json:"after,omitzero"`
}

// items returns the reasoning items to send with an entry.
func (p replay) items(c *history.Content) []reasoningItem {
	for _, thinking := range entries.BlocksOf[*history.Thinking](c.Blocks) {
		if p.signed && p.accepts(thinking.Attached) && thinking.Attached.Field == fieldItems {
			return lenientjson.Decode[[]reasoningItem](thinking.Attached.Data)
		}
	}
	return nil
}

func (responses) reader(r *reply, req request) func([]byte) error {
	r.attach = attacher{replay: replayFor(req)}
	return (&responseReader{reply: r, written: map[int]bool{}, free: freeFormsOf(req), req: req}).take
}
