package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
)

// allEvents are the events, one of each kind.
var allEvents = []Event{
	TurnStarted{},
	TurnEnded{},
	UserMessage{},
	MessageReturned{},
	TextDelta{},
	ReasoningDelta{},
	TextWasThinking{},
	ReplyDiscarded{},
	ReplyEnded{},
	CallArriving{},
	CallRequested{},
	ToolStarted{},
	ToolOutput{},
	ToolEnded{},
	ApprovalRequested{},
	ApprovalSettled{},
	DensityApplied{},
	RequestStarted{},
	CompressionStarted{},
	CompressionProgress{},
	Compressed{},
	UsageReported{},
	Retry{},
	Waiting{},
	Notice{},
	QueueChanged{},
	StatusChanged{},
}

// Every event is a plain value: each text in it is in its JSON, with the conversation and
// its kind.
func TestEveryEventCanBeWrittenAsJSON(t *testing.T) {
	t.Parallel()
	var kinds []string
	for _, empty := range allEvents {
		kinds = append(kinds, Kind(empty))
		value := reflect.New(reflect.TypeOf(empty)).Elem()
		f := filler{}
		f.fill(t, value, Kind(empty))
		data, err := json.Marshal(Envelope{Conversation: "c1", Event: value.Interface().(Event)})
		if err != nil {
			t.Errorf("%s: %v", Kind(empty), err)
			continue
		}
		if head := fmt.Sprintf(`{"conversation":"c1","kind":%q,`, Kind(empty)); !strings.HasPrefix(string(data), head) {
			t.Errorf("%s begins %.60s", Kind(empty), data)
		}
		for _, text := range f.texts {
			if !strings.Contains(string(data), text) {
				t.Errorf("%s: no %s in %s", Kind(empty), text, data)
			}
		}
	}
	if declared := declaredEvents(t); !slices.Equal(slices.Sorted(slices.Values(kinds)), declared) {
		t.Errorf("the events are %v, tested were %v", declared, kinds)
	}
}

// filler fills values with texts that are all different.
type filler struct{ texts []string }

func (f *filler) fill(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	if v.Type() == reflect.TypeFor[error]() {
		f.texts = append(f.texts, "an error")
		v.Set(reflect.ValueOf(errors.New("an error")))
		return
	}
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes([]byte(`{}`))
		return
	case time.Time:
		return
	case history.Counts: // its words are those of the phases
		f.texts = append(f.texts, `{"phase":3}`)
		v.Set(reflect.ValueOf(history.Counts{{Field: "phase", N: 3}}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		text := fmt.Sprintf("text %d.", len(f.texts))
		f.texts = append(f.texts, text)
		v.SetString(text)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(t, v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(t, v.Index(0), path)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(t, v.Elem(), path)
	case reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		t.Errorf("%s is a %s", path, v.Type())
	}
}

// declaredEvents are the names of the types that event.go declares as events, sorted.
func declaredEvents(t *testing.T) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name == "event" {
			names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	slices.Sort(names)
	return names
}
