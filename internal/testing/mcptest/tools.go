package mcptest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var anyObject = map[string]any{"type": "object"}

// tools lists the tools that the server offers. Their descriptions contain ARGUMENT.
var tools = []any{
	tool("echo", "answers with text"),
	tool("sleep", "answers after ms milliseconds"),
	tool("work", "says n times how far it is, ms milliseconds apart"),
	tool("silent", "never answers"),
	tool("die", "ends the server, with words"),
	tool("big", "answers with that many bytes"),
	tool("fail", "answers that it failed"),
	tool("refuse", "answers with an error of the protocol"),
	tool("structured", "answers with structured content only"),
	tool("media", "answers with an image, audio, resources, a link, and a word for the person"),
	tool("ask", "asks the person n times for what form says, a schema, or to open url"),
	tool("visit", "refuses until the person has been to url, and says so then if told"),
	tool("roots", "asks for the roots"),
	tool("sample", "asks for the answer of a model"),
	tool("change", "adds one tool, and says so n times"),
	tool("child", "starts a child that ignores what it can, and answers with its number"),
}

func tool(name, description string) map[string]any {
	return map[string]any{
		"name": name, "description": description, "inputSchema": anyObject,
		"annotations": map[string]any{"readOnlyHint": name == "echo", "destructiveHint": name == "die"},
	}
}

func text(t string) map[string]any { return map[string]any{"type": "text", "text": t} }

func content(blocks ...any) map[string]any { return map[string]any{"content": blocks} }

type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
	Meta      struct {
		Token any `json:"progressToken"`
	} `json:"_meta"`
	// Responses and State belong to protocol version 2026-07-28.
	Responses map[string]any `json:"inputResponses"`
	State     string         `json:"requestState"`
}

func argument(m message, name string) string {
	var c call
	_ = json.Unmarshal(m.Params, &c)
	if value := c.Arguments[name]; value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

func number(m message, name string) int {
	n, _ := strconv.ParseFloat(argument(m, name), 64)
	return int(n)
}

func (s *server) call(m message, reply func(any)) {
	var c call
	_ = json.Unmarshal(m.Params, &c)
	say := func(t string) { reply(content(text(t))) }
	switch c.Name {
	case "echo":
		say(argument(m, "text"))
	case "sleep", "work", "silent":
		s.wait(m, c, say)
	case "die":
		fmt.Fprintln(os.Stderr, "panic: out of luck")
		os.Exit(3)
	case "big":
		say(strings.Repeat("0123456789abcdef", number(m, "bytes")/16))
	case "fail":
		reply(map[string]any{"isError": true, "content": []any{text("no such table")}})
	case "refuse":
		s.send(message{ID: m.ID, Error: &fault{Code: -32602, Message: "text is missing"}})
	case "structured":
		reply(map[string]any{"content": []any{}, "structuredContent": map[string]any{"rows": []int{1, 2}}})
	case "media":
		s.sendRaw([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[` + media + "]}}"))
	case "ask":
		s.ask(m, c, reply)
	case "visit":
		s.visit(m, say)
	case "roots":
		say(s.outcome(s.request("roots/list", map[string]any{})))
	case "sample":
		say(s.outcome(s.request("sampling/createMessage", map[string]any{"maxTokens": 10, "messages": []any{}})))
	case "change":
		s.mu.Lock()
		s.extra++
		s.mu.Unlock()
		for range max(1, number(m, "n")) {
			s.notify("notifications/tools/list_changed", map[string]any{})
		}
		say("changed")
	case "child":
		say(strconv.Itoa(startChild()))
	default:
		s.send(message{ID: m.ID, Error: &fault{Code: -32602, Message: "there is no tool " + c.Name}})
	}
}

// media contains a byte in its first block that is not valid text.
const media = `{"type":"text","text":"a` + "\xff" + `b"},` +
	`{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"},` +
	`{"type":"resource","resource":{"uri":"memo://t","text":"T"}},{"type":"resource","resource":{"uri":"memo://b","blob":"AAE=","mimeType":"application/zip"}},` +
	`{"type":"resource_link","uri":"memo://l","name":"l"},{"type":"text","text":"for you","annotations":{"audience":["user"]}}`

// wait implements the tools that take time. A canceled call gets no answer.
func (s *server) wait(m message, c call, say func(string)) {
	canceled := make(chan struct{})
	s.mu.Lock()
	s.canceled[string(m.ID)] = canceled
	s.mu.Unlock()
	steps := max(1, number(m, "n"))
	if c.Name == "silent" {
		<-canceled
		return
	}
	for i := range steps {
		select {
		case <-time.After(time.Duration(number(m, "ms")) * time.Millisecond):
		case <-canceled:
			return
		}
		if c.Name == "work" {
			s.notify("notifications/progress", map[string]any{"progressToken": c.Meta.Token, "progress": i + 1, "total": steps, "message": "step"})
		}
	}
	say("done")
}

// ask asks the user a question, in the form of the protocol version in use.
func (s *server) ask(m message, c call, reply func(any)) {
	question := map[string]any{"mode": "form", "message": "Which?", "requestedSchema": c.Arguments["form"]}
	if address := argument(m, "url"); address != "" {
		question = map[string]any{"mode": "url", "message": "Open it", "url": address, "elicitationId": "e1"}
	}
	times := max(1, number(m, "n"))
	if !s.has("modern") {
		var last string
		for range times {
			last = s.outcome(s.request("elicitation/create", question))
		}
		reply(content(text(last)))
		return
	}
	round, _ := strconv.Atoi(c.State)
	if round < times {
		reply(map[string]any{
			"resultType": "input_required", "requestState": strconv.Itoa(round + 1),
			"inputRequests": map[string]any{"q": map[string]any{"method": "elicitation/create", "params": question}},
		})
		return
	}
	answers, _ := json.Marshal(c.Responses["q"])
	say := func(string) { reply(content(text(string(answers)))) }
	if number(m, "visit") > 0 {
		s.visit(m, say)
		return
	}
	say("")
}

// visit refuses the first call.
func (s *server) visit(m message, say func(string)) {
	s.mu.Lock()
	s.visits++
	first := s.visits == 1
	s.mu.Unlock()
	if !first {
		say("welcome")
		return
	}
	where := map[string]any{"mode": "url", "message": "Log in there", "url": argument(m, "url"), "elicitationId": "v1"}
	s.send(message{ID: m.ID, Error: &fault{Code: -32042, Message: "a visit is needed", Data: map[string]any{"elicitations": []any{where}}}})
	for range number(m, "told") { // the client may not be waiting yet
		time.Sleep(20 * time.Millisecond)
		s.notify("notifications/elicitation/complete", map[string]any{"elicitationId": "v1"})
	}
}

func (s *server) outcome(m message) string {
	if m.Error != nil {
		return "refused: " + m.Error.Message
	}
	answer, _ := json.Marshal(m.Result)
	return string(answer)
}

// childWord is the argument with which a test program becomes the child of the server.
const childWord = "mcptest-child"

// startChild starts a child in a separate session.
func startChild() int {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	child := exec.Command(program, childWord)
	child.Stdout = os.Stdout // keeps the server's standard output open
	inOwnSession(child)
	if err := child.Start(); err != nil {
		panic(err)
	}
	return child.Process.Pid
}

func beChild() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	time.Sleep(time.Hour)
}
