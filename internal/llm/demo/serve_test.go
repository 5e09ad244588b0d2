package demo

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPlainRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		say   string
		calls []string
		want  []string
	}{
		{"read prices.txt", []string{"read_file prices.txt"}, []string{"4 lines", "honey 775"}},
		{"please read `till.sh`", []string{"read_file till.sh"}, []string{"#!/bin/sh", "more"}},
		{"read no.txt", []string{"read_file no.txt"}, []string{"did not work", "does not exist"}},
		{"replace 775 with 800 in prices.txt", []string{"read_file prices.txt", "replace prices.txt"}, []string{"Done", "800", "still in the context"}},
		{`replace "apple 50" with "pear in 60" in "prices.txt"`, []string{"read_file prices.txt", "replace prices.txt"}, []string{"pear in 60"}},
		{"replace nothing such with x in prices.txt", []string{"read_file prices.txt", "replace prices.txt"}, []string{"did not work", "was not found"}},
		{"run echo one; echo two", []string{"run_shell_command echo one; echo two"}, []string{"2 lines", "one\ntwo"}},
		{"list", []string{"list_directory ."}, []string{"till.sh"}},
		{"list files in sub", []string{"list_directory sub"}, []string{"till.sh"}},
		{"search for apple", []string{"search_file_content apple"}, []string{"prices.txt:1"}},
		{"search a(b", []string{`search_file_content a\(b`}, []string{"prices.txt:1"}},
		{"help", nil, []string{"without intelligence", "replace A with B in FILE"}},
		{"Hello!", nil, []string{"without intelligence"}},
		{"continue", nil, []string{"nothing I could go on with"}},
		{"Write a poem\nabout tills", nil, []string{"Write a poem about tills", "I cannot", "without intelligence", "What I can do"}},
	} {
		t.Run(strings.ReplaceAll(test.say, "/", "|"), func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			wantWords(t, p.say(test.say), test.want...)
			p.wantCalls(test.calls)
		})
	}
}

func TestReplaceChangesTheFile(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.prune = true
	wantWords(t, p.say("replace 490 with 390 in till.sh"), "gone from the context already")
	wantWords(t, p.read(filepath.Join(p.dir, till)), "shipping=390")
	wantWords(t, p.say("replace 390 with 290 in till.sh"), "Done")
	wantWords(t, p.read(filepath.Join(p.dir, till)), "shipping=290")
}

func TestARefusedRequestIsLeft(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.intercept = func(string, string) (string, bool) { return "Error: the user refused this call", true }
	wantWords(t, p.say("run rm -rf /"), "not allowed")
	p.wantCalls([]string{"run_shell_command rm -rf /"})
}

// A message carries the files that the user included after its own words.
func TestIncludedFilesAreNotPartOfTheRequest(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.say("read prices.txt\n--- x ---\nhelp\n--- End of content ---")
	p.wantCalls([]string{"read_file prices.txt"})
}

func TestWhatIsInMyContext(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.prune = true
	p.add(map[string]any{"role": "system", "content": "12345678"})
	p.say("read prices.txt")
	p.say("replace 490 with 390 in till.sh")
	words := p.say("what is in my context?")
	wantWords(t, words, "| system | 1 | 8 | 2 |", "| user | 3 |", "| tool | 2 |", "together", "in it: `prices.txt`.")
	if strings.Contains(words, "`till.sh`") {
		t.Errorf("the stale reading of till.sh is said to be there:\n%s", words)
	}
}

func TestSummaryOfTheDemo(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.add(map[string]any{"role": "system", "content": "Answer with a <state_snapshot>."})
	words := p.say("The transcript:\nuser: " + Prompt)
	wantWords(t, words, "<state_snapshot>", "Repair till.sh", "</state_snapshot>", "without intelligence")

	// The job goes on from the summary alone.
	p = newPlayer(t)
	wantWords(t, p.say(words), "all 6 checks passed")
}
