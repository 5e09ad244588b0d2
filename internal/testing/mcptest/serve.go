package mcptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// message is a received or sent message.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

type server struct {
	quirks []string
	mu     sync.Mutex
	asked  int
	// answers maps the IDs of the server's own requests to channels for the answers of the client.
	answers  map[string]chan message
	canceled map[string]chan struct{}
	extra    int // extra is the number of tools added during the session
	visits   int
}

func serve(quirks []string) {
	s := &server{quirks: quirks, answers: map[string]chan message{}, canceled: map[string]chan struct{}{}}
	if s.has("exit") {
		fmt.Fprintln(os.Stderr, "Error: missing API token")
		os.Exit(1)
	}
	if s.has("stubborn") {
		signal.Ignore(syscall.SIGTERM)
		defer func() { time.Sleep(time.Hour) }()
	}
	if s.has("stderr") {
		line := strings.Repeat("x", 1023) + "\n"
		for range 20 << 10 {
			fmt.Fprint(os.Stderr, line)
		}
	}
	if s.has("flood") {
		part := strings.Repeat("y", 1<<20)
		for range 64 {
			fmt.Print(part)
		}
		fmt.Println()
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		s.record(line)
		var m message
		if json.Unmarshal(line, &m) == nil {
			s.take(m)
		}
	}
}

func (s *server) quirk(name string) (value string, there bool) {
	for _, q := range s.quirks {
		if key, value, _ := strings.Cut(q, "="); key == name {
			return value, true
		}
	}
	return "", false
}

func (s *server) has(name string) bool { return slices.Contains(s.quirks, name) }

// record appends a message to the log file.
func (s *server) record(line []byte) {
	path, there := s.quirk("log")
	if !there {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = file.Write(line)
		_ = file.Close()
	}
}

func (s *server) send(m message) {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	s.sendRaw(text)
}

func (s *server) sendRaw(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has("banner") {
		fmt.Print("Server is listening…\n{\"jsonrpc\": broken\n{\"level\":\"info\",\"msg\":\"ready\"}\r\n\n\ufeff")
	}
	_, _ = os.Stdout.Write(append(text, '\n'))
}

func (s *server) notify(method string, params any) {
	text, _ := json.Marshal(params)
	s.send(message{Method: method, Params: text})
}

// request sends a request to the client and waits for the answer.
func (s *server) request(method string, params any) message {
	text, _ := json.Marshal(params)
	s.mu.Lock()
	s.asked++
	id := strconv.Quote("s" + strconv.Itoa(s.asked))
	answer := make(chan message, 1)
	s.answers[id] = answer
	s.mu.Unlock()
	s.send(message{ID: json.RawMessage(id), Method: method, Params: text})
	return <-answer
}

// take handles a message. It runs slow work on another goroutine.
func (s *server) take(m message) {
	if m.Method == "" {
		s.mu.Lock()
		answer := s.answers[string(m.ID)]
		s.mu.Unlock()
		if answer != nil {
			answer <- m
		}
		return
	}
	if s.has("mute=" + m.Method) {
		return
	}
	reply := func(result any) { s.send(message{ID: m.ID, Result: result}) }
	switch m.Method {
	case "initialize":
		if s.has("modern") {
			s.send(message{ID: m.ID, Error: &fault{Code: -32601, Message: "initialize is not known"}})
			return
		}
		if s.has("refuse") {
			s.send(message{ID: m.ID, Error: &fault{Code: -32000, Message: "the license has expired"}})
			return
		}
		reply(map[string]any{"protocolVersion": "2025-11-25", "serverInfo": serverInfo, "instructions": "Use echo.", "capabilities": capabilities})
	case "server/discover":
		if s.has("modern") {
			reply(map[string]any{"supportedVersions": []string{"2026-07-28"}, "capabilities": capabilities, "instructions": "Use echo.", "resultType": "complete"})
		}
	case "tools/list":
		s.list(m, reply)
	case "prompts/get":
		reply(map[string]any{"messages": []any{map[string]any{"role": "user", "content": text("Greet " + argument(m, "who") + ".")}}})
	case "notifications/cancelled":
		s.cancel(m)
	case "tools/call":
		go s.call(m, reply)
	default:
		if result := results[m.Method]; result != "" {
			reply(json.RawMessage(result))
		}
	}
}

// results maps methods to the answers that are always the same.
var results = map[string]string{
	"prompts/list":             `{"prompts":[{"name":"greet","arguments":[{"name":"who","required":true}]}]}`,
	"resources/list":           `{"resources":[{"uri":"memo://one","name":"one"}]}`,
	"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"memo://{name}","name":"memo"}]}`,
	"resources/read":           `{"contents":[{"uri":"memo://one","text":"One."}]}`,
	"ping":                     `{}`,
}

var (
	serverInfo   = map[string]any{"name": "mcptest", "version": "1"}
	capabilities = map[string]any{
		"tools": map[string]any{"listChanged": true}, "prompts": map[string]any{}, "resources": map[string]any{}, "logging": map[string]any{},
	}
)

// cancel ends a waiting call.
func (s *server) cancel(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.Params, &params)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.canceled[string(params.RequestID)]; c != nil {
		close(c)
		delete(s.canceled, string(params.RequestID))
	}
}

func (s *server) list(m message, reply func(any)) {
	if value, there := s.quirk("tools"); there && strings.HasPrefix(value, "@") {
		held, err := os.ReadFile(value[1:])
		if err != nil {
			panic(err)
		}
		reply(map[string]any{"tools": json.RawMessage(held)})
		return
	}
	var params struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &params)
	page, _ := strconv.Atoi(params.Cursor)
	result := map[string]any{"tools": []any{map[string]any{"name": "page" + strconv.Itoa(page), "inputSchema": anyObject}}}
	if s.has("pages") {
		result["nextCursor"] = strconv.Itoa(page + 1)
		reply(result)
		return
	}
	list := slices.Clone(tools)
	value, _ := s.quirk("tools")
	more, _ := strconv.Atoi(value)
	s.mu.Lock()
	more += s.extra
	s.mu.Unlock()
	for i := range more {
		list = append(list, map[string]any{"name": "extra" + strconv.Itoa(i), "inputSchema": anyObject})
	}
	reply(map[string]any{"tools": list})
}
