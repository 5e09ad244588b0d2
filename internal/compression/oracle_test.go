package compression

import (
	"path"
	"strings"

	"agent/internal/history"
)

// The functions below implement the rules of density again, as simply as possible and in quadratic
// time. Tests compare the phases with them.

// plainResponses returns the responses of the call at c: the ones after it with its ID, up to the
// next call with that ID.
func plainResponses(entries []*history.Content, c history.Ref) []history.Ref {
	id := entries[c.Entry].Blocks[c.Block].(*history.ToolCall).ID
	var refs []history.Ref
	for i := c.Entry; i < len(entries); i++ {
		for j, block := range entries[i].Blocks {
			if i == c.Entry && j <= c.Block {
				continue
			}
			if other, ok := block.(*history.ToolCall); ok && other.ID == id {
				return refs
			}
			if r, ok := block.(*history.ToolResponse); ok && r.CallID == id {
				refs = append(refs, history.Ref{Entry: i, Block: j})
			}
		}
	}
	return refs
}

// plainFile returns the file in a parameter of a call, or "" if there is none.
func plainFile(c *history.ToolCall) string {
	for _, name := range []string{"file_path", "absolute_path", "path"} {
		if file := c.Arguments().StringArg(name); file != "" {
			return file
		}
	}
	return ""
}

func plainKey(config DensityConfig, p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(config.WorkspaceRoot, p)
}

// plainWritten reports whether the file is written successfully in an entry
// after entry.
func plainWritten(entries []*history.Content, config DensityConfig, entry int, file string) bool {
	for i := entry + 1; i < len(entries); i++ {
		for j, block := range entries[i].Blocks {
			c, ok := block.(*history.ToolCall)
			if !ok || !testFacts(c.Name).WritesFile() || isPreview(c) || plainFile(c) == "" || plainKey(config, plainFile(c)) != plainKey(config, file) {
				continue
			}
			responses := plainResponses(entries, history.Ref{Entry: i, Block: j})
			succeeded := len(responses) > 0
			for _, at := range responses {
				if entries[at.Entry].Blocks[at.Block].(*history.ToolResponse).Error != "" {
					succeeded = false
				}
			}
			if succeeded {
				return true
			}
		}
	}
	return false
}

// plainSeen reports whether a request has contained an entry, because a reply follows it (D-120).
func plainSeen(entries []*history.Content, entry int) bool {
	for _, later := range entries[entry+1:] {
		if later.Speaker == history.AI {
			return true
		}
	}
	return entries[entry].Speaker == history.AI
}

// plainStale returns the blocks that phase 1 must remove.
func plainStale(entries []*history.Content, config DensityConfig) map[history.Block]bool {
	stale := make(map[history.Block]bool)
	if !config.Switches["readWritePruning"] {
		return stale
	}
	for i, entry := range entries {
		for j, block := range entry.Blocks {
			c, ok := block.(*history.ToolCall)
			if !ok {
				continue
			}
			var files []string
			if facts := testFacts(c.Name); facts.ShowsFiles() {
				files, _ = listedFiles(c, facts)
			} else if facts.ShowsFile() && plainFile(c) != "" {
				files = []string{plainFile(c)}
			}
			gone := len(files) > 0
			for _, at := range plainResponses(entries, history.Ref{Entry: i, Block: j}) {
				gone = gone && plainSeen(entries, at.Entry)
			}
			for _, file := range files {
				gone = gone && plainWritten(entries, config, i, file)
			}
			if gone {
				stale[block] = true
				for _, at := range plainResponses(entries, history.Ref{Entry: i, Block: j}) {
					stale[entries[at.Entry].Blocks[at.Block]] = true
				}
			}
		}
	}
	return stale
}

// plainOld returns the responses that phase 3 must replace after phase 1.
func plainOld(entries []*history.Content, config DensityConfig, stale map[history.Block]bool) map[history.Block]bool {
	old := make(map[history.Block]bool)
	if !config.Switches["recencyPruning"] {
		return old
	}
	var results []*history.ToolResponse
	seen := make(map[*history.ToolResponse]bool)
	for i, entry := range entries {
		for _, block := range entry.Blocks {
			r, ok := block.(*history.ToolResponse)
			if ok && !stale[block] && testFacts(r.ToolName).IsRetrievable() && r.Result.Text() != PrunedPlaceholder {
				results = append(results, r)
				seen[r] = plainSeen(entries, i)
			}
		}
	}
	for i, r := range results {
		newer := 0
		for _, other := range results[i+1:] {
			if other.ToolName == r.ToolName {
				newer++
			}
		}
		text := r.Result.Text()
		worthless := strings.TrimSpace(text) == "" || len([]rune(text)) <= len([]rune(PrunedPlaceholder))
		if newer >= retention.in(config) && !worthless && seen[r] {
			old[r] = true
		}
	}
	return old
}
