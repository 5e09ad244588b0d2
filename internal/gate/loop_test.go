package gate

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// guardedCall is a call that a test reports to the guard.
type guardedCall struct {
	name, arguments, answer string
	fails, ends, errs       bool
	note                    string
	took                    time.Duration
}

func (d guardedCall) end(g *LoopDetector) {
	does := toolspec.Traits{Reads: true}
	switch d.name {
	case "replace":
		does = toolspec.Traits{Edits: true}
	case "run":
		does = toolspec.Traits{Runs: true}
	}
	answer := tools.Answer{Text: d.answer, Note: d.note}
	if d.errs {
		answer.Error = "no such file"
	}
	if d.fails {
		status := 1
		answer.ExitCode = &status
	}
	if d.ends { // like a command, whose note differs each time
		answer.ExitCode, answer.Note = new(int), fmt.Sprintf("[exit 0 after %s]", d.took)
	}
	g.Gate().Ended(Call{Name: d.name, Said: toolspec.Label{Name: d.name, Subject: d.arguments}, Arguments: arguments.Parse(d.arguments), Traits: does}, answer, d.took)
}

// loopReport returns the guard's description of a loop before the next call, or "".
func loopReport(g *LoopDetector) string {
	if ask := g.Gate().Check(context.Background(), Call{}).Ask; ask != nil {
		return ask.Approval.Repeats
	}
	return ""
}

// TestLoopGuard checks which sequences of calls count as a loop, and which count as work (D-70).
func TestLoopGuard(t *testing.T) {
	t.Parallel()
	var (
		read  = guardedCall{name: "read_file", arguments: "a", answer: "the same"}
		list  = guardedCall{name: "list_directory", arguments: ".", answer: "a b"}
		edit  = guardedCall{name: "replace", arguments: "x for y", answer: "replaced"}
		wrong = guardedCall{name: "replace", arguments: "x for y", answer: "no x", fails: true}
		test  = guardedCall{name: "run", arguments: "go test", answer: "FAIL", fails: true}
	)
	numbered := func(d guardedCall, what string) func(n int) guardedCall {
		return func(n int) guardedCall {
			numbered := d
			if what == "answer" {
				numbered.answer = fmt.Sprint(d.answer, n)
			} else {
				numbered.arguments = fmt.Sprint(d.arguments, n)
			}
			return numbered
		}
	}
	always := func(d guardedCall) func(int) guardedCall { return func(int) guardedCall { return d } }
	timed := func(n int) guardedCall {
		return guardedCall{name: "run", arguments: "go test", answer: fmt.Sprintf("FAIL a.go:7 (%d.3s)", n), fails: true}
	}
	passing := func(n int) guardedCall {
		return guardedCall{name: "run", arguments: "go test", answer: fmt.Sprintf("ok in 0.%d3s", n)}
	}
	rotation := func(length int) (circle []func(int) guardedCall) {
		for i := range length {
			circle = append(circle, always(guardedCall{name: "run", arguments: fmt.Sprint(i), answer: "same"}))
		}
		return circle
	}
	command := func(arguments string) func(int) guardedCall {
		return func(n int) guardedCall {
			return guardedCall{name: "run", arguments: arguments, answer: "same", ends: true, took: time.Duration(n+1) * time.Millisecond}
		}
	}
	var commands []func(int) guardedCall
	for i := range maxRotation {
		commands = append(commands, command(fmt.Sprint(i)))
	}
	for _, tt := range []struct {
		name string
		// circle holds the calls that repeat in turn. says is a part of the final report, or empty
		// if the calls do not count as a loop.
		circle []func(n int) guardedCall
		says   string
	}{
		{"the same failure", []func(int) guardedCall{always(test)}, "failed in the same way 5 times within 5 calls: run go test"},
		{"the same failure among other work", []func(int) guardedCall{always(wrong), numbered(read, "arguments"), numbered(test, "arguments")}, "5 times within 13 calls: replace x for y"},
		{"I8: a failing edit, a read, a test", []func(int) guardedCall{always(wrong), always(read), always(test)}, "replace x for y"},
		{"a failure that differs by its time", []func(int) guardedCall{timed, numbered(edit, "arguments")}, "run go test"},
		{"one success", []func(int) guardedCall{always(read)}, "got the same answer 5 times"},
		{"two successes in turn", []func(int) guardedCall{always(read), always(list)}, "read_file a"},
		{"an edit that is made again and again", []func(int) guardedCall{always(edit), numbered(test, "answer"), always(read)}, "the same 3 calls ran 5 times in the same order; the last call was read_file a"},
		{"an edit and tests that answer otherwise", []func(int) guardedCall{numbered(edit, "answer"), passing}, "the same 2 calls ran 5 times"},
		{"three calls that answer otherwise", []func(int) guardedCall{numbered(edit, "answer"), passing, numbered(read, "answer")}, "the same 3 calls ran 5 times"},

		{"the same error", []func(int) guardedCall{always(guardedCall{name: "read_file", arguments: "a", errs: true})}, "failed in the same way 5 times"},
		{"a slow failure", []func(int) guardedCall{always(guardedCall{name: "run", arguments: "go test", fails: true, took: time.Minute})}, "failed in the same way 5 times"},
		{"four successes in turn", rotation(4), "got the same answer 5 times"},
		{"F9: five successes in turn", rotation(5), "the same 5 calls ran again and again with the same results; the last call was run 0"},
		{"F9: seven in turn", rotation(7), "the same 7 calls"},
		{"F9: twelve in turn", rotation(12), "the same 12 calls"},
		{"F9: twelve commands in turn", commands, "the same 12 calls"},
		{"a command with other blanks and comments", []func(int) guardedCall{func(n int) guardedCall {
			return guardedCall{name: "run", arguments: fmt.Sprintf(`{"command":"cat%sf # try %d"}`, strings.Repeat(" ", 1+n%7), n), answer: "same"}
		}}, "got the same answer 5 times"},
		{"a command on lines of its own", []func(int) guardedCall{func(n int) guardedCall {
			return guardedCall{name: "run", arguments: fmt.Sprintf(`{"command":"# look\\ncat f%d"}`, n), answer: "same"}
		}}, ""},
		{"a command that succeeds", commands[:1], "got the same answer 5 times"},
		{"F9: failures among them", append(rotation(6), always(test), always(read)), "the same 8 calls"},
		{"seven in turn, one of which learns something", append(rotation(6), numbered(read, "answer")), ""},
		{"seven in turn, one of which waits", append(rotation(6), always(guardedCall{name: "run", arguments: "sleep", took: 10 * time.Second})), ""},

		{"F9: thirteen in turn", rotation(13), ""},
		{"a success that differs by its time", []func(int) guardedCall{passing}, ""},
		{"an answer that differs by its note", []func(int) guardedCall{func(n int) guardedCall {
			return guardedCall{name: "read_file", arguments: "a", note: fmt.Sprint("line ", n)}
		}}, ""},
		{"a file with other blanks in its name", []func(int) guardedCall{func(n int) guardedCall {
			return guardedCall{name: "read_file", arguments: "a" + strings.Repeat(" ", n)}
		}}, ""},
		{"failures of their own", []func(int) guardedCall{numbered(test, "arguments")}, ""},
		{"tests that fail otherwise each time", []func(int) guardedCall{numbered(edit, "arguments"), numbered(test, "answer")}, ""},
		{"tests that pass between edits", []func(int) guardedCall{numbered(edit, "arguments"), always(guardedCall{name: "run", arguments: "go build"})}, ""},
		{"waiting for a job", []func(int) guardedCall{always(guardedCall{name: "run", arguments: "tail", answer: "nothing new", took: patientCall})}, ""},
		{"polling a job that runs", []func(int) guardedCall{numbered(guardedCall{name: "run", arguments: "tail", answer: "nothing new, running for "}, "answer")}, ""},
		{"looking at what changes", []func(int) guardedCall{always(list), numbered(read, "answer")}, ""},
		{"a failure too rarely", []func(int) guardedCall{
			always(test), numbered(read, "arguments"), numbered(read, "1"), numbered(read, "2"), numbered(read, "3"),
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			guard := NewLoopDetector(&Policy{})
			said := ""
			for n := 0; n < 60 && said == ""; n++ {
				d := tt.circle[n%len(tt.circle)](n)
				d.end(guard)
				said = loopReport(guard)
			}
			if said == "" && tt.says != "" || !strings.Contains(said, tt.says) || said != "" && tt.says == "" {
				t.Errorf("it says %q, want %q", said, tt.says)
			}
		})
	}
}

// TestLoopGuardCounts checks where a loop begins. A small letter is a command with a constant
// answer. E is an edit with a different answer each time.
func TestLoopGuardCounts(t *testing.T) {
	t.Parallel()
	for calls, says := range map[string]string{
		"abcdxabcdxabcdxabcda": "the same 5 calls ran again", // x came three times
		"abcdxabcdxabcdabcda":  "",                           // and here twice
		"bEbEbEbEbE":           "the same 2 calls ran 5 times",
		"bEbEbEbEaE":           "",
		"aEbEbEbEbE":           "",
		"aaaaab":               "the same answer 5 times", // the report comes with the next call
	} {
		guard := NewLoopDetector(&Policy{})
		for n, letter := range calls {
			if n > 0 && guard.repeats != "" && calls != "aaaaab" {
				t.Errorf("%s: %q after %d calls", calls, guard.repeats, n)
			}
			d := guardedCall{name: "run", arguments: string(letter)}
			if letter == 'E' {
				d = guardedCall{name: "replace", answer: fmt.Sprint(n)}
			}
			d.end(guard)
		}
		if said := guard.repeats; !strings.Contains(said, says) || (said == "") != (says == "") {
			t.Errorf("%s: %q, want %q", calls, said, says)
		}
	}
	guard := NewLoopDetector(&Policy{})
	for n := range 2 * longWindow {
		guardedCall{name: "run", arguments: fmt.Sprint(n)}.end(guard)
	}
	if len(guard.recent) != longWindow {
		t.Errorf("it remembers %d calls", len(guard.recent))
	}
}

// A user can continue a loop, stop it, or send an instruction instead. In a non-interactive run the
// turn fails. After an answer the count begins again.
func TestLoopsAreReportedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		decision Decision
		want     Verdict
	}{
		{Decision{Allow: true}, Verdict{}},
		{Decision{}, Verdict{Refusal: NotRun, End: ErrRepeating}},
		{Decision{Reason: "look into b"}, Verdict{Refusal: NotRun, Instruction: "look into b"}},
	} {
		for _, unattended := range []bool{false, true} {
			guard := NewLoopDetector(&Policy{Unattended: unattended})
			for range 2 {
				for range maxRepeats {
					guardedCall{name: "run", arguments: "a"}.end(guard)
				}
				v := guard.check(t.Context(), Call{})
				if unattended != (v.Ask == nil) || unattended != (v.End != nil && v.Refusal == NotRun) {
					t.Fatalf("unattended %t: %+v", unattended, v)
				}
				if unattended {
					continue
				}
				if got := v.Ask.Then(tt.decision); v.Ask.IsForCall() || !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%+v: %+v", tt.decision, got)
				}
				guardedCall{name: "run", arguments: "a"}.end(guard)
				if said := loopReport(guard); said != "" {
					t.Errorf("asked about twice: %s", said)
				}
				guard.Reset()
			}
		}
	}
}

// TestTheThirdFailureIsRemarked checks that a remark follows the third failure, and not the second,
// the fourth or a success.
func TestTheThirdFailureIsRemarked(t *testing.T) {
	t.Parallel()
	guard := NewLoopDetector(&Policy{}).Gate()
	call := Call{Name: "replace", Arguments: arguments.Parse(`{}`)}
	for n, tt := range []struct {
		answer  tools.Answer
		remarks bool
	}{
		{tools.Answer{Error: "no x"}, false},
		{tools.Answer{Error: "no y"}, false},
		{tools.Answer{Text: "ok"}, false},
		{tools.Answer{Text: "ok"}, false},
		{tools.Answer{Text: "ok"}, false},
		{tools.Answer{Error: "no x"}, false},
		{tools.Answer{Error: "no x"}, true},
		{tools.Answer{Error: "no x"}, false},
	} {
		if got := guard.Remark(call, tt.answer); (got != "") != tt.remarks {
			t.Errorf("call %d: %q", n, got)
		}
		guard.Ended(call, tt.answer, 0)
	}
}
