package history

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// If an entry waits for a compression and the record then refuses it, Rebuild returns the error.
func TestRebuildReportsRefusedEntries(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "AB")
	observer.err = errors.New("the disk is full")
	err := s.Rebuild("test", func([]*Content, []int) (RebuiltHistory, error) { return RebuiltHistory{}, s.Add(HumanText("N")) })
	if !errors.Is(err, observer.err) {
		t.Errorf("%v", err)
	}
}

// The observer receives the tokens of removed content as they were counted before, and the name of
// its tool.
func TestRemovedContentIsMeasured(t *testing.T) {
	t.Parallel()
	for _, density := range []bool{true, false} {
		s, observer := letters(t, "AB")
		call := &ToolCall{ID: "1", Name: "grep", Parameters: []byte(`{"p":"x"}`)}
		answer := &ToolResponse{CallID: "1", ToolName: "grep", Result: TextResult("a long result")}
		line := answer.WithResult("short")
		if err := errors.Join(s.Add(New(AI, call)), s.Add(New(Tool, answer)), s.Add(HumanText("CDE"))); err != nil {
			t.Fatal(err)
		}
		all, before := s.RawHistory(), s.TotalTokens()
		gone := []Prune{{Gone: []Block{answer}, Left: []Block{line}}, {Gone: all[4].Blocks}}
		shorter := all[3].WithBlocks([]Block{line})
		want := 0
		if density {
			if err := s.ApplyDensityResult(DensityResult{Removals: []int{4}, Replacements: map[int]*Content{3: shorter}, Prunes: gone}); err != nil {
				t.Fatal(err)
			}
			want = before - s.TotalTokens() // the overhead of an entry is divided among its blocks
		} else {
			if err := s.Rebuild("test", func([]*Content, []int) (RebuiltHistory, error) {
				return RebuiltHistory{Entries: []*Content{all[0], all[1], all[2], shorter}, Gone: gone}, nil
			}); err != nil {
				t.Fatal(err)
			}
			want = before - s.TotalTokens() - EntryTokens
		}
		last := observer.seen[len(observer.seen)-1]
		gone = slices.Concat(last.Gone, last.Result.Prunes)
		if got := gone[0].Tokens + gone[1].Tokens; got != want || gone[0].Tool != "grep" || gone[1].Tool != "" || gone[0].Tokens < 8 || gone[1].Tokens < 3 {
			t.Errorf("density %t: %+v, want %d tokens", density, gone, want)
		}
	}
}

// D-80: Rewind makes other entries the history. The result does not count as optimized. Like every
// other change, Rewind is refused during a compression.
func TestRewind(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "ABC")
	before := s.Generation()
	if err := s.Rewind([]*Content{HumanText("XY")}, 7); err != nil {
		t.Fatal(err)
	}
	m := observer.seen[0]
	if spell(s) != "XY" || s.Generation() == before || s.TotalTokens() != EntryTokens+2 || m.Kind != MutationRewound || m.To != 7 || len(m.Entries) != 1 {
		t.Errorf("%q, generation %d, %d tokens, %+v", spell(s), s.Generation(), s.TotalTokens(), m)
	}
	if err := s.startCompression(); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewind(nil, 1); !errors.Is(err, ErrCompressing) || spell(s) != "XY" {
		t.Errorf("%v, %q", err, spell(s))
	}
	empty := NewService(byteCounter{}, nil)
	if err := empty.startCompression(); err != nil {
		t.Fatal(err)
	}
	if empty.Restore(nil) == nil {
		t.Error("restored while a compression works")
	}
	if !(Point{At: time.Now()}).IsEnd() || (Point{Message: HumanText("a")}).IsEnd() {
		t.Error("an end of a line is one without a message")
	}
}

// Step.Apply returns the entries after a step of the density engine.
func TestAfter(t *testing.T) {
	t.Parallel()
	a, b, c, short := HumanText("a"), HumanText("b"), HumanText("c"), HumanText("s")
	step := Step{Edits: map[*Content]Edit{a: {}, b: {After: short}}}
	if got := step.Apply([]*Content{a, b, c}); !slices.Equal(got, []*Content{short, c}) {
		t.Errorf("%v", got)
	}
}

// namedCounter is byteCounter with the name of a vocabulary.
type namedCounter struct{ byteCounter }

func (namedCounter) Vocabulary() string { return "bytes" }

// Recorded token counts are used by a counter of the same vocabulary if they are plausible.
func TestRecordedCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		counts  TokenCounts
		counter Counter
		want    int
	}{
		{TokenCounts{"bytes", []int{7, 0}}, namedCounter{}, 7},
		{TokenCounts{"bytes", []int{7, 0}}, byteCounter{}, 3},
		{TokenCounts{"other", []int{7, 0}}, namedCounter{}, 3},
		{TokenCounts{"", []int{7, 0}}, byteCounter{}, 3},
		{TokenCounts{"bytes", []int{7}}, namedCounter{}, 3},
		{TokenCounts{"bytes", []int{7, -1}}, namedCounter{}, 3},
	} {
		entry := New(Human, &Text{Text: "abc"}, &Text{})
		entry.SetTokens(tc.counts)
		if got := entry.BlockTokens(0, tc.counter); got != tc.want {
			t.Errorf("%+v: %d tokens, want %d", tc.counts, got, tc.want)
		}
	}
	entry := HumanText("abc")
	entry.CountTokens(namedCounter{})
	entry.Blocks[0] = &Text{Text: "changed afterwards"} // a new count would differ
	s := NewService(byteCounter{}, nil)
	if err := s.Add(entry); err != nil {
		t.Fatal(err)
	}
	s.SetCounter(namedCounter{})
	if s.TotalTokens() != EntryTokens+3 {
		t.Errorf("%d tokens", s.TotalTokens())
	}
}

// The metadata of an entry can be read after the entry was encoded as JSON and decoded.
func TestMetaOf(t *testing.T) {
	t.Parallel()
	entry := HumanText("a").WithMeta("n", 3).WithMeta("list", []string{"x"}).WithMeta(MetaModel, "m").WithMeta(MetaScale, 1.5)
	data, err := entry.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	read := &Content{}
	if err := read.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Content{entry, read} {
		n, ok := MetaOf[int](c, "n")
		list, also := MetaOf[[]string](c, "list")
		if n != 3 || !ok || !also || !slices.Equal(list, []string{"x"}) {
			t.Errorf("%d %t, %q %t", n, ok, list, also)
		}
		if n, ok := MetaOf[int](c, "list"); ok || n != 0 {
			t.Errorf("a list is the number %d", n)
		}
		if _, ok := MetaOf[int](c, "none"); ok {
			t.Error("something is noted under no key")
		}
		if model, ratio, known := c.Scale(); model != "m" || ratio != 1.5 || !known {
			t.Errorf("%s %v %t", model, ratio, known)
		}
	}
	if _, _, known := entry.WithoutMeta(MetaModel).Scale(); known {
		t.Error("a scale of no model")
	}
	if entry.SameEntry(HumanText("b")) || !entry.SameEntry(entry.WithMeta("x", 1)) || read.SameEntry(&Content{}) {
		t.Error("forms of an entry are the same entry, and no others")
	}
}

// KeyedText finds the text with a key: a block, or the result in an entry with that key.
func TestKeyed(t *testing.T) {
	t.Parallel()
	entry := New(Tool, &Text{Text: "t", Key: "a"}, &ToolResponse{CallID: "1", Result: TextResult("r")}).WithMeta(MetaKey, "b")
	for key, want := range map[string]string{"a": "t", "b": "r", "c": ""} {
		if got, found := entry.KeyedText(key); got != want || found != (want != "") {
			t.Errorf("%s: %q %t", key, got, found)
		}
	}
}

// IsMessage reports whether the user wrote an entry for the model. Output of commands, text of
// extensions, restored content and reports of changed files are no messages by themselves.
func TestIsMessage(t *testing.T) {
	t.Parallel()
	of := func(sources ...Source) *Content {
		entry := New(Human)
		for _, source := range sources {
			entry.Blocks = append(entry.Blocks, &Text{Text: "x", Source: source})
		}
		return entry
	}
	for name, tc := range map[string]struct {
		entry *Content
		want  bool
		said  string
	}{
		"words":                 {of(""), true, "x"},
		"words and output":      {of("", SourceCommand), true, "x"},
		"output":                {of(SourceCommand), false, ""},
		"piped":                 {of(SourcePiped), true, ""},
		"a skill":               {of(SourceExtension), false, ""},
		"a skill and words":     {of(SourceExtension, ""), true, "x"},
		"files undone":          {of("", SourceUndo), false, "x"},
		"an image":              {New(Human, &Media{}), true, ""},
		"a file":                {New(Human, NewInclusion("f", "y")), true, ""},
		"of the model":          {New(AI, &Text{Text: "x"}), false, "x"},
		"a summary":             {of("").WithMeta(MetaSummary, true), false, "x"},
		"what was brought back": {of("").WithMeta(MetaRestored, true), false, "x"},
	} {
		if got := tc.entry.IsMessage(); got != tc.want || tc.entry.OwnText() != tc.said {
			t.Errorf("%s: %t, said %q", name, got, tc.entry.OwnText())
		}
	}
}

// A document that was written can be read again without a change.
func TestWriteDocument(t *testing.T) {
	t.Parallel()
	entries := []*Content{HumanText("a\"b"), New(AI, &Text{Text: "c"})}
	data, err := WriteDocument("/w\\x", entries)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseDocument(data)
	if err != nil || read.WorkspaceRoot != "/w\\x" || show(t, read.History) != show(t, entries) {
		t.Errorf("%s: %v", data, err)
	}
}
