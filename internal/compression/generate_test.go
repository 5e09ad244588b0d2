package compression

import (
	"fmt"
	"strings"

	"agent/internal/history"

	"pgregory.net/rapid"
)

// Few IDs, files and tools, so that they collide often.
var (
	genIDs   = []string{"1", "2", "3"}
	genPaths = []string{"a", "/w/a", "./b", "/w/b", "/w/x/../c", "d e"}
	genTools = []string{"read_file", "read_line_range", "read_many_files", "write_file", "replace", "ast_edit", "grep", "run_shell_command", "unknown"}
)

func pick[T any](t *rapid.T, from []T) T { return rapid.SampledFrom(from).Draw(t, "pick") }

func chance(t *rapid.T, percent int) bool { return rapid.IntRange(0, 99).Draw(t, "chance") < percent }

func genParameters(t *rapid.T, tool string) string {
	if chance(t, 10) {
		return pick(t, []string{`null`, `"a"`, `[]`, `{}`, `{"file_path":""}`, `{"file_path":5,"path":"a"}`})
	}
	path := pick(t, genPaths)
	switch {
	case tool == "read_many_files":
		return fmt.Sprintf(`{"paths":[%q,%q]}`, path, pick(t, append([]string{"*.go", "b"}, genPaths...)))
	case tool == "ast_edit" && chance(t, 50):
		return fmt.Sprintf(`{"file_path":%q,"preview":true}`, path)
	default:
		return fmt.Sprintf(`{%q:%q}`, pick(t, []string{"file_path", "absolute_path", "path"}), path)
	}
}

func genCall(t *rapid.T, id string) *history.ToolCall {
	tool := pick(t, genTools)
	return call(id, tool, genParameters(t, tool))
}

func genResponse(t *rapid.T, id, tool string) *history.ToolResponse {
	size := pick(t, []int{0, 3, 100, 400, 5000})
	r := res(id, tool, strings.Repeat(pick(t, []string{"x", "é\n", "line of text\n"}), size/3))
	switch rapid.IntRange(0, 9).Draw(t, "response") {
	case 0:
		r.Error = "failed"
	case 1:
		r.Error = strings.Repeat("long error ", 60)
	case 2:
		r.Result = history.TextResult(PrunedPlaceholder)
	case 3:
		one := 1
		r.ExitCode = &one
	}
	return r
}

// genText returns a message of random lines: words, inclusions, nested inclusions, and stray
// markers.
func genText(t *rapid.T) *history.Text {
	if chance(t, 20) {
		return history.NewInclusion(pick(t, genPaths), pick(t, []string{"x", "", inc("a", "y"), "--- End of content ---"}))
	}
	var b strings.Builder
	for range rapid.IntRange(0, 5).Draw(t, "lines") {
		switch rapid.IntRange(0, 6).Draw(t, "line") {
		case 0:
			b.WriteString("--- " + pick(t, genPaths) + " ---\n")
		case 1:
			b.WriteString("--- End of content ---\n")
		case 2:
			b.WriteString(pick(t, []string{"\n", " ", "\r\n"}))
		case 3:
			b.WriteString("words\n")
		default:
			b.WriteString(inc(pick(t, genPaths), "content\n"))
		}
	}
	if chance(t, 50) {
		b.WriteString("end")
	}
	return (&history.Text{Text: b.String()}).Imported()
}

// genAny returns an adversarial history: entries of any speaker with any blocks.
func genAny(t *rapid.T) []*history.Content {
	entries := make([]*history.Content, rapid.IntRange(0, 25).Draw(t, "entries"))
	for i := range entries {
		blocks := make([]history.Block, rapid.IntRange(0, 4).Draw(t, "blocks"))
		for j := range blocks {
			switch rapid.IntRange(0, 6).Draw(t, "block") {
			case 0:
				blocks[j] = &history.Thinking{Thought: "hm"}
			case 1, 2:
				blocks[j] = genText(t)
			case 3, 4:
				blocks[j] = genCall(t, pick(t, genIDs))
			case 5:
				blocks[j] = genResponse(t, pick(t, genIDs), pick(t, genTools))
			default:
				blocks[j] = &history.Media{MimeType: "image/png", Data: "AA"}
			}
		}
		entries[i] = history.New(pick(t, []history.Speaker{history.Human, history.AI, history.Tool}), blocks...)
		if chance(t, 20) {
			entries[i] = entries[i].WithMeta("note", "kept")
		}
	}
	return entries
}

// genValid returns a history that may be sent: turns with a message and a tool loop.
func genValid(t *rapid.T) []*history.Content {
	var entries []*history.Content
	for range rapid.IntRange(1, 6).Draw(t, "turns") {
		entries = append(entries, H("ask "+strings.Repeat("w", pick(t, []int{0, 20, 300})), genText(t)))
		for range rapid.IntRange(0, 4).Draw(t, "rounds") {
			entries = append(entries, genRound(t)...)
		}
		if chance(t, 70) {
			entries = append(entries, A("answer", &history.Thinking{Thought: "hm"}))
		}
	}
	if chance(t, 10) {
		entries = append([]*history.Content{newMarker(3)}, entries...)
	}
	return entries
}

// genRound returns an AI entry with calls, answered in one or several tool entries.
func genRound(t *rapid.T) []*history.Content {
	ids := genIDs[:rapid.IntRange(1, len(genIDs)).Draw(t, "calls")]
	ask, answers := A(), []*history.Content{T()}
	if chance(t, 30) {
		ask.Blocks = append(ask.Blocks, &history.Text{Text: pick(t, []string{"let me see", " "})})
	}
	for _, id := range ids {
		made := genCall(t, id)
		ask.Blocks = append(ask.Blocks, made)
		last := answers[len(answers)-1]
		if len(last.Blocks) > 0 && chance(t, 50) {
			last = T()
			answers = append(answers, last)
		}
		last.Blocks = append(last.Blocks, genResponse(t, id, made.Name))
		if chance(t, 20) {
			last.Blocks = append(last.Blocks, &history.Media{MimeType: "image/png", Data: "AA"})
		}
	}
	return append([]*history.Content{ask}, answers...)
}

// genHistory returns any history, valid or not.
func genHistory(t *rapid.T) []*history.Content {
	if chance(t, 50) {
		return genValid(t)
	}
	return genAny(t)
}

func genConfig(t *rapid.T) DensityConfig {
	var on []string
	for _, name := range []string{"readWritePruning", "fileDedupe", "recencyPruning"} {
		if chance(t, 75) {
			on = append(on, name)
		}
	}
	return withSwitches(pick(t, []float64{0, 1, 2.5, 3}), on...)
}
