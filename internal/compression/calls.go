package compression

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/toolspec"
)

// maxKeyLength limits a call's key parameter when shown (D-26), in characters.
const maxKeyLength = 80

// keyValue returns the value of a call's key parameter on one line, cut to maxKeyLength characters. It
// returns "" if the call has no key parameter, or is nil.
func (f TraitsLookup) keyValue(call *history.ToolCall) string {
	if call == nil {
		return ""
	}
	facts := f.of(call.Name)
	naming := facts
	if !facts.WritesFile() && !facts.ShowsFile() {
		naming = toolspec.Traits{}
		if facts.Key == "" {
			naming.File = toolspec.FileNames // a tool without declarations may still name a file
		}
	}
	if files := naming.FilesOf(call); len(files) > 0 {
		return humanize.Line(strings.Join(files, ", "), maxKeyLength)
	}
	keys := usualKeys[:]
	if facts.Key != "" {
		keys = []string{facts.Key}
	}
	for _, key := range keys {
		if v, _ := call.Arg(key); v != nil && v != "" {
			return humanize.Line(valueText(v), maxKeyLength)
		}
	}
	if facts.Key != "" {
		return humanize.Line(scalars(call), maxKeyLength)
	}
	return ""
}

// maxScalars limits the size of the parameters that scalars parses, in bytes.
const maxScalars = 1000

// scalars returns the texts and numbers of a call, in the order of its parameters' names. They
// distinguish calls without a key parameter, such as "tail 2" of a shell's background jobs.
func scalars(call *history.ToolCall) string {
	if len(call.Parameters) > maxScalars {
		return ""
	}
	parameters := call.Arguments().Map()
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		switch v := parameters[name].(type) {
		case string, float64:
			texts = append(texts, valueText(v))
		}
	}
	return strings.Join(texts, " ")
}

// usualKeys lists the parameters that, besides a path, distinguish the calls of most tools. They are
// used for tools without declarations, such as the tools in another program's recording (D-26).
var usualKeys = [...]string{"command", "pattern", "url"}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = valueText(item)
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		data, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(data)
	default:
		return fmt.Sprint(v)
	}
}

// A FilePart is a part of a conversation about one file: a call that names the file together with its
// results, or an inclusion of the file.
type FilePart struct {
	// Path is absolute.
	Path string
	// Call is the call, or nil for an inclusion.
	Call *history.ToolCall
	// Answers contains the positions of the call's results, and Blocks the positions of all blocks of
	// the part.
	Answers []history.Ref
	Blocks  []history.Block
}

// Parts lists the parts of a conversation that are about files, in order. A call that names
// several files has a part for each.
func Parts(entries []*history.Content, config DensityConfig) []FilePart {
	byCall := make(map[history.Ref]history.Pair)
	for _, pair := range history.PairCalls(entries).Pairs {
		byCall[pair.At] = pair
	}
	var parts []FilePart
	for i, entry := range entries {
		for j, block := range entry.Blocks {
			switch b := block.(type) {
			case *history.ToolCall:
				pair := byCall[history.Ref{Entry: i, Block: j}]
				blocks := []history.Block{b}
				for _, at := range pair.Responses {
					blocks = append(blocks, entries[at.Entry].Blocks[at.Block])
				}
				for _, p := range namedFiles(b, config.Facts) {
					parts = append(parts, FilePart{Path: fileKey(entry, config.WorkspaceRoot, p), Call: b, Answers: pair.Responses, Blocks: blocks})
				}
			case *history.Text:
				if entry.Speaker != history.Human {
					continue
				}
				for _, inclusion := range history.Inclusions(b) {
					parts = append(parts, FilePart{Path: fileKey(entry, config.WorkspaceRoot, inclusion.Path), Blocks: []history.Block{b}})
				}
			}
		}
	}
	return parts
}

// namedFiles returns the files that a call names, as the model wrote them.
func namedFiles(call *history.ToolCall, facts TraitsLookup) []string {
	declared := facts.of(call.Name)
	switch {
	case declared.ShowsFiles():
		paths, _ := listedFiles(call, declared)
		return paths
	case declared.WritesFile(), declared.ShowsFile():
		return declared.FilesOf(call)
	}
	return nil
}
