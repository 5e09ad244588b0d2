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
	"agent/internal/history"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// allEvents has one of each event of the turn loop. TestEveryEventIsAttacked compares the list with
// the source.
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
	chat.AsideChanged{},
	chat.CompressionStarted{},
	chat.ProgramWaiting{},
	chat.Compressed{},
	chat.UsageReported{},
	chat.Retry{},
	chat.Searched{},
	chat.Waiting{},
	chat.Warmed{},
	chat.Notice{},
	chat.TurnCost{},
	chat.Noted{},
	chat.AgentWaiting{},
	chat.AgentStarted{},
	chat.AgentChanged{},
	chat.AgentEnded{},
	chat.AgentEvent{},
	chat.QueueChanged{},
	chat.StatusChanged{},
}

// attack contains control sequences and invisible characters between letters that identify them.
const attack = "ZQ\x1b]52;c;UFdO\x07ZR\x1b[35;7mZS\x9b31mZT\u009b2JZU\u202eZV\u2066ZW\U00016fe4ZX\U0001d159ZY\x1bcZ0\x1bP$q\x1b\\Z1\u2800Z2\x08Z3\U000e0041Z4\x1b]0;t\x1b\\Z5\u200bZ6"

// attackedValues returns values of a type. In each value another string is the attack. If others is set,
// all other fields are filled too.
func attackedValues(of reflect.Type, attack string, others bool) []reflect.Value {
	var all []reflect.Value
	for target := 0; ; target++ {
		f := filler{attack: attack, target: target, others: others}
		v := reflect.New(of).Elem()
		if !f.fill(v, 0) {
			return all
		}
		all = append(all, v)
	}
}

type filler struct {
	attack          string
	target, strings int
	others          bool
}

// fill fills v and reports whether it contains the attack. A pointer, a slice or a map is set if it
// contains the attack, or if all fields are filled. fill panics for an unknown kind, so that a new
// field is not missed.
func (f *filler) fill(v reflect.Value, depth int) (hit bool) {
	if depth > 8 || !v.CanSet() {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		if hit = f.next(); hit {
			v.SetString(f.attack)
		} else if f.others {
			v.SetString("x")
		}
	case reflect.Interface:
		var attack any
		switch v.Type() {
		case reflect.TypeFor[error]():
			attack = errors.New(f.attack)
		case reflect.TypeFor[history.Block]():
			attack = &history.Text{Text: f.attack}
		case reflect.TypeFor[chat.Event]():
			attack = chat.Notice{Text: f.attack}
		default:
			panic(fmt.Sprintf("nothing is attacked in a %s", v.Type()))
		}
		if hit = f.next(); hit {
			v.Set(reflect.ValueOf(attack))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return false
		}
		for i := range v.NumField() {
			hit = f.fill(v.Field(i), depth+1) || hit
		}
	case reflect.Pointer:
		to := reflect.New(v.Type().Elem())
		if hit = f.fill(to.Elem(), depth+1); hit || f.others {
			v.Set(to)
		}
	case reflect.Array:
		for i := range v.Len() {
			hit = f.fill(v.Index(i), depth+1) || hit
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if hit = f.next(); hit {
				quoted, _ := json.Marshal(map[string]string{"path": f.attack})
				v.SetBytes(quoted)
			}
			return hit
		}
		two := reflect.MakeSlice(v.Type(), 2, 2)
		for i := range two.Len() {
			hit = f.fill(two.Index(i), depth+1) || hit
		}
		if hit || f.others {
			v.Set(two)
		}
	case reflect.Map:
		all := reflect.MakeMap(v.Type())
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			hit = f.fill(key, depth+1) || hit
			hit = f.fill(value, depth+1) || hit
			all.SetMapIndex(key, value)
		}
		if hit || f.others {
			v.Set(all)
		}
	case reflect.Bool:
		v.SetBool(f.others)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if f.others {
			v.SetInt(1)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if f.others {
			v.SetUint(1)
		}
	case reflect.Float32, reflect.Float64:
		if f.others {
			v.SetFloat(1)
		}
	case reflect.Func, reflect.Chan: // no text
	default:
		panic(fmt.Sprintf("nothing is attacked in a %s", v.Type()))
	}
	return hit
}

// next reports whether the next string is the attack.
func (f *filler) next() bool {
	f.strings++
	return f.strings-1 == f.target
}

// attacks returns messages to the model by name. In each message, one string is the attack.
func attacks(attack string) map[string]tea.Msg {
	all := map[string]tea.Msg{}
	for _, others := range []bool{false, true} {
		for _, event := range allEvents {
			for i, v := range attackedValues(reflect.TypeOf(event), attack, others) {
				all[fmt.Sprintf("%T %d %t", event, i, others)] = eventsMsg{v.Interface().(chat.Event)}
			}
		}
		for i, v := range attackedValues(reflect.TypeFor[command.Output](), attack, others) {
			output := v.Interface().(command.Output)
			output.Quit = false
			if output.Copy == attack {
				continue // the text goes to the clipboard, encoded
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

// firstControl returns the first character of a terminal output that is not shown as text: a control
// character or an invisible one.
func firstControl(out string) string {
	if !utf8.ValidString(out) {
		return "bytes that are no UTF-8"
	}
	for _, r := range out {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || style.IsHiding(r) {
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// The terminal obeys no text of a model, a tool, a server, a file or a command. The test attacks
// every string of every event and of every command output separately, and checks the bytes for the
// terminal.
func TestNoTextIsObeyedByTheTerminal(t *testing.T) {
	t.Parallel()
	shown := 0
	for name, message := range attacks(attack) {
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
			for _, row := range append(slices.Clone(s.model.live), s.model.surface.transcript.LayOutAgain(s.model.surface.theme, 59)...) {
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
		for _, key := range strings.Fields("v q ctrl+o right q pgdown down up right left tab space down enter enter up e esc q n") {
			k := term.Key{Name: key}
			if len(key) == 1 {
				k.Text = key
			}
			step(inputMsg{k})
			s.clock = s.clock.Add(time.Second)
			step(wakeMsg{})
		}
		step(eventsMsg{chat.TurnEnded{Err: errors.New("x")}})
		screen.Close()
		got := out.String()
		if strings.Contains(got, "ZQ") {
			shown++
		}
		if what := firstControl(withoutOwnSequences(got)); what != "" {
			t.Errorf("%s: the terminal gets %s in %q", name, what, got)
		}
	}
	if shown < 40 {
		t.Errorf("only %d of the attacks reached the screen: they are not tried", shown)
	}
}

// moves matches the numbered sequences of the screen that move the cursor.
var moves = regexp.MustCompile(`\x1b\[[0-9;]*[ABCDH]`)

// withoutOwnSequences removes the screen's own sequences from an output.
func withoutOwnSequences(out string) string {
	for _, title := range []string{"", "? ", "* "} {
		out = strings.ReplaceAll(out, "\x1b]2;"+title+"agent: project\x1b\\", "")
	}
	out = strings.NewReplacer("\x1b]9;", "", "\x1b\\", "", "\r", "", "\a", "", "\x1b[?25l", "", "\x1b[?25h", "", "\x1b[?2026h", "", "\x1b[?2026l", "",
		"\x1b[?1049h", "", "\x1b[?1049l", "", "\x1b[K", "", "\x1b[A", "", "\x1b[C", "", "\x1b[B", "", "\x1b[2J", "", "\x1b[3J", "", "\x1b[H", "").Replace(out)
	return moves.ReplaceAllString(out, "")
}

// The same test for the plain mode, which only prints lines.
func TestNoTextIsObeyedInPlainMode(t *testing.T) {
	t.Parallel()
	shown := 0
	for name, message := range attacks(attack) {
		var out strings.Builder
		p := &plain{
			model: newModel(t.Context(), Options{Driver: &fakeDriver{}, Commands: fakeCommands{}, Now: time.Now, Environ: []string{"TERM=dumb"}, Plain: true}, 80, 1000),
			out:   &out,
		}
		p.take(eventsMsg{chat.TurnStarted{}})
		p.take(message)
		p.take(eventsMsg{chat.TurnEnded{}})
		if strings.Contains(out.String(), "ZQ") {
			shown++
		}
		if what := firstControl(out.String()); what != "" {
			t.Errorf("%s: the terminal gets %s in %q", name, what, out.String())
		}
	}
	if shown < 40 {
		t.Errorf("only %d of the attacks were printed: they are not tried", shown)
	}
}

// longEvents are the events whose text may have any length, because a user wants to read it.
var longEvents = map[reflect.Type]bool{
	reflect.TypeFor[chat.UserMessage]():       true,
	reflect.TypeFor[chat.TextDelta]():         true,
	reflect.TypeFor[chat.ReplyEnded]():        true,
	reflect.TypeFor[chat.ApprovalRequested](): true,
}

// No other text fills the screen with lines or blank lines, whoever wrote it.
func TestNoNoticeFillsTheScreen(t *testing.T) {
	t.Parallel()
	const most = 60
	for _, attack := range []string{"ZQ" + strings.Repeat("\n", 400) + "Z", strings.Repeat("ZQ\n", 400), strings.Repeat("ZQ\r \u200b", 400), strings.Repeat("ZQ", 10_000)} {
		shown := 0
		for name, message := range attacks(attack) {
			events, ok := message.(eventsMsg)
			if !ok || longEvents[reflect.TypeOf(events[0])] {
				continue
			}
			var out strings.Builder
			p := &plain{
				model: newModel(t.Context(), Options{Driver: &fakeDriver{}, Commands: fakeCommands{}, Now: time.Now, Environ: []string{"TERM=dumb"}, Plain: true}, 80, 1000),
				out:   &out,
			}
			p.take(eventsMsg{chat.TurnStarted{}})
			p.take(message)
			p.take(eventsMsg{chat.TurnEnded{}})
			if strings.Contains(out.String(), "ZQ") {
				shown++
			}
			if rows := strings.Count(out.String(), "\n"); rows > most {
				t.Errorf("%s prints %d lines: %.200q", name, rows, out.String())
			}
			if len(out.String()) > most*200 {
				t.Errorf("%s prints %d bytes: %.200q", name, len(out.String()), out.String())
			}
		}
		if shown < 15 {
			t.Errorf("only %d of the texts were printed: they are not tried", shown)
		}
	}
}

// Text from before the session is cleaned too.
func TestNoOptionIsObeyedByTheTerminal(t *testing.T) {
	t.Parallel()
	for i, v := range attackedValues(reflect.TypeFor[EarlierConversation](), attack, true) {
		var out bytes.Buffer
		screen := term.NewScreen(&out, nil)
		s := newScreenplayFor(t, 60, 24, func(o *Options) {
			o.Environ = []string{"TERM=xterm-kitty", "NO_COLOR=1"}
			o.Greeting, o.Workspace = []string{attack}, "/home/project/"+strings.ReplaceAll(attack, "/", "")
			o.Earlier = v.Interface().(EarlierConversation)
		})
		screen.Post(s.model.frame())
		screen.Close()
		if what := firstControl(withoutOwnSequences(out.String())); what != "" || !strings.Contains(out.String(), "ZQ") {
			t.Errorf("%d: the terminal gets %s in %q", i, what, out.String())
		}
	}
}

// A new event of the turn loop must be in the list of attacked events.
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
