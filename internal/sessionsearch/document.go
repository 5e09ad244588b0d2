package sessionsearch

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"agent/internal/base/secret"
	"agent/internal/history"
	"agent/internal/text/lines"
	"agent/internal/toolspec"
)

// The kinds of documents.
const (
	KindMessage = "message"
	KindReply   = "reply"
	KindCall    = "call"
	KindResult  = "result"
)

// longestArgument limits the part of an argument that is searched, in bytes. Command lines, paths and
// patterns are shorter. The content of a file is longer, and only its beginning is searched.
const longestArgument = 1024

// A document is the searchable text of an entry.
type document struct {
	kind string
	at   time.Time
	// tools and paths belong to the calls in the entry, or to the calls that it answers.
	tools, paths []string
	text         string
}

// A reader turns entries of a log into documents. It stores the calls of the latest reply, whose paths also
// belong to the answers of these calls.
type reader struct {
	traits func(tool string) toolspec.Traits
	calls  map[string]*history.ToolCall
}

// document returns the document of an entry. ok is false if there is nothing to search.
func (r *reader) document(entry *history.Content, at time.Time) (d document, ok bool) {
	d.at, d.kind = at, map[history.Speaker]string{history.Human: KindMessage, history.AI: KindCall, history.Tool: KindResult}[entry.Speaker]
	if entry.Speaker == history.AI || r.calls == nil {
		r.calls = map[string]*history.ToolCall{}
	}
	var parts []string
	for _, block := range r.ownBlocks(entry.Blocks) {
		switch b := block.(type) {
		case *history.Text:
			if parts = append(parts, b.Text); entry.Speaker == history.AI && strings.TrimSpace(b.Text) != "" {
				d.kind = KindReply
			}
		case *history.ToolCall:
			parts = append(parts, b.Name+" "+strings.Join(arguments(b.Parameters), "\n"))
			r.calls[b.ID] = b
			d.called(b.Name, r.traits(b.Name), b.Arguments())
		case *history.ToolResponse:
			parts = append(parts, b.Result.Text(), b.Error)
			if call := r.calls[b.CallID]; call != nil {
				d.called(call.Name, r.traits(call.Name), call.Arguments())
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	d.text = secret.Redact(strings.Join(parts, "\n"))
	return d, d.text != "" && d.kind != ""
}

// ownBlocks returns the blocks, except content that was fetched from records. A search finds that content
// where it was first recorded.
func (r *reader) ownBlocks(blocks []history.Block) []history.Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(block history.Block) bool {
		switch b := block.(type) {
		case *history.ToolCall:
			return r.traits(b.Name).NeedsRecord
		case *history.ToolResponse:
			return r.traits(b.ToolName).NeedsRecord
		}
		return false
	})
}

func (d *document) called(name string, does toolspec.Traits, call toolspec.Arguments) {
	d.tools = append(d.tools, strings.ToLower(name))
	for _, file := range does.FilesOf(call) {
		d.paths = append(d.paths, strings.Trim(strings.ToLower(strings.ReplaceAll(file, `\`, "/")), "/"))
	}
}

// arguments returns the texts in the arguments of a call, in order.
func arguments(raw json.RawMessage) (texts []string) {
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	type level struct{ object, key bool }
	var open []level
	for {
		token, err := decoder.Token()
		if err != nil {
			return texts
		}
		if mark, ok := token.(json.Delim); ok && (mark == '}' || mark == ']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 && open[n-1].object {
			if open[n-1].key = !open[n-1].key; open[n-1].key {
				continue // the text is a member name
			}
		}
		switch value := token.(type) {
		case json.Delim:
			open = append(open, level{object: value == '{'})
		case string:
			texts = append(texts, lines.TrimPartialRune(value[:min(len(value), longestArgument)]))
		}
	}
}
