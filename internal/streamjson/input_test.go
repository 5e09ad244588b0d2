package streamjson

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/tools"
)

// ReadInput accepts blank lines, CR, and a last line without a line break. An invalid line is an
// error, and reading continues with the next line.
func TestReadInput(t *testing.T) {
	t.Parallel()
	var got []string
	in := "\r\n" + `{"type":"user","text":"a"}` + "\r\n\n" + `{"type":"interrupt"}` + "\n{\n" + `{"type":"nothing"}` + "\n" +
		strings.Repeat("x", maxInputLine+1) + "\n" + `{"type":"answer","id":3,"allow":true,"reason":"r","more":1}`
	err := ReadInput(strings.NewReader(in), func(in Input, err error) {
		said := fmt.Sprintf("%s %s %d %v", in.Type, in.Text, in.ID, in.Allow)
		if err != nil {
			said = err.Error()[:20]
		}
		got = append(got, said)
	})
	want := "user a 0 false|cancel  0 false|invalid input line: |unknown line type \"n|an input line can ha|answer  3 true"
	if err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v\n%s\n%s", err, strings.Join(got, "|"), want)
	}
	failing := io.MultiReader(strings.NewReader("{}\n"), &broken{})
	if err := ReadInput(failing, func(Input, error) {}); err == nil {
		t.Error("a broken input ends like any")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestMessageOfInput(t *testing.T) {
	t.Parallel()
	in := Input{Type: "user", Text: "look", Content: []Part{{Type: "text", Text: " at "}, {Type: "data", Text: "/quit"}, {Type: "image", Path: "/a.png"}}}
	m, err := in.Message()
	if err != nil || len(m) != 4 || m[2].Source == "" || m[3].Image != "/a.png" {
		t.Errorf("%+v %v", m, err)
	}
	for _, wrong := range []Input{{}, {Text: " "}, {Content: []Part{{Type: "image"}}}, {Content: []Part{{Type: "video"}}}} {
		if _, err := wrong.Message(); err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
}

// An answer that is not a clear approval allows nothing. The answers to the questions of a call are
// accepted only if they are complete.
func TestDecisionOfInput(t *testing.T) {
	t.Parallel()
	call := chat.Approval{ID: 1, Always: "edits"}
	asks := chat.Approval{ID: 2, Preview: tools.Preview{Inquiries: []tools.Inquiry{
		{Question: "Which?", Options: []tools.Option{{Label: "a"}, {Label: "b"}}}, {Question: "All?", Several: true, Options: []tools.Option{{Label: "x"}, {Label: "y"}}},
	}}}
	for line, want := range map[string]string{
		`{"type":"answer","id":1}`:                                                  "false false []",
		`{"type":"answer","id":1,"allow":true,"always":true}`:                       "true true []",
		`{"type":"answer","id":2,"answers":{"Which?":"a","All?":["x","other"]}}`:    "true false [{[a] } {[x] other}]",
		`{"type":"answer","id":2,"allow":false,"reason":"no"}`:                      "false false []",
		`{"type":"answer","id":2,"allow":true}`:                                     "error",
		`{"type":"answer","id":2,"answers":{"Which?":"a"}}`:                         "error",
		`{"type":"answer","id":2,"answers":{"Which?":["a","b"],"All?":"x"}}`:        "error",
		`{"type":"answer","id":2,"answers":{"Which?":7,"All?":"x"}}`:                "error",
		`{"type":"answer","id":2,"answers":{"Which?":" ","All?":"x"},"allow":true}`: "error",
	} {
		in, err := parseInput([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		asked := call
		if in.ID == 2 {
			asked = asks
		}
		d, err := in.Decision(asked)
		got := fmt.Sprintf("%v %v %v", d.Allow, d.Always, d.Answers)
		if got = strings.ReplaceAll(got, "[a] }", "[a] }"); err != nil {
			got = "error"
			if d.Allow {
				t.Errorf("%s allows with an error", line)
			}
		}
		if !strings.HasPrefix(want, "true false [{") && got != want || strings.HasPrefix(want, "true false [{") && (err != nil || len(d.Answers) != 2 || d.Answers[1].Words != "other") {
			t.Errorf("%s: %s %v, want %s", line, got, err, want)
		}
	}
	if d, _ := (Input{Allow: true, Always: true}).Decision(chat.Approval{}); d.Always {
		t.Error("always where it is not offered")
	}
}

func FuzzReadInput(f *testing.F) {
	f.Add([]byte("{\"type\":\"user\",\"text\":\"x\"}\r\n\n{\"type\":\"answer\",\"allow\":true}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := ReadInput(strings.NewReader(string(data)), func(in Input, err error) {
			_, _ = in.Message()
			if d, err := in.Decision(chat.Approval{}); err == nil && d.Allow && !in.Allow {
				t.Error("it allows")
			}
		}); err != nil {
			t.Error(err)
		}
	})
}
