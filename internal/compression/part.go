package compression

import (
	"agent/internal/history"
)

// Part is what a conversation holds of a file: a call that names it with the answers, or
// a file that was included.
type Part struct {
	// Path is absolute.
	Path string
	// Entry is where it is, Call the call, nil for what was included.
	Entry int
	Call  *history.ToolCall
	// Answers are those to the call, and Blocks all that it consists of.
	Answers []history.Ref
	Blocks  []history.Block
}

// Parts lists what a conversation holds of files, in its order. A call that names
// several has a part for each.
func Parts(entries []*history.Content, config DensityConfig) []Part {
	files := newResolver(config.WorkspaceRoot)
	byCall := make(map[history.Ref]history.Pair)
	for _, pair := range history.PairCalls(entries).Pairs {
		byCall[pair.At] = pair
	}
	var parts []Part
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
					parts = append(parts, Part{Path: files.key(entry, p), Entry: i, Call: b, Answers: pair.Responses, Blocks: blocks})
				}
			case *history.Text:
				if entry.Speaker != history.Human {
					continue
				}
				for _, inclusion := range history.Inclusions(b) {
					parts = append(parts, Part{Path: files.key(entry, inclusion.Path), Entry: i, Blocks: []history.Block{b}})
				}
			}
		}
	}
	return parts
}

// namedFiles are the files that a call names, as the model wrote them.
func namedFiles(call *history.ToolCall, facts Facts) []string {
	declared := facts.of(call.Name)
	switch {
	case declared.ShowsFiles():
		paths, _ := manyPaths(call)
		return paths
	case declared.WritesFile():
		return writtenPaths(call, declared)
	case declared.ShowsFile():
		if p := filePath(call); p != "" {
			return []string{p}
		}
	}
	return nil
}
