package demo

import (
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
		{"run echo one; echo two", []string{"run_shell_command echo one; echo two"}, []string{"2 lines", "one\ntwo"}},
		{"help", nil, []string{"without intelligence", "run COMMAND"}},
		{"Hello!", nil, []string{"without intelligence"}},
		{"continue", nil, []string{"nothing to continue"}},
		{"Write a poem\nabout tills", nil, []string{"Write a poem about tills", "I am a script", "without intelligence", "What I can do"}},
	} {
		t.Run(strings.ReplaceAll(test.say, "/", "|"), func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			wantWords(t, p.say(test.say), test.want...)
			p.wantCalls(test.calls)
		})
	}
}

func TestARefusedRequestIsLeft(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.intercept = func(string, string) (string, bool) { return "Error: the user refused this call", true }
	wantWords(t, p.say("run rm -rf /"), "did not allow")
	p.wantCalls([]string{"run_shell_command rm -rf /"})
}

// A message contains the files that the user included after the user's text.
func TestIncludedFilesAreNotPartOfTheRequest(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.say("read prices.txt\n--- x ---\nhelp\n--- End of content ---")
	p.wantCalls([]string{"read_file prices.txt"})
}

func TestSummaryOfTheDemo(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.add(map[string]any{"role": "system", "content": "Answer with a <state_snapshot>."})
	words := p.say("The transcript:\nuser: " + Prompt)
	wantWords(t, words, "<state_snapshot>", "Repair till.sh", "</state_snapshot>", "without intelligence")

	// The job continues from the summary alone.
	p = newPlayer(t)
	wantWords(t, p.say(words), "all 6 checks passed")
}
