package history

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// A change that the record refuses is reported also where it had to wait for a compression.
func TestRebuildReportsWhatWaitedInVain(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "AB")
	observer.err = errors.New("the disk is full")
	err := s.Rebuild("test", func([]*Content, []int) (RebuiltHistory, error) { return RebuiltHistory{}, s.Add(HumanText("N")) })
	if !errors.Is(err, observer.err) {
		t.Errorf("%v", err)
	}
}

// What left a history is measured by the counts that it had, and named by its tool.
func TestWhatIsGoneIsMeasured(t *testing.T) {
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
			want = before - s.TotalTokens() // what surrounds an entry is shared out
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

// D-80: going back makes other entries the history; it has not been optimised, and is refused
// while a compression works, as everything else is.
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

// What density made of entries is what it says of them.
func TestAfter(t *testing.T) {
	t.Parallel()
	a, b, c, short := HumanText("a"), HumanText("b"), HumanText("c"), HumanText("s")
	step := Step{Edits: map[*Content]Edit{a: {}, b: {After: short}}}
	if got := step.Apply([]*Content{a, b, c}); !slices.Equal(got, []*Content{short, c}) {
		t.Errorf("%v", got)
	}
}

// named counts like bytes under a name.
type named struct{ byteCounter }

func (named) Vocabulary() string { return "bytes" }

// Counts that were recorded are taken over by a counter of the same vocabulary, if they can be
// right.
func TestRecordedCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		counts  TokenCounts
		counter Counter
		want    int
	}{
		{TokenCounts{"bytes", []int{7, 0}}, named{}, 7},
		{TokenCounts{"bytes", []int{7, 0}}, byteCounter{}, 3},
		{TokenCounts{"other", []int{7, 0}}, named{}, 3},
		{TokenCounts{"", []int{7, 0}}, byteCounter{}, 3},
		{TokenCounts{"bytes", []int{7}}, named{}, 3},
		{TokenCounts{"bytes", []int{7, -1}}, named{}, 3},
	} {
		entry := New(Human, &Text{Text: "abc"}, &Text{})
		entry.SetTokens(tc.counts)
		if got := entry.BlockTokens(0, tc.counter); got != tc.want {
			t.Errorf("%+v: %d tokens, want %d", tc.counts, got, tc.want)
		}
	}
	entry := HumanText("abc")
	entry.CountTokens(named{})
	entry.Blocks[0] = &Text{Text: "changed afterwards"} // so that it shows where it is counted again
	s := NewService(byteCounter{}, nil)
	if err := s.Add(entry); err != nil {
		t.Fatal(err)
	}
	s.SetCounter(named{})
	if s.TotalTokens() != EntryTokens+3 {
		t.Errorf("%d tokens", s.TotalTokens())
	}
}

// What is noted at an entry is found also after a record has turned it into JSON.
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

// What carries a key is found by it: a block, or the result in an entry that has it.
func TestKeyed(t *testing.T) {
	t.Parallel()
	entry := New(Tool, &Text{Text: "t", Key: "a"}, &ToolResponse{CallID: "1", Result: TextResult("r")}).WithMeta(MetaKey, "b")
	for key, want := range map[string]string{"a": "t", "b": "r", "c": ""} {
		if got, found := entry.KeyedText(key); got != want || found != (want != "") {
			t.Errorf("%s: %q %t", key, got, found)
		}
	}
}

// A message is what the user said to the model; what was printed, brought or brought back,
// and what was done to files, is none by itself.
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

// A document that is written is read again as it was.
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
