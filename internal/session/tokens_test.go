package session

import (
	"encoding/json"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The quick way to read counts says what JSON says.
func TestParseTokensIsJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"o200k_base":[1866]}`, `{"o200k_base":[1,2,33]}`, `{"a":[]}`, `{}`, ``, `null`, `{"a":[1],"b":[2,3]}`, `{"a":[1]} `, `{ "a": [1, 2] }`,
		`{"a":[1.5]}`, `{"a":["1"]}`, `{"a\"b":[1]}`, `{"é":[1]}`, `{"a":[-1]}`, `{"a":[1],"a":[2]}`, `[1]`, `{"a":1}`,
	} {
		want := map[string][]int{}
		if text != "" && json.Unmarshal([]byte(text), &want) != nil {
			want = map[string][]int{}
		}
		if diff := cmp.Diff(want, maps.Collect(parseTokens([]byte(text)))); diff != "" && len(want) > 0 {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Issue 12: a log of 100 MB is taken up in 2 s, the first time too. What that depends on
// is how much memory is asked for in proportion to the log: its text once as it is
// needed, once on the way there, and little else.
func TestReplayAsksForLittleMoreMemoryThanTheLog(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs with -short, throws pooled memory away at random")
	}
	o := options(t)
	l := create(t, o)
	for range 400 {
		add(t, l, strings.Repeat("some text of a reply\n", 500))
	}
	closeLog(t, l)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := replayAt(l.Path()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if ratio := float64(after.TotalAlloc-before.TotalAlloc) / float64(l.disk.size); ratio > 3 {
		t.Errorf("%.1f bytes for each of the log", ratio)
	} else {
		t.Log(ratio)
	}
}
