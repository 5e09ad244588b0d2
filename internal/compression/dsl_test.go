package compression

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"agent/internal/history"
	"agent/internal/toolspec"

	"pgregory.net/rapid"
)

// H, A and T make entries, and text, call and res make blocks, like the notation of the scenario
// tables. read, write and ran return an AI entry with one call and the tool entry with its
// response.

func H(blocks ...any) *history.Content { return history.New(history.Human, asBlocks(blocks)...) }
func A(blocks ...any) *history.Content { return history.New(history.AI, asBlocks(blocks)...) }
func T(blocks ...any) *history.Content { return history.New(history.Tool, asBlocks(blocks)...) }

// asBlocks converts strings to text blocks.
func asBlocks(parts []any) []history.Block {
	blocks := make([]history.Block, len(parts))
	for i, part := range parts {
		switch p := part.(type) {
		case string:
			blocks[i] = (&history.Text{Text: p}).Imported()
		case history.Block:
			blocks[i] = p
		default:
			panic(fmt.Sprintf("not a block: %T", part))
		}
	}
	return blocks
}

// call returns a call with the given JSON parameters. If parameters is not JSON, it becomes
// file_path.
func call(id, name, parameters string) *history.ToolCall {
	raw := json.RawMessage(parameters)
	if !json.Valid(raw) {
		raw, _ = json.Marshal(map[string]string{"file_path": parameters})
	}
	return &history.ToolCall{ID: id, Name: name, Parameters: raw}
}

func res(id, tool, result string) *history.ToolResponse {
	return &history.ToolResponse{CallID: id, ToolName: tool, Result: history.TextResult(result)}
}

// long returns a result that starts with text and is longer than the placeholder.
func long(text string) string { return text + strings.Repeat(" -", 30) }

func failed(id, tool, problem string) *history.ToolResponse {
	return &history.ToolResponse{CallID: id, ToolName: tool, Result: history.TextResult(long("partial")), Error: problem}
}

func exited(id, tool, result string, code int) *history.ToolResponse {
	r := res(id, tool, result)
	r.ExitCode = &code
	return r
}

// inc returns an inclusion as text. For structured inclusions see history.NewInclusion.
func inc(path, content string) string {
	return "--- " + path + " ---\n" + content + "\n--- End of content ---\n"
}

var lastID atomic.Int64

// ran returns a call of tool and its result.
func ran(tool, parameters, result string) []*history.Content {
	id := "auto" + strconv.FormatInt(lastID.Add(1), 10)
	return []*history.Content{A(call(id, tool, parameters)), T(res(id, tool, result))}
}

func read(path string) []*history.Content  { return ran("read_file", path, "content of "+path) }
func write(path string) []*history.Content { return ran("write_file", path, "written") }

// conv joins entries and pairs of entries.
func conv(parts ...any) []*history.Content {
	entries := []*history.Content{}
	for _, part := range parts {
		switch p := part.(type) {
		case *history.Content:
			entries = append(entries, p)
		case []*history.Content:
			entries = append(entries, p...)
		default:
			panic(fmt.Sprintf("not an entry: %T", part))
		}
	}
	return entries
}

// show returns an entry in the notation of the tables.
func show(c *history.Content) string {
	parts := make([]string, len(c.Blocks))
	for i, block := range c.Blocks {
		switch b := block.(type) {
		case *history.Text:
			parts[i] = strconv.Quote(b.Text)
		case *history.Thinking:
			parts[i] = "thinking"
		case *history.ToolCall:
			parts[i] = b.ID + ":" + b.Name
		case *history.ToolResponse:
			parts[i] = "r" + b.CallID + "=" + strconv.Quote(b.Result.Text())
			if b.Error != "" {
				parts[i] += "!" + b.Error
			}
		case *history.Media:
			parts[i] = "media"
		}
	}
	return strings.ToUpper(string(c.Speaker[:1])) + "{" + strings.Join(parts, ", ") + "}"
}

func showAll(entries []*history.Content) string {
	lines := make([]string, len(entries))
	for i, c := range entries {
		lines[i] = fmt.Sprintf("%d %s", i, show(c))
	}
	return strings.Join(lines, "\n")
}

// truncatingStrategies are the strategies that drop old entries. Tests of every strategy use strategies.
var truncatingStrategies = []Strategy{highDensity{}, topDown{}}

// asJSON returns a snapshot, which shows whether a value has changed.
func asJSON(tb rapid.TB, v any) string {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// testFacts returns the facts of REQ-HD-005.2 and REQ-HD-005.3, and keys for some other tools.
func testFacts(tool string) toolspec.Traits {
	switch tool {
	case "read_file", "read_line_range", "ast_read_file":
		return toolspec.Traits{Reads: true, File: toolspec.FileNames, Key: "file_path"}
	case "read_many_files":
		return toolspec.Traits{Reads: true, Files: []string{"paths"}, Key: "paths"}
	case "write_file", "ast_edit", "replace", "insert_at_line", "delete_line_range":
		return toolspec.Traits{Edits: true, File: toolspec.FileNames, Key: "file_path"}
	case "apply_patch":
		return toolspec.Traits{Edits: true, Density: toolspec.Density{Patch: []string{"input"}}}
	case "run_shell_command":
		return toolspec.Traits{Runs: true, Key: "command"}
	case "task":
		return toolspec.Traits{Reads: true, Density: toolspec.Density{Reports: true}}
	case "grep", "glob":
		return toolspec.Traits{Reads: true, Key: "pattern"}
	default:
		return toolspec.Traits{}
	}
}

// defaults returns the settings that the tables assume.
func defaults() DensityConfig {
	return withSwitches(math.NaN(), "readWritePruning", "fileDedupe")
}

func recency(retention float64) DensityConfig {
	return withSwitches(retention, "readWritePruning", "fileDedupe", "recencyPruning")
}

// withSwitches returns a configuration with exactly these switches on.
func withSwitches(retention float64, on ...string) DensityConfig {
	config := DensityConfig{
		Switches:      make(map[string]bool),
		Numbers:       map[string]float64{"recencyRetention": retention},
		WorkspaceRoot: "/w",
		Facts:         testFacts,
	}
	for _, name := range on {
		config.Switches[name] = true
	}
	return config
}

// md returns counts in the order of the tables: stale reads, duplicate files, old results.
func md(c history.PruneCounts) [3]int {
	return [3]int{c.CountOf("stale-read"), c.CountOf("duplicate-file"), c.CountOf("old-result")}
}

// charCounter counts one token for each byte, which is additive and easy to follow.
type charCounter struct{}

func (charCounter) Count(text string) int { return len(text) }

func serviceOf(tb rapid.TB, entries []*history.Content) *history.Service {
	tb.Helper()
	s := history.NewService(charCounter{}, nil)
	if err := s.Restore(entries); err != nil {
		tb.Fatal(err)
	}
	return s
}

// contextOf returns the input of a compression of entries with the default thresholds.
func contextOf(tb rapid.TB, limit int, entries []*history.Content) Context {
	tb.Helper()
	s := serviceOf(tb, entries)
	c := Context{
		History:           entries,
		Count:             s.CountContent,
		ContextLimit:      limit,
		Threshold:         0.85,
		PreserveThreshold: 0.2,
		Facts:             testFacts,

		TopPreserveThreshold: 0.2,
		Summarizer:           answeringModel("<state_snapshot>short</state_snapshot>"),
	}
	for _, entry := range entries {
		c.Tokens = append(c.Tokens, s.CountContent(entry))
	}
	return c
}

// elsewhere returns a conversation that was resumed in another workspace.
func elsewhere(root string, before, after []*history.Content) []*history.Content {
	entries := before
	for _, entry := range after {
		entries = append(entries, entry.WithMeta(history.MetaWorkspace, root))
	}
	return entries
}
