package offline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// made is a generated coding session that is always the same. It reads and edits files, runs tests
// and searches, and has a few messages of the user.
type made struct {
	entries []*history.Content
	calls   int
}

func (m *made) say(text string) { m.entries = append(m.entries, history.HumanText(text)) }

func (m *made) call(tool string, parameters map[string]any, answer string) {
	m.calls++
	id := fmt.Sprint("call", m.calls)
	data, err := json.Marshal(parameters)
	if err != nil {
		panic(err)
	}
	m.entries = append(m.entries,
		history.New(history.AI, &history.ToolCall{ID: id, Name: tool, Parameters: data}),
		history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: tool, Result: history.TextResult(answer)}))
}

// lines returns lines of source with unique names.
func lines(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func %s%d(in input) (output, error) { return convert%d(in, limit_%d) }\n", name, i, i%7, i%11)
	}
	return b.String()
}

func madeSession() []*history.Content {
	m := &made{}
	files := map[string]string{}
	for task := range 10 {
		name := fmt.Sprintf("part%d.go", task)
		files[name] = lines(fmt.Sprint("Part", task, "Step"), 110)
		m.say(fmt.Sprintf("Now make %s take a limit, and see that the tests pass.", name))
		m.call("search_file_content", map[string]any{"pattern": fmt.Sprint("limit_", task)}, lines(fmt.Sprint("Hit", task), 40))
		m.call("read_file", map[string]any{"file_path": name}, files[name])
		m.call("read_file", map[string]any{"file_path": fmt.Sprintf("test%d.go", task)}, lines(fmt.Sprint("Test", task), 70))
		for step := range 6 {
			before := strings.SplitAfter(files[name], "\n")[step*9]
			after := strings.Replace(before, "input)", "input, most int)", 1)
			files[name] = strings.Replace(files[name], before, after, 1)
			m.call("replace", map[string]any{"file_path": name, "old_string": before, "new_string": after}, "1 replacement. The changed lines now:\n"+after)
			m.call("run_shell_command", map[string]any{"command": "go test ./..."}, lines(fmt.Sprint("Out", task, "n", step), 25))
		}
		m.entries = append(m.entries, history.New(history.AI, &history.Text{Text: "Done: it takes a limit now."}))
	}
	return m.entries
}

// TestPicture compares docs/density.svg with the result of a replay of the generated session. With
// UPDATE=1 it writes the file.
func TestPicture(t *testing.T) {
	t.Parallel()
	in := Input{Name: "made", WorkspaceRoot: "/w", Said: saidOnce(madeSession())}
	report, err := Replay(t.Context(), in, withRecency(), func() (*Engine, error) {
		e := newEngine(t)
		e.Counter = func(string) history.Counter { return quarters{} }
		return e, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	picture := draw(report)
	file := filepath.Join("..", "..", "docs", "density.svg")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil || string(kept) != picture {
		t.Errorf("the picture is not what a replay gives (%v); draw it with UPDATE=1 go test ./internal/offline -run TestPicture", err)
	}
}

// quarters counts one token for every four bytes, so that the picture does not depend on a
// vocabulary.
type quarters struct{}

func (quarters) Count(text string) int { return (len(text) + 3) / 4 }

const (
	pictureWidth, pictureHeight = 760, 520
	panelLeft, panelWidth       = 70, 520
	panelHeight                 = 190
)

// variantColors maps the variants to colors that are readable on white and on black.
var variantColors = []struct{ name, color string }{
	{"none", "#888888"},
	{"high-density", "#d9822b"},
	{"high-density, recency 3", "#c23b8f"},
	{"cache-aware", "#2f8f4e"},
}

// draw returns the picture: the size of each request at the top, and the cost so far at the bottom.
func draw(r *Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" fill="#777777">`+"\n", pictureWidth, pictureHeight)
	size := func(s SentRequest) float64 { return float64(s.Tokens) }
	price := PriceModels()[0]
	panel(&b, r, 40, "size of the request, tokens", size, false)
	panel(&b, r, 300, "spent so far, "+price.Name, price.units, true)
	b.WriteString("</svg>\n")
	return b.String()
}

func panel(b *strings.Builder, r *Report, top int, title string, value func(SentRequest) float64, add bool) {
	curves, most := map[string][]float64{}, 0.0
	for _, v := range r.Variants {
		sum := 0.0
		for _, s := range v.Cost[0].Sent {
			y := value(s)
			if sum += y; add {
				y = sum
			}
			curves[v.Name] = append(curves[v.Name], y)
		}
	}
	for _, c := range variantColors {
		most = max(most, slices.Max(curves[c.name]))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", panelLeft, top-12, title)
	fmt.Fprintf(b, `<path d="M%d %d v%d h%d" fill="none" stroke="#777777"/>`+"\n", panelLeft, top, panelHeight, panelWidth)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%.0fk</text>`+"\n", panelLeft-6, top+10, most/1000)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%d requests</text>`+"\n", panelLeft+panelWidth, top+panelHeight+18, len(curves["none"]))
	for i, c := range variantColors {
		curve := curves[c.name]
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2" points="`, c.color)
		for x, y := range curve {
			fmt.Fprintf(b, "%.1f,%.1f ", panelLeft+panelWidth*float64(x)/float64(len(curve)), float64(top)+panelHeight*(1-y/most))
		}
		b.WriteString("\"/>\n")
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", panelLeft+panelWidth+10, top+20+20*i, c.color, c.name)
	}
}
