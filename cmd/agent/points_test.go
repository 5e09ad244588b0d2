//go:build e2e

package main

import (
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// Pickers open in place of the input, leave no rows behind, and run the selected item.
func TestTerminalPickers(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		s := newTerminal(t, columns, newModel(t, llmtest.Say("The answer.")).URL)
		s.until(idle)
		s.say("a first message")
		s.until("The answer.")
		s.until("> " + idle)
		before := s.screen()
		s.say("/theme")
		s.until("▸ auto")
		s.keys("Escape")
		s.when("nothing left behind", func(screen string) bool { return screen == before })
		s.say("/approval")
		s.until("▸ ask")
		s.tmux("send-keys", "-l", "edit files")
		s.until("▸ auto-edit")
		s.keys("Enter")
		s.until("AUTO-EDIT")
		s.once("> /approval auto-edit")
		s.keys("C-r")
		s.until("earlier prompts:")
		s.tmux("send-keys", "-l", "first mess")
		s.until("▸ a first message")
		s.keys("Enter")
		s.until("> a first message")
		s.keys("C-c")
		s.until("> " + idle)
		s.tmux("send-keys", "-l", "?")
		s.until("Shift+Tab")
		s.keys("Escape")
		s.gone("Shift+Tab")
	})
}

// Text that is typed while an approval prompt is open becomes a message and never an answer. The
// user answers the prompt after it.
func TestTerminalTypingIntoAQuestion(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		server := newModel(t, llmtest.Call("run_shell_command", `{"command":"touch a1"}`), llmtest.Say("Done."))
		s := newTerminal(t, columns, server.URL)
		s.until(idle)
		s.say("go")
		s.read("? run touch a1")
		s.tmux("send-keys", "-l", "also") // a letter is an answer only if no text follows it at once
		s.until("> also")
		if screen := s.screen(); !strings.Contains(screen, "? run touch a1") || strings.Contains(screen, "ran touch") {
			t.Fatalf("typing answered:\n%s", screen)
		}
		s.keys("Escape")
		s.asked()
		s.keys("y")
		s.until("Done.")
		s.until("> also")
		s.once("ran touch a1")
	})
}

// Ctrl+Z returns to the shell, and fg resumes the program. The draft is still there, and no row
// appears twice.
func TestTerminalSuspend(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		s := newTerminal(t, columns, newModel(t, llmtest.Say("The answer.")).URL)
		s.runInShell()
		s.until(idle)
		s.say("go")
		s.until("The answer.")
		s.until("> " + idle)
		s.typed("a draft")
		s.keys("C-z")
		s.until("Stopped")
		s.gone("> a draft")
		s.tmux("send-keys", "-l", "echo in the sh''ell")
		s.keys("Enter")
		s.until("in the shell")
		s.tmux("send-keys", "-l", "fg")
		s.keys("Enter")
		s.until("> a draft")
		s.once("The answer.", "> go")
	})
}

// Wide characters and characters of several code points keep their column.
func TestTerminalWideCharacters(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		table := "| 名前 | what |\n|---|---|\n| 日本語 | lexer |\n| é́ | combined |\n\n日本語の文章がここで折り返されるほど長く続くので、端末の幅を超えてしまいます。\n"
		s := newTerminal(t, columns, newModel(t, llmtest.Say(table)).URL)
		s.until(idle)
		s.say("日本 é 한국")
		s.until("しまいます。")
		s.until("> " + idle)
		s.once("> 日本 é 한국", "日本語 │ lexer", "│ combined")
		if screen := s.screen(); strings.Contains(screen, "\n\n\n") {
			t.Errorf("a row too many:\n%s", screen)
		}
	})
}

// Exactly one blank row separates a command's output, a notice and a tool's line.
func TestTerminalSpacing(t *testing.T) {
	eachWidth(t, func(t *testing.T, columns int) {
		server := newModel(t, llmtest.Say("I look.").Call("run_shell_command", `{"command":"touch a1"}`), llmtest.Say("Done."))
		s := newTerminal(t, columns, server.URL)
		s.until(idle)
		s.say("go")
		s.read("? run touch a1")
		s.keys("Tab")
		s.say("/density")
		s.until("Nothing was pruned")
		s.asked()
		s.keys("Escape")
		s.until("> " + idle)
		s.keys("Escape", "Escape")
		s.until("Return to before")
		s.keys("Escape")
		s.until("> " + idle)
		s.keys("Escape")
		s.until("Esc again")
		s.gone("Esc again")
		screen := s.screen()
		for _, text := range []string{"yet.\n\n✗ run touch a1 — you refused\n■ Stopped", "how to continue.\n\n· "} {
			if !strings.Contains(screen, text) {
				t.Errorf("%q is missing:\n%s", text, screen)
			}
		}
		if strings.Contains(screen, "\n\n\n") {
			t.Errorf("two blank rows:\n%s", screen)
		}
	})
}
