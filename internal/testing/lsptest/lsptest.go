// Package lsptest is a language server for tests. It resolves plain words, and imitates the faults
// of real servers.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// The faults of the server, as values of the variable LSPTEST.
const (
	// FaultDies ends the server at the first request.
	FaultDies = "dies"
	// FaultSilent answers no request.
	FaultSilent = "silent"
	// FaultMute answers nothing at all.
	FaultMute = "mute"
	// FaultWaits connects to the address that follows it, and answers the first message when the
	// connection ends.
	FaultWaits = "waits for "
	// FaultFloods sends a message of one gigabyte before its answer.
	FaultFloods = "floods"
	// FaultTwice sends each answer twice.
	FaultTwice = "twice"
	// FaultOutside adds a location outside the workspace.
	FaultOutside = "outside"
	// FaultMany answers with 20000 locations.
	FaultMany = "many"
	// FaultOverlaps adds an edit that overlaps another one.
	FaultOverlaps = "overlaps"
	// FaultBeyond moves every range past the end of its file.
	FaultBeyond = "beyond"
	// FaultLoads finds only one reference until its progress has ended. The first request for
	// references starts the progress.
	FaultLoads = "loads"
	// FaultOther renames another word.
	FaultOther = "other"
	// FaultCreates also renames a file.
	FaultCreates = "creates"
	// FaultStrings does not find words in double quotes.
	FaultStrings = "strings"
	// FaultClosed does not find words in files that are not open, and renames in one file only.
	FaultClosed = "closed"
	// FaultKeeps is like FaultClosed, and does not rename the name in imports.
	FaultKeeps = "keeps"
	// FaultLoses omits the locations in other files. It still returns where a name is declared: in
	// z.py.
	FaultLoses = "loses"
	// FaultGrows omits the last location in the first answer about references.
	FaultGrows = "grows"
	// FaultNull answers with null.
	FaultNull = "null"
)

// Run runs the server and exits if the test program was started as a language server. TestMain must
// call it first.
func Run() {
	if fault, is := os.LookupEnv("LSPTEST"); is {
		(&server{in: bufio.NewReader(os.Stdin), fault: fault, files: map[string]string{}, open: map[string]bool{}}).run()
		os.Exit(0)
	}
}

// Environ returns an environment in which gopls and the other programs are this server with a
// fault.
func Environ(t testing.TB, fault string, programs ...string) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the server is a link to the test program")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, program := range append(programs, "gopls") {
		if err := os.Symlink(self, filepath.Join(bin, program)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin, "HOME=" + t.TempDir(), "LSPTEST=" + fault}
}

type server struct {
	in    *bufio.Reader
	fault string
	root  string
	// files maps paths to the contents that the client has sent. open holds the files that are open
	// in the client.
	files map[string]string
	open  map[string]bool
	// asked counts the questions, and references those about references.
	asked, references int
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result any             `json:"result"`
}

func (s *server) read() (m message, ok bool) {
	length := 0
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return m, false
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if value, is := strings.CutPrefix(line, "Content-Length: "); is {
			length, _ = strconv.Atoi(value)
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(s.in, body); err != nil {
		return m, false
	}
	return m, json.Unmarshal(body, &m) == nil
}

func (s *server) write(fields map[string]any) {
	fields["jsonrpc"] = "2.0"
	body, _ := json.Marshal(fields)
	fmt.Printf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (s *server) run() {
	for {
		m, ok := s.read()
		if !ok {
			return
		}
		if result, asked := s.handle(m); asked && len(m.ID) > 0 {
			s.write(map[string]any{"id": m.ID, "result": result})
			if s.fault == FaultTwice {
				s.write(map[string]any{"id": m.ID, "result": []any{}})
			}
		}
	}
}

// params has the parameters of all requests that the server reads.
type params struct {
	RootURI      string `json:"rootUri"`
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
	Position       position `json:"position"`
	NewName        string   `json:"newName"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
	Changes []struct {
		URI  string `json:"uri"`
		Type int    `json:"type"`
	} `json:"changes"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

func (s *server) handle(m message) (result any, asked bool) {
	var p params
	_ = json.Unmarshal(m.Params, &p)
	path := pathOf(p.TextDocument.URI)
	switch m.Method {
	case "":
		if values, _ := m.Result.([]any); string(m.ID) == `"c"` && len(values) != 2 {
			fmt.Fprintln(os.Stderr, "two items were asked for")
			os.Exit(3)
		}
	case "initialize":
		if s.fault == FaultMute {
			return nil, false
		}
		if address, waits := strings.CutPrefix(s.fault, FaultWaits); waits {
			if c, err := net.Dial("tcp", address); err == nil {
				_, _ = io.ReadAll(c)
			}
		}
		s.root = pathOf(p.RootURI)
		return map[string]any{"capabilities": map[string]any{"positionEncoding": "utf-16"}}, true
	case "initialized":
		// A client that answers with fewer items than requested waits forever.
		s.write(map[string]any{"id": "c", "method": "workspace/configuration", "params": map[string]any{"items": []any{map[string]string{"section": "gopls"}, map[string]string{"section": "none"}}}})
		_ = filepath.WalkDir(s.root, func(path string, _ os.DirEntry, _ error) error { s.load(path); return nil })
	case "textDocument/didOpen":
		s.files[path], s.open[path] = p.TextDocument.Text, true
	case "textDocument/didChange":
		s.files[path] = p.ContentChanges[0].Text
	case "textDocument/didClose":
		delete(s.open, path)
		s.load(path)
	case "workspace/didChangeWatchedFiles":
		for _, change := range p.Changes {
			if file := pathOf(change.URI); !s.open[file] {
				s.load(file)
			}
		}
	case "textDocument/diagnostic":
		problems := []any{map[string]any{"range": span(position{}, 0), "severity": 4, "message": "a hint"}}
		for _, at := range words(s.files[path], "broken") {
			problems = append(problems, map[string]any{"range": span(at, 6), "severity": 1, "message": "undefined:\n\x1b[31mbroken"})
		}
		return map[string]any{"kind": "full", "items": problems}, true
	case "textDocument/definition", "textDocument/references", "textDocument/rename", "textDocument/hover", "textDocument/prepareCallHierarchy":
		if s.asked++; s.fault == FaultDies {
			fmt.Fprintln(os.Stderr, "panic: \x1b[31mit dies\x1b[0m")
			os.Exit(2)
		}
		return s.answer(m.Method, path, p)
	case "callHierarchy/incomingCalls":
		var call struct {
			Item struct{ URI string } `json:"item"`
		}
		_ = json.Unmarshal(m.Params, &call)
		return []any{map[string]any{"from": map[string]any{"name": "caller", "uri": call.Item.URI}, "fromRanges": []any{span(position{}, 1)}}}, true
	}
	return nil, false
}

// load reads a source file from disk.
func (s *server) load(path string) {
	if !slices.Contains([]string{".go", ".py", ".c"}, filepath.Ext(path)) || s.open[path] || s.fault == FaultClosed || s.fault == FaultKeeps {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		delete(s.files, path)
		return
	}
	s.files[path] = string(text)
}

// answer answers a request about the word at a position.
func (s *server) answer(method, path string, p params) (result any, asked bool) {
	switch s.fault {
	case FaultSilent:
		return nil, false
	case FaultFloods:
		fmt.Print("Content-Length: 1073741824\r\n\r\n")
		for {
			if _, err := fmt.Print(strings.Repeat(" ", 1<<16)); err != nil {
				os.Exit(0)
			}
		}
	case FaultNull:
		return nil, true
	case FaultStrings:
		if inString(s.files[path], p.Position) {
			return nil, true
		}
	}
	word := s.wordAt(path, p.Position)
	if s.fault == FaultOther && method == "textDocument/rename" {
		word = "package"
	}
	var places []any
	edits := map[string][]any{}
	for _, file := range slices.Sorted(keys(s.files)) {
		for _, at := range words(s.files[file], word) {
			if s.fault == FaultStrings && inString(s.files[file], at) {
				continue
			}
			if s.fault == FaultBeyond {
				at.Line += 1000
			}
			uri := (&url.URL{Scheme: "file", Path: file}).String()
			if s.fault == FaultLoses && strings.HasSuffix(path, ".py") && filepath.Base(path) != "z.py" && (file == path) == (method == "textDocument/definition") {
				continue
			}
			places = append(places, map[string]any{"uri": uri, "range": span(at, len(utf16.Encode([]rune(word))))})
			if (s.fault == FaultClosed || s.fault == FaultKeeps) && file != path {
				continue
			}
			if s.fault == FaultKeeps {
				p.NewName = word + " as " + strings.TrimPrefix(p.NewName, word+" as ")
			}
			edits[uri] = append(edits[uri], map[string]any{"range": span(at, len(word)), "newText": p.NewName})
			if s.fault == FaultOverlaps {
				edits[uri] = append(edits[uri], map[string]any{"range": span(at, len(word)), "newText": p.NewName + "2"})
			}
		}
	}
	if method == "textDocument/references" {
		s.references++
	}
	if s.fault == FaultGrows && s.references == 1 && len(places) > 0 {
		places = places[:len(places)-1]
	}
	if s.fault == FaultOutside {
		places = append(places, map[string]any{"uri": "file:///etc/hosts", "range": span(position{}, 1)})
		edits["file:///etc/hosts"] = []any{map[string]any{"range": span(position{}, 0), "newText": "x"}}
	}
	for s.fault == FaultMany && len(places) < 20_000 {
		places = append(places, map[string]any{"uri": (&url.URL{Scheme: "file", Path: path}).String(), "range": span(position{len(places), 0}, 0)})
	}
	switch method {
	case "textDocument/hover":
		return map[string]any{"contents": []any{"func \x1b[31m" + word, map[string]string{"language": "go", "value": "its text"}}}, true
	case "textDocument/definition":
		if len(places) > 0 {
			return places[0], true
		}
		return []any{}, true
	case "textDocument/prepareCallHierarchy":
		return []any{map[string]any{"name": word, "uri": (&url.URL{Scheme: "file", Path: path}).String()}}, true
	case "textDocument/rename":
		changes := []any{}
		if s.fault == FaultCreates {
			changes = append(changes, map[string]any{"kind": "create", "uri": "file:///tmp/x"})
		}
		for uri, list := range edits {
			changes = append(changes, map[string]any{"textDocument": map[string]any{"uri": uri}, "edits": list})
		}
		return map[string]any{"changes": map[string]any{}, "documentChanges": changes}, true
	}
	if s.fault == FaultLoads && s.asked == 1 {
		progress := func(kind string) {
			s.write(map[string]any{"method": "$/progress", "params": map[string]any{"token": 1, "value": map[string]string{"kind": kind}}})
		}
		progress("begin")
		defer progress("end")
		return places[:1], true
	}
	return places, true
}

// inString reports whether a position in a text of ASCII is in double quotes.
func inString(text string, at position) bool {
	line := strings.Split(text, "\n")[at.Line]
	return strings.Count(line[:at.Character], `"`)%2 == 1
}

func (s *server) wordAt(path string, at position) string {
	for _, found := range allWords(s.files[path]) {
		if found.at == at {
			return found.word
		}
	}
	return ""
}

type found struct {
	word string
	at   position
}

// allWords returns the words of a text with their positions in UTF-16 units.
func allWords(text string) (all []found) {
	for n, line := range strings.Split(text, "\n") {
		units, begin, word := 0, 0, ""
		for _, r := range line + " " {
			switch isWord := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'; {
			case isWord && word == "":
				begin, word = units, string(r)
			case isWord:
				word += string(r)
			case word != "":
				all, word = append(all, found{word, position{n, begin}}), ""
			}
			units += utf16.RuneLen(r)
		}
	}
	return all
}

func words(text, word string) (places []position) {
	for _, f := range allWords(text) {
		if f.word == word {
			places = append(places, f.at)
		}
	}
	return places
}

func span(at position, length int) map[string]any {
	return map[string]any{"start": at, "end": position{at.Line, at.Character + length}}
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

func pathOf(uri string) string {
	parsed, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return parsed.Path
}
