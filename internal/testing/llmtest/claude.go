package llmtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"agent/internal/llm/vendor"
)

// claude checks requests of the Messages API by the rules of Anthropic. It binds thinking to the
// conversation before it, and simulates and bills the prompt cache.
type claude struct {
	mu sync.Mutex
	// signed maps each signature to the conversation to which it is bound.
	signed map[string]binding
	// cached holds the prefixes in the cache, by model and digest.
	cached map[string]bool
	// prompts maps message IDs to the blocks of their requests.
	prompts map[string][]string
	bills   map[*Request]claudeBill
	// lenient is set if thinking is not verified.
	lenient bool
}

// binding identifies the conversation before a block of thinking. digest covers all blocks that are
// not thinking, and thinking lists the signatures of the others.
type binding struct {
	model, digest string
	thinking      []string
}

// claudeBill counts the tokens of a prompt.
type claudeBill struct{ input, read, written, long int }

func (b claudeBill) json(output int) string {
	return fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":%d}`,
		b.input, b.written, b.read, b.written-b.long, b.long, output)
}

// flatBlock is a block of a request. The blocks are in the order in which the model reads them.
type flatBlock struct {
	// role is tools, system, or the role of the message.
	role string
	// raw is the block without its cache mark, in a canonical form.
	raw string
	// message is the index of the message, -1 for tools and system.
	message int
	kind    string
	block   claudeBlock
}

func flatten(body []byte) ([]flatBlock, error) {
	var wire struct {
		Tools    []json.RawMessage
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return nil, err
	}
	var flat []flatBlock
	deferred := map[string]string{}
	add := func(role string, message int, raws []json.RawMessage) error {
		for _, raw := range raws {
			var members map[string]json.RawMessage
			var b claudeBlock
			if err := json.Unmarshal(raw, &members); err != nil {
				return err
			}
			_ = json.Unmarshal(raw, &b) // a tool has other members
			delete(members, "cache_control")
			plain, err := json.Marshal(members)
			if err != nil {
				return err
			}
			if string(members["defer_loading"]) == "true" {
				deferred[b.Name] = string(plain) // not part of the prefix until a message names it
				continue
			}
			one := flatBlock{role: role, raw: string(plain), message: message, kind: b.Type, block: b}
			if b.Type == toolAddition {
				one.raw += deferred[b.Tool.Name]
			}
			flat = append(flat, one)
		}
		return nil
	}
	if err := add("tools", -1, wire.Tools); err != nil {
		return nil, err
	}
	system, err := blocksOf(wire.System)
	if err != nil {
		return nil, fmt.Errorf("system: %w", err)
	}
	if err := add("system", -1, system); err != nil {
		return nil, err
	}
	for i, m := range wire.Messages {
		content, err := blocksOf(m.Content)
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		if err := add(m.Role, i, content); err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	return flat, nil
}

func isThought(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }

// digestOf returns the digest of the blocks that are not thinking, and the signatures of the
// others.
func digestOf(blocks []flatBlock) (digest string, thinking []string) {
	sum := sha256.New()
	for _, b := range blocks {
		if isThought(b.kind) {
			thinking = append(thinking, b.block.Signature)
			continue
		}
		fmt.Fprintf(sum, "%s\x00%s\x00", b.role, b.raw)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), thinking
}

// sign returns a signature for thinking. The thinking follows the request and the blocks said of
// its reply.
func (c *claude) sign(r *Request, said []string) string {
	flat, err := flatten(r.Body)
	if err != nil {
		return ""
	}
	for _, raw := range said {
		var b claudeBlock
		_ = json.Unmarshal([]byte(raw), &b)
		var members map[string]json.RawMessage
		_ = json.Unmarshal([]byte(raw), &members)
		plain, _ := json.Marshal(members)
		flat = append(flat, flatBlock{role: "assistant", raw: string(plain), kind: b.Type, block: b})
	}
	digest, thinking := digestOf(flat)
	c.mu.Lock()
	defer c.mu.Unlock()
	signature := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s %d", digest[:24], len(c.signed)))
	c.signed[signature] = binding{r.Model, digest, thinking}
	return signature
}

// verify returns an error for thinking that this server did not sign, or if the conversation before
// it has changed.
func (c *claude) verify(model string, flat []flatBlock) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, b := range flat {
		if b.kind != "thinking" {
			continue
		}
		bound, known := c.signed[b.block.Signature]
		if !known {
			return fmt.Errorf("messages.%d: Invalid `signature` in `thinking` block", b.message)
		}
		if bound.model != model {
			return fmt.Errorf("messages.%d: thinking of the model %s", b.message, bound.model)
		}
		if !vendor.BoundReasoningOf(model).Prefix() {
			continue
		}
		digest, thinking := digestOf(flat[:i])
		gone := len(bound.thinking) - len(thinking)
		if digest != bound.digest || gone < 0 || !slices.Equal(bound.thinking[gone:], thinking) {
			return fmt.Errorf("messages.%d: Invalid signature in thinking block. The block is bound to a different conversation", b.message)
		}
	}
	return nil
}

// claudeReach is the number of blocks before a mark in which the cache searches. bytesPerToken is
// the assumed size of a token.
const (
	claudeReach   = 20
	bytesPerToken = 4
)

// bill returns the cost of a prompt with the current cache. A prefix that ends at a mark is found
// if an earlier request had a mark at its end, or up to 20 blocks before.
func (c *claude) bill(r *Request) claudeBill {
	flat, err := flatten(r.Body)
	if err != nil {
		return claudeBill{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, is := c.bills[r]; is {
		return known
	}
	keys, sizes, size := make([]string, len(flat)), make([]int, len(flat)), 0
	sum := sha256.New()
	for i, b := range flat {
		fmt.Fprintf(sum, "%s\x00%s\x00", b.role, b.raw)
		size += len(b.raw)
		keys[i], sizes[i] = fmt.Sprintf("%s %x", r.Model, sum.Sum(nil)), size/bytesPerToken
	}
	var bill claudeBill
	written, long := 0, 0
	for i, b := range flat {
		if b.block.Cache == nil || sizes[i] < vendor.ClaudeOf(r.Model).LeastCached {
			continue
		}
		for j := i; j >= 0 && j > i-claudeReach; j-- {
			if c.cached[keys[j]] {
				bill.read = max(bill.read, sizes[j])
			}
		}
		written = sizes[i]
		if b.block.Cache.TTL == "1h" {
			long = sizes[i]
		}
	}
	bill.written = max(0, written-bill.read)
	bill.long = max(0, min(long, written)-bill.read)
	bill.input = size/bytesPerToken - bill.read - bill.written
	for i, b := range flat {
		if b.block.Cache != nil && sizes[i] >= vendor.ClaudeOf(r.Model).LeastCached {
			c.cached[keys[i]] = true
		}
	}
	c.bills[r] = bill
	return bill
}

// served stores the blocks of a request, for the diagnosis of the next request.
func (c *claude) served(r *Request) {
	flat, err := flatten(r.Body)
	if err != nil {
		return
	}
	var blocks []string
	for _, b := range flat {
		blocks = append(blocks, b.role+b.raw)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prompts[fmt.Sprintf("msg_%d", r.Number)] = blocks
}

// diagnosis returns why the cache missed, compared with the request that the client names.
func (c *claude) diagnosis(r *Request) string {
	var wanted struct {
		Previous *string `json:"previous_message_id"`
	}
	if json.Unmarshal(r.Fields["diagnostics"], &wanted) != nil || wanted.Previous == nil {
		return ""
	}
	flat, err := flatten(r.Body)
	if err != nil {
		return ""
	}
	c.mu.Lock()
	before, known := c.prompts[*wanted.Previous]
	c.mu.Unlock()
	reason := ""
	if !known {
		reason = "previous_message_not_found"
	}
	for i, b := range before {
		if reason != "" {
			break
		}
		if i >= len(flat) || flat[i].role+flat[i].raw != b {
			reason = "messages_changed"
			switch {
			case strings.HasPrefix(b, "tools"):
				reason = "tools_changed"
			case strings.HasPrefix(b, "system"):
				reason = "system_changed"
			}
		}
	}
	if reason == "" {
		return ""
	}
	return fmt.Sprintf(`,"diagnostics":{"cache_miss_reason":{"type":%q,"cache_missed_input_tokens":1}}`, reason)
}

// JudgeMessages returns an error for what Anthropic would refuse in a request. It does not verify
// signed thinking.
func JudgeMessages(body []byte) error {
	flat, err := flatten(body)
	if err != nil {
		return err
	}
	var wire struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Stream    bool
		Messages  []struct {
			Role    string
			Content json.RawMessage
		}
		Thinking *struct {
			Type    string
			Budget  int       `json:"budget_tokens"`
			Binding *struct{} `json:"block_binding"`
		}
		Temperature *float64
		TopP        *float64               `json:"top_p"`
		Choice      *struct{ Type string } `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return err
	}
	facts := vendor.ClaudeOf(wire.Model)
	switch {
	case wire.MaxTokens <= 0:
		return fmt.Errorf("max_tokens is %d", wire.MaxTokens)
	case facts.MaxOutput > 0 && wire.MaxTokens > facts.MaxOutput:
		return fmt.Errorf("max_tokens is %d, and the model gives %d at most", wire.MaxTokens, facts.MaxOutput)
	case len(wire.Messages) == 0:
		return fmt.Errorf("no messages")
	case wire.Messages[0].Role != "user":
		return fmt.Errorf("the first message is of the %s", wire.Messages[0].Role)
	case facts.NoSampling && (wire.Temperature != nil || wire.TopP != nil):
		return fmt.Errorf("the model takes no temperature and no top_p")
	}
	if t := wire.Thinking; t != nil {
		switch {
		case t.Type == "disabled" && facts.AlwaysThinks:
			return fmt.Errorf("the model always thinks")
		case t.Type == "enabled" && facts.Adaptive, t.Type == "adaptive" && !facts.Adaptive:
			return fmt.Errorf("thinking of the type %s", t.Type)
		case t.Type == "enabled" && (t.Budget < 1024 || t.Budget >= wire.MaxTokens):
			return fmt.Errorf("a budget of %d tokens with max_tokens %d", t.Budget, wire.MaxTokens)
		case t.Type != "disabled" && (wire.Temperature != nil || wire.TopP != nil):
			return fmt.Errorf("temperature or top_p with thinking")
		case t.Type != "disabled" && wire.Choice != nil && wire.Choice.Type != "auto" && wire.Choice.Type != "none":
			return fmt.Errorf("tool_choice %s with thinking", wire.Choice.Type)
		}
	}
	for i, m := range wire.Messages {
		if i == 0 {
			continue
		}
		switch before := wire.Messages[i-1].Role; {
		case m.Role == before:
			return fmt.Errorf("messages[%d] and the one before it are both of the %s", i, m.Role)
		case m.Role == "system" && !facts.SystemMessages:
			return fmt.Errorf("messages[%d]: the model takes no system messages", i)
		case m.Role == "system" && before != "user", before == "system" && m.Role != "assistant":
			return fmt.Errorf("messages[%d]: a system message that does not stand between the user and the assistant", i)
		}
	}
	if err := judgeMarks(flat, facts); err != nil {
		return err
	}
	if err := judgeTools(body, flat, facts); err != nil {
		return err
	}
	return judgeBlocks(flat)
}

// The kinds of blocks that add or remove tools.
const (
	toolAddition = "tool_addition"
	toolRemoval  = "tool_removal"
)

// judgeTools checks the rules for tools that are added or removed within the conversation.
func judgeTools(body []byte, flat []flatBlock, facts vendor.Claude) error {
	var wire struct {
		Tools []struct {
			Name     string
			Deferred bool      `json:"defer_loading"`
			Cache    *struct{} `json:"cache_control"`
		}
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return err
	}
	has := map[string]bool{}
	for _, t := range wire.Tools {
		_, twice := has[t.Name]
		switch {
		case twice:
			return fmt.Errorf("the tool %s is declared twice", t.Name)
		case t.Deferred && !facts.SystemMessages:
			return fmt.Errorf("the model takes no deferred tools")
		case t.Deferred && t.Cache != nil:
			return fmt.Errorf("the deferred tool %s has a mark of the cache", t.Name)
		}
		has[t.Name] = !t.Deferred
	}
	for _, b := range flat {
		if b.kind != toolAddition && b.kind != toolRemoval {
			continue
		}
		name := b.block.Tool.Name
		switch offered, declared := has[name]; {
		case b.role != "system":
			return fmt.Errorf("messages.%d: %s in a message of the %s", b.message, b.kind, b.role)
		case !declared || b.block.Tool.Type != "tool_reference":
			return fmt.Errorf("messages.%d: %s of a tool that is not declared: %q", b.message, b.kind, name)
		case offered == (b.kind == toolAddition):
			return fmt.Errorf("messages.%d: %s of %s changes nothing", b.message, b.kind, name)
		}
		has[name] = b.kind == toolAddition
	}
	return nil
}

// judgeMarks checks the rules for cache marks.
func judgeMarks(flat []flatBlock, facts vendor.Claude) error {
	const most = 4
	marks, short, size := 0, false, 0
	for _, b := range flat {
		size += len(b.raw)
		if b.block.Cache == nil {
			continue
		}
		marks++
		switch {
		case marks > most:
			return fmt.Errorf("more than %d marks of the cache", most)
		case isThought(b.kind):
			return fmt.Errorf("thinking with a mark of the cache")
		case b.block.Cache.TTL == "1h" && short:
			return fmt.Errorf("a mark of an hour after one of five minutes")
		case size/bytesPerToken < facts.LeastCached:
			return fmt.Errorf("a mark after %d tokens, and the cache keeps nothing below %d", size/bytesPerToken, facts.LeastCached)
		}
		short = short || b.block.Cache.TTL != "1h"
	}
	return nil
}

// judgeBlocks checks the rules for single blocks, and for calls with their answers.
func judgeBlocks(flat []flatBlock) error {
	var open []string // calls without an answer, in order
	called := -1      // called is the index of the message with the calls
	for i, b := range flat {
		at := fmt.Sprintf("messages.%d (%s)", b.message, b.role)
		last := i+1 == len(flat) || flat[i+1].message != b.message
		answers := b.role == "user" && b.kind == "tool_result"
		switch {
		case b.role == "system" && b.message >= 0 && b.kind != "text" && b.kind != toolAddition && b.kind != toolRemoval:
			return fmt.Errorf("%s: a block of the type %s", at, b.kind)
		case b.kind == "text" && strings.TrimSpace(b.block.Text) == "":
			return fmt.Errorf("%s: a text that is blank", at)
		case len(open) > 0 && b.message != called && !answers:
			return fmt.Errorf("%s: %s where the answers of %v must be", at, b.kind, open)
		case answers && (len(open) == 0 || open[0] != b.block.ToolUseID):
			return fmt.Errorf("%s: answers %s, and the next open call is %v", at, b.block.ToolUseID, open)
		case answers:
			open = open[1:]
		case b.kind == "tool_use" && b.role != "assistant", isThought(b.kind) && b.role != "assistant":
			return fmt.Errorf("%s: a block of the type %s", at, b.kind)
		case b.kind == "tool_use" && !isObject(string(b.block.Input)):
			return fmt.Errorf("%s: the input of %s is no object: %s", at, b.block.ID, b.block.Input)
		case b.kind == "tool_use":
			open, called = append(open, b.block.ID), b.message
		case isThought(b.kind) && last:
			return fmt.Errorf("%s: thinking at the end", at)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without an answer at the end: %v", open)
	}
	return nil
}

func newClaude() *claude {
	return &claude{signed: map[string]binding{}, cached: map[string]bool{}, prompts: map[string][]string{}, bills: map[*Request]claudeBill{}}
}

// judge returns an error if a request of the Messages API is wrong.
func (c *claude) judge(r *Request) error {
	if err := JudgeMessages(r.Body); err != nil {
		return err
	}
	const beta = "mid-conversation-tool-changes-2026-07-01"
	if strings.Contains(string(r.Body), `"defer_loading":true`) && !strings.Contains(r.Header.Get("Anthropic-Beta"), beta) {
		return fmt.Errorf("tools: defer_loading: not permitted without the beta %s", beta)
	}
	flat, err := flatten(r.Body)
	if err != nil || c.lenient {
		return err
	}
	return c.verify(r.Model, flat)
}

// Signatures returns the number of signatures that the server has issued.
func (s *Server) Signatures() int {
	s.claude.mu.Lock()
	defer s.claude.mu.Unlock()
	return len(slices.Collect(maps.Keys(s.claude.signed)))
}
