package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// allEvents is one of each event of the turn loop. TestEveryEventIsAttacked compares the
// list with the source.
var allEvents = []chat.Event{
	chat.TurnStarted{},
	chat.TurnEnded{},
	chat.UserMessage{},
	chat.MessageReturned{},
	chat.TextDelta{},
	chat.ReasoningDelta{},
	chat.TextWasThinking{},
	chat.ReplyDiscarded{},
	chat.ReplyEnded{},
	chat.CallArriving{},
	chat.CallRequested{},
	chat.ToolStarted{},
	chat.ToolOutput{},
	chat.ToolEnded{},
	chat.ApprovalRequested{},
	chat.ApprovalSettled{},
	chat.DensityApplied{},
	chat.RequestStarted{},
	chat.CompressionStarted{},
	chat.ProgramWaiting{},
	chat.CompressionProgress{},
	chat.Compressed{},
	chat.UsageReported{},
	chat.Retry{},
	chat.Waiting{},
	chat.Notice{},
	chat.QueueChanged{},
	chat.StatusChanged{},
}

// attack holds what a terminal obeys or shows as nothing, between letters to find it by.
const attack = "ZQ\x1b]52;c;UFdO\x07ZR\x1b[35;7mZS\x9b31mZT\u009b2JZU\u202eZV\u2066ZW\U00016fe4ZX\U0001d159ZY\x1bcZ0\x1bP$q\x1b\\Z1\u2800Z2\x08Z3\U000e0041Z4\x1b]0;t\x1b\\Z5"

// attacked returns the values of a type in which one string, another one in each, holds
// the attack. With others set the rest of each value is filled too.
func attacked(of reflect.Type, others bool) []reflect.Value {
	var all []reflect.Value
	for target := 0; ; target++ {
		f := filler{target: target, others: others}
		v := reflect.New(of).Elem()
		if !f.fill(v, 0) {
			return all
		}
		all = append(all, v)
	}
}

type filler struct {
	target, strings int
	others          bool
}

// fill fills v and reports whether the attack is in it. What is reached by a pointer or a
// slice is there when the attack is in it, or all is to be filled.
func (f *filler) fill(v reflect.Value, depth int) (hit bool) {
	if depth > 8 || !v.CanSet() {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		if hit = f.next(); hit {
			v.SetString(attack)
		} else if f.others {
			v.SetString("x")
		}
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[error]() {
			if hit = f.next(); hit {
				v.Set(reflect.ValueOf(errors.New(attack)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			hit = f.fill(v.Field(i), depth+1) || hit
		}
	case reflect.Pointer:
		to := reflect.New(v.Type().Elem())
		if hit = f.fill(to.Elem(), depth+1); hit || f.others {
			v.Set(to)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			if hit = f.next(); hit {
				quoted, _ := json.Marshal(map[string]string{"path": attack})
				v.SetBytes(quoted)
			}
			return hit
		}
		one := reflect.MakeSlice(v.Type(), 1, 1)
		if hit = f.fill(one.Index(0), depth+1); hit || f.others {
			v.Set(one)
		}
	case reflect.Bool:
		v.SetBool(f.others)
	case reflect.Int, reflect.Int64:
		if f.others {
			v.SetInt(1)
		}
	}
	return hit
}

// next reports whether the string that comes is the one to attack.
func (f *filler) next() bool {
	f.strings++
	return f.strings-1 == f.target
}

// attacks are messages to the model of which one string holds the attack, by its name.
func attacks() map[string]tea.Msg {
	all := map[string]tea.Msg{}
	for _, others := range []bool{false, true} {
		for _, event := range allEvents {
			for i, v := range attacked(reflect.TypeOf(event), others) {
				all[fmt.Sprintf("%T %d %t", event, i, others)] = eventsMsg{v.Interface().(chat.Event)}
			}
		}
		for i, v := range attacked(reflect.TypeFor[command.Output](), others) {
			output := v.Interface().(command.Output)
			output.Quit = false
			if output.Copy == attack {
				continue // it goes to the clipboard, encoded
			}
			all[fmt.Sprintf("output %d %t", i, others)] = commandMsg{line: "/x", output: output}
			output.Pick = nil
			all[fmt.Sprintf("output without a list %d %t", i, others)] = commandMsg{line: "/x", output: output}
		}
	}
	all["command"] = commandMsg{line: "/x " + attack, err: errors.New(attack)}
	all["branch"] = branchMsg(attack)
	all["found"] = foundMsg(attack)
	all["note"] = noteMsg{attack}
	return all
}

// obeyed says what of a text that goes to a terminal is not shown as text: the first
// character that is obeyed or not seen.
func obeyed(out string) string {
	if !utf8.ValidString(out) {
		return "bytes that are no UTF-8"
	}
	for _, r := range out {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || style.Hides(r) {
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// No text that comes from a model, a tool, a server, a file or a command is obeyed by the
// terminal: every string of every event and of what commands show is attacked by itself,
// and the bytes that the terminal gets are looked at.
func TestNoTextIsObeyedByTheTerminal(t *testing.T) {
	t.Parallel()
	shown := 0
	for name, message := range attacks() {
		var out bytes.Buffer
		screen := term.NewScreen(&out, nil)
		s := newScreenplayFor(t, 60, 24, func(o *Options) {
			o.Environ = []string{"TERM=xterm-kitty", "NO_COLOR=1"}
			o.Branch = nil
		})
		post := func() {
			screen.Post(s.model.frame())
			screen.Flush()
		}
		step := func(message tea.Msg) {
			s.model.update(message)
			for _, row := range append(slices.Clone(s.model.live), s.model.transcript.Again(s.model.theme, 59)...) {
				if style.Seal(row) != row {
					t.Errorf("%s: what is laid out is not what is shown: %q", name, row)
				}
			}
			post()
		}
		step(inputMsg{term.Focus(false)})
		step(eventsMsg{chat.TurnStarted{}})
		step(message)
		s.clock = s.clock.Add(time.Second)
		for _, key := range []term.Key{{Name: "v", Text: "v"}, {Name: "q", Text: "q"}, {Name: "ctrl+o"}, {Name: "right"}, {Name: "q", Text: "q"}, {Name: "n", Text: "n"}} {
			step(inputMsg{key})
			s.clock = s.clock.Add(time.Second)
			step(wakeMsg{})
		}
		step(eventsMsg{chat.TurnEnded{Err: errors.New("x")}})
		screen.Close()
		got := out.String()
		if strings.Contains(got, "ZQ") {
			shown++
		}
		if what := obeyed(ours(got)); what != "" {
			t.Errorf("%s: the terminal gets %s in %q", name, what, got)
		}
	}
	if shown < 40 {
		t.Errorf("only %d of the attacks reached the screen: they are not tried", shown)
	}
}

// moves are the sequences with numbers by which the screen moves the cursor.
var moves = regexp.MustCompile(`\x1b\[[0-9;]*[ABCDH]`)

// ours is what goes to the terminal without the sequences that are the screen's own.
func ours(out string) string {
	for _, title := range []string{"", "? ", "* "} {
		out = strings.ReplaceAll(out, "\x1b]2;"+title+"agent: project\x1b\\", "")
	}
	out = strings.NewReplacer("\x1b]9;", "", "\x1b\\", "", "\r", "", "\a", "", "\x1b[?25l", "", "\x1b[?25h", "", "\x1b[?2026h", "", "\x1b[?2026l", "",
		"\x1b[?1049h", "", "\x1b[?1049l", "", "\x1b[K", "", "\x1b[A", "", "\x1b[C", "", "\x1b[B", "", "\x1b[2J", "", "\x1b[3J", "", "\x1b[H", "").Replace(out)
	return moves.ReplaceAllString(out, "")
}

// The same where nothing but lines are printed: what a screen reader gets.
func TestNoTextIsObeyedInPlainMode(t *testing.T) {
	t.Parallel()
	shown := 0
	for name, message := range attacks() {
		var out strings.Builder
		p := &plain{
			model: newModel(t.Context(), Options{Driver: &fakeDriver{}, Commands: fakeCommands{}, Now: time.Now, Environ: []string{"TERM=dumb"}, Plain: true}, 80, 1000),
			out:   &out, inbox: make(chan tea.Msg, 64), ended: make(chan struct{}),
		}
		p.take(eventsMsg{chat.TurnStarted{}})
		p.take(message)
		p.take(eventsMsg{chat.TurnEnded{}})
		close(p.ended)
		if strings.Contains(out.String(), "ZQ") {
			shown++
		}
		if what := obeyed(out.String()); what != "" {
			t.Errorf("%s: the terminal gets %s in %q", name, what, out.String())
		}
	}
	if shown < 40 {
		t.Errorf("only %d of the attacks were printed: they are not tried", shown)
	}
}

// What was shown before the session is cleaned too.
func TestNoOptionIsObeyedByTheTerminal(t *testing.T) {
	t.Parallel()
	for i, v := range attacked(reflect.TypeFor[Earlier](), true) {
		var out bytes.Buffer
		screen := term.NewScreen(&out, nil)
		s := newScreenplayFor(t, 60, 24, func(o *Options) {
			o.Environ = []string{"TERM=xterm-kitty", "NO_COLOR=1"}
			o.Greeting, o.Workspace = []string{attack}, "/home/project/"+strings.ReplaceAll(attack, "/", "")
			o.Earlier = v.Interface().(Earlier)
		})
		screen.Post(s.model.frame())
		screen.Close()
		if what := obeyed(ours(out.String())); what != "" || !strings.Contains(out.String(), "ZQ") {
			t.Errorf("%d: the terminal gets %s in %q", i, what, out.String())
		}
	}
}

// An event that is added to the turn loop is attacked too.
func TestEveryEventIsAttacked(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, event := range allEvents {
		listed[reflect.TypeOf(event).Name()] = true
	}
	files, err := filepath.Glob("../chat/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "event" {
				continue
			}
			if name, ok := fn.Recv.List[0].Type.(*ast.Ident); ok && !listed[name.Name] {
				t.Errorf("the event %s is not in allEvents", name.Name)
			}
		}
	}
}
