package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// TestAFileTenTimesTheWindow_D41 uses the real tools. A model that follows their notes reads a file
// of ten times the context window, piece by piece to its end. Every request fits, through
// compression alone.
func TestAFileTenTimesTheWindow_D41(t *testing.T) {
	t.Parallel()
	counter := letters{}
	for _, window := range few([]int{4096, 16_000}) {
		t.Run(strconv.Itoa(window), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			place, err := workspace.New(dir, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var file strings.Builder
			lines := 0
			for ; counter.Count(file.String()) < 10*window; lines += 500 {
				for i := range 500 {
					fmt.Fprintf(&file, "%d: something that this line says\n", lines+i+1)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "big.txt"), []byte(file.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			b := newBench(t)
			b.Chat.config.Tools = tools.NewRegistry(defaultTools()...)
			b.Chat.config.Env = &tools.Env{Workspace: place, Seen: tools.NewSeenFiles()}
			b.config.Counter = func(string) history.Counter { return counter }
			b.renew()
			b.set("context-limit", strconv.Itoa(window))
			shown := make(map[string]bool)
			b.model.next = func(int) answerFunc { return readOn(shown) }
			out, err := b.prompt("read big.txt to its end")
			if err != nil || out.Response != "read" {
				t.Fatalf("%+v, %v", out, err)
			}
			if len(shown) != lines {
				t.Errorf("the model has seen %d of %d lines in %d requests", len(shown), lines, out.Requests)
			}
			reserve, err := b.window.Limits.Reserve()
			if err != nil {
				t.Fatal(err)
			}
			for n, r := range b.model.requests {
				if total := b.overhead() + size(b, r) + reserve; total > window {
					t.Errorf("request %d takes %d tokens with the reserve", n, total)
				}
			}
			for _, c := range seen[Compressed](b) {
				if strings.HasPrefix(c.Reason, "context limit") {
					t.Errorf("the fallback steps had to help: %v", c)
				}
			}
		})
	}
}

var (
	numberedLine = regexp.MustCompile(`(?m)^(\d+): something`)
	readingOn    = regexp.MustCompile(`read on with offset (\d+)`)
)

// readOn returns a model that reads the next piece as long as a note tells it to. It records the
// lines that it received.
func readOn(shown map[string]bool) answerFunc {
	return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		last := req.History[len(req.History)-1]
		offset := "1"
		if response, ok := last.Blocks[0].(*history.ToolResponse); ok {
			text := response.Result.Text()
			for _, m := range numberedLine.FindAllStringSubmatch(text, -1) {
				shown[m[1]] = true
			}
			next := readingOn.FindStringSubmatch(text)
			if next == nil {
				say("read")(ctx, req, yield)
				return
			}
			offset = next[1]
		}
		calls("read_file", fmt.Sprintf(`{"file_path":"big.txt","offset":%s}`, offset))(ctx, req, yield)
	}
}
