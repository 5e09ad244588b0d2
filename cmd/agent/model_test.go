package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"agent/internal/base/humanize"
	"agent/internal/testing/llmtest"
)

// startModel starts the model server of a script and sets the endpoint of the program to it.
func startModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	turns, err := modelTurns(strings.ReplaceAll(ts.ReadFile(args[0]), "$KEY", secret))
	if err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	server := newModel(ts.Value(scriptTB{}).(testing.TB), turns...)
	ts.Setenv("OPENAI_BASE_URL", server.URL)
	current.Store(ts, server)
}

// current has the model server of each running script.
var current sync.Map

func modelOf(ts *testscript.TestScript) *llmtest.Server {
	server, ok := current.Load(ts)
	if !ok {
		ts.Fatalf("no model is running")
	}
	return server.(*llmtest.Server)
}

// newModel starts a server that plays turns and requires the key of the tests.
func newModel(tb testing.TB, turns ...llmtest.Turn) *llmtest.Server {
	tb.Helper()
	return llmtest.NewFunc(tb, func(r *llmtest.Request) llmtest.Turn {
		if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
			tb.Errorf("request %d: Authorization is %q", r.Number+1, got)
		}
		if r.Number < len(turns) {
			return turns[r.Number]
		}
		tb.Errorf("request %d, but the model has %d turns", r.Number+1, len(turns))
		return llmtest.Fail(400, `{"error":{"message":"the script is over"}}`)
	})
}

func answerPath(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: answers PATH BODY")
	}
	if args[1] == "hang" {
		modelOf(ts).Hang(args[0])
		return
	}
	modelOf(ts).Answer(args[0], args[1])
}

func countRequests(ts *testscript.TestScript, neg bool, args []string) {
	if got := len(modelOf(ts).Requests()); neg || len(args) != 1 || strconv.Itoa(got) != args[0] {
		ts.Fatalf("the model got %d requests, want %v", got, args)
	}
}

func modelOfRequest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: model-of N NAME")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := modelOf(ts).Requests()[n].Model; got != args[1] {
		ts.Fatalf("request %d asks for %s", n, got)
	}
}

func sent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: sent REGEXP")
	}
	pattern := regexp.MustCompile("(?s)" + args[0])
	var all strings.Builder
	for _, request := range modelOf(ts).Requests() {
		for i, m := range request.Messages {
			fmt.Fprintf(&all, "%d %s: %s", i, m.Role, m.Content)
			if n := len(m.Images); n > 0 {
				fmt.Fprintf(&all, " [%s]", humanize.Count(n, "image"))
			}
			all.WriteByte('\n')
		}
	}
	if got := pattern.MatchString(all.String()); got == neg {
		ts.Fatalf("a message that matches %q was sent: %t", args[0], got)
	}
}

// modelTurns parses a script for the model. Empty lines separate turns, and each line of a turn is
// a step:
//
//	say TEXT   think TEXT   call TOOL JSON   event DATA   raw TEXT
//	fail STATUS HEADER=VALUE… BODY   html STATUS   finish REASON
//	cut   cutat BYTES   hang   nofinish   nodone   nousage
//
// A TEXT in double quotes is unquoted as in Go. "repeat N" before a turn plays it N times.
func modelTurns(script string) ([]llmtest.Turn, error) {
	var turns []llmtest.Turn
	for _, block := range strings.Split(strings.TrimSpace(script), "\n\n") {
		turn, times := llmtest.Turn{}, 1
		for _, line := range strings.Split(block, "\n") {
			verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if verb == "repeat" {
				var err error
				if times, err = strconv.Atoi(rest); err != nil {
					return nil, err
				}
				continue
			}
			var err error
			if turn, err = modelStep(turn, verb, rest); err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
		}
		for range times {
			turns = append(turns, turn)
		}
	}
	return turns, nil
}

func modelStep(turn llmtest.Turn, verb, rest string) (llmtest.Turn, error) {
	text := rest
	if unquoted, err := strconv.Unquote(rest); err == nil {
		text = unquoted
	}
	first, after, _ := strings.Cut(rest, " ")
	number, noNumber := strconv.Atoi(first)
	switch verb {
	case "say":
		return turn.Say(text), nil
	case "think":
		return turn.Think(text), nil
	case "call":
		return turn.Call(first, after), nil
	case "event":
		return turn.Event(rest), nil
	case "raw":
		return turn.Raw(text), nil
	case "fail":
		return modelFailure(number, after), noNumber
	case "html":
		return llmtest.HTML(number), noNumber
	case "finish":
		return turn.Finish(rest), nil
	case "cut":
		return turn.Cut(), nil
	case "cutat":
		return turn.CutAt(number), noNumber
	case "hang":
		return turn.Hang(), nil
	case "nofinish":
		return turn.NoFinish(), nil
	case "nodone":
		return turn.NoDone(), nil
	case "nousage":
		return turn.NoUsage(), nil
	}
	return turn, fmt.Errorf("unknown step %q", verb)
}

// header is a header before the body of a failure.
var header = regexp.MustCompile(`^([A-Za-z-]+)=(\S+) ?`)

func modelFailure(status int, body string) llmtest.Turn {
	var headers []string
	for m := header.FindStringSubmatch(body); m != nil; m = header.FindStringSubmatch(body) {
		headers = append(headers, m[1], m[2])
		body = body[len(m[0]):]
	}
	return llmtest.Fail(status, body, headers...)
}

// offered checks that all requests offer byte-identical tools, and that these tools are among them.
// With "!" it checks that none of these tools is offered.
func offered(ts *testscript.TestScript, neg bool, args []string) {
	requests := modelOf(ts).Requests()
	if len(requests) == 0 {
		ts.Fatalf("there was no request")
	}
	first := requests[0].Fields["tools"]
	for i, request := range requests {
		if !bytes.Equal(request.Fields["tools"], first) {
			ts.Fatalf("request %d offers other tools:\n%s\n%s", i, request.Fields["tools"], first)
		}
	}
	for _, name := range args {
		has := slices.ContainsFunc(requests[0].Tools, func(t llmtest.Tool) bool { return t.Name == name })
		if has == neg {
			ts.Fatalf("%s is offered: %t", name, has)
		}
	}
}
