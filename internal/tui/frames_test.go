package tui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/protect"
	"agent/internal/tools"
	"agent/internal/tui/style"
)

const editDiff = `--- a/internal/a.go
+++ b/internal/a.go
@@ -10,5 +10,6 @@ func main() {
 	x := 1
-	y := 2
+	y := 3
+	z := "a line that is longer than a window of sixty columns is wide"
 	return
 }
`

const answer = "# Findings\n\nThe **test** fails because `sum` starts at *one*. See [the docs](https://example.com/docs).\n\n" +
	"- first, with a text that is long enough to be wrapped in a window of sixty columns\n  - nested\n- second\n\n" +
	"1. one\n2. two\n\n```go\nfunc sum(xs []int) int {\n\treturn 0 // start\n}\n```\n\n" +
	"| setting | meaning | default |\n|---|---|---:|\n| compression.threshold | the share of the window at which compression begins | 0.85 |\n| model | which one | |\n\n" +
	"> quoted\n\n日本語 and 👩‍👩‍👧 end here.\n"

// states are states of the screen. Each has golden frames with the widths in frameWidths.
var states = map[string]func(*screenplay){
	"idle": func(*screenplay) {},
	"typing": func(s *screenplay) {
		s.typed("fix the")
		s.press("ctrl+j")
		s.typed("tests, 日本 👩‍👩‍👧")
	},
	"reply": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.UserMessage{
			Text:     "why does @sum_test.go fail?",
			Included: []atcmd.IncludedFile{{Path: "sum_test.go", Lines: 12}, {Path: "logo.png", Bytes: 2048}}, Skipped: []atcmd.SkippedPath{{Path: "sum.bin", Reason: "it is binary"}},
		})
		s.events(chat.TextDelta{Delta: answer}, chat.ReplyEnded{Text: answer}, chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDone}})
	},
	"streaming": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.UserMessage{Text: "explain"}, chat.TextDelta{Delta: "A closed paragraph.\n\n**half** of the next one, which is `still"})
		s.wait(3 * time.Second)
	},
	"thinking": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.UserMessage{Text: "explain"}, chat.ReasoningDelta{Delta: "The user wants an explanation. I should read the file first."})
		s.wait(70 * time.Second)
	},
	"tools-running": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.UserMessage{Text: "test"},
			chat.ToolStarted{Call: 1, Name: "run_shell_command", Label: labelOf("run_shell_command go test ./...")}, chat.ToolOutput{Call: 1, Data: numbered(9)},
			chat.ToolStarted{Call: 2, Name: "read_file", Label: labelOf("read_file internal/a.go")},
			chat.QueueChanged{Messages: []string{"and then\nthe docs", "and commit"}})
		s.wait(5 * time.Second)
	},
	"tools-ended": func(s *screenplay) {
		zero, one := 0, 1
		s.events(chat.TurnStarted{}, chat.UserMessage{Text: "test"},
			chat.ToolEnded{Name: "read_file", Traits: reading, Label: labelOf("read_file internal/a.go"), Answer: tools.Answer{Text: numbered(120)}},
			chat.ToolEnded{Name: "read_file", Traits: reading, Label: labelOf("read_file b.go"), Answer: tools.Answer{Error: "there is no file b.go"}},
			chat.ToolEnded{Name: "replace", Label: labelOf("replace internal/a.go"), Answer: tools.Answer{Text: "changed", Diff: editDiff}},
			chat.ToolEnded{Name: "replace", Label: labelOf("replace c.go"), Answer: tools.Answer{Error: "the user refused this call: use 1000"}, Denied: &chat.Decision{Reason: "the limit is 1000 cents"}},
			chat.ToolEnded{Name: "run_shell_command", Label: labelOf("run_shell_command go vet ./..."), Answer: tools.Answer{ExitCode: &zero}, Duration: 1200 * time.Millisecond},
			chat.ToolEnded{Name: "run_shell_command", Label: labelOf("run_shell_command go test ./..."), Answer: tools.Answer{Text: numbered(40), ExitCode: &one}, Duration: 75 * time.Second})
	},
	"approve-edit": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.ApprovalRequested{Approval: chat.Approval{
			ID: 1, Tool: "replace", Always: "edits",
			Preview: tools.Preview{Title: "edit internal/a.go", Diff: editDiff, Paths: []string{"internal/a.go"}},
		}})
		s.wait(time.Second)
	},
	"approve-rename": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.ApprovalRequested{Approval: chat.Approval{
			ID: 1, Tool: tools.RenameName, Always: "edits",
			Preview: tools.Preview{
				Title: "edit internal/a.go", Diff: editDiff, Paths: []string{"internal/a.go"},
				Note: "Still named Store:\ninternal/a.go:3: // A Store is no file.\ndocs/a.md:12: A Store keeps what you write until you close it, also after a crash.\nand 3 more",
			},
		}})
		s.wait(time.Second)
	},
	"approve-command": func(s *screenplay) {
		s.events(chat.TurnStarted{}, askedForCommand("go test ./... && "+strings.Repeat("echo again ", 12)))
		s.wait(time.Second)
	},
	"approve-exactly": func(s *screenplay) {
		line := strings.Repeat("make step && ", 12) + "make end"
		s.events(chat.TurnStarted{}, chat.ApprovalRequested{Approval: chat.Approval{
			ID: 1, Tool: "run_shell_command", Always: "exactly " + line, Preview: tools.Preview{Command: line},
		}})
		s.wait(time.Second)
	},
	"approve-protected": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.ApprovalRequested{Approval: chat.Approval{
			ID: 1, Tool: "replace",
			Preview: tools.Preview{Title: "edit .vscode/tasks.json", Diff: editDiff, Protected: []protect.File{{Path: ".vscode/tasks.json", Name: ".vscode", Protection: protect.NeedsApproval, Why: "editors run its commands"}}},
		}})
		s.wait(time.Second)
	},
	"approve-outside": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.ApprovalRequested{Approval: chat.Approval{
			ID: 1, Tool: "run_shell_command", Always: "outside the sandbox, exactly: npm ci",
			Preview: tools.Preview{Title: "run npm ci", Command: "npm ci", Outside: "it needs the\nregistry\x1b[2J"},
		}})
		s.wait(time.Second)
	},
	"approve-reason": func(s *screenplay) {
		s.events(chat.TurnStarted{}, askedForCommand("rm -r build"))
		s.wait(time.Second)
		s.typed("n")
		s.wait(time.Second)
		s.typed("use make clean")
	},
	"asks": func(s *screenplay) {
		s.events(chat.TurnStarted{}, asksWhich(false))
		s.wait(time.Second)
		s.press("down")
	},
	"asks-several": func(s *screenplay) {
		s.events(chat.TurnStarted{}, asksWhich(true))
		s.wait(time.Second)
		s.typed("2")
		s.wait(time.Second)
		s.typed("1")
		s.wait(time.Second)
	},
	"asks-words": func(s *screenplay) {
		s.events(chat.TurnStarted{}, asksWhich(true))
		s.wait(time.Second)
		s.typed("neither of them")
	},
	"notes": func(s *screenplay) {
		s.events(chat.TurnStarted{},
			chat.DensityApplied{Metadata: compression.CountsOf(map[history.PruneKind]int{"stale-read": 4, "duplicate-file": 1}), Prunes: []chat.PruneRecord{{Tokens: 12_300}}, TokensBefore: 52_480, TokensAfter: 40_180, Limit: 128_000},
			chat.Compressed{Strategy: "high-density", Applied: true, TokensBefore: 109_000, TokensAfter: 60_000, Limit: 128_000},
			chat.Compressed{Strategy: "high-density", Reason: "the tail covers everything"},
			chat.Retry{Attempt: 2, Delay: 1500 * time.Millisecond, Reason: "the provider is overloaded (503)"},
			chat.Notice{Text: "the session log had a torn last line, which was dropped; nothing else is missing"},
			chat.UsageReported{PromptTokens: 41_000, CompletionTokens: 1_200, CachedTokens: 37_700},
			chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopInterrupted}},
			chat.TurnEnded{Err: errors.New("the key was refused (401): set OPENAI_API_KEY or the setting auth-keyfile")})
	},
	"saved": func(s *screenplay) {
		s.events(chat.StatusChanged{Stats: chat.Stats{Cost: 0.5, Saving: chat.Saving{Tokens: 10_000, Without: 50_000, Saved: 5000, Cost: 0.02}}},
			chat.TurnStarted{},
			chat.UsageReported{PromptTokens: 41_000, CompletionTokens: 1_200, CachedTokens: 37_700},
			chat.StatusChanged{Stats: chat.Stats{Cost: 0.62, Agents: chat.AgentStats{Agents: 1, Cost: 0.04}, Saving: chat.Saving{Tokens: 22_000, Without: 90_000, Saved: 13_500, Cost: 0.054}}},
			chat.TurnCost{Turn: "$0.12 + $0.04 of agents", SessionTotal: 0.66}, chat.TurnEnded{})
	},
	"lost": func(s *screenplay) { // a loss is reported once, and the saving of a turn does not hide it
		loss := func(saved, cost float64) chat.StatusChanged {
			return chat.StatusChanged{Stats: chat.Stats{Cost: 0.5, Saving: chat.Saving{Tokens: 10_000, Without: 50_000, Saved: saved, Cost: cost}}}
		}
		s.events(chat.TurnStarted{}, chat.UsageReported{PromptTokens: 41_000}, loss(-5000, -0.05), chat.TurnEnded{},
			chat.TurnStarted{}, chat.UsageReported{PromptTokens: 41_000}, loss(-3000, -0.03), chat.TurnEnded{})
	},
	"todo": func(s *screenplay) {
		s.events(chat.StatusChanged{Status: chat.Status{Model: "demo-model", Tokens: 48_600, Limit: 128_000, Todo: "todo 1/3 · have the parser refuse what is no list, with a\x1b[2J sentence that says which field is wrong"}},
			chat.TurnStarted{}, chat.UserMessage{Text: "go on"})
		s.typed("and then the docs")
	},
	"commands": func(s *screenplay) {
		s.typed("/context")
		s.press("enter")
		s.typed("/nope")
		s.press("enter")
	},
	"completion": func(s *screenplay) { s.typed("/c"); s.press("down") },
	"search": func(s *screenplay) {
		s.update(earlierPrompts("fix the test\nand the docs"))
		s.press("ctrl+r")
		s.typed("fix")
	},
	"pick": func(s *screenplay) {
		s.typed("/model")
		s.press("enter")
		s.typed("large")
	},
	"pick-preview": func(s *screenplay) {
		s.update(earlierPrompts("write docs", "fix the test\nand the docs\nand all the rest", "review"))
		s.typed("a draft")
		s.press("ctrl+r", "ctrl+r")
	},
	"rewind": func(s *screenplay) { s.press("esc", "esc") },
	"undo":   func(s *screenplay) { s.typed("/undo"); s.press("enter") },
	"undone": func(s *screenplay) {
		s.typed("/undo")
		s.press("enter")
		s.wait(time.Second)
		s.typed("y")
		s.wait(time.Second)
	},
	"rewind-hint": func(s *screenplay) { s.press("esc") },

	"keys":  func(s *screenplay) { s.typed("?") },
	"shell": func(s *screenplay) { s.typed("!!git status") },
	"status": func(s *screenplay) {
		s.events(chat.UsageReported{PromptTokens: 41_000, CompletionTokens: 1_200, CachedTokens: 37_700},
			chat.StatusChanged{Status: chat.Status{Model: "demo-model", Tokens: 48_600, Limit: 128_000, Threshold: 108_800, Mode: gate.ModeFullAuto, Freed: 4_600, Unsaved: true, Jobs: 2}})
	},
	"branch": func(s *screenplay) {
		s.update(branchMsg("feature/a-branch-with-a-long-name*"))
	},
	"shell-waits": func(s *screenplay) {
		s.events(chat.TurnStarted{})
		s.typed("!make test")
		s.press("enter")
		s.typed("!git status")
	},
	"quit-hint": func(s *screenplay) { s.press("ctrl+c") },
}

// frameWidths are the widths of a narrow split, a small window, a usual window and a wide screen.
var frameWidths = []int{40, 60, 100, 200}

func TestFrames(t *testing.T) {
	t.Parallel()
	for name, play := range states {
		for _, width := range frameWidths {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				t.Parallel()
				s := newScreenplay(t, width, 30)
				play(s)
				golden.RequireEqual(t, []byte(s.all()))
			})
		}
	}
}

// frameLooks are the combinations of background and number of colors in terminals.
var frameLooks = map[string]func(*Options){
	"dark":  colored(style.Dark, "TERM=xterm-256color", "COLORTERM=truecolor"),
	"light": colored(style.Light, "TERM=xterm-256color", "COLORTERM=truecolor"),
	"16":    colored(style.Dark, "TERM=xterm"),
}

func colored(theme string, environ ...string) func(*Options) {
	return func(o *Options) {
		o.Environ, o.Settings = append(o.Environ, environ...), func() Settings { return Settings{Theme: theme} }
	}
}

// groundEnds matches blanks that a background adds to the end of a row. signs removes the marks
// that replace missing colors.
var (
	groundEnds = regexp.MustCompile(`(?m) +$`)
	signs      = strings.NewReplacer("\n# ", "\n", "`", "")
)

// lettersOf returns the visible text of the screen.
func lettersOf(s *screenplay) string {
	return signs.Replace(groundEnds.ReplaceAllString(ansi.Strip(s.all()), ""))
}

// Colors change no letter of a frame.
func TestFramesInColour(t *testing.T) {
	t.Parallel()
	for name, play := range states {
		plain := sync.OnceValue(func() (letters []string) {
			for _, width := range frameWidths {
				s := newScreenplay(t, width, 30)
				play(s)
				letters = append(letters, lettersOf(s))
			}
			return letters
		})
		for look, change := range frameLooks {
			t.Run(name+"-"+look, func(t *testing.T) {
				t.Parallel()
				var all strings.Builder
				for i, width := range frameWidths {
					s := newScreenplayFor(t, width, 30, change)
					play(s)
					if diff := cmp.Diff(plain()[i], lettersOf(s)); diff != "" {
						t.Errorf("%d columns (-without colours +with):\n%s", width, diff)
					}
					fmt.Fprintf(&all, "%d columns\n%s", width, s.all())
				}
				golden.RequireEqual(t, []byte(all.String()))
			})
		}
	}
}

// The pager uses the whole window for an output, the diff of an edit, or the reasoning.
func TestPagerFrames(t *testing.T) {
	t.Parallel()
	zero := 0
	for name, keys := range map[string][]string{
		"newest": {"ctrl+o"}, "end": {"ctrl+o", "end"}, "diff": {"ctrl+o", "right"}, "reasoning": {"ctrl+o", "right", "right"},
	} {
		for _, width := range frameWidths {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				t.Parallel()
				s := newScreenplay(t, width, 16)
				s.events(chat.TurnStarted{}, chat.ReasoningDelta{Delta: "The sum starts at one, I think. Let me look at the loop before I change it."},
					chat.ToolEnded{Name: "replace", Label: labelOf("replace internal/a.go"), Answer: tools.Answer{Text: "changed", Diff: editDiff}},
					chat.ToolEnded{Name: "run_shell_command", Label: labelOf("run_shell_command go test ./..."), Answer: tools.Answer{Text: numbered(40), ExitCode: &zero}})
				s.press(keys...)
				golden.RequireEqual(t, []byte(strings.Join(s.model.frame().Full, "\n")+"\n"))
			})
		}
	}
}

// Every state fits the window, however small.
func TestFramesFitSmallWindows(t *testing.T) {
	t.Parallel()
	for name, play := range states {
		for _, size := range [][2]int{{20, 5}, {9, 3}, {1, 1}, {40, 8}, {200, 2}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				play(newScreenplay(t, size[0], size[1]))
			})
		}
	}
}

// The cost of a frame does not depend on the length of the session, because finished content is not
// a part of the live area.
func TestNothingFinishedIsLive(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 100, 30)
	before := len(s.model.view())
	for range 200 {
		s.events(chat.TurnStarted{}, chat.UserMessage{Text: "again"}, chat.TextDelta{Delta: answer}, chat.ReplyEnded{Text: answer},
			chat.ToolEnded{Name: "read_file", Traits: reading, Label: labelOf("read_file a.go"), Answer: tools.Answer{Text: "x"}}, chat.TurnEnded{})
	}
	if after := len(s.model.view()); after > before+200 {
		t.Errorf("the live part grew from %d to %d bytes", before, after)
	}
	if rows := s.model.surface.transcript.TakeRows(); len(rows) != 0 {
		t.Errorf("%d printed lines are still waiting", len(rows))
	}
}

// asksWhich returns a question of the model with choices.
func asksWhich(several bool) chat.ApprovalRequested {
	inquiry := tools.Inquiry{Header: "Store", Question: "Where shall the sessions be kept?", Several: several, Options: []tools.Option{
		{Label: "SQLite (recommended)", Description: "one file, no server, and enough for what one machine writes"},
		{Label: "Postgres", Description: "a server of its own"},
	}}
	return chat.ApprovalRequested{Approval: chat.Approval{ID: 1, Tool: "ask_user", Preview: tools.Preview{Title: "the model asks", Inquiries: []tools.Inquiry{inquiry, inquiry}}}}
}
