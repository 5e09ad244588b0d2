package logs

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/lazyregexp"
	"agent/internal/history"
	"agent/internal/text/lines"
)

// MetaTime is the metadata key for the time of an entry, in milliseconds since 1970. Documents
// use the same key.
const MetaTime = "ts"

// WithTime returns the entry with its time in the metadata.
func WithTime(entry *history.Content, at time.Time) *history.Content {
	return entry.WithMeta(MetaTime, json.Number(strconv.FormatInt(at.UnixMilli(), 10)))
}

// A turn is an entry that is still being assembled.
type turn struct {
	speaker history.Speaker
	blocks  []history.Block
	at      time.Time
	// answers is the entry with the answers to the calls of a reply. It follows the reply, even if the
	// answers are later in the log.
	answers *turn
}

// conversation collects a span from the records of a log.
type conversation struct {
	form
	project string
	// of is the id of the session that started the conversation as a subagent, or "".
	of string
	// seen contains the ids of records that must not be read again.
	seen map[string]bool

	turns   []*turn
	replies map[string]*turn
	// calls maps the ids of calls to their replies. tools maps them to the names of the called tools.
	calls  map[string]*turn
	tools  map[string]string
	models map[string]int
	size   int

	// sides contains the conversations of subagents by their ids.
	sides map[string]*conversation

	use func(Span) error
}

func newConversation(f form, use func(Span) error) *conversation {
	c := &conversation{form: f, seen: map[string]bool{}, sides: map[string]*conversation{}, use: use}
	c.reset()
	return c
}

func (c *conversation) reset() {
	c.turns, c.size = nil, 0
	c.replies, c.calls, c.tools, c.models = map[string]*turn{}, map[string]*turn{}, map[string]string{}, map[string]int{}
}

// pendingSize returns the size of the texts that are not passed to use yet.
func (c *conversation) pendingSize() int {
	size := c.size
	for _, side := range c.sides {
		size += side.pendingSize()
	}
	return size
}

// finish passes on the conversations of subagents, and then the last span of the session.
func (c *conversation) finish() error {
	for _, id := range slices.Sorted(maps.Keys(c.sides)) {
		if err := c.sides[id].finish(); err != nil {
			return err
		}
	}
	return c.end()
}

// say adds a message of a user, or of the program in the role of the user.
func (c *conversation) say(text string, at time.Time) {
	if text != "" {
		c.turns = append(c.turns, &turn{speaker: history.Human, blocks: []history.Block{&history.Text{Text: text}}, at: at})
		c.size += len(text)
	}
}

// reply returns the reply with the id, or a new one if there is none. Without an id, it always returns
// a new reply.
func (c *conversation) reply(id string, at time.Time) *turn {
	if t := c.replies[id]; t != nil && id != "" {
		return t
	}
	t := &turn{speaker: history.AI, at: at}
	c.turns = append(c.turns, t)
	c.replies[id] = t
	return t
}

// latestReply returns the last entry if it is a reply. Otherwise it returns nil.
func (c *conversation) latestReply() *turn {
	if n := len(c.turns); n > 0 && c.turns[n-1].speaker == history.AI {
		return c.turns[n-1]
	}
	return nil
}

func (c *conversation) text(t *turn, text string) { c.add(t, text, &history.Text{Text: text}) }

func (c *conversation) thought(t *turn, text string) {
	c.add(t, text, &history.Thinking{Thought: text})
}

// add adds a block to t, unless its text is empty.
func (c *conversation) add(t *turn, text string, block history.Block) {
	if text != "" {
		t.blocks = append(t.blocks, block)
		c.size += len(text)
	}
}

// call adds a tool call to a reply. A second call with a known id is the same call, recorded again.
func (c *conversation) call(t *turn, id, name string, parameters json.RawMessage) {
	if id == "" || c.calls[id] != nil {
		return
	}
	if len(parameters) == 0 {
		parameters = json.RawMessage("{}")
	}
	name = cmp.Or(c.names[name], name)
	c.calls[id], c.tools[id] = t, name
	t.blocks = append(t.blocks, &history.ToolCall{ID: id, Name: name, Parameters: parameters})
	c.size += len(parameters)
}

// A block is a part of a message in the form of Claude Code and pi. For other programs only its text is
// used.
type block struct {
	Type      string                     `json:"type"`
	Text      string                     `json:"text"`
	Thinking  string                     `json:"thinking"`
	ID        string                     `json:"id"`
	Name      string                     `json:"name"`
	Input     json.RawMessage            `json:"input"`
	Arguments map[string]json.RawMessage `json:"arguments"`
	ToolUseID string                     `json:"tool_use_id"`
	Content   json.RawMessage            `json:"content"`
	IsError   bool                       `json:"is_error"`
	ToolName  string                     `json:"tool_name"`
}

// blocksOf parses content that is a text or a list of blocks. It returns nil for anything else.
func blocksOf(raw json.RawMessage) []block {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var blocks []block
	_ = json.Unmarshal(raw, &blocks) // other content has no blocks
	return blocks
}

// textOf joins the texts of blocks, one per line.
func textOf(blocks []block) string {
	var texts []string
	for _, b := range blocks {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// An answer is the result of a call.
type answer struct {
	call   string
	text   string
	failed bool
	// exit is the exit status of a command, or nil if unknown.
	exit *int
	at   time.Time
}

// answer adds the answer to a call. An answer to an unknown call is ignored.
func (c *conversation) answer(a answer) {
	t := c.calls[a.call]
	if t == nil {
		return
	}
	name := c.tools[a.call]
	response := &history.ToolResponse{CallID: a.call, ToolName: name, Result: history.TextResult(a.text), ExitCode: a.exit}
	if a.failed || a.exit != nil && *a.exit != 0 {
		response.Error = lines.TrimPartialRune(a.text[:min(len(a.text), 200)])
		if response.Error == "" {
			response.Error = "failed"
		}
	}
	if name == shellTool && response.ExitCode == nil {
		response.ExitCode = exitStatus(a.text, a.failed)
	}
	if t.answers == nil {
		t.answers = &turn{speaker: history.Tool}
	}
	t.answers.blocks = append(t.answers.blocks, response)
	t.answers.at = a.at
	c.size += len(a.text)
}

// end passes on the span and begins the next one.
func (c *conversation) end() error {
	s := Span{Agent: c.agent, Of: c.of, Project: c.project, Model: mostFrequent(c.models)}
	for _, t := range c.pairedEntries() {
		entry := history.New(t.speaker, t.blocks...)
		if !t.at.IsZero() {
			entry = WithTime(entry, t.at)
			s.Latest = later(s.Latest, t.at)
		}
		s.Entries = append(s.Entries, entry)
	}
	replies := len(c.replies)
	c.reset()
	if replies == 0 {
		return nil
	}
	return c.use(s)
}

// pairedEntries returns the entries in order. It keeps only calls that were answered, and their answers.
func (c *conversation) pairedEntries() []*turn {
	var turns []*turn
	for _, t := range c.turns {
		if t.speaker == history.AI {
			t.blocks = answeredBlocks(t)
		}
		if len(t.blocks) > 0 || t.speaker == history.AI {
			turns = append(turns, t)
		}
		if t.answers != nil {
			turns = append(turns, t.answers)
		}
	}
	return turns
}

// answeredBlocks returns the blocks of a reply without unanswered calls. If nothing else remains, it
// keeps the calls, so that the reply's request counts.
func answeredBlocks(t *turn) []history.Block {
	done := map[string]bool{}
	if t.answers != nil {
		for _, b := range t.answers.blocks {
			done[b.(*history.ToolResponse).CallID] = true
		}
	}
	var blocks []history.Block
	for _, b := range t.blocks {
		if call, ok := b.(*history.ToolCall); !ok || done[call.ID] {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return t.blocks
	}
	return blocks
}

// mostFrequent returns the name with the highest count, and the alphabetically first of equal counts.
func mostFrequent(counts map[string]int) string {
	best := ""
	for name, n := range counts {
		if name != "" && (best == "" || n > counts[best] || n == counts[best] && name < best) {
			best = name
		}
	}
	return best
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// shellTool is the name of the shell tool in every span.
const shellTool = "run_shell_command"

var exitPattern = lazyregexp.New(`(?:[Ee]xit code:?|exited with code|exit status)\s*:?\s*(-?\d+)`)

// exitStatus parses the exit status of a command from its answer. Programs write the status at the
// beginning or at the end.
func exitStatus(text string, failed bool) *int {
	const looked = 400
	near := text
	if len(text) > 2*looked {
		near = text[:looked] + "\n" + text[len(text)-looked:]
	}
	status := 0
	if m := exitPattern.FindStringSubmatch(near); m != nil {
		status, _ = strconv.Atoi(m[1])
	} else if failed {
		status = 1
	}
	return &status
}
