package sessionsearch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/offline/logs"

	"pgregory.net/rapid"
)

// asked holds the parts of a query, from which its text and the oracle are made.
type asked struct {
	words, without, phrases, paths, tools []string
	after, before                         time.Time
}

func drawQuery(t *rapid.T) (a asked) {
	simple := []string{"alpha", "beta", "gamma42", "pars", "parser", "ERROR", "time", "übun", "übung", "x", "io", "read", "lock", "zzz", "beta_max", "go", "世界"}
	word := rapid.SampledFrom(simple)
	a.words = rapid.SliceOfN(word, 0, 4).Draw(t, "words")
	if rapid.IntRange(0, 3).Draw(t, "with") == 0 {
		a.without = []string{word.Draw(t, "without")}
	}
	if rapid.IntRange(0, 4).Draw(t, "quoted") == 0 {
		a.phrases = []string{word.Draw(t, "first") + " " + word.Draw(t, "second")}
	}
	if rapid.IntRange(0, 4).Draw(t, "named") == 0 {
		a.paths = []string{rapid.SampledFrom([]string{"f1.go", "internal/f2.go", "/home/w1/internal/f3.go", "F4.go", "go"}).Draw(t, "path")}
	}
	if rapid.IntRange(0, 4).Draw(t, "tooled") == 0 {
		a.tools = []string{rapid.SampledFrom([]string{"read_file", "apply_patch", "run"}).Draw(t, "tool")}
	}
	day := rapid.IntRange(1, 30)
	if rapid.IntRange(0, 4).Draw(t, "late") == 0 {
		a.after = time.Date(2026, 11, day.Draw(t, "after"), 0, 0, 0, 0, time.UTC)
	}
	if rapid.IntRange(0, 4).Draw(t, "early") == 0 {
		a.before = time.Date(2026, 11, day.Draw(t, "before"), 0, 0, 0, 0, time.UTC)
	}
	if len(a.words)+len(a.phrases)+len(a.paths)+len(a.tools) == 0 {
		a.words = []string{word.Draw(t, "word")}
	}
	return a
}

func (a asked) String() string {
	parts := slices.Clone(a.words)
	for _, w := range a.without {
		parts = append(parts, "-"+w)
	}
	for _, p := range a.phrases {
		parts = append(parts, `"`+p+`"`)
	}
	for _, p := range a.paths {
		parts = append(parts, "path:"+p)
	}
	for _, t := range a.tools {
		parts = append(parts, "tool:"+t)
	}
	if !a.after.IsZero() {
		parts = append(parts, a.after.Format("after:2006-01-02"))
	}
	if !a.before.IsZero() {
		parts = append(parts, a.before.Format("before:2006-01-02"))
	}
	return strings.Join(parts, " ")
}

// score is the oracle: the number of matching words, or -1 if the entry does not match.
func (a asked) score(d document) int {
	score, all := 0, fields(d.text)
	words := slices.Clone(a.words)
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		if wordIn(d.text, w) {
			score++
		}
	}
	fits := score > 0 || len(words) == 0
	for _, w := range a.without {
		fits = fits && !wordIn(d.text, w)
	}
	for _, p := range a.phrases {
		fits = fits && strings.Contains(" "+strings.Join(all, " ")+" ", " "+strings.Join(fields(p), " ")+" ")
	}
	for _, p := range a.paths {
		p = strings.ToLower(strings.Trim(p, "/"))
		fits = fits && slices.ContainsFunc(d.paths, func(path string) bool { return path == p || strings.HasSuffix(path, "/"+p) })
	}
	for _, tool := range a.tools {
		fits = fits && slices.Contains(d.tools, tool)
	}
	if fits && !d.at.Before(a.after) && (a.before.IsZero() || d.at.Before(a.before)) {
		return score
	}
	return -1
}

// expected returns the hits of the oracle.
func (a asked) expected(all []plain, in func(string) bool) (list []string) {
	type scored struct {
		plain
		score int
	}
	var fit []scored
	for _, p := range all {
		if score := a.score(p.d); score >= 0 && in(p.workspace) {
			fit = append(fit, scored{p, score})
		}
	}
	slices.SortFunc(fit, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), y.d.at.Compare(x.d.at), strings.Compare(y.workspace, x.workspace), strings.Compare(y.id, x.id), cmp.Compare(y.seq, x.seq))
	})
	for _, p := range fit {
		list = append(list, fmt.Sprint(p.id, "#", p.seq, " ", p.score))
	}
	return list
}

func hits(found Results) (list []string) {
	for _, h := range found.Hits {
		list = append(list, fmt.Sprint(h.Session, "#", h.Entry, " ", h.Score))
	}
	return list
}

func (x Sessions) ask(t interface{ Fatal(...any) }, query string, o Options) Results {
	q, err := ParseQuery(query, start)
	if err != nil {
		t.Fatal(err)
	}
	if o.Most == 0 {
		o.Most = 1 << 20
	}
	found, err := x.Search(context.Background(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The hits of a search, and their order, equal the result of a plain scan of the records.
func TestSearchEqualsAScan(t *testing.T) {
	t.Parallel()
	x := newSessions(t)
	x.sessions(t, 1, 200)
	all := x.scan(t)
	in := func(workspace string) bool { return workspace != "/home/w3" }
	rapid.Check(t, func(rt *rapid.T) {
		a := drawQuery(rt)
		found := x.ask(rt, a.String(), Options{In: in})
		if got, want := hits(found), a.expected(all, in); !slices.Equal(got, want) {
			rt.Fatalf("%s: %d hits, want %d; of them %.300v, want %.300v", a, len(got), len(want), fmt.Sprint(got), fmt.Sprint(want))
		}
		for _, h := range found.Hits {
			if len([]rune(h.Text)) > longestPassage || len(a.words) > 0 && h.Score > 0 && len(h.Marks) == 0 {
				rt.Fatalf("%s: the passage %q shows no word", a, h.Text)
			}
		}
	})
}

// Sessions of other programs are searched in their own format, with the same query.
func TestSearchOther(t *testing.T) {
	t.Parallel()
	x := newSessions(t)
	log := filepath.Join(t.TempDir(), "0b1c.jsonl")
	var lines strings.Builder
	for i, message := range []string{
		`{"role":"user","content":"a needle in the hay"}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/home/w1/hay.go"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"needle, needle"}]}`,
	} {
		fmt.Fprintf(&lines, `{"type":%q,"uuid":"u%d","sessionId":"0b1c","cwd":"/home/w1","timestamp":"2026-11-02T10:00:0%dZ","message":%s}`+"\n", []string{"user", "assistant"}[i%2], i, i, message)
	}
	if err := os.WriteFile(log, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []logs.File{{Path: log}, {Path: log + ".gone"}}
	for query, want := range map[string]string{
		"needle": "result /home/w1 needle, needle; message /home/w1 a needle in the hay", "needle path:hay.go": "result /home/w1 needle, needle", "needle hay": "message /home/w1 a needle in the hay; result /home/w1 needle, needle; call /home/w1 read_file /home/w1/hay.go",
		"needle -hay tool:bash": "", `"in the"`: "message /home/w1 a needle in the hay", "needle before:2026-11-02T00:00": "",
	} {
		q, err := ParseQuery(query, start)
		if err != nil {
			t.Fatal(err)
		}
		var skipped []string
		for in, wanted := range map[string]string{"/home/w1": want, "/home/w2": ""} {
			found, err := x.SearchOther(t.Context(), files, q, Options{Most: 10, In: func(w string) bool { return w == in }}, func(path string, _ error) { skipped = append(skipped, path) })
			var got []string
			for _, h := range found.Hits {
				got = append(got, h.Kind+" "+h.Workspace+" "+h.Text)
			}
			if strings.Join(got, "; ") != wanted || err != nil {
				t.Errorf("%s in %s: %q, %v", query, in, got, err)
			}
		}
		if len(skipped) != 2 || skipped[0] != log+".gone" {
			t.Errorf("left out: %q", skipped)
		}
	}
}

// A search finds words that are escaped in JSON.
func TestSearchReadsEscapes(t *testing.T) {
	t.Parallel()
	x := newSessions(t)
	r := x.record(t, "w0-abcd", "one", "/home/w0", start)
	for i, text := range []string{
		`first\nline\ttab \"quoted\" back\\slash a\/b`, `\u00fcbung m\u00dcll`, `\ud835\udc9cscript \ud835 lone`, `\u0041lpha be\u0074a`, `dash\u2014dash`, `C:\\new\\table`, `end\\`,
	} {
		r.raw(fmt.Sprintf(`{"v":1,"seq":%d,"ts":"2026-11-01T09:00:00Z","type":"entry","payload":{"speaker":"human","blocks":[{"type":"text","text":"%s"}]}}`+"\n", 10+i, text))
	}
	r.raw(`{"payload":{"blocks":[{"text":"other order","type":"text"}],"speaker":"human"},"type":"entry","ts":"2026-11-01T09:00:00Z","seq":30,"v":1}` + "\n")
	for query, want := range map[string]string{
		"line": "10", "tab": "10", "quoted": "10", "slash": "10", "b": "10", "nline": "", "übung": "11", "MÜLL": "11", "𝒜script": "12", "lone": "12", "alpha": "13", "beta": "13",
		"dash": "14", "new": "15", "table": "15", "ew": "", "end": "16", "order": "30", "speaker": "", "entry": "",
	} {
		var got []string
		for _, h := range x.ask(t, query, Options{}).Hits {
			got = append(got, fmt.Sprint(h.Entry))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// The prefilter passes every word of a document, whatever escapes its JSON has.
func FuzzSieve(f *testing.F) {
	for _, text := range []string{"a b", "\x00<&>\u2028é", "über\tÜBER", "\\u0041 \\n", "K\u212a"} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, ascii bool) {
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if ascii {
			data = []byte(strconv.QuoteToASCII(text))
		}
		var plain string
		if json.Unmarshal(data, &plain) != nil {
			return // Go has escapes that JSON lacks
		}
		s := newPrefilter(&Query{words: wordsOf(plain)})
		s.read(data)
		if missing := slices.IndexFunc(s.words, func(w string) bool { return !s.seen[w] }); missing >= 0 {
			t.Errorf("the prefilter misses %q in %s", s.words[missing], data)
		}
	})
}
