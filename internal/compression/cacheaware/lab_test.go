package cacheaware

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/tokens"
)

var lab = []Price{{.1, 1.25}, {.1, 1}, {.25, 1}, {1, 1}}

func labTools(name string) Tool {
	p := []string{"file_path", "absolute_path", "path"}
	switch name {
	case "read_file":
		return Tool{Act: View, Path: p, From: "offset", Count: "limit"}
	case "read_line_range":
		return Tool{Act: View, Path: p, From: "start_line", To: "end_line"}
	case "write_file", "create_file":
		return Tool{Act: Write, Path: p, Body: "content"}
	case "replace":
		return Tool{Act: Edit, Path: p, Old: "old_string", New: "new_string"}
	case "apply_patch":
		return Tool{Act: Edit, Patch: "patch"}
	case "run_shell_command":
		return Tool{Act: Shell, Command: "command"}
	case "todo_write", "update_plan":
		return Tool{Act: Keep}
	}
	return Tool{}
}

func TestLab(t *testing.T) {
	if os.Getenv("LAB") == "" {
		t.Skip()
	}
	enc := tokens.Load(tokens.EncodingFor("gpt-4o"))
	memo := map[string]int{}
	count := func(s string) int {
		if n, ok := memo[s]; ok {
			return n
		}
		n := enc.Count(s)
		memo[s] = n
		return n
	}
	for pi, price := range lab {
		var cost, none float64
		worst := 0.0
		edits, blind := 0, 0
		files, _ := filepath.Glob(os.Getenv("LAB"))
		for _, file := range files {
			data, _ := os.ReadFile(file)
			doc, err := history.ParseDocument(data)
			if err != nil {
				t.Fatal(err)
			}
			e := New(Options{Tools: labTools, Root: doc.WorkspaceRoot, Count: count, Media: 1100})
			lastReq, lastTs := -1.0, -1.0
			w := 0.0
			fe, fb := 0, 0
			var original []*history.Content
			failed := map[string]bool{}
			for _, entry := range doc.History {
				for _, b := range entry.Blocks {
					if r, ok := b.(*history.ToolResponse); ok && r.Error != "" {
						failed[r.CallID] = true
					}
				}
			}
			for _, entry := range doc.History {
				ts := -1.0
				switch v := entry.Metadata["ts"].(type) {
				case float64:
					ts = v
				case json.Number:
					ts, _ = v.Float64()
				}
				if entry.Speaker == history.AI {
					req := lastTs
					if req < 0 {
						req = ts
					}
					m := Moment{Price: price, Head: 3000, Cold: lastReq >= 0 && req >= 0 && (req-lastReq)/1000 > 300}
					lastReq = req
					plan := e.Plan(m)
					e.Apply(plan)
					e.Sent(m)
					if e.account.none > 0 {
						w = max(w, e.account.spent/e.account.none)
					}
					for _, c := range entry.Calls() {
						if failed[c.ID] {
							continue
						}
						for _, a := range longArguments(c, labTools(c.Name)) {
							if a.part == oldText && a.text != "" {
								if labShows(original, a.text) {
									fe++
									if !labShows(e.entries, a.text) {
										fb++
										labFault(e, original, c, a.text, m)
									}
								}
							}
						}
					}
				}
				if ts >= 0 {
					lastTs = ts
				}
				e.Add(entry)
				original = append(original, entry)
			}
			if pi == 0 && os.Getenv("V") != "" {
				fmt.Printf("%s %.3f worst %.3f reqs %d edits %d blind %d\n", filepath.Base(file), e.account.spent/e.account.none, w, e.request, fe, fb)
			}
			cost += e.account.spent
			none += e.account.none
			worst = max(worst, w)
			edits += fe
			blind += fb
		}
		fmt.Printf("%v: %.3f worst %.3f edits %d blind %d\n", price, cost/none, worst, edits, blind)
	}
}

func labShows(entries []*history.Content, text string) bool {
	for i := len(entries) - 1; i >= 0; i-- {
		for _, b := range entries[i].Blocks {
			switch b := b.(type) {
			case *history.Text:
				if strings.Contains(b.Text, text) {
					return true
				}
			case *history.ToolResponse:
				if strings.Contains(withoutNumbers(b.Result.Text()), text) || strings.Contains(b.Result.Text(), text) {
					return true
				}
			case *history.ToolCall:
				for _, a := range longArguments(b, labTools(b.Name)) {
					if strings.Contains(a.text, text) {
						return true
					}
				}
			}
		}
	}
	return false
}

// labFault is the view that the model would make, and its cost.
func labFault(e *Engine, original []*history.Content, c *history.ToolCall, text string, m Moment) {
	best := ""
	for _, entry := range original {
		for _, b := range entry.Blocks {
			if r, ok := b.(*history.ToolResponse); ok {
				if strings.Contains(withoutNumbers(r.Result.Text()), text) {
					best = r.Result.Text()
				}
			}
		}
	}
	if best == "" {
		best = text
	}
	f := e.file(resolvePath(e.Root, c.StringArg("file_path")))
	f.pinned = true
	f.touched = e.request
	if os.Getenv("V") != "" {
		fmt.Println("   fault", e.request, f.path, len(best))
	}
	e.push(unit{tokens: e.Count(best) + 60})
	e.entries = append(e.entries, history.HumanText(best))
	e.first = append(e.first, len(e.units)-1)
	a := &e.account
	e.unpruned -= e.units[len(e.units)-1].tokens
	none, unpruned := a.none, a.unpruned
	e.Sent(Moment{Price: m.Price, Head: m.Head})
	a.none, a.unpruned = none, unpruned
}
