package history

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// D-32: Validate reports each violation with its entry.
func TestValidate(t *testing.T) {
	t.Parallel()
	call, response := pairCall, pairResponse
	words, blank := &Text{Text: "words"}, &Text{Text: " \n"}
	for _, c := range []struct {
		id      string
		entries []*Content
		at      []int // entries with violations
	}{
		{"empty", nil, nil},
		{"talk", []*Content{New(Human, words), New(AI, words), New(Human, words)}, nil},
		{"a call and its response", []*Content{New(Human, words), New(AI, call("a")), New(Tool, response("a"))}, nil},
		{"responses in entries of their own", []*Content{New(AI, words, call("a"), call("b")), New(Tool, response("b")), New(Tool, response("a")), New(AI, words)}, nil},
		{"an id used again", []*Content{New(AI, call("a")), New(Tool, response("a")), New(AI, call("a")), New(Tool, response("a"))}, nil},
		{"a note beside a response, and alone", []*Content{New(AI, call("a")), New(Tool, words, response("a")), New(Tool, words)}, nil},
		{"media", []*Content{New(Human, &Media{MimeType: "image/png"})}, nil},
		{"a call at the end", []*Content{New(Human, words), New(AI, call("a"))}, []int{1}},
		{"answered too late", []*Content{New(AI, call("a")), New(Human, words), New(Tool, response("a"))}, []int{0, 2}},
		{"one of two answered", []*Content{New(AI, call("a"), call("b")), New(Tool, response("b")), New(AI, words)}, []int{0}},
		{"answered twice", []*Content{New(AI, call("a")), New(Tool, response("a"), response("a"))}, []int{1}},
		{"an id twice in an entry", []*Content{New(AI, call("a"), call("a")), New(Tool, response("a"), response("a"))}, []int{0, 1}},
		{"an id twice in an entry, one response", []*Content{New(AI, call("a"), call("a")), New(Tool, response("a"))}, []int{0}},
		{"an id twice in an entry, unanswered", []*Content{New(AI, call("a"), call("a"))}, []int{0, 0}},
		{"told in order", []*Content{New(AI, call("a")), New(Tool, response("b"))}, []int{0, 1}},
		{"starts with a response", []*Content{New(Tool, response("a")), New(Human, words)}, []int{0}},
		{"no blocks", []*Content{New(Human), New(AI), New(Tool)}, []int{0, 1, 2}},
		{"blank", []*Content{New(Human, blank), New(AI, blank), New(Tool, blank)}, []int{0, 1, 2}},
		{"only thinking", []*Content{New(AI, &Thinking{Thought: "hm"}, blank)}, []int{0}},
		{"a call of a human", []*Content{New(Human, call("a")), New(Tool, response("a"))}, []int{0, 1}},
		{"a response of the model", []*Content{New(AI, call("a")), New(AI, response("a"))}, []int{0, 1}},
		{"a call answered in its own entry", []*Content{New(AI, call("a"), response("a"))}, []int{0, 0}},
		{"missing", []*Content{New(Human, words), nil}, []int{1}},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			err := Validate(c.entries)
			if len(c.at) == 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var invalid *InvalidHistoryError
			if !errors.As(err, &invalid) {
				t.Fatalf("got %v", err)
			}
			var at []int
			for _, v := range invalid.Violations {
				at = append(at, v.Entry)
			}
			if !slices.Equal(at, c.at) {
				t.Errorf("violations at %v, want %v: %v", at, c.at, err)
			}
		})
	}
}

func TestInvalidHistoryErrorIsReadable(t *testing.T) {
	t.Parallel()
	err := Validate([]*Content{New(AI, pairCall("x")), New(Human), New(Human), New(Human), New(Human), New(Human), New(Human)})
	if err == nil || !strings.Contains(err.Error(), `entry 0 calls n ("x"), but the history has no result of this call`) || !strings.HasSuffix(err.Error(), "and 2 more") {
		t.Errorf("got %v", err)
	}
}
