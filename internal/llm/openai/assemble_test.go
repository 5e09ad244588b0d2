package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

func TestCallAssembly(t *testing.T) {
	t.Parallel()
	const whole = `"{\"p\":1}"`
	tests := []struct {
		name      string
		fragments []string
		want      []llm.ToolCall
	}{
		{
			"by the book",
			[]string{
				`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}`,
				`{"index":0,"function":{"arguments":"{\"p\""}}`, `{"index":0,"function":{"arguments":":1}"}}`,
				`{"index":1,"id":"b","function":{"name":"g","arguments":` + whole + `}}`,
			},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}, {ID: "b", Name: "g", Arguments: `{"p":1}`}},
		},
		{
			"interleaved",
			[]string{
				`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\""}}`,
				`{"index":1,"id":"b","function":{"name":"f","arguments":"{\"q\""}}`,
				`{"index":0,"function":{"arguments":":1}"}}`, `{"index":1,"function":{"arguments":":2}"}}`,
			},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}, {ID: "b", Name: "f", Arguments: `{"q":2}`}},
		},
		{
			"fragments that say nothing",
			[]string{`{}`, `{"index":0}`, `{"index":0,"id":"a","function":{"name":"f","arguments":` + whole + `}}`, `{"index":1,"function":{}}`, `{"index":"x","id":null,"function":[]}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"without an index",
			[]string{
				`{"id":"a","function":{"name":"f","arguments":"{\"p\""}}`, `{"function":{"arguments":":1}"}}`,
				`{"id":"b","function":{"name":"f","arguments":` + whole + `}}`,
			},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}, {ID: "b", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"without an index, the id in every fragment",
			[]string{`{"id":"a","function":{"name":"f","arguments":"{\"p\""}}`, `{"id":"a","function":{"arguments":":1}"}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"without an index, a new id in a later fragment",
			[]string{`{"id":"a","function":{"name":"f","arguments":"{\"p\""}}`, `{"id":"z","function":{"arguments":":1}"}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"without id and index, each call whole",
			[]string{`{"function":{"name":"f","arguments":` + whole + `}}`, `{"function":{"name":"f","arguments":` + whole + `}}`},
			[]llm.ToolCall{{ID: "made_1", Name: "f", Arguments: `{"p":1}`}, {ID: "made_2", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"every call has index 0 and an empty id (Gemini)",
			[]string{`{"index":0,"id":"","function":{"name":"f","arguments":` + whole + `}}`, `{"index":0,"id":"","function":{"name":"g","arguments":` + whole + `}}`, `{"index":0,"id":"","function":{"name":"g","arguments":"{\"p\":2}"}}`},
			[]llm.ToolCall{{ID: "made_1", Name: "f", Arguments: `{"p":1}`}, {ID: "made_2", Name: "g", Arguments: `{"p":1}`}, {ID: "made_3", Name: "g", Arguments: `{"p":2}`}},
		},
		{
			"index 0, no id, begun with empty arguments and said twice",
			[]string{`{"index":0,"function":{"name":"f","arguments":"{}"}}`, `{"index":0,"function":{"name":"f","arguments":` + whole + `}}`, `{"index":0,"function":{"name":"f","arguments":` + whole + `}}`},
			[]llm.ToolCall{{ID: "made_1", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"without id and index, no arguments",
			[]string{`{"function":{"name":"f"}}`, `{"function":{"name":"g","arguments":""}}`},
			[]llm.ToolCall{{ID: "made_1", Name: "f", Arguments: ""}, {ID: "made_2", Name: "g", Arguments: ""}},
		},
		{
			"without an id",
			[]string{`{"index":0,"function":{"name":"f","arguments":"{\"p\""}}`, `{"index":0,"function":{"arguments":":1}"}}`},
			[]llm.ToolCall{{ID: "made_1", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"the name in every fragment",
			[]string{
				`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\""}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":":1"}}`,
				`{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}`,
			},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"another id in every fragment",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\""}}`, `{"index":0,"id":"b","function":{"name":"f","arguments":":1}"}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"every call has index 0",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":` + whole + `}}`, `{"index":0,"id":"b","function":{"name":"f","arguments":` + whole + `}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}, {ID: "b", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"every call has index 0, in fragments",
			[]string{
				`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":1"}}`, `{"index":0,"function":{"arguments":"}"}}`,
				`{"index":0,"id":"b","function":{"name":"g","arguments":"{\"q\":2"}}`, `{"index":0,"function":{"arguments":"}"}}`,
			},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}, {ID: "b", Name: "g", Arguments: `{"q":2}`}},
		},
		{
			"two calls with one id",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":` + whole + `}}`, `{"index":1,"id":"a","function":{"name":"f","arguments":` + whole + `}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}, {ID: "made_1", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"arguments as an object",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":{"p":1}}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"null where a string belongs",
			[]string{`{"index":0,"id":null,"function":{"name":"f","arguments":null}}`, `{"index":0,"id":null,"function":{"name":null,"arguments":` + whole + `}}`},
			[]llm.ToolCall{{ID: "made_1", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"arguments that are not JSON come as they are",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\": oops"}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p": oops`}},
		},
		{
			"one index, no arguments, own ids",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`, `{"index":0,"id":"b","function":{"name":"f","arguments":""}}`},
			[]llm.ToolCall{{ID: "a", Name: "f"}, {ID: "b", Name: "f"}},
		},
		{
			"the id in a later fragment",
			[]string{`{"index":0,"function":{"name":"f","arguments":"{\"p\""}}`, `{"index":0,"id":"z","function":{"arguments":":1}"}}`},
			[]llm.ToolCall{{ID: "z", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"a name in pieces",
			[]string{`{"index":0,"id":"a","function":{"name":"read_"}}`, `{"index":0,"function":{"name":"file"}}`, `{"index":0,"function":{"arguments":` + whole + `}}`},
			[]llm.ToolCall{{ID: "a", Name: "read_file", Arguments: `{"p":1}`}},
		},
		{
			"a name that grows",
			[]string{`{"index":0,"id":"a","function":{"name":"read_"}}`, `{"index":0,"id":"a","function":{"name":"read_file","arguments":` + whole + `}}`},
			[]llm.ToolCall{{ID: "a", Name: "read_file", Arguments: `{"p":1}`}},
		},
		{
			"empty arguments before the real ones",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":0,"function":{"arguments":"{\"p\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"the arguments again at the end",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\": 1}"}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
		{
			"two different objects stay as they are",
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":1}"}}`, `{"index":0,"function":{"arguments":"{\"p\":2}"}}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}{"p":2}`}},
		},
		{
			"an index that is a string, shapes that make no sense",
			[]string{`{"index":"0","id":7,"type":{},"function":{"name":["f"],"arguments":""}}`, `{"index":"0","id":"a","function":{"name":"f"}}`, `{"index":"0","function":{"arguments":` + whole + `}}`, `{"index":"0","function":"x"}`},
			[]llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"p":1}`}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			calls, started := assemble(t, tt.fragments)
			if diff := cmp.Diff(tt.want, calls); diff != "" {
				t.Error(diff)
			}
			var want []llm.ToolCallStarted
			for _, c := range tt.want {
				want = append(want, llm.ToolCallStarted{Name: c.Name})
			}
			if diff := cmp.Diff(want, started); diff != "" {
				t.Errorf("started: %s", diff)
			}
		})
	}
}

func assemble(t interface{ Fatal(...any) }, fragments []string) (calls []llm.ToolCall, started []llm.ToolCallStarted) {
	made := 0
	a := callAssembler{newID: func() string { made++; return fmt.Sprint("made_", made) }}
	for _, raw := range fragments {
		if !json.Valid([]byte(raw)) {
			t.Fatal(raw)
		}
		started = append(started, a.add(lenientjson.Decode[callFragment]([]byte(raw)))...)
	}
	started = append(started, a.announce(func(*partialCall) bool { return true })...)
	for _, call := range a.calls {
		calls = append(calls, llm.ToolCall{ID: call.id, Name: call.name, Arguments: call.finalArguments(), Attached: (&attacher{}).call(call.extra)})
	}
	return calls, started
}

// TestCallAssemblyRestores checks that calls are restored, however they were split and interleaved
// by index.
func TestCallAssemblyRestores(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var want []llm.ToolCall
		var pending [][]string
		var fragments []string
		for i := range rapid.IntRange(1, 4).Draw(t, "calls") {
			value, err := json.Marshal(map[string]string{"p": rapid.String().Draw(t, "value")})
			if err != nil {
				t.Fatal(err)
			}
			c := llm.ToolCall{ID: fmt.Sprint("id", i), Name: rapid.SampledFrom([]string{"f", "g"}).Draw(t, "name"), Arguments: string(value)}
			want = append(want, c)
			fragments = append(fragments, fmt.Sprintf(`{"index":%d,"id":%q,"function":{"name":%q,"arguments":""}}`, i, c.ID, c.Name))
			pending = append(pending, pieces(t, i, c.Arguments))
		}
		for len(pending) > 0 {
			i := rapid.IntRange(0, len(pending)-1).Draw(t, "next")
			if len(pending[i]) == 0 {
				pending = append(pending[:i], pending[i+1:]...)
				continue
			}
			fragments = append(fragments, pending[i][0])
			pending[i] = pending[i][1:]
		}
		got, _ := assemble(t, fragments)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s from\n%s", diff, strings.Join(fragments, "\n"))
		}
	})
}

func pieces(t *rapid.T, index int, arguments string) []string {
	var list []string
	runes := []rune(arguments)
	for len(runes) > 0 {
		n := rapid.IntRange(1, len(runes)).Draw(t, "size")
		quoted, err := json.Marshal(string(runes[:n]))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf(`{"index":%d,"function":{"arguments":%s}}`, index, quoted))
		runes = runes[n:]
	}
	return list
}
