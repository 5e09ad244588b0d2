package compression

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"

	"pgregory.net/rapid"
)

// A shortened call shows its beginning and end, the removed size and its result. Its parameters
// keep their names and types, and the path stays complete (D-42).
func TestShortCall(t *testing.T) {
	t.Parallel()
	body := "begin" + strings.Repeat("0123456789", 1000) + "end"
	quoted, _ := json.Marshal(body)
	list, _ := json.Marshal(strings.Fields(strings.Repeat("word ", 1000)))
	path := strings.Repeat("folder/", 200) + "a.go"
	for _, tc := range []struct {
		name, parameters string
		has              []string
	}{
		{"content", `{"file_path":"a.go","content":` + string(quoted) + `}`, []string{`"file_path":"a.go"`, `"content":"begin01234`, `bytes left out; the call had them all: success …]`, `789end"`}},
		{"path", `{"file_path":"` + path + `","content":` + string(quoted) + `}`, []string{path}},
		{"nested", `{"todos":[{"id":1,"content":` + string(quoted) + `}],"n":1e400,"b":true,"z":null}`, []string{`{"todos":[{"id":1,"content":"begin`, `"n":1e400,"b":true,"z":null}`}},
		{"list", `{"paths":` + string(list) + `}`, []string{`["word",`, `[… 976 items left out; the call had them all: success …]"]}`}},
		{"no JSON once", string(quoted), []string{`"begin0`, `end"`}},
		{"name", `{` + string(quoted) + `:` + string(quoted) + `}`, []string{string(quoted) + `:"begin`}},
	} {
		call := call("1", "write_file", tc.parameters)
		call.Attached = &history.Attachment{Data: json.RawMessage(`{}`)}
		short := shortCall(call, "success", brief)
		if short == call || !json.Valid(short.Parameters) || len(short.Parameters) >= len(tc.parameters) || short.ID != "1" || short.Attached != call.Attached {
			t.Errorf("%s: %.200s", tc.name, short.Parameters)
		}
		for _, part := range tc.has {
			if !strings.Contains(string(short.Parameters), part) {
				t.Errorf("%s: %q is not in %s", tc.name, part, short.Parameters)
			}
		}
		if string(call.Parameters) != tc.parameters {
			t.Errorf("%s: the call has changed", tc.name)
		}
		again := shortCall(short, "success", least)
		if tc.name == "content" && !strings.Contains(string(again.Parameters), "[… 10") {
			t.Errorf("shortened twice it says %s", again.Parameters)
		}
	}
	for _, parameters := range []string{`{}`, `null`, `{"command":"ls"}`, `{"command":"` + strings.Repeat("x", 900) + `"}`} {
		if call := call("1", "x", parameters); shortCall(call, "success", brief) != call {
			t.Errorf("%s is shortened", parameters)
		}
	}
}

// The shortened form of any JSON is JSON of the same shape.
func TestShortCallKeepsTypes(t *testing.T) {
	t.Parallel()
	var value func(rt *rapid.T, depth int) any
	value = func(rt *rapid.T, depth int) any {
		switch rapid.IntRange(0, 5+depth).Draw(rt, "kind") {
		case 0:
			return strings.Repeat(rapid.SampledFrom([]string{"x", "é", "\"", "\u2028", "\x00", "a\n"}).Draw(rt, "text"), rapid.SampledFrom([]int{0, 1, 1000, 3000}).Draw(rt, "length"))
		case 1, 2:
			object := map[string]any{}
			for i := range rapid.IntRange(0, 3).Draw(rt, "members") {
				object[fmt.Sprint("k", i)] = value(rt, depth+1)
			}
			return object
		case 3:
			items := make([]any, rapid.SampledFrom([]int{0, 1, 40}).Draw(rt, "items"))
			for i := range items {
				items[i] = "item"
				if i == 0 {
					items[i] = value(rt, depth+1)
				}
			}
			return items
		default:
			return rapid.SampledFrom([]any{nil, true, 1.5, "s"}).Draw(rt, "scalar")
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		parameters, err := json.Marshal(value(rt, 0))
		if err != nil {
			rt.Skip()
		}
		c := call("1", "x", string(parameters))
		for _, e := range []extent{brief, least} {
			var before, after any
			short := shortCall(c, "error", e)
			if json.Unmarshal(c.Parameters, &before) != nil || json.Unmarshal(short.Parameters, &after) != nil || !alikeJSON(before, after) {
				rt.Errorf("%s\nbecame\n%s", c.Parameters, short.Parameters)
			}
		}
	})
}

// alikeJSON reports whether two values have the same members and types. Lists may be shorter.
func alikeJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		for name, value := range a {
			other, has := b[name]
			ok = ok && has && alikeJSON(value, other)
		}
		return ok && len(a) == len(b)
	case []any:
		b, ok := b.([]any)
		for i := range min(len(a), len(b)) {
			ok = ok && (alikeJSON(a[i], b[i]) || i == len(b)-1)
		}
		return ok && len(b) <= len(a)
	case string:
		_, ok := b.(string)
		return ok
	}
	return a == b
}

// The latest call is shortened before other content is dropped for it. This happens only if it does
// not fit, and starts with the largest argument (D-42).
func TestShortenLatest(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("line\n", 500)
	large := func(id string, n int) *history.ToolCall {
		return call(id, "write_file", fmt.Sprintf(`{"file_path":"/w/%s","content":%q}`, id, strings.Repeat(body, n)))
	}
	entries := conv(H("old"), A("words"), H("task"), A(large("1", 1), large("2", 3)), T(res("1", "write_file", "ok"), res("2", "write_file", "ok")))
	for _, tc := range []struct {
		limit   int
		changed bool
		has     []string
	}{
		{100_000, false, nil},
		{12_000, true, []string{"1: whole", "2: short"}},
		{4000, true, []string{"1: short", "2: short"}},
	} {
		c := contextOf(t, tc.limit, entries)
		after, changed := ShortenLatest(c)
		if changed != tc.changed || len(after) != len(entries) {
			t.Errorf("limit %d: changed %t", tc.limit, changed)
			continue
		}
		var got []string
		for i, call := range after[3].Calls() {
			form := "short"
			if call == entries[3].Calls()[i] {
				form = "whole"
			}
			got = append(got, call.ID+": "+form)
		}
		if changed && !slices.Equal(got, tc.has) {
			t.Errorf("limit %d: %q", tc.limit, got)
		}
		if changed {
			if gone := kindsAndSubjects(PrunedBetween(entries, after, LimitCause, testFacts)); !slices.Contains(gone, "summarised /w/2") || slices.ContainsFunc(gone, func(s string) bool { return strings.HasPrefix(s, "dropped") }) {
				t.Errorf("limit %d: gone %q", tc.limit, gone)
			}
		}
	}
	seen := append(slices.Clone(entries), A("done"), H("next"))
	if _, changed := ShortenLatest(contextOf(t, 12_000, seen)); changed {
		t.Error("a call that was answered and read is shortened for nothing")
	}
}

// An image in a tool's answer is replaced by a line before the text of the answer is removed. A
// removed answer takes its images with it (D-30).
func TestImagesOfTheLatestAnswerAreRemovedFirst(t *testing.T) {
	t.Parallel()
	shot := &history.Media{MimeType: "image/png", Data: "AA"}
	entries := conv(H("look"), A(call("1", "screenshot", `{}`)), T(res("1", "screenshot", "taken"), shot))
	image := contextOf(t, 0, entries).Count(history.New(history.Tool, shot))
	for _, limit := range []int{image + 200, 200} {
		result, _, err := reduceChecked(t, FallbackInput{Context: contextOf(t, limit, entries)})
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		last := result.History[len(result.History)-1].Blocks
		if len(last) != 2 || last[0].(*history.ToolResponse).Result.Text() != "taken" {
			t.Fatalf("limit %d: the answer is %v", limit, last)
		}
		if _, left := last[1].(*history.Media); left != (limit > image) {
			t.Errorf("limit %d: %s is left", limit, showAll(result.History))
		}
	}
}

// In a damaged record, an image without its answer does not prevent a request (D-30).
func TestImageWithoutItsAnswerIsRemoved(t *testing.T) {
	t.Parallel()
	shot := &history.Media{MimeType: "image/png", Data: "AA"}
	entries := conv(H(res("1", "read_file", "")), A(call("2", "grep", `{}`)), H(call("1", "read_file", "")), H(), A(res("2", "grep", ""), call("1", "screenshot", `{}`)), T(shot))
	if _, _, err := reduceChecked(t, FallbackInput{Context: contextOf(t, 300, entries)}); err != nil {
		t.Error(err)
	}
}

// The line about dropped entries names the files that they wrote. It includes the files of earlier
// such lines, even after a round trip through the record.
func TestMarkerNamesWrittenFiles(t *testing.T) {
	t.Parallel()
	entries := conv(H("q"), read("/w/read.go"), write("/w/a.go"), A(call("x", "write_file", "/w/failed.go")), T(failed("x", "write_file", "no")), A("ok"), H("now"))
	drop := func(entries []*history.Content) *history.Content {
		tr := newTruncation(contextOf(t, 10, entries), entries, make([]int, len(entries)), groupEntries(entries))
		for i := range len(entries) - 1 {
			if tr.droppable(i) {
				tr.drop(i)
			}
		}
		left, _ := tr.result()
		return left[0]
	}
	once := drop(entries)
	if got, want := once.Text(), "[8 earlier entries of this conversation were dropped to fit the context limit; files written in them: /w/a.go]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	again := &history.Content{}
	if err := again.UnmarshalJSON([]byte(asJSON(t, once))); err != nil {
		t.Fatal(err)
	}
	more := []*history.Content{again}
	for i := range 14 {
		more = append(more, write(fmt.Sprintf("/w/%d.go", i))...)
	}
	more = append(more, A("done"), H("on"))
	text := drop(append(more, H("last"))).Text()
	if !strings.Contains(text, "files written in them: /w/2.go, ") || !strings.Contains(text, "/w/13.go and 3 other files]") || strings.Contains(text, "failed") {
		t.Errorf("%q", text)
	}
	if text := drop([]*history.Content{drop(append(more, H("last"))), A("x"), H("last")}).Text(); !strings.Contains(text, "files written in them: /w/2.go, ") || !strings.Contains(text, "/w/13.go and 3 other files]") {
		t.Errorf("with the marker that was there: %q", text)
	}
}
