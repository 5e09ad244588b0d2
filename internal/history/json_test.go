package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// entrySeeds are entries with every kind of block and field.
var entrySeeds = []string{
	`{"speaker":"human","blocks":[{"type":"text","text":"a \"b\"\n\u00e9ü"},{"type":"text","text":"x","includedFile":"a.go"}]}`,
	`{"speaker":"ai","blocks":[{"type":"thinking","thought":"t"},{"type":"tool_call","id":"1","name":"f","parameters":{"a": [1,{"b":"}]"}]}}],"metadata":{"model":"m","n":1.50}}`,
	`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"f","result":"r","error":"e","exitCode":2},{"type":"tool_response","callId":"1","toolName":"f","result":{"a":1}}]}`,
	`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"f","result":null,"exitCode":null}]}`,
	`{"speaker":"human","blocks":[{"type":"media","mimeType":"image/png","data":"AAAA"}]}`,
	`{"speaker":"human","blocks":[],"metadata":{}}`,
	`{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"f","parameters":null}]}`,
}

// decodeEntry decodes an entry with encoding/json, as all callers do.
func decodeEntry(t testing.TB, data string) *Content {
	t.Helper()
	var c Content
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return &c
}

// sameJSON returns "" if two documents have the same meaning. Numbers must have the same digits.
func sameJSON(t testing.TB, want, got []byte) string {
	t.Helper()
	return cmp.Diff(meaning(t, want), meaning(t, got))
}

func meaning(t testing.TB, data []byte) any {
	t.Helper()
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// Entries and blocks have exactly the JSON format of the session log.
func TestEntryJSON(t *testing.T) {
	t.Parallel()
	exit := 1
	for _, c := range []struct {
		id    string
		entry *Content
		want  string
	}{
		{"text", HumanText(`say "<hi>" & go` + "\n"), `{"speaker":"human","blocks":[{"type":"text","text":"say \"<hi>\" & go\n"}]}`},
		{"inclusion", New(Human, NewInclusion("a.go", "x")), `{"speaker":"human","blocks":[{"type":"text","text":"--- a.go ---\nx\n--- End of content ---","includedFile":"a.go"}]}`},
		{"data", New(Human, NewData(SourcePiped, "Piped in:", "```\nx")), `{"speaker":"human","blocks":[{"type":"text","text":"Piped in:\n\n` + "````\\n```\\nx\\n````" + `\n","source":"piped"}]}`},
		{"thinking", New(AI, &Thinking{Thought: "hm"}), `{"speaker":"ai","blocks":[{"type":"thinking","thought":"hm"}]}`},
		{"call", New(AI, &ToolCall{ID: "c1", Name: "ls", Parameters: json.RawMessage(`{"path":"."}`)}), `{"speaker":"ai","blocks":[{"type":"tool_call","id":"c1","name":"ls","parameters":{"path":"."}}]}`},
		{"call without parameters", New(AI, &ToolCall{ID: "c1", Name: "ls"}), `{"speaker":"ai","blocks":[{"type":"tool_call","id":"c1","name":"ls","parameters":null}]}`},
		{"response", New(Tool, &ToolResponse{CallID: "c1", ToolName: "ls", Result: TextResult("a.go")}), `{"speaker":"tool","blocks":[{"type":"tool_response","callId":"c1","toolName":"ls","result":"a.go"}]}`},
		{"failed response", New(Tool, &ToolResponse{CallID: "c1", ToolName: "sh", Error: "no", ExitCode: &exit}), `{"speaker":"tool","blocks":[{"type":"tool_response","callId":"c1","toolName":"sh","result":null,"error":"no","exitCode":1}]}`},
		{"media", New(Human, &Media{MimeType: "image/png", Data: "AAAA"}), `{"speaker":"human","blocks":[{"type":"media","mimeType":"image/png","data":"AAAA"}]}`},
		{"no blocks", New(AI), `{"speaker":"ai","blocks":[]}`},
		{"metadata", New(AI).WithMeta(MetaInterrupted, true), `{"speaker":"ai","blocks":[],"metadata":{"interrupted":true}}`},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			got, err := c.entry.MarshalJSON()
			if err != nil || string(got) != c.want {
				t.Fatalf("got  %s, %v\nwant %s", got, err, c.want)
			}
			again, err := decodeEntry(t, c.want).MarshalJSON()
			if err != nil || string(again) != c.want {
				t.Errorf("after a round trip: %s, %v", again, err)
			}
		})
	}
}

// Fields that a newer version or another program wrote are not lost.
func TestUnknownFieldsSurvive(t *testing.T) {
	t.Parallel()
	for id, entry := range map[string]string{
		"of the entry":    `{"speaker":"human","blocks":[],"a":1.0,"z":{"b":[1e400]},"<&>":"<&>"}`,
		"of every block":  `{"speaker":"ai","blocks":[{"type":"text","text":"","n":null},{"type":"thinking","thought":"","n":[]},{"type":"tool_call","id":"","name":"","parameters":null,"result":"of a call"},{"type":"tool_response","callId":"","toolName":"","result":null,"text":"of a response"},{"type":"media","mimeType":"","data":"","n":{"a":null}}]}`,
		"named alike":     `{"speaker":"ai","blocks":[{"type":"text","text":"","Text":"capital"}],"Speaker":"human"}`,
		"of the metadata": `{"speaker":"ai","blocks":[],"metadata":{"usage":{"n":12345678901234567890,"f":1.10}}}`,
		"empty metadata":  `{"speaker":"ai","blocks":[],"metadata":{}}`,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			c := decodeEntry(t, entry)
			edited := c.WithBlocks(c.Blocks)
			got, err := edited.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if diff := sameJSON(t, []byte(entry), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEditsKeepUnknownFields(t *testing.T) {
	t.Parallel()
	c := decodeEntry(t, `{"speaker":"tool","blocks":[{"type":"tool_response","callId":"c","toolName":"ls","result":{"a":1},"error":"e","exitCode":2,"more":1}],"metadata":{"k":1},"more":2}`)
	pointer := c.Blocks[0].(*ToolResponse).WithResult("gone")
	got, err := c.WithBlocks([]Block{pointer}).WithMeta("k", 2).MarshalJSON()
	want := `{"speaker":"tool","blocks":[{"type":"tool_response","callId":"c","toolName":"ls","result":"gone","error":"e","exitCode":2,"more":1}],"metadata":{"k":2},"more":2}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if r := c.Blocks[0].(*ToolResponse); r.Result.Text() != `{"a":1}` || c.Metadata["k"] != json.Number("1") {
		t.Error("the edit changed the original")
	}
}

// Any entry with any unknown fields has the same meaning after a round trip. A second trip changes
// no byte.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		data, err := anyEntry().Draw(rt, "entry").MarshalJSON()
		if err != nil {
			rt.Fatal(err)
		}
		if rapid.Bool().Draw(rt, "unknown") {
			extra := `{"unknown":` + anyJSON(2).Draw(rt, "extra") + ","
			data = bytes.ReplaceAll(data, []byte(`{"type":`), []byte(extra+`"type":`))
			data = append([]byte(extra), data[1:]...)
		}
		first, err := decodeEntry(t, string(data)).MarshalJSON()
		if err != nil {
			rt.Fatal(err)
		}
		if diff := sameJSON(t, data, first); diff != "" {
			rt.Fatalf("(-before +after):\n%s", diff)
		}
		second, err := decodeEntry(t, string(first)).MarshalJSON()
		if err != nil || !bytes.Equal(first, second) {
			rt.Fatalf("not stable: %s\nthen %s, %v", first, second, err)
		}
	})
}

// White space between the parts of an entry does not change its meaning.
func TestWhiteSpaceDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tight, err := anyEntry().Draw(rt, "entry").MarshalJSON()
		if err != nil {
			rt.Fatal(err)
		}
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, tight, "\r", "\t "); err != nil {
			rt.Fatal(err)
		}
		want, got := decodeEntry(t, string(tight)), decodeEntry(t, spaced.String())
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Result{}, Text{}, Content{}), cmpopts.IgnoreUnexported(ToolCall{})); diff != "" {
			rt.Fatalf("(-tight +spaced):\n%s", diff)
		}
	})
}

func FuzzContentJSON(f *testing.F) {
	for _, seed := range entrySeeds {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`{"blocks":[{"text":"\ud800","type":"text","x":{"y":[1,2]}}],"speaker":"human","z":null}`))
	f.Add([]byte(`{"speaker":"ai","speaker":"tool","blocks":[{"type":"tool_response","callId":"","toolName":"","exitCode":1}]}`))
	f.Add([]byte(`{"speaker":"ai","blocks":[{"type":"tool_call","id":1}]}`))
	f.Add([]byte(`{"speaker":"ai","blocks":[{"text":"b","type":"te\u0078t","text":"a"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Content
		if c.UnmarshalJSON(data) != nil {
			if !reflect.DeepEqual(c, Content{}) {
				t.Fatalf("an error left %+v", c)
			}
			return
		}
		first, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		second, err := decodeEntry(t, string(first)).MarshalJSON()
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("not stable: %s\nthen %s, %v", first, second, err)
		}
	})
}

// FuzzCanonical checks that an entry has one meaning in every spelling of its JSON: with or without
// white space, with its members in another order, and with other escapes. A string result is
// decoded as encoding/json decodes it.
func FuzzCanonical(f *testing.F) {
	for _, seed := range entrySeeds {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`{ "speaker" : "tool" , "blocks" : [ { "type" : "tool_response" , "callId" : "" , "toolName" : "" , "result": "" , "exitCode" : 1 } ] }`))
	f.Add([]byte(`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"f","result":  "line \"one\"\nline two \u00e9"}]}`))
	f.Add([]byte(`{"blocks":[{"x":1,"text":"a","type":"text"},{"parameters":{"a": "}\u0022"},"name":"f","id":"1","type":"tool_call"}],"speaker":"ai"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Content
		if c.UnmarshalJSON(data) != nil {
			return
		}
		for what, again := range spellings(t, data) {
			var other Content
			if err := other.UnmarshalJSON(again); err != nil {
				t.Fatalf("%s: %s: %v", what, again, err)
			}
			if diff := cmp.Diff(&c, &other, equalMeaning); diff != "" {
				t.Fatalf("%s: %s\n(-as it came +spelled anew):\n%s", what, again, diff)
			}
		}
		for i, block := range c.Blocks {
			if r, ok := block.(*ToolResponse); ok && json.Valid(data) {
				checkResult(t, data, i, r.Result.Text())
			}
		}
	})
}

// spellings returns other spellings of a document. It returns none for a document with a duplicate
// member or invalid UTF-8, because decoders disagree about its meaning.
func spellings(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	if jsontext.Value(data).IsValid() {
		canonical, tight, spaced := jsontext.Value(bytes.Clone(data)), jsontext.Value(bytes.Clone(data)), jsontext.Value(bytes.Clone(data))
		if err := errors.Join(canonical.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false)), tight.Compact(), spaced.Indent(jsontext.WithIndent("\t "))); err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"members in order": canonical, "tight": tight, "spaced": spaced}
	}
	return nil
}

// equalMeaning compares entries by meaning. It also compares unknown members and parameters by
// meaning, because decoding keeps their spelling.
var equalMeaning = cmp.Options{
	cmp.AllowUnexported(Text{}, Content{}),
	cmpopts.IgnoreUnexported(ToolCall{}),
	cmp.Comparer(func(a, b jsontext.Value) bool { return sameMeaning(a, b) }),
	cmp.Comparer(func(a, b json.RawMessage) bool { return sameMeaning(a, b) }),
	cmp.Comparer(func(a, b Result) bool { return a.Text() == b.Text() || sameMeaning([]byte(a.Text()), []byte(b.Text())) }),
}

func sameMeaning(a, b []byte) bool {
	left, right := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	return bytes.Equal(a, b) || left.Canonicalize(jsontext.CanonicalizeRawFloats(false)) == nil && right.Canonicalize(jsontext.CanonicalizeRawFloats(false)) == nil && bytes.Equal(left, right)
}

// checkResult compares the text of a result with the text that encoding/json decodes.
func checkResult(t *testing.T, data []byte, block int, got string) {
	t.Helper()
	var plain struct{ Blocks []struct{ Result any } }
	if !jsontext.Value(data).IsValid() || json.Unmarshal(data, &plain) != nil || block >= len(plain.Blocks) {
		return
	}
	if want, ok := plain.Blocks[block].Result.(string); ok && want != got {
		t.Fatalf("the result reads %q, want %q", got, want)
	}
}

// The error names the wrong field, and the entry does not change.
func TestWrongEntries(t *testing.T) {
	t.Parallel()
	block := func(fields string) string {
		return `{"speaker":"ai","blocks":[{"type":"text","text":"ok"},` + fields + `]}`
	}
	for _, c := range []struct{ entry, want string }{
		{`null`, `is not a JSON object`},
		{`[]`, `is not a JSON object`},
		{`"text"`, `is not a JSON object`},
		{`{"blocks":[]}`, `speaker: is missing`},
		{`{"speaker":"system","blocks":[]}`, `speaker: "system" is not one of human, ai, tool`},
		{`{"speaker":"AI","blocks":[]}`, `speaker: "AI" is not one of human, ai, tool`},
		{`{"speaker":1,"blocks":[]}`, `speaker: must be a string`},
		{`{"speaker":null,"blocks":[]}`, `speaker: must be a string`},
		{`{"speaker":"ai"}`, `blocks: is missing`},
		{`{"speaker":"ai","blocks":null}`, `blocks: must be a list`},
		{`{"speaker":"ai","blocks":{}}`, `blocks: must be a list`},
		{`{"speaker":"ai","blocks":[],"metadata":[]}`, `metadata: must be an object`},
		{`{"speaker":"ai","blocks":[}`, `blocks[0]: is not valid JSON: invalid character '}' at start of value`},
		{block(`null`), `blocks[1]: is not a JSON object`},
		{block(`"text"`), `blocks[1]: is not a JSON object`},
		{block(`{}`), `blocks[1].type: is missing`},
		{block(`{"type":7}`), `blocks[1].type: must be a string`},
		{block(`{"type":"video"}`), `blocks[1].type: unknown block type "video"; known are text, thinking, tool_call, tool_response, media`},
		{block(`{"type":"text","text":"a","type":"thinking"}`), `blocks[1].type: appears twice`},
		{block(`{"type":"text"}`), `blocks[1].text: is missing`},
		{block(`{"type":"text","text":null}`), `blocks[1].text: must be a string`},
		{block(`{"type":"text","text":"","includedFile":1}`), `blocks[1].includedFile: must be a string`},
		{block(`{"type":"thinking","thought":[]}`), `blocks[1].thought: must be a string`},
		{block(`{"type":"tool_call","name":"f"}`), `blocks[1].id: is missing`},
		{block(`{"type":"tool_call","id":"1"}`), `blocks[1].name: is missing`},
		{block(`{"type":"tool_response","toolName":"f"}`), `blocks[1].callId: is missing`},
		{block(`{"type":"tool_response","callId":"1"}`), `blocks[1].toolName: is missing`},
		{block(`{"type":"tool_response","callId":"1","toolName":"f","error":{}}`), `blocks[1].error: must be a string`},
		{block(`{"type":"tool_response","callId":"1","toolName":"f","exitCode":"1"}`), `blocks[1].exitCode: must be a whole number`},
		{block(`{"type":"tool_response","callId":"1","toolName":"f","exitCode":1.5}`), `blocks[1].exitCode: must be a whole number`},
		{block(`{"type":"media","mimeType":"image/png"}`), `blocks[1].data: is missing`},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			kept := HumanText("as it was")
			err := kept.UnmarshalJSON([]byte(c.entry))
			if _, ok := err.(*FieldError); !ok || err.Error() != c.want {
				t.Errorf("%s: got %v", c.entry, err)
			}
			if kept.Text() != "as it was" {
				t.Error("the entry has changed")
			}
		})
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, text, compact string }{
		{`"words\n"`, "words\n", `"words\n"`},
		{`""`, "", `""`},
		{`"null"`, "null", `"null"`},
		{` null `, "", `null`},
		{`true`, "true", `true`},
		{`-1.50e3`, "-1.50e3", `-1.50e3`},
		{` { "b" : [ 1 , null ] } `, `{"b":[1,null]}`, `{"b":[1,null]}`},
		{"[\n]", "[]", `[]`},
		{`"<&>"`, "<&>", `"<&>"`},
	} {
		r := mustResult(t, c.raw)
		if r.Text() != c.text {
			t.Errorf("%s: text %q, want %q", c.raw, r.Text(), c.text)
		}
		if data, err := r.MarshalJSON(); err != nil || string(data) != c.compact {
			t.Errorf("%s: written as %s, %v", c.raw, data, err)
		}
	}
	var zero Result
	if data, err := zero.MarshalJSON(); err != nil || string(data) != "null" || zero.Text() != "" {
		t.Errorf("the zero result is %s, %q, %v", data, zero.Text(), err)
	}
	for _, broken := range []string{``, `{`, `"`, `tru`} {
		if err := new(Result).UnmarshalJSON([]byte(broken)); err == nil {
			t.Errorf("%q was read", broken)
		}
	}
}

// REQ-HD-013.5: Arg is safe for any parameters that the model sends.
func TestArg(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", 8<<10) + `"`
	for _, c := range []struct {
		id, parameters string
		want           string // the text of Arg("path")
		there          bool   // whether Arg finds "path"
	}{
		{"an object", `{"path":"a.go"}`, "a.go", true},
		{"another type", `{"path":["a.go"]}`, "", true},
		{"null", `{"path":null}`, "", true},
		{"absent", `{"Path":"a.go"}`, "", false},
		{"no parameters", ``, "", false},
		{"null parameters", `null`, "", false},
		{"a string", `"path"`, "", false},
		{"a list", `["path"]`, "", false},
		{"not JSON", `{"path"`, "", false},
		{"beside a long one", `{"content":` + long + `,"path":"a.go"}`, "a.go", true},
		{"too long itself", `{"path":` + long + `}`, "", false},
		{"beside a long one, not JSON", `{"content":` + long + `,"path":"a.go"`, "", false},
	} {
		call := &ToolCall{Parameters: json.RawMessage(c.parameters)}
		for range 2 {
			value, there := call.Arg("path")
			if text, _ := value.(string); there != c.there || text != c.want {
				t.Errorf("%s: got %q, %v", c.id, text, there)
			}
		}
	}
}

// The parameters are parsed once, because density reads them before every request.
func TestArgIsMemoised(t *testing.T) {
	call := &ToolCall{Parameters: json.RawMessage(`{"path":"a.go"}`)}
	call.Arg("path")
	if n := testing.AllocsPerRun(100, func() { call.Arg("path") }); n > 0 {
		t.Errorf("%v allocations to ask again", n)
	}
}

func TestTextAndCalls(t *testing.T) {
	t.Parallel()
	c := New(AI, &Text{Text: "a"}, &Thinking{Thought: "hm"}, &ToolCall{ID: "1"}, &Text{}, &Text{Text: "b"}, &ToolCall{ID: "2"})
	if c.Text() != "a\n\nb" {
		t.Errorf("text is %q", c.Text())
	}
	if calls := c.Calls(); len(calls) != 2 || calls[0].ID != "1" || calls[1].ID != "2" {
		t.Errorf("calls are %v", calls)
	}
}
