package sessionsearch

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/toolspec"
)

func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "15") // -rapid.checks raises it
	os.Exit(m.Run())
}

var start = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

// traitsOf returns the traits of the tools in the generated sessions.
func traitsOf(tool string) toolspec.Traits {
	switch tool {
	case "read_file":
		return toolspec.Traits{Reads: true, File: toolspec.FileNames}
	case "apply_patch":
		return toolspec.Traits{Edits: true, Density: toolspec.Density{Patch: []string{"input"}}}
	}
	return toolspec.Traits{}
}

// newSessions returns the search over an empty folder.
func newSessions(t testing.TB) Sessions {
	return Sessions{filepath.Join(t.TempDir(), "sessions"), traitsOf}
}

// A recording writes the log of a session record by record.
type recording struct {
	t    testing.TB
	path string
	seq  uint64
	at   time.Time
}

func (x Sessions) record(t testing.TB, folder, id, workspace string, at time.Time) *recording {
	t.Helper()
	r := &recording{t: t, path: filepath.Join(x.Folder, folder, id+".jsonl"), at: at}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		t.Fatal(err)
	}
	r.line("session", map[string]any{"id": id, "workspace": workspace, "pid": 1})
	return r
}

func (r *recording) line(kind string, payload any) {
	r.t.Helper()
	body, err := json.Marshal(payload)
	if err != nil {
		r.t.Fatal(err)
	}
	r.seq++
	r.at = r.at.Add(time.Second)
	r.raw(fmt.Sprintf(`{"v":1,"seq":%d,"ts":%q,"type":%q,"payload":%s}`+"\n", r.seq, r.at.Format(time.RFC3339Nano), kind, body))
}

func (r *recording) raw(text string) {
	r.t.Helper()
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		_ = f.Close()
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *recording) say(text string) { r.line("entry", history.HumanText(text)) }

// call records a call of a tool with an argument, and its result.
func (r *recording) call(tool, parameter, value, result string) {
	arguments, _ := json.Marshal(map[string]string{parameter: value})
	id := fmt.Sprint("c", r.seq)
	r.line("entry", history.New(history.AI, &history.ToolCall{ID: id, Name: tool, Parameters: arguments}))
	r.line("entry", history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: tool, Result: history.TextResult(result)}))
}

var vocabulary = strings.Fields(`alpha alphabet Beta beta_max gamma42 parse parser Parsing parsed error errors timeout
	time Übung übungen 世界 x y io reader read lock locked deadlock server client retry "quoted" foo.Bar a-b C++ don't`)

func text(r *rand.Rand, words int) string {
	list := make([]string, 1+r.Intn(words))
	for i := range list {
		list[i] = vocabulary[r.Intn(len(vocabulary))]
	}
	return strings.Join(list, []string{" ", "\n", ", "}[r.Intn(3)])
}

// grow appends a few generated entries.
func (r *recording) grow(from *rand.Rand, entries int) {
	for range entries {
		switch from.Intn(5) {
		case 0:
			r.say(text(from, 12))
		case 1:
			r.line("entry", history.New(history.AI, &history.Text{Text: text(from, 20)}))
		case 2:
			r.call("run_shell_command", "command", "go test ./"+text(from, 2), text(from, 40))
		case 3:
			r.call("read_file", "absolute_path", fmt.Sprintf("/home/w%d/internal/f%d.go", from.Intn(3), from.Intn(6)), text(from, 40))
		default:
			r.call("apply_patch", "input", fmt.Sprintf("*** Begin Patch\n*** Update File: internal/f%d.go\n@@\n-%s\n*** End Patch", from.Intn(6), text(from, 3)), "done")
		}
		if from.Intn(20) == 0 {
			r.line("title", map[string]string{"title": "renamed"})
			r.raw("{damaged}\n")
		}
	}
}

// sessions generates recordings in several workspaces.
func (x Sessions) sessions(t testing.TB, seed int64, n int) (all []*recording) {
	from := rand.New(rand.NewSource(seed))
	for i := range n {
		w := from.Intn(4)
		r := x.record(t, fmt.Sprintf("w%d-abcd", w), fmt.Sprintf("2026110%d-%06d-abcde", 1+i%9, i), fmt.Sprintf("/home/w%d", w), start.Add(time.Duration(from.Intn(30*24))*time.Hour+time.Duration(i)*time.Millisecond))
		r.grow(from, 1+from.Intn(12))
		all = append(all, r)
	}
	return all
}

// plain is an entry that a scan of the log finds.
type plain struct {
	id, workspace string
	seq           uint64
	d             document
}

// scan reads all logs without the prefilter and without the program's log reader.
func (x Sessions) scan(t testing.TB) (all []plain) {
	paths, err := filepath.Glob(filepath.Join(x.Folder, "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in, workspace := &reader{traits: x.Traits}, ""
		for line := range strings.SplitSeq(string(data), "\n") {
			var r struct {
				Seq     uint64
				TS      time.Time
				Type    string
				Payload json.RawMessage
			}
			if json.Unmarshal([]byte(line), &r) != nil {
				continue
			}
			if r.Type == "session" {
				var opened struct{ Workspace string }
				_ = json.Unmarshal(r.Payload, &opened)
				workspace = opened.Workspace
			}
			if r.Type != "entry" {
				continue
			}
			entry := new(history.Content)
			if err := entry.UnmarshalJSON(r.Payload); err != nil {
				t.Fatal(err)
			}
			if d, ok := in.document(entry, r.TS); ok {
				all = append(all, plain{strings.TrimSuffix(filepath.Base(path), ".jsonl"), workspace, r.Seq, d})
			}
		}
	}
	return all
}

// wordIn is the oracle: it reports whether a word matches in a text.
func wordIn(text, wanted string) bool {
	wanted = strings.ToLower(wanted)
	return slices.ContainsFunc(fields(text), func(word string) bool {
		return word == wanted || len([]rune(wanted)) >= 4 && strings.HasPrefix(word, wanted)
	})
}

func fields(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !strings.ContainsRune("_", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && r < 0x80
	})
}
