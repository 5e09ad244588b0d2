package history

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestCountBlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id    string
		block Block
		want  int
	}{
		{"text", &Text{Text: "12345"}, 5},
		{"thinking is not sent", &Thinking{Thought: "12345"}, 0},
		{"call", &ToolCall{ID: "not counted", Name: "read", Parameters: []byte(`{"a":1}`)}, callOverhead + 4 + 7},
		{"response", &ToolResponse{Result: TextResult("123"), Error: "12"}, responseOverhead + 3 + 2},
		{"response of JSON", &ToolResponse{Result: mustResult(t, `{ "a" : 1 }`)}, responseOverhead + 7},
		{"null response", &ToolResponse{Result: mustResult(t, `null`)}, responseOverhead},
		{"media", &Media{Data: "AAAAAAAA"}, mediaTokens},
	} {
		if got := countBlock(byteCounter{}, c.block); got != c.want {
			t.Errorf("%s: %d tokens, want %d", c.id, got, c.want)
		}
	}
	s := NewService(byteCounter{}, nil)
	c := New(AI, &Text{Text: "123"}, &ToolCall{Name: "ls"})
	if got, blocks := s.CountContent(c), s.CountBlocks(c.Blocks); blocks != 3+callOverhead+2 || got != EntryTokens+blocks {
		t.Errorf("an entry counts %d, its blocks %d", got, blocks)
	}
}

// negativeCounter is a broken tokenizer that returns negative counts.
type negativeCounter struct{}

func (negativeCounter) Count(string) int { return -1000 }

// ERR-022: a negative count of a tokenizer counts as zero.
func TestNonsensicalCountsAreNotNegative(t *testing.T) {
	t.Parallel()
	s := NewService(negativeCounter{}, nil)
	if err := s.Add(New(Tool, &ToolResponse{}, &Text{Text: "x"})); err != nil {
		t.Fatal(err)
	}
	if s.TotalTokens() != EntryTokens || s.RecalculateTotalTokens() != EntryTokens {
		t.Errorf("total is %d, then %d", s.TotalTokens(), s.RecalculateTotalTokens())
	}
}

// D-07: an entry that requests omit counts nothing.
func TestEmptyEntriesCountNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*Content{
		"no blocks":  New(AI),
		"blank text": New(Human, &Text{Text: " \n"}),
		"thinking":   New(AI, &Thinking{Thought: "hm"}),
	} {
		s := NewService(byteCounter{}, nil)
		if err := s.Add(c); err != nil {
			t.Fatal(err)
		}
		if s.TotalTokens() != 0 || s.RecalculateTotalTokens() != 0 || s.CountContent(c) != 0 {
			t.Errorf("%s: %d tokens", name, s.TotalTokens())
		}
	}
}

// spyCounter records the texts that it counts.
type spyCounter struct {
	mu      sync.Mutex
	counted []string
}

func (c *spyCounter) Count(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counted = append(c.counted, text)
	return len(text)
}

// D-01: a block is counted once, however often its entry is edited or moved.
func TestCountsAreMemoised(t *testing.T) {
	t.Parallel()
	spy := &spyCounter{}
	s := NewService(spy, nil)
	a, b := &Text{Text: "a"}, &Text{Text: "b"}
	entry, other := New(Human, a, b), HumanText("other")
	if err := s.Restore([]*Content{entry, other}); err != nil {
		t.Fatal(err)
	}
	spy.counted = nil
	s.RecalculateTotalTokens()
	edited := entry.WithBlocks([]Block{b, &Text{Text: "new"}, b})
	if err := s.ApplyDensityResult(DensityResult{Replacements: map[int]*Content{0: edited}}); err != nil {
		t.Fatal(err)
	}
	if err := s.startCompression(); err != nil {
		t.Fatal(err)
	}
	if err := s.replace(RebuiltHistory{Entries: []*Content{other, HumanText("summary")}}, ""); err != nil {
		t.Fatal(err)
	}
	if want := []string{"new", "summary"}; !slices.Equal(spy.counted, want) {
		t.Errorf("counted %q, want %q", spy.counted, want)
	}
}

// fromScratch returns the total by counting every entry without a cache.
func fromScratch(counter Counter, entries []*Content) int {
	total := 0
	for _, c := range entries {
		if c.Empty() {
			continue // D-07: requests omit this entry
		}
		total += EntryTokens
		for _, b := range c.Blocks {
			total += countBlock(counter, b)
		}
	}
	return total
}

// model changes a Service at random and computes the expected result.
type model struct {
	t           *rapid.T
	service     *Service
	counter     Counter
	entries     []*Content
	waiting     []*Content
	compressing bool
	replayed    []*Content // the result of replaying the observer's record
	told, made  int
}

func (m *model) observe(mutation Mutation) error {
	m.told++
	switch mutation.Kind {
	case MutationAdded:
		m.replayed = append(m.replayed, mutation.Entry)
	case MutationReplaced:
		m.replayed = slices.Clone(mutation.Entries)
	case MutationCleared:
		m.replayed = nil
	case MutationDensity:
		m.replayed = plainApply(m.replayed, mutation.Result)
	}
	return nil
}

// plainApply implements REQ-HD-003.2 and 003.3 literally.
func plainApply(entries []*Content, r DensityResult) []*Content {
	entries = slices.Clone(entries)
	for i, c := range r.Replacements {
		entries[i] = c
	}
	removals := slices.Sorted(slices.Values(r.Removals))
	for _, i := range slices.Backward(removals) {
		entries = slices.Delete(entries, i, i+1)
	}
	return entries
}

func (m *model) must(err error) {
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) add(t *rapid.T) {
	c := anyEntry().Draw(t, "entry")
	m.must(m.service.Add(c))
	if m.compressing {
		m.waiting = append(m.waiting, c)
		return
	}
	m.entries = append(m.entries, c)
	m.made++
}

func (m *model) density(t *rapid.T) {
	result := DensityResult{Replacements: map[int]*Content{}}
	for i, c := range m.entries {
		switch rapid.IntRange(0, 3).Draw(t, "fate") {
		case 0:
			result.Removals = append(result.Removals, i)
		case 1:
			blocks := append([]Block{anyBlock().Draw(t, "block")}, c.Blocks...)
			result.Replacements[i] = c.WithBlocks(blocks[:rapid.IntRange(1, len(blocks)).Draw(t, "kept")])
		}
	}
	err := m.service.ApplyDensityResult(result)
	if m.compressing {
		if err != ErrCompressing {
			t.Fatalf("applied during a compression: %v", err)
		}
		return
	}
	m.must(err)
	m.entries = plainApply(m.entries, result)
	if !result.Empty() {
		m.made++
	}
}

func (m *model) compress(t *rapid.T) {
	if !m.compressing {
		m.must(m.service.startCompression())
		m.compressing = true
		return
	}
	if rapid.Bool().Draw(t, "replace") {
		rebuilt := append([]*Content{HumanText("summary")}, m.entries[len(m.entries)/2:]...)
		m.must(m.service.replace(RebuiltHistory{Entries: rebuilt}, "test"))
		m.entries = rebuilt
		m.made++
	}
	m.must(m.service.endCompression())
	m.entries = append(slices.Clone(m.entries), m.waiting...)
	m.made += len(m.waiting)
	m.waiting, m.compressing = nil, false
}

func (m *model) clear(t *rapid.T) {
	err := m.service.Clear()
	if m.compressing {
		if err != ErrCompressing {
			t.Fatalf("cleared during a compression: %v", err)
		}
		return
	}
	m.must(err)
	m.entries = nil
	m.made++
}

func (m *model) setCounter(*rapid.T) {
	if m.counter == (byteCounter{}) {
		m.counter = halfCounter{}
	} else {
		m.counter = byteCounter{}
	}
	m.service.SetCounter(m.counter)
}

func (m *model) check(t *rapid.T) {
	if !slices.Equal(m.service.RawHistory(), m.entries) {
		t.Fatalf("the history has %d entries, want %d, or others", m.service.Len(), len(m.entries))
	}
	if !slices.Equal(m.replayed, m.entries) || m.told != m.made {
		t.Fatalf("D-24: %d mutations were told, %d made; the record holds %d entries, the history %d", m.told, m.made, len(m.replayed), len(m.entries))
	}
	want := fromScratch(m.counter, m.entries)
	if got := m.service.TotalTokens(); got != want {
		t.Fatalf("D-01: total is %d, counted from scratch %d", got, want)
	}
	if got := m.service.RecalculateTotalTokens(); got != want {
		t.Fatalf("REQ-HD-003.6: recalculated %d, counted from scratch %d", got, want)
	}
	u := m.service.Usage()
	if sum := u.Human + u.Assistant + u.ToolCalls + u.ToolResults; sum != want {
		t.Fatalf("usage adds up to %d of %d: %+v", sum, want, u)
	}
	entries, tokens := m.service.Curated()
	for i, c := range entries {
		if tokens[i] != fromScratch(m.counter, []*Content{c}) {
			t.Fatalf("entry %d of the curated history counts %d", i, tokens[i])
		}
	}
}

// D-01, D-24, REQ-HD-003.5, REQ-HD-003.6: after any changes, the totals equal a count from scratch,
// and replaying the observer's record returns the history.
func TestServiceAgainstPlainModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, counter: byteCounter{}}
		m.service = NewService(m.counter, m.observe)
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add, "add more": m.add, "density": m.density, "compress": m.compress,
			"clear": m.clear, "set counter": m.setCounter, "": m.check,
		})
	})
}

// Many goroutines may read while the turn loop writes. The test is useful with -race.
func TestConcurrentReaders(t *testing.T) {
	t.Parallel()
	s := NewService(byteCounter{}, nil)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				view := s.RawHistory()
				for _, c := range view {
					_ = c.Text()
				}
				entries, tokens := s.Curated()
				if len(entries) != len(tokens) {
					t.Errorf("%d entries, %d counts", len(entries), len(tokens))
				}
				if s.TotalTokens() < 0 || s.Usage().Human < 0 || s.CountContent(HumanText("x")) <= 0 {
					t.Error("negative tokens")
				}
				_, _ = s.Generation(), s.Len()
			}
		})
	}
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	for i := range 200 {
		must(s.Add(New(Human, &Text{Text: "a"}, &Text{Text: "b"})))
		must(s.Add(HumanText("c")))
		must(s.ApplyDensityResult(DensityResult{Removals: []int{s.Len() - 1}, Replacements: replace(0, "d")}))
		if i%50 == 49 {
			must(s.startCompression())
			must(s.replace(RebuiltHistory{Entries: s.RawHistory()[s.Len()/2:]}, "half"))
			must(s.endCompression())
			s.SetCounter(byteCounter{})
		}
	}
	close(done)
	readers.Wait()
	if s.TotalTokens() != fromScratch(byteCounter{}, s.RawHistory()) {
		t.Error("total is wrong")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	s := NewService(byteCounter{}, nil)
	err := s.Restore([]*Content{
		HumanText("123"),
		New(AI, &Text{Text: "1234"}, &ToolCall{Name: "ls", Parameters: []byte("{}")}),
		New(Tool, &ToolResponse{Result: TextResult("12345")}),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Usage{
		Human:       EntryTokens + 3,
		Assistant:   EntryTokens + 4,
		ToolCalls:   callOverhead + 4,
		ToolResults: EntryTokens + responseOverhead + 5,
	}
	if got := s.Usage(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func mustResult(t *testing.T, raw string) Result {
	t.Helper()
	var r Result
	if err := r.UnmarshalJSON([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	return r
}

// An image counts as many tokens as providers charge for a screenshot. A much smaller count would
// send requests that are too large, and a much larger one would fill the context window.
func TestImagesAreCounted(t *testing.T) {
	t.Parallel()
	s := NewService(byteCounter{}, nil)
	text, image := &Text{Text: "look"}, &Media{MimeType: "image/png", Data: strings.Repeat("A", 50_000)}
	one := s.CountContent(New(Human, text, image))
	if tokens := one - s.CountContent(New(Human, text)); tokens < 800 || tokens > 1600 {
		t.Errorf("an image counts %d tokens", tokens)
	}
}

// The token count of an image depends on its size, within limits.
func TestImageTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ width, height, want int }{
		{0, 0, 1100}, {-1, 5, 1100}, {1, 1, 85}, {1000, 750, 1000}, {1568, 1568, 3278}, {math.MaxInt, math.MaxInt, 3300},
	} {
		entry := New(Human, &Media{MimeType: "image/png", Data: "AAAA", Width: tt.width, Height: tt.height})
		if got := countBlocks(nil, entry.Blocks); got != tt.want {
			t.Errorf("%d × %d is %d tokens, want %d", tt.width, tt.height, got, tt.want)
		}
	}
}
