package anthropic

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/entries"
	"agent/internal/llm/vendor"
)

// The roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
)

// conversation is the part of a request that the model reads: tools, system prompt and messages.
type conversation struct {
	tools [][]byte
	// deferred contains the definitions of tools that a later system message adds. They are not part of
	// the prefix.
	deferred [][]byte
	system   []byte
	// messages alternate between user and assistant, with system messages after those of the user.
	messages []message
	// media is the size of the images and documents in bytes.
	media int
	// first is the digest of the oldest thinking that is sent, or "".
	first string
	// digest is the digest of everything except thinking.
	digest string
}

type message struct {
	role   string
	blocks []block
}

type block struct {
	raw []byte
	// entry is the index of the entry of the history that the block comes from.
	entry int
	// thinking is the stored reply to which a thinking block belongs. It is nil for other blocks.
	thinking *kept
	// media is the size of the images and documents in the block, in bytes.
	media int
	// call is the id of the call that the block answers, or "".
	call string
	// uses is the id of the call in the block, or "".
	uses string
}

func (c *conversation) size() int {
	size := len(c.system)
	for _, t := range c.tools {
		size += len(t)
	}
	for _, t := range c.deferred {
		size += len(t)
	}
	for _, m := range c.messages {
		for _, b := range m.blocks {
			size += len(b.raw)
		}
	}
	return size
}

// origin returns the data about the conversation that is stored with a reply.
func (c *conversation) origin() origin { return origin{Prefix: c.digest, First: c.first} }

// resume adds the blocks of a reply that the server paused. The next request continues the reply.
func (c *conversation) resume(blocks [][]byte) {
	if last := len(c.messages) - 1; c.messages[last].role == roleAssistant {
		c.messages = c.messages[:last]
	}
	m := message{role: roleAssistant}
	for _, raw := range blocks {
		m.blocks = append(m.blocks, block{raw: raw, entry: -1})
	}
	c.messages = append(c.messages, m)
}

// turnLacksThinking reports whether the newest reply has calls but no thinking before them.
func (c *conversation) turnLacksThinking() bool {
	for _, m := range slices.Backward(c.messages) {
		if m.role == roleAssistant {
			calls := slices.ContainsFunc(m.blocks, func(b block) bool { return b.uses != "" })
			return calls && m.blocks[0].thinking == nil
		}
	}
	return false
}

// conversation returns the conversation of the request. A growing history only appends blocks.
func (r *request) conversation() *conversation {
	b := builder{request: r, ids: entries.NewCallIDs(vendor.PlainIDs, r.Model), sum: sha256.New()}
	b.c.tools = r.encodeTools()
	for _, t := range b.c.tools {
		b.hash(t)
	}
	b.deferTools()
	if !isBlank(r.System) {
		b.c.system = textBlock(r.System)
	}
	b.hash(b.c.system)
	for i, c := range r.History {
		b.entry = i
		b.add(c)
	}
	b.answerLast()
	b.endUser()
	b.c.digest = b.state()
	b.c.dropVoid(r.bound)
	return &b.c
}

// builder builds a conversation from the entries of a history.
type builder struct {
	request *request
	c       conversation
	ids     *entries.CallIDs
	// entry is the index of the present entry.
	entry int
	// sum is the hash of everything before, without thinking. hashed counts the messages in the hash.
	sum hash.Hash
	// order contains the sent ids of the calls of the latest reply, in order.
	order []string
	// told contains the blocks for the system message after the newest message.
	told [][]byte
	// defined maps the names of deferred tools to their definitions. offered contains the names of the
	// tools that the model has at this position.
	defined map[string][]byte
	offered map[string]bool
}

func (b *builder) hash(parts ...[]byte) {
	for _, part := range parts {
		_, _ = b.sum.Write(part)
		_, _ = b.sum.Write([]byte{0})
	}
}

// digestLength is the length of a stored digest, in bytes. It is short, because a collision would
// not help an attacker.
const digestLength = 12

// state returns the digest of everything so far.
func (b *builder) state() string { return hex.EncodeToString(b.sum.Sum(nil)[:digestLength]) }

func (b *builder) put(role string, with block) {
	with.entry = b.entry
	b.c.media += with.media
	if n := len(b.c.messages); n == 0 && role == roleAssistant {
		// A conversation must begin with the user. Its beginning may have been compressed.
		b.put(roleUser, block{raw: textBlock("(the conversation so far is not shown)")})
		b.endUser()
	} else if n > 0 && b.c.messages[n-1].role == role {
		b.c.messages[n-1].blocks = append(b.c.messages[n-1].blocks, with)
		return
	}
	b.c.messages = append(b.c.messages, message{role: role, blocks: []block{with}})
}

// endUser sorts the answers in the newest message into the order of the calls, before all other blocks,
// as the API requires. It then hashes the message.
func (b *builder) endUser() {
	n := len(b.c.messages)
	if n == 0 || b.c.messages[n-1].role != roleUser {
		return
	}
	blocks := b.c.messages[n-1].blocks
	rank := func(x block) int {
		if i := slices.Index(b.order, x.call); x.call != "" && i >= 0 {
			return i
		}
		return len(b.order)
	}
	slices.SortStableFunc(blocks, func(x, y block) int { return cmp.Compare(rank(x), rank(y)) })
	b.hash([]byte(roleUser))
	for _, x := range blocks {
		b.hash(x.raw)
	}
	b.instruct()
}

// instruct puts the waiting instructions into a separate system message, after the message of the user
// and the answers to its calls.
func (b *builder) instruct() {
	for _, raw := range b.told {
		b.put(roleSystem, block{raw: raw})
		b.hash([]byte(roleSystem), raw)
	}
	b.told = nil
}

// answerLast adds a message of the user if the conversation ends with a reply.
func (b *builder) answerLast() {
	if n := len(b.c.messages); n > 0 && b.c.messages[n-1].role == roleAssistant {
		b.put(roleUser, block{raw: textBlock("(go on)")})
	}
}

func (b *builder) add(c *history.Content) {
	switch {
	case c.Empty():
	case c.Speaker == history.AI:
		b.assistant(c)
	case c.Speaker == history.Tool:
		b.results(c)
	default:
		b.human(c)
	}
}

func (b *builder) human(c *history.Content) {
	said := c.Blocks
	if b.request.takesSystem() {
		said = nil
		for _, x := range c.Blocks {
			switch t, is := x.(*history.Text); {
			case is && t.IsInstruction():
				b.told = append(b.told, textBlock(t.Text))
			case is && t.Tools != nil && b.request.takesToolChanges():
				b.changeTools(t.Tools)
			default:
				said = append(said, x)
			}
		}
	}
	if text := entries.JoinText(said); text != "" {
		b.put(roleUser, block{raw: textBlock(text)})
	}
	for _, m := range entries.BlocksOf[*history.Media](c.Blocks) {
		raw, size := mediaOrText(m)
		b.put(roleUser, block{raw: raw, media: size})
	}
}

// mediaOrText returns a block for media, with the size of their data. For media that the API does not
// accept, it returns a text.
func mediaOrText(m *history.Media) (raw []byte, size int) {
	if raw, ok := mediaBlock(m); ok {
		return raw, len(m.Data)
	}
	return textBlock(entries.UnsendableText(m)), 0
}

// results adds the answers of an entry. Images and texts after an answer belong to it.
func (b *builder) results(c *history.Content) {
	for i, x := range c.Blocks {
		answer, is := x.(*history.ToolResponse)
		if !is {
			continue
		}
		var w writer
		id, media := b.ids.SentID(answer.CallID), 0
		w.raw(`{"type":"tool_result","tool_use_id":`)
		w.string(id)
		w.raw(`,"content":[`)
		w.buf = append(w.buf, textBlock(entries.ResponseText(answer))...)
		for _, more := range c.Blocks[i+1:] {
			if more.Kind() == answer.Kind() {
				break
			}
			if text, is := more.(*history.Text); is && !isBlank(text.Text) {
				w.raw(`,`)
				w.buf = append(w.buf, textBlock(text.Text)...)
			}
			if m, is := more.(*history.Media); is {
				w.raw(`,`)
				raw, size := mediaOrText(m)
				w.buf, media = append(w.buf, raw...), media+size
			}
		}
		w.raw(`]`)
		if answer.Error != "" {
			w.raw(`,"is_error":true`)
		}
		w.raw(`}`)
		b.put(roleUser, block{raw: w.buf, call: id, media: media})
	}
}

// assistant adds a reply with every block unchanged and in its original order. Thinking is only sent if
// it comes from this model at this host.
func (b *builder) assistant(c *history.Content) {
	b.ids.BeginEntry()
	k := keptIn(c, b.request)
	blocks := b.replyBlocks(c, k)
	if !slices.ContainsFunc(blocks, func(x block) bool { return x.thinking == nil }) {
		return // thinking alone is not a message
	}
	if len(b.told) > 0 {
		b.answerLast()
	}
	b.endUser()
	before := b.state()
	if k != nil {
		k.valid = k.Prefix == before
	}
	b.order = b.order[:0]
	b.hash([]byte(roleAssistant))
	for _, x := range blocks {
		if x.uses != "" {
			b.order = append(b.order, x.uses)
		}
		if x.thinking == nil {
			b.hash(x.raw)
		}
		b.put(roleAssistant, x)
	}
}

func (b *builder) replyBlocks(c *history.Content, k *kept) []block {
	text, calls := entries.JoinText(c.Blocks), c.Calls()
	var blocks []block
	say := func(raw []byte) { blocks = append(blocks, block{raw: raw}) }
	use := func(call *history.ToolCall) { blocks = append(blocks, b.call(c, call)) }
	if k != nil {
		whole := k.textBytes() == len(text)
		for _, x := range k.Blocks {
			switch {
			case x.TextBytes > 0 && whole:
				part := text[:x.TextBytes]
				if text = text[x.TextBytes:]; !isBlank(part) {
					say(x.withText(part))
				}
			case x.TextBytes > 0 && text != "": // the text was changed
				say(textBlock(text))
				text = ""
			case x.TextBytes > 0:
			case x.Call != "":
				if i := slices.IndexFunc(calls, func(call *history.ToolCall) bool { return call.ID == x.Call }); i >= 0 {
					use(calls[i])
					calls = slices.Delete(slices.Clone(calls), i, i+1)
				}
			case isThinking(x.Raw):
				if whole || len(blocks) == 0 {
					blocks = append(blocks, block{raw: x.Raw, thinking: k})
				}
			default:
				say(x.Raw)
			}
		}
	}
	if !isBlank(text) {
		say(textBlock(text))
	}
	for _, call := range calls {
		use(call)
	}
	return blocks
}

func (b *builder) call(c *history.Content, call *history.ToolCall) block {
	id := b.ids.Add(c, call.ID)
	var w writer
	w.raw(`{"type":"tool_use","id":`)
	w.string(id)
	w.raw(`,"name":`)
	w.string(entries.FunctionName(call.Name))
	w.raw(`,"input":`)
	w.buf = append(w.buf, entries.Arguments(call)...)
	w.raw(`}`)
	return block{raw: w.buf, uses: id}
}

// place is the position of a block: the index of its message, and its index in the message.
type place struct{ message, block int }

// marks are the marks of the prompt cache in a request.
type marks struct {
	// control is the JSON of a cache mark, or "" if the request has no marks.
	control string
	// tool is the index of the marked tool, or -1.
	tool   int
	system bool
	blocks map[place]bool
}

// marks returns the cache marks of a request: at the end of tools and system prompt, of the part that
// later requests will send unchanged, of the previous request, and of this request. So the cache finds
// the end of the previous request, however many blocks have followed it. A prefix shorter than the
// model's minimum has no mark, because it would not be cached.
func (r *request) marks(c *conversation) marks {
	m := marks{tool: -1, blocks: map[place]bool{}}
	if r.Cache.Policy == llm.CacheOff || r.dialect.OmitCache {
		return m
	}
	m.control = `{"type":"ephemeral"}`
	if r.Cache.Policy == llm.Cache1h {
		m.control = `{"type":"ephemeral","ttl":"1h"}`
	}
	size := len(c.system)
	for _, t := range c.tools {
		size += len(t)
	}
	enough := func(size int) bool { return size >= r.facts.LeastCached*charsPerToken }
	if enough(size) {
		m.system = c.system != nil
		if !m.system {
			m.tool = len(c.tools) - 1
		}
	}
	var ends []place
	stable, sizes := place{-1, -1}, map[place]int{}
	for i, message := range c.messages {
		for j, b := range message.blocks {
			size += len(b.raw) - b.media
			if message.role == roleUser && b.entry < r.Cache.Stable {
				stable = place{i, j}
				sizes[stable] = size
			}
		}
		if end := (place{i, len(message.blocks) - 1}); message.role == roleUser {
			ends = append(ends, end)
			sizes[end] = size
		}
	}
	const latest = 2
	for _, p := range append(ends[max(0, len(ends)-latest):], stable) {
		if p.message >= 0 && enough(sizes[p]) {
			m.blocks[p] = true
		}
	}
	return m
}

// charsPerToken is a high estimate of the length of a token in bytes, so that no prefix below the
// minimum has a mark.
const charsPerToken = 4
