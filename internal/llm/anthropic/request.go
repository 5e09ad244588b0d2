package anthropic

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/rawjson"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
)

// request is a request to an endpoint in a dialect.
type request struct {
	llm.Request
	client  *Client
	dialect Dialect
	facts   vendor.Claude
	host    string
	// bound is set if thinking is valid only while everything before it is unchanged.
	bound bool
	// official is set if the endpoint is Anthropic's own, which supports all members and betas.
	official bool
	// silent is set if the request has no reply. Such a request is not streamed.
	silent bool
}

func (c *Client) request(d Dialect, req llm.Request) *request {
	if d.OmitSchema {
		req.Schema = nil
	}
	if d.OmitSearch {
		req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t llm.ToolSpec) bool { return t.Searches })
	}
	r := &request{Request: req, client: c, dialect: d, facts: vendor.ClaudeOf(req.Model), host: c.at.Host()}
	r.bound = d.Bound || vendor.BoundReasoningOf(req.Model).Prefix()
	r.official = r.host == officialHost
	// Other endpoints may treat a limit of 0 as no limit. A schema or a thinking budget requires a
	// reply.
	r.silent = req.NoReply && r.official && req.Schema == nil && !r.facts.Budget && !c.mustReply.Load()
	return r
}

// officialHost is the host of Anthropic's own API.
const officialHost = "api.anthropic.com"

// The beta features that requests may name in the header Anthropic-Beta.
const (
	betaBinding = "thinking-binding-controls-2026-08-01"
	betaTools   = "mid-conversation-tool-changes-2026-07-01"
)

func (r *request) betas() []string {
	var betas []string
	if r.controlsBinding() {
		betas = append(betas, betaBinding)
	}
	if r.changesTools() {
		betas = append(betas, betaTools)
	}
	return betas
}

// controlsBinding reports whether the request asks the server to drop void thinking instead of refusing
// the request.
func (r *request) controlsBinding() bool {
	return r.bound && r.thinks() && !r.dialect.OmitBinding
}

func (r *request) thinks() bool {
	switch {
	case r.dialect.OmitThinking:
		return false
	case r.facts.AlwaysThinks:
		return true
	case r.ReasoningEffort == effortNone:
		return false
	case r.facts.Adaptive:
		return true
	}
	return r.facts.Budget && r.ReasoningEffort != ""
}

// The values of the effort setting.
const (
	effortNone    = "none"
	effortMinimal = "minimal"
)

// effort returns the effort to send, or "".
func (r *request) effort() string {
	switch {
	case !r.facts.Adaptive || r.dialect.OmitEffort:
		return ""
	case r.ReasoningEffort == effortMinimal, r.ReasoningEffort == effortNone && r.facts.AlwaysThinks:
		return "low"
	case r.ReasoningEffort == effortNone:
		return ""
	}
	return r.ReasoningEffort
}

// notes returns notes for the user about the settings that the request omits or changes.
func (r *request) notes() (notes []string) {
	if (r.Temperature != nil || r.TopP != nil) && !r.takesSampling() {
		notes = append(notes, "the model "+r.Model+" does not support temperature and top_p while it thinks. Continuing without them")
	}
	if r.facts.AlwaysThinks && r.ReasoningEffort == effortNone {
		notes = append(notes, "the model "+r.Model+" always thinks. Using reasoning.effort low instead of none")
	}
	return notes
}

// takesSampling reports whether the model supports temperature and top_p in this request.
func (r *request) takesSampling() bool {
	return !r.thinks() && !r.facts.NoSampling && !r.dialect.OmitSampling
}

// budgets maps efforts to thinking tokens, for models that use a budget instead of an effort.
var budgets = map[string]int{effortMinimal: 1024, "low": 4096, "medium": 10_000, "high": 20_000, "xhigh": 28_000, "max": 31_999}

// defaultOutput is the output limit of an unknown model, in tokens.
const defaultOutput = 32_000

// The reply limit is at least leastOutput tokens. bytesPerToken is a low estimate of the length of a
// token, so that prompt and reply together stay within the context window.
const (
	leastOutput   = 4096
	bytesPerToken = 3
)

// maxTokens returns the limit of the reply in tokens. size is the size of the prompt in bytes, without
// media.
func (r *request) maxTokens(size int) int {
	output, window := r.client.config.Limits(r.Model)
	limit := r.MaxOutputTokens
	if limit == 0 {
		limit = output
	}
	if limit == 0 {
		limit = r.facts.MaxOutput
	}
	if limit == 0 {
		limit = defaultOutput
	}
	if window > 0 {
		limit = min(limit, max(window-size/bytesPerToken, min(leastOutput, window)))
	}
	return limit
}

// encode returns the body of a request with a conversation. The same request always results in the same
// bytes.
func (r *request) encode(c *conversation) []byte {
	marks := r.marks(c)
	const perMessage = 64 // for the role and the marks
	w := writer{buf: make([]byte, 0, c.size()+perMessage*(len(c.messages)+16))}
	w.raw(`{`)
	if r.client.config.Vertex {
		w.raw(`"anthropic_version":"vertex-2023-10-16",`)
	} else {
		w.raw(`"model":`)
		w.string(r.Model)
		w.raw(`,`)
	}
	limit := r.maxTokens(c.size() - c.media)
	if r.silent {
		w.raw(`"max_tokens":0`)
	} else {
		w.raw(`"max_tokens":` + strconv.Itoa(limit) + `,"stream":true`)
	}
	r.options(&w, c, limit)
	if len(c.tools)+len(c.deferred) > 0 {
		w.raw(`,"tools":[`)
		for i, tool := range slices.Concat(c.tools, c.deferred) {
			w.item(i, tool, marks.tool == i, marks.control)
		}
		w.raw(`]`)
	}
	if c.system != nil {
		w.raw(`,"system":[`)
		w.item(0, c.system, marks.system, marks.control)
		w.raw(`]`)
	}
	w.raw(`,"messages":[`)
	for i, m := range c.messages {
		if i > 0 {
			w.raw(`,`)
		}
		w.raw(`{"role":"` + m.role + `","content":[`)
		for j, b := range m.blocks {
			w.item(j, b.raw, marks.blocks[place{i, j}], marks.control)
		}
		w.raw(`]}`)
	}
	w.raw(`]}`)
	return w.buf
}

// options writes the members that control the reply.
func (r *request) options(w *writer, c *conversation, limit int) {
	if r.takesSampling() {
		w.number("temperature", r.Temperature)
		w.number("top_p", r.TopP)
	}
	r.thinking(w, c, limit)
	effort := r.effort()
	if effort != "" || r.Schema != nil {
		w.raw(`,"output_config":{`)
		if effort != "" {
			w.raw(`"effort":`)
			w.string(effort)
		}
		if r.Schema != nil {
			if effort != "" {
				w.raw(`,`)
			}
			w.raw(`"format":{"type":"json_schema","schema":`)
			w.buf = append(w.buf, r.Schema...)
			w.raw(`}`)
		}
		w.raw(`}`)
	}
	if r.official && !r.dialect.OmitDiagnostics {
		w.raw(`,"diagnostics":{"previous_message_id":`)
		if id := r.client.previous(r.Cache.Key); id != "" {
			w.string(id)
		} else {
			w.raw(`null`)
		}
		w.raw(`}`)
	}
}

// thinking writes the member thinking. Models with a thinking budget refuse this member if the newest
// reply has calls but no thinking before them. The member is then omitted.
func (r *request) thinking(w *writer, c *conversation, limit int) {
	switch {
	case !r.thinks():
		if r.facts.Adaptive && r.ReasoningEffort == effortNone && !r.dialect.OmitThinking {
			w.raw(`,"thinking":{"type":"disabled"}`)
		}
		return
	case r.facts.Adaptive:
		w.raw(`,"thinking":{"type":"adaptive"`)
	case c.turnLacksThinking():
		return
	default:
		const least = 1024
		budget := min(budgets[r.ReasoningEffort], limit-least)
		if budget < least {
			return
		}
		w.raw(`,"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(budget))
	}
	if display := r.client.config.ThinkingDisplay; display != "" && !r.dialect.OmitDisplay && r.facts.Adaptive {
		w.raw(`,"display":`)
		w.string(display)
	}
	if r.controlsBinding() {
		w.raw(`,"block_binding":{"prefix_mismatch_behavior":"drop_block"}`)
	}
	w.raw(`}`)
}

func (r *request) encodeTools() [][]byte {
	var tools [][]byte
	for _, t := range r.Tools {
		var w writer
		if t.Searches {
			w.raw(`{"type":"web_search_20250305","name":"web_search","max_uses":` + strconv.Itoa(maxSearches))
			for i, host := range t.Blocked {
				w.raw([]string{`,"blocked_domains":[`, `,`}[min(i, 1)])
				w.string(host)
			}
			if len(t.Blocked) > 0 {
				w.raw(`]`)
			}
			w.raw(`}`)
			tools = append(tools, w.buf)
			continue
		}
		tools = append(tools, toolBlock(t))
	}
	return tools
}

func toolBlock(t llm.ToolSpec) []byte {
	var w writer
	w.raw(`{"name":`)
	w.string(t.Name)
	if t.Description != "" {
		w.raw(`,"description":`)
		w.string(t.Description)
	}
	w.raw(`,"input_schema":`)
	if len(t.Schema) == 0 {
		w.raw(`{"type":"object","properties":{}}`)
	} else {
		w.buf = append(w.buf, t.Schema...)
	}
	w.raw(`}`)
	return w.buf
}

// maxSearches limits the searches of the server within one reply.
const maxSearches = 8

type writer struct{ buf []byte }

func (w *writer) raw(s string)    { w.buf = append(w.buf, s...) }
func (w *writer) string(s string) { w.buf = rawjson.AppendString(w.buf, s) }

func (w *writer) number(key string, value *float64) {
	if value == nil {
		return
	}
	w.raw(`,"` + key + `":`)
	w.buf = strconv.AppendFloat(w.buf, *value, 'f', -1, 64)
}

// item writes an item of a list, which is a JSON object. If the item is marked, it adds a cache mark.
func (w *writer) item(index int, object []byte, marked bool, control string) {
	if index > 0 {
		w.raw(`,`)
	}
	w.buf = append(w.buf, object...)
	if marked {
		w.buf = w.buf[:len(w.buf)-1]
		w.raw(`,"cache_control":` + control + `}`)
	}
}

func textBlock(text string) []byte {
	var w writer
	w.raw(`{"type":"text","text":`)
	w.string(text)
	w.raw(`}`)
	return w.buf
}

// takesImage reports whether the API accepts images of a media type.
func takesImage(mime string) bool {
	return slices.Contains([]string{"image/jpeg", "image/png", "image/gif", "image/webp"}, mime)
}

// mediaBlock returns media as a block. ok is false for types that the API does not accept.
func mediaBlock(m *history.Media) (raw []byte, ok bool) {
	kind := "image"
	if m.MimeType == history.PDF {
		kind = "document"
	} else if !takesImage(m.MimeType) {
		return nil, false
	}
	var w writer
	w.raw(`{"type":"` + kind + `","source":{"type":"base64","media_type":`)
	w.string(m.MimeType)
	w.raw(`,"data":`)
	w.string(m.Data)
	w.raw(`}}`)
	return w.buf, true
}

// isBlank reports whether a text consists only of space. The API refuses such a text.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// member returns a member of a JSON object, or nil.
func member(raw []byte, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members[name]
}
